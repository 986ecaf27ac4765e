"""Examples in Python on the pages of the documentation, and what they print.

A block of Python is followed by a block of text if it prints something: `make docs` writes there what
it prints, and the tests compare.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import polars as pl

EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?P<shown>\n```text\n(?P<printed>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


def has_outputs(page: str) -> bool:
    """Whether a page shows what its examples print."""
    return any(found["shown"] for found in EXAMPLE.finditer(page))


def with_outputs(page: str, folder: Path) -> str:
    """The page with what its examples print, run one after the other in a folder."""
    names: dict[str, object] = {"__name__": "page"}

    def run(found: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found["code"], "example", "exec"), names)  # noqa: S102  # our own page
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```python\n{found['code']}```\n{shown}"

    # Frames are as wide as they need to be, not as the terminal of whoever makes the page.
    with contextlib.chdir(folder), pl.Config(tbl_width_chars=100):
        return EXAMPLE.sub(run, page)
