"""The tables: which columns exist, how results rank, which topics count."""

from foveal.tables import _aliases as aliases
from foveal.tables import _columns as columns
from foveal.tables._aspects import AspectColumns
from foveal.tables._blocks import BlockReader, RunBlock, StoredResults
from foveal.tables._frames import ProblemList
from foveal.tables._inputs import Frame, Rows, as_frame, is_frame
from foveal.tables._names import SEED, Lookup, Names, TopicColumn
from foveal.tables._notes import (
    AlarmNote,
    InfoNote,
    about,
    deduplicated_notes,
    in_order,
    refuse_alarming,
)
from foveal.tables._order import EQUAL_WITHIN, ReadingOrder, rows_in_order
from foveal.tables._origin import Origin, RunRows
from foveal.tables._qrels_columns import QrelsColumns
from foveal.tables._qrels_inputs import NamedAspects, QrelsRows
from foveal.tables._run_columns import RunColumns, numbered
from foveal.tables._run_documents import (
    document_lengths,
    may_be_documents,
    refuse_unplaced,
    unplaced_results,
    with_document_names,
)
from foveal.tables._text_lookup import (
    MAX_HINTS,
    ChunkListLike,
    DocumentNames,
    KnownDocuments,
    PlacedText,
    PlacementOptions,
    TextLookup,
    missing_offsets,
    placed_texts,
    refuse_wrong_docs,
    unknown_documents,
)
from foveal.tables._topic_set import ChosenTopics, eligible_topics, evaluated_topics, naming_hint
from foveal.tables.audit import Audit, AuditStatus
from foveal.tables.chunks import Chunks, ChunksLike, chunk_rows
from foveal.tables.pool import Pool, passage_lists
from foveal.tables.qrels import Qrels, QrelsLike
from foveal.tables.run import TOPIC_RESULTS, Run, RunLike, RunsLike, coerced_runs
from foveal.tables.topics import Topics
