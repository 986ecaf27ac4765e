"""What is to be judged in a campaign, and what of it is finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foveal.assess.campaign import Campaign
from foveal.assess.records import Role
from foveal.assess.replay import Aspects, Judgement, Spans
from foveal.assess.standing import Place, Standing, disputed
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import Qrels
from foveal.tables import columns as c
from foveal.work import stage, tracked


@frozen
class Finished:
    """What was said about a document that is finished, and by whom.

    There is no entry point where nothing is highlighted.
    """

    topic: str
    doc: str
    length: int
    spans: Spans
    entry: int | None
    by: tuple[str, ...]
    aspects: Aspects = ()


Answers = dict[str, Finished]
"""What each of those who finished a document said about it, in order."""


@frozen
class Work:
    """Every document to be judged, in order of topics and of the pool, with what was finished.

    Assessors come in the order of their topic: the main one first.
    """

    asked: dict[Place, list[str]]
    """Who is to judge each document."""

    assessed: dict[Place, Answers]
    adjudicated: dict[Place, Answers]
    disputed: list[Place]
    """Documents that two or more assessors have finished with different text."""

    mains: dict[str, str]
    """The main assessor of each topic that has one."""

    roles: dict[str, Role]
    """Everybody, in the order in which they joined."""

    @classmethod
    def of(cls, standing: Standing) -> Work:
        """The work of a campaign as it is now."""
        campaign = standing.campaign
        with stage("reading the campaign"), campaign.snapshot():
            asked = _asked(campaign)
            assignments = campaign.assignments
            judges: dict[str, list[str]] = {}
            for assignment in assignments:
                judges.setdefault(assignment.topic, []).append(assignment.assessor)
            for person in tracked(people := campaign.people, "reading the log", len(people)):
                standing.of(person.name)
            finished = {role: standing.finished(role) for role in Role}
            assessed, adjudicated = (
                _answers(campaign, said, asked, judges) for said in finished.values()
            )
            differing = set(disputed(finished[Role.ASSESSOR]))
            return cls(
                asked,
                assessed,
                adjudicated,
                [place for place in asked if place in differing],
                {own.topic: own.assessor for own in reversed(assignments) if own.main},
                {person.name: person.role for person in people},
            )

    @property
    def finishers(self) -> list[str]:
        """The assessors who finished something, in the order in which they joined."""
        found = {name for answers in self.assessed.values() for name in answers}
        return [name for name in self.roles if name in found]

    def of_person(self, name: str) -> list[Finished]:
        """What somebody finished."""
        return [
            answers[name]
            for found in (self.assessed, self.adjudicated)
            for answers in found.values()
            if name in answers
        ]


def judgements(campaign: Campaign) -> dict[str, Qrels]:
    """The judgements of each assessor who finished documents, in the order in which they joined.

    Those of adjudicators are not among them.
    """
    work = Work.of(Standing(campaign))
    return {name: table(work.of_person(name), str(campaign.path)) for name in work.finishers}


def table(rows: Sequence[Finished], source: str) -> Qrels:
    """Finished documents as judgements."""
    schema = {c.TOPIC: pl.String, c.DOC: pl.String, c.LENGTH: pl.Int64, c.ENTRY: pl.Int64}
    documents = pl.DataFrame(
        [(row.topic, row.doc, row.length, row.entry) for row in rows], schema=schema, orient="row"
    )
    spans = [(place, *span) for place, row in enumerate(rows) for span in row.spans]
    passages = pl.DataFrame(spans, schema=c.PASSAGE_SCHEMA, orient="row")
    named = [
        (place, name, *span, None)
        for place, row in enumerate(rows)
        for name, own in row.aspects
        for span in own
    ]
    aspects = pl.DataFrame(named, schema=c.ASPECT_SCHEMA, orient="row") if named else None
    return Qrels.of(documents, passages, aspects=aspects, source=source)


def _asked(campaign: Campaign) -> dict[Place, list[str]]:
    asked: dict[Place, list[str]] = {}
    for offer in campaign.offered():
        names = asked.setdefault(Place(offer.topic, offer.doc), [])
        if offer.assessor is not None:
            names.append(offer.assessor)
    return asked


def _answers(
    campaign: Campaign,
    finished: Mapping[Place, Mapping[str, Judgement]],
    asked: Mapping[Place, Sequence[str]],
    judges: Mapping[str, Sequence[str]],
) -> dict[Place, Answers]:
    """What people finished of what is asked: assessors of the topic first, in its order."""
    lengths = dict(campaign.connection.execute("SELECT doc, length FROM document"))
    found: dict[Place, Answers] = {}
    for place in asked:
        said = finished.get(place, {})
        for name in dict.fromkeys([*judges.get(place.topic, ()), *said]):
            if own := said.get(name):
                entry = own.entry if own.spans else None
                length = lengths[place.doc]
                answer = Finished(*place, length, own.spans, entry, (name,), own.aspects)
                found.setdefault(place, {})[name] = answer
    return found
