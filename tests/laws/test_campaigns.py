"""Exports of a campaign are complete, and make the same judgements when imported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.assess import Campaign, Event, EventKind, Export, Import, exported, log_bytes, read_log
from foveal.choices import ExportSource
from foveal.errors import DataError
from foveal.files import Source
from foveal.formats import read_assessors, read_qrels, write_assessors, write_qrels
from foveal.rules import graded_by_text
from tests.campaigns import TEXTS, act, plan
from tests.examples import examples

DOCS = ("plain", "odd", "stones")
KINDS = (
    EventKind.MARK, EventKind.MARK, EventKind.MARK, EventKind.DONE, EventKind.DONE, EventKind.UNMARK, EventKind.ENTRY, EventKind.NO_ENTRY, EventKind.UNDONE,
    EventKind.UNDO, EventKind.NOTE, EventKind.OPEN, EventKind.ADD_DOCUMENT,
)  # fmt: skip


@st.composite
def acts(draw: st.DrawFn, people: tuple[str, ...] = ("ann", "bob", "ada")) -> list[Event]:
    """Acts of people, some of which a campaign refuses."""
    made: list[Event] = []
    for _ in range(draw(st.integers(0, 30))):
        kind, who = draw(st.sampled_from(KINDS)), draw(st.sampled_from(people))
        doc = (
            "outside"
            if kind is EventKind.ADD_DOCUMENT
            else draw(st.sampled_from((*DOCS, "outside")))
        )
        length = len(TEXTS[doc])
        if kind in {EventKind.MARK, EventKind.UNMARK}:
            start = draw(st.integers(0, length - 1))
            stop = draw(st.integers(start + 1, min(length, start + 40)))
            event = act(kind, assessor=who, doc=doc, start=start, stop=stop)
        elif kind is EventKind.ENTRY:
            event = act(kind, assessor=who, doc=doc, start=draw(st.integers(0, length)))
        elif kind is EventKind.NOTE:
            event = act(kind, assessor=who, doc=doc, value=draw(st.text(max_size=5)))
        elif kind is EventKind.UNDO:
            own = [one for one in made if one.assessor == who]
            if not own:
                continue
            undone = draw(st.sampled_from(own))
            event = act(kind, assessor=who, doc=undone.doc, undoes=undone.id)
        else:
            event = act(kind, assessor=who, doc=doc)
        made.append(replace(event, at_client=len(made)))
    return made


@contextmanager
def campaigns(number: int) -> Iterator[list[Campaign]]:
    """Campaigns of the same plan."""
    with TemporaryDirectory() as folder:
        made = [Campaign.create(Path(folder, f"{n}.campaign"), plan()) for n in range(number)]
        yield made
        for campaign in made:
            campaign.connection.close()


def bring(campaign: Campaign, other: Campaign) -> int:
    """Import the log of another campaign: how many events are new."""
    if not other.events():
        return 0
    file = campaign.path.with_suffix(".log")
    file.write_bytes(log_bytes(other))
    wanted = Import(campaign)
    with Source.of(file) as source:
        wanted.add_log(read_log(source), "log")
    return wanted.store().new


def all_of(campaign: Campaign) -> dict[str, list[object]]:
    """What can be exported, whoever's it is."""
    found: dict[str, list[object]] = {}
    for whose in (*ExportSource, "ann", "bob", "ada"):
        try:
            found[whose] = [*exported(campaign, whose).rows]
        except DataError:
            found[whose] = []
    return found


@given(acts())
@examples(25)
def test_a_log_makes_the_same_campaign_and_a_second_import_nothing(made: list[Event]) -> None:
    with campaigns(2) as (campaign, other):
        campaign.append(made)
        events = campaign.events()
        assert bring(other, campaign) == len(events)
        assert other.events() == events
        assert all_of(other) == all_of(campaign)
        assert bring(other, campaign) == 0
        assert bring(campaign, other) == 0


@given(acts(("ann", "ada")), acts(("bob",)))
@examples(25)
def test_the_union_of_two_logs_is_the_same_both_ways(one: list[Event], two: list[Event]) -> None:
    with campaigns(2) as (here, there):
        here.append(one)
        there.append(two)
        ids = {event.id for campaign in (here, there) for event in campaign.events()}
        alone = {**all_of(there), **{name: all_of(here)[name] for name in ("ann", "ada")}}
        bring(here, there)
        bring(there, here)
        united = all_of(here)
        assert united == all_of(there)
        assert {event.id for event in here.events()} == ids
        assert all(united[name] == alone[name] for name in ("ann", "bob", "ada"))


def _some(campaign: Campaign, whose: str) -> Export | None:
    try:
        return exported(campaign, whose)
    except DataError:
        return None


@pytest.mark.parametrize("name", ["jsonl", "csv", "tsv", "parquet", "inex"])
@given(acts(), st.sampled_from(["main", "union", "intersection", "adjudicated", "bob"]))
@examples(15)
def test_what_is_exported_is_read_back(name: str, made: list[Event], whose: str) -> None:
    with campaigns(1) as (campaign,):
        campaign.append(made)
        if (found := _some(campaign, whose)) is None:
            return
        file = campaign.path.with_suffix(f".{name}")
        write_qrels(found.qrels, file, name)
        assert read_qrels(file, name).equals(found.qrels)


@given(acts())
@examples(15)
def test_grades_and_names_are_read_back_where_the_format_has_them(made: list[Event]) -> None:
    with campaigns(1) as (campaign,):
        campaign.append(made)
        if (found := _some(campaign, "main")) is None:
            return
        file = campaign.path.with_suffix(".trec")
        write_qrels(graded_by_text(found.qrels, 1), file, "trec")
        grades = read_qrels(file, "trec").documents["grade"].to_list()
        assert grades == [float(bool(row.spans)) for row in found.rows]
        each = exported(campaign, "each").by_assessor
        write_assessors(each, campaign.path.with_suffix(".csv"))
        read = read_assessors(campaign.path.with_suffix(".csv"))
        assert all(read[name].equals(own) for name, own in each.items())
        assert list(read) == list(each)


@given(acts(), st.sampled_from(["main", "union", "bob"]))
@examples(15)
def test_judgements_that_left_enter_again(made: list[Event], whose: str) -> None:
    with campaigns(2) as (campaign, other):
        campaign.append(made)
        if (found := _some(campaign, whose)) is None:
            return
        for _ in range(2):
            wanted = Import(other)
            wanted.add_judgements(found.qrels, "cat", "file")
            wanted.store()
        expected = [replace(row, by=("cat",)) for row in found.rows]
        assert exported(other, "cat").rows == expected
