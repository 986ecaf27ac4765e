"""A TREC run that stays in its file: read block by block while it is scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import local

from foveal.choices import Order, Ties
from foveal.compiled import TREC_RUN, Scanner
from foveal.files import BYTE_ORDER_MARK, Source
from foveal.formats._compiled_lines import PORTION, CompiledLines, document_results
from foveal.formats._plain_lines import TO_BLANKS
from foveal.formats._run_rows import run_name
from foveal.tables import SEED, BlockReader, Origin, Run, RunBlock, StoredResults

# A topic whose results have more bytes than this is not awaited: the run is read whole.
MAX_TOPIC_SIZE = 32 * PORTION
# Number of blank lines and comments after which the search for a topic gives up.
MAX_LINES = 20
# Each thread that scans blocks reuses its scanner's arrays.
_threads = local()


def stored_run(source: Source, read: Callable[[], Run]) -> Run:
    """Run in an open file, whose results stay there; `read` reads it whole.

    Its name and tag are unknown until the last line is read.
    """
    rows = StoredResults(partial(_blocks, source), read)
    name, origin = run_name(source, "", ""), Origin(source.name, source.stem, "trec")
    return Run(name=name, rows=rows, order=Order.SCORE, origin=origin, ties=Ties.ID)


def _blocks(source: Source) -> Iterator[BlockReader]:
    """Blocks of the file that end where a topic ends, if the results of each topic are together."""
    start = None
    for data, end in source.portions(PORTION, _last_topic_start):
        if start is None:
            start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
        yield partial(_read, source, data, start, end)
        start = 0


def _read(source: Source, data: bytes, start: int, end: int) -> RunBlock | None:
    """Results in the lines of whole topics; None if only the plain reader can judge them.

    Their arrays are overwritten by the next block of the same thread.
    """
    if end >= MAX_TOPIC_SIZE:
        return None
    scanner = _threads.__dict__.setdefault("scanner", Scanner(TREC_RUN, SEED))
    lines = CompiledLines(data, [scanner.scan(data, start, end)])
    if not lines.are_plain:
        return None
    results = document_results(lines)
    if results is None or len(results.topics) < len(results.topic.first):
        return None
    return RunBlock(results, run_name(source, "", lines.tag), lines.tag)


def _last_topic_start(data: bytes) -> int:
    """Start of the last topic's lines, by binary search; an incomplete last line is ignored.

    If the lines of a topic are not together, any start of a line will do: the topic then recurs in
    another block, and the run is read whole. So it is if a topic is too large.
    """
    end = len(data)
    if end >= MAX_TOPIC_SIZE:
        return end
    low, high = 0, max(data.rfind(b"\n", 0, data.rfind(b"\n", 0, end)) + 1, 0)
    last_topic = _first_topic(data, high, end)
    while low < high:
        middle = max(data.rfind(b"\n", low, (low + high) // 2) + 1, low)
        if _first_topic(data, middle, end) == last_topic:
            high = middle
        else:
            low = data.find(b"\n", middle) + 1
    return high


def _first_topic(data: bytes, start: int, end: int) -> bytes:
    """Topic of the first line with data between two offsets; empty if there is none nearby."""
    for _ in range(MAX_LINES):
        if start >= end:
            break
        line_end = data.find(b"\n", start, end)
        line = data[start : line_end if line_end >= 0 else end]
        topic = line.translate(TO_BLANKS).lstrip(b" ").partition(b" ")[0]
        if topic and not topic.startswith(b"#"):
            return topic
        if line_end < 0:
            break
        start = line_end + 1
    return b""
