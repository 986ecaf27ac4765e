"""Other programs' names for our measures: trec_eval's and ranx's, read and written.

A name that is in none of the tables here is taken for one of our own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from foveal.choices import Like
from foveal.conventions import Conventions
from foveal.errors import BadParameter, UnknownMeasure, UsageError
from foveal.frozen import frozen
from foveal.measures._record import REGISTRY, Arguments, Record, Unit

# How alike two names must be, from 0 to 1, for one to be suggested in place of the other.
NEAR = 0.65
_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(f"{tenth / 10:.1f}" for tenth in range(11))
_MULTIPLES = tuple(f"{fifth / 5:.1f}" for fifth in range(1, 11))


@frozen
class TrecName:
    """A measure of trec_eval and how ours is spelled; `{}` stands for its parameter.

    With `each`, every parameter gives a value of its own, and `defaults` are the parameters taken
    if none is given; a `number` is printed with two decimals. Otherwise all parameters shape one
    value, and `plain` is our name without parameters. `only_all` values have no line for a topic.
    """

    name: str
    ours: str
    each: bool = False
    defaults: tuple[str, ...] = ()
    plain: str = ""
    number: bool = False
    only_all: bool = False
    since_10: bool = False


def _at_ranks(
    name: str, ours: str, ranks: Sequence[int] = _CUTOFFS, *, since_10: bool = False
) -> TrecName:
    return TrecName(
        name, ours + "@{}", each=True, defaults=tuple(map(str, ranks)), since_10=since_10
    )


def _gained(name: str, ours: str) -> TrecName:
    return TrecName(name, ours + "(gains={})", plain=ours)


# In the order in which trec_eval prints them.
TREC_NAMES = (
    TrecName("runid", ""),
    TrecName("num_q", "NumQ", only_all=True),
    TrecName("num_ret", "NumRet"),
    TrecName("num_rel", "NumRel"),
    TrecName("num_rel_ret", "NumRelRet"),
    TrecName("map", "AP"),
    TrecName("gm_map", "GMAP", only_all=True),
    TrecName("Rprec", "Rprec"),
    TrecName("bpref", "Bpref"),
    TrecName("recip_rank", "RR"),
    TrecName("iprec_at_recall", "IPrec@{}", each=True, defaults=_TENTHS, number=True),
    _at_ranks("P", "P"),
    TrecName("relstring", ""),
    _at_ranks("recall", "R"),
    TrecName("infAP", "infAP"),
    TrecName("gm_bpref", "GMBpref", only_all=True),
    TrecName("Rprec_mult", "Rprec(mult={})", each=True, defaults=_MULTIPLES, number=True),
    TrecName("utility", "Utility(a={},b={},c={},d={})", plain="Utility"),
    TrecName("11pt_avg", "11ptAvg(levels={})", plain="11ptAvg"),
    TrecName("binG", "binG"),
    _gained("G", "G"),
    _gained("dcg", "DCG"),
    _gained("ideal_dcg", "iDCG"),
    _gained("ndcg", "nDCG"),
    _gained("ndcg_rel", "nDCGrel"),
    _gained("Rndcg", "Rndcg"),
    _at_ranks("ndcg_cut", "nDCG"),
    _at_ranks("map_cut", "AP"),
    _at_ranks("relative_P", "RelativeP"),
    _at_ranks("success", "Success", (1, 5, 10)),
    TrecName("set_P", "SetP"),
    TrecName("set_relative_P", "SetRelP"),
    TrecName("set_recall", "SetR"),
    TrecName("set_map", "SetAP"),
    TrecName("set_F", "SetF(beta={})", plain="SetF"),
    TrecName("num_nonrel_judged_ret", "NumNonrelJudgedRet"),
    TrecName("yaap", "YAAP"),
    TrecName("rbp", "RBP(p={},max_rel=topic)", plain="RBP(p=0.9,max_rel=topic)", since_10=True),
    TrecName("rbp_resid", "RBPres(p={})", plain="RBPres(p=0.9)", since_10=True),
    _at_ranks("unj", "Unjudged", (5, 10, 20), since_10=True),
)
BY_TREC_NAME = {known.name: known for known in TREC_NAMES}
_COUNTS = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret"]
_OFFICIAL = ["map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"]
_SET = ["utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
# What judgements in trec_eval's other formats are scored with.
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
# Without a cut-off these look at the whole list.
_RANX_OF_SETS = {"precision": "SetP", "recall": "SetR"}
_RANX_SPELLING = r"(?P<name>[a-z][a-z0-9_-]*?)(?:@(?P<k>\d+))?(?:-l(?P<rel>\d+))?"
_TREC_PARAMETERS = r"(?P<name>[A-Za-z0-9_]+?)(?:\.(?P<all>.+)|_(?P<one>[0-9.]+))"


def nicknames(like: Like) -> dict[str, list[str]]:
    """The names that stand for several measures of trec_eval, in the order they are printed."""
    ten = like is Like.TREC_EVAL_10
    everything = [
        known.name
        for known in TREC_NAMES
        if known.name not in _NOT_IN_ALL and (ten or not known.since_10)
    ]
    return {"official": [*_COUNTS, *_OFFICIAL], "set": [*_COUNTS, *_SET], "all_trec": everything}


def translated(text: str, like: Like) -> list[str]:
    """Our spellings of what a name of another program stands for; other names are unchanged."""
    # Some of our own names are also trec_eval's, where they can stand for several ranks.
    if text in REGISTRY and not like.is_trec_eval:
        return [text]
    several = nicknames(like).get(text)
    if several is not None:
        return [ours for name in several for ours in of_trec_eval(name, None)]
    if text in BY_TREC_NAME:
        return _numeric(text, of_trec_eval(text, None))
    spelling = re.fullmatch(_TREC_PARAMETERS, text)
    if spelling and spelling["name"] in BY_TREC_NAME:
        known = BY_TREC_NAME[spelling["name"]]
        if spelling["all"] or known.each:
            return _numeric(text, of_trec_eval(known.name, spelling["all"] or spelling["one"]))
    return [of_ranx(text) or _of_ir_measures(text) or _of_ndeval(text) or text]


def of_trec_eval(name: str, parameters: str | None) -> list[str]:
    """Our spellings of a measure of trec_eval with its parameters; none if it prints text."""
    known = BY_TREC_NAME[name]
    if not known.ours:
        return []
    if known.each:
        given = parameters.split(",") if parameters else list(known.defaults)
        return [known.ours.format(one) for one in given]
    if not parameters:
        return [known.plain or known.ours]
    return [_shaped(known, parameters)]


def _shaped(known: TrecName, parameters: str) -> str:
    """Our spelling of a value that all parameters shape together."""
    text = f"{known.name}.{parameters}"
    if known.name not in _SHAPES:
        raise BadParameter(text, "it takes no parameters")
    pattern, example, write = _SHAPES[known.name]
    if not re.fullmatch(pattern, parameters):
        raise BadParameter(text, f"give {example}")
    return known.ours.format(*write(parameters))


_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PERSISTENCE = (
    rf"p={_NUMBER}", "the persistence, as in p=0.8", lambda given: [given.partition("=")[2]],
)  # fmt: skip
_GAINS = (
    rf"\d+={_NUMBER}(?:,\d+={_NUMBER})*",
    "gains of grades, as in 1=3.5,2=9",
    lambda given: [given.replace(",", "/").replace("=", ":")],
)
_SHAPES: dict[str, tuple[str, str, Callable[[str], list[str]]]] = {
    "utility": (
        rf"{_NUMBER}(?:,{_NUMBER}){{3}}", "four numbers, as in 1,-1,0,0", lambda x: x.split(","),
    ),
    # trec_eval's x is the square of beta.
    "set_F": (
        _NUMBER.removeprefix("[-+]?"), "a number, as in 0.5", lambda x: [repr(float(x) ** 0.5)],
    ),
    "11pt_avg": (
        rf"{_NUMBER}(?:,{_NUMBER})*", "recall levels, as in 0.2,0.5",
        lambda given: [given.replace(",", "/")],
    ),
    "rbp": _PERSISTENCE,
    "rbp_resid": _PERSISTENCE,
    **dict.fromkeys(["G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg"], _GAINS),
}  # fmt: skip


def _numeric(text: str, ours: list[str]) -> list[str]:
    if not ours:
        raise UsageError(f"{text} is text and has no score: `foveal trec_eval -m {text}` prints it")
    return ours


def _of_ir_measures(text: str) -> str | None:
    """Our spellings of what only ir_measures writes: forms of other measures, gains in braces."""
    gains = re.search(r"gains=\{([^{}]*)\}", text)
    if gains:
        return text.replace(gains[0], f"gains={gains[1].replace(',', '/')}")
    name, _, inside = text.removesuffix(")").partition("(")
    given = inside.split(",")
    if name == "NumRet" and any(one.startswith("rel=") for one in given):
        return f"NumRelRet({inside})"
    if name == "SetP" and "relative=True" in given:
        return f"SetRelP({','.join(one for one in given if one != 'relative=True')})"
    return None


# ndeval's names, and the Greek letter of ir_measures.
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


def _of_ndeval(text: str) -> str | None:
    """Our spelling of a measure that ndeval names; None if it does not."""
    name = re.split(r"[@(]", text, maxsplit=1)[0].strip()
    return _NDEVAL[name] + text.removeprefix(name) if name in _NDEVAL else None


def of_ranx(text: str) -> str | None:
    """Our spelling of a measure in ranx's words; None if it is not in them."""
    spelling = re.fullmatch(_RANX_SPELLING, text)
    if spelling is None or spelling["name"] not in _RANX:
        return None
    word = spelling["name"]
    known = _RANX_OF_SETS.get(word) if spelling["k"] is None else None
    name, *inside = re.split(r"[()]", known or _RANX[word])
    arguments = [argument for argument in inside if argument]
    if spelling["rel"]:
        arguments.append(f"rel={spelling['rel']}")
    behind = f"@{spelling['k']}" if spelling["k"] else ""
    return f"{name}({','.join(arguments)}){behind}" if arguments else name + behind


@frozen
class TrecValue:
    """One value that trec_eval prints: the name it prints and our spelling of the measure.

    Text (the run's name, the string of grades) has no measure; `parameters` shape it.
    """

    known: TrecName
    printed: str
    ours: str
    parameters: str = ""


def trec_values(asked: Sequence[str], like: Like) -> list[TrecValue]:
    """What trec_eval prints for the words after its -m, in its order.

    As in trec_eval, of two sets of parameters for one measure the first counts, and parameters of a
    set of measures or of a measure that takes none are ignored.
    """
    ten = like is Like.TREC_EVAL_10
    marked: set[str] = set()
    parameters: dict[str, str] = {}
    for word in asked or ["official"]:
        name, point, given = word.partition(".")
        if point and not given:
            raise UsageError(f"measure {word!r}: parameters are missing after the point")
        if point:
            parameters.setdefault(name, given)
        for one in nicknames(like).get(name, [name]):
            if re.fullmatch(_PREFERENCES, one):
                raise UsageError(
                    f"-m {name} needs preferences or judgement groups, which foveal does not read"
                )
            if one not in BY_TREC_NAME:
                close = difflib.get_close_matches(name, BY_TREC_NAME, n=3, cutoff=NEAR)
                raise UnknownMeasure(word, [f"-m {one}" for one in close])
            if BY_TREC_NAME[one].since_10 and not ten:
                raise UsageError(f"-m {name} is new in trec_eval 10: give --as 10")
            marked.add(one)
    return [
        value
        for known in TREC_NAMES
        if known.name in marked
        for value in _printed(known, parameters.get(known.name, ""))
    ]


def are_trec_eval_names(asked: Sequence[str], like: Like) -> bool:
    """Whether measures are asked for, and all in words that trec_eval takes after its -m."""
    known = {*BY_TREC_NAME, *nicknames(like)}
    return bool(asked) and all(word.partition(".")[0] in known for word in asked)


def _printed(known: TrecName, parameters: str) -> list[TrecValue]:
    if not known.each:
        if known.name not in _SHAPES and known.name != "relstring":
            parameters = ""
        printed = f"{known.name}_{parameters}" if parameters else known.name
        ours = "".join(of_trec_eval(known.name, parameters))
        return [TrecValue(known, printed, ours, parameters)]
    given = parameters.split(",") if parameters else list(known.defaults)
    # trec_eval reads 23.4 as rank 23.
    shape = _NUMBER if known.number else r"[-+]?\d+(\.\d*)?"
    if not all(re.fullmatch(shape, one) for one in given):
        text = f"{known.name}.{parameters}"
        raise BadParameter(text, "give numbers separated by commas")
    numbers = sorted(float(one) if known.number else int(float(one)) for one in given)
    if len(set(numbers)) < len(numbers):
        raise BadParameter(f"{known.name}.{parameters}", "a cut-off is given twice")
    suffix = "{:3.2f}" if known.number else "{:d}"
    return [
        TrecValue(known, f"{known.name}_{suffix.format(number)}", known.ours.format(number))
        for number in numbers
    ]


def trec_name(canonical: str) -> tuple[str, int, bool] | None:
    """trec_eval's name of our measure, its place in the output, and whether it is only on `all`."""
    for place, known in enumerate(TREC_NAMES):
        if not known.ours:
            continue
        if not known.each:
            if canonical == (known.plain or known.ours):
                return known.name, place, known.only_all
            continue
        before, after = known.ours.split("{}")
        number = canonical[len(before) : len(canonical) - len(after)]
        if canonical == before + number + after and re.fullmatch(r"[0-9.]+", number):
            shown = f"{float(number):3.2f}" if known.number else number
            return f"{known.name}_{shown}", place, known.only_all
    return None


OF_DOCUMENTS = "doc_"
BUDGETS = ("chars", "tokens")
# What else they call a measure of text.
_OTHER_WORDS = {"hit_rate": "hit", "precision_omega": "omega"}
# Words that mean documents to ranx, and text to those who score chunks.
_MEANS_BOTH = {"precision", "recall", "f1", "hit_rate", "mrr", "ndcg"}
_SPELLING = re.compile(
    r"(?P<word>[a-z][a-z0-9_]*)(?:\((?P<inside>[^()]*)\))?"
    rf"(?:@(?P<amount>\d+) ?(?P<unit>{'|'.join(BUDGETS)})?)?"
)
# A budget as it may be mistyped: recall@2,000char, recall@2000-characters.
_BUDGET = re.compile(
    r"(?P<word>\w+(?:\([^()]*\))?)\s*@\s*(?P<amount>\d[\d,_. ]*?)[ -]?(?P<counted>char|token)[a-z]*",
    re.IGNORECASE,
)


def of_text(text: str) -> str | None:
    """Our spelling of a measure of text in plain words; None if it is not in them.

    The names of document measures that have no such meaning are refused.
    """
    text = _in_small_letters(text)
    spelling = _SPELLING.fullmatch(text)
    if spelling is None:
        return None
    word = _OTHER_WORDS.get(spelling["word"], spelling["word"])
    named = [record for record in REGISTRY.values() if word == record.plain]
    if not named:
        if of_ranx(text):
            raise UsageError(f"{text!r} measures documents, not text: write {OF_DOCUMENTS}{text}")
        return None
    budget = f"{spelling['unit']}={spelling['amount']}" if spelling["unit"] else ""
    inside = ",".join(filter(None, [spelling["inside"], budget]))
    rank = f"@{spelling['amount']}" if spelling["amount"] and not budget else ""
    # The word of a measure at a cut-off is also that of the same for the whole list.
    whole = [record for record in named if not record.parameters]
    record = whole[0] if whole and not inside and not rank else named[0]
    return f"{record.name}{f'({inside})' if inside else ''}{rank}"


def probably_meant(text: str) -> str | None:
    """The plain words that an unknown name may mean: recall@2000chars for recall@2,000char."""
    if budget := _BUDGET.fullmatch(text):
        amount = re.sub(r"\D", "", budget["amount"])
        text = f"{budget['word']}@{amount}{budget['counted'].lower()}s"
    with suppress(UsageError):
        return _in_small_letters(text) if of_text(text) else None
    return None


def _in_small_letters(text: str) -> str:
    """Recall@5 and MRR as recall@5 and mrr; nDCG@5 is a name of ours."""
    word = re.split(r"[(@]", text, maxsplit=1)[0]
    plain = {*_MEANS_BOTH, *_OTHER_WORDS, *(record.plain for record in REGISTRY.values())}
    known = word.lower() in plain and word not in REGISTRY
    return word.lower() + text[len(word) :] if known else text


def of_documents(text: str) -> list[str] | None:
    """Our spellings of a name that says that it is about documents: doc_recall@5."""
    if not text.startswith(OF_DOCUMENTS):
        return None
    bare = _in_small_letters(text.removeprefix(OF_DOCUMENTS))
    ours = translated(bare, Conventions().like)
    known = REGISTRY.get(re.split(r"[@(\[]", ours[0])[0]) if ours else None
    return ours if known and known.unit is Unit.DOCUMENT else None


def ambiguity(text: str, ours: str) -> str:
    """Why a name of ranx must not stand where results are parts; empty if it may."""
    small = _in_small_letters(text)
    spelling = _SPELLING.fullmatch(small)
    if spelling is None or spelling["word"] not in _MEANS_BOTH or not of_ranx(small):
        return ""
    word = _OTHER_WORDS.get(spelling["word"], spelling["word"])
    known = any(record.plain == word for record in REGISTRY.values())
    of_parts = (
        f"{of_text(text)} (--task rag: {small})" if known else "choose from `foveal measures`"
    )
    return (
        f"{text!r} scores documents, and this run returns parts: write {ours} to score the documents"
        f" that they are from; to score text, {of_parts}"
    )


def plain_name(record: Record, arguments: Arguments) -> str:
    """The name of a measure in plain words: recall@5, recall@2000chars; empty if it has none."""
    if not record.plain:
        return ""
    left = {name: value for name, value in arguments.items() if value is not None}
    suffix = "".join(f"@{left.pop(name)}{name}" for name in BUDGETS if name in left)
    if record.suffix and record.suffix.name in left:
        suffix = f"@{left.pop(record.suffix.name)}"
    known = {parameter.name: parameter for parameter in record.parameters}
    defaults = record.defaults(Conventions())
    inside = [
        known[name].written(known[name].shown(value))
        for name, value in left.items()
        if defaults.get(name) != value
    ]
    return record.plain + (f"({','.join(inside)})" if inside else "") + suffix
