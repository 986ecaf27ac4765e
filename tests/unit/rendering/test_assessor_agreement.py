"""How the agreement of assessors is shown."""

from __future__ import annotations

import foveal


def test_every_table_that_is_cut_says_so() -> None:
    judged = {
        name: [
            {"topic": "1", "doc": "a", "length": 90, "entry": start, "highlights": [[start, 40]]},
            {"topic": "1", "doc": "b", "length": 90, "highlights": []},
        ]
        for start, name in enumerate("abcdefg")
    }
    runs = {name: {"1": {"a": score, "b": 2.0}} for name, score in (("one", 1.0), ("two", 3.0))}
    shown = foveal.render(foveal.agree_assessors(judged, runs, "AP", resamples=2))
    heads = [line for line in shown.splitlines() if "; the first 20 of" in line]
    # Seven assessors are 21 pairs, of which characters and documents are counted.
    assert [line.rpartition(" of ")[2] for line in heads] == [
        *["42 lines"] * 2,
        *["21 lines"] * 2,
    ]
