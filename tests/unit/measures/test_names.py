"""How measures are spelled: many ways in, one way out."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Like, Task
from foveal.conventions import Choices, Conventions
from foveal.errors import BadParameter, UnknownMeasure, UsageError
from foveal.evaluation import evaluate
from foveal.measures import REGISTRY, parse, parse_all, record_of, task_measures
from foveal.measures._parameters import (
    Gains,
    Number,
    Numbers,
    OneOf,
    Parameter,
    RecallLevel,
    Share,
    TopGrade,
    Whole,
    YesNo,
)
from tests.examples import examples

PAPER = Conventions()
OFFICIAL = Choices(like=Like.INEX_EVAL).conventions(Task.RIC)


WORDS = {
    YesNo: ["True", "False", "true"],
    TopGrade: ["topic", "'topic'", "4", "0.5"],
    Numbers: ["0.2/0.5/0.8", "0.5", "1/0"],
    Gains: ["1:3.5/2:9", "2:-1", "0:0.25"],
}


def values(parameter: Parameter) -> st.SearchStrategy[str]:
    """Spellings of a parameter's values."""
    if type(parameter) in WORDS:
        return st.sampled_from(WORDS[type(parameter)])
    match parameter:
        case OneOf():
            return st.sampled_from(parameter.words)
        case Number():
            numbers = st.floats(max(parameter.minimum, -1e9), 1e9, exclude_min=parameter.exclusive)
            return numbers.map(repr) | st.integers(1, 9).map(str)
        case RecallLevel() | Share():
            return st.decimals(0, 1, places=6).map(str) | st.decimals(0, 1, places=1).map(str)
        case Whole():
            return st.integers(1, 10**9).map(str)
    # A new kind of parameter must not slip through the laws unspelled.
    raise TypeError(f"say above how {type(parameter).__name__} is spelled")


@st.composite
def spellings(draw: st.DrawFn, name: str) -> str:
    """A record's name or alias with some of its parameters, in any order, loosely spaced."""
    record = REGISTRY[name]
    written = draw(st.sampled_from([record.name, *record.aliases]))
    inner = [parameter for parameter in record.parameters if parameter is not record.suffix]
    chosen = draw(st.lists(st.sampled_from(inner), unique=True, max_size=2)) if inner else []
    inside = [f"{p.name}{draw(st.sampled_from(['=', ' = ']))}{draw(values(p))}" for p in chosen]
    behind = ""
    if record.suffix is not None:
        shape = draw(st.sampled_from(["@{}", "[{}]"]))
        behind = shape.format(draw(values(record.suffix)))
    brackets = f"({draw(st.sampled_from([',', ' , '])).join(inside)})" if inside else ""
    return written + brackets + behind


@pytest.mark.parametrize("decided", [PAPER, OFFICIAL], ids=["paper", "inex_eval"])
@pytest.mark.parametrize("name", REGISTRY)
@given(data=st.data())
@examples(10)
def test_a_canonical_name_parses_back_to_its_measure(
    name: str, decided: Conventions, data: st.DataObject
) -> None:
    text = data.draw(spellings(name))
    try:
        measure = parse(text, decided)
    except UsageError:
        return  # Parameters drawn at random need not belong together; P[5] is ambiguous.
    again = parse(str(measure), decided)
    assert again == measure
    assert again.arguments == measure.arguments
    assert str(again) == str(measure)
    assert hash(again) == hash(measure)
    assert record_of(str(measure)) is measure.record is REGISTRY[name]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AiP", "AiP"),
        ("MAiP", "AiP"),
        ("iAP", "AiP"),
        ("iMAP", "AiP"),
        ("MAgP", "AgP"),
        ("AgP'", "AgPt"),
        ("gP[10]", "gP@10"),
        ("gP(S=bep)[10]", "gP(S=bep)@10"),
        ("iP@0.01", "iP[0.01]"),
        ("iP [0.1R]", "iP[0.10]"),
        ("iP[0.0R]", "iP[0.00]"),
        ("iP[0.01R]", "iP[0.01]"),
        ("igP(S=bep)[0.1R]", "igP(S=bep)[0.10]"),
        ("gR'[5]", "gRt@5"),
        ("gR'@5", "gRt@5"),
        ("igP'[0.1]", "igPt[0.10]"),
        ("iAgP'", "iAgPt"),
        ("char_prec", "charP"),
        ("char_rec", "charR"),
        ("char_f1", "charF"),
        ("  AgP  ", "AgP"),
        ("AgP()", "AgP"),
        ("cP(chars = 500)", "cP(chars=500)"),
        ("cP@010", "cP@10"),
    ],
)
def test_spellings_of_the_papers_and_programs_are_read(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("iP[0]", "iP[0.00]"),
        ("iP[1]", "iP[1.00]"),
        ("iP[0.1]", "iP[0.10]"),
        ("iP[.5]", "iP[0.50]"),
        ("iP[0.100]", "iP[0.10]"),
        ("iP[0.125]", "iP[0.125]"),
        ("iP[0.000001]", "iP[0.000001]"),
        ("iP[1e-2]", "iP[0.01]"),
        ("igPt(S=rel)[0.3]", "igPt(S=rel)[0.30]"),
    ],
)
def test_recall_levels_have_two_decimals_and_no_more_than_needed(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@given(st.decimals(0, 1, places=6))
def test_recall_levels_are_exact_decimals(level: Decimal) -> None:
    assert dict(parse(f"iP[{level}]").arguments)["x"] == level


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AgP(S=F)", "AgP"),
        ("AgP(beta=1)", "AgP"),
        ("AgP(beta=1.0,S=F)", "AgP"),
        ("AgP(S=F,beta=0.25)", "AgP(beta=0.25)"),
        ("AgP(beta=-0)", "AgP(beta=0)"),
        ("AgP(beta=2e0)", "AgP(beta=2)"),
        ("AgP(S=bep,A=0.1)", "AgP(S=bep)"),
        ("AgP(A=0.2,S=bep)", "AgP(S=bep,A=0.2)"),
        ("AgP(n=1000,S=bep)", "AgP(S=bep,n=1000)"),
        ("AgP(irr=300,S=t2i)", "AgP(S=t2i)"),
        ("MAgP(S='ranked')", "AgP(S=ranked)"),
        ("gP(S=ranked)[10]", "gP(S=ranked)@10"),
        ("igP(S=ranked)[0.1]", "igP(S=ranked)[0.10]"),
        ("AgP(irr=50,S=t2i)", "AgP(S=t2i,irr=50)"),
        ("gP(beta=2,S=F)@5", "gP(beta=2)@5"),
        ("AgP(S='bep')", "AgP(S=bep)"),
        ('AgP(S="rel")', "AgP(S=rel)"),
    ],
)
def test_defaults_are_left_out_and_parameters_come_in_their_order(
    text: str, canonical: str
) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "canonical", "arguments"),
    [
        ("AgP", "AgP", {"S": "F", "beta": 0.25}),
        ("AgP(beta=0.25)", "AgP", {"S": "F", "beta": 0.25}),
        ("AgP(beta=1)", "AgP(beta=1)", {"S": "F", "beta": 1.0}),
        ("AgP(S=bep)", "AgP(S=bep)", {"S": "bep", "n": 500}),
        ("AgP(S=bep,n=500)", "AgP(S=bep)", {"S": "bep", "n": 500}),
        ("AgP(S=bep,n=1000)", "AgP(S=bep,n=1000)", {"S": "bep", "n": 1000}),
        ("AgP(S=bep,A=0.1)", "AgP(S=bep,A=0.1)", {"S": "bep", "A": 0.1}),
        ("AgP(S=t2i)", "AgP(S=t2i)", {"S": "t2i", "irr": 300}),
    ],
)
def test_like_inex_eval_changes_defaults_only(
    text: str, canonical: str, arguments: dict[str, object]
) -> None:
    measure = parse(text, OFFICIAL)
    assert str(measure) == canonical
    assert dict(measure.arguments) == arguments


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("P[5]", "cP@5 or P@5?"),
        ("P[10]", "cP@10 or P@10?"),
        ("R[5]", "cR@5 or R@5?"),
        ("F[5]", "cF@5 or F@5?"),
    ],
)
def test_precision_in_square_brackets_is_ambiguous(text: str, question: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(text)
    assert question in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("AgP(n=5)", "n does not belong to S=F"),
        ("AgP(S=P,beta=2)", "beta does not belong to S=P"),
        ("AgP(S=R,beta=1)", "beta does not belong to S=R"),
        ("AgP(S=bep,beta=1)", "beta does not belong to S=bep"),
        ("AgP(S=bep,irr=5)", "irr does not belong to S=bep"),
        ("AgP(S=t2i,A=1)", "A does not belong to S=t2i"),
        ("AgP(S=ranked,beta=2)", "beta does not belong to S=ranked"),
        ("AgP(S=rel,irr=5)", "irr does not belong to S=rel"),
        ("AgP(S=bep,A=0.1,n=500)", "A and n"),
        ("AgP(S=G)", "S must be F, P, R, bep, t2i, ranked or rel, got 'G'"),
        ("AgP(gamma=1)", "unknown parameter 'gamma'; it takes S, beta, A, n, irr"),
        ("AgP(beta)", "beta needs a value, as in beta=…"),
        ("AgP(beta=1,beta=2)", "beta is given twice"),
        ("AiP(S=F)", "unknown parameter 'S'; it takes none"),
        ("iP(x=0.1)", "write x after the name, as in iP[0.1]"),
        ("P(k)", "write k after the name, as in P@k"),
        ("AgP@5", "it takes no cut-off or recall level, got 5"),
        ("AiP[0.1]", "it takes no cut-off or recall level, got 0.1"),
        ("gP", "give a rank"),
        ("igP", "give a recall level"),
        ("iP", "give a recall level"),
        ("cP", "give either a rank (@10), a budget of characters (chars=1000) or one of tokens"),
        ("cP(chars=10)@5", "give either a rank (@10), a budget of characters (chars=1000) or one"),
        ("cP(chars=10,tokens=5)", "give either a rank (@10), a budget of characters (chars=1000)"),
        ("cP(whole=True)@5", "whole needs a budget: chars or tokens"),
        ("hit(min=0)@5", "min must be greater than 0, got 0"),
        ("spanF(iou=1.5)", "iou must be a share between 0 and 1, got 1.5"),
        ("partP", "give a rank, as in @10"),
        ("NumTN", "give the number of documents in the collection, as in NumTN(N=659388)"),
        ("NumTN(rel=2)", "give the number of documents in the collection, as in NumTN(N=659388)"),
        ("NumTN(N=0)", "N must be a whole number between 1 and"),
        ("NumTP(N=5)", "unknown parameter 'N'; it takes rel, judged_only"),
        ("iP[2R]", "x must be a recall level between 0 and 1, got '2R'"),
        ("iP[0.1RR]", "x must be a recall level between 0 and 1, got '0.1RR'"),
        ("iP[R]", "x must be a recall level between 0 and 1, got 'R'"),
        ("iP[0.1r]", "x must be a recall level between 0 and 1, got '0.1r'"),
    ],
)
def test_parameters_that_do_not_belong_are_refused(text: str, reason: str) -> None:
    with pytest.raises(BadParameter) as refused:
        parse(text)
    assert repr(text) in str(refused.value)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        *(f"cP@{rank}" for rank in ("0", "-1", "+5", "1.5", "1e3", "1_0", "٣", "10000000000")),
        "cP@0000000000019999999999",
        *(f"iP[{level}]" for level in ("-0.1", "1.01", "nan", "inf", "x", "0_1", "٠", "0,5")),
        "iP[0.1234567]",
        "iP[1e-999999999]",
        *(f"AgP(beta={beta})" for beta in ("-1", "nan", "inf", "1e400", "1_0", "٣", "")),
        *(f"AgP(S=bep,A={share})" for share in ("0", "-0", "-0.1", "nan")),
        *(f"AgP(S=bep,n={reach})" for reach in ("0", "-5", "2.5")),
        *(f"AgP(S=t2i,irr={irr})" for irr in ("0", "-5", "2.5")),
        "cP(chars=0)",
    ],
)
def test_numbers_out_of_range_are_refused(text: str) -> None:
    with pytest.raises(BadParameter, match=r"must (be|have) .*, got"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("P@0", "k must be a whole number between 1 and 1,000,000,000, got 0"),
        ("P@ten", "k must be a whole number between 1 and 1,000,000,000, got 'ten'"),
        ("iP[2]", "x must be a recall level between 0 and 1, got 2"),
        ("iP[0.1234567]", "x must have at most 6 decimals, got 0.1234567"),
        ("AgP(beta=-1)", "beta must be a number between 0 and 1,000,000,000, got -1"),
        ("AgP(S=bep,A=0)", "A must be a number greater than 0 and at most 1,000,000,000, got 0"),
        ("RBP(p=1)", "p must be less than 1, got 1: no reader goes on for ever"),
        ("P(judged_only=2)@5", "judged_only must be True or False, got 2"),
        ("11ptAvg(levels=2)", "each of the levels must be a number between 0 and 1, got 2"),
        ("11ptAvg(levels=1/1)", "levels must name each number once, got '1/1'"),
        ("CG(gains=1:x)", "a gain in gains must be a number between"),
        ("CG(gains=1:2/1:3)", "gains must name each grade once, got '1:2/1:3'"),
    ],
)
def test_a_refused_value_is_shown_with_what_it_must_be(text: str, reason: str) -> None:
    with pytest.raises(BadParameter) as refused:
        parse(text)
    assert f"measure {text!r}: {reason}" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("AGP", "AgP or "),
        ("AgPP", "AgP or "),
        ("charp", "charP or "),
        ("MAIP", "AiP or "),
        ("iagpt", "iAgPt or "),
        ("ndgc@10", "nDCG@10 or "),
        ("ip[0.1]", "iP[0.10] or "),
        ("gRT@5", "gRt@5 or "),
        ("cp@10", "cP@10 or "),
        ("agp(S=bep)", "AgP(S=bep) or "),
        ("ndgc(depth=5)@10", "nDCG@10 or "),
        ("AgP(S=F", "AgP or "),
        ("MAIP@5", "AiP or "),
    ],
)
def test_unknown_names_get_suggestions_that_can_be_typed(text: str, suggestion: str) -> None:
    with pytest.raises(UnknownMeasure) as refused:
        parse(text)
    assert f"unknown measure {text!r}; did you mean {suggestion}" in str(refused.value)
    assert "…" not in str(refused.value)


@pytest.mark.parametrize("text", ["patience", "early", "coverage", "mine@5"])
def test_names_that_are_not_near_are_not_suggested(text: str) -> None:
    with pytest.raises(UnknownMeasure) as refused:
        parse(text)
    assert str(refused.value) == f"unknown measure {text!r} (`foveal measures` lists them all)"


@pytest.mark.parametrize(
    "text", ["", "  ", "(", "@5", "[0.1]", "gP@", "gP@5@5", "iP[0.1", "iP]0.1[", "AgP(S=F", "§"]
)
def test_what_is_no_name_at_all_is_an_unknown_measure(text: str) -> None:
    with pytest.raises(UnknownMeasure, match="unknown measure"):
        parse(text)


def test_no_spelling_means_two_measures() -> None:
    spelled = [text for record in REGISTRY.values() for text in (record.name, *record.aliases)]
    assert len(spelled) == len(set(spelled))


def test_a_measure_named_twice_is_computed_once() -> None:
    parsed = parse_all(["AgP", "MAgP", "AiP", "AgP(S=F,beta=1)", "iAP", "iP[0]", "iP@0.00"])
    assert [str(measure) for measure in parsed] == ["AgP", "AiP", "iP[0.00]"]


def test_the_mean_row_carries_the_canonical_name() -> None:
    qrels = [{"topic": "1", "doc": "a", "length": 9, "highlights": [[0, 9]]}]
    run = [{"topic": "1", "doc": "a", "start": 0, "end": 9}]
    rows = evaluate(qrels, run, ["MAiP", "gP[10]"]).rows()
    assert rows.filter(topic="all")["measure"].to_list() == ["AiP", "gP@10"]


@pytest.mark.parametrize(
    ("task", "names"),
    [
        (Task.FOCUSED, "iP[0.00] iP[0.01] iP[0.05] iP[0.10] AiP charP charR charF"),
        (Task.THOROUGH, "iP[0.00] iP[0.01] iP[0.05] iP[0.10] AiP charP charR charF"),
        (Task.RIC, "gP@5 gP@10 gP@25 gP@50 AgP"),
        (Task.BIC, "gP(S=bep)@5 gP(S=bep)@10 gP(S=bep)@25 gP(S=bep)@50 AgP(S=bep)"),
    ],
)
def test_a_task_picks_its_measures(task: Task, names: str) -> None:
    assert task_measures(task, Like.PAPER) == names.split()


@pytest.mark.parametrize("like", Like)
@pytest.mark.parametrize("task", Task)
def test_the_measures_of_a_task_are_spelled_canonically(task: Task, like: Like) -> None:
    decided = Choices(like=like).conventions(task)
    names = task_measures(task, like)
    assert list(dict.fromkeys(names)) == list(
        dict.fromkeys(str(parse(name, decided)) for name in names)
    )


def test_measures_of_ir_measures_go_by_what_they_write() -> None:
    theirs = pytest.importorskip("ir_measures")
    qrels, run = {"1": {"d": 2, "e": 1}}, {"1": {"d": 1.0, "x": 2.0}}
    asked = [theirs.AP(rel=2), theirs.nDCG @ 10, theirs.IPrec @ 0.1, theirs.SetF(beta=2)]
    assert evaluate(qrels, run, asked).measures == [
        "AP(rel=2)",
        "nDCG@10",
        "IPrec@0.1",
        "SetF(beta=2)",
    ]
    assert evaluate(qrels, run, theirs.P @ 5).measures == evaluate(qrels, run, "P@5").measures


def test_measures_of_ir_measures_that_write_themselves_as_others() -> None:
    theirs = pytest.importorskip("ir_measures")
    asked = [
        theirs.NumRet, theirs.NumRelRet, theirs.NumRet(rel=2), theirs.SetP, theirs.SetRelP,
        theirs.SetP(relative=True, rel=2), theirs.nDCG(gains={1: 2, 3: 10}) @ 5,
    ]  # fmt: skip
    assert [str(parse(str(measure))) for measure in asked] == [
        "NumRet", "NumRelRet", "NumRelRet(rel=2)", "SetP", "SetRelP", "SetRelP(rel=2)",
        "nDCG(gains=1:2/3:10)@5",
    ]  # fmt: skip
