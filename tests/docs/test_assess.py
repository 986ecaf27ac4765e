"""The page about judging in the browser names all that the program has, and its pictures are small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.reference import ACT, commands

from foveal.assess import EventKind
from foveal.choices import ExportSource

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "assess.md").read_text(encoding="utf-8")
SHOWN = re.findall(r'(?:src|srcset)="([^"]+)"', PAGE)
LARGEST_PICTURE = 200_000


def _first_cells(header: str) -> list[str]:
    """What is typed as code in the first column of the table with this header."""
    (rows,) = re.findall(
        rf"^\| {re.escape(header)} \|.*\n\|---.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE
    )
    return [
        name for row in rows.splitlines() for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    ]


def test_every_kind_of_event_is_listed_once() -> None:
    assert sorted(_first_cells("events")) == sorted(EventKind)


def test_every_choice_of_judgements_is_listed_before_a_name() -> None:
    assert _first_cells("`--from`") == [*ExportSource, "ann"]


@pytest.mark.parametrize(
    "name", [name for name, _ in commands() if name.startswith("foveal assess ")]
)
def test_every_command_of_a_campaign_is_on_the_page(name: str) -> None:
    assert re.search(rf"{name}\b|`{name.removeprefix('foveal assess ')}`", PAGE)


@pytest.mark.parametrize("file", ["acts.js", "adjudication.js"])
def test_keys_of_the_page_are_found_in_its_files(file: str) -> None:
    source = (ROOT / "src" / "foveal" / "assess" / "page" / file).read_text(encoding="utf-8")
    found = ACT.findall(source)
    listed = "\n".join(line for line in source.splitlines() if re.match(r'\s+\["', line))
    assert len(found) == len(listed.splitlines()) > 0


def test_pictures_come_in_light_and_dark_and_are_small() -> None:
    assert len(SHOWN) == 6
    assert {name.replace("-dark", "-light") for name in SHOWN} == {
        name for name in SHOWN if "-light" in name
    }
    for picture in SHOWN:
        data = (ROOT / "docs" / picture).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert len(data) < LARGEST_PICTURE
