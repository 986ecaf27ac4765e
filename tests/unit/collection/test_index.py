from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.collection import Index, MakeShard, Member, Shard, build_index, read_text
from foveal.collection.index_builder import Mapped
from foveal.elements import ElementLookup
from foveal.errors import BadIndex, DataError, MissingFile, UsageError
from tests.element_tables import elements_of
from tests.examples import examples
from tests.unit.collection.collecting import ARTICLES, folder_of, lengths, tar_of
from tests.xml_strategies import documents

# Every test runs with both scanners.
pytestmark = pytest.mark.usefixtures("scanner")

# Every document is a shard.
SMALL = 1


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _stopping_after(shards: int) -> Mapped:
    def mapped(make: MakeShard, batches: Iterable[list[Member]]) -> Iterator[Shard]:
        for number, batch in enumerate(batches):
            if number == shards:
                raise KeyboardInterrupt
            yield make(batch)

    return mapped


@examples(15)
@given(st.lists(documents(), min_size=1, max_size=5), st.data())
def test_an_index_answers_as_the_elements_in_memory(
    tmp_path_factory: pytest.TempPathFactory, found: list[bytes], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("any")
    named = {f"d{number}": document for number, document in enumerate(found)}
    tar_of(folder / "a.tar", {f"{name}.xml": document for name, document in named.items()})
    build_index(
        [str(folder / "a.tar")], folder / "index", batch_size=data.draw(st.integers(1, 999))
    )
    index, elements = Index.open(folder / "index"), elements_of(named)
    names = data.draw(st.lists(st.sampled_from([*named, "nobody"]), min_size=1, max_size=6))
    asked = pl.Series("doc", names)
    offsets = data.draw(st.lists(st.integers(0, 20), min_size=len(names), max_size=len(names)))
    spans = pl.DataFrame({"doc": asked, "start": offsets}).with_columns(end=pl.col("start") + 9)
    paths = elements.rows_of(pl.Series(list(named)))
    references = paths.select("doc", "path", path_end=pl.col("path").reverse()).sample(
        fraction=1, shuffle=True, seed=7
    )
    for lookup, other in ((index, elements), (index.elements(asked.unique()), elements)):
        _same(lookup, other, asked, spans)
    assert index.spans(references).equals(elements.spans(references))


def _same(one: ElementLookup, other: ElementLookup, asked: pl.Series, spans: pl.DataFrame) -> None:
    assert one.lengths(asked).to_list() == other.lengths(asked).to_list()
    assert one.rows_of(asked.unique(maintain_order=True)).equals(
        other.rows_of(asked.unique(maintain_order=True))
    )
    assert one.smallest_containing(spans).equals(other.smallest_containing(spans))
    assert one.largest_inside(spans).equals(other.largest_inside(spans))
    assert one.leaves_inside(spans).equals(other.leaves_inside(spans))
    nestings = [lookup.nesting_of(asked.unique(maintain_order=True)) for lookup in (one, other)]
    for field in ("first", "length", "depth", "start", "end"):
        assert len({tuple(getattr(nesting, field)) for nesting in nestings}) == 1


def test_an_interrupted_run_goes_on_and_never_looks_whole(tmp_path: Path) -> None:
    source = str(folder_of(tmp_path))
    build_index([source], tmp_path / "straight", batch_size=SMALL)
    target = tmp_path / "index"
    for finished in (0, 1, 1):
        with pytest.raises(KeyboardInterrupt):
            build_index([source], target, mapped=_stopping_after(finished), batch_size=SMALL)
        with pytest.raises(BadIndex, match=r"unfinished|not an offset index"):
            Index.open(target)
        (target / ".documents-00001.parquet.abcd.part").write_bytes(b"half")
    built = build_index([source], target, batch_size=SMALL)
    assert (built.shards, built.resumed) == (3, 2)
    assert _files(target) == _files(tmp_path / "straight")


def test_a_shard_is_made_anew_if_it_or_its_documents_changed(tmp_path: Path) -> None:
    source, target = folder_of(tmp_path), tmp_path / "index"
    with pytest.raises(KeyboardInterrupt):
        build_index([str(source)], target, mapped=_stopping_after(2), batch_size=SMALL)
    (source / "0" / "d1.xml").write_text("<a>changed</a>" + " " * 60)
    (target / "elements-00001.parquet").write_bytes(b"damaged")
    built = build_index([str(source)], target, batch_size=SMALL)
    assert built.resumed == 0
    assert lengths(Index.open(target))["d1"] == 7


def test_shards_of_a_longer_collection_do_not_stay(tmp_path: Path) -> None:
    source, target = folder_of(tmp_path), tmp_path / "index"
    with pytest.raises(KeyboardInterrupt):
        build_index([str(source)], target, mapped=_stopping_after(2), batch_size=SMALL)
    (source / "0" / "d3.xml").unlink()
    (source / "1" / "d2.xml").unlink()
    build_index([str(source)], target, batch_size=SMALL)
    assert sorted(_files(target)) == [
        "documents-00000.parquet", "elements-00000.parquet", "malformed.jsonl", "manifest.json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("manifest.json", b"", "damaged, or made by another program"),
        ("manifest.json", b"[1]", "damaged, or made by another program"),
        ("manifest.json", b'{"format": "zarr", "format_version": 2}', "made by another program"),
        ("manifest.json", b'{"format": "foveal-index", "format_version": 0}', "version 0"),
        ("manifest.json", b'{"format": "foveal-index", "format_version": 1}', "damaged"),
        (
            "manifest.json",
            b'{"format": "foveal-index", "format_version": 1, "shards": [],'
            b' "settings": {"count": "bytes", "whitespace": "keep", "id": "x"}}',
            "damaged",
        ),
        (
            "manifest.json",
            b'{"format": "foveal-index", "format_version": 1, "shards": [{}],'
            b' "settings": {"count": "bytes", "whitespace": "keep", "id": "x"}}',
            "damaged",
        ),
        (
            "manifest.json",
            b'{"format": "foveal-index", "format_version": 1, "settings": {},'
            b' "shards": [{"documents_digest": "", "elements_digest": ""}]}',
            "damaged",
        ),
        ("documents-00000.parquet", b"PAR1", "documents-00000.parquet: damaged"),
        ("elements-00000.parquet", b"PAR1", "elements-00000.parquet: damaged"),
        ("elements-00000.parquet", None, "elements-00000.parquet: cannot be read"),
    ],
)
def test_a_damaged_index_is_refused(
    tmp_path: Path, file: str, content: bytes | None, reason: str
) -> None:
    build_index([str(folder_of(tmp_path))], tmp_path / "index")
    if content is None:
        (tmp_path / "index" / file).unlink()
    else:
        (tmp_path / "index" / file).write_bytes(content)
    with pytest.raises(BadIndex, match=reason):
        Index.open(tmp_path / "index").rows_of(pl.Series(["d1"]))


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="nowhere"):
        Index.open(tmp_path / "nowhere")
    with pytest.raises(BadIndex, match="makes one"):
        Index.open(tmp_path)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    source = str(folder_of(tmp_path))
    build_index([source], tmp_path / "index")
    with pytest.raises(UsageError, match="is already an index"):
        build_index([source], tmp_path / "index")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").touch()
    for name in ("precious", "documents-2024.txt", "elements-00000.parquet.bak", ".git"):
        (tmp_path / "full" / "precious").rename(tmp_path / "full" / name)
        with pytest.raises(UsageError, match="not empty"):
            build_index([source], tmp_path / "full")
        (tmp_path / "full" / name).rename(tmp_path / "full" / "precious")
    for collection in (source, f"file://{source}"):
        with pytest.raises(UsageError, match="inside the collection"):
            build_index([collection], f"{source}/index")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="a file"):
        build_index([source], tmp_path / "file")


@pytest.mark.parametrize("removed", [True, False])
def test_two_runs_into_one_folder_never_make_one_index(tmp_path: Path, *, removed: bool) -> None:
    source, target = folder_of(tmp_path), tmp_path / "index"

    def meddled(make: MakeShard, batches: Iterable[list[Member]]) -> Iterator[Shard]:
        yield from map(make, batches)
        known = target / "finished-00000.json"
        if removed:
            known.unlink()
        else:
            known.write_text(known.read_text().replace('"made_from": "', '"made_from": "0'))

    with pytest.raises(BadIndex, match="is another `foveal index` writing there"):
        build_index([str(source)], target, mapped=meddled, batch_size=SMALL)
    with pytest.raises(BadIndex, match="unfinished"):
        Index.open(target)


def test_any_parquet_tool_reads_the_elements(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="another reader of Parquet")
    build_index([str(folder_of(tmp_path))], tmp_path / "index")
    table = parquet.read_table(tmp_path / "index" / "elements-00000.parquet").to_pylist()
    assert table[3] == {
        "document": 0, "tag": "b", "depth": 3, "ordinal": 1, "start": 9, "length": 4,
    }  # fmt: skip
    manifest = json.loads((tmp_path / "index" / "manifest.json").read_bytes())
    assert (manifest["documents"], manifest["elements"]) == (3, 9)


def test_the_text_is_found_again_or_said_to_have_changed(tmp_path: Path) -> None:
    source = folder_of(tmp_path)
    build_index([str(source)], tmp_path / "index")
    index = Index.open(tmp_path / "index")
    moved = source.rename(tmp_path / "moved")
    assert read_text(index, [str(moved)], "d1", 3, 13) == "first bold"
    archive = tar_of(tmp_path / "articles", {"0/d1.xml": ARTICLES["d1"].encode()})
    assert read_text(index, [str(archive)], "d1", 0, 3) == "One"
    (moved / "1" / "d2.xml").write_text("<a>other</a>")
    with pytest.raises(DataError, match="has changed since it was indexed"):
        read_text(index, [str(moved)], "d2", 0, 1)
    with pytest.raises(DataError, match="no document 'd2'"):
        read_text(index, [str(archive)], "d2", 0, 1)


def test_a_shard_without_documents_and_questions_without_rows_are_fine(tmp_path: Path) -> None:
    members = {"a.xml": b"<a>x</a>", "bad.xml": b"<a>", "c.xml": b"<a><b>yy</b></a>"}
    source = tar_of(tmp_path / "a.tar", members)
    build_index([str(source)], tmp_path / "index", batch_size=1)
    index = Index.open(tmp_path / "index")
    assert index.rows_of(pl.Series(["c", "a", "c"]))["path"].to_list() == [
        "/a[1]", "/a[1]/b[1]", "/a[1]",
    ]  # fmt: skip
    spans = pl.DataFrame(schema={"doc": pl.String, "start": pl.Int64, "end": pl.Int64})
    paths = pl.DataFrame(schema={"doc": pl.String, "path": pl.String, "path_end": pl.String})
    assert index.spans(paths).columns == ["start", "end", "problem"]
    assert index.smallest_containing(spans).columns == ["path", "start", "end"]
    assert index.largest_inside(spans).columns == ["row", "path", "start", "end"]
    assert index.lengths(pl.Series([], dtype=pl.String)).len() == 0
    assert index.elements(pl.Series(["nobody"])).rows_of(pl.Series(["a"])).height == 0
