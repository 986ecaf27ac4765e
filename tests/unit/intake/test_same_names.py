"""Files of the same name in different folders, and the names that runs and gold have for them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import polars as pl
import pytest

import foveal
from foveal.errors import BadInput

ALPHA, BETA, GAMMA = "One alpha.", "One beta, two beta.", "One gamma, two gamma, three gamma."


def folder(root: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def ids(root: Path, texts: dict[str, str]) -> dict[str, str]:
    return dict(foveal.read_documents(folder(root, texts)))


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ({"a/index.md": ALPHA, "b/index.md": BETA, "c/solo.md": GAMMA}, "a/index b/index solo"),
        ({"hb.md": ALPHA, "hb.txt": BETA, "x/other.md": GAMMA}, "hb.md hb.txt other"),
        ({"a/hb.md": ALPHA, "a/hb.txt": BETA, "b/hb.md": GAMMA}, "a/hb.md a/hb.txt b/hb.md"),
        # `index` could be any of them, `index.md` is the path of the one at the top.
        ({"index.md": ALPHA, "a/index.md": BETA}, "a/index.md index.md"),
        ({"a/b/i.md": ALPHA, "b/i.md": BETA, "c/i.md": GAMMA}, "a/b/i.md b/i.md c/i.md"),
        ({"a/b/c/i.md": ALPHA, "a/b/d/i.md": BETA, "a/e/c/i.md": GAMMA}, "a/b/c/i a/b/d/i a/e/c/i"),
        ({"A/i.md": ALPHA, "a/i.md": BETA, "a/I.md": GAMMA}, "A/i I a/i"),
        ({"é/ü.md": ALPHA, "e\u0301/ü.md": BETA}, "e\u0301/ü é/ü"),
        ({"v1.2/notes.md": ALPHA, "v1.3/notes.md": BETA}, "v1.2/notes v1.3/notes"),
        # The same text twice is one document.
        ({"a/license.md": ALPHA, "b/license.md": ALPHA}, "license"),
    ],
)
def test_files_of_the_same_name_are_called_by_their_paths(
    texts: dict[str, str], names: str, tmp_path: Path
) -> None:
    found = ids(tmp_path / "kb", texts)
    assert sorted(found) == names.split()
    assert {*found.values()} == {*texts.values()}
    for name, text in found.items():
        assert [path for path in texts if texts[path] == text and name in path]


def test_archives_tell_files_apart_like_folders(tmp_path: Path) -> None:
    texts = {"a/index.md": ALPHA, "b/index.md": BETA}
    with zipfile.ZipFile(tmp_path / "kb.zip", "w") as zipped:
        for name, text in texts.items():
            zipped.writestr(name, text)
    with tarfile.open(tmp_path / "kb.tar", "w") as tarred:
        for name, text in texts.items():
            entry = tarfile.TarInfo(f"./{name}")
            entry.size = len(text)
            tarred.addfile(entry, io.BytesIO(text.encode()))
    expected = {"a/index": ALPHA, "b/index": BETA}
    assert dict(foveal.read_documents(tmp_path / "kb.zip")) == expected
    assert dict(foveal.read_documents(tmp_path / "kb.tar")) == expected


def test_a_link_to_a_file_is_the_same_document(tmp_path: Path) -> None:
    root = folder(tmp_path, {"a/index.md": ALPHA})
    (root / "b").mkdir()
    (root / "b" / "index.md").symlink_to(root / "a" / "index.md")
    assert dict(foveal.read_documents(root)) == {"index": ALPHA}


def test_a_name_means_the_document_with_the_longest_common_tail(tmp_path: Path) -> None:
    texts = {"index.md": ALPHA, "a/index.md": BETA, "b/a/index.md": GAMMA}
    docs = foveal.read_documents(folder(tmp_path, texts))
    for name, text in {
        "index.md": ALPHA,
        "/srv/kb/index.md": ALPHA,
        "/srv/kb/a/index.md": BETA,
        "C:\\kb\\a\\index.md": BETA,
        "./a/index.md": BETA,
        "kb/b/a/index.md": GAMMA,
        "kb/b/a/index": GAMMA,
    }.items():
        assert docs.lengths(pl.Series([name])).to_list() == [len(text)], name
    for name in ("index", "a/index", "index.txt", "c/index.txt", "a/INDEX.md", "", "/"):
        assert docs.lengths(pl.Series([name])).to_list() == [None], name


def test_a_name_that_fits_two_documents_is_refused_with_both() -> None:
    docs = foveal.read_documents({"a/index": ALPHA, "b/index": BETA, "c/solo": GAMMA})
    gold = [{"topic": "q", "doc": "index.md", "text": "One alpha."}]
    reason = r"'index.md' fits 2 of the 3 documents given \('a/index', 'b/index'\): give more of its path"
    with pytest.raises(BadInput, match=reason):
        foveal.Qrels.from_dicts(gold, docs=docs)
    with pytest.raises(BadInput, match=reason):
        foveal.from_hits({"q": [{"doc": "index.md", "start": 0, "end": 3}]}, docs)
    placed = [{"topic": "q", "doc": "index.md", "start": 0, "end": 3}]
    with pytest.raises(BadInput, match=reason):
        foveal.evaluate(placed, {"q": {"a/index": 1}}, "recall@5", task="rag", docs=docs)
    for name in ("c/index.md", "x/c/index.md"):
        hits = {"q": [{"doc": name, "start": 0, "end": 3}]}
        alike = "of the same file name: 'a/index', 'b/index'"
        with pytest.raises(
            BadInput, match=f"'{name}' is not one of the 3 documents given; {alike}"
        ):
            foveal.from_hits(hits, docs)


@pytest.mark.parametrize("judged", ["/srv/kb/a/index.md", "kb/a/index.md", "a/index"])
@pytest.mark.parametrize("returned", ["/data/kb/{}/index.md", "{}/index.md", "{}/index"])
def test_documents_of_the_same_file_name_are_scored_apart(judged: str, returned: str) -> None:
    docs = foveal.read_documents({"a/index": ALPHA, "b/index": BETA})
    gold = [{"topic": "q", "doc": judged, "start": 0, "end": 10}]
    for name, recall in (("a", 1.0), ("b", 0.0)):
        hits = {"q": [{"doc": returned.format(name), "start": 0, "end": 10}]}
        run = foveal.from_hits(hits, docs)
        assert float(foveal.evaluate(gold, run, "cR@5", task="rag", docs=docs)) == recall
        rows = [{"topic": "q", "rank": 1, **hits["q"][0]}]
        assert float(foveal.evaluate(gold, rows, "cR@5", task="rag", docs=docs)) == recall


def test_a_document_in_another_folder_is_not_meant() -> None:
    docs = foveal.read_documents({"en/intro.md": ALPHA})
    with pytest.raises(
        BadInput, match=r"'de/intro.md' is not one of .* did you mean 'en/intro.md'"
    ):
        foveal.from_hits({"q": [{"doc": "de/intro.md", "start": 0, "end": 3}]}, docs)


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("two gamma", r"in document 'a', but in document 'c': 'two gamma'"),
        ("two", r"in document 'a': 'two'"),
        ("two delta", r"in document 'a': 'two delta'"),
    ],
)
def test_a_quote_of_gold_that_is_elsewhere_names_its_document(quote: str, reason: str) -> None:
    docs = foveal.read_documents({"a": ALPHA, "b": BETA, "c": GAMMA})
    gold = [{"topic": "q", "doc": "a", "text": quote}]
    with pytest.raises(BadInput, match=f"the text is not word for word {reason}"):
        foveal.Qrels.from_dicts(gold, docs=docs)
