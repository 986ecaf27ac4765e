"""What `foveal measures` tells of a measure, and which it lists."""

from __future__ import annotations

import re

import pytest

from foveal.choices import Answers
from foveal.measures import DOCUMENT_SCORES, REGISTRY, parse
from tests.cli.calling import foveal
from tests.each import each


def parameters(name: str) -> dict[str, str]:
    """The parameters that the command shows of a measure, each with its value."""
    _, _, told = foveal("measures", name).out.partition("\nparameters\n")
    rows = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in told.splitlines()]
    return {
        row[0].split()[0]: " ".join(row[0].split()[1:]) or row[1].split("  ")[0] for row in rows
    }


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("AgP(S=F)", {"S": "F", "beta": "1 (default; 0.25 with --like inex_eval)"}),
        ("AgP(beta=1)", {"S": "F (default)", "beta": "1"}),
        ("AgP(S=P)", {"S": "P"}),
        (
            "AgP(S=bep)",
            {
                "S": "bep",
                "A": "0.1 (default)",
                "n": "none, A is used (500 with --like inex_eval)",
            },
        ),
        ("AgP(S=bep,A=0.1)", {"S": "bep", "A": "0.1", "n": "none, A is used"}),
        ("AgP(S=bep,n=1000)", {"S": "bep", "A": "none, n is used", "n": "1000"}),
        ("AgP(S=t2i)", {"S": "t2i", "irr": "300 (default)"}),
        (
            "gP@10",
            {"S": "F (default)", "beta": "1 (default; 0.25 with --like inex_eval)", "r": "10"},
        ),
        ("cP@5", {"chars": "none", "tokens": "none", "whole": "False", "r": "5"}),
        ("P(rel=2)@10", {"rel": "2", "judged_only": "False (default)", "k": "10"}),
        ("AP", {"rel": "1 (default)", "judged_only": "False (default)", "k": "the whole list"}),
        ("P", {"rel": "1 (default)", "judged_only": "False (default)", "k": "required"}),
        ("SetF(rel=1)", {"rel": "1", "judged_only": "False (default)", "beta": "1 (default)"}),
        (
            "DCG(log_b=2)@10",
            {
                "dcg": "log2 (default)",
                "log_b": "2",
                "rel": "0 (default)",
                "judged_only": "False (default)",
                "gains": "a grade is its own gain",
                "k": "10",
            },
        ),
    ],
)
def test_every_parameter_is_shown_with_the_value_in_force(
    name: str, values: dict[str, str]
) -> None:
    assert parameters(name) == values


@each("name", REGISTRY)
def test_a_bare_name_shows_every_parameter_of_the_measure(name: str) -> None:
    told = foveal("measures", name).out
    record = REGISTRY[name]
    of_scores = {own.name for score in DOCUMENT_SCORES.values() for own in score.parameters}
    for parameter in record.parameters:
        if record.by_score or "S" not in told or parameter.name not in of_scores:
            assert re.search(rf"^ +{parameter.name} +\S", told, re.MULTILINE)


def test_a_measure_is_explained_with_the_formula_of_its_document_score() -> None:
    told = foveal("measures", "AgP(S=bep)").out
    assert REGISTRY["AgP"].formula in told
    assert DOCUMENT_SCORES["bep"].formula in told
    assert DOCUMENT_SCORES["bep"].sentence in told
    assert DOCUMENT_SCORES["F"].formula not in told
    by_reach = foveal("measures", "AgP(S=bep,n=500)").out
    assert DOCUMENT_SCORES["bep"].formula_with["n"] in by_reach
    assert DOCUMENT_SCORES["bep"].formula not in by_reach


def test_a_measure_of_documents_with_parts_lists_the_document_scores() -> None:
    told = foveal("measures", "AgP").out
    for score in DOCUMENT_SCORES.values():
        assert f"  S={score.name}" in told
        assert score.formula in told
    assert re.search(r"^ +irr +300 \(default\) ", told, re.MULTILINE)
    assert "document scores" not in foveal("measures", "gR").out


@pytest.mark.parametrize("name", ["DCG", "nDCG", "DCG@10", "nDCG@10", "iDCG"])
def test_where_a_default_is_not_that_of_the_paper_it_is_said(name: str) -> None:
    told = foveal("measures", name).out
    assert f"max(1, log_b rank): {name.partition('@')[0]}(log_b=2)@k." in told
    assert "also with --like paper" in told


def test_the_help_of_like_says_that_measures_can_differ_from_their_papers() -> None:
    told = " ".join(foveal("evaluate", "--help").out.split())
    assert "DCG(log_b=2)" in told


@pytest.mark.parametrize(
    ("name", "answers", "order", "relevance"),
    [
        ("AgP(S=bep)", "compound-single: ranked documents, each with one part", "rank", "graded"),
        ("AgP(S=rel)", "ranked: a ranked list of documents", "rank", "binary"),
        ("AgPt(S=rel)", "ranked: a ranked list of documents", "rank", "graded"),
        ("charP", "set: parts in no particular order", "set", "graded"),
        ("CG", "set: documents in no particular order; ranked", "set", "graded"),
        ("CG@10", "ranked: a ranked list of documents", "rank", "graded"),
        ("P@1", "single: one document", "rank", "binary"),
        ("cP@1", "single: one part", "rank", "graded"),
        ("RBP", "ranked: a ranked list of documents; single: one document (@1)", "rank", "graded"),
        ("RBP(rel=1)", "ranked: a ranked list of documents", "rank", "binary"),
    ],
)
def test_what_a_measure_scores_is_told_as_it_is_asked_for(
    name: str, answers: str, order: str, relevance: str
) -> None:
    told = foveal("measures", name).out
    assert f"\nanswers       {answers}" in told
    assert f"\norder         {order}-based" in told
    assert f"\nrelevance     {relevance}" in told


def test_a_property_of_the_judgements_scores_no_answers() -> None:
    told = foveal("measures", "NumRel").out
    assert "answers       none: it does not depend on what a run returns" in told
    assert "\norder" not in told


@pytest.mark.parametrize("kind", Answers)
def test_the_measures_of_a_kind_of_answers_can_be_listed(kind: Answers) -> None:
    answer = foveal("measures", "--answers", kind.value)
    assert answer.code == 0
    listed = re.findall(r"^  (\S+) ", answer.out, re.MULTILINE)
    if not listed:
        assert answer.out == f"No measure scores {kind.value} answers ({kind.sentence}).\n"
        return
    assert answer.out.endswith("foveal measures NAME explains one of them.\n")
    for shape in listed:
        name = re.sub(r"@[rk]$", "@10", shape).replace("…", "100")
        name = re.sub(r"\[x\]$|@x$", "@0.1", name)
        assert str(parse(name))
        assert f"\nanswers       {kind.value}: " in foveal("measures", name).out


def test_a_few_measures_stand_where_they_belong() -> None:
    def lists(kind: str, shape: str) -> bool:
        return f"  {shape} " in foveal("measures", "--answers", kind).out

    assert lists("single", "P@1")
    assert lists("set", "SetF")
    assert lists("set", "charP")
    assert lists("set", "NumTN(N=…)")
    assert lists("ranked", "AP@k")
    assert lists("ranked", "AgP(S=rel)")
    assert lists("compound-set", "AgP")
    assert lists("compound-single", "gP(S=bep)@r")
    assert lists("compound-ranked", "gP(S=ranked)@r")
    assert not lists("ranked", "charP")
    assert not lists("compound-set", "gR@r")


def test_a_mistyped_kind_of_answers_is_answered_with_the_words() -> None:
    answer = foveal("measures", "--answers", "rankd")
    assert answer.code == 2
    assert (
        "--answers must be single, set, ranked, compound-single, compound-set or compound-ranked,"
        " got 'rankd'; did you mean ranked?"
    ) in answer.err


def test_a_word_that_is_no_choice_is_refused_by_the_name_of_its_option() -> None:
    answer = foveal("evaluate", "qrels", "run", "--topics", "all")
    assert answer.code == 2
    assert "Error: --topics must be judged or retrieved, got 'all'\n" in answer.err
    assert "did you mean csv?" in foveal("evaluate", "qrels", "run", "--to", "cvs").err


def test_a_name_and_a_kind_of_answers_exclude_each_other() -> None:
    answer = foveal("measures", "AgP", "--answers", "set")
    assert answer.code == 2
    assert "give NAME or --answers, not both" in answer.err
