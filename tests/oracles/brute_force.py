"""The slow, obvious twin of the span measures: text is a list of characters, numbers are fractions.

Written from the definitions, character by character and loop by loop; it shares nothing with the
package it checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from tests.strategies import CHUNKS, TOKEN, Judgement, Result, World

UNMAPPED_SIZE = 18
KINDS_OF_SCORES = ("F", "P", "R", "bep", "t2i", "ranked", "rel")
POINTS = [Fraction(point, 100) for point in range(101)]
ZERO = Fraction(0)

# A character is its document and place; an unmapped element's characters have no place.
Character = tuple[str, int | None]


@dataclass(frozen=True)
class Read:
    """A part as it is read: its rank is its number in the list.

    `found_before` has the characters that earlier parts contain, `text` all of the part.
    """

    doc: str
    start: int | None
    characters: tuple[Character, ...]
    found_before: frozenset[Character] = frozenset()
    text: tuple[Character, ...] = ()


@dataclass
class Topic:
    """One topic's judgements and the parts read for it."""

    judged: dict[str, Judgement]
    parts: list[Read]
    returned: list[tuple[Character, ...]] = field(default_factory=list)
    scores: dict[object, Fraction] = field(default_factory=dict)

    @cached_property
    def highlights_by_document(self) -> dict[str, set[int]]:
        """The highlighted offsets of each judged document."""
        return {doc: judged.highlighted for doc, judged in self.judged.items()}

    def highlighted(self, doc: str) -> set[int]:
        """The highlighted offsets of a document."""
        return self.highlights_by_document.get(doc, set())

    def relevant_size(self, doc: str) -> int:
        """Trel(d)."""
        return len(self.highlighted(doc))

    @cached_property
    def relevant_total(self) -> int:
        """Trel."""
        return sum(self.relevant_size(doc) for doc in self.judged)

    @cached_property
    def relevant_documents(self) -> int:
        """Nrel."""
        return sum(self.relevant_size(doc) > 0 for doc in self.judged)

    def is_highlighted(self, character: Character) -> bool:
        """True if the character is highlighted."""
        doc, offset = character
        return offset is not None and offset in self.highlighted(doc)

    # Ranked parts

    @property
    def everything(self) -> list[bool]:
        """All characters returned."""
        return self.read_until(len(self.parts))

    @cached_property
    def flags(self) -> list[list[bool]]:
        """For each part, for each of its characters: is it highlighted?"""
        return [
            [self.is_highlighted(c) and c not in part.found_before for c in part.characters]
            for part in self.parts
        ]

    def read_until(self, rank: int) -> list[bool]:
        """The characters of the first parts."""
        return [flag for part in self.flags[:rank] for flag in part]

    def within(self, budget: int) -> list[bool]:
        """The first characters of the list."""
        return self.read_until(len(self.parts))[:budget]

    def whole_parts_within(self, budget: int) -> list[bool]:
        """The characters of the first parts, until one does not fit."""
        read: list[bool] = []
        for part in self.flags:
            if len(read) + len(part) > budget:
                break
            read += part
        return read

    def within_tokens(self, budget: int, *, whole_parts: bool = False) -> list[bool]:
        """The characters of the first tokens; a token costs if any of it is read."""
        read: list[bool] = []
        for part, flags in zip(self.parts, self.flags, strict=True):
            text, flag_of = part.text, dict(zip(part.characters, flags, strict=True))
            tokens = [text[start : start + TOKEN] for start in range(0, len(text), TOKEN)]
            costing = [token for token in tokens if any(c in flag_of for c in token)]
            if whole_parts and len(costing) > budget:
                break
            for token in costing[:budget]:
                read += [flag_of[c] for c in token if c in flag_of]
            budget -= len(costing)
            if budget < 0:
                break
        return read

    def iou(self, read: list[bool]) -> Fraction:
        """Highlighted text that was read, divided by all text that was read or is highlighted."""
        return Fraction(sum(read), len(read) + self.relevant_total - sum(read))

    # Parts as they were returned

    @cached_property
    def passages(self) -> list[frozenset[Character]]:
        """The judged passages: overlapping ones are one, touching ones are two."""
        passages: list[frozenset[Character]] = []
        for doc, judged in self.judged.items():
            merged: list[tuple[int, int]] = []
            for start, end in sorted(span for span in judged.passages if span[1] > span[0]):
                if merged and start < merged[-1][1]:
                    merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
                else:
                    merged.append((start, end))
            passages += [frozenset((doc, offset) for offset in range(*span)) for span in merged]
        return passages

    @cached_property
    def as_judged(self) -> list[tuple[frozenset[Character], tuple[str, ...]]]:
        """The passages as they were judged, with their aspects.

        The rest of the passages without aspects, cut by those with aspects, comes last.
        """
        passages: list[tuple[frozenset[Character], tuple[str, ...]]] = []
        for doc, judged in self.judged.items():
            with_aspects = dict.fromkeys(
                (span, aspects)
                for span, aspects in zip(judged.passages, judged.aspects, strict=True)
                if aspects
            )
            texts = [
                (frozenset((doc, offset) for offset in range(*span)), names)
                for span, names in with_aspects
            ]
            covered = {character for text, _ in texts for character in text}
            passages += texts
            for passage in self.passages:
                rest: list[Character] = []
                for character in sorted(c for c in passage - covered if c[0] == doc):
                    if rest and rest[-1][1] != (character[1] or 0) - 1:
                        passages.append((frozenset(rest), ()))
                        rest = []
                    rest.append(character)
                passages += [(frozenset(rest), ())] if rest else []
        return passages

    def passage_precision(self) -> Fraction:
        """passageAP."""
        common_size = size = 0
        precisions, passages_seen = [], set[int]()
        for text in self.returned:
            size += len(text)
            common = [len(passage & set(text)) for passage, _ in self.as_judged]
            first = next((index for index, count in enumerate(common) if count), None)
            if first is not None:
                common_size += common[first]
                precisions.append(Fraction(common_size, size))
                passages_seen.add(first)
        missed = len(self.as_judged) - len(passages_seen)
        return sum(precisions, ZERO) / (len(precisions) + missed)

    def aspect_precision(self, *, first_only: bool = False) -> Fraction:
        """aspectAP."""
        aspects_seen = set[str]()
        gainful = counted = 0
        total = ZERO
        for text in self.returned:
            overlapping = [names for passage, names in self.as_judged if passage & set(text)]
            aspects = {
                name for names in (overlapping[:1] if first_only else overlapping) for name in names
            }
            if aspects - aspects_seen:
                gainful, counted = gainful + 1, counted + 1
                total += len(aspects - aspects_seen) * Fraction(gainful, counted)
            counted += not aspects
            aspects_seen |= aspects
        return total / len({name for _, names in self.as_judged for name in names})

    @property
    def hits(self) -> list[bool]:
        """For each part returned: does it hold highlighted text?"""
        return [any(map(self.is_highlighted, text)) for text in self.returned]

    def is_hit(self, rank: int, share: Fraction) -> bool:
        """True if one of the first parts contains a share of a passage."""
        return any(
            len(passage & set(text)) >= share * len(passage)
            for text in self.returned[:rank]
            for passage in self.passages
        )

    def first_hit(self, rank: int) -> Fraction:
        """One divided by the rank of the first hit, 0 if it comes later than a rank."""
        hits = self.hits[:rank]
        return Fraction(1, hits.index(True) + 1) if any(hits) else ZERO

    def share_covered(self, rank: int, share: Fraction) -> Fraction:
        """The share of passages that the first parts together cover."""
        union = {character for text in self.returned[:rank] for character in text}
        is_covered = [len(passage & union) >= share * len(passage) for passage in self.passages]
        return Fraction(sum(is_covered), len(is_covered))

    def retrieved_precision(self, rank: int) -> Fraction:
        """APret."""
        hits = self.hits[:rank]
        at_hits = [
            Fraction(sum(hits[: index + 1]), index + 1) for index, hit in enumerate(hits) if hit
        ]
        return sum(at_hits, ZERO) / len(at_hits) if at_hits else ZERO

    def matched_count(self, min_share: Fraction) -> int:
        """The number of pairs of part and passage that are matched, best first, none twice."""
        pairs = []
        for rank, text in enumerate(self.returned):
            for index, passage in enumerate(self.passages):
                union = len(passage | set(text))
                # An element without offsets has no character in common with anything.
                union += sum(offset is None for _, offset in text) - len(
                    {c for c in text if c[1] is None}
                )
                pairs.append((-Fraction(len(passage & set(text)), union), rank, index))
        parts, passages = set[int](), set[int]()
        for negative_share, rank, index in sorted(pairs):
            if -negative_share >= min_share and rank not in parts and index not in passages:
                parts.add(rank)
                passages.add(index)
        return len(parts)

    def spans(self, min_share: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """spanP, spanR and spanF."""
        matched, parts = self.matched_count(min_share), len(self.returned)
        precision = Fraction(matched, parts) if parts else ZERO
        recall = Fraction(matched, len(self.passages))
        return precision, recall, weighted_f(precision, recall, Fraction(1))

    def best_chunks(self, *, touching: bool = False) -> Fraction:
        """cPmax: intersection over union of all chunks that overlap highlighted text."""
        highlighted = {character for passage in self.passages for character in passage}
        chosen: set[Character] = set()
        for doc, spans in CHUNKS.items():
            for start, end in spans:
                text = {(doc, offset) for offset in range(start, end)}
                edges = {(doc, start - 1), (doc, end)} if touching else set()
                if (text | edges) & highlighted:
                    chosen |= text
        return Fraction(len(chosen & highlighted), len(chosen | highlighted))

    def precision(self, read: list[bool]) -> Fraction:
        """The highlighted share of what was read; 0 while nothing was."""
        return Fraction(sum(read), len(read)) if read else ZERO

    def recall(self, read: list[bool]) -> Fraction:
        """The share of the highlighted text that was read."""
        return Fraction(sum(read), self.relevant_total)

    def f(self, read: list[bool]) -> Fraction:
        """The harmonic mean of both."""
        return weighted_f(self.precision(read), self.recall(read), Fraction(1))

    @cached_property
    def curve(self) -> list[tuple[Fraction, Fraction]]:
        """(R[r], P[r]) at every rank."""
        read = [self.read_until(rank) for rank in range(1, len(self.parts) + 1)]
        return [(self.recall(text), self.precision(text)) for text in read]

    def reaches(self, recall: Fraction, level: Fraction) -> bool:
        """True if a recall is at least the level."""
        return recall >= level

    def interpolated(self, curve: Sequence[tuple[Fraction, Fraction]], level: Fraction) -> Fraction:
        """The best value at or beyond a recall level."""
        return max((value for recall, value in curve if self.reaches(recall, level)), default=ZERO)

    def averaged(self, curve: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
        """The mean of the best values at 101 recall levels."""
        return sum((self.interpolated(curve, level) for level in POINTS), ZERO) / len(POINTS)

    @property
    def average_precision(self) -> Fraction:
        """cAP."""
        adding = [self.curve[rank][1] for rank, part in enumerate(self.flags) if any(part)]
        if not adding:
            return ZERO
        return sum(adding, ZERO) / len(adding) * self.curve[-1][0]

    def character_precision(self) -> Fraction:
        """charAP."""
        found_count, total = 0, ZERO
        for read, flag in enumerate(self.everything, start=1):
            if flag:
                found_count += 1
                total += Fraction(found_count, read)
        return total / self.relevant_total

    # Ranked documents

    @cached_property
    def documents(self) -> list[str]:
        """Documents by first appearance."""
        return list(dict.fromkeys(part.doc for part in self.parts))

    @property
    def relevant_returned(self) -> int:
        """Documents with highlights of which anything was returned."""
        return sum(self.relevant_size(doc) > 0 for doc in self.documents)

    def score(self, doc: str, score: DocumentScore) -> Fraction:
        """S(d)."""
        if (doc, score) not in self.scores:
            relevant = self.relevant_size(doc) > 0
            self.scores[doc, score] = self._score(doc, score) if relevant else ZERO
        return self.scores[doc, score]

    def _score(self, doc: str, score: DocumentScore) -> Fraction:
        match score.kind:
            case "rel":
                return Fraction(1)
            case "bep":
                return self._entry_point(doc, score)
            case "t2i":
                return self._tolerance(doc, score.irr)
            case "ranked":
                return self._in_order_returned(doc)
        read = [flag for part, flags in zip(self.parts, self.flags, strict=True)
                if part.doc == doc for flag in flags]  # fmt: skip
        precision = self.precision(read)
        recall = Fraction(sum(read), self.relevant_size(doc))
        if score.kind == "F":
            return weighted_f(precision, recall, score.beta)
        return precision if score.kind == "P" else recall

    def _entry_point(self, doc: str, score: DocumentScore) -> Fraction:
        judged = self.judged[doc]
        best = min(judged.highlighted) if judged.entry is None else judged.entry
        start = next(part.start for part in self.parts if part.doc == doc)
        if start is None:
            return ZERO
        distance = abs(start - best)
        if score.n is not None:
            return max(ZERO, Fraction(score.n - distance, score.n))
        return score.A * judged.length / (score.A * judged.length + distance)

    def _tolerance(self, doc: str, irr: int) -> Fraction:
        read: list[bool] = []
        wasted = 0
        for character in self._documents_text(doc):
            read.append(self.is_highlighted(character))
            wasted += not read[-1]
            if wasted == irr:
                break
        return self.precision(read)

    def _in_order_returned(self, doc: str) -> Fraction:
        """The precision at each part of the document that adds highlighted text, and its recall."""
        read: list[bool] = []
        at_adding = []
        for part, flags in zip(self.parts, self.flags, strict=True):
            if part.doc == doc:
                read += flags
                if any(flags):
                    at_adding.append(self.precision(read))
        if not at_adding:
            return ZERO
        recall = Fraction(sum(read), self.relevant_size(doc))
        return sum(at_adding, ZERO) / len(at_adding) * recall

    def _documents_text(self, doc: str) -> Iterator[Character]:
        """Elements without offsets, then the parts, then the rest, both in document order."""
        returned = [
            character for part in self.parts if part.doc == doc for character in part.characters
        ]
        yield from (character for character in returned if character[1] is None)
        retrieved = {offset for _, offset in returned if offset is not None}
        rest = set(range(self.judged[doc].length)) - retrieved
        yield from ((doc, offset) for offset in sorted(retrieved))
        yield from ((doc, offset) for offset in sorted(rest))

    def gp(self, rank: int, score: DocumentScore) -> Fraction:
        """gP[r], dividing by r always."""
        return sum((self.score(doc, score) for doc in self.documents[:rank]), ZERO) / rank

    def gr(self, rank: int) -> Fraction:
        """gR[r]."""
        found_documents = sum(self.relevant_size(doc) > 0 for doc in self.documents[:rank])
        return Fraction(found_documents, self.relevant_documents)

    def grt(self, rank: int) -> Fraction:
        """gR'[r], by the text of whole documents."""
        found_characters = sum(self.relevant_size(doc) for doc in self.documents[:rank])
        return Fraction(found_characters, self.relevant_total)

    @property
    def ranks(self) -> range:
        """The ranks of the document list."""
        return range(1, len(self.documents) + 1)

    def gp_over_gr(self, score: DocumentScore) -> list[tuple[Fraction, Fraction]]:
        """(gR[r], gP[r]) at every rank."""
        return [(self.gr(rank), self.gp(rank, score)) for rank in self.ranks]

    def gp_over_grt(self, score: DocumentScore) -> list[tuple[Fraction, Fraction]]:
        """(gR'[r], gP[r]) at every rank."""
        return [(self.grt(rank), self.gp(rank, score)) for rank in self.ranks]

    def agp(self, score: DocumentScore) -> Fraction:
        """AgP."""
        return sum(self._at_relevant(score), ZERO) / self.relevant_documents

    def agpt(self, score: DocumentScore) -> Fraction:
        """AgP'."""
        total = ZERO
        for rank, doc in enumerate(self.documents, start=1):
            weight = Fraction(self.relevant_size(doc), self.relevant_total)
            total += weight * self.gp(rank, score)
        return total

    def agpt2(self, score: DocumentScore) -> Fraction:
        """AgP' as redefined."""
        values = self._at_relevant(score)
        if not values:
            return ZERO
        return self.grt(len(self.documents)) * sum(values, ZERO) / len(values)

    def _at_relevant(self, score: DocumentScore) -> list[Fraction]:
        return [
            self.gp(rank, score)
            for rank, doc in enumerate(self.documents, start=1)
            if self.relevant_size(doc) > 0
        ]


@dataclass(frozen=True)
class DocumentScore:
    """S and its parameters, and how they are spelled."""

    kind: str
    beta: Fraction = Fraction(1)
    A: Fraction = Fraction(1, 10)
    n: int | None = None
    irr: int = 300
    spelling: str = field(default="", compare=False)

    @property
    def inside(self) -> str:
        """The parameters in the brackets of a measure's name."""
        return self.spelling or f"S={self.kind}"


def weighted_f(precision: Fraction, recall: Fraction, beta: Fraction) -> Fraction:
    """The F-score in which beta weighs recall; 0 when both are."""
    if not precision or not recall:
        return ZERO
    weight = beta * beta
    return (1 + weight) * precision * recall / (weight * precision + recall)


def in_reading_order(world: World, topic: str) -> list[Result]:
    """A topic's results in the order in which they are ranked."""
    results = [result for result in world.results if result.topic == topic]
    if world.order == "rank":
        results.sort(key=lambda result: result.key)
    if world.order == "score":
        results.sort(key=lambda result: result.doc, reverse=True)
        results.sort(key=lambda result: -result.key)
    return results


def characters(result: Result, judged: dict[str, Judgement]) -> tuple[Character, ...]:
    """The characters of a part in document order."""
    if result.start == -1:
        return ((result.doc, None),) * UNMAPPED_SIZE
    start, end = result.start, result.end
    if start is None or end is None:
        start, end = 0, judged[result.doc].length
    return tuple((result.doc, offset) for offset in range(start, end))


def shares_text(part: Sequence[Character], text: set[Character]) -> bool:
    """True if a part has a character with an offset in common with a text."""
    return any(character[1] is not None and character in text for character in part)


def read(results: list[Result], judged: dict[str, Judgement], overlap: str) -> list[Read]:
    """The parts as they are read under an overlap policy."""
    text_read: set[Character] = set()
    parts_read = []
    for result in results:
        text = characters(result, judged)
        if overlap == "drop" and shares_text(text, text_read):
            continue
        repeated = {c for c in text if c[1] is not None and c in text_read}
        skipped = set[Character]()
        if overlap == "once":
            skipped = repeated
        elif overlap == "waste":
            skipped = {
                (doc, offset) for doc, offset in repeated if is_judged_relevant(judged, doc, offset)
            }
        known_characters = frozenset(repeated if overlap in {"paid", "waste"} else ())
        text_read |= set(text)
        start = {None: 0, -1: None}.get(result.start, result.start)
        parts_read.append(
            Read(
                result.doc,
                start,
                tuple(c for c in text if c not in skipped),
                known_characters,
                text,
            )
        )
    return parts_read


def is_judged_relevant(judged: dict[str, Judgement], doc: str, offset: int | None) -> bool:
    """True if an offset of a document is highlighted."""
    return doc in judged and offset in judged[doc].highlighted


def has_overlap(results: list[Result], judged: dict[str, Judgement]) -> bool:
    """True if a topic's results return text twice."""
    text_read: set[Character] = set()
    for result in results:
        text = characters(result, judged)
        if shares_text(text, text_read):
            return True
        text_read |= set(text)
    return False


def judged_documents(world: World, topic: str) -> dict[str, Judgement]:
    """A topic's judgements by document."""
    return {judged.doc: judged for judged in world.judgements if judged.topic == topic}


def disjoint(world: World) -> tuple[Result, ...]:
    """The results that return no text of an earlier one."""
    read_by_topic: dict[str, set[Character]] = {}
    results = []
    for result in world.results:
        text = characters(result, judged_documents(world, result.topic))
        if not shares_text(text, read_by_topic.setdefault(result.topic, set())):
            results.append(result)
            read_by_topic[result.topic] |= set(text)
    return tuple(results)


def evaluated_topics(world: World, topics: str) -> list[str]:
    """Topics with something relevant, in the run or not as the policy says."""
    names = dict.fromkeys(judged.topic for judged in world.judgements)
    eligible = [
        name
        for name in names
        if any(document.highlighted for document in judged_documents(world, name).values())
    ]
    retrieved = {result.topic for result in world.results}
    return [name for name in eligible if topics == "judged" or name in retrieved]


def topic_twins(world: World, *, overlap: str = "once", topics: str = "judged") -> dict[str, Topic]:
    """Every evaluated topic, read."""
    twins = {}
    for name in evaluated_topics(world, topics):
        judged = judged_documents(world, name)
        results = in_reading_order(world, name)
        returned = [characters(result, judged) for result in results]
        twins[name] = Topic(judged, read(results, judged, overlap), returned)
    return twins


Twin = Callable[[Topic], Fraction]

COUNTS: dict[str, Twin] = {
    "num_q": lambda t: Fraction(1),
    "num_ret": lambda t: Fraction(len(t.documents)),
    "num_rel": lambda t: Fraction(t.relevant_documents),
    "num_rel_ret": lambda t: Fraction(t.relevant_returned),
    "ret_size": lambda t: Fraction(len(t.everything)),
    "rel_size": lambda t: Fraction(t.relevant_total),
    "rel_ret_size": lambda t: Fraction(sum(t.everything)),
}
ARTICLES: dict[str, Twin] = {
    "art_prec": lambda t: Fraction(t.relevant_returned, max(len(t.documents), 1)),
    "art_rec": lambda t: Fraction(t.relevant_returned, t.relevant_documents),
    "art_f1": lambda t: Fraction(2 * t.relevant_returned, len(t.documents) + t.relevant_documents),
}


def parts_twins(rank: int, budget: int, level: Fraction) -> dict[str, Twin]:
    """The measures of ranked parts and how the twin computes them."""
    x = f"{float(level):.3f}"
    return {
        f"cP@{rank}": lambda t: t.precision(t.read_until(rank)),
        f"cR@{rank}": lambda t: t.recall(t.read_until(rank)),
        f"cF@{rank}": lambda t: t.f(t.read_until(rank)),
        f"cP(chars={budget})": lambda t: t.precision(t.within(budget)),
        f"cR(chars={budget})": lambda t: t.recall(t.within(budget)),
        f"cF(chars={budget})": lambda t: t.f(t.within(budget)),
        f"cIoU@{rank}": lambda t: t.iou(t.read_until(rank)),
        f"cIoU(chars={budget})": lambda t: t.iou(t.within(budget)),
        f"cP(chars={budget},whole=True)": lambda t: t.precision(t.whole_parts_within(budget)),
        f"cR(chars={budget},whole=True)": lambda t: t.recall(t.whole_parts_within(budget)),
        "charIoU": lambda t: t.iou(t.everything),
        "charP": lambda t: t.precision(t.everything),
        "charR": lambda t: t.recall(t.everything),
        "charF": lambda t: t.f(t.everything),
        f"iP[{x}]": lambda t: t.interpolated(t.curve, level),
        "iP[0]": lambda t: t.interpolated(t.curve, Fraction(0)),
        "iP[1]": lambda t: t.interpolated(t.curve, Fraction(1)),
        "AiP": lambda t: t.averaged(t.curve),
        "cAP": lambda t: t.average_precision,
        "charAP": lambda t: t.character_precision(),
        "charRprec": lambda t: t.recall(t.within(t.relevant_total)),
        **ARTICLES,
    }


def token_twins(budget: int) -> dict[str, Twin]:
    """Measures with a budget of tokens; every part must have a place."""
    return {
        f"cP(tokens={budget})": lambda t: t.precision(t.within_tokens(budget)),
        f"cR(tokens={budget})": lambda t: t.recall(t.within_tokens(budget)),
        f"cF(tokens={budget})": lambda t: t.f(t.within_tokens(budget)),
        f"cIoU(tokens={budget})": lambda t: t.iou(t.within_tokens(budget)),
        f"cP(tokens={budget},whole=True)": lambda t: t.precision(
            t.within_tokens(budget, whole_parts=True)
        ),
        f"cR(tokens={budget},whole=True)": lambda t: t.recall(
            t.within_tokens(budget, whole_parts=True)
        ),
    }


def returned_twins(rank: int, share: Fraction) -> dict[str, Twin]:
    """The measures of parts as they were returned and how the twin computes them."""
    x = f"{float(share):g}"
    return {
        f"hit@{rank}": lambda t: Fraction(any(t.hits[:rank])),
        "hit": lambda t: Fraction(any(t.hits)),
        f"hit(min={x})@{rank}": lambda t: Fraction(t.is_hit(rank, share)),
        "partRR": lambda t: t.first_hit(len(t.returned)),
        f"partRR@{rank}": lambda t: t.first_hit(rank),
        f"all@{rank}": lambda t: Fraction(t.share_covered(rank, Fraction(1)) == 1),
        f"passageR@{rank}": lambda t: t.share_covered(rank, Fraction(1)),
        f"passageR(min={x})@{rank}": lambda t: t.share_covered(rank, share),
        f"partP@{rank}": lambda t: Fraction(sum(t.hits[:rank]), rank),
        f"APret@{rank}": lambda t: t.retrieved_precision(rank),
        "APret": lambda t: t.retrieved_precision(len(t.returned)),
        f"spanP(iou={x})": lambda t: t.spans(share)[0],
        f"spanR(iou={x})": lambda t: t.spans(share)[1],
        f"spanF(iou={x})": lambda t: t.spans(share)[2],
        "cPmax": lambda t: t.best_chunks(),
        "passageAP": lambda t: t.passage_precision(),
        "aspectAP": lambda t: t.aspect_precision(),
    }


def document_twins(score: DocumentScore, rank: int, level: Fraction) -> dict[str, Twin]:
    """The measures of ranked documents and how the twin computes them."""
    s, x = score.inside, f"{float(level):.3f}"
    return {
        f"gP({s})@{rank}": lambda t: t.gp(rank, score),
        f"gR@{rank}": lambda t: t.gr(rank),
        f"gRt@{rank}": lambda t: t.grt(rank),
        f"igP({s})[{x}]": lambda t: t.interpolated(t.gp_over_gr(score), level),
        f"igPt({s})[{x}]": lambda t: t.interpolated(t.gp_over_grt(score), level),
        f"AgP({s})": lambda t: t.agp(score),
        f"AgPt({s})": lambda t: t.agpt(score),
        f"AgPt2({s})": lambda t: t.agpt2(score),
        f"iAgP({s})": lambda t: t.averaged(t.gp_over_gr(score)),
        f"iAgPt({s})": lambda t: t.averaged(t.gp_over_grt(score)),
    }
