"""A campaign from its materials, worked by hand."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import foveal
from foveal.assess import (
    Campaign,
    CampaignDesign,
    NewCampaign,
    Passage,
    PoolEntry,
    StoredTopic,
    digest,
    prepare,
)
from foveal.choices import EntryPoints, Snap, StoredTexts
from foveal.errors import DataError, UsageError
from foveal.tables import Pool, Topics, columns
from tests.element_tables import elements_of

TEXTS = {"a": "Fish swim.\n\nFish 🐟 sleep.", "b.txt": "Birds fly.", "c": "Stones."}
WISHES = CampaignDesign(["ann", "bob"])


def pool_of(*rows: tuple[str, str, list[list[int]]]) -> Pool:
    """A pool of documents, placed in the order given."""
    places: Counter[str] = Counter()
    lines = []
    for topic, doc, passages in rows:
        places[topic] += 1
        lines.append((topic, doc, places[topic], 1, places[topic], passages))
    schema: dict[str, Any] = {
        **columns.POOL_SCHEMA,
        columns.PASSAGES: pl.List(pl.List(pl.Int64)),
    }
    return Pool(pl.DataFrame(lines, schema=schema, orient="row"), pl.DataFrame())


POOL = pool_of(("1", "a", [[0, 10], [12, 15]]), ("1", "b", []), ("2", "b", []))
TOPICS = Topics.from_dicts(
    [
        {"topic": "1", "title": "fish", "narrative": "What fish do."},
        {"topic": "2", "title": "birds"},
        {"topic": "3", "title": "left out"},
    ]
)


def made(
    pool: Pool = POOL,
    topics: Topics = TOPICS,
    texts: dict[str, str] | None = None,
    wishes: CampaignDesign = WISHES,
    **words: Any,
) -> NewCampaign:
    documents = foveal.read_documents(TEXTS if texts is None else texts)
    return prepare(topics, pool, documents, wishes, rng=np.random.default_rng(0), **words)


def test_everything_is_in_the_campaign(tmp_path: Path) -> None:
    plan = made()
    assert (plan.documents, plan.characters) == (3, sum(map(len, TEXTS.values())))
    assert plan.notes == ("1 topic of topics not in the pool, and left out: 3",)
    with Campaign.create(tmp_path / "c", plan.contents) as campaign:
        assert campaign.topics == [
            StoredTopic("1", "fish", "", "What fish do."),
            StoredTopic("2", "birds", "", ""),
        ]
        assert campaign.pool() == [
            PoolEntry("1", "a", 1, 1, 1), PoolEntry("1", "b", 2, 1, 2), PoolEntry("2", "b", 1, 1, 1),
        ]  # fmt: skip
        assert campaign.passages("1", "a") == [
            Passage("1", "a", 0, 10, 1, 1),
            Passage("1", "a", 12, 15, 1, 1),
        ]
        assert [person.name for person in campaign.people] == ["ann", "bob"]
        assert [(row.topic, row.assessor) for row in campaign.assignments] == [
            ("1", "ann"),
            ("2", "bob"),
        ]
        found = campaign.document("a")
        assert found is not None
        assert (found.text, found.length, found.sha256) == (TEXTS["a"], 25, digest(TEXTS["a"]))
        assert json.loads(found.blocks) == {
            "kind": "plain",
            "blocks": [["p", 0, 10], ["p", 12, 25]],
        }


def test_documents_are_called_as_in_the_pool_and_others_by_their_own_names() -> None:
    documents = {document.doc: document.text for document in made().contents.documents}
    assert documents == {"a": TEXTS["a"], "b": TEXTS["b.txt"], "c": TEXTS["c"]}
    fewer = made(wishes=replace(WISHES, texts=StoredTexts.POOLED))
    assert [document.doc for document in fewer.contents.documents] == ["a", "b"]
    assert fewer.documents == 2


def test_settings_are_kept_as_a_page_reads_them() -> None:
    meta = made().contents.meta
    assert {key: meta[key] for key in ("entry", "snap", "show_pool", "guide")} == {
        "entry": "required", "snap": "sentence", "show_pool": "0", "guide": "",
    }  # fmt: skip
    assert len(meta["id"]) >= 16
    assert made().contents.meta["id"] != meta["id"]
    assert meta["made"].endswith("+00:00")
    chosen = replace(
        WISHES, entry=EntryPoints.NONE, snap=Snap.WORD, show_pool=True, guide="# Guide"
    )
    assert made(wishes=chosen).contents.meta.items() >= {
        "entry": "none", "snap": "word", "show_pool": "1", "guide": "# Guide",
    }.items()  # fmt: skip


def test_an_offset_index_gives_the_layout() -> None:
    texts = {"a": "Title Text.", "b": "Birds fly.", "c": "Stones."}
    known = elements_of({"a": b"<x><h1>Title</h1> <p>Text.</p></x>", "b": b"<x>Birds fly.</x>"})
    plan = made(pool=pool_of(("1", "a", []), ("2", "b", [])), texts=texts, elements=known)
    assert plan.notes[-1] == "1 document not in the offset index: shown as plain text"
    layouts = {document.doc: json.loads(document.blocks) for document in plan.contents.documents}
    assert layouts["a"] == {"kind": "elements", "blocks": [["h1", 0, 5], ["p", 6, 11]]}
    assert [layouts[doc]["kind"] for doc in "bc"] == ["plain", "plain"]


@pytest.mark.parametrize(
    ("materials", "reason"),
    [
        (
            {"topics": TOPICS.from_dicts([{"topic": "1", "title": "x"}])},
            "topics: 1 topic of the pool is missing: 2",
        ),
        ({"texts": {"a": TEXTS["a"]}}, "documents: no text of 1 pooled document: b"),
        ({"texts": {"z": "x"}}, "documents: no text of 2 pooled documents: a, b"),
        (
            {"texts": TEXTS | {"a": "Fish swim. ab"}},
            r"1 passage of the pool is beyond the text, first \[12, 15\] of 'a', which has 13"
            " characters: are these the texts that the runs searched",
        ),
        (
            {"elements": elements_of({"a": b"<p>Other text.</p>"})},
            r"offset index is of other texts: 1 document with another length, first 'a' \(11"
            r" characters in the index, 25 in documents\)",
        ),
        (
            {"elements": elements_of({"z": b"<p>Other text.</p>"})},
            "the offset index has none of the documents",
        ),
        (
            {"elements": replace(elements_of({"a": b"<p/>"}), counts_characters=False)},
            "counts bytes.*foveal index --count characters --whitespace keep",
        ),
        ({"pool": pool_of(("1", "n" * 1001, [])), "texts": {"n" * 1001: "x"}}, "at most 1,000 char"),
    ],
)  # fmt: skip
def test_materials_that_do_not_fit_together_are_refused(
    materials: dict[str, Any], reason: str
) -> None:
    with pytest.raises(DataError, match=reason):
        made(**materials)


def test_a_passage_may_end_where_the_text_ends() -> None:
    assert made(pool=pool_of(("1", "a", [[0, 25]]))).contents.passages == [
        Passage("1", "a", 0, 25, 1, 1)
    ]


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        (CampaignDesign(["ann"], double=0.5), "--double needs two assessors or more"),
        (CampaignDesign(["ann", "ann"]), "named twice"),
        (
            CampaignDesign(["ann"], guide="x" * 200_001),
            "the guide has 200,001 characters, at most 200,000",
        ),
    ],
)
def test_wishes_that_make_no_sense_are_refused(wishes: CampaignDesign, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        made(wishes=wishes)


def test_a_topic_that_could_not_be_exported_is_refused() -> None:
    topics = Topics.from_dicts([{"topic": "all", "title": "everything"}])
    with pytest.raises(DataError, match="called 'all', which is the name of the means"):
        made(topics=topics, pool=pool_of(("all", "a", [])))
