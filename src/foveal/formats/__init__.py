"""Bytes to tables and back: one format per file, each recognised by its content."""

from foveal.files import stem_of
from foveal.formats._format import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    Format,
    QrelsFormat,
    QrelsRows,
    ReadOptions,
    RunFormat,
    RunRows,
    TopicsFormat,
    TopicsRows,
    qrels_format,
    run_format,
    topics_format,
)
from foveal.formats._io import (
    TextArguments,
    ending,
    opened_run,
    output_format,
    quote_lines,
    read_assessors,
    read_qrels,
    read_run,
    read_topics,
    stated_task,
    write_assessors,
    write_qrels,
    write_run,
)
from foveal.formats._json_values import is_unicode
from foveal.formats._json_values import objects as json_objects
from foveal.formats._pool_files import read_pool, write_pool
from foveal.formats._recognition import content_of
from foveal.formats._score_files import has_scores, read_scores
from foveal.formats._small_files import (
    groups_file,
    read_groups,
    read_norms,
    read_participants,
    read_topic_list,
)
from foveal.formats._tables import is_table, json_bytes, read_table, rows_bytes, score_bytes
from foveal.registry import files_of

files_of(__name__)  # importing a file registers what it makes
