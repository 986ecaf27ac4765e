from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import polars as pl
import pytest

import foveal
from foveal.errors import BadInput, DataError, MissingFile, UsageError
from tests.unit.collection.collecting import folder_of, indexed

TEXTS = {"a": "One fish.\r\nTwo fish.", "b": "Zwölf Fische 🐟"}


def folder(path: Path) -> Path:
    for name, text in TEXTS.items():
        (path / f"{name}.md").write_bytes(text.encode())
    return path


def zipped(path: Path) -> Path:
    with zipfile.ZipFile(path / "texts.zip", "w") as archive:
        for name, text in TEXTS.items():
            archive.writestr(f"inside/{name}.txt", text)
    return path / "texts.zip"


def tarred(path: Path) -> Path:
    with tarfile.open(path / "texts.tar.gz", "w:gz") as archive:
        for name, text in TEXTS.items():
            entry = tarfile.TarInfo(f"inside/{name}.txt")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path / "texts.tar.gz"


def table(write: str, ending: str, names: tuple[str, str]) -> Callable[[Path], Path]:
    def written(path: Path) -> Path:
        frame = pl.DataFrame(
            {names[0]: list(TEXTS), names[1]: list(TEXTS.values()), "more": [1, 2]}
        )
        getattr(frame, write)(path / f"texts{ending}")
        return path / f"texts{ending}"

    return written


FILES = {
    "a folder": folder,
    "a zip archive": zipped,
    "a compressed tar archive": tarred,
    "JSONL": table("write_ndjson", ".jsonl", ("id", "text")),
    "JSONL with aliases": table("write_ndjson", ".jsonl", ("file_path", "page_content")),
    "CSV": table("write_csv", ".csv", ("doc", "content")),
    "Parquet": table("write_parquet", ".parquet", ("doc_id", "text")),
}


@pytest.mark.parametrize("kind", FILES)
def test_documents_are_read_from_files(kind: str, tmp_path: Path) -> None:
    docs = foveal.read_documents(FILES[kind](tmp_path))
    assert dict(docs) == TEXTS
    assert repr(docs) == "<Documents: 2 documents>"


def test_an_xml_file_is_its_text(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a>One <b>fish</b>.<!-- not -->\n</a>", encoding="utf-8")
    assert dict(foveal.read_documents(tmp_path)) == {"a": "One fish.\n"}


MEMORY: dict[str, Any] = {
    "a dict": TEXTS,
    "pairs": list(TEXTS.items()),
    "dicts": [{"id": name, "text": text} for name, text in TEXTS.items()],
    "pandas": pd.DataFrame({"docno": list(TEXTS), "text": list(TEXTS.values())}),
    "Polars": pl.DataFrame({"id": list(TEXTS), "text": list(TEXTS.values())}),
    "LangChain": [
        SimpleNamespace(page_content=text, metadata={"source": name}, id=None)
        for name, text in TEXTS.items()
    ],
    "LlamaIndex": [
        SimpleNamespace(text=text, doc_id=name, id_=name, metadata={}, ref_doc_id=None)
        for name, text in TEXTS.items()
    ],
    "Haystack": [
        SimpleNamespace(content=text, id=name, meta={"file_path": "x"})
        for name, text in TEXTS.items()
    ],
}


@pytest.mark.parametrize("kind", MEMORY)
def test_documents_are_taken_from_memory(kind: str) -> None:
    docs = foveal.read_documents(MEMORY[kind])
    assert dict(docs) == TEXTS
    assert foveal.read_documents(docs) is docs


def test_lengths_count_characters_and_unknown_documents_have_none() -> None:
    docs = foveal.read_documents(TEXTS)
    asked = pl.Series(["b", "x", "a", "b", "texts/a.md"])
    assert docs.lengths(asked).to_list() == [14, None, 20, 14, 20]


def test_the_text_of_a_part_is_cut_out() -> None:
    docs = foveal.read_documents(TEXTS)
    parts = pl.DataFrame({"doc": ["b", "b", "x"], "start": [13, None, 0], "end": [14, None, 1]})
    assert docs.cut(parts).to_list() == ["🐟", TEXTS["b"], None]


def test_a_hostile_archive_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        entry = tarfile.TarInfo("inside/passwd")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(BadInput, match="links are not followed"):
        foveal.read_documents(tmp_path / "evil.tar")


def test_an_offset_index_has_no_texts(tmp_path: Path) -> None:
    index = indexed(folder_of(tmp_path))
    with pytest.raises(DataError, match="an offset index, which has no texts: give the collection"):
        foveal.read_documents(index.folder)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "a second document 'a'"),
        ([{"text": "x"}], "a document without an id"),
        (
            [{"id": "a", "text": None, "content": "x"}, {"id": "b", "source": "s"}],
            "'s' has no text",
        ),
        (pl.DataFrame({"id": ["a"], "body": ["x"]}), "no 'text' \\(found: id, body\\)"),
    ],
)
def test_documents_that_cannot_be_used_are_refused(source: Any, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        foveal.read_documents(source)


def test_a_missing_folder_an_empty_one_and_a_number_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        foveal.read_documents(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="no documents"):
        foveal.read_documents(tmp_path)
    wrong: Any = 7
    with pytest.raises(UsageError, match="cannot read documents from int"):
        foveal.read_documents(wrong)


def test_broken_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n\n{"id": \n[]\n', encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        foveal.read_documents(path)
    assert [problem.line for problem in refused.value.problems] == [3, 4]


def test_docs_in_another_form_are_refused_with_what_to_give(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"topic": "q", "doc": "a", "start": 0, "end": 3}\n', encoding="utf-8")
    rows = [{"topic": "q", "doc": "a", "start": 0, "end": 3}]
    texts: Any = TEXTS
    calls: list[Callable[[], object]] = [
        lambda: foveal.read_qrels(path, docs=texts),
        lambda: foveal.read_run(path, docs=texts),
        lambda: foveal.read_chunks(path, docs=cast("Any", str(path))),
        lambda: foveal.Qrels.from_dicts(rows, docs=texts),
        lambda: foveal.Qrels.from_frame(pl.DataFrame(rows), docs=texts),
        lambda: foveal.evaluate(rows, rows, "cR@5", docs=texts),
        lambda: foveal.check(rows, task="rag", docs=texts),
        lambda: foveal.repair(rows, task="rag", docs=texts),
    ]
    for call in calls:
        with pytest.raises(
            UsageError, match=r"docs=foveal.read_documents\(your dict, frame or path"
        ):
            call()


PICTURE, OFFICE = b"\x89PNG\r\n\x1a\n\x00", b"PK\x03\x04 and so on"


def mixed(path: Path, **files: bytes) -> Path:
    """A folder of documents and of other files."""
    for name, data in {"b_png": PICTURE, "c_docx": OFFICE, "d_pdf": b"%PDF-1.4", **files}.items():
        (path / name.replace("_", ".")).write_bytes(data)
    return path


def test_files_that_are_not_text_are_skipped_with_one_note(tmp_path: Path) -> None:
    source = mixed(folder(tmp_path), code_py=b"x = 1")
    docs = foveal.read_documents(source)
    assert dict(docs) == {**TEXTS, "code": "x = 1"}
    note = f"{source}: 3 files skipped, not text: b.png, …"
    assert docs.notes == (note,)
    rows = [{"topic": "q", "doc": "a", "text": "Two fish."}]
    assert note in docs.placed(rows).notes
    assert note in foveal.from_hits({"q": rows}, docs).notes


def test_a_folder_of_pictures_has_no_documents(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no documents; 3 files skipped, not text: b\.png, …"):
        foveal.read_documents(mixed(tmp_path))
    with pytest.raises(BadInput, match=r"b\.png:1: not UTF-8: byte 0x89$"):
        foveal.read_documents(tmp_path / "b.png")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("x.txt", b"caf\xe9", "not UTF-8: byte 0xe9"),
        ("x", b"caf\xe9", "not UTF-8: byte 0xe9"),
        ("x.html", b"<p>One<br>two</p>", "HTML that is not well-formed XML, .*: mismatched tag"),
    ],
)
def test_documents_whose_text_is_unknown_are_refused(
    name: str, data: bytes, reason: str, tmp_path: Path
) -> None:
    (folder(tmp_path) / name).write_bytes(data)
    with pytest.raises(BadInput, match=rf"{reason} \(move the file out of the folder, or give a"):
        foveal.read_documents(tmp_path)


def test_markdown_that_begins_with_a_tag_is_plain_text(tmp_path: Path) -> None:
    text = '<p align="center">\n<br>\n\n# Fish'
    (tmp_path / "readme.md").write_text(text, encoding="utf-8")
    assert dict(foveal.read_documents(tmp_path)) == {"readme": text}
