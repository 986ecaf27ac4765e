"""A TREC run that stays in its file: read block by block while it is scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import local

from foveal.choices import Order, Ties
from foveal.compiled import TREC_RUN, Scanner
from foveal.files import BYTE_ORDER_MARK, Source
from foveal.formats._compiled_lines import PORTION, CompiledLines, document_results
from foveal.formats._lines import TO_BLANKS
from foveal.formats._run_rows import run_name
from foveal.tables import SEED, Origin, Run, RunBlock, StoredResults, UnreadBlock

# A topic with more bytes of results than this is not waited for.
LARGEST_TOPIC = 32 * PORTION
# Blank lines and comments after which a topic is no longer looked for.
LINES_LOOKED_AT = 20
# Threads that scan blocks fill their arrays again and again.
_threads = local()


def stored_run(source: Source, read: Callable[[], Run]) -> Run:
    """The run in an open file, whose results stay there; `read` reads it whole.

    Its name and tag are not known before the last line is read.
    """
    return Run(
        name=run_name(source, "", ""),
        rows=StoredResults(partial(_blocks, source), read),
        order=Order.SCORE,
        origin=Origin(source.name, source.stem, "trec"),
        ties=Ties.ID,
    )


def _blocks(source: Source) -> Iterator[UnreadBlock]:
    """The file in blocks that end where a topic ends, if the results of topics are together."""
    begin = None
    for data, end in source.portions(PORTION, _last_topic):
        if begin is None:
            begin = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
        yield partial(_read, source, data, begin, end)
        begin = 0


def _read(source: Source, data: bytes, begin: int, end: int) -> RunBlock | None:
    """The results in lines of whole topics; None if something is odd.

    They are in arrays that the next block of the same thread fills again.
    """
    if end >= LARGEST_TOPIC:
        return None
    scanner = _threads.__dict__.setdefault("scanner", Scanner(TREC_RUN, SEED))
    lines = CompiledLines(data, [scanner.scan(data, begin, end)])
    if not lines.are_plain:
        return None
    results = document_results(lines)
    if results is None or len(results.topics) < len(results.topic.first):
        return None
    return RunBlock(results, run_name(source, "", lines.tag), lines.tag)


def _last_topic(data: bytes) -> int:
    """Where the last topic's lines begin, found by halving; what is left of a line is not looked at.

    If they are not together, any beginning of a line will do: the topic is then met again, and
    the run is read whole. So it is if a topic is too large to be waited for.
    """
    end = len(data)
    if end >= LARGEST_TOPIC:
        return end
    low, high = 0, max(data.rfind(b"\n", 0, data.rfind(b"\n", 0, end)) + 1, 0)
    last = _topic_from(data, high, end)
    while low < high:
        middle = max(data.rfind(b"\n", low, (low + high) // 2) + 1, low)
        if _topic_from(data, middle, end) == last:
            high = middle
        else:
            low = data.find(b"\n", middle) + 1
    return high


def _topic_from(data: bytes, begin: int, end: int) -> bytes:
    """The topic of the first line with data between two places; nothing if none is near."""
    for _ in range(LINES_LOOKED_AT):
        if begin >= end:
            break
        stop = data.find(b"\n", begin, end)
        line = data[begin : stop if stop >= 0 else end]
        topic = line.translate(TO_BLANKS).lstrip(b" ").partition(b" ")[0]
        if topic and not topic.startswith(b"#"):
            return topic
        if stop < 0:
            break
        begin = stop + 1
    return b""
