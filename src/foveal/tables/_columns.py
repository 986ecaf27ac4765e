"""The columns that exist and their types; the only place where a column name is spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.late import pl

# Results: documents or parts of them, and their order.
TOPIC = "topic"
DOC = "doc"
START = "start"
END = "end"
OFFSET = "offset"
RANK = "rank"
SCORE = "score"
TAG = "tag"
LINE = "line"

# Judgements: a document, and the passages highlighted in it.
LENGTH = "length"
SIZE = "size"
ENTRY = "entry"
GRADE = "grade"
HIGHLIGHTS = "highlights"
TEXTUAL = "textual"
STATED = "rel_chars"
ASSESSOR = "assessor"
JUDGED = "judged"
ASPECT = "aspect"
ASPECTS = "aspects"
PASSAGES = "passages"
# A judgement has at least one of these.
RELEVANCE_COLUMNS = (GRADE, LENGTH, ENTRY, STATED, HIGHLIGHTS, ASPECTS)

# Elements: their paths, and their columns in an offset index.
PATH = "path"
PATH_END = "path_end"
PROBLEM = "problem"
RESULTS = "results"
MEANING = "meaning"
TEXT = "text"
ELEMENTS = "elements"
DIGEST = "digest"
SHARD = "shard"
DOCUMENT = "document"
ORDINAL = "ordinal"
DEPTH = "depth"

# Columns of several other tables.
ROW = "row"
GROUP = "group"
REPEAT = "repeat"
OMEGA = "omega_squared"
PARTIAL_ETA = "partial_eta_squared"
BASELINE_RUN = "baseline_run"
CHANGE = "change"
CHANGE_PERCENT = "change_percent"
COUNT = "equal_count"
PART = "part"

# Results compared with the texts of their documents.
SHIFT = "shift"
LOOSE = "loose"
CONVERTIBLE = "convertible"
FOUND_START = "found_start"
FOUND_END = "found_end"

# Topics: their fields.
TITLE = "title"
DESCRIPTION = "description"
NARRATIVE = "narrative"
CASTITLE = "castitle"
PHRASETITLE = "phrasetitle"
MMTITLE = "mmtitle"

# Scores.
RUN = "run"
MEASURE = "measure"
VALUE = "value"
TIMES = "times"
PARTICIPANT = "participant"
DEVIATION = "standard deviation"

# Documents and results as a run returned them, a row each; the letters are those of the measures.
RELEVANT = "relevant"
RSIZE = "rsize"
RELEVANCE = "relevance"
TEXT_P = "P"
TEXT_R = "R"
TEXT_F = "F"
BEP = "bep"
T2I = "t2i"
RETURNED_SCORES = (TEXT_P, TEXT_R, TEXT_F, BEP, T2I)

# Documents character by character: found, missed and wasted text, and its rank.
KIND = "kind"
HIGHLIGHTED = "highlighted"
FOUND = "found"
MISSED = "missed"
WASTED = "wasted"
OTHER = "other"
KINDS = (FOUND, MISSED, WASTED, OTHER)
OUTCOME = "outcome"
INTERPOLATED = "iP"
FIRST_START = "first_start"
T2I_FOUND = "t2i_found"
T2I_WASTED = "t2i_wasted"
AGAINST = "against"
AGAINST_KIND = "against_kind"
AGAINST_RANK = "against_rank"
AGAINST_FOUND = "against_found"
BOTH = "both"
ONLY = "only"
ONLY_AGAINST = "only_against"
NEITHER = "neither"

# Comparisons of runs: means, and the statistics of each pair.
MEAN = "mean"
LOW = "low"
HIGH = "high"
BETTER = "better"
WORSE = "worse"
BETTER_VALUE = "better_value"
WORSE_VALUE = "worse_value"
DIFFERENCE = "difference"
P = "p"
ADJUSTED_P = "adjusted_p"
P_ERROR = "p_error"
SIGNIFICANT = "significant"
PAIRS = "pairs"
EFFECT = "effect"
SUPERIORITY = "superiority"
WINS = "wins"
TIES = "ties"
LOSSES = "losses"
DECIDING = "deciding"
TOPICS = "topics"
STATUS = "status"
PLACE = "place"
SOURCE = "source"
SQUARES = "squares"
FREEDOM = "freedom"
F = "f"

# Demands on scores, and how far these are below a baseline.
DEMAND = "demand"
HOLDS = "holds"
BASELINE = "baseline"
DROP = "drop"

# Rankings that two measures give.
FIRST = "first"
SECOND = "second"
COEFFICIENT = "coefficient"
TAU = "tau"
TAU_AP = "tau_ap"
SPEARMAN = "spearman"
RBO = "rbo"
FIRST_MEAN = "first_mean"
SECOND_MEAN = "second_mean"
FIRST_RANK = "first_rank"
SECOND_RANK = "second_rank"

# Agreement of assessors who judged the same documents.
AVERAGE = "average"
ALPHA = "alpha"
KAPPA = "kappa"
F1 = "f1"
OVERLAP = "overlap"
ONLY_FIRST = "only_first"
ONLY_SECOND = "only_second"
DOCUMENTS = "documents"
MEDIAN = "median"
WITHIN_0 = "within_0"
WITHIN_100 = "within_100"
WITHIN_500 = "within_500"

# Measures tested on simulated runs: pairs of runs, curves, and the effect of noise.
EQUAL = "equal"
VERDICT = "verdict"
LEVEL = "level"
NOISE = "noise"
STRENGTH = "strength"
SPREAD = "spread"
LOSS = "loss"
RISE = "rise"
EXACT = "exact"

# Rankings by samples of topics and passages, and without passages that only one participant found.
SAMPLE = "sample"
RATE = "rate"
SHARE = "share"
TAU_AP_SPREAD = "tau_ap_spread"
SWAPS = "swaps"
LEFT_OUT = "left_out"
RUNS = "runs"
PLACES = "places"

# Documents to be judged, and how many there are of a topic.
BEST_RANK = "best_rank"
POOLED = "pooled"
SHARED = "shared"

# Progress of judging.
ROLE = "role"
DONE = "done"
LEFT = "left"
CHARACTERS = "characters"
SECONDS = "seconds"
SECONDS_LEFT = "seconds_left"
IMPORTED = "imported"
LOCKED = "locked"
FINISHED_TWICE = "finished_twice"
DISPUTED = "disputed"
ADJUDICATED = "adjudicated"

# Only in figures: places in the drawing, ranks beside names, curves.
X = "x"
Y = "y"
X2 = "x2"
Y2 = "y2"
BETTER_RANK = "better_rank"
WORSE_RANK = "worse_rank"
RECALL = "recall"
PRECISION = "precision"
BUDGET = "budget"

# A further field of ir_measures' judgements: the subtopic, if documents recur under several values;
# otherwise it has no meaning.
ITERATION = "iteration"

# A result without start and end is a whole document, or a part of which only the text is known;
# -1 is an element whose offsets are unknown.
UNMAPPED = -1
# The official program's mean length of an element it could not find; all of it irrelevant.
UNMAPPED_SIZE = 18
RUN_COLUMNS = (TOPIC, DOC, START, END, RANK, SCORE, LINE)
JUDGEMENT_COLUMNS = (TOPIC, DOC, LENGTH, ENTRY, GRADE, STATED, LINE)
TOPIC_COLUMNS = (TOPIC, TITLE, DESCRIPTION, NARRATIVE, CASTITLE, PHRASETITLE, MMTITLE)
# The columns of each table.
_SCHEMAS: dict[str, tuple[str, ...]] = {
    "RUN_SCHEMA": RUN_COLUMNS,
    "DOCUMENT_SCHEMA": JUDGEMENT_COLUMNS,
    "CHUNK_SCHEMA": (DOC, START, END, LINE),
    "CHUNK_LIST_SCHEMA": (DOC, TEXT, START, END),
    "ASSESSOR_SCHEMA": (ASSESSOR,),
    "PASSAGE_SCHEMA": (JUDGED, START, END),
    "ASPECT_SCHEMA": (JUDGED, ASPECT, START, END, GRADE),
    "TOPIC_SCHEMA": TOPIC_COLUMNS,
    "RETURNED_DOCUMENT_SCHEMA": (RUN, TOPIC, DOC, RANK, RELEVANT, SIZE, RSIZE, *RETURNED_SCORES),
    "RETURNED_RESULT_SCHEMA": (
        *(RUN, TOPIC, RANK, DOC, START, END, SIZE, RSIZE),
        *(RELEVANCE, TEXT_P, TEXT_R),
    ),
    "EXPLAINED_TOPIC_SCHEMA": (TOPIC, VALUE, RESULTS, HIGHLIGHTED, FOUND, MISSED, WASTED),
    "EXPLAINED_DOCUMENT_SCHEMA": (
        *(TOPIC, DOC, RANK, RELEVANT, RESULTS, LENGTH, HIGHLIGHTED, FOUND, MISSED, WASTED),
        *(SIZE, RSIZE, *RETURNED_SCORES, ENTRY, FIRST_START, T2I_FOUND, T2I_WASTED),
    ),
    "EXPLAINED_RESULT_SCHEMA": (
        *(TOPIC, RANK, DOC, START, END, SIZE, RSIZE),
        *(RELEVANCE, TEXT_P, TEXT_R, INTERPOLATED),
    ),
    "EXPLAINED_PASSAGE_SCHEMA": (TOPIC, DOC, START, END, FOUND, RANK, OUTCOME),
    "SEGMENT_SCHEMA": (TOPIC, DOC, START, END, KIND, RANK),
    "PIECE_SCHEMA": (DOC, START, END, RANK),
    "POOL_SCHEMA": (TOPIC, DOC, PLACE, RUNS, BEST_RANK),
    "STINT_SCHEMA": (
        *(TOPIC, ASSESSOR, ROLE, DOCUMENTS, DONE, RELEVANT, PASSAGES, CHARACTERS),
        SECONDS,
    ),
    "PERSON_SCHEMA": (ASSESSOR, ROLE, SECONDS, IMPORTED),
    "TOPIC_STATE_SCHEMA": (TOPIC, LOCKED, DOCUMENTS, DONE, FINISHED_TWICE, DISPUTED, ADJUDICATED),
    "GROUP_SCHEMA": (TOPIC, GROUP),
    "REFERENCE_SCHEMA": (DOC, PATH, PATH_END),
    "LOCATION_SCHEMA": (DOC, PATH, START, END, TEXT),
}
# The types of their columns, by the names that Polars gives them; all others hold whole numbers.
_TYPES = {
    **dict.fromkeys((*TOPIC_COLUMNS, DOC, TEXT, RUN, ASSESSOR, ROLE, GROUP), "String"),
    **dict.fromkeys((ASPECT, KIND, OUTCOME, PATH, PATH_END), "String"),
    **dict.fromkeys((*RETURNED_SCORES, SCORE, GRADE, VALUE, RELEVANCE, SECONDS), "Float64"),
    INTERPOLATED: "Float64",
    **dict.fromkeys((LINE, JUDGED), "UInt32"),
    **dict.fromkeys((RELEVANT, LOCKED), "Boolean"),
}
if TYPE_CHECKING:
    Schema = dict[str, type[pl.DataType]]


def __getattr__(name: str) -> Schema:
    """Make a schema at its first use, so that only code that uses one imports Polars."""
    if name not in _SCHEMAS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # In this schema the column counts relevant documents, elsewhere it says whether one is relevant.
    types = _TYPES | {RELEVANT: "Int64"} if name == "STINT_SCHEMA" else _TYPES
    schema = {column: getattr(pl, types.get(column, "Int64")) for column in _SCHEMAS[name]}
    globals()[name] = schema
    return schema


# Beyond any scale of grades, and small enough that no sum of gains overflows.
LARGEST_GRADE = 1e9
SCORE_ROW = [RUN, MEASURE, TOPIC, VALUE]
GROUPED_SCORE_ROW = [RUN, MEASURE, TOPIC, GROUP, VALUE]
ALL_TOPICS = "all"
# The group of topics that are in no other.
UNGROUPED = "(none)"
