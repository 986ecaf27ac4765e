"""The columns that exist and their types; the only place where a column name is spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foveal.late import pl

# Results: what was retrieved, where in its document, and in which order.
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
SPEAKS_OF_RELEVANCE = (GRADE, LENGTH, ENTRY, STATED, HIGHLIGHTS, ASPECTS)

# Elements: how they are written, and what an offset index knows of them.
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

# Rows of other tables, and what they have in common.
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

# Topics: what was asked.
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

# Documents character by character: what was found, missed and wasted, and at which rank.
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

# Runs compared: their means, their pairs, and what is known of a pair.
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

# What is demanded of scores, and how far they are below a baseline.
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

# What two assessors or more say of the same documents.
AVERAGE = "average"
ALPHA = "alpha"
KAPPA = "kappa"
F1 = "f1"
OVERLAP = "overlap"
BOTH = "both"
ONLY_FIRST = "only_first"
ONLY_SECOND = "only_second"
NEITHER = "neither"
DOCUMENTS = "documents"
MEDIAN = "median"
WITHIN_0 = "within_0"
WITHIN_100 = "within_100"
WITHIN_500 = "within_500"

# Measures tested on simulated runs: pairs of runs, curves, and what noise does.
EQUAL = "equal"
VERDICT = "verdict"
LEVEL = "level"
NOISE = "noise"
STRENGTH = "strength"
SPREAD = "spread"
LOSS = "loss"
RISE = "rise"
EXACT = "exact"

# Rankings by samples of topics and of passages, and without what only some runs have found.
SAMPLE = "sample"
RATE = "rate"
SHARE = "share"
TAU_AP_SPREAD = "tau_ap_spread"
SWAPS = "swaps"
LEFT_OUT = "left_out"
RUNS = "runs"
CHANGE = "change"
PLACES = "places"

# Documents to be judged, and how many there are of a topic.
BEST_RANK = "best_rank"
POOLED = "pooled"
SHARED = "shared"

# How far judging has come.
ROLE = "role"
MAIN = "main"
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
COLUMN = "column"
BETTER_RANK = "better_rank"
WORSE_RANK = "worse_rank"
RECALL = "recall"
PRECISION = "precision"
BUDGET = "budget"
ANSWERS = "answers"

# What a judgement of ir_measures says beside: a subtopic if documents recur under several, else
# nothing.
ITERATION = "iteration"

# A run's part: a span; no start and end is the whole document, or a part known by its text alone;
# -1 is an element whose offsets are not known.
UNMAPPED = -1
# The official program's mean length of an element it could not find; all of it irrelevant.
UNMAPPED_SIZE = 18
# The types of the tables' columns, by the names that Polars gives them.
_SCHEMAS = {
    "RUN_SCHEMA": {
        TOPIC: "String",
        DOC: "String",
        START: "Int64",
        END: "Int64",
        RANK: "Int64",
        SCORE: "Float64",
        LINE: "UInt32",
    },
    "DOCUMENT_SCHEMA": {
        TOPIC: "String",
        DOC: "String",
        LENGTH: "Int64",
        ENTRY: "Int64",
        GRADE: "Float64",
        STATED: "Int64",
        LINE: "UInt32",
    },
    "CHUNK_SCHEMA": {DOC: "String", START: "Int64", END: "Int64", LINE: "UInt32"},
    "CHUNK_LIST_SCHEMA": {DOC: "String", TEXT: "String", START: "Int64", END: "Int64"},
    "ASSESSOR_SCHEMA": {ASSESSOR: "String"},
    "PASSAGE_SCHEMA": {JUDGED: "UInt32", START: "Int64", END: "Int64"},
    "ASPECT_SCHEMA": {
        JUDGED: "UInt32",
        ASPECT: "String",
        START: "Int64",
        END: "Int64",
        GRADE: "Float64",
    },
    "TOPIC_SCHEMA": dict.fromkeys(
        (TOPIC, TITLE, DESCRIPTION, NARRATIVE, CASTITLE, PHRASETITLE, MMTITLE), "String"
    ),
    "RETURNED_DOCUMENT_SCHEMA": {
        RUN: "String",
        TOPIC: "String",
        DOC: "String",
        RANK: "Int64",
        RELEVANT: "Boolean",
        SIZE: "Int64",
        RSIZE: "Int64",
        **dict.fromkeys(RETURNED_SCORES, "Float64"),
    },
    "RETURNED_RESULT_SCHEMA": {
        RUN: "String",
        TOPIC: "String",
        RANK: "Int64",
        DOC: "String",
        START: "Int64",
        END: "Int64",
        SIZE: "Int64",
        RSIZE: "Int64",
        **dict.fromkeys((RELEVANCE, TEXT_P, TEXT_R), "Float64"),
    },
    "EXPLAINED_TOPIC_SCHEMA": {
        TOPIC: "String",
        VALUE: "Float64",
        **dict.fromkeys((RESULTS, HIGHLIGHTED, FOUND, MISSED, WASTED), "Int64"),
    },
    "EXPLAINED_DOCUMENT_SCHEMA": {
        TOPIC: "String",
        DOC: "String",
        RANK: "Int64",
        RELEVANT: "Boolean",
        **dict.fromkeys(
            (RESULTS, LENGTH, HIGHLIGHTED, FOUND, MISSED, WASTED, SIZE, RSIZE), "Int64"
        ),
        **dict.fromkeys(RETURNED_SCORES, "Float64"),
        **dict.fromkeys((ENTRY, FIRST_START, T2I_FOUND, T2I_WASTED), "Int64"),
    },
    "EXPLAINED_RESULT_SCHEMA": {
        TOPIC: "String",
        RANK: "Int64",
        DOC: "String",
        **dict.fromkeys((START, END, SIZE, RSIZE), "Int64"),
        **dict.fromkeys((RELEVANCE, TEXT_P, TEXT_R, INTERPOLATED), "Float64"),
    },
    "EXPLAINED_PASSAGE_SCHEMA": {
        TOPIC: "String",
        DOC: "String",
        **dict.fromkeys((START, END, FOUND, RANK), "Int64"),
        OUTCOME: "String",
    },
    "SEGMENT_SCHEMA": {
        TOPIC: "String",
        DOC: "String",
        START: "Int64",
        END: "Int64",
        KIND: "String",
        RANK: "Int64",
    },
    "PIECE_SCHEMA": {DOC: "String", START: "Int64", END: "Int64", RANK: "Int64"},
    "POOL_SCHEMA": {
        TOPIC: "String",
        DOC: "String",
        PLACE: "Int64",
        RUNS: "Int64",
        BEST_RANK: "Int64",
    },
    "STINT_SCHEMA": {
        **dict.fromkeys((TOPIC, ASSESSOR, ROLE), "String"),
        **dict.fromkeys((DOCUMENTS, DONE, RELEVANT, PASSAGES, CHARACTERS), "Int64"),
        SECONDS: "Float64",
    },
    "PERSON_SCHEMA": {ASSESSOR: "String", ROLE: "String", SECONDS: "Float64", IMPORTED: "Int64"},
    "TOPIC_STATE_SCHEMA": {
        TOPIC: "String",
        LOCKED: "Boolean",
        **dict.fromkeys((DOCUMENTS, DONE, FINISHED_TWICE, DISPUTED, ADJUDICATED), "Int64"),
    },
    "GROUP_SCHEMA": {TOPIC: "String", GROUP: "String"},
    "REFERENCE_SCHEMA": {DOC: "String", PATH: "String", PATH_END: "String"},
    "LOCATION_SCHEMA": {
        DOC: "String",
        PATH: "String",
        START: "Int64",
        END: "Int64",
        TEXT: "String",
    },
}
RUN_COLUMNS, JUDGEMENT_COLUMNS, TOPIC_COLUMNS = (
    tuple(_SCHEMAS[name]) for name in ("RUN_SCHEMA", "DOCUMENT_SCHEMA", "TOPIC_SCHEMA")
)
if TYPE_CHECKING:
    Schema = dict[str, type[pl.DataType]]
    RUN_SCHEMA: Schema
    DOCUMENT_SCHEMA: Schema
    CHUNK_SCHEMA: Schema
    CHUNK_LIST_SCHEMA: Schema
    ASSESSOR_SCHEMA: Schema
    PASSAGE_SCHEMA: Schema
    ASPECT_SCHEMA: Schema
    TOPIC_SCHEMA: Schema
    RETURNED_DOCUMENT_SCHEMA: Schema
    RETURNED_RESULT_SCHEMA: Schema
    EXPLAINED_TOPIC_SCHEMA: Schema
    EXPLAINED_DOCUMENT_SCHEMA: Schema
    EXPLAINED_RESULT_SCHEMA: Schema
    EXPLAINED_PASSAGE_SCHEMA: Schema
    SEGMENT_SCHEMA: Schema
    PIECE_SCHEMA: Schema
    POOL_SCHEMA: Schema
    STINT_SCHEMA: Schema
    PERSON_SCHEMA: Schema
    TOPIC_STATE_SCHEMA: Schema
    GROUP_SCHEMA: Schema
    REFERENCE_SCHEMA: Schema
    LOCATION_SCHEMA: Schema


def __getattr__(name: str) -> Any:
    """Make a schema when it is first asked for: whoever asks needs Polars, others do not."""
    if name not in _SCHEMAS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    schema = {column: getattr(pl, dtype) for column, dtype in _SCHEMAS[name].items()}
    globals()[name] = schema
    return schema


SCORE_ROW = [RUN, MEASURE, TOPIC, VALUE]
GROUPED_SCORE_ROW = [RUN, MEASURE, TOPIC, GROUP, VALUE]
ALL_TOPICS = "all"
# The group of topics that are in no other.
UNGROUPED = "(none)"
