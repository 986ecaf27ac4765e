"""Highlights as annotations of the W3C's model."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from foveal.assess import annotation_page, exported
from tests.campaigns import ODD, act, campaign_at
from tests.unit.assess.test_exporting import did, judged

URN = re.compile(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def page(folder: Path, whose: str = "main") -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    with campaign_at(folder) as campaign:
        did(
            campaign,
            *judged("odd", (5, 8), (90, 95), entry=5),
            *judged("stones"),
            *judged("odd", (5, 8), assessor="bob"),
        )
        made = annotation_page(campaign, exported(campaign, whose).rows)
        found: dict[str, Any] = json.loads(json.dumps(made))
        return found


def test_a_highlight_is_found_by_its_position_and_by_its_quote(tmp_path: Path) -> None:
    made = page(tmp_path)
    assert made["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert made["type"] == "AnnotationPage"
    first, second, bookmark = made["items"]
    assert first["type"] == "Annotation"
    assert first["motivation"] == "highlighting"
    assert first["creator"] == {"type": "Person", "name": "ann"}
    assert first["body"] == {"type": "TextualBody", "purpose": "tagging", "value": "1"}
    assert first["target"]["source"] == "odd"
    for item, (start, end) in ((first, (5, 8)), (second, (90, 95))):
        position, quote = item["target"]["selector"]
        assert position == {"type": "TextPositionSelector", "start": start, "end": end}
        assert quote["type"] == "TextQuoteSelector"
        assert quote["exact"] == ODD[start:end]
        assert quote["prefix"] == ODD[max(0, start - 32) : start]
        assert quote["suffix"] == ODD[end : end + 32]
    assert bookmark["motivation"] == "bookmarking"
    assert bookmark["target"]["selector"] == {"type": "TextPositionSelector", "start": 5, "end": 5}


def test_ids_are_different_and_the_same_again(tmp_path: Path) -> None:
    made, again = page(tmp_path / "one"), page(tmp_path / "two")
    ids = [made["id"], *(item["id"] for item in made["items"])]
    assert ids == [again["id"], *(item["id"] for item in again["items"])]
    assert len(set(ids)) == len(ids) == 4
    assert all(URN.fullmatch(one) for one in ids)


def test_annotations_of_each_have_different_ids_and_those_of_several_have_several_creators(
    tmp_path: Path,
) -> None:
    each = page(tmp_path / "each", "each")["items"]
    assert [item["creator"]["name"] for item in each] == ["ann", "ann", "ann", "bob"]
    assert len({item["id"] for item in each}) == 4
    (shared, *_) = page(tmp_path / "both", "intersection")["items"]
    assert [person["name"] for person in shared["creator"]] == ["ann", "bob"]


def test_an_annotation_is_as_old_as_the_judgement(tmp_path: Path) -> None:
    with campaign_at(tmp_path) as campaign:
        did(campaign, act("mark", start=0, stop=4), act("done"))
        (row,) = exported(campaign).rows
        late = annotation_page(campaign, [row])["items"][0]["created"]
        assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", late)
        assert campaign.events()[-1].at_server == row.at


def test_a_time_beyond_the_calendar_is_its_last_second(tmp_path: Path) -> None:
    with campaign_at(tmp_path) as campaign:
        did(campaign, *judged("odd", (5, 8)))
        rows = [replace(row, at=2**53) for row in exported(campaign, "main").rows]
        (item,) = annotation_page(campaign, rows)["items"]
    assert item["created"] == "9999-12-31T23:59:59Z"
