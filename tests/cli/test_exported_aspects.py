"""foveal assess export of judgements with aspects: where they go, and what says that they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foveal.assess import Campaign
from foveal.formats import read_qrels
from tests.campaigns import act, campaign_at
from tests.cli.calling import foveal
from tests.unit.assess.test_exports import did

CAMPAIGN = "small.campaign"
EXPORT = ("assess", "export", CAMPAIGN, "-o")


@pytest.fixture
def aspects(tmp_path: Path) -> Path:
    """Ann named three aspects in `plain`, and none in `stones`."""
    with campaign_at(tmp_path) as campaign:
        did(
            campaign,
            act("mark", start=0, stop=10, value="swim"), act("mark", start=0, stop=4, value="b|c"),
            act("mark", start=11, stop=31, value="swim"), act("done"), act("done", doc="stones"),
        )  # fmt: skip
    return tmp_path


def test_aspects_are_written_where_a_format_holds_them(aspects: Path) -> None:
    answer = foveal(*EXPORT, "x.jsonl", folder=aspects)
    assert (answer.code, "aspect" in answer.err) == (0, False)
    first = json.loads((aspects / "x.jsonl").read_text().splitlines()[0])
    assert first["highlights"] == [
        {"start": 0, "end": 10, "aspects": ["swim"]},
        {"start": 11, "end": 31, "aspects": ["swim"]},
        {"start": 0, "end": 4, "aspects": ["b|c"]},
    ]
    answer = foveal(*EXPORT, "x.subtopics", folder=aspects)
    assert (aspects / "x.subtopics").read_text() == "1 swim plain 1\n1 b|c plain 1\n"
    assert (
        "note: trec-subtopics holds only documents by aspect: 1 for each aspect of a document; 1"
        " document without aspects left out\n"
    ) in answer.err


def test_passages_with_aspects_are_written_as_genomics_has_them(aspects: Path) -> None:
    refusal = foveal(*EXPORT, "x.gold", "--to", "trecgen", folder=aspects)
    assert (refusal.code, "'b|c' would be read back as another name" in refusal.err) == (65, True)
    with Campaign.open(aspects / CAMPAIGN) as campaign:
        did(campaign, act("unmark", start=0, stop=4, value="b|c"), act("done"))
    answer = foveal(*EXPORT, "x.gold", "--to", "trecgen", folder=aspects)
    expected = "1\tplain\t0\t10\tswim\n1\tplain\t11\t20\tswim\n"
    assert (aspects / "x.gold").read_text() == expected
    assert "entry points and 1 document without highlights left out\n" in answer.err


@pytest.mark.parametrize(
    ("file", "more"),
    [("x.qrels", ()), ("x.csv", ()), ("x.trec", ()), ("y.csv", ("--from", "each"))],
)
def test_aspects_that_a_format_cannot_hold_are_left_out_with_a_note(
    aspects: Path, file: str, more: tuple[str, ...]
) -> None:
    answer = foveal(*EXPORT, file, *more, folder=aspects)
    assert answer.code == 0
    assert "note: 2 aspects left out: " in answer.err
    assert " cannot hold aspects, jsonl can\n" in answer.err
    assert read_qrels(aspects / file).judgements.aspects is None


def test_without_aspects_a_format_of_them_is_refused(tmp_path: Path) -> None:
    with campaign_at(tmp_path) as campaign:
        did(campaign, act("mark", start=0, stop=10), act("done"))
    answer = foveal(*EXPORT, "x.subtopics", folder=tmp_path)
    assert answer.code == 65
    assert "trec-subtopics needs aspects, and these judgements name none: use jsonl" in answer.err
    assert not (tmp_path / "x.subtopics").exists()
