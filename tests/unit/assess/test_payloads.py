"""What pages are told: one's own documents in one's own order, and to adjudicators the disputes."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from foveal.assess import Campaign, Event, EventKind, Role, progress_of
from foveal.assess.current_judgements import CurrentJudgements
from foveal.assess.payloads import assignment_order, find, overview
from foveal.assess.workload import Workload
from tests.asking import Page
from tests.campaigns import TEXTS, act, stored

DONE = {"done": True, "relevant": True, "added": False}
NEW = {"done": False, "relevant": False, "added": False}


def documents(page: Page, topic: str = "1") -> dict[str, dict[str, object]]:
    (found,) = (told for told in page.get("desk").told["topics"] if told["topic"] == topic)
    return {told.pop("doc"): told for told in found["documents"]}


def test_a_desk_has_what_the_page_shows_first(campaign: Campaign, ann: Page) -> None:
    campaign.set_meta("guide", "# Mark *all* of it")
    told = ann.get("desk").told
    topics = told.pop("topics")
    assert told == {
        "campaign": "test-campaign", "assessor": "ann", "role": "assessor", "active_seconds": 0,
        "number": 0, "settings": {
            "entry": "required", "snap": "word", "show_pool": False, "guide": "# Mark *all* of it",
        },
    }  # fmt: skip
    assert topics == [
        {
            "topic": "1", "title": "fish", "description": "What do fish do?",
            "narrative": "Text about what fish do is relevant.", "locked": False, "keywords": "",
            "aspects": [],
            "documents": [{"doc": doc, **NEW} for doc in ("plain", "odd", "stones")],
        }
    ]  # fmt: skip


def test_a_desk_says_what_is_done_and_relevant(ann: Page, bob: Page) -> None:
    ann.send(act("mark", start=0, stop=4), act("done"), act("mark", doc="odd", start=0, stop=4))
    assert documents(ann) == {
        "plain": DONE, "odd": DONE | {"done": False}, "stones": NEW,
    }  # fmt: skip
    assert set(map(str, documents(bob).values())) == {str(NEW)}
    mark = act("mark", doc="stones", start=0, stop=4)
    ann.send(mark, act("undo", doc="stones", undoes=mark.id), act("unmark", start=0, stop=4))
    assert documents(ann)["stones"] == documents(ann)["plain"] == NEW


def test_second_assessors_have_an_order_of_their_own() -> None:
    docs = [f"doc{place}" for place in range(50)]
    assert assignment_order(docs, "1", 0) == docs
    other = assignment_order(docs, "1", 7)
    assert other != docs
    assert sorted(other) == sorted(docs)
    assert assignment_order(docs[::-1], "1", 7) == other
    assert assignment_order(docs, "2", 7) != other != assignment_order(docs, "1", 8)


def test_the_order_is_the_same_in_every_version() -> None:
    assert assignment_order(["a", "b", "c", "d"], "1", 7) == ["d", "a", "b", "c"]


def test_time_at_work_is_without_the_long_gaps(ann: Page) -> None:
    for seconds in (0, 30, 150, 1_000, 1_120, 1_060):
        ann.send(act("open", at_client=1_600_000_000_000 + seconds * 1_000))
    assert ann.get("desk").told["active_seconds"] == 30 + 120 + 60 + 60


def test_keywords_belong_to_no_document(ann: Page) -> None:
    keyword = act("keyword", doc=None, value="fish", at_client=1_000)
    ann.send(keyword)
    assert documents(ann)["plain"] == NEW
    ann.send(act("keyword", doc=None, value="bird", at_client=3_000))
    told = ann.get("desk").told
    assert (told["number"], told["active_seconds"]) == (2, 2)
    assert [topic["keywords"] for topic in told["topics"]] == ["bird"]


def finish(page: Page, doc: str, *spans: tuple[int, int], topic: str = "1") -> None:
    marks = [
        act("mark", doc=doc, topic=topic, start=start, stop=stop, assessor=page.name)
        for start, stop in spans
    ]
    assert page.send(*marks, act("done", doc=doc, topic=topic)).status == 200


def test_adjudicators_get_what_assessors_finished_with_different_text(
    ann: Page, bob: Page, ada: Page
) -> None:
    assert ada.get("desk").told["topics"] == []
    finish(ann, "plain", (0, 4))
    finish(bob, "plain", (0, 4), (5, 9))
    finish(ann, "odd", (0, 3))
    finish(bob, "odd", (0, 3))
    finish(ann, "stones", (0, 3))
    bob.send(act("mark", doc="stones", start=0, stop=5))
    finish(bob, "plain", topic="2")
    told = ada.get("desk").told
    assert told["role"] == "adjudicator"
    assert [topic["topic"] for topic in told["topics"]] == ["1"]
    disputed = {"disputed": True, "assessors": ["ann", "bob"]}
    assert documents(ada) == {"plain": NEW | disputed}
    assert ada.get("document", topic="1", doc="plain").told["layers"] == [
        {"assessor": "ann", "spans": [[0, 4]], "entry": None},
        {"assessor": "bob", "spans": [[0, 4], [5, 9]], "entry": None},
    ]


def test_what_is_adjudicated_stays_when_assessors_agree_later(
    ann: Page, bob: Page, ada: Page
) -> None:
    finish(ann, "plain", (0, 4))
    finish(bob, "plain", (0, 9))
    finish(ada, "plain", (0, 4))
    bob.send(act("unmark", start=4, stop=9), act("done"))
    told = {"disputed": False, "assessors": ["ann", "bob"]}
    assert documents(ada) == {"plain": DONE | told}
    # Behind what is disputed still, whatever its name.
    finish(ann, "stones", (0, 3))
    finish(bob, "stones", (0, 5))
    assert list(documents(ada)) == ["stones", "plain"]


def test_what_was_only_looked_at_goes_when_assessors_agree(ann: Page, bob: Page, ada: Page) -> None:
    finish(ann, "plain", (0, 4))
    finish(bob, "plain", (0, 9))
    ada.send(act("open"))
    assert list(documents(ada)) == ["plain"]
    bob.send(act("unmark", start=4, stop=9), act("done"))
    assert ada.get("desk").told["topics"] == []


def test_an_entry_point_alone_is_no_dispute(ann: Page, bob: Page, ada: Page) -> None:
    for page, entry in ((ann, 0), (bob, 2)):
        page.send(act("mark", start=0, stop=4), act("entry", start=entry), act("done"))
    assert ada.get("desk").told["topics"] == []
    layers = ada.get("document", topic="1", doc="plain").told["layers"]
    assert [layer["entry"] for layer in layers] == [0, 2]


def test_assessors_do_not_see_each_other(ann: Page, bob: Page) -> None:
    finish(ann, "plain", (0, 4))
    told = bob.get("document", topic="1", doc="plain").told
    assert (told["events"], told["layers"]) == ([], [])


def test_adjudicators_judge_what_assessors_have_added(ann: Page, bob: Page, ada: Page) -> None:
    assert ada.send(act("open", doc="outside")).status == 403
    for page, stop in ((ann, 4), (bob, 5)):
        page.send(act("add-document", doc="outside"))
        finish(page, "outside", (0, stop))
    assert list(documents(ada)) == ["outside"]
    assert ada.get("find", topic="1", text="outside").told == {"documents": []}
    finish(ada, "outside", (0, 4))
    assert ada.get("document", topic="2", doc="outside").status == 403


def test_at_most_twenty_documents_are_found(campaign: Campaign) -> None:
    more = [stored(f"More-{place:02d}", "word " * 100) for place in range(30)]
    campaign.connection.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?)", more)
    found = find(campaign, campaign.people[0], "1", "mORE-")["documents"]
    assert [told["doc"] for told in found] == [f"More-{place:02d}" for place in range(20)]
    assert {len(told["opening"]) for told in found} == {120}
    assert find(campaign, campaign.people[0], "1", "plain") == {"documents": []}
    assert find(campaign, campaign.people[0], "1", "%") == {"documents": []}


@pytest.mark.parametrize("seed", range(5))
def test_the_standing_that_is_kept_is_that_of_the_whole_log(campaign: Campaign, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311  # no secret
    kept = CurrentJudgements(campaign)
    made: list[Event] = []
    for _ in range(40):
        event = _any_act(rng, made)
        made.append(event)
        campaign.append([event])
        if rng.random() < 0.3:
            name = rng.choice(["ann", "bob"])
            fresh = CurrentJudgements(campaign)
            assert kept.of(name) == fresh.of(name)
            assert sorted(kept.times(name)) == sorted(fresh.times(name))
            assert sorted(kept.times(name, "1")) == sorted(kept.times(name))
            for (topic, doc), judgement in kept.of(name).items():
                assert judgement == campaign.judgement(name, topic, doc)
    assert kept.finished() == CurrentJudgements(campaign).finished()
    people = progress_of(campaign, idle_seconds=120).people
    finished = Counter(name for row in Workload.of(kept).assessed.values() for name in row)
    for person, done in zip(campaign.people, people["done"], strict=True):
        told = [row for topic in overview(kept, person)["topics"] for row in topic["documents"]]
        assert sum(row["done"] for row in told) == done == finished[person.name]


def _any_act(rng: random.Random, made: list[Event]) -> Event:
    name, doc = rng.choice(["ann", "bob"]), rng.choice(["plain", "stones"])
    kind = rng.choice(
        [EventKind.MARK, EventKind.UNMARK, EventKind.DONE, EventKind.UNDO, EventKind.KEYWORD]
    )
    own = [event for event in made if (event.assessor, event.doc) == (name, doc)]
    if kind is EventKind.KEYWORD:
        return act(kind, assessor=name, doc=None, value="fish", at_client=rng.randrange(10**6))
    if kind is EventKind.UNDO and own:
        return act(kind, assessor=name, doc=doc, undoes=rng.choice(own).id)
    if kind in {EventKind.DONE, EventKind.UNDO}:
        return act(EventKind.DONE, assessor=name, doc=doc)
    start = rng.randrange(len(TEXTS[doc]) - 5)
    return act(kind, assessor=name, doc=doc, start=start, stop=start + 5)


def test_people_who_come_later_are_known_at_once(campaign: Campaign, ann: Page) -> None:
    assert ann.get("desk").status == 200
    eve = campaign.add_person("eve", Role.ASSESSOR)
    page = Page(ann.server, "eve")
    assert page.number == eve.number
    assert page.get("desk").told["topics"] == []
