"""Commands and examples in Python on the pages of the documentation, and what they print.

A page is played in a folder of its own that has the files of its example world: those of
`docs/examples/NAME` where the page says `<!-- examples: NAME -->` (or `NAME in FOLDER`), and what
`foveal demo` makes in `foveal-demo` where it says `<!-- examples: demo -->`; it may name several. What a command (`console`)
prints is written below it, what a block of Python prints into the block of text that follows:
`make docs` writes both, and the tests compare. A block marked `python needs=PACKAGE` is run where that
package is installed (`make test-frameworks`) and left as it is elsewhere.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl

from foveal.cli._demo_files import invented_world, write_articles, write_corner, write_runs
from foveal.cli.demo import README
from foveal.collection import build_index
from foveal.registry import Registry, maker_of

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
DEMO, DEMO_FOLDER = "demo", "foveal-demo"
WORLD = re.compile(r"^<!-- examples: (?P<names>.+?) -->$", re.MULTILINE)
# The same, with the line for readers that follows it.
TOLD = re.compile(WORLD.pattern + r"\n(?:\n\*The (?:files|commands) .*\*\n)?", re.MULTILINE)
EXAMPLE = re.compile(
    r"^```(?P<mark>python(?: needs=(?P<needs>\w+))?)\n(?P<code>.*?)^```\n"
    r"(?P<shown>\n```text\n(?P<printed>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
COMMANDS = re.compile(r"^```console\n(?P<commands>.*?)^```", re.DOTALL | re.MULTILINE)
# A command may go on after a backslash.
COMMAND = re.compile(r"^\$ (?P<typed>(?:.*\\\n)*.*)\n(?P<printed>(?:(?!\$ ).*\n)*)", re.MULTILINE)
# One of our commands, and what its output is piped into.
PIPED = re.compile(
    r"""(?P<ours>foveal (?:[^|<>&;$`'"]|'[^']*'|"[^"]*")*(?: 2>&1)?) \| (?P<theirs>.*)"""
)
# What only a shell can do: redirections, variables, other programs.
SHELL = re.compile(r"[|<>&;$`]|^(?!foveal )")
# What a shell replaces by the names of files before our program sees it.
PATTERN = re.compile(r"[*{]")
QUOTED = re.compile(r"""'[^']*'|"[^"]*"|""")
# Settings, notes and errors go to standard error, which this puts below the result.
REMARKS = " 2>&1"
# Runs a command of ours in a folder, and says what it prints, with remarks or without.
Foveal = Callable[[Sequence[str], Path, bool], str]
# What examples in Python are called as a module.
PAGE = "page"


def pages() -> list[Path]:
    """Every page that is played and checked."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def worlds(page: str) -> Iterator[tuple[str, str]]:
    """The example worlds of a page: their names, and the folders where the page expects them."""
    for found in WORLD.finditer(page):
        yield from _named(found["names"])


def _named(names: str) -> Iterator[tuple[str, str]]:
    for world in names.split(", "):
        name, _, place = world.partition(" in ")
        yield name, DEMO_FOLDER if name == DEMO else place


def with_place_of_files(page: str) -> str:
    """The page with a line below the name of its example worlds that tells readers where they are."""

    def tell(found: re.Match[str]) -> str:
        return f"<!-- examples: {found['names']} -->\n\n{place_of_files(found['names'])}\n"

    return TOLD.sub(tell, page)


def place_of_files(names: str) -> str:
    """Where readers find the files of example worlds, in one line."""
    named = list(_named(names))
    inside = [f"`{_from_root(name)}`" for name, place in named if not place]
    beside = " and beside ".join(
        f"`{place}`, which `foveal demo` writes"
        if name == DEMO
        else f"a copy of `{_from_root(name)}` named `{place}`"
        for name, place in named
        if place
    )
    if not inside:
        return f"*The commands run beside {beside}.*"
    copied = (
        "a copy of that folder" if len(inside) == 1 else "a folder with copies of all these files"
    )
    also = f", beside {beside}" if beside else ""
    return f"*The files are in {' and '.join(inside)}; the commands run in {copied}{also}.*"


def _from_root(world: str) -> str:
    return (EXAMPLES / world).relative_to(ROOT).as_posix()


def prepare(page: str, folder: Path) -> None:
    """Put the files of a page's example worlds into a folder."""
    for name, place in worlds(page):
        source = demo() if name == DEMO else EXAMPLES / name
        shutil.copytree(source, folder / place, dirs_exist_ok=True)


@cache
def demo() -> Path:
    """A folder with the files that `foveal demo` makes, without what it computes of them."""
    place, world = Path(mkdtemp()), invented_world()
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    write_articles(world, place, README)
    build_index([str(place / "articles")], place / "demo.index")
    write_runs(world, place, str(place / "demo.index"))
    write_corner(world.corner, place / "rag")
    return place


def commands(page: str) -> Iterator[str]:
    """Every command of a page as it is typed."""
    for block in COMMANDS.finditer(page):
        for found in COMMAND.finditer(block["commands"]):
            yield found["typed"]


def with_printed(page: str, folder: Path, foveal: Foveal) -> str:
    """The page with what its commands print, run one after the other in a folder.

    `foveal` runs one command of ours there; what needs a shell gets one.
    """

    def play(found: re.Match[str]) -> str:
        typed = found["typed"]
        line = typed.replace("\\\n", "")
        return f"$ {typed}\n{_printed(line, folder, foveal)}"

    def run(block: re.Match[str]) -> str:
        return f"```console\n{COMMAND.sub(play, block['commands'])}```"

    return COMMANDS.sub(run, page)


def _printed(line: str, folder: Path, foveal: Foveal) -> str:
    """What a line prints; a shell does what only it can, as it would start our program anew."""
    if piped := PIPED.fullmatch(line):
        return in_shell(piped["theirs"], folder, given=_printed(piped["ours"], folder, foveal))
    own = line.removesuffix(REMARKS)
    unquoted = QUOTED.sub("", own)
    if SHELL.search(unquoted):
        return in_shell(line, folder)
    words = _expanded(own, folder) if PATTERN.search(unquoted) else shlex.split(own)
    return foveal(words[1:], folder, own != line)


def _expanded(line: str, folder: Path) -> list[str]:
    """The words of a command as a shell gives them to a program, files in the same order everywhere."""
    return in_shell(f"LC_ALL=C; printf '%s\\0' {line}", folder).split("\0")[:-1]


def in_shell(line: str, folder: Path, *, given: str = "") -> str:
    """What a line prints in a shell that has our programs on its path; `given` is its input."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=folder, env={**os.environ, "PATH": path}, input=given,
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if not done.stdout and done.returncode:
        raise RuntimeError(f"{line}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def has_outputs(page: str) -> bool:
    """Whether a page shows what its examples print."""
    return any(found["shown"] for found in EXAMPLE.finditer(page))


def with_outputs(page: str, folder: Path) -> str:
    """The page with what its examples print, run one after the other in a folder."""
    names: dict[str, object] = {"__name__": PAGE}

    def run(found: re.Match[str]) -> str:
        if found["needs"] and find_spec(found["needs"]) is None:
            return found[0]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found["code"], "example", "exec"), names)  # noqa: S102  # our own page
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```{found['mark']}\n{found['code']}```\n{shown}"

    # Frames are as wide as they need to be, not as the terminal of whoever makes the page.
    with contextlib.chdir(folder), pl.Config(tbl_width_chars=100), _registering_for_now():
        return EXAMPLE.sub(run, page)


@contextlib.contextmanager
def _registering_for_now() -> Iterator[None]:
    """Forget in the end what examples registered: tables and tests know foveal's own records."""
    try:
        yield
    finally:
        for registry in _registries():
            for name in [name for name, own in registry.items() if maker_of(own)[0] == PAGE]:
                del registry[name]


def _registries() -> Iterator[Registry[Any]]:
    """Every registry, and those that are kept in a dict by the type of a result."""
    rooms = [module for name, module in sys.modules.items() if name.startswith("foveal.")]
    for value in (value for module in rooms for value in list(vars(module).values())):
        if isinstance(value, Registry):
            yield value
        elif isinstance(value, dict):
            yield from (own for own in value.values() if isinstance(own, Registry))
