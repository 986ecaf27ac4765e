"""The style of figures and pages: colours, type sizes and spacings."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from string import Template

from foveal.frozen import frozen

SANS = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif'
# Labels of figures are placed by the widest letters that these may become (labels.py).
LABELS = 'Arial, "Liberation Sans", Helvetica, sans-serif'
MONO = 'ui-monospace, "SF Mono", Menlo, "Liberation Mono", monospace'
# Pixels: labels of figures, text of tables, text of pages, headings.
SMALL, TABLE, TEXT, HEADING, TITLE = 11, 13, 16, 20, 28
# Pixels of the bold letters in figures: the head of a panel, the title.
PANEL_HEAD, FIGURE_TITLE = 13, 15
# Pixels between things that belong together, up to those of different sections.
GAPS = (4, 8, 16, 24, 40)
RADIUS = 6
_STYLE = files("foveal.rendering").joinpath("drawing", "figure.css").read_text(encoding="utf-8")
_FIGURE = Template(_STYLE.replace("\n", ""))
# Dashes as well as colours, so that lines can be distinguished in grey print.
DASHES = ("", "7 3", "2 3", "10 3 2 3", "5 5", "12 4", "2 6", "7 3 2 3 2 3")


@frozen
class Theme:
    """The colours of a page, light or dark; a test checks their contrast with `paper`."""

    paper: str
    raised: str
    """Behind tables' heads and code."""

    ink: str
    muted: str
    grid: str
    border: str
    accent: str
    good: str
    bad: str
    found: str
    """Behind highlighted text that was returned."""

    missed: str
    wasted: str
    rest: str
    """Lines beyond those in `series`."""

    series: tuple[str, ...]
    heat: tuple[str, ...]
    """From the lowest value to the highest, in even steps."""


def _codes(codes: str) -> tuple[str, ...]:
    return tuple(codes.split())


LIGHT = Theme(
    paper="#ffffff",
    raised="#f5f7f9",
    ink="#1b2026",
    muted="#57606a",
    grid="#e1e6eb",
    border="#c5ccd3",
    accent="#0b63a8",
    good="#0f7048",
    bad="#b3261e",
    found="#bfe8cf",
    missed="#ffd9b0",
    wasted="#e2e5e9",
    rest="#8b949e",
    series=_codes("#0b63a8 #c4490a #0f7a5a #93388f #8a6500 #b81f54 #00718f #4b535c"),
    heat=_codes("#f2f5f9 #dce8f4 #bfd6ec #99bfe0 #6ea3d1 #3d79b3 #2767a6 #114a85 #062f5e"),
)
DARK = Theme(
    paper="#11151a",
    raised="#1a2027",
    ink="#e8edf2",
    muted="#a3adb8",
    grid="#2a323b",
    border="#47525e",
    accent="#7dbdf7",
    good="#6fd3a2",
    bad="#ff9a8f",
    found="#1c5a3a",
    missed="#6d4210",
    wasted="#38414b",
    rest="#596470",
    series=_codes("#6fb5f5 #f5975c #5fcaa3 #d69be0 #dcb74a #ff8fae #58c9e0 #b9c3cd"),
    heat=_codes("#171d24 #1a2a3b #1e3a56 #244d75 #2f6496 #4883bc #6398cf #8db6e3 #bcd6f3"),
)


def _colours(theme: Theme) -> Iterator[tuple[str, str]]:
    """The colours of a theme by the names that style sheets use: s0 is the first of the series."""
    for name, colours in vars(theme).items():
        if isinstance(colours, str):
            yield name, colours
        else:
            yield from ((f"{name[0]}{index}", colour) for index, colour in enumerate(colours))


def page_style() -> str:
    """The style as CSS variables of a page, light or dark as the reader's system is."""
    light, dark = (
        ";".join(f"--{name}:{colour}" for name, colour in _colours(theme))
        for theme in (LIGHT, DARK)
    )
    spaces = ";".join(f"--space{index}:{size}px" for index, size in enumerate(GAPS))
    sizes = f"--small:{SMALL}px;--table:{TABLE}px;--text:{TEXT}px;--heading:{HEADING}px;--title:{TITLE}px"
    return (
        f":root{{color-scheme:light dark;{light};{spaces};{sizes};--radius:{RADIUS}px;"
        f"--sans:{SANS};--mono:{MONO}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f"@media print{{:root{{color-scheme:light;{light}}}}}\n"
    )


def figure_style(theme: Theme | None = None) -> str:
    """The classes of figures' marks, in the colours of a theme or of the page that holds them.

    Converters to PNG and PDF do not support CSS variables, so a file has the colours themselves.
    """
    colours = (
        dict(_colours(theme)) if theme else {name: f"var(--{name})" for name, _ in _colours(LIGHT)}
    )
    strokes = "".join(
        f".fig .s{n}{{stroke:{colours[f's{n}']};stroke-dasharray:{DASHES[n] or 'none'}}}"
        f".fig .f{n}{{fill:{colours[f's{n}']}}}"
        for n in range(len(LIGHT.series))
    )
    heat = "".join(f".fig .h{n}{{fill:{colours[f'h{n}']}}}" for n in range(len(LIGHT.heat)))
    sizes = {"small": SMALL, "head": PANEL_HEAD, "title": FIGURE_TITLE}
    return _FIGURE.substitute(colours, labels=LABELS, strokes=strokes, heat=heat, **sizes)
