"""The page of the environment: variables that are read, and the extras that can be installed."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.making import Lines, code, table
from tools.pages import ROOT

FOLDERS = ("src", "tests", "tools", "benchmarks")
OWN = re.compile(r"\b_?FOVEAL_[A-Z]+\b")
MAKE = re.compile(r"(?:: export |^export )(\w+)|^(\w+) \?=|\$\((CC)\)", re.MULTILINE)
# What foveal reads when it is used.
USED = {
    "FOVEAL_COMPILED": "`0` reads TREC's and INEX's files without the compiled scanner: the same tables, slower."
    " `foveal --version` says which is in use.",
    "FOVEAL_TRACEBACK": "If set, a bug (exit code 70) shows where it is.",
    "NO_COLOR": "If set, nothing is printed in colours.",
    "TERM": "`dumb` means a terminal without colours and progress bars.",
    "COLUMNS": "How wide tables may be, if the terminal does not say so.",
    "_FOVEAL_COMPLETE": "`bash_source`, `zsh_source` or `fish_source` prints what a shell needs to complete words"
    " with the tab key; that goes into the shell's start-up file, in bash as"
    ' `eval "$(_FOVEAL_COMPLETE=bash_source foveal)"`.',
    "FOVEAL_LARGEST": "A size such as `8GB`: compressed files may unpack to as much, lines may be as long, and tables"
    " may have any number of columns. Without it a file is refused that unpacks to more than 1 GB and to a hundred"
    " times its size, has a line of more than 16 MB, or more than 1,000 columns.",
    "POLARS_MAX_THREADS": "How many threads Polars may use, by default one per core.",
}
# What the tests, the Makefile and the tools read, or set for what they start.
DEVELOPED = {
    "FOVEAL_SHARED": "The folder with collections and other programs' outputs that are not part of the project; by"
    " default `shared` beside it. Tests that need them are skipped without.",
    "FOVEAL_REQUIRE": "What a machine must have, as in `compiler browser`: tests that would be skipped without it"
    " fail.",
    "HYPOTHESIS_PROFILE": "Which examples Hypothesis draws: those of `foveal` (the default) are always the same,"
    " those of `thorough` are new ones, many times as many.",
    "PYTHON": "The Python of which `make` makes its environment, by default `python3`.",
    "CC": "The C compiler of `make fuzz`.",
    "OPENBLAS_NUM_THREADS": "Set to 1 by `make test`, as every process of the tests has a core.",
    "PYTHONDONTWRITEBYTECODE": "Cleared by `make test`, so that modules are compiled once.",
    "HAYSTACK_TELEMETRY_ENABLED": "Set to `False` by `make test-frameworks`: tests reach no network.",
    "PATH": "Where commands of the pages find `foveal` when the documentation is made.",
}  # fmt: skip
# Read by libraries that foveal uses, not by its own lines.
BY_LIBRARIES = {"COLUMNS", "_FOVEAL_COMPLETE", "POLARS_MAX_THREADS"}
EXTRAS = {
    "all": "everything below",
    "assess": "serves the page on which assessors judge (`foveal assess serve` and `try`)",
    "cluster": "runs `--cluster` on a Dask cluster, and reads `s3://` and other addresses",
    "figures": "converts figures to PNG and PDF",
    "report": "writes the pages of `foveal report` and `foveal explain`",
    "tokens": "counts tokens (`--tokens`)",
}


def environment_page() -> Lines:
    """Variables of the environment, and extras."""
    yield from ["# Environment", ""]
    yield "Nothing needs to be set: options of a command say what it does. These variables are for a machine, a"
    yield "shell or a pipeline."
    for title, sentences in (("When you use foveal", USED), ("When you work on it", DEVELOPED)):
        yield from ["", f"## {title}", ""]
        yield from table(
            ["variable", "what it does"], ([code(name), sentences[name]] for name in sentences)
        )
    yield from ["", "## Extras", ""]
    yield "`pip install .` in a clone installs all that scoring needs. Extras bring the packages that some commands need"
    yield "besides; a command that lacks one says which."
    yield from ["", "```sh", "pip install '.[report,figures]'", "```", ""]
    yield from table(
        ["extra", "what it does", "packages"],
        (
            [code(name), EXTRAS[name], ", ".join(map(code, packages))]
            for name, packages in extras().items()
        ),
    )


def extras() -> dict[str, list[str]]:
    """The extras that the package declares, with their packages."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        name: [re.split(r"[<>=~!; ]", package)[0] for package in packages]
        for name, packages in sorted(declared["project"]["optional-dependencies"].items())
    }


def variables() -> set[str]:
    """Every variable that our programs read, or that make and CI set."""
    files = [
        ROOT / "setup.py",
        *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")),
    ]
    # This file names all variables, whether they are read or not.
    used = {name for file in files if file != Path(__file__) for name in _read_in(file)}
    for file in (ROOT / "Makefile", *sorted((ROOT / ".ci").iterdir())):
        text = file.read_text(encoding="utf-8")
        used.update(name for names in MAKE.findall(text) for name in names if name)
    return used


def _read_in(file: Path) -> Iterator[str]:
    """Variables that a Python file reads, and every name of ours that it mentions."""
    text = file.read_text(encoding="utf-8")
    yield from OWN.findall(text)
    if "environ" not in text and "getenv" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="environ"), attr="get" | "setdefault"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name
            case ast.Call(
                func=ast.Attribute(attr="getenv"), args=[ast.Constant(value=str(name)), *_]
            ):
                yield name
            case ast.Subscript(
                value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))
            ):
                yield name
