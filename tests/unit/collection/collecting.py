"""Small collections in every shape, and the index they become."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from foveal.collection import Index, Settings, build_index

ARTICLES = {
    "d1": "<article><title>One</title><p>first <b>bold</b> text</p></article>",
    "d2": "<article><title>Two</title><!-- note --><p>a &amp; b</p></article>",
    "d3": "<article><p/></article>",
}


def folder_of(folder: Path, articles: Mapping[str, str] = ARTICLES) -> Path:
    """The articles as files in folders of a folder."""
    for number, (name, text) in enumerate(articles.items()):
        path = folder / "articles" / str(number % 2) / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "articles"


def tar_of(path: Path, members: Mapping[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # any mode
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def zip_of(path: Path, members: Mapping[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def encoded(articles: Mapping[str, str] = ARTICLES) -> dict[str, bytes]:
    return {f"some/{name}.xml": text.encode() for name, text in articles.items()}


def indexed(source: Path, settings: Settings | None = None, *, batch_size: int = 1 << 20) -> Index:
    """The index of a collection, made beside it."""
    target = source.with_name(f"{source.name}.index")
    build_index([str(source)], target, settings, batch_size=batch_size)
    return Index.open(target)


def lengths(index: Index) -> dict[str, int]:
    return dict(index.document_table.select("doc", "length").rows())


def complaints(index: Index) -> list[tuple[str, int, str]]:
    lines = (index.folder / "malformed.jsonl").read_text().splitlines()
    return [tuple(json.loads(line).values()) for line in lines]
