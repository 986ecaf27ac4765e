"""Agreement of a campaign's assessors against loops over characters."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given

from foveal.assess import (
    Assignment,
    Campaign,
    CampaignContents,
    Event,
    EventKind,
    Person,
    PoolEntry,
    Role,
    StoredTopic,
    digest,
    judgements,
)
from foveal.judging import agree_assessors
from tests.campaigns import META, stored
from tests.examples import examples
from tests.oracles import assessors as oracle
from tests.oracles.test_assessors import agreed, levels, of, same
from tests.strategies import TOPICS, Judgement, assessments

Judged = dict[str, tuple[Judgement, ...]]
UNFINISHED = "unfinished"


def campaign_of(judged: Judged, folder: str) -> Campaign:
    """A campaign in which people judged so; everybody has also begun a document."""
    lengths = {one.doc: one.length for own in judged.values() for one in own} | {UNFINISHED: 9}
    texts = {doc: "x" * length for doc, length in lengths.items()}
    plan = CampaignContents(
        meta=META,
        topics=[StoredTopic(topic, "", "", "") for topic in TOPICS],
        documents=[stored(doc, text) for doc, text in texts.items()],
        pool=[
            PoolEntry(topic, doc, place, 1, 1)
            for topic in TOPICS
            for place, doc in enumerate(texts)
        ],
        passages=[],
        people=[Person(place, name, Role.ASSESSOR) for place, name in enumerate(judged, 1)],
        assignments=[Assignment(topic, name, 0, 0) for topic in TOPICS for name in judged],
    )
    campaign = Campaign.create(Path(folder, "a.campaign"), plan)
    events: list[Event] = []

    def act(
        who: str, topic: str, doc: str, kind: EventKind, start: int | None = None, stop: int = 0
    ) -> None:
        span = {"stop": stop, "quote_sha256": digest(texts[doc][start:stop])} if stop else {}
        events.append(
            Event(
                id=f"event-{len(events):08}", assessor=who, topic=topic, doc=doc, kind=kind,
                start=start, **span,  # type: ignore[arg-type]
            )
        )  # fmt: skip

    for who, own in judged.items():
        for one in own:
            for start, stop in one.passages:
                if start < stop:
                    act(who, one.topic, one.doc, EventKind.MARK, start, stop)
            if one.entry is not None:
                act(who, one.topic, one.doc, EventKind.ENTRY, one.entry)
            act(who, one.topic, one.doc, EventKind.DONE)
        act(who, TOPICS[0], UNFINISHED, EventKind.MARK, 2, 5)
    for answer in campaign.append(events):
        assert isinstance(answer, int), answer
    return campaign


@given(assessments())
@examples(20)
def test_agreement_in_a_campaign_is_that_of_loops_over_characters(judged: Judged) -> None:
    with TemporaryDirectory() as folder, campaign_of(judged, folder) as campaign:
        found = agree_assessors(judgements(campaign), resamples=1)
    for level in levels(found):
        units = oracle.units(judged, level)
        for average, expected in oracle.overall(units).items():
            assert same(of(found.overall, level=level, average=average), expected)
    # Entry points, too, are those that people set.
    assert found.entry.equals(agreed(judged).entry)
