"""The pages about other programs: every name of theirs is there, and numbers are equal where they say so."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from benchmarks.table import FEATURES, TOOLS
from tools.pages import DOCS
from tools.peer_names import (
    OF_IR_MEASURES,
    OF_RANX,
    OTHER_SETS,
    Shared,
    other_names,
    provider,
    spellings,
    their_measures,
)

import foveal
from foveal.choices import Like
from foveal.errors import FovealError
from foveal.measures import parse, parse_all, trec_values
from foveal.measures._spellings import BY_TREC_NAME

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "own"
TOPICS, DOCUMENTS, TOP = 12, 30, 4
BY_LOGARITHM = {"gm_map": "map", "gm_bpref": "bpref"}
# Columns of our table of tools, and rows of the one in the README; the last column there is for many.
IN_README = {
    "document ids": "measures of ranked documents",
    "text, by character": "passages and character spans",
    "entry points": "best entry points",
    "aspects": "aspects and diversity",
    "significance tests": "significance tests",
    "pages, judging": "pools, judging in the browser, agreement",
}
Grades = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def rows(page: str, header: str) -> Iterator[list[str]]:
    """The cells of the rows of the table on a page of `docs/from` whose first heads are these."""
    text = (DOCS / "from" / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^\| {re.escape(header)} \|.*\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    for line in found.splitlines():
        yield [cell.strip() for cell in line.strip("|").split(" | ")]


def names_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def world(*, tied: bool = False) -> tuple[Grades, Run]:
    """Judgements and a run, with unjudged documents; gdeval wants whole numbers as topics."""
    rng = np.random.default_rng(21)
    qrels, run = {}, {}
    for topic in map(str, range(1, TOPICS + 1)):
        judged = rng.permutation(DOCUMENTS)[:12]
        qrels[topic] = {f"d{doc}": int(rng.integers(TOP + 1)) for doc in judged} | {"top": TOP}
        found = rng.permutation(DOCUMENTS)[: rng.integers(5, 25)]
        scores = rng.integers(5, size=len(found)) if tied else rng.permutation(100)[: len(found)]
        run[topic] = {f"d{doc}": float(score) for doc, score in zip(found, scores, strict=True)}
    return qrels, run


@cache
def aspects() -> list[ir_measures.Qrel]:
    """Judgements of the same topics by aspect."""
    rng = np.random.default_rng(22)
    return [
        ir_measures.Qrel(topic, document, int(rng.integers(2)), aspect)
        for topic, documents in world()[0].items()
        for document in documents
        for aspect in "ab"
    ]


def test_every_name_of_trec_eval_is_on_its_page() -> None:
    listed = [
        names_in(row[0])[0] for row in rows("trec_eval.md", "trec_eval | foveal | what it is")
    ]
    missing = {
        name for row in rows("trec_eval.md", "trec_eval | needs") for name in names_in(row[0])
    }
    known = pytrec_eval.supported_measures.union(*pytrec_eval.supported_nicknames.values())
    assert set(listed) == set(BY_TREC_NAME) > pytrec_eval.supported_measures
    assert missing == {name for several in OTHER_SETS for name in other_names(several)}
    assert known == missing | (known & set(listed))


def test_every_name_of_pytrec_eval_is_on_its_page() -> None:
    table = list(
        rows("pytrec_eval.md", "ask pytrec_eval for | key in its result | column in foveal")
    )
    asked = [re.split(r"\.(?=\d)", names_in(row[0])[0])[0] for row in table]
    assert sorted(asked) == sorted(pytrec_eval.supported_measures)
    evaluator = pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, pytrec_eval.supported_measures)
    keys = evaluator.evaluate({"1": {"a": 1.0}})["1"]
    for _, key, ours in table:
        assert names_in(key)[0] in keys
        assert all(str(parse(name)) == name for name in names_in(ours))


@pytest.mark.parametrize("tied", [False, True])
def test_numbers_are_those_of_pytrec_eval(tied: bool) -> None:
    qrels, run = world(tied=tied)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    asked = [
        value
        for value in trec_values(sorted(pytrec_eval.supported_measures), Like.TREC_EVAL_9)
        if value.spelling
    ]
    assert {value.measure.name for value in asked} == pytrec_eval.supported_measures - {
        "runid", "relstring",
    }  # fmt: skip
    ours = foveal.evaluate(qrels, run, [value.spelling for value in asked], like="trec_eval-9")
    for row in ours.topics.iter_rows(named=True):
        for value in asked:
            expected = theirs[row["topic"]][value.printed_name]
            if value.measure.name in BY_LOGARITHM:
                expected = np.exp(expected)
            found = row[str(parse(value.spelling))]
            assert found == pytest.approx(expected, abs=1e-9), (row["topic"], value.printed_name)


def test_every_name_of_ir_measures_is_on_its_page() -> None:
    shared = {
        name
        for row in rows("ir_measures.md", "ir_measures | foveal | what it is")
        for name in names_in(row[0])
    }
    missing = {
        name for row in rows("ir_measures.md", "ir_measures | instead") for name in names_in(row[0])
    }
    assert not shared & missing
    assert shared | missing == set(their_measures())
    for name in missing:
        with pytest.raises(FovealError):
            parse(name)
    for name in shared:
        # Some need a rank or a recall level.
        assert any(_is_read(f"{name}{behind}") for behind in ("", "@5", "@0.3")), name


def _is_read(name: str) -> bool:
    try:
        return bool(parse_all([name]))
    except FovealError:
        return False


SHARED = {name: known for name, known in OF_IR_MEASURES.items() if isinstance(known, Shared)}
# Spellings by the program that computes them: theirs, ours, and how close numbers are.
COMPARED: dict[str, list[tuple[str, str, float]]] = {}
for _known in SHARED.values():
    for _theirs, _ours in _known.spellings:
        COMPARED.setdefault(provider(_theirs), []).append((_theirs, _ours, _known.close))


def assert_like_ir_measures(
    qrels: Any, run: Run, asked: list[tuple[str, str, float]], **choices: Any
) -> None:
    measures = [ir_measures.parse_measure(theirs) for theirs, _, _ in asked]
    found = foveal.evaluate(qrels, run, [ours for _, ours, _ in asked], **choices).topics
    ours = {row["topic"]: row for row in found.iter_rows(named=True)}
    # One by one: beside a measure of judged documents only, NumRet counts no others, at times.
    theirs = {
        (found.query_id, measure): found.value
        for measure in measures
        for found in ir_measures.iter_calc([measure], qrels, run)
    }
    assert len(theirs) == TOPICS * len(asked)
    for (topic, measure), value in theirs.items():
        _, name, close = asked[measures.index(measure)]
        assert ours[topic][str(parse(name))] == pytest.approx(value, abs=close), (topic, name)


@pytest.mark.parametrize("source", COMPARED)
def test_numbers_are_those_of_ir_measures(source: str) -> None:
    if source == "gdeval" and shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl script, and Perl is not on this machine")
    qrels, run = world()
    assert_like_ir_measures(aspects() if source == "pyndeval" else qrels, run, COMPARED[source])


def test_what_pytrec_eval_computes_for_ir_measures_has_the_same_ties() -> None:
    qrels, run = world(tied=True)
    assert_like_ir_measures(
        qrels, run, COMPARED["pytrec_eval"], like="trec_eval-9", topics="judged"
    )


def test_other_spellings_of_ir_measures_mean_the_same() -> None:
    for name in SHARED:
        behind = next(end for end in ("", "@5", "@0.3") if _is_read(name + end))
        records = {parse_all([other + behind])[0].record.name for other in spellings(name)}
        assert records <= {parse(name + behind).record.name, "SetRelP", "NumRelRet"}, name


@pytest.mark.parametrize(("theirs", "ours", "remark"), OF_RANX, ids=[row[0] for row in OF_RANX])
def test_a_name_of_ranx_is_read_as_the_page_says(theirs: str, ours: str, remark: str) -> None:
    if theirs.startswith("…"):
        assert str(parse(f"map@100{theirs[1:]}")) == f"AP{ours}@100"
        return
    spelled, meant = theirs.replace("@k", "@5"), ours.replace("@k", "@5")
    try:
        found = [str(measure) for measure in parse_all([spelled])]
    except FovealError:
        found = []
    is_read = bool(meant) and found == [str(parse(meant))]
    assert is_read or remark


def test_every_line_of_the_inex_program_is_on_its_page() -> None:
    table = list(rows("inex_eval.md", "line | measure | what it is"))
    listed = {name for row in table for name in names_in(row[0])}
    printed = {
        re.sub(r"\[[\d.]+\]|\.\d\.\d\d$", "", line.split()[0])
        for report in GOLDEN.glob("*.inex_eval-3.1.txt")
        for line in report.read_text(encoding="utf-8").splitlines()
        if not line.startswith(("<eval", "</eval"))
    }
    assert {re.sub(r"\[\w\]|\.x$", "", name) for name in listed} == printed
    for line, measure, _ in table:
        for name in names_in(line if measure == "the same names" else measure):
            if name not in {"bic", "ric"}:
                parse(re.sub(r"(?<=@)r", "5", name.replace("[x]", "[0.10]")))


def test_both_tables_of_tools_say_the_same() -> None:
    text = (DOCS / "from" / "README.md").read_text(encoding="utf-8")
    heads, _, *table = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", text, re.MULTILINE)
    )
    assert [name for name, *_ in table if name in TOOLS] == [*TOOLS[:-1]]
    for column, feature in IN_README.items():
        place = heads.index(column)
        assert [row[0] for row in table if row[place] and row[0] in TOOLS] == [
            tool for tool in TOOLS[:-1] if tool in FEATURES[feature]
        ], column
