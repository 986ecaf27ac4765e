from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from foveal.collection import build_index
from tests.articles import ARTICLES
from tests.cli import long_commands
from tests.cli.calling import Answer, foveal
from tests.cli.pools import Pools, work_here

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


@pytest.fixture(scope="session")
def demo_told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    """The folder that `foveal demo` has written once for all, and what it said."""
    folder = tmp_path_factory.mktemp("told") / "demo"
    return folder, foveal("demo", "demo", folder=folder.parent)


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> Pools:
    """Pools of processes that work here; tests/cli/test_jobs.py starts real ones."""
    return work_here(monkeypatch)


@pytest.fixture(scope="module")
def long_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the commands that take long are called with."""
    return long_commands.write(tmp_path_factory.mktemp("long"))


@pytest.fixture
def out(long_world: Path) -> Iterator[Path]:
    """A folder in it for what one test writes."""
    folder = long_world / "out"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with judgements of three topics (one has nothing relevant) and a run of one."""
    (tmp_path / "q.qrels").write_text(QRELS)
    (tmp_path / "mine.fol").write_text(RUN)
    return tmp_path


PATHS = """\
1 Q0 9996 1 3 mine /article/bdy[1]/sec[2]
1 Q0 9996 2 2 mine /article[1]/bdy[1]
1 Q0 22478 3 1 mine /article[1]/bdy[1]/sec[2]
"""
SUBMISSION = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<inex-submission participant-id="12" run-id="sub" task="Focused">
<topic topic-id="1 ">
<result><file>9996</file><path>/article[1]/bdy[1]/sec[2]</path><rank>0</rank></result>
<result><file>22478</file><path>/article[1]/bdy[1]/sec[2]</path><rank>1</rank></result>
</topic>
</inex-submission>
"""


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A folder with articles and their index, judgements of one topic and two runs of elements."""
    articles = tmp_path / "articles"
    articles.mkdir()
    for name, text in ARTICLES.items():
        (articles / f"{name}.xml").write_text(text)
    build_index([str(articles)], tmp_path / "INDEX")
    (tmp_path / "q.qrels").write_text("1 Q0 9996 20 51 25 25:18 44:2\n1 Q0 22478 0 12\n")
    (tmp_path / "mine.inex").write_text(PATHS)
    (tmp_path / "sub.xml").write_text(SUBMISSION)
    return tmp_path
