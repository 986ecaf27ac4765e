"""Rounding, which happens only here: numbers as people and other programs read them."""

from __future__ import annotations

from decimal import Decimal

UNDEFINED = "undefined"
DASH = "–"
# Smaller differences between equal means come from rounding.
NO_POINTS = 1e-10


def rounded(value: float, *, as_integer: bool = False, decimals: int = 4) -> str:
    """A score with so many decimals, a count with none; 0 has no sign, even if it was rounded."""
    return f"{value:z.{0 if as_integer else decimals}f}"


def signed(difference: float) -> str:
    """A difference of scores: its sign and four decimals."""
    return f"{difference:+z.4f}"


def signed_percent(change: float | None) -> str:
    """A change in per cent, with its sign and one decimal; blank if it is unknown."""
    return "" if change is None else f"{change:+z.1f} %"


def rounded_if_known(value: float | None) -> str:
    """A score with four decimals, or "undefined"."""
    return UNDEFINED if value is None else rounded(value)


def rounded_or_dash(value: float | None) -> str:
    """A coefficient with four decimals, or a dash if it is undefined."""
    return DASH if value is None else rounded(value)


def rounded_p(p: float | None) -> str:
    """A p-value with two digits, or "<0.0001"; blank if unknown."""
    if p is None:
        return ""
    if p < 0.0001:
        return "<0.0001"
    exponent = int(f"{p:.1e}".partition("e")[2])
    return f"{p:.{1 - exponent}f}"


def percent(share: float) -> str:
    """A share in whole per cent."""
    return f"{100 * share:.0f} %"


def tenths_of_percent(share: float) -> str:
    """A share in per cent with one decimal."""
    return f"{100 * share:.1f} %"


def tenths(value: float) -> str:
    """A mean count, or the end of a scale: one decimal."""
    return f"{value:.1f}"


def hundredths(value: float) -> str:
    """A number in a sentence: two decimals."""
    return f"{value:z.2f}"


def thousandths(value: float) -> str:
    """A score in a sentence that people quote: three decimals, or two digits below 0.0005."""
    return f"{value:.2g}" if NO_POINTS < abs(value) < 0.0005 else f"{value:z.3f}"


def signed_points(points: float) -> str:
    """A signed difference in percentage points; one too small for two decimals has an exponent."""
    if abs(points) < NO_POINTS:
        return "0"
    return f"{points:+.2f}" if abs(points) >= 0.005 else f"{points:+.0e}"


def duration(seconds: float) -> str:
    """A time as people say it: seconds, minutes, or hours and minutes."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60:02d} min"


def duration_or_dash(seconds: float | None) -> str:
    """A time, or a dash if it is unknown."""
    return DASH if seconds is None else duration(seconds)


def shortest(value: float) -> str:
    """A level or strength without needless digits."""
    return f"{value:g}"


def as_java_prints(value: float) -> str:
    """A double as Java writes it: shortest digits, an exponent below 0.001 and from 10,000,000 on."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return format(Decimal(repr(value)), "f") if "e" in repr(value) else repr(float(value))
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    digit_text = "".join(map(str, digits))
    power = len(digit_text) - 1 + int(exponent)
    return f"{'-' if sign else ''}{digit_text[0]}.{digit_text[1:] or '0'}E{power}"
