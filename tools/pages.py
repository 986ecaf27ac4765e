"""Commands and examples in Python on the pages of the documentation, and what they print.

A block of Python is followed by a block of text if it prints something: `make docs` writes there what
it prints, and the tests compare. A block marked `python needs=PACKAGE` is run where that package is
installed (`make test-frameworks`) and left as it is elsewhere.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import polars as pl

EXAMPLE = re.compile(
    r"^```(?P<mark>python(?: needs=(?P<needs>\w+))?)\n(?P<code>.*?)^```\n"
    r"(?P<shown>\n```text\n(?P<printed>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


COMMANDS = re.compile(r"^```console\n(?P<commands>.*?)^```", re.DOTALL | re.MULTILINE)
Foveal = Callable[[Sequence[str], Path], str]


def with_printed(page: str, folder: Path, foveal: Foveal) -> str:
    """The page with what its commands print, run one after the other in a folder.

    `foveal` runs one command there. What `cat` shows is the page's own, and is written to the folder.
    """

    def run(found: re.Match[str]) -> str:
        shown = []
        for part in re.split(r"^\$ ", found["commands"], flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            program, *words = shlex.split(command)
            if program == "cat":
                file = folder / words[0]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(printed, encoding="utf-8")
            else:
                printed = foveal(words, folder)
            shown.append(f"$ {command}\n{printed}")
        return f"```console\n{''.join(shown)}```"

    return COMMANDS.sub(run, page)


def has_outputs(page: str) -> bool:
    """Whether a page shows what its examples print."""
    return any(found["shown"] for found in EXAMPLE.finditer(page))


def with_outputs(page: str, folder: Path) -> str:
    """The page with what its examples print, run one after the other in a folder."""
    names: dict[str, object] = {"__name__": "page"}

    def run(found: re.Match[str]) -> str:
        if found["needs"] and find_spec(found["needs"]) is None:
            return found[0]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found["code"], "example", "exec"), names)  # noqa: S102  # our own page
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```{found['mark']}\n{found['code']}```\n{shown}"

    # Frames are as wide as they need to be, not as the terminal of whoever makes the page.
    with contextlib.chdir(folder), pl.Config(tbl_width_chars=100):
        return EXAMPLE.sub(run, page)
