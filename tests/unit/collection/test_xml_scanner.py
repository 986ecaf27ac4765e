"""The compiled scanner finds what the Python scanner finds, and leaves other documents to it."""

from __future__ import annotations

import itertools
import pyexpat
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Count, Whitespace
from foveal.collection import Identifier, MakeShard, Member, OffsetCounter, Settings, Shard
from foveal.collection.element_table import RowScanner, ScannedElements
from foveal.compiled import elements_scanner
from foveal.compiled import scanner as compiled_scanner
from foveal.compiled.scanner import compiled_module
from foveal.elements import DEEPEST
from tests.examples import examples
from tests.scanners import COMPILED, PLAIN, scanning_by
from tests.shared import needs_compiled
from tests.xml_strategies import damaged, documents

pytestmark = needs_compiled()
MEASURES = [OffsetCounter(*pair) for pair in itertools.product(Count, Whitespace)]
IDS = documents(ids=True)
measures = st.sampled_from(MEASURES)


def _shards(files: list[bytes], settings: Settings) -> tuple[Shard, Shard]:
    """The shards that both scanners make of the same files."""
    batch = [Member(f"d{number}.xml", data=data) for number, data in enumerate(files)]
    made = []
    for scanner in (COMPILED, PLAIN):
        with scanning_by(scanner):
            made.append(MakeShard(settings)(batch))
    return made[0], made[1]


@given(st.lists(documents() | damaged(documents()), min_size=1, max_size=5), measures)
def test_both_scanners_make_the_same_shard(files: list[bytes], measure: OffsetCounter) -> None:
    own, plain = _shards(files, Settings(measure))
    assert own == plain


@examples(50)
@given(
    st.lists(st.lists(IDS, min_size=1, max_size=3).map(b"".join), min_size=1, max_size=2),
    measures,
    st.sampled_from(["@id", "p", "article", "@a"]),
)
def test_both_scanners_make_the_same_shard_of_documents_in_a_row(
    files: list[bytes], measure: OffsetCounter, rule: str
) -> None:
    own, plain = _shards(files, Settings(measure, Identifier(rule)))
    assert own == plain


@examples(50)
@given(damaged(st.lists(IDS, min_size=1, max_size=4).map(b"".join)), measures)
def test_both_scanners_complain_alike_of_documents_in_a_row(
    file: bytes, measure: OffsetCounter
) -> None:
    own, plain = _shards([file], Settings(measure, Identifier("@id")))
    assert own == plain


@examples(50)
@given(st.lists(IDS, min_size=1, max_size=3).map(b"".join), st.integers(1, 40), measures)
def test_portions_change_nothing(data: bytes, portion: int, measure: OffsetCounter) -> None:
    scan = elements_scanner()
    assert scan
    counts_bytes, merges = measure.count is Count.BYTES, measure.whitespace is Whitespace.MERGED
    for rule in (b"", b"@id"):
        found = [scan(data, 0, rule, counts_bytes, merges, DEEPEST, p) for p in (portion, 1 << 20)]
        assert found[0] == found[1]


def _rows(data: bytes, measure: OffsetCounter | None = None) -> ScannedElements | None:
    scanner = RowScanner.of(measure or OffsetCounter())
    assert scanner
    return scanner.rows(data)


def _shown(data: bytes) -> str:
    return f"{data[:30]!r} of {len(data)}"


PLAIN_DOCUMENTS = [
    b"<a/>",
    b"<a>text<b/><!-- c --></a>",
    b"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?>\n<!-- c --><?p?><a/>\n<!-- d -->\n",
    "<a><é b='1'>\N{GRINNING FACE}</é></a>".encode(),
    b"<?xml version='1.0' encoding='iso-8859-1'?><a>caf\xe9</a>",
    b"<a><![CDATA[<!DOCTYPE a>]]></a>",
    b"<a>" * DEEPEST + b"</a>" * DEEPEST,
]
LARGE_DOCUMENTS = [
    b"<" + b"a" * (1 << 21) + b"/>",
    b"<a " + b" ".join(b"b%d='1'" % number for number in range(20_000)) + b"/>",
    b"<a>" + b"".join(b"<b%d/>" % number for number in range(20_000)) + b"</a>",
    b"<a>" + b"x" * (3 << 20) + b"<b/>" + b"y" * (3 << 20) + b"</a>",
]
LEFT_TO_PYTHON = [
    b"",
    b"<",
    b"text",
    b"<!-- only a comment -->",
    b"<!DOCTYPE a><a/>",
    b"<!-- c -->\n<?p?> <!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
    b"<a>&undeclared;</a>",
    b"<a>\0</a>",
    b"<a>caf\xe9</a>",
    b"<a></b>",
    b"<a/><a/>",
    b"<?xml version='1.0' encoding='windows-1252'?><a/>",
    "<a/>".encode("utf-16"),
    b"<a>" * (DEEPEST + 1) + b"</a>" * (DEEPEST + 1),
    b"<a>" * DEEPEST + b"<!-- too deep -->" + b"</a>" * DEEPEST,
    b"<a>" * 1_000_000,
]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("data", PLAIN_DOCUMENTS, ids=_shown)
def test_plain_documents_are_read_by_the_compiled_scanner(
    data: bytes, measure: OffsetCounter
) -> None:
    assert _rows(data, measure)
    own, plain = _shards([data], Settings(measure))
    assert own == plain
    assert own.counts["documents"] == 1


@pytest.mark.parametrize("data", LARGE_DOCUMENTS, ids=_shown)
def test_large_documents_are_read_by_the_compiled_scanner(data: bytes) -> None:
    test_plain_documents_are_read_by_the_compiled_scanner(data, OffsetCounter())


@pytest.mark.parametrize("data", LEFT_TO_PYTHON, ids=_shown)
def test_other_documents_are_left_to_the_python_scanner(data: bytes) -> None:
    assert _rows(data) is None
    own, plain = _shards([data], Settings())
    assert own == plain


def _hash(name: bytes) -> int:
    """The same as `hash_of` in elements.c."""
    found = len(name)
    for byte in name:
        found = (found ^ byte) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    return found ^ found >> 32


def test_names_made_to_collide_do_not_take_time() -> None:
    names = (b"a%d" % number for number in itertools.count())
    alike = list(itertools.islice((name for name in names if not _hash(name) & 255), 100))
    data = b"<a>" + b"".join(b"<%b/>" % name for name in alike) + b"</a>"
    assert _rows(data) is None
    own, plain = _shards([data], Settings())
    assert own == plain


def test_documents_in_a_row_are_read_by_the_compiled_scanner() -> None:
    data = "<a id=' é1 '>x</a>\r\n<?xml version='1.0'?>\n<b id='2'/> <!-- end -->\n".encode()
    scanner = RowScanner.of(OffsetCounter())
    assert scanner
    first = scanner.next_rows(data, 0, "@id")
    assert first
    assert (first[1], data[first[2] :][:5]) == ("é1", b"<?xml")
    second = scanner.next_rows(data, first[2], "@id")
    assert second
    assert (second[1], first[2] + second[2]) == ("2", len(data))
    for rule in ("@x", "x", "@id\0", "\0", "@\ud800"):
        assert scanner.next_rows(data, 0, rule) is None


IN_A_ROW = [
    (b"\r\n<?p?>\r\n<a id='1'>\r\n</a>\r\n<!-- c -->\r\n\r<a id='2'/>\r\n", "@id"),
    ("<a id='1'>é\n\N{GRINNING FACE}</a>é".encode(), "@id"),
    # Counting bytes instead of columns, or Latin-1 as UTF-8, would end the first one at another <.
    ("<a id='1'>éééé</a><a id='2'/>".encode(), "@id"),
    (
        "<?xml version='1.0' encoding='iso-8859-1'?><a id='1'>©©©©</a><b/><a id='2'/>".encode(
            "latin-1"
        ),
        "@id",
    ),
    (b"<a><n>1<n>2</n>3</n></a><a><b><n>4</n></b><n>5</n></a><a/>", "n"),
    (b"<a><b id='1'/></a><a id='2'/>", "@id"),
    (b"<a id='1'/> xml:lang='en'", "@id"),
    (b"<a id='1'/><!DOCTYPE a><a id='2'/>", "@id"),
    (b"<a id='1'/><?xml version='1.0'?><a id='2'/><?xml bad?>", "@id"),
]


@pytest.mark.parametrize(("data", "rule"), IN_A_ROW, ids=range(len(IN_A_ROW)))
def test_documents_in_a_row_end_where_the_python_scanner_says(data: bytes, rule: str) -> None:
    own, plain = _shards([data], Settings(identifier=Identifier(rule)))
    assert own == plain
    scan = elements_scanner()
    assert scan
    found = [
        scan(data, 0, rule.encode(), False, False, DEEPEST, portion)
        for portion in range(1, len(data) + 1)
    ]
    assert found == found[-1:] * len(data)


def test_threads_share_nothing() -> None:
    data = [b"<a>%b<b/></a>" % (b"<c>x</c>" * number) for number in range(200)]
    alone = [_rows(document) for document in data]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(_rows, data)) == alone


def test_another_expat_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    module = compiled_module()
    assert module
    assert module.knows_expat(pyexpat.expat_CAPI)
    other = object()
    assert not module.knows_expat(other)
    with pytest.raises(ValueError, match="pyexpat"):
        module.scan_elements(other, b"<a/>", 0, b"", False, False, 9, 9)
    monkeypatch.setattr(pyexpat, "expat_CAPI", other)
    compiled_scanner._bound.cache_clear()
    assert RowScanner.of(OffsetCounter()) is None
    compiled_scanner._bound.cache_clear()


@pytest.mark.parametrize(
    ("begin", "rule", "portion"), [(-1, b"", 9), (5, b"", 9), (0, b"\0", 9), (0, b"", 0)]
)
def test_impossible_arguments_are_refused(begin: int, rule: bytes, portion: int) -> None:
    module = compiled_module()
    assert module
    with pytest.raises(ValueError, match=r"."):
        module.scan_elements(
            pyexpat.expat_CAPI, b"<a/>", begin, rule, False, False, DEEPEST, portion
        )
