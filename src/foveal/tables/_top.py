"""The best runs: how many are kept, and by which measure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Self

from foveal.errors import UsageError, counted, some
from foveal.frozen import frozen


@frozen
class Top:
    """How many of the best runs are kept; without a measure they are the best by the first."""

    count: int
    measure: str | None = None
    baselines: Sequence[str] = ()
    """Runs that are kept as well, by their names or files."""

    @classmethod
    def parsed(cls, given: int | str, *, least: int = 1, what: str = "top") -> Self:
        """The number and the measure in words such as 20 or "20:AiP"; `least` runs must be kept."""
        number, _, measure = str(given).partition(":")
        whole = not isinstance(given, bool) and re.fullmatch(r"\s*[0-9]{1,9}\s*", number)
        if not whole or (":" in str(given) and not measure.strip()):
            raise UsageError(
                f"{what} must be a number of runs, and a measure if they are not the best by the"
                f" first, as in 20 or 20:AiP, got {str(given)!r}"
            )
        if int(number) < least:
            raise UsageError(f"{what} must be {least} or more, got {int(number)}")
        return cls(int(number), measure.strip() or None)

    def notes(self, every: int, tied: Sequence[str], measure: str) -> Iterator[str]:
        """That fewer runs are there than were to be kept, or that names decided between some."""
        if self.count > every:
            yield f"the best {self.count:,} runs were asked for, and all {every:,} are kept"
        if tied:
            yield (
                f"{counted(len(tied), 'run')} tied by {measure} where the best end: those that come"
                f" first by name are kept ({some(tied)})"
            )
