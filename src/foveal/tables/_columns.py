"""The columns that exist and their types; the only place where a column name is spelled."""

from __future__ import annotations

import polars as pl

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
STATED = "rel_chars"
JUDGED = "judged"
PASSAGES = "passages"
# A judgement has at least one of these.
SPEAKS_OF_RELEVANCE = (GRADE, LENGTH, ENTRY, STATED, HIGHLIGHTS)

# Elements: how they are written, and what an offset index knows of them.
PATH = "path"
PATH_END = "path_end"
PROBLEM = "problem"
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
PARTICIPANT = "participant"
DEVIATION = "standard deviation"

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

# Measures tested on simulated runs: pairs of runs, curves, and what noise does.
EQUAL = "equal"
VERDICT = "verdict"
LEVEL = "level"
NOISE = "noise"
STRENGTH = "strength"
SPREAD = "spread"
LOSS = "loss"
RISE = "rise"

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

# What PyTerrier, ir_measures and ir_datasets call the same; their tables are taken as they are.
OTHER_NAMES = {
    TOPIC: ("qid", "query_id"),
    DOC: ("docno", "doc_id"),
    GRADE: ("label", "relevance"),
    TITLE: ("query", "text"),
}
# What else people call them, without marks between words: for "did you mean".
MISNAMED = {
    TOPIC: ("query", "queryid", "qid", "topicid", "topicno", "question", "q"),
    DOC: ("document", "docid", "documentid", "docno", "did", "file", "article", "passageid", "id"),
    GRADE: ("rel", "relevance", "label", "judgement", "judgment"),
}
# What a judgement of ir_measures says beside, of no use to a measure.
ITERATION = "iteration"

# A run's part: a span; no start and end is the whole document; -1 is an element whose offsets are
# not known.
UNMAPPED = -1
# The official program's mean length of an element it could not find; all of it irrelevant.
UNMAPPED_SIZE = 18
RUN_SCHEMA: dict[str, type[pl.DataType]] = {
    TOPIC: pl.String,
    DOC: pl.String,
    START: pl.Int64,
    END: pl.Int64,
    RANK: pl.Int64,
    SCORE: pl.Float64,
    LINE: pl.UInt32,
}
DOCUMENT_SCHEMA: dict[str, type[pl.DataType]] = {
    TOPIC: pl.String,
    DOC: pl.String,
    LENGTH: pl.Int64,
    ENTRY: pl.Int64,
    GRADE: pl.Float64,
    STATED: pl.Int64,
    LINE: pl.UInt32,
}
PASSAGE_SCHEMA: dict[str, type[pl.DataType]] = {
    JUDGED: pl.UInt32,
    START: pl.Int64,
    END: pl.Int64,
}
TOPIC_SCHEMA: dict[str, type[pl.DataType]] = dict.fromkeys(
    (TOPIC, TITLE, DESCRIPTION, NARRATIVE, CASTITLE, PHRASETITLE, MMTITLE), pl.String
)
SCORE_ROW = [RUN, MEASURE, TOPIC, VALUE]
ALL_TOPICS = "all"
