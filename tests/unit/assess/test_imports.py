"""Logs and judgements into a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.assess import (
    Campaign,
    Event,
    Import,
    Role,
    exported,
    is_log,
    log_bytes,
    progress_of,
    read_log,
    set_locked,
)
from foveal.assess.current_judgements import CurrentJudgements
from foveal.assess.events import now
from foveal.assess.imports import Imported
from foveal.assess.payloads import overview
from foveal.errors import BadInput, DataError, MissingFile, UsageError
from foveal.files import Source
from foveal.tables import Qrels
from tests.campaigns import TEXTS, act, campaign_at, plan
from tests.unit.assess.test_exports import did, judged, rows


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    with campaign_at(tmp_path) as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Campaign]:
    """A campaign of the same plan on another machine."""
    with Campaign.create(tmp_path / "other.campaign", plan()) as opened:
        yield opened


def imported(campaign: Campaign, data: bytes, folder: Path) -> Imported:
    (folder / "x.log").write_bytes(data)
    with Source.of(folder / "x.log") as source:
        assert is_log(source.head())
        wanted = Import(campaign)
        wanted.add_log(read_log(source), source.name)
        return wanted.store()


def facts(campaign: Campaign) -> list[dict[str, Any]]:
    return [event.row() for event in campaign.events()]


def log_of(*events: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(event)}\n" for event in events).encode()


def test_a_log_makes_the_same_campaign_again(
    campaign: Campaign, other: Campaign, tmp_path: Path
) -> None:
    # A line that is longer than what is looked at to recognise a file.
    did(campaign, act("note", value="\x00" * 10_000))
    did(campaign, *judged("plain", (0, 10), entry=3), act("undone"))
    did(campaign, first := act("mark", start=20, stop=30), act("undo", undoes=first.id))
    did(campaign, act("note", value="<b>\x00\n"), act("keyword", value="fish", doc=None))
    set_locked(campaign, ["1"], locked=True)
    did(campaign, act("open"))
    done = imported(other, log_bytes(campaign), tmp_path)
    assert (done.new, done.duplicates, done.newcomers) == (len(facts(campaign)), 0, {})
    assert facts(other) == facts(campaign)
    assert other.locked_topics() == {"1"}
    again = imported(other, log_bytes(campaign), tmp_path)
    assert (again.new, again.duplicates) == (0, len(facts(campaign)))
    assert facts(other) == facts(campaign)


def test_two_machines_come_to_the_same_judgements(
    campaign: Campaign, other: Campaign, tmp_path: Path
) -> None:
    did(campaign, *judged("plain", (0, 10)), *judged("stones"))
    did(
        other,
        *judged("plain", (5, 20), assessor="bob"),
        *judged("plain", topic="2", assessor="bob"),
    )
    here, there = log_bytes(campaign), log_bytes(other)
    assert imported(campaign, there, tmp_path).new == 3
    assert imported(other, here, tmp_path).new == 3
    assert rows(campaign, "each") == rows(other, "each")
    assert {event.id for event in campaign.events()} == {event.id for event in other.events()}


def test_a_locked_topic_takes_what_was_done_elsewhere(
    campaign: Campaign, other: Campaign, tmp_path: Path
) -> None:
    did(campaign, *judged("plain", (0, 10)))
    did(campaign, act("add-document", doc="outside"), act("open", topic="2", assessor="bob"))
    set_locked(other, [], locked=True)
    done = imported(other, log_bytes(campaign), tmp_path)
    assert done.new == 4
    assert rows(other, "main") == rows(campaign, "main")
    assert done.notes == ("1 locked topic changed: 1; 1 document outside the pool: outside",)
    # What was there already changes nothing.
    assert imported(other, log_bytes(campaign), tmp_path).notes == ()


def test_the_same_document_may_be_added_here_and_there(
    campaign: Campaign, other: Campaign, tmp_path: Path
) -> None:
    for own in (campaign, other):
        did(own, act("add-document", doc="outside"))
    did(campaign, *judged("outside", (0, 3)))
    assert imported(other, log_bytes(campaign), tmp_path).new == 3
    assert rows(other, "ann") == rows(campaign, "ann")
    # Added twice, it is one document to be judged all the same.
    told = overview(CurrentJudgements(other), other.people[0])["topics"][0]["documents"]
    assert [row["doc"] for row in told] == ["plain", "odd", "stones", "outside"]
    people = progress_of(other, idle_seconds=120).people
    assert people.select("documents", "done").row(0) == (4, 1)


def test_what_was_added_elsewhere_and_is_pooled_here_stays_one_document(campaign: Campaign) -> None:
    elsewhere = act("add-document", doc="odd")
    assert campaign.store_imported({}, [], [elsewhere]) == (1, {})
    told = overview(CurrentJudgements(campaign), campaign.people[0])["topics"][0]["documents"]
    assert [(row["doc"], row["added"]) for row in told] == [
        ("plain", False), ("odd", False), ("stones", False),
    ]  # fmt: skip


def test_a_name_with_other_code_points_is_not_another_person(
    campaign: Campaign, tmp_path: Path
) -> None:
    first, second = (
        log_of({**act("open").row(), "assessor": name}) for name in ("Jos\u00e9", "Jose\u0301")
    )
    assert imported(campaign, first, tmp_path).new == 1
    with pytest.raises(UsageError, match="named twice"):
        imported(campaign, second, tmp_path)


def test_whoever_is_missing_joins_with_their_role_and_topics(
    campaign: Campaign, other: Campaign, tmp_path: Path
) -> None:
    campaign.add_person("cat", Role.ASSESSOR)
    campaign.add_person("judge", Role.ADJUDICATOR)
    campaign.assign([campaign.assignments[0]._replace(assessor="cat", main=0)])
    did(campaign, *judged("plain", (0, 4), assessor="cat"))
    did(campaign, *judged("plain", (1, 3), assessor="judge"))
    done = imported(other, log_bytes(campaign), tmp_path)
    assert done.newcomers == {"cat": Role.ASSESSOR, "judge": Role.ADJUDICATOR}
    joined = {person.name: person.role for person in other.people}
    assert joined == {person.name: person.role for person in campaign.people}
    own = [row for row in other.assignments if row.assessor in done.newcomers]
    assert [(row.topic, row.assessor, row.main) for row in own] == [("1", "cat", 0)]
    assert own[0].order_seed != 0


def test_an_id_with_other_content_imports_nothing_and_names_the_line(
    campaign: Campaign, other: Campaign, tmp_path: Path
) -> None:
    did(campaign, act("open"), *judged("plain", (0, 10)))
    imported(other, log_bytes(campaign), tmp_path)
    lines = [json.loads(line) for line in log_bytes(campaign).splitlines()]
    new = {**lines[0], "id": "quite-new-event"}
    changed = {**lines[2], "kind": "undone"}
    before = facts(other)
    with pytest.raises(BadInput) as caught:
        imported(other, log_of(new, lines[1], changed), tmp_path)
    assert "nothing is imported" in str(caught.value)
    assert f"x.log:3: another event has the id {lines[2]['id']}" in str(caught.value)
    assert facts(other) == before


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"doc": "nowhere"}, "there is no document 'nowhere'"),
        ({"doc": "outside"}, "document 'outside' is not one of topic '1'"),
        ({"topic": "9"}, "the campaign has no topic '9'"),
        ({"stop": 79}, "mark ends at 79, but the document has 78 characters"),
        ({"quote_sha256": "0" * 64}, "the text from start to stop is not what was quoted"),
        ({"stop": -1}, "stop must be a whole number from 0, got -1"),
        ({"stop": 10**30}, "stop must be a whole number from 0, got a number that is too large"),
        ({"start": 10}, "mark: start must be before stop"),
        ({"kind": "marked"}, "an event needs an id, a topic and a known kind, such as mark"),
        ({"kind": ["mark"]}, "an event needs an id, a topic and a known kind, such as mark"),
        ({"id": "short"}, "an id must be 8 to 64 letters, digits, - or _"),
        ({"colour": "red"}, "a log has no key 'colour'"),
        ({"assessor": 7}, "assessor must be a text, got 7"),
        ({"assessor": ""}, "mark by nobody: only the organiser has no name"),
        ({"kind": "lock", "start": None, "stop": None, "quote_sha256": None, "doc": None},
         "lock by ann: only the organiser has no name"),
        ({"kind": "lock", "start": None, "stop": None, "quote_sha256": None, "assessor": ""},
         "lock: doc is for acts of assessors alone"),
        ({"role": "adjudicator"}, "ann is an assessor here, not an adjudicator"),
        ({"at_server": -5}, "at_server must be a whole number from 0, got -5"),
        ({"at_server": None}, "at_server must be a whole number from 0, got None"),
        ({"at_server": True}, "at_server must be a whole number from 0, got True"),
        ({"role": "boss"}, "role must be assessor or adjudicator, got 'boss'"),
        ({"role": []}, "role must be assessor or adjudicator, got a list"),
        ({"value": "\ud800"}, "value has half of a surrogate pair"),
    ],
)  # fmt: skip
def test_a_line_that_does_not_fit_is_named(
    campaign: Campaign, other: Campaign, tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    did(campaign, act("mark", start=0, stop=10))
    (line,) = (json.loads(line) for line in log_bytes(campaign).splitlines())
    fine = {**line, "id": "another-event"}
    with pytest.raises(BadInput) as caught:
        imported(other, log_of(fine, {**line, **changed}), tmp_path)
    assert f"x.log:2: {reason}" in str(caught.value)
    assert not facts(other)


@pytest.mark.parametrize("line", ["[" * 100_000, "{", "7", '{"id": NaN}', "\x00"])
def test_lines_that_are_no_events_are_named(other: Campaign, tmp_path: Path, line: str) -> None:
    first = log_of({**act("open").row(), "role": None}).decode()
    with pytest.raises(BadInput, match=r"x\.log:2: "):
        imported(other, f"{first}{line}\n".encode(), tmp_path)
    assert not facts(other)


@pytest.mark.parametrize("name", ["union", "\x1b[31mred", " ann", "x" * 101])
def test_a_name_that_nobody_can_have_is_refused(other: Campaign, tmp_path: Path, name: str) -> None:
    event = {**act("open").row(), "assessor": name, "role": "assessor"}
    with pytest.raises(UsageError, match="assessor"):
        imported(other, log_of(event), tmp_path)
    assert not facts(other)
    assert len(other.people) == 3


def test_an_undo_needs_what_it_undoes(campaign: Campaign, other: Campaign, tmp_path: Path) -> None:
    did(campaign, first := act("mark", start=0, stop=10), act("undo", undoes=first.id))
    lines = [json.loads(line) for line in log_bytes(campaign).splitlines()]
    with pytest.raises(BadInput, match="undo names no event of yours on this document"):
        imported(other, log_of(lines[1], lines[0]), tmp_path)
    assert not facts(other)


def test_whoever_joins_while_a_log_is_written_has_a_role(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Campaign.events

    def joined(own: Campaign) -> list[Event]:
        with Campaign.open(own.path) as organisers:
            organisers.add_person("judge", Role.ADJUDICATOR)
            organisers.append([act("done", assessor="judge")])
        return read(own)

    monkeypatch.setattr(Campaign, "events", joined)
    (line,) = map(json.loads, log_bytes(campaign).splitlines())
    assert (line["assessor"], line["role"]) == ("judge", "adjudicator")


def test_an_empty_log_is_not_written(campaign: Campaign) -> None:
    with pytest.raises(DataError, match="nobody has done anything yet, so the log is empty"):
        log_bytes(campaign)


def qrels(*documents: dict[str, Any]) -> Qrels:
    return Qrels.from_dicts([{"topic": "1", "highlights": [], **one} for one in documents])


def brought(campaign: Campaign, judgements: Qrels, name: str = "cat") -> Imported:
    wanted = Import(campaign)
    wanted.add_judgements(judgements, name, "x.qrels")
    return wanted.store()


JUDGED = (
    {"doc": "plain", "length": 78, "entry": 12, "highlights": [[0, 10], [12, 20]]},
    {"doc": "stones", "length": 45, "entry": 3},
    {"doc": "outside", "highlights": [[0, 63]]},
    {"doc": "odd", "topic": "2", "highlights": [[1, 5], [5, 8], [9, 9]]},
)


def test_judgements_become_what_a_new_assessor_did(campaign: Campaign) -> None:
    done = brought(campaign, qrels(*JUDGED))
    assert done.newcomers == {"cat": Role.ASSESSOR}
    assert done.notes == (
        "x.qrels: 2 relevant documents without an entry point, which the campaign requires",
        "2 documents outside the pool: outside, odd",
    )
    assert rows(campaign, "cat") == [
        ("1", "plain", ((0, 10), (12, 20)), 12, ("cat",)),
        ("1", "stones", (), None, ("cat",)),
        ("1", "outside", ((0, 63),), None, ("cat",)),
        ("2", "odd", ((1, 8),), None, ("cat",)),
    ]
    own = [row for row in campaign.assignments if row.assessor == "cat"]
    assert [(row.topic, row.main) for row in own] == [("1", 0), ("2", 0)]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("anna", "ann"),
        ("Ann", "ann"),
        ("ann1", "ann"),
        ("annn", "ann"),
        ("bo", "bob"),
        ("bbo", "bob"),
        ("obb", "bob"),
        ("amn", "ann"),
        ("an", "ann"),
        ("vann", "ann"),
        ("aad", "ada"),
    ],
)
def test_a_new_name_that_resembles_another_is_noted(
    campaign: Campaign, name: str, meant: str
) -> None:
    done = brought(campaign, qrels(JUDGED[1]), name)
    assert done.notes == (
        f"adds an assessor, {name!r}, who was not in the campaign; did you mean {meant!r}?",
    )
    assert brought(campaign, qrels(JUDGED[1]), name).notes == ()


def test_names_that_only_a_number_tells_apart_are_no_mistakes(campaign: Campaign) -> None:
    for name in ("judge1", "judge2", "judge10", "1a", "2a", "b", "c", "cat", "eve"):
        assert brought(campaign, qrels(JUDGED[1]), name).notes == ()


def test_importing_the_same_again_changes_nothing(campaign: Campaign) -> None:
    first = brought(campaign, qrels(*JUDGED))
    before = facts(campaign)
    again = brought(campaign, qrels(*reversed(JUDGED)))
    assert (again.new, again.duplicates, again.newcomers) == (0, first.new, {})
    assert facts(campaign) == before
    # More judgements of the same person are added to those that are there.
    more = brought(campaign, qrels(*JUDGED, {"doc": "odd", "highlights": [[0, 2]]}))
    assert (more.new, more.duplicates) == (2, first.new)


def test_what_somebody_did_here_is_not_mixed_with_judgements(campaign: Campaign) -> None:
    did(campaign, act("mark", start=0, stop=10), act("open", doc="stones"))
    before = facts(campaign)
    expected = (
        r"x.qrels: ann has judged 1 of these documents already, with another result \(plain\)"
    )
    with pytest.raises(DataError, match=expected):
        brought(campaign, qrels(*JUDGED), "ann")
    assert facts(campaign) == before
    assert brought(campaign, qrels(JUDGED[1]), "ann").new == 1


def test_imported_judgements_take_no_time_and_set_no_pace(campaign: Campaign) -> None:
    start = now() - 40_000
    for at in (0, 32_000):
        did(campaign, act("open", doc="odd", at_client=start + at))
    did(campaign, act("done", doc="odd", at_client=start + 32_000))
    kept = CurrentJudgements(campaign)
    before = progress_of(campaign, idle_seconds=120).people.row(0, named=True)
    assert (before["done"], before["left"], before["seconds_left"]) == (1, 2, 64)
    assert len(kept.times("ann")) == 3
    brought(campaign, qrels(JUDGED[0]), "ann")
    people = progress_of(campaign, idle_seconds=120).people
    after = people.row(0, named=True)
    assert (after["done"], after["left"], after["seconds"], after["seconds_left"]) == (2, 1, 32, 32)
    # Bob, who has done nothing yet, is taken to be as fast.
    assert people["seconds_left"][1] == 4 * 32
    assert len(kept.times("ann")) == 3
    assert kept.imported("ann") == CurrentJudgements(campaign).imported("ann") == {("1", "plain")}


def test_an_imported_document_finished_again_in_the_browser_sets_the_pace(
    campaign: Campaign,
) -> None:
    brought(campaign, qrels(JUDGED[0]), "ann")
    for at, kind in ((1_000, "undone"), (9_000, "done")):
        did(campaign, act(kind, at_client=at))
    assert progress_of(campaign, idle_seconds=120).people["seconds_left"][0] == 2 * 8


def test_two_files_that_differ_are_refused_together(campaign: Campaign) -> None:
    wanted = Import(campaign)
    wanted.add_judgements(qrels(JUDGED[0]), "cat", "x.qrels")
    with pytest.raises(DataError, match=r"y.qrels: cat has judged 1 of these documents already"):
        wanted.add_judgements(qrels({**JUDGED[0], "entry": 13}), "cat", "y.qrels")
    assert not facts(campaign)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"doc": "none"}, "x.qrels: 1 document that the campaign does not have: none"),
        ({"doc": "plain", "topic": "9"}, "x.qrels: 1 topic that the campaign does not have: 9"),
        (
            {"doc": "plain", "length": 80},
            "x.qrels: 1 document with another length in the campaign:",
        ),
        (
            {"doc": "plain", "highlights": [[0, 79]]},
            "1 document judged beyond the end of the text:",
        ),
        (
            {"doc": "plain", "highlights": [[0, 3]], "entry": 79},
            "judged beyond the end of the text",
        ),
        ({"doc": "plain", "grade": 1}, "1 document relevant without highlights: plain; a campaign"),
    ],
)
def test_judgements_that_do_not_fit_are_refused(
    campaign: Campaign, document: dict[str, Any], reason: str
) -> None:
    with pytest.raises(DataError) as caught:
        brought(campaign, qrels(*JUDGED[1:], document))
    assert reason in str(caught.value)
    assert not facts(campaign)
    assert len(campaign.people) == 3


def test_all_that_the_campaign_lacks_is_counted_at_once(campaign: Campaign) -> None:
    with pytest.raises(DataError) as caught:
        brought(campaign, qrels(*({"doc": f"d{n}", "topic": "8"} for n in range(7))))
    assert str(caught.value).splitlines() == [
        "x.qrels: 1 topic that the campaign does not have: 8",
        "x.qrels: 7 documents that the campaign does not have: d0, d1, d2, d3, d4 and 2 more",
    ]


def test_judgements_without_relevant_text_are_fine(campaign: Campaign) -> None:
    graded = Qrels.from_dict({"1": {"plain": 0, "stones": -1}})
    assert brought(campaign, graded, "ann").new == 2
    assert [row[2] for row in rows(campaign, "ann")] == [(), ()]


def test_what_leaves_a_campaign_enters_another(campaign: Campaign, other: Campaign) -> None:
    did(campaign, *judged("odd", (0, len(TEXTS["odd"])), entry=4), *judged("stones"))
    brought(other, exported(campaign).qrels, "ann")
    assert rows(other, "ann") == rows(campaign, "ann")


def test_a_campaign_that_cannot_be_written_says_so(campaign: Campaign) -> None:
    campaign.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(MissingFile, match="cannot be opened or written"):
        brought(campaign, qrels(*JUDGED))
