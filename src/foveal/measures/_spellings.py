"""Other programs' names for measures, those of trec_eval, ranx and task rag, read and written.

Names that are in no table here are foveal's own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from foveal.choices import Like
from foveal.conventions import Conventions
from foveal.errors import BadParameter, UnknownMeasure, UsageError
from foveal.frozen import frozen
from foveal.measures._record import REGISTRY, Arguments, Record, Unit

# The similarity, from 0 to 1, from which on a name is suggested in place of another.
NEAR = 0.65
_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(f"{tenth / 10:.1f}" for tenth in range(11))
_MULTIPLES = tuple(f"{fifth / 5:.1f}" for fifth in range(1, 11))


@frozen
class TrecMeasure:
    """A measure of trec_eval and foveal's spelling of it; `{}` is replaced by a parameter.

    If it `splits` its parameters, each gives a value: `defaults` are those without any, and
    `decimal` ones are printed with two decimals. Else all parameters shape one value, and `basic`
    is the spelling without them. `only_all` values have no line per topic.
    """

    name: str
    spelling: str
    splits: bool = False
    defaults: tuple[str, ...] = ()
    basic: str = ""
    decimal: bool = False
    only_all: bool = False
    since_10: bool = False


def _at_ranks(
    name: str, spelling: str, ranks: Sequence[int] = _CUTOFFS, *, since_10: bool = False
) -> TrecMeasure:
    return TrecMeasure(
        name, spelling + "@{}", splits=True, defaults=tuple(map(str, ranks)), since_10=since_10
    )


def _with_gains(name: str, spelling: str) -> TrecMeasure:
    return TrecMeasure(name, spelling + "(gains={})", basic=spelling)


# In the order in which trec_eval prints them.
TREC_MEASURES = (
    TrecMeasure("runid", ""),
    TrecMeasure("num_q", "NumQ", only_all=True),
    TrecMeasure("num_ret", "NumRet"),
    TrecMeasure("num_rel", "NumRel"),
    TrecMeasure("num_rel_ret", "NumRelRet"),
    TrecMeasure("map", "AP"),
    TrecMeasure("gm_map", "GMAP", only_all=True),
    TrecMeasure("Rprec", "Rprec"),
    TrecMeasure("bpref", "Bpref"),
    TrecMeasure("recip_rank", "RR"),
    TrecMeasure("iprec_at_recall", "IPrec@{}", splits=True, defaults=_TENTHS, decimal=True),
    _at_ranks("P", "P"),
    TrecMeasure("relstring", ""),
    _at_ranks("recall", "R"),
    TrecMeasure("infAP", "infAP"),
    TrecMeasure("gm_bpref", "GMBpref", only_all=True),
    TrecMeasure("Rprec_mult", "Rprec(mult={})", splits=True, defaults=_MULTIPLES, decimal=True),
    TrecMeasure("utility", "Utility(a={},b={},c={},d={})", basic="Utility"),
    TrecMeasure("11pt_avg", "11ptAvg(levels={})", basic="11ptAvg"),
    TrecMeasure("binG", "binG"),
    _with_gains("G", "G"),
    _with_gains("dcg", "DCG"),
    _with_gains("ideal_dcg", "iDCG"),
    _with_gains("ndcg", "nDCG"),
    _with_gains("ndcg_rel", "nDCGrel"),
    _with_gains("Rndcg", "Rndcg"),
    _at_ranks("ndcg_cut", "nDCG"),
    _at_ranks("map_cut", "AP"),
    _at_ranks("relative_P", "RelativeP"),
    _at_ranks("success", "Success", (1, 5, 10)),
    TrecMeasure("set_P", "SetP"),
    TrecMeasure("set_relative_P", "SetRelP"),
    TrecMeasure("set_recall", "SetR"),
    TrecMeasure("set_map", "SetAP"),
    TrecMeasure("set_F", "SetF(beta={})", basic="SetF"),
    TrecMeasure("num_nonrel_judged_ret", "NumNonrelJudgedRet"),
    TrecMeasure("yaap", "YAAP"),
    TrecMeasure("rbp", "RBP(p={},max_rel=topic)", basic="RBP(p=0.9,max_rel=topic)", since_10=True),
    TrecMeasure("rbp_resid", "RBPres(p={})", basic="RBPres(p=0.9)", since_10=True),
    _at_ranks("unj", "Unjudged", (5, 10, 20), since_10=True),
)
BY_TREC_NAME = {measure.name: measure for measure in TREC_MEASURES}
_COUNTS = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret"]
_OFFICIAL = ["map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"]
_SET = ["utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
# Measures of judgements in trec_eval's other formats.
_PREFERENCES = r"(?:all_)?prefs|qrels_jg|prefs_\w+|\w+_avgjg"
_NOT_IN_ALL = {"dcg", "ideal_dcg", "yaap"}
_RANX = {
    "hits": "NumRelRet",
    "hit_rate": "Success",
    "precision": "P",
    "recall": "R",
    "mrr": "RR",
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(dcg='exp-log2')",
    "dcg": "DCG",
    "dcg_burges": "DCG(dcg='exp-log2')",
    "r-precision": "Rprec",
    "bpref": "Bpref",
    "f1": "SetF",
}
# Without a cut-off these score the whole list.
_RANX_SETS = {"precision": "SetP", "recall": "SetR"}
_RANX_SPELLING = r"(?P<name>[a-z][a-z0-9_-]*?)(?:@(?P<k>\d+))?(?:-l(?P<rel>\d+))?"
_TREC_PARAMETERS = r"(?P<name>[A-Za-z0-9_]+?)(?:\.(?P<list>.+)|_(?P<one>[0-9.]+))"


def nicknames(like: Like) -> dict[str, list[str]]:
    """trec_eval's names for several measures at once, each with its measures in printed order."""
    is_version_10 = like is Like.TREC_EVAL_10
    everything = [
        measure.name
        for measure in TREC_MEASURES
        if measure.name not in _NOT_IN_ALL and (is_version_10 or not measure.since_10)
    ]
    return {"official": [*_COUNTS, *_OFFICIAL], "set": [*_COUNTS, *_SET], "all_trec": everything}


def translated(text: str, like: Like) -> list[str]:
    """Foveal's spellings of another program's name; other names are unchanged."""
    # Some names are foveal's and trec_eval's: there P means P at several ranks.
    if text in REGISTRY and not like.is_trec_eval:
        return [text]
    names = nicknames(like).get(text)
    if names is not None:
        return [spelling for name in names for spelling in from_trec_eval(name, None)]
    if text in BY_TREC_NAME:
        return _numeric(text, from_trec_eval(text, None))
    match = re.fullmatch(_TREC_PARAMETERS, text)
    if match and match["name"] in BY_TREC_NAME:
        measure = BY_TREC_NAME[match["name"]]
        if match["list"] or measure.splits:
            return _numeric(text, from_trec_eval(measure.name, match["list"] or match["one"]))
    return [from_ranx(text) or _from_ir_measures(text) or _from_ndeval(text) or text]


def from_trec_eval(name: str, parameters: str | None) -> list[str]:
    """Foveal's spellings of a measure of trec_eval with its parameters; none if it prints text."""
    measure = BY_TREC_NAME[name]
    if not measure.spelling:
        return []
    if measure.splits:
        arguments = parameters.split(",") if parameters else list(measure.defaults)
        return [measure.spelling.format(argument) for argument in arguments]
    if not parameters:
        return [measure.basic or measure.spelling]
    return [_with_parameters(measure, parameters)]


def _with_parameters(measure: TrecMeasure, parameters: str) -> str:
    """Foveal's spelling of a value that all parameters shape together."""
    text = f"{measure.name}.{parameters}"
    if measure.name not in _PARAMETER_SYNTAX:
        raise BadParameter(text, "it takes no parameters")
    pattern, example, write = _PARAMETER_SYNTAX[measure.name]
    if not re.fullmatch(pattern, parameters):
        raise BadParameter(text, f"give {example}")
    return measure.spelling.format(*write(parameters))


_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PERSISTENCE = (
    rf"p={_NUMBER}", "the persistence, as in p=0.8", lambda text: [text.partition("=")[2]],
)  # fmt: skip
_GAINS = (
    rf"\d+={_NUMBER}(?:,\d+={_NUMBER})*",
    "gains of grades, as in 1=3.5,2=9",
    lambda text: [text.replace(",", "/").replace("=", ":")],
)
_PARAMETER_SYNTAX: dict[str, tuple[str, str, Callable[[str], list[str]]]] = {
    "utility": (
        rf"{_NUMBER}(?:,{_NUMBER}){{3}}", "four numbers, as in 1,-1,0,0", lambda text: text.split(","),
    ),
    # trec_eval's x is the square of beta.
    "set_F": (
        _NUMBER.removeprefix("[-+]?"), "a number, as in 0.5", lambda text: [repr(float(text) ** 0.5)],
    ),
    "11pt_avg": (
        rf"{_NUMBER}(?:,{_NUMBER})*", "recall levels, as in 0.2,0.5",
        lambda text: [text.replace(",", "/")],
    ),
    "rbp": _PERSISTENCE,
    "rbp_resid": _PERSISTENCE,
    **dict.fromkeys(["G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg"], _GAINS),
}  # fmt: skip


def _numeric(text: str, spellings: list[str]) -> list[str]:
    if not spellings:
        raise UsageError(f"{text} is text and has no score: `foveal trec_eval -m {text}` prints it")
    return spellings


def _from_ir_measures(text: str) -> str | None:
    """Foveal's spelling of forms that only ir_measures has: rel of NumRet, gains in braces."""
    gains = re.search(r"gains=\{([^{}]*)\}", text)
    if gains:
        return text.replace(gains[0], f"gains={gains[1].replace(',', '/')}")
    name, _, inside = text.removesuffix(")").partition("(")
    options = inside.split(",")
    if name == "NumRet" and any(option.startswith("rel=") for option in options):
        return f"NumRelRet({inside})"
    if name == "SetP" and "relative=True" in options:
        return f"SetRelP({','.join(option for option in options if option != 'relative=True')})"
    return None


# ndeval's names, and ir_measures' with its Greek letter.
_NDEVAL = {
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "P-IA": "P_IA",
    "MAP-IA": "AP_IA",
    "strec": "StRecall",
}


def _from_ndeval(text: str) -> str | None:
    """Foveal's spelling of a name of ndeval's; None for other names."""
    name = re.split(r"[@(]", text, maxsplit=1)[0].strip()
    return _NDEVAL[name] + text.removeprefix(name) if name in _NDEVAL else None


def from_ranx(text: str) -> str | None:
    """Foveal's spelling of a name of ranx's; None for other names."""
    match = re.fullmatch(_RANX_SPELLING, text)
    if match is None or match["name"] not in _RANX:
        return None
    word = match["name"]
    set_measure = _RANX_SETS.get(word) if match["k"] is None else None
    name, *inside = re.split(r"[()]", set_measure or _RANX[word])
    arguments = [argument for argument in inside if argument]
    if match["rel"]:
        arguments.append(f"rel={match['rel']}")
    suffix = f"@{match['k']}" if match["k"] else ""
    return f"{name}({','.join(arguments)}){suffix}" if arguments else name + suffix


@frozen
class TrecValue:
    """One value that trec_eval prints, with the printed name and foveal's spelling of the measure.

    Text (the run's name, the string of grades) has no measure; `parameters` shape it.
    """

    measure: TrecMeasure
    printed_name: str
    spelling: str
    parameters: str = ""


def trec_values(requested: Sequence[str], like: Like) -> list[TrecValue]:
    """Values that trec_eval prints for the names after its -m, in its order.

    As in trec_eval, the first parameters given for a measure count, and parameters of a set of
    measures or of a measure without parameters are ignored.
    """
    is_version_10 = like is Like.TREC_EVAL_10
    selected: set[str] = set()
    parameters: dict[str, str] = {}
    for word in requested or ["official"]:
        name, point, arguments = word.partition(".")
        if point and not arguments:
            raise UsageError(f"measure {word!r}: parameters are missing after the point")
        if point:
            parameters.setdefault(name, arguments)
        for member in nicknames(like).get(name, [name]):
            if re.fullmatch(_PREFERENCES, member):
                raise UsageError(
                    f"-m {name} needs preferences or judgement groups, which foveal does not read"
                )
            if member not in BY_TREC_NAME:
                close = difflib.get_close_matches(name, BY_TREC_NAME, n=3, cutoff=NEAR)
                raise UnknownMeasure(word, [f"-m {suggestion}" for suggestion in close])
            if BY_TREC_NAME[member].since_10 and not is_version_10:
                raise UsageError(f"-m {name} is new in trec_eval 10: give --as 10")
            selected.add(member)
    return [
        value
        for measure in TREC_MEASURES
        if measure.name in selected
        for value in _printed_values(measure, parameters.get(measure.name, ""))
    ]


def are_trec_eval_names(requested: Sequence[str], like: Like) -> bool:
    """True if there are names, and all are such as trec_eval takes after its -m."""
    known_names = {*BY_TREC_NAME, *nicknames(like)}
    return bool(requested) and all(word.partition(".")[0] in known_names for word in requested)


def _printed_values(measure: TrecMeasure, parameters: str) -> list[TrecValue]:
    if not measure.splits:
        if measure.name not in _PARAMETER_SYNTAX and measure.name != "relstring":
            parameters = ""
        printed_name = f"{measure.name}_{parameters}" if parameters else measure.name
        spelling = "".join(from_trec_eval(measure.name, parameters))
        return [TrecValue(measure, printed_name, spelling, parameters)]
    texts = parameters.split(",") if parameters else list(measure.defaults)
    # trec_eval reads 23.4 as rank 23.
    pattern = _NUMBER if measure.decimal else r"[-+]?\d+(\.\d*)?"
    if not all(re.fullmatch(pattern, text) for text in texts):
        raise BadParameter(f"{measure.name}.{parameters}", "give numbers separated by commas")
    numbers = sorted(float(text) if measure.decimal else int(float(text)) for text in texts)
    if len(set(numbers)) < len(numbers):
        raise BadParameter(f"{measure.name}.{parameters}", "a cut-off is given twice")
    spec = "{:3.2f}" if measure.decimal else "{:d}"
    return [
        TrecValue(measure, f"{measure.name}_{spec.format(number)}", measure.spelling.format(number))
        for number in numbers
    ]


class TrecName(NamedTuple):
    """Name of a measure in trec_eval, its position in the output, and if it is printed for all only."""

    text: str
    position: int
    only_all: bool


def trec_name(canonical: str) -> TrecName | None:
    """trec_eval's name of a measure; None if it has none there."""
    for position, measure in enumerate(TREC_MEASURES):
        if not measure.spelling:
            continue
        if not measure.splits:
            if canonical == (measure.basic or measure.spelling):
                return TrecName(measure.name, position, measure.only_all)
            continue
        prefix, suffix = measure.spelling.split("{}")
        number = canonical[len(prefix) : len(canonical) - len(suffix)]
        if canonical == prefix + number + suffix and re.fullmatch(r"[0-9.]+", number):
            number_text = f"{float(number):3.2f}" if measure.decimal else number
            return TrecName(f"{measure.name}_{number_text}", position, measure.only_all)
    return None


DOC_PREFIX = "doc_"
BUDGETS = ("chars", "tokens")
# Synonyms of the plain names.
_SYNONYMS = {"hit_rate": "hit", "precision_omega": "omega"}
# Words that mean documents in ranx, and text in task rag.
_AMBIGUOUS_WORDS = {"precision", "recall", "f1", "hit_rate", "mrr", "ndcg"}
_PLAIN_SPELLING = re.compile(
    r"(?P<word>[a-z][a-z0-9_]*)(?:\((?P<inside>[^()]*)\))?"
    rf"(?:@(?P<amount>\d+) ?(?P<unit>{'|'.join(BUDGETS)})?)?"
)
# A budget as it may be mistyped: recall@2,000char, recall@2000-characters.
_BUDGET = re.compile(
    r"(?P<word>\w+(?:\([^()]*\))?)\s*@\s*(?P<amount>\d[\d,_. ]*?)[ -]?(?P<counted>char|token)[a-z]*",
    re.IGNORECASE,
)


def from_plain(text: str) -> str | None:
    """Foveal's spelling of a name of task rag; None for other names.

    Names of ranx that mean documents alone are refused.
    """
    text = _lower_case(text)
    match = _PLAIN_SPELLING.fullmatch(text)
    if match is None:
        return None
    word = _SYNONYMS.get(match["word"], match["word"])
    records = [record for record in REGISTRY.values() if word == record.plain]
    if not records:
        if from_ranx(text):
            raise UsageError(f"{text!r} measures documents, not text: write {DOC_PREFIX}{text}")
        return None
    budget = f"{match['unit']}={match['amount']}" if match["unit"] else ""
    inside = ",".join(filter(None, [match["inside"], budget]))
    rank = f"@{match['amount']}" if match["amount"] and not budget else ""
    # One name means the measure at a cut-off and the one of the whole list: cR@5 and charR.
    whole_list = [record for record in records if not record.parameters]
    record = whole_list[0] if whole_list and not inside and not rank else records[0]
    return f"{record.name}{f'({inside})' if inside else ''}{rank}"


def probable_name(text: str) -> str | None:
    """The name of task rag that a mistyped one may mean: recall@2000chars for recall@2,000char."""
    if budget := _BUDGET.fullmatch(text):
        amount = re.sub(r"\D", "", budget["amount"])
        text = f"{budget['word']}@{amount}{budget['counted'].lower()}s"
    with suppress(UsageError):
        return _lower_case(text) if from_plain(text) else None
    return None


def _lower_case(text: str) -> str:
    """Recall@5 and MRR as recall@5 and mrr; nDCG@5 stays, as it is foveal's own."""
    word = re.split(r"[(@]", text, maxsplit=1)[0]
    plain = {*_AMBIGUOUS_WORDS, *_SYNONYMS, *(record.plain for record in REGISTRY.values())}
    is_plain_name = word.lower() in plain and word not in REGISTRY
    return word.lower() + text[len(word) :] if is_plain_name else text


def from_doc_name(text: str) -> list[str] | None:
    """Foveal's spellings of a name with the prefix for documents: doc_recall@5."""
    if not text.startswith(DOC_PREFIX):
        return None
    name = _lower_case(text.removeprefix(DOC_PREFIX))
    spellings = translated(name, Conventions().like)
    record = REGISTRY.get(re.split(r"[@(\[]", spellings[0])[0]) if spellings else None
    return spellings if record and record.unit is Unit.DOCUMENT else None


def ambiguity(text: str, spelling: str) -> str:
    """Error message for a name of ranx in a run of parts; empty for a name that is clear."""
    lower = _lower_case(text)
    match = _PLAIN_SPELLING.fullmatch(lower)
    if match is None or match["word"] not in _AMBIGUOUS_WORDS or not from_ranx(lower):
        return ""
    word = _SYNONYMS.get(match["word"], match["word"])
    is_plain = any(record.plain == word for record in REGISTRY.values())
    alternative = (
        f"{from_plain(text)} (--task rag: {lower})" if is_plain else "choose from `foveal measures`"
    )
    return (
        f"{text!r} scores documents, and this run returns parts: write {spelling} to score the documents"
        f" that they are from; to score text, {alternative}"
    )


def plain_name(record: Record, arguments: Arguments) -> str:
    """The name of a measure in task rag: recall@5, recall@2000chars; empty if it has none."""
    if not record.plain:
        return ""
    remaining = {name: value for name, value in arguments.items() if value is not None}
    suffix = "".join(f"@{remaining.pop(name)}{name}" for name in BUDGETS if name in remaining)
    if record.suffix and record.suffix.name in remaining:
        suffix = f"@{remaining.pop(record.suffix.name)}"
    parameters = {parameter.name: parameter for parameter in record.parameters}
    defaults = record.defaults(Conventions())
    inside = [
        parameters[name].in_name(parameters[name].formatted(value))
        for name, value in remaining.items()
        if defaults.get(name) != value
    ]
    return record.plain + (f"({','.join(inside)})" if inside else "") + suffix
