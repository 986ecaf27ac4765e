"""The names of other programs' measures beside ours: tables of `docs/from`.

What is written here by hand is what no registry knows: where numbers differ, and why a measure is not
in foveal. `tests/docs/test_peers.py` asks for every name of a peer, and compares the numbers of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from foveal.measures import parse
from foveal.measures._spellings import BY_TREC_NAME, TREC_MEASURES, TrecMeasure
from tools.making import Lines, code, section, table
from tools.measure_pages import file_of

# What trec_eval's other sets of measures need.
OTHER_SETS = {
    "all_prefs": "preferences between documents (`-R prefs`, `-R qrels_prefs`): foveal does not read them",
    "qrels_jg": "several people's judgements in one file (`-R qrels_jg`): foveal takes them "
    "as a column `assessor`, and `--assessors` says whose count",
}


@dataclass(frozen=True)
class Shared:
    """A measure that both programs have.

    `asked` are spellings of ir_measures whose numbers are compared, each with ours if it is another;
    `close` is how near they must be.
    """

    spellings: tuple[tuple[str, str], ...]
    remark: str = ""
    close: float = 1e-9


def _same(*names: str, remark: str = "", close: float = 1e-9) -> Shared:
    return Shared(tuple((name, name) for name in names), remark, close)


_GDEVAL = "gdeval rounds to five decimals, and needs Perl and whole numbers as topics"
_CWL = "`RBP`, `INST` and `BPM` are foveal's measures of this family (C/W/L)"
# gdeval prints five decimals; cwl_eval's readers stop at rank 1,000.
_FIVE_DECIMALS, _UP_TO_RANK_1000 = 0.5e-5 + 1e-12, 1e-3
OF_IR_MEASURES: dict[str, Shared | str] = {
    "AP": _same("AP", "AP@5", "AP(rel=2)", "AP(judged_only=True)"),
    "P": _same("P@5", "P(rel=2)@5", "P(judged_only=True)@5"),
    "R": _same("R@5", "R(rel=2)@5"),
    "RR": _same("RR", "RR@3", "RR(rel=2)"),
    "Rprec": _same("Rprec", "Rprec(rel=2)"),
    "Bpref": _same("Bpref", "Bpref(rel=2)"),
    "infAP": _same("infAP", "infAP(rel=2)"),
    "IPrec": _same(
        "IPrec@0.3",
        remark="the recall level is exact here; theirs is trec_eval 9's",
    ),
    "nDCG": _same(
        "nDCG",
        "nDCG@5",
        "nDCG(judged_only=True)@5",
        "nDCG(gains={1:2,3:9})@5",
        remark="`dcg='exp-log2'`: there only with a cut-off, and by gdeval",
    ),
    "ERR": Shared(
        (("ERR@5", "ERR(max_rel=4)@5"), ("ERR@20", "ERR(max_rel=4)@20")),
        remark=f"theirs is `ERR(max_rel=4)@k`: it assumes grades up to 4; {_GDEVAL}",
        close=_FIVE_DECIMALS,
    ),
    "RBP": _same(
        "RBP(rel=1)",
        "RBP(rel=1,p=0.5)",
        remark="without `rel`, gains here are graded",
    ),
    "INST": _same(
        "INST(max_rel=4)",
        remark="theirs stops at rank 1,000, so that its last digits differ; no `min_rel` here",
        close=_UP_TO_RANK_1000,
    ),
    "BPM": _same("BPM(T=2.0,max_rel=4)@5", remark="no `min_rel` here"),
    "Success": _same("Success@3", "Success(rel=2)@3"),
    "Judged": _same("Judged@5", "Judged@20"),
    "SetP": _same("SetP", "SetP(relative=True)", "SetP(judged_only=True)"),
    "SetR": _same("SetR"),
    "SetF": Shared(
        (("SetF", "SetF"), ("SetF(beta=4.0)", "SetF(beta=2)")),
        remark="their `beta` is the square of ours, which is van Rijsbergen's",
    ),
    "SetAP": _same("SetAP", "SetAP(rel=2)"),
    "NumQ": _same("NumQ", remark="counted over the topics that are averaged"),
    "NumRel": _same("NumRel"),
    "NumRet": _same(
        "NumRet",
        "NumRet(rel=1)",
        remark="ask ir_measures for it alone: in one call with a measure that has "
        "`judged_only=True`, it can count judged documents only",
    ),
    "StRecall": _same("StRecall@3"),
    "P_IA": _same("P_IA@3"),
    "AP_IA": _same("AP_IA"),
    "alpha_DCG": _same("alpha_DCG@3"),
    "alpha_nDCG": _same("alpha_nDCG@3"),
    "ERR_IA": _same("ERR_IA@3"),
    "nERR_IA": _same("nERR_IA@3"),
    "NRBP": _same("NRBP"),
    "nNRBP": _same("nNRBP"),
    "Accuracy": "`Bpref` also counts irrelevant documents above relevant ones",
    "Compat": "no measure: it tells how near a ranking is to an ideal one",
    "INSQ": _CWL,
    "NERR8": _CWL,
    "NERR9": _CWL,
    "NERR10": _CWL,
    "NERR11": _CWL,
    "SDCG": _CWL,
}

# ranx has no list to go over; docs/from/ranx.md compares all numbers where it is installed.
OF_RANX: list[tuple[str, str, str]] = [
    ("hits@k", "NumRelRet@k", ""),
    ("hit_rate@k", "Success@k", "give a rank here; `hit_rate` alone looks at the whole list there"),
    ("precision@k", "P@k", ""),
    ("precision", "SetP", ""),
    ("recall@k", "R@k", ""),
    ("recall", "SetR", "write `SetR`: `recall` is trec_eval's name here, with nine cut-offs"),
    ("f1", "SetF", ""),
    ("f1@k", "", "not in foveal: compute it from `P@k` and `R@k`, topic by topic"),
    ("r-precision", "Rprec", ""),
    ("mrr", "RR", ""),
    ("mrr@k", "RR@k", ""),
    ("map", "AP", ""),
    ("map@k", "AP@k", "divided by all relevant documents in both, not by k"),
    ("dcg@k", "DCG@k", ""),
    ("dcg_burges@k", "DCG(dcg='exp-log2')@k", ""),
    ("ndcg@k", "nDCG@k", ""),
    ("ndcg_burges@k", "nDCG(dcg='exp-log2')@k", ""),
    ("bpref", "Bpref", "ranx gives NaN to a topic without judged irrelevant documents"),
    ("rbp.95", "RBP(p=0.95,rel=1)", "the same for grades of 0 and 1; higher grades weigh more in ranx, so that it can exceed 1"),
    ("…-l2", "(rel=2)", "`map@100-l2` is `AP(rel=2)@100`"),
]  # fmt: skip


@cache
def peer(name: str) -> Any:
    """Another program's package, loaded when it is needed: not every environment has it."""
    return import_module(name)


def their_measures() -> Mapping[str, Any]:
    """Every name that ir_measures knows, and its measure."""
    registry: Mapping[str, Any] = peer("ir_measures.measures").registry
    return registry


def _linked(text: str, example: str) -> str:
    """Our name of a measure, which leads to its page."""
    return f"[{code(text)}](../reference/measures/{file_of(parse(example).record.name)})"


@section("names of trec eval")
def _of_trec_eval() -> Lines:
    rows = [[code(trec_name.name), *_our_measure(trec_name)] for trec_name in TREC_MEASURES]
    return table(["trec_eval", "foveal", "what it is", "remark"], rows)


def _our_measure(measure: TrecMeasure) -> tuple[str, str, str]:
    """Our name of a measure of trec_eval, its title, and what is special about it."""
    if not measure.spelling:
        return "", "text, not a score", "only `foveal trec_eval` prints it"
    remarks = ["new in version 10"] * measure.since_10 + ["no value for a topic"] * measure.only_all
    example = _example(measure)
    return _linked(_shape(measure), example), parse(example).record.title, ", ".join(remarks)


def _shape(measure: TrecMeasure) -> str:
    """Our name of a measure of trec_eval, with a letter for its parameter."""
    return (
        measure.spelling.format("x" if measure.decimal else "k")
        if measure.splits
        else _example(measure)
    )


def _example(measure: TrecMeasure) -> str:
    """Our name of a measure of trec_eval, with the first of its parameters."""
    return (
        measure.spelling.format(measure.defaults[0])
        if measure.splits
        else measure.basic or measure.spelling
    )


@section("missing names of trec eval")
def _not_of_trec_eval() -> Lines:
    rows = [
        [", ".join(map(code, sorted(other_names(name)))), needed]
        for name, needed in OTHER_SETS.items()
    ]
    return table(["trec_eval", "needs"], rows)


def other_names(several: str) -> set[str]:
    """The measures of a set of trec_eval's that foveal does not have."""
    nicknames: Mapping[str, set[str]] = peer("pytrec_eval").supported_nicknames
    return nicknames[several] - BY_TREC_NAME.keys()


@section("names of pytrec eval")
def _of_pytrec_eval() -> Lines:
    supported = peer("pytrec_eval").supported_measures
    rows = [_keys(trec_name) for trec_name in TREC_MEASURES if trec_name.name in supported]
    return table(["ask pytrec_eval for", "key in its result", "column in foveal"], rows)


def _keys(measure: TrecMeasure) -> tuple[str, str, str]:
    """What pytrec_eval is asked for, its first key in the result, and our name of that."""
    if not measure.spelling:
        return code(measure.name), f"{code(measure.name)}, always 0", "none: it is text"
    if not measure.splits:
        return code(measure.name), code(measure.name), _linked(_example(measure), _example(measure))
    first, second = measure.defaults[:2]
    key = f"{measure.name}_{float(first):3.2f}" if measure.decimal else f"{measure.name}_{first}"
    ours = _linked(_example(measure), _example(measure))
    return code(f"{measure.name}.{first},{second}"), f"{code(key)}, …", f"{ours}, …"


@section("names of ir measures")
def _of_ir_measures() -> Lines:
    rows = [
        _row(name, shared) for name, shared in OF_IR_MEASURES.items() if isinstance(shared, Shared)
    ]
    heads = ["ir_measures", "foveal", "what it is", "computed there by", "what differs"]
    return table(heads, rows)


def _row(name: str, shared: Shared) -> tuple[str, ...]:
    records = [parse(our_name).record for _, our_name in shared.spellings]
    names = dict.fromkeys(
        _linked(record.name, our_name)
        for record, (_, our_name) in zip(records, shared.spellings, strict=True)
    )
    providers = dict.fromkeys(provider(their_name) for their_name, _ in shared.spellings)
    their_names = ", ".join(map(code, spellings(name)))
    return their_names, ", ".join(names), records[0].title, ", ".join(providers), shared.remark


def spellings(name: str) -> list[str]:
    """A measure's name in ir_measures, and its other names there."""
    measures = their_measures()
    same_measure = (
        spelling for spelling, measure in measures.items() if type(measure) is type(measures[name])
    )
    return list(dict.fromkeys([name, *same_measure]))


def provider(spelled: str) -> str:
    """The program that ir_measures asks for a measure, if all are installed."""
    ir_measures = peer("ir_measures")
    measure = ir_measures.parse_measure(spelled)
    names = (
        program.NAME
        for program in ir_measures.DefaultPipeline.providers
        if program.supports(measure)
    )
    return str(next(names))


@section("missing names of ir measures")
def _not_of_ir_measures() -> Lines:
    reasons: dict[str, list[str]] = {}
    for name, reason in OF_IR_MEASURES.items():
        if isinstance(reason, str):
            reasons.setdefault(reason, []).extend(spellings(name))
    rows = [[", ".join(map(code, names)), reason] for reason, names in reasons.items()]
    return table(["ir_measures", "instead"], rows)


@section("names of ranx")
def _of_ranx() -> Lines:
    rows = [
        [code(their_name), _our_link(our_name), remark] for their_name, our_name, remark in OF_RANX
    ]
    return table(["ranx", "foveal", "what differs"], rows)


def _our_link(our_name: str) -> str:
    """Our name for one of ranx's, with a link; what is no name by itself has none."""
    is_name = our_name and not our_name.startswith("(")
    return _linked(our_name, our_name.replace("@k", "@1")) if is_name else code(our_name)
