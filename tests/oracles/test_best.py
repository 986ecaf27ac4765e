"""The best runs against every run there is, in exact fractions, and against random ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, pairwise, permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.elements import Elements
from foveal.spans import Ints, Nesting, best_fitting
from foveal.studies import DemoWorld, best_runs
from foveal.tables import Qrels, Run, RunRows
from tests.element_tables import elements_of
from tests.examples import examples
from tests.fidelity_worlds import LabWorld, Span, lab_worlds

Text = frozenset[int]
BETA = {"paper": Fraction(1), "inex_eval": Fraction(1, 4)}
# All subsets of so many spans are tried.
SUBSETS_OF = 8
# So many documents are put in every order, each with so many of the largest values of its F.
LARGEST = {1: 256, 2: 40, 3: 4}


def _text(spans: tuple[Span, ...] | list[Span]) -> Text:
    return frozenset(chain.from_iterable(range(*span) for span in spans))


def _f(text: Text, relevant: Text, beta: Fraction) -> Fraction:
    found = len(text & relevant)
    if not found:
        return Fraction(0)
    precision, recall = Fraction(found, len(text)), Fraction(found, len(relevant))
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _agp(returned: list[tuple[str, Text]], relevant: dict[str, Text], beta: Fraction) -> Fraction:
    """AgP of documents with their text, by the definition."""
    total = gathered = Fraction(0)
    for rank, (name, text) in enumerate(returned, 1):
        if relevant.get(name):
            gathered += _f(text, relevant[name], beta)
            total += gathered / rank
    return total / sum(1 for text in relevant.values() if text)


def _returned(run: Run, topic: str) -> list[tuple[str, Text]]:
    """What a run returns of each document, in order of first appearance."""
    found: dict[str, Text] = {}
    for name, start, end in run.frame.filter(topic=topic).select("doc", "start", "end").rows():
        found[name] = found.get(name, frozenset()) | _text([(start, end)])
    return list(found.items())


def _whole(world: LabWorld, name: str) -> Text:
    return _text([(0, world.trees[name][0].end)])


def _unions(spans: list[Span]) -> set[Text]:
    """The text of every set of spans."""
    return {_text(chosen) for size in range(len(spans) + 1) for chosen in combinations(spans, size)}


def _largest(values: dict[str, set[Fraction]], relevant: int, intruder: bool) -> Fraction:
    """The largest AgP of any run: any order of any documents, and any F that each can have."""
    best = Fraction(0)
    names = [*values, *[""] * intruder]
    for count in range(1, len(names) + 1):
        for order in permutations(names, count):
            for chosen in product(*(values.get(name, {Fraction(0)}) for name in order)):
                gathered = [sum(chosen[:rank]) / rank for rank, name in enumerate(order, 1) if name]
                best = max(best, Fraction(sum(gathered)) / relevant)
    return best


def _relevant(world: LabWorld) -> Iterator[tuple[str, dict[str, Text]]]:
    for topic in sorted({topic for topic, _, _ in world.judged}):
        relevant = {name: _text(spans) for own, name, spans in world.judged if own == topic}
        if any(relevant.values()):
            yield topic, relevant


def _spans(world: LabWorld, name: str) -> list[Span]:
    found = {(one.start, one.end) for one in world.trees[name] if one.start < one.end}
    return sorted(found)


@examples(30)
@given(lab_worlds(), st.sampled_from(sorted(BETA)))
def test_no_run_of_elements_or_documents_scores_more(world: LabWorld, like: str) -> None:
    judged = world.qrels
    best = best_runs(judged, world.elements, like=like)
    scores = foveal.evaluate(judged, best, "AgP", task="ric", like=like).per_topic()
    value = {
        (run, topic): one for run, topic, one in scores.select("run", "topic", "value").iter_rows()
    }
    for topic, relevant in _relevant(world):
        kept = {name: text for name, text in relevant.items() if text}
        few = len(kept) in LARGEST and all(len(_spans(world, name)) <= SUBSETS_OF for name in kept)
        values = (
            {
                name: {_f(one, text, BETA[like]) for one in _unions(_spans(world, name))}
                for name, text in kept.items()
            }
            if few
            else {}
        )
        wholes = {name: {_f(_whole(world, name), text, BETA[like])} for name, text in kept.items()}
        for run, possible in ((best[0], values), (best[1], wholes)):
            own = _agp(_returned(run, topic), relevant, BETA[like])
            assert value[run.name, topic] == pytest.approx(float(own), abs=1e-12)
            if few:
                some = {
                    name: set(sorted(all_of)[-LARGEST[len(kept)] :])
                    for name, all_of in possible.items()
                }
                assert own == _largest(some, len(kept), intruder=len(kept) < len(relevant))


@examples(30)
@given(lab_worlds())
def test_the_best_elements_are_disjoint_elements_with_text_and_as_few_as_can_be(
    world: LabWorld,
) -> None:
    run = best_runs(world.qrels, world.elements)[0]
    for topic, relevant in _relevant(world):
        for name, text in relevant.items():
            rows = run.frame.filter(topic=topic, doc=name).select("start", "end").rows()
            if not text:
                assert not rows
                continue
            spans = _spans(world, name)
            assert set(rows) <= set(spans)
            assert len(_text(rows)) == sum(end - start for start, end in rows)
            if len(spans) <= SUBSETS_OF:
                fits = _f(_text(rows), text, Fraction(1))
                fewer = chain.from_iterable(combinations(spans, n) for n in range(len(rows)))
                assert all(_f(_text(chosen), text, Fraction(1)) < fits for chosen in fewer)


@pytest.fixture(scope="module")
def demo(whole_demo: DemoWorld) -> tuple[Qrels, Elements]:
    articles = {article.id: article.xml.encode() for article in whole_demo.articles}
    return whole_demo.qrels, elements_of(articles)


def test_local_search_over_the_demo_finds_no_better_elements(demo: tuple[Qrels, Elements]) -> None:
    """From the best set, and from none, elements are put in and taken out while that does not hurt."""
    qrels, elements = demo
    best = best_runs(qrels, elements)[0]
    listed = elements.rows_of(best.frame["doc"]).filter(pl.col("end") > pl.col("start"))
    spans = {name: own.select("start", "end").rows() for (name,), own in listed.group_by("doc")}
    rng = np.random.default_rng(7)
    passages = qrels.passages.join(
        qrels.documents.with_row_index("judged").select("judged", "topic", "doc"), on="judged"
    )
    for (topic, doc), judged in passages.group_by("topic", "doc", maintain_order=True):
        relevant = _text(judged.select("start", "end").rows())
        returned = best.frame.filter(topic=topic, doc=doc).select("start", "end").rows()
        fits = _f(_text(returned), relevant, Fraction(1))
        around = [span for span in spans[doc] if relevant & frozenset(range(*span))]
        for start in (set(returned), set[Span]()):
            reached, tried = Fraction(0), start
            for place in rng.permutation(len(around))[:15]:
                moved = tried ^ {around[place]}
                if (fit := _f(_text([*moved]), relevant, Fraction(1))) >= reached:
                    reached, tried = fit, moved
            assert reached <= fits


def test_other_orders_and_more_elements_score_less_by_our_own_evaluation(
    demo: tuple[Qrels, Elements],
) -> None:
    qrels, elements = demo
    best = best_runs(qrels, elements)[0]
    parts = best.frame.select("topic", "doc", "start", "end")
    every = elements.rows_of(parts["doc"]).filter(pl.col("end") > pl.col("start"))
    rng = np.random.default_rng(11)
    tried = [best]
    for number in range(30):
        documents = parts.select("topic", "doc").unique(maintain_order=True)
        sinks = rng.integers(0, 3, documents.height) if number % 2 else 0
        ranked = documents.with_columns(place=np.arange(documents.height) + sinks)
        more = every.sample(20, seed=number).select("doc", "start", "end")
        added = documents.join(more, on="doc").select(parts.columns) if number % 3 else parts[:0]
        frame = pl.concat([parts, added]).join(ranked, on=["topic", "doc"])
        run = frame.sort("topic", "place", maintain_order=True).drop("place")
        tried.append(Run.of(RunRows(frame=run, name=f"tried-{number}")))
    value, *others = foveal.evaluate(qrels, tried, "AgP", task="ric").rows(per_topic=False)["value"]
    untouched = set(others[::6])  # neither sunk nor added to
    assert untouched == {value}
    assert max(set(others) - untouched) < value


@pytest.mark.parametrize("stated", [2, 4, 9])
def test_the_size_that_judgements_state_counts_where_the_program_counts_it(stated: int) -> None:
    """Every set of elements, scored by our own evaluation under the official program's conventions."""
    elements = elements_of({"d": b"<a>0<s>1<p>23</p>45<p>6</p></s>7<p>89</p></a>"})
    rows = [
        {
            "topic": "t",
            "doc": "d",
            "length": 10,
            "rel_chars": stated,
            "highlights": [[3, 5], [8, 10]],
        }
    ]
    best = best_runs(rows, elements, like="inex_eval")[0]
    spans = sorted({(start, end) for _, _, start, end in elements.rows_of(pl.Series(["d"])).rows()})
    disjoint = [
        chosen
        for size in range(1, len(spans) + 1)
        for chosen in combinations(spans, size)
        if all(one[1] <= other[0] for one, other in pairwise(chosen))
    ]
    runs = [
        Run.from_frame(
            pl.DataFrame(
                [("t", "d", *one) for one in chosen],
                schema=["topic", "doc", "start", "end"],
                orient="row",
            ),
            name=str(chosen),
        )
        for chosen in disjoint
    ]
    scores = foveal.evaluate(rows, [best, *runs], "AgP", task="ric", like="inex_eval")
    value, *others = scores.rows(per_topic=False)["value"]
    assert len(others) > 8
    assert value == max(others)


def _ints(*numbers: int) -> Ints:
    return np.array(numbers, dtype=np.int64)


def test_numbers_too_large_for_the_machine_are_computed_with_pythons() -> None:
    # A root with two children: the first is all highlighted, the second not at all.
    size = 2**40
    nesting = Nesting(
        _ints(0, 3),
        _ints(2 * size),
        _ints(1, 2, 2),
        _ints(0, 0, size),
        _ints(2 * size, size, 2 * size),
    )
    for weight in (Fraction(1), Fraction(0.1) ** 2):
        rows, fits = best_fitting(nesting, _ints(size, size, 0), _ints(size), weight)
        assert rows.tolist() == [1]
        assert fits.tolist() == [pytest.approx(1)]
