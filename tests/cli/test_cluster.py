"""--cluster ADDRESS: what cannot work says why."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foveal import work
from foveal.errors import ClusterUnreachable, UsageError
from foveal.evaluation import evaluate
from foveal.measures import REGISTRY
from tests.cli.calling import foveal
from tests.cli.pools import travelled

ADDRESS = "tcp://127.0.0.1:1"
WITH_BOTH = {
    "evaluate": ["q", "r"], "compare": ["q", "r", "s"], "agree": ["q", "r"], "gate": ["q", "r"],
    "report": ["q", "r", "-o", "x.html"], "explain": ["q", "r"], "convert": ["a", "b"],
    "index": ["a", "-o", "b"], "stability pool": ["q", "r"], "assess agree": ["a", "b"],
}  # fmt: skip


@pytest.mark.parametrize("command", WITH_BOTH)
@pytest.mark.parametrize("swapped", [False, True])
def test_jobs_and_cluster_are_refused_together(command: str, *, swapped: bool) -> None:
    given = [["--jobs", "2"], ["--cluster", ADDRESS]]
    words = [word for option in (given[::-1] if swapped else given) for word in option]
    answer = foveal(*command.split(), *WITH_BOTH[command], *words)
    assert answer.code == 2
    assert "give --jobs or --cluster, not both" in answer.err


def test_one_job_beside_a_cluster_is_the_default(folder: Path) -> None:
    words = ("nothing.qrels", "mine.fol", "--jobs", "1", "--cluster", ADDRESS)
    assert foveal("evaluate", *words, folder=folder).code == 66


@pytest.mark.parametrize(
    "error", [MemoryError("3.07 EiB"), OSError("no route"), ValueError("port")]
)
def test_an_address_without_a_scheduler_is_one_error(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    waited = []

    def client(address: str, *, timeout: float) -> None:
        waited.append(timeout)
        raise error

    monkeypatch.setattr(distributed, "Client", client)
    with pytest.raises(ClusterUnreachable, match=f"no Dask scheduler at {ADDRESS}: {error}"):
        list(work.streamed(len, [[]], jobs=1, cluster=ADDRESS))
    assert waited[0] <= 5


def test_a_cluster_that_cannot_read_the_work_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def submit(work: Callable[..., Any], item: object) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(RuntimeError("Error during deserialization of the task graph. …"))
        return future

    @contextmanager
    def cluster(address: str) -> Any:
        yield submit, 1

    monkeypatch.setattr(work, "_cluster", cluster)
    with pytest.raises(UsageError, match="install the same versions of Python and foveal there"):
        list(work.streamed(len, [[]], jobs=1, cluster=ADDRESS))


def test_a_measure_that_a_worker_lacks_is_an_error_there(monkeypatch: pytest.MonkeyPatch) -> None:
    known = replace(REGISTRY["AP"], name="ownAP")
    sent = pickle.dumps(known)
    lacking = pickle.loads(sent)  # noqa: S301  # our own bytes
    # A scheduler hands it on without loss.
    assert pickle.dumps(lacking) == sent
    monkeypatch.setitem(REGISTRY, "ownAP", known)
    assert travelled(known) is known
    monkeypatch.setitem(REGISTRY, "ownAP", lacking)
    with pytest.raises(UsageError, match="dask worker --preload") as raised:
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "ownAP")
    assert raised.value.__notes__ == ["needed by ownAP for run 'run1'"]
    assert str(travelled(raised.value)) == str(raised.value)
