"""The library is typed: documented calls pass `mypy --strict`, wrong ones do not."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.pages import EXAMPLE, ROOT

import foveal
from tests.docs import every_name
from tests.docs.test_pages import PAGES

SETUP = """\
import foveal
from foveal.elements import Elements

qrels = {"1": {"a": 1}}
run = {"1": {"a": 2.0}}
scores = foveal.evaluate(qrels, run, "AP")
comparison = foveal.compare(scores)
"""
WRONG = """\
foveal.evaluate(qrels, 3, 4)
foveal.evaluate(qrels, run, 4)
foveal.evaluate(qrels, run, ["AP", 10])
foveal.evaluate(qrels, run, None)
foveal.evaluate(3, run)
foveal.evaluate(None, run)
foveal.evaluate("q.qrels", run)
foveal.evaluate(qrels, "mine.run")
foveal.evaluate(qrels, ["mine.run", "yours.run"])
foveal.evaluate(qrels, [1, 2])
foveal.evaluate(qrels, {1: run})
foveal.evaluate(qrels)
foveal.evaluate(qrels, run, "AP", depth="5")
foveal.evaluate(qrels, run, "AP", tasks="ric")
foveal.compare(3)
foveal.compare(scores, 4)
foveal.compare(scores, "AP", alpha="0.05")
foveal.compare(scores, "AP", rng="7")
foveal.compare(scores, "AP", test="tukay")
foveal.agree(comparison)
foveal.agree(scores, ["AP", 3])
foveal.render(3)
foveal.render(run)
foveal.render(scores, to=3)
foveal.render(scores, "text", True)
foveal.figure(3, "means")
foveal.figure(comparison)
foveal.figure(run, "means")
foveal.figure(comparison, "means").save(3)
foveal.fidelity("q.qrels")
foveal.fidelity(qrels, "INDEX")
foveal.fidelity(qrels, measures=4)
foveal.stability(qrels, 3)
foveal.stability(qrels, run, levels="80,60")
foveal.check(3)
foveal.check(run, 3)
foveal.check(run, elements="INDEX")
foveal.repair(3)
foveal.repair(run, characters="all")
foveal.repair(run).runs
foveal.Run.from_frame(run)
foveal.Run.from_dicts(3)
foveal.Run.from_dict({"1": 2.0})
foveal.Qrels.from_frame([1])
foveal.Qrels.from_dict({"1": {"a": "relevant"}})
foveal.read_run(3)
foveal.open_index(3)
foveal.nonsense
names: list[int] = scores.runs
"""


def complaints(*files: Path) -> list[tuple[str, int]]:
    """The file and the line of everything that mypy complains of."""
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context",
            *map(str, files),
        ],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not done.stderr
    found = re.findall(r"^(.*?):(\d+): error: ", done.stdout, flags=re.MULTILINE)
    return [(Path(file).name, int(line)) for file, line in found]


def test_documented_calls_have_the_right_types_and_every_wrong_one_has_not(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(SETUP + WRONG)
    files = [wrong, Path(every_name.__file__)]
    for page in PAGES:
        code = "\n".join(
            found["code"] for found in EXAMPLE.finditer(page.read_text(encoding="utf-8"))
        )
        name = re.sub(r"\W", "_", str(page.relative_to(ROOT)))
        file = tmp_path / f"page_{name}.py"
        file.write_text(code)
        files += [file] if code else []
    first = SETUP.count("\n") + 1
    expected = [("wrong.py", line) for line in range(first, first + WRONG.count("\n"))]
    assert sorted(set(complaints(*files))) == expected


FUNCTIONS = [name for name in foveal.__all__ if inspect.isfunction(getattr(foveal, name))]
ABOUT_FILES = {"open_index", *(name for name in FUNCTIONS if name.startswith(("read_", "write_")))}


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - ABOUT_FILES))
def test_a_public_function_has_an_example_that_is_true(name: str) -> None:
    function = getattr(foveal, name)
    (found,) = (own for own in doctest.DocTestFinder().find(function, name) if own.name == name)
    assert found.examples
    outcome = doctest.DocTestRunner(verbose=False).run(found)
    assert outcome.failed == 0


def test_the_module_has_an_example_that_is_true() -> None:
    assert doctest.testmod(foveal).failed == 0


def test_every_public_name_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(every_name.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r"foveal\.(\w+)", source)) >= set(foveal.__all__)
    monkeypatch.chdir(tmp_path)
    every_name.every_form()
    assert all(every_name.results(tmp_path))
    assert every_name.hits().name == "hits"
    assert "1  found" in every_name.texts(tmp_path)
    repair = every_name.elements(tmp_path)
    assert repair.run.frame.select("start", "end").rows() == [(0, 5)]
