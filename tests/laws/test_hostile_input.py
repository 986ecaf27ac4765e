"""Whatever bytes a file holds, reading it gives a table or one of our errors."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.errors import FovealError
from foveal.formats import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    read_qrels,
    read_run,
    read_topics,
)
from tests.articles import ELEMENTS
from tests.unit.formats.malformed import GOOD_PARQUET

pytestmark = pytest.mark.usefixtures("scanner")

RUN_NAMES, QRELS_NAMES = list(RUN_FORMATS), list(QRELS_FORMATS)
TOPICS_NAMES = list(TOPICS_FORMATS)

GOOD = [
    b"1 Q0 a 1 2.5 mine\n2\tQ0\tb\t1\t-1e-5\tmine\r\n# x\n\n2 Q0 c 2 7 mine\n",
    b"1 Q0 a 1 2.5 mine 10 5\n1 Q0 b 2 2.5 mine X\n1 Q0 c 3 1 mine 133\n",
    b"1 Q0 a 1 2.5 mine /article[1]/p[2]\n",
    b"1 0 a 1\n1 0 b -0.5\n",
    b"1 Q0 a 7 100 3 3:5 9:2\n1 Q0 b 0 70\n1 Q0 c 0 70 5\n",
    b'{"topic": 1, "doc": "a", "start": 1, "end": 9, "score": 2.5}\n',
    b'{"topic": "1", "results": [{"doc": "a", "rank": 1}, {"doc": "b", "rank": 2}]}\n',
    b'{"topic": 1, "doc": "a", "length": 9, "grade": 1, "highlights": [[0, 4], [4, 7]]}\n',
    b'topic,doc,start,end,rank\n"1",a,0,5,1\n1,"b ""x""",,,2\n',
    b"topic\tdoc\tscore\ttag\n1\ta\t0.5\tmine\n",
    b"\xef\xbb\xbf1 Q0 a 1 2.5 mine\n",
    b'<?xml version="1.0"?><inex-submission/>',
    b'<inex-submission run-id="m"><topic topic-id="1"><result><file>9996</file>'
    b"<path>/article[1]/bdy/sec[2]</path><rank>1</rank></result></topic></inex-submission>\n",
    b'<inex-submission><topic topic-id="1"><result><file>a</file><passage start="/article[1]"'
    b' end="/article[1]/text()[1].5"/></result></topic></inex-submission>\n',
    b'<assessments topic="1"><file name="9996"><best-entry-point path="/article[1]"/>'
    b'<passage start="/article[1]/name[1]/text()[1].0" end="/article[1]/bdy[1]/sec[1]"/></file>'
    b"</assessments>\n",
    b"1 Q0 9996 1 2.5 mine /article[1]/bdy[1]/sec[1] /article[1]/bdy[1]/sec[2]\n",
    b'<!DOCTYPE a [<!ENTITY a "b">]><topics><topic id="1"><title>&a;</title></topic></topics>\n',
    b"<top>\n<num> Number: 1\n<title> x\n</top>\n",
    GOOD_PARQUET,
]
GOOD += [gzip.compress(GOOD[0], mtime=0), zstandard.compress(GOOD[1])]
# Short strings that mean something to one reader or another.
BLANKS = [b" ", b"\t", b"\r", b"\n", b"\x00", b"\xff", b"\xef\xbb\xbf"]
TAGS = [b"<a>", b"</topic>", b"<?xml?>", b"&x;", b"<!--", b"]]>", b"/text()[1].", b"[0]"]
SIGNS = [b"#", b'"', b",", b":", b"-", b"{", b"}", b"[" * 2000, b"/", b"X", b"<", b"\\ud800"]
NUMBERS = [b"1e999", b"nan", b"9" * 40, b"null", b"1.0", b"-1"]
TOKENS = st.sampled_from([*BLANKS, *SIGNS, *TAGS, *NUMBERS]) | st.binary(max_size=4)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A good file with a few stretches replaced, removed or put in."""
    data = draw(st.sampled_from(GOOD))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 6)))
        data = data[:start] + draw(TOKENS) + data[end:]
    return data


FILES = st.binary(max_size=200) | damaged()
DEEP = b'{"topic": 1, "doc": "a", "results": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
LONG = b"x" * 200_000


def read_run_with(path: str, format: str | None) -> object:  # noqa: A002  # as the others
    return read_run(path, format, elements=ELEMENTS)


def read_qrels_with(path: str, format: str | None) -> object:  # noqa: A002  # likewise
    return read_qrels(path, format, elements=ELEMENTS)


READERS = {
    read_run: RUN_NAMES,
    read_run_with: RUN_NAMES,
    read_qrels: QRELS_NAMES,
    read_qrels_with: QRELS_NAMES,
    read_topics: TOPICS_NAMES,
}


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
@given(data=FILES, name=st.sampled_from([None, *RUN_NAMES]))
@example(data=b"", name=None)
@example(data=b'{"":"","results":[{" ":"","":0},{" ":"","":0}]}', name=None)
@example(data=b"\x00", name=None)
@example(data=b"\n", name="csv")
@example(data=DEEP, name=None)
@example(data=b'{"topic": ' + LONG + b"}\n", name=None)
@example(data=LONG + b"\n", name="csv")
@example(data=b'topic,doc\n"' + LONG + b'",a\n', name=None)
@example(data=b'topic,doc\n1,"' + b"a\n" * 70_000, name=None)
@example(data=b"\xff\xfe1\x00 \x00", name=None)
@example(data=b"\x1f\x8b", name=None)
@example(data=b"\x28\xb5\x2f\xfd", name=None)
@example(data=b"PAR1\x15PAR1", name=None)
def test_hostile_bytes_raise_nothing_but_our_errors(
    read: Callable[..., object], data: bytes, name: str | None
) -> None:
    if name not in READERS[read]:
        name = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "odd"
        path.write_bytes(data)
        with suppress(FovealError):
            read(str(path), format=name)
