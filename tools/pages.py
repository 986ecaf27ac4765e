"""Commands and examples in Python on the pages of the documentation, and what they print.

A page is run in a separate folder that has the files of its example world: those of
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
    for match in WORLD.finditer(page):
        yield from _named(match["names"])


def _named(names: str) -> Iterator[tuple[str, str]]:
    for world in names.split(", "):
        name, _, folder = world.partition(" in ")
        yield name, DEMO_FOLDER if name == DEMO else folder


def with_place_of_files(page: str) -> str:
    """The page with a line below the name of its example worlds that tells readers where they are."""

    def with_line(match: re.Match[str]) -> str:
        return f"<!-- examples: {match['names']} -->\n\n{place_of_files(match['names'])}\n"

    return TOLD.sub(with_line, page)


def place_of_files(names: str) -> str:
    """One line that says where readers find the files of example worlds."""
    examples = list(_named(names))
    inside = [f"`{_from_root(name)}`" for name, folder in examples if not folder]
    copies = " and beside ".join(
        f"`{folder}`, which `foveal demo` writes"
        if name == DEMO
        else f"a copy of `{_from_root(name)}` named `{folder}`"
        for name, folder in examples
        if folder
    )
    if not inside:
        return f"*The commands run beside {copies}.*"
    copied = (
        "a copy of that folder" if len(inside) == 1 else "a folder with copies of all these files"
    )
    also_beside = f", beside {copies}" if copies else ""
    return f"*The files are in {' and '.join(inside)}; the commands run in {copied}{also_beside}.*"


def _from_root(world: str) -> str:
    return (EXAMPLES / world).relative_to(ROOT).as_posix()


def prepare(page: str, folder: Path) -> None:
    """Put the files of a page's example worlds into a folder."""
    for name, subfolder in worlds(page):
        source = demo() if name == DEMO else EXAMPLES / name
        shutil.copytree(source, folder / subfolder, dirs_exist_ok=True)


@cache
def demo() -> Path:
    """A folder with the files that `foveal demo` makes, without what it computes of them."""
    folder, world = Path(mkdtemp()), invented_world()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_articles(world, folder, README)
    build_index([str(folder / "articles")], folder / "demo.index")
    write_runs(world, folder, str(folder / "demo.index"))
    write_corner(world.corner, folder / "rag")
    return folder


def commands(page: str) -> Iterator[str]:
    """Every command of a page as it is typed."""
    for block in COMMANDS.finditer(page):
        for match in COMMAND.finditer(block["commands"]):
            yield match["typed"]


def with_printed(page: str, folder: Path, foveal: Foveal) -> str:
    """The page with the output of its commands, run one after the other in a folder.

    `foveal` runs one command of ours there; what needs a shell gets one.
    """

    def play(match: re.Match[str]) -> str:
        typed = match["typed"]
        line = typed.replace("\\\n", "")
        return f"$ {typed}\n{_printed(line, folder, foveal)}"

    def run(block: re.Match[str]) -> str:
        return f"```console\n{COMMAND.sub(play, block['commands'])}```"

    return COMMANDS.sub(run, page)


def _printed(line: str, folder: Path, foveal: Foveal) -> str:
    """The output of a line; a shell is used only where needed, as it starts a new Python."""
    if piped := PIPED.fullmatch(line):
        return in_shell(piped["theirs"], folder, input_text=_printed(piped["ours"], folder, foveal))
    command = line.removesuffix(REMARKS)
    unquoted = QUOTED.sub("", command)
    if SHELL.search(unquoted):
        return in_shell(line, folder)
    words = _expanded(command, folder) if PATTERN.search(unquoted) else shlex.split(command)
    return foveal(words[1:], folder, command != line)


def _expanded(line: str, folder: Path) -> list[str]:
    """The words of a command as a shell gives them to a program, files in the same order everywhere."""
    return in_shell(f"LC_ALL=C; printf '%s\\0' {line}", folder).split("\0")[:-1]


def in_shell(line: str, folder: Path, *, input_text: str = "") -> str:
    """The output of a line in a shell that has our programs on its path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=folder, env={**os.environ, "PATH": path}, input=input_text,
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if not done.stdout and done.returncode:
        raise RuntimeError(f"{line}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def has_outputs(page: str) -> bool:
    """True if a page shows the output of its examples."""
    return any(match["shown"] for match in EXAMPLE.finditer(page))


def with_outputs(page: str, folder: Path) -> str:
    """The page with the output of its examples, run one after the other in a folder."""
    names: dict[str, object] = {"__name__": PAGE}

    def run(match: re.Match[str]) -> str:
        if match["needs"] and find_spec(match["needs"]) is None:
            return match[0]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(match["code"], "example", "exec"), names)  # noqa: S102  # our own page
        output = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```{match['mark']}\n{match['code']}```\n{output}"

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
            for name in [name for name, record in registry.items() if maker_of(record)[0] == PAGE]:
                del registry[name]


def _registries() -> Iterator[Registry[Any]]:
    """Every registry, and those that are kept in a dict by the type of a result."""
    rooms = [module for name, module in sys.modules.items() if name.startswith("foveal.")]
    for value in (value for module in rooms for value in list(vars(module).values())):
        if isinstance(value, Registry):
            yield value
        elif isinstance(value, dict):
            yield from (registry for registry in value.values() if isinstance(registry, Registry))
