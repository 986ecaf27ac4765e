"""What a new record still lacks, in one sentence for each; these tests run before all others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lacking import KINDS, lacking

from foveal.rules import RULES


@pytest.mark.parametrize("noun", KINDS)
def test_no_record_lacks_anything(noun: str) -> None:
    if sentences := lacking(noun):
        pytest.fail("\n".join(sentences.values()), pytrace=False)


def test_a_record_that_lacks_something_is_named_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(RULES, "mine", replace(RULES["overlap"], name="mine"))
    assert lacking.__wrapped__("rule")["mine"] == (
        "new rule mine: write a run that breaks it and one that only just keeps it into"
        " tests/unit/rules/cases.py; then run `make docs`"
    )
