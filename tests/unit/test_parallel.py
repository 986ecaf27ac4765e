"""foveal in processes and threads that a program starts by itself."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import foveal

# Frames are needed: p-values come in one.
PROGRAM = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
import joblib
import foveal

QRELS = {{"1": {{"a": 1}}, "2": {{"b": 1}}}}
RUNS = {{"one": {{"1": {{"a": 2.0}}}}, "two": {{"2": {{"b": 1.0}}}}}}

SCORES = foveal.evaluate(QRELS, RUNS, "AP")

def work(number):
    return foveal.compare(SCORES).pairs.rows()

def score(number):
    scores = foveal.evaluate(QRELS, RUNS["one"], "AP")
    return scores.to_dict(), foveal.Evaluator(QRELS, "AP").values(RUNS["one"])

if __name__ == "__main__":
    foveal.compare(SCORES)
    print({task}(0))
    print(*set(map(str, {results})), sep="\\n")
"""
WITH = "ProcessPoolExecutor(2, multiprocessing.get_context({!r})).map(work, range(3))"
BY_JOBLIB = "joblib.Parallel(2)(map(joblib.delayed(work), range(3)))"


def answered(tmp_path: Path, results: str, task: str = "work") -> subprocess.CompletedProcess[str]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(results=results, task=task))
    words = [sys.executable, str(program)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize(
    "results",
    [WITH.format("spawn"), WITH.format("forkserver"), BY_JOBLIB],
    ids=["spawn", "forkserver", "joblib"],
)
def test_workers_that_start_afresh_compute_the_same(results: str, tmp_path: Path) -> None:
    done = answered(tmp_path, results)
    assert done.returncode == 0, done.stderr
    here, there = done.stdout.splitlines()
    assert here == there


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_worker_says_what_to_do_and_does_not_wait(tmp_path: Path) -> None:
    done = answered(tmp_path, WITH.format("fork"))
    assert done.returncode == 1
    assert "start processes with spawn or forkserver" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_worker_scores_dictionaries(tmp_path: Path) -> None:
    done = answered(tmp_path, WITH.format("fork").replace("work", "score"), task="score")
    assert done.returncode == 0, done.stderr
    here, there = done.stdout.splitlines()
    assert here == there


def test_threads_compute_the_same() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {"one": {"1": {"a": 2.0}}, "two": {"2": {"b": 1.0}, "1": {"a": 1.0}}}

    def work(_: int) -> object:
        return foveal.compare(foveal.evaluate(qrels, runs, "AP")).pairs.rows()

    with ThreadPoolExecutor(4) as pool:
        assert len({str(rows) for rows in pool.map(work, range(16))}) == 1
