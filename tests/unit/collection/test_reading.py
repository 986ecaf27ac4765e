from __future__ import annotations

import gzip
import json
import pickle
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from foveal.choices import Count, Whitespace
from foveal.collection import Identifier, Index, OffsetCounter, Settings, build_index
from foveal.collection.members import Batch, batches
from foveal.errors import BadInput, DataError, MissingFile, UsageError
from tests.element_tables import elements_of
from tests.unit.collection.collecting import (
    ARTICLES,
    complaints,
    encoded,
    folder_of,
    indexed,
    lengths,
    tar_of,
    zip_of,
)

# Every test runs with both scanners.
pytestmark = pytest.mark.usefixtures("scanner")

LENGTHS = {"d1": 18, "d2": 8, "d3": 0}


@pytest.mark.parametrize("shape", ["folder", "tar", "tar.gz", "tar.xz", "zip", "stored"])
def test_a_collection_is_the_same_in_every_shape(tmp_path: Path, shape: str) -> None:
    source = {
        "folder": lambda: folder_of(tmp_path),
        "tar": lambda: tar_of(tmp_path / "a.tar", encoded()),
        "tar.gz": lambda: tar_of(tmp_path / "a.tar.gz", encoded(), "w:gz"),
        "tar.xz": lambda: tar_of(tmp_path / "a.tar.xz", encoded(), "w:xz"),
        "zip": lambda: zip_of(tmp_path / "a.zip", encoded()),
        "stored": lambda: zip_of(tmp_path / "a.zip", encoded(), zipfile.ZIP_STORED),
    }[shape]()
    index = indexed(source)
    assert lengths(index) == LENGTHS
    documents = pl.Series(list(ARTICLES))
    own = elements_of({name: text.encode() for name, text in ARTICLES.items()})
    assert index.rows_of(documents).equals(own.rows_of(documents))
    assert complaints(index) == []


@pytest.mark.parametrize("pack", [folder_of, lambda path: zip_of(path / "a.zip", encoded())])
def test_a_batch_is_the_same_in_another_process(
    tmp_path: Path, pack: Callable[[Path], Path]
) -> None:
    (batch,) = batches([str(pack(tmp_path))])
    assert len(batch) == 3
    assert pickle.loads(pickle.dumps(batch)) == batch  # noqa: S301  # our own
    assert pickle.loads(pickle.dumps(Batch())) == []  # noqa: S301


def test_compressed_files_in_a_folder_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "packed"
    folder.mkdir()
    (folder / "d1.xml.gz").write_bytes(gzip.compress(ARTICLES["d1"].encode()))
    zip_of(folder / "more.zip", {"x/d2.xml": ARTICLES["d2"].encode()})
    (folder / ".hidden").write_text("<not xml")
    assert lengths(indexed(folder)) == {"d1": 18, "d2": 8}


@pytest.mark.parametrize("batch_size", [1, 40, 1 << 20])
@pytest.mark.parametrize("packed", [False, True])
def test_documents_one_after_another_are_told_apart_by_their_ids(
    tmp_path: Path, batch_size: int, *, packed: bool
) -> None:
    text = "".join(
        f'<?xml version="1.0"?>\n<a id="{name}"><n>{name}</n>{"x" * size}</a>\n'
        for name, size in (("p", 3), ("q", 50), ("r", 0))
    ).encode()
    source = tmp_path / "dump.xml"
    source.write_bytes(gzip.compress(text) if packed else text)
    for rule in ("@id", "n"):
        index = indexed(source, Settings(identifier=Identifier(rule)), batch_size=batch_size)
        assert lengths(index) == {"p": 4, "q": 51, "r": 1}
        for path in index.folder.iterdir():
            path.unlink()


def test_documents_without_declarations_follow_each_other(tmp_path: Path) -> None:
    source = tmp_path / "dump.xml"
    source.write_text("<a id='1'>x</a>\n<a id='2'>yy</a><!-- end -->\n")
    assert lengths(indexed(source, Settings(identifier=Identifier("@id")))) == {"1": 1, "2": 2}


def test_many_documents_without_declarations_are_read_in_time(tmp_path: Path) -> None:
    source = tmp_path / "dump.xml"
    source.write_text("".join(f"<a id='{n}'>{'x' * 3000}</a>\n" for n in range(2000)))
    began = time.process_time()
    assert len(lengths(indexed(source, Settings(identifier=Identifier("@id"))))) == 2000
    # Reading on to the file's end for every document took some twenty seconds.
    assert time.process_time() - began < 5


def test_a_declaration_inside_a_document_begins_no_other(tmp_path: Path) -> None:
    source = tmp_path / "dump.xml"
    example = '<![CDATA[\n<?xml version="1.0"?>]]>'
    source.write_text("".join(f"<?xml version='1.0'?>\n<a id='{n}'>{example}</a>\n" for n in "12"))
    for batch_size in (60, 1 << 20):
        index = indexed(source, Settings(identifier=Identifier("@id")), batch_size=batch_size)
        assert lengths(index) == {"1": 22, "2": 22}
        shutil.rmtree(index.folder)


def test_several_documents_need_a_rule(tmp_path: Path) -> None:
    source = tmp_path / "dump.xml"
    source.write_text("<a>x</a>\n\n<a>y</a>")
    with pytest.raises(
        DataError, match=r"dump\.xml:3: more text after the end of the document .*--id"
    ):
        indexed(source)


def test_a_malformed_document_among_others_is_left_out_alone(tmp_path: Path) -> None:
    source = tmp_path / "dump.xml"
    source.write_text(
        '<?xml version="1.0"?>\n<a id="1">x</a>\n<?xml version="1.0"?>\n<a id="2">\n<b></a>\n'
        '<?xml version="1.0"?>\n<a>no id</a>\n<?xml version="1.0"?>\n<a id="4"/>\n'
    )
    index = indexed(source, Settings(identifier=Identifier("@id")))
    assert lengths(index) == {"1": 1, "4": 0}
    assert complaints(index) == [
        ("dump.xml", 5, "mismatched tag"),
        ("dump.xml", 6, "no id: the document has no @id (--id)"),
    ]


@pytest.mark.parametrize("rule", ["", "@id", "a"])
def test_a_comment_before_a_declaration_is_no_document(tmp_path: Path, rule: str) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "good.xml").write_text("<a id='1'>x</a>")
    (tmp_path / "some" / "odd.xml").write_text("\n<!-- c -->\n<?xml version='1.0'?>")
    index = indexed(tmp_path / "some", Settings(identifier=Identifier(rule)))
    assert list(lengths(index).values()) == [1]
    reasons = [(line, reason) for _, line, reason in complaints(index)]
    assert reasons[0] == (3, "XML or text declaration not at start of entity")


@pytest.mark.parametrize("batch_size", [1, 1 << 20])
def test_trec_documents_need_not_be_well_formed(tmp_path: Path, batch_size: int) -> None:
    source = tmp_path / "FT911"
    source.write_bytes(
        b"<DOC>\n<DOCNO> FT911-3 </DOCNO>\n<TEXT>\nAT&amp;T <P>said 1 < 2 & more</TEXT>\n</DOC>\n"
        b"<doc><docno>FT911-4</docno><TEXT>caf\xe9</TEXT></doc>\n<DOC><TEXT>no number</TEXT></DOC>"
    )
    index = indexed(source, batch_size=batch_size)
    assert lengths(index) == {"FT911-3": 35, "FT911-4": 11}
    listed = index.rows_of(pl.Series(["FT911-3"]))
    assert listed.rows() == [
        ("FT911-3", "/DOC[1]", 0, 35),
        ("FT911-3", "/DOC[1]/DOCNO[1]", 1, 10),
        ("FT911-3", "/DOC[1]/TEXT[1]", 11, 34),
        ("FT911-3", "/DOC[1]/TEXT[1]/P[1]", 17, 17),
    ]
    assert [(line, reason) for _, line, reason in complaints(index)] == [
        (7, "a document without DOCNO")
    ]


@pytest.mark.parametrize("batch_size", [1, 1 << 20])
def test_lines_of_json_are_documents(tmp_path: Path, batch_size: int) -> None:
    rows = [{"id": "a", "text": "naïve \N{GRINNING FACE}"}, {"id": 7, "text": ""}]
    source = tmp_path / "docs.jsonl"
    source.write_text(
        "\n".join(
            [*map(json.dumps, rows), "{broken", '{"id": "b"}', '["a"]', '{"id":true,"text":""}']
        )
    )
    index = indexed(source, batch_size=batch_size)
    assert lengths(index) == {"a": 7, "7": 0}
    assert [line for _, line, _ in complaints(index)] == [3, 4, 5, 6]
    assert index.rows_of(pl.Series(["a", "7"])).height == 0


def test_plain_text_counts_every_character(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    (folder / "b").write_bytes("\N{GRINNING FACE}".encode())
    (folder / "c.txt").write_bytes(b"caf\xe9")
    (folder / "d.png").write_bytes(b"\x89PNG\0")
    (folder / "e.txt").write_bytes(b"zero\0")
    (folder / "f.txt").write_bytes(b"")
    index = indexed(folder)
    assert lengths(index) == {"a": 8, "b": 1, "f": 0}
    assert [file for file, _, _ in complaints(index)] == [
        "texts/c.txt",
        "texts/d.png",
        "texts/e.txt",
    ]


@pytest.mark.parametrize(
    ("count", "whitespace", "expected"),
    [
        (Count.CHARACTERS, Whitespace.KEEP, [(0, 9), (5, 9)]),
        (Count.BYTES, Whitespace.KEEP, [(0, 13), (5, 13)]),
        (Count.CHARACTERS, Whitespace.MERGED, [(0, 7), (3, 7)]),
        (Count.BYTES, Whitespace.MERGED, [(0, 11), (3, 11)]),
    ],
)
def test_text_is_counted_as_told(
    count: Count, whitespace: Whitespace, expected: list[tuple[int, int]]
) -> None:
    document = "<a> b \n\n<c> é\N{GRINNING FACE}\t</c></a>".encode()
    found = elements_of({"d": document}, OffsetCounter(count, whitespace))
    spans = [row[2:] for row in found.rows_of(pl.Series(["d"])).rows()]
    assert spans == expected


def test_blanks_merge_where_a_long_text_is_delivered_in_pieces() -> None:
    text = ("x" + " \n" * 40_000) * 2
    found = elements_of(
        {"d": f"<a>{text}</a>".encode()}, OffsetCounter(whitespace=Whitespace.MERGED)
    )
    assert found.lengths(pl.Series(["d"])).to_list() == [4]


def test_points_need_an_index_of_characters() -> None:
    found = elements_of({"d": b"<a>xy</a>"}, OffsetCounter(Count.BYTES))
    asked = pl.DataFrame(
        {"doc": "d", "path": ["/a/text()[1].1", "/a/text()[1]"], "path_end": [None, None]},
        schema={"doc": pl.String, "path": pl.String, "path_end": pl.String},
    )
    first, second = found.spans(asked).rows()
    assert first[:2] == (None, None)
    assert "does not count characters" in first[2]
    assert second == (0, 2, None)


@pytest.mark.parametrize(
    ("rule", "ids"),
    [
        (r"re:some/(\w+)\.xml$", ["d1", "d2", "d3"]),
        (r"re:(some/d\d)", ["some/d1", "some/d2", "some/d3"]),
        ("", ["d1", "d2", "d3"]),
    ],
)
def test_ids_come_from_names(tmp_path: Path, rule: str, ids: list[str]) -> None:
    source = zip_of(tmp_path / "a.zip", encoded())
    assert list(lengths(indexed(source, Settings(identifier=Identifier(rule))))) == ids


@pytest.mark.parametrize("rule", ["re:(", "re:no group", "re:(a)(b)"])
def test_a_rule_that_is_none_is_refused_at_once(rule: str) -> None:
    with pytest.raises(UsageError, match=r"--id re:"):
        Identifier(rule)


def test_an_id_given_twice_is_refused_with_both_files(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "a.zip", {"x/d.xml": b"<a/>", "y/d.xml": b"<b/>", "e.xml": b"<c/>"})
    with pytest.raises(
        BadInput, match=r"(?s)2 documents with the id 'd': a\.zip/x/d\.xml, a\.zip/y/d\.xml.*--id"
    ):
        indexed(source)


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no documents"):
        indexed(tmp_path / "empty")
    with pytest.raises(MissingFile, match="nowhere"):
        build_index([str(tmp_path / "nowhere")], tmp_path / "index")


def test_strict_refuses_what_is_malformed(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "a.zip", {**encoded(), "bad.xml": b"<a>\n<b></a>"})
    with pytest.raises(DataError, match=r"a\.zip/bad\.xml:2: mismatched tag"):
        build_index([str(source)], tmp_path / "index", strict=True)
    assert not (tmp_path / "index" / "manifest.json").exists()


def test_collections_beyond_this_machine_are_read_by_fsspec(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="in the extra `cluster`")
    files = fsspec.filesystem("memory")
    for name, text in ARTICLES.items():
        files.pipe(f"/collection/part/{name}.xml", text.encode())
    build_index(["memory://collection"], tmp_path / "index")
    files.rm("/collection", recursive=True)
    assert lengths(Index.open(tmp_path / "index")) == LENGTHS
    with pytest.raises(MissingFile, match="no files found"):
        build_index(["memory://nowhere"], tmp_path / "other")
