"""What a new record still lacks, in one sentence for each; these tests run before all others."""

from __future__ import annotations

import pytest
from tests.lacking import KINDS, lacking


@pytest.mark.parametrize("noun", KINDS)
def test_no_record_lacks_anything(noun: str) -> None:
    if sentences := lacking(noun):
        pytest.fail("\n".join(sentences.values()), pytrace=False)
