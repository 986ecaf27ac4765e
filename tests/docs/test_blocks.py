"""Every block of code on a page is of a kind that the tests check."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest
import yaml
from tools.making import MADE
from tools.pages import ROOT, prepare

from foveal.cli import assess
from foveal.cli.assess.serve import PORT
from tests.cli.calling import foveal
from tests.docs.test_pages import FENCE, TOP_PAGES, name_of

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
TARGETS = set(
    re.findall(
        r"^([a-z-]+)(?: [a-z-]+)*:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
)
TARGETS |= set(
    re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[
        0
    ].split()
)
# Commands are run (`console`), and so is Python; both are followed by what they print.
RUN = {"console", "python"}
# Web servers that may be in front of the page for assessors.
PROXIES = {"caddy", "nginx"}
# What measures and foveal are cited by; tests compare it with the references in `tools` and with CITATION.cff.
BIBTEX = "bibtex"
Block = tuple[Path, str, str]
BLOCKS: list[Block] = [
    (page, found["language"], found["code"])
    for page in TOP_PAGES
    for found in FENCE.finditer(page.read_text(encoding="utf-8"))
]


def _of(language: str) -> pytest.MarkDecorator:
    found = [(page, code) for page, own, code in BLOCKS if own == language]
    names = [f"{name_of(page)}-{number}" for number, (page, _) in enumerate(found)]
    return pytest.mark.parametrize(("page", "code"), found, ids=names)


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    for page, language, code in BLOCKS:
        word = language.partition(" needs=")[0]
        assert word in {*RUN, "text", "sh", "yaml", BIBTEX, *PROXIES}, (
            f"{name_of(page)}: ```{language}\n{code}"
        )


def test_a_block_of_text_is_what_an_example_prints() -> None:
    for page in TOP_PAGES:
        text = page.read_text(encoding="utf-8")
        if page.name == "CONTRIBUTING.md" or text.startswith(MADE):
            continue  # a drawing and a list of targets, or what a program wrote and the tests compare
        for found in re.finditer(r"^```text$", text, re.MULTILINE):
            before = text[: found.start()]
            last = list(FENCE.finditer(before))[-1]
            assert last["language"].startswith("python"), f"{page}: {text[found.start() :][:80]}"
            assert not before[last.end() :].strip()


@_of("sh")
def test_what_installs_and_makes_names_what_exists(page: Path, code: str) -> None:
    """Installing is tried by `make release` and by every machine that runs the tests."""
    for line in code.splitlines():
        for words in map(shlex.split, re.split(r" && ", line.partition(" > ")[0])):
            match words:
                case ["make", target]:
                    assert target in TARGETS
                case ["pip" | "pipx" | "uv", *_, package]:
                    named = re.fullmatch(r"\.(?:\[([a-z,]+)\])?", package)
                    assert named is not None, f"{package}: foveal is installed from a clone"
                    assert set(filter(None, (named[1] or "").split(","))) <= EXTRAS.keys()
                case ["foveal", "assess", "try" | "serve" | "invite", *options]:
                    _parse(words[2], options)
                case ["source", activate]:
                    _activates(activate, code)
                case (
                    ["git", "clone", *_]
                    | ["cd", _]
                    | ["python3", "-m", "venv", _]
                    | ["umask", "077"]
                ):
                    pass
                case _:
                    pytest.fail(
                        f"{name_of(page)}: {line}: show it as a console block, which is run"
                    )


def _activates(activate: str, code: str) -> None:
    """An environment is made in the same block, or is the one of `make`, which gets nothing more."""
    folder = activate.removesuffix("/bin/activate")
    assert folder != activate
    if folder == ".venv":
        assert "pip install" not in code, "that would change the project's own environment"
    else:
        assert f"python3 -m venv {folder}\n" in code


def test_no_page_installs_from_a_package_index() -> None:
    """What the program itself prints is in a block."""
    for page in TOP_PAGES:
        said = FENCE.sub("", page.read_text(encoding="utf-8"))
        assert not re.search(r"pip\s+install\s+'?foveal", said), (
            f"{page}: write pip install '.[extra]'"
        )


def _parse(name: str, words: list[str]) -> None:
    """Parse the words of a command that does not end, or prints a secret; wrong ones are refused."""
    command = assess.command.get_command(click.Context(assess.command), name)
    assert command is not None
    command.make_context(name, words)


@pytest.mark.parametrize("language", sorted(PROXIES))
def test_a_web_server_in_front_leads_to_the_port_of_the_page(language: str) -> None:
    (code,) = (code for _, own, code in BLOCKS if own == language)
    assert f"127.0.0.1:{PORT}" in code


@_of("yaml")
def test_steps_of_a_pipeline_run(page: Path, code: str, tmp_path: Path) -> None:
    """Lines of steps that call foveal are run in the page's example world, with its saved scores."""
    prepare(page.read_text(encoding="utf-8"), tmp_path)
    for line in re.findall(
        r"^\$ foveal (evaluate .* -o \S+\.json)$", page.read_text(encoding="utf-8"), re.MULTILINE
    ):
        assert foveal(*shlex.split(line), folder=tmp_path).code == 0, line
    steps = [step for step in _steps(yaml.safe_load(code)) if "foveal" in step]
    assert steps
    for line in (
        line for step in steps for line in step.splitlines() if line.startswith("foveal ")
    ):
        assert foveal(*shlex.split(line)[1:], folder=tmp_path).code in {0, 1}, line


def _steps(data: object) -> list[str]:
    """Every value of a key `run` or `script`, wherever it is."""
    if isinstance(data, list):
        return [step for one in data for step in _steps(one)]
    if not isinstance(data, dict):
        return []
    found = []
    for key, value in data.items():
        if key in {"run", "script", "entry"}:
            found += [value] if isinstance(value, str) else list(value)
        else:
            found += _steps(value)
    return found
