"""Bytes to tables and back: one format per file, each recognised by its content."""

from foveal.formats._assessor_files import write_assessors
from foveal.formats._companions import read_norms, read_participants, read_topic_list
from foveal.formats._diagnosis import content_of
from foveal.formats._groups import groups_place, read_groups
from foveal.formats._json_values import is_unicode
from foveal.formats._json_values import objects as json_objects
from foveal.formats._pools import read_pool, write_pool
from foveal.formats._reading import (
    Texts,
    ending,
    opened_run,
    quote_lines,
    read_assessors,
    read_qrels,
    read_run,
    read_topics,
    stated_task,
    write_qrels,
    write_run,
    written_format,
)
from foveal.formats._records import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    Format,
    QrelsFormat,
    QrelsRows,
    Reading,
    RunFormat,
    RunRows,
    TopicsFormat,
    TopicsRows,
    qrels_format,
    run_format,
    topics_format,
)
from foveal.formats._rows import json_bytes, rows_bytes, score_bytes
from foveal.formats._scores import holds_scores, read_scores
from foveal.formats._tables import is_table, read_table
from foveal.registry import files_of

files_of(__name__)  # importing a file registers what it makes
