"""Every public name, used as the documentation does; the tests run it and check its types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import ir_measures
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types

import foveal
from foveal.collection import build_index

QRELS = [
    {"topic": "1", "doc": "a", "length": 9, "entry": 2, "highlights": [[2, 6]]},
    {"topic": "2", "doc": "b", "length": 5, "entry": 0, "highlights": [[0, 3], [4, 5]]},
    {"topic": "2", "doc": "a", "length": 9, "highlights": []},
]
RESULTS = [
    {"topic": "1", "doc": "a", "start": 0, "end": 6},
    {"topic": "2", "doc": "a", "start": 3, "end": 4},
    {"topic": "2", "doc": "b", "start": 0, "end": 5, "text": "Honey"},
]
BY_TOPIC: dict[str, dict[str, float]] = {"1": {"a": 2, "b": 1.5}, "2": {"b": 3}}


def every_form() -> None:
    """Judgements, runs and measures in every documented form, written out and from variables."""
    frame, polars, arrow = (
        pd.DataFrame(RESULTS),
        pl.DataFrame(RESULTS),
        pa.Table.from_pylist(RESULTS),
    )
    run = foveal.Run.from_dicts(RESULTS, "mine")
    for form in (frame, polars, arrow, RESULTS, BY_TOPIC, run):
        foveal.evaluate(QRELS, form, "AP")
    foveal.evaluate(pd.DataFrame(QRELS), frame, "AP")
    foveal.evaluate(foveal.Qrels.from_frame(pl.DataFrame(QRELS)), polars, ["AP"])
    foveal.evaluate(
        {"1": {"a": 1, "b": 0.5}, "2": {"b": 2}}, {"1": {"a": 2, "b": 1.5}}, ("AP", "RR")
    )
    foveal.evaluate(
        QRELS, [{"topic": "1", "doc": "a"}, {"topic": "2", "doc": "b", "position": 3}], "AP"
    )
    inferred = {"1": {"a": 2, "b": 1.5}, "2": {"b": 3}}
    foveal.evaluate(inferred, inferred)
    foveal.evaluate(QRELS, [frame, run, BY_TOPIC, RESULTS], iter(["AP"]))
    foveal.evaluate(QRELS, {"frame": frame, "run": run, "rows": RESULTS, "dict": BY_TOPIC}, "AP")
    named, listed = {"frame": frame, "run": run}, [frame, run]
    foveal.evaluate(QRELS, named, ir_measures.AP)
    foveal.evaluate(QRELS, listed, [ir_measures.AP, ir_measures.nDCG @ 10, "RR"])
    foveal.evaluate(judged(), scored(), [ir_measures.AP])
    foveal.evaluate(judged(), {"tuples": scored(), "list": list(scored())}, "AP")
    evaluator = foveal.Evaluator(QRELS, ["AP", ir_measures.RR], task="document")
    evaluator(BY_TOPIC, chunks=None).mean()
    values: dict[str, dict[str, float]] = evaluator.values(polars)
    sum(values["1"].values(), evaluator.values(RESULTS)["2"]["RR"])
    foveal.Qrels.from_dict(BY_TOPIC)
    foveal.Run.from_dict(BY_TOPIC, name="mine")
    foveal.Topics.from_dicts([{"topic": "1", "title": "tea"}])


def judged() -> Iterator[ir_measures.Qrel]:
    """Judgements as ir_measures reads them."""
    yield ir_measures.Qrel("1", "a", 1)


def scored() -> Iterator[ir_measures.ScoredDoc]:
    """Results as ir_measures reads them."""
    yield ir_measures.ScoredDoc("1", "a", 2.5)


def files(folder: Path) -> tuple[foveal.Qrels, foveal.Run]:
    """What is read from files and written to them."""
    qrels, run = foveal.Qrels.from_dicts(QRELS), foveal.Run.from_dicts(RESULTS, "mine")
    foveal.write_qrels(qrels, folder / "q.jsonl")
    foveal.write_run(run, str(folder / "mine.jsonl"))
    (folder / "topics.tsv").write_text("1\tgreen tea\n")
    topics: foveal.Topics = foveal.read_topics(folder / "topics.tsv")
    assert topics.titles == {"1": "green tea"}
    return foveal.read_qrels(folder / "q.jsonl"), foveal.read_run(folder / "mine.jsonl")


def hits() -> foveal.Run:
    """What a retrieval framework returned, placed by the texts of the documents."""
    docs: foveal.Documents = foveal.read_documents({"a": "one two three"})
    chunks = foveal.read_chunks(
        [{"doc": "a", "text": "one two"}, {"doc": "a", "text": "three"}], docs=docs
    )
    run = foveal.from_hits({"1": [{"doc": "a", "text": "three"}]}, docs, name="hits")
    counted = foveal.count_tokens(run.with_chunks(chunks), docs, whole)
    assert counted.audit is not None
    gold = [{"topic": "1", "doc": "a", "start": 8, "end": 13}]
    scores = foveal.evaluate(gold, counted, ["cR(tokens=1)", "cPmax"], task="rag")
    assert scores.to_dict() == {"recall_at_1_tokens": 1.0, "omega": 1.0}
    return counted


def whole(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """A tokenizer for which every text is one token."""
    return [[(0, len(text))] for text in texts]


def results(folder: Path) -> list[str]:
    """Every function that computes, and what it gives."""
    qrels, run = files(folder)
    runs: foveal.RunsLike = {"mine": run, "other": BY_TOPIC}
    judgements: foveal.QrelsLike = qrels
    measures: foveal.MeasuresLike = ["charP", "AP"]
    scores: foveal.Scores = foveal.evaluate(
        judgements, {"mine": run, "whole": {"1": {"a": 1.0}, "2": {"a": 2.0, "b": 1.0}}}, measures,
        task="focused", like="paper", topics="judged", overlap="once", order=None, rel=1,
    )  # fmt: skip
    comparison: foveal.Comparison = foveal.compare(
        scores, "AP", test="t", tail="two", alpha=0.01, correct="holm", rng=7
    )
    agreement: foveal.Agreement = foveal.agree(scores, ["charP", "AP"], resamples=10)
    both: foveal.AssessorsLike = {"ann": QRELS, "bob": qrels}
    assessors: foveal.AssessorAgreement = foveal.agree_assessors(
        both, {"mine": run, "whole": {"1": {"a": 1.0}, "2": {"a": 2.0, "b": 1.0}}}, "AP",
        resamples=10, alpha=0.1, rng=7, rel=1,
    )  # fmt: skip
    fidelity: foveal.Fidelity = foveal.fidelity(qrels, measures="AgP")
    stability: foveal.Stability = foveal.stability(
        qrels, runs, "AP", experiment="topics", levels=[50], samples=2
    )
    one = foveal.evaluate(qrels, run, "AP").require({"AP": 0.0})
    (folder / "scores.json").write_text(foveal.render(one, "json", per_topic=True))
    gate: foveal.Gate = foveal.gate(
        one, {"AP": 0.1}, baseline=foveal.read_scores(folder / "scores.json"), max_drop=0.02
    )
    assert one.documents("mine").height == one.documents().height <= one.results().height
    assert gate.holds == bool(foveal.gate(one, ["AP>=0.1"]))
    assert float(one) == one["AP"] == one.to_dict()["AP"]
    findings: foveal.Findings = foveal.check(run, qrels, task="focused")
    explanation: foveal.Explanation = foveal.explain(
        qrels, run, topic="2", doc="b", docs={"b": "Honey"}, against=BY_TOPIC, measure="charR"
    )
    explanation.save(folder / "explanation.html")
    pool: foveal.Pool = foveal.pool(runs, depth=10, unit="results", order="depth", judged=qrels)
    foveal.write_pool(foveal.pool(runs, documents=2, order="random", rng=7), folder / "pool.jsonl")
    assert foveal.read_pool(folder / "pool.jsonl").frame.height == 4
    report: foveal.Report = foveal.report(
        qrels, runs, "AP", titles={"1": "tea"}, task="document", test="t", alpha=0.01, rng=7
    )
    report.save(folder / "report.html")
    figure: foveal.Figure = foveal.figure(comparison, "means")
    figure.save(folder / "means.csv")
    printed = [foveal.render(scores, to="latex", per_topic=True), foveal.render(scores, "csv")]
    studies = (fidelity, stability, findings, pool, report, explanation)
    for result in (scores, comparison, agreement, assessors, gate, *studies):
        printed += [foveal.render(result, to="markdown"), str(result), repr(result)]
    return printed


def elements(folder: Path) -> foveal.Repair:
    """An offset index, and what is done with it."""
    (folder / "a.xml").write_text("<a>123456789</a>")
    build_index([str(folder / "a.xml")], folder / "INDEX")
    index = foveal.open_index(folder / "INDEX")
    run: foveal.RunLike = [{"topic": "1", "doc": "a"}]
    foveal.fidelity([QRELS[0]], index, ["AgP"], noise="shift", samples=1, rng=1)
    foveal.check([{"topic": "1", "doc": "b"}], elements=index)
    try:
        foveal.read_run(folder / "nothing", elements=index)
    except foveal.FovealError as error:
        (folder / "error.txt").write_text(str(error))
    return foveal.repair(run, task="focused", characters=5, elements=index)


def texts(folder: Path) -> str:
    """The texts of documents, and hits and runs that are compared with them."""
    (folder / "texts").mkdir()
    (folder / "texts" / "a.txt").write_text("One fish. Two fish.")
    docs: foveal.Documents = foveal.read_documents(folder / "texts")
    foveal.read_documents({"a": "One fish."})
    run = foveal.from_hits({"1": [{"doc": "a", "text": "Two fish."}]}, docs, name="mine")
    foveal.from_hits({"1": [("Two fish.", 0.5)]}, {"a": "Two fish."}, copies="first", count="bytes")
    chunks = [{"doc": "a", "text": "One fish."}, {"doc": "a", "text": "Two fish."}]
    foveal.from_hits({"1": ["Two fish."]}, docs, chunks=chunks)
    foveal.write_run(run, folder / "hits.jsonl")
    foveal.read_run(folder / "hits.jsonl", docs=docs, chunks=chunks, copies="refuse")
    foveal.check(folder / "hits.jsonl", docs=docs, task="rag", copies="first")
    foveal.repair(run, docs=docs, task="rag", count="utf16")
    return str(run.audit)
