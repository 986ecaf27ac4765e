"""The table of peers in the README is what the benchmark writes."""

from __future__ import annotations

import re

from benchmarks.table import FEATURES, MARKED, PEERS, README, TITLES, TOOLS


def _tables() -> list[list[list[str]]]:
    (found,) = MARKED.finditer(README.read_text(encoding="utf-8"))
    tables = re.findall(r"(?:^\|.*\n)+", found[0], re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        for table in tables
    ]


def test_features_are_those_that_the_program_lists() -> None:
    features, _ = _tables()
    assert features[0][1:] == list(TOOLS)
    assert [row[0] for row in features[2:]] == list(FEATURES)
    for row in features[2:]:
        assert row[1:] == ["✓" if tool in FEATURES[row[0]] else "" for tool in TOOLS]


def test_every_peer_was_measured_at_every_work_that_it_can_do() -> None:
    _, speed = _tables()
    heads, _, *rows = speed
    assert [head.split()[0] for head in heads[3:]] == list(PEERS)
    assert [row[0] for row in rows] == list(TITLES)
    for row in rows:
        assert re.fullmatch(r"\d+\.\d\d s", row[1])
        assert any(re.fullmatch(r"\d+\.\d×", cell) for cell in row[3:])
