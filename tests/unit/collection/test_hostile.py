from __future__ import annotations

import gzip
import io
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import polars as pl
import pytest

from foveal.choices import Count
from foveal.collection import (
    MakeShard,
    Member,
    OffsetCounter,
    Settings,
    Shard,
    build_index,
    members,
)
from foveal.elements import DEEPEST
from foveal.errors import BadInput, DataError
from tests.element_tables import elements_of
from tests.unit.collection.collecting import complaints, encoded, indexed, lengths, tar_of, zip_of

# Every test runs with both scanners.
pytestmark = pytest.mark.usefixtures("scanner")

LAUGHS = (
    '<!DOCTYPE a [<!ENTITY l0 "laugh">'
    + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    + "]><a>&l11;</a>"
)
GOOD = {"good.xml": b"<a>x</a>"}


def _complaint(tmp_path: Path, data: bytes) -> str:
    """Why a document was left out of an index that still holds the good one."""
    index = indexed(tar_of(tmp_path / "a.tar", {**GOOD, "bad.xml": data}))
    assert lengths(index) == {"good": 1}
    ((file, _, reason),) = complaints(index)
    assert file == "a.tar/bad.xml"
    return reason


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/passwd">]><a>&x;</a>', "an entity in another file (/etc/passwd)"),
        ("<a>&undeclared;</a>", "undefined entity"),
        ("<a", "unclosed token"),
        ("<a>\x01</a>", "not well-formed"),
        ("<a b='1' b='2'/>", "duplicate attribute"),
        ("<!-- only a comment -->", "no element found"),
        ("<a><b>x</b>", "the document ends before all elements are closed"),
        ("<a/>text", "after the end of the document"),
        ("text<a/>\0", "zero byte"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "unknown encoding"),
    ],
)  # fmt: skip
def test_a_malformed_document_is_listed_and_the_rest_indexed(
    tmp_path: Path, document: str, reason: str
) -> None:
    assert reason in _complaint(tmp_path, document.encode())


def test_a_billion_laughs_end_soon(tmp_path: Path) -> None:
    tracemalloc.start()
    began = time.process_time()
    reason = _complaint(tmp_path, LAUGHS.encode())
    seconds, peak = time.process_time() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "amplification" in reason
    assert seconds < 1
    assert peak < 100 << 20


def test_an_entity_of_a_grammar_elsewhere_is_one_character() -> None:
    document = b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>caf&eacute;<b>!</b></a>'
    found = elements_of({"d": document}).rows_of(pl.Series(["d"]))
    assert found.rows() == [("d", "/a[1]", 0, 5), ("d", "/a[1]/b[1]", 4, 5)]


@pytest.mark.parametrize("name", ["../../etc/x", "/etc/x", "..\\x", "a/../../x", "C:/x"])
@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_names_in_archives_lead_nowhere(
    tmp_path: Path, pack: Callable[[Path, dict[str, bytes]], Path], name: str
) -> None:
    inner = tmp_path / "deep" / "down"
    inner.mkdir(parents=True)
    index = indexed(pack(inner / "a.archive", {name: b"<a>x</a>"}))
    assert list(lengths(index).values()) == [1]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.is_relative_to(inner) for path in written)
    assert not [path for path in written if path.name == "x"]


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1, 300_000])
def test_depth_is_bounded(levels: int) -> None:
    document = b"<a>" * levels + b"x" + b"</a>" * levels
    if levels > DEEPEST:
        with pytest.raises(BadInput, match="nested more than 2,000 deep"):
            elements_of({"d": document})
        return
    path = "/a" * levels
    frame = pl.DataFrame(
        {"doc": ["d", "d"], "path": [path, f"{path}/a"], "path_end": [None, None]},
        schema={"doc": pl.String, "path": pl.String, "path_end": pl.String},
    )
    found = elements_of({"d": document})
    assert found.spans(frame).rows() == [(0, 1, None), (None, None, "no such element")]
    around = pl.DataFrame({"doc": ["d"], "start": [0], "end": [1]})
    assert found.smallest_containing(around).rows() == [("/a[1]", 0, 1)]


def test_what_is_far_too_deep_is_not_read_to_its_end() -> None:
    tracemalloc.start()
    with pytest.raises(BadInput, match="nested more than 2,000 deep"):
        elements_of({"d": b"<a>" * 10_000_000})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20


@pytest.mark.slow
def test_a_million_elements(tmp_path: Path) -> None:
    source = tmp_path / "big.xml"
    source.write_text("<a>" + "<b>x</b>" * 1_000_000 + "</a>")
    index = indexed(source)
    frame = pl.DataFrame(
        {"doc": ["big"], "path": ["/a/b[1000000]"], "path_end": [None]},
        schema={"doc": pl.String, "path": pl.String, "path_end": pl.String},
    )
    assert index.spans(frame).rows() == [(999_999, 1_000_000, None)]


@pytest.mark.slow
def test_a_text_node_of_twenty_megabytes(tmp_path: Path) -> None:
    source = tmp_path / "long.xml"
    source.write_bytes(b"<a>" + b"long text " * 2_000_000 + b"<b/></a>")
    assert lengths(indexed(source)) == {"long": 20_000_000}


def test_what_unpacks_to_more_than_a_document_may_be_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "LARGEST_DOCUMENT", 1 << 20)
    bomb = b"<a>" + b" " * (2 << 20) + b"</a>"
    folder = tmp_path / "bombs"
    folder.mkdir()
    (folder / "one.xml.gz").write_bytes(gzip.compress(bomb))
    (folder / "plain.xml").write_bytes(bomb)
    zip_of(folder / "two.zip", {"two.xml": bomb, "three.xml.gz": gzip.compress(bomb), **GOOD})
    tar_of(folder / "four.tar", {"four.xml": bomb})
    tar_of(folder / "five.tgz", {"five.xml": bomb}, "w:gz")
    index = indexed(folder, batch_size=1 << 19)
    assert lengths(index) == {"good": 1}
    reasons = {reason for _, _, reason in complaints(index)}
    assert len(complaints(index)) == 6
    assert reasons == {"a document of more than 1 MB"} or all("MB" in r for r in reasons)


def test_entries_that_share_bytes_are_a_bomb(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"a.xml": b"<a/>", "b.xml": b"<b/>"})
    data = bytearray(path.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = (0).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(DataError, match="overlap, as in a zip bomb"):
        indexed(path)


@pytest.mark.parametrize("damage", ["cut", "flip"])
@pytest.mark.parametrize("shape", ["tar", "tgz", "zip", "xml.gz"])
def test_damaged_archives_are_named(tmp_path: Path, shape: str, damage: str) -> None:
    large = {
        name: data + b"<!-- " + bytes(range(97, 123)) * 300 + b" -->"
        for name, data in encoded().items()
    }
    folder = tmp_path / "some"
    folder.mkdir()
    path = folder / f"a.{shape}"
    if shape == "xml.gz":
        path.write_bytes(gzip.compress(large["some/d1.xml"]))
    elif shape == "zip":
        zip_of(path, large)
    else:
        tar_of(path, large, "w:gz" if shape == "tgz" else "w")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    if damage == "cut":
        del data[middle:]
    else:
        data[middle : middle + 8] = b"\0<<<<<<\0"
    path.write_bytes(data)
    (folder / "good.xml").write_bytes(b"<a/>")
    index = indexed(folder)
    assert "good" in lengths(index)
    assert complaints(index)
    assert all(file.startswith(f"some/a.{shape}") for file, _, _ in complaints(index))


def test_encrypted_and_strangely_packed_entries_are_named(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {**GOOD, "bad.xml": b"<a/>"}, zipfile.ZIP_BZIP2)
    with pytest.raises(DataError, match="compression method 12 is not supported"):
        indexed(path)
    stream = io.BytesIO(zip_of(tmp_path / "b.zip", GOOD).read_bytes())
    data = bytearray(stream.getvalue())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "b.zip").write_bytes(data)
    with pytest.raises(DataError, match="encrypted"):
        build_index([str(tmp_path / "b.zip")], tmp_path / "index", Settings())


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_in_archives_are_listed(tmp_path: Path, kind: bytes) -> None:
    source = tar_of(tmp_path / "a.tar", GOOD)
    with tarfile.open(source, "a") as archive:
        link = tarfile.TarInfo("link.xml")
        link.type, link.linkname = kind, "good.xml"
        archive.addfile(link)
    index = indexed(source)
    assert lengths(index) == {"good": 1}
    assert complaints(index) == [("a.tar/link.xml", 1, "links are not followed")]


def test_links_in_zip_archives_are_listed(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "a.zip", GOOD)
    with zipfile.ZipFile(source, "a") as archive:
        link = zipfile.ZipInfo("link.xml")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "good.xml")
    assert complaints(indexed(source)) == [("a.zip/link.xml", 1, "links are not followed")]


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_archives_in_archives_are_listed(
    tmp_path: Path, pack: Callable[[Path, dict[str, bytes]], Path]
) -> None:
    inner = pack(tmp_path / "inner", encoded()).read_bytes()
    assert "an archive inside another" in _complaint(tmp_path, inner)


def test_an_archive_of_a_later_format_is_an_error(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "a.zip", GOOD)
    data = bytearray(source.read_bytes())
    # In the table of contents, the version that is needed follows the one that wrote the entry.
    data[data.index(b"PK\x01\x02") + 6] = 90
    source.write_bytes(data)
    with pytest.raises(DataError, match=r"a\.zip:1: a damaged archive: zip file version 9\.0"):
        indexed(source)


def test_a_name_in_an_archive_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "a.zip", {"é.xml": b"<a/>"})
    source.write_bytes(source.read_bytes().replace("é".encode(), b"\xff\xfe"))
    with pytest.raises(DataError, match=r"a\.zip:1: a damaged archive"):
        indexed(source)


def test_circles_of_folders_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "round"
    folder.mkdir()
    (folder / "a.xml").write_bytes(b"<a/>")
    (folder / "again").symlink_to(folder)
    assert lengths(indexed(folder)) == {"a": 0}


@pytest.mark.parametrize(
    "text",
    [
        "<DOC>" * 200_000,
        "<DOC><DOCNO>1</DOCNO>" + "<!--" * 200_000 + "</DOC>",
        "<DOC><DOCNO>" + " " * 200_000 + "</DOC>",
        "<DOC><DOCNO>1</DOCNO><" + "a" * 200_000 + "</DOC>",
        "<DOC><DOCNO>1</DOCNO>&" + "a" * 200_000 + "</DOC>",
        "<DOC><DOCNO>1</DOCNO>" + "<a>" * 100_000 + "</a>" * 100_000 + "</DOC>",
    ],
)
def test_markup_that_nothing_ends_is_read_in_time(tmp_path: Path, text: str) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "trec").write_text("<DOC><DOCNO>0</DOCNO></DOC>" + text)
    began = time.process_time()
    assert "0" in lengths(indexed(tmp_path / "some"))
    assert time.process_time() - began < 5


def test_halves_of_characters_and_names_that_are_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "some"
    folder.mkdir()
    (folder / "a.jsonl").write_text(
        '{"id": "half", "text": "\\ud800"}\n{"id": "\\ud800", "text": ""}\n'
    )
    tar_of(folder / "b.tar", {"caf\udce9.xml": b"<a/>"})
    index = indexed(folder, Settings(OffsetCounter(Count.BYTES)))
    assert lengths(index) == {"half": 3, "caf\N{REPLACEMENT CHARACTER}": 0}
    assert [line for _, line, _ in complaints(index)] == [2]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_documents_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    named = "" if encoding.startswith("utf") else f'<?xml version="1.0" encoding="{encoding}"?>'
    (tmp_path / "d.xml").write_bytes(f"{named}<a>na\u00efve</a>".encode(encoding))
    assert lengths(indexed(tmp_path / "d.xml")) == {"d": 5}


def test_a_file_that_vanished_is_left_out(tmp_path: Path) -> None:
    source = tmp_path / "some"
    source.mkdir()
    (source / "a.xml").write_bytes(b"<a/>")
    (source / "b.xml").write_bytes(b"<b/>")

    def mapped(make: MakeShard, batches: Iterable[list[Member]]) -> Iterator[Shard]:
        for batch in batches:
            (source / "a.xml").unlink()
            yield make(batch)

    built = build_index([str(source)], tmp_path / "index", mapped=mapped)
    assert (built.documents, built.skipped[0].reason) == (1, "cannot be opened")
