"""What is packed and installed, and what the package says about itself.

`make release` tries the package itself, in a fresh environment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.shared import ROOT, needs_compiled
from tools.bibliography import Paper
from tools.sources import SOURCES

PARTS = ("src", "setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILT = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")
C_FILES = (".c", ".h")
# Tracked, but for the repository alone.
NOT_PACKED = (".ci/", ".github/", ".gitignore")
# Written by the build.
GENERATED = ("PKG-INFO", "setup.cfg", "src/foveal.egg-info/")
GIT = shutil.which("git")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return _copied(tmp_path / "project")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The project, and the wheel that is made of it without a compiler."""
    project = _copied(tmp_path_factory.mktemp("plain") / "project")
    nothing = project / "nothing"
    nothing.mkdir()
    return project, _built(project, "wheel", PATH=str(nothing), CC="no-compiler-here")


def _copied(folder: Path) -> Path:
    """A copy of what the package is built from, without anything built."""
    folder.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=BUILT)
        else:
            shutil.copy(ROOT / part, folder / part)
    return folder


def _built(project: Path, what: str, **environment: str) -> Path:
    """The wheel or sdist made by the build backend, as pip calls it."""
    subprocess.run(
        [sys.executable, "-c", f"from setuptools import build_meta as b; b.build_{what}('dist')"],
        cwd=project,
        env=os.environ | environment,
        check=True,
        capture_output=True,
    )
    (made,) = (project / "dist").iterdir()
    return made


def _sources(project: Path) -> set[str]:
    folder = project / "src"
    return {
        str(path.relative_to(folder)) for path in (folder / "foveal").rglob("*") if path.is_file()
    }


def _installed(project: Path) -> set[str]:
    return {name for name in _sources(project) if Path(name).suffix not in C_FILES}


def _contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def test_the_version_is_the_same_everywhere() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(.+)\] - (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)
    assert newest is not None
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {newest[1]}\ndate-released: {newest[2]}\n" in cited
    assert PROJECT["version"] == newest[1]
    assert version("foveal") == newest[1]


def test_the_entry_of_the_readme_is_that_of_the_citation_file() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(
        re.findall(r"^(?:  - )?(title|name|version|date-released): (.+)$", cited, re.MULTILINE)
    )
    (entry,) = re.findall(
        r"```bibtex\n(.+?)\n```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert entry == "\n".join(
        [
            "@misc{foveal,",
            f"  author = {{{{{fields['name']}}}}},",
            f"  title  = {{{{{fields['title']}}}}},",
            f"  note   = {{Version {fields['version']}}},",
            f"  year   = {{{fields['date-released'][:4]}}},",
            "}",
        ]
    )


def test_papers_are_cited_alike_everywhere() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8").partition("references:\n")[2]
    works = {
        re.sub(r'^"|"$', "", re.search(r"title: (.+)", own)[1]): own  # type: ignore[index]  # each has one
        for own in cited.split("  - type: ")[1:]
    }
    for key in ("Pehcevski & Thom 2007", "INEX 2007"):
        source = SOURCES[key]
        assert isinstance(source, Paper)
        own = works[source.title]
        given = re.findall(
            r"      - family-names: (.+)\n        given-names: (.+)", own.partition("editors:")[0]
        )
        assert ", ".join(f"{first} {last}" for last, first in given) == source.authors
        facts = dict(re.findall(r"^    (year|start|end|doi|url|volume): (.+)$", own, re.MULTILINE))
        assert facts["year"] == str(source.year)
        assert "-".join(facts[end] for end in ("start", "end") if end in facts) == source.pages
        assert (facts.get("doi", ""), facts.get("url", "")) == (source.doi, source.url)
        assert facts.get("volume") == (str(source.lncs) if source.lncs else None)


def test_the_extra_all_is_every_other_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    others = ",".join(sorted(extras.keys() - {"all"}))
    assert extras["all"] == [f"foveal[{others}]"]


def test_extras_are_named_as_any_shell_installs_them() -> None:
    named, bare = set(), []
    for path in (ROOT / "src" / "foveal").rglob("*.py"):
        text = path.read_text()
        named |= set(re.findall(r'pip install "foveal\[(\w+)\]"', text))
        bare += [path.name for _ in re.finditer(r"\(extra[\s\"]*`|pip install '", text)]
    assert named <= PROJECT["optional-dependencies"].keys()
    assert {"cluster", "figures", "report", "tokens"} <= named
    assert not bare


def test_every_dependency_has_a_lowest_version() -> None:
    extras = PROJECT["optional-dependencies"]
    named = [
        *PROJECT["dependencies"],
        *(one for name in extras if name != "all" for one in extras[name]),
    ]
    assert [one for one in named if ">=" not in one] == []


@pytest.mark.slow
@needs_compiled()
def test_a_wheel_holds_every_file_and_the_scanner_for_all_pythons(project: Path) -> None:
    expected = _installed(project)
    wheel = _built(project, "wheel")
    assert "-cp311-abi3-" in wheel.name
    assert _contents(wheel) == expected | {"foveal/compiled/_compiled.abi3.so"}


@pytest.mark.slow
def test_a_wheel_made_without_a_compiler_lacks_only_the_scanner(plain: tuple[Path, Path]) -> None:
    project, wheel = plain
    assert _contents(wheel) == _installed(project)
    assert {"foveal/py.typed", "foveal/cli/names.json"} <= _contents(wheel)


@pytest.mark.slow
def test_an_index_can_show_the_readme(plain: tuple[Path, Path]) -> None:
    told = _metadata(plain[1])
    shown = told.get_payload()
    assert isinstance(shown, str)
    assert shown.lstrip().startswith("# foveal")
    assert told["Description-Content-Type"] == "text/markdown"
    assert re.findall(r"\]\((?!https?:|#).*?\)|<img|<picture|<source", shown) == []


@pytest.mark.slow
@pytest.mark.skipif(
    not (GIT and (ROOT / ".git").exists()), reason="no repository that lists the files"
)
def test_an_sdist_holds_every_file_of_the_repository(tmp_path: Path) -> None:
    git = [GIT or "", "ls-files"]
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    for name in tracked:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    with tarfile.open(_built(tmp_path, "sdist")) as archive:
        names = {one.name.partition("/")[2] for one in archive.getmembers() if one.isfile()}
    packed = {name for name in names if not name.startswith(GENERATED)}
    assert packed == {name for name in tracked if not name.startswith(NOT_PACKED)}
