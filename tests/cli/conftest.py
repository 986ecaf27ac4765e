from __future__ import annotations

from pathlib import Path

import pytest

QRELS = """\
1 Q0 d1 40 100 10 10:30 60:10
1 Q0 d2 20 50 0 0:20
1 Q0 d3 0 80
1 Q0 d4 40 200 150 150:40
2 Q0 d1 10 100 5 5:10
3 Q0 d1 0 100
"""
RUN = """\
1 Q0 d1 1 5.0 mine 0 50
1 Q0 d3 2 4.0 mine 0 80
1 Q0 d2 3 3.0 mine 0 20
1 Q0 d1 4 2.0 mine 55 20
1 Q0 d4 5 1.0 mine 100 60
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with judgements of three topics (one has nothing relevant) and a run of one."""
    (tmp_path / "q.qrels").write_text(QRELS)
    (tmp_path / "mine.fol").write_text(RUN)
    return tmp_path
