"""Ctrl-C: exit code 130 and a word, files as they were, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from foveal import late
from foveal.cli import _main
from foveal.cli._main import handle_ctrl_c
from foveal.collection.members import BATCH
from foveal.work import Advance, watched
from tests.cli import long_commands
from tests.cli.calling import foveal
from tests.cli.long_commands import LONG
from tests.cli.small_world import QRELS, RUNS
from tests.cli.terminals import opened_terminal

OLD = "what was there before"
INTERRUPTED = "\nfoveal: interrupted\n"
PATIENCE = 60.0


def interrupted_at(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C in the middle of a stage, or at its end if it does not say how far it is."""

    @contextmanager
    def watch(label: str, total: int | None, *, in_bytes: bool) -> Iterator[Advance]:
        def advance(more: int) -> None:
            if label == chosen:
                raise KeyboardInterrupt

        yield advance
        advance(0)

    monkeypatch.setattr("foveal.cli._main.progress_shown", lambda: watched(watch))


@pytest.mark.parametrize(
    ("name", "label"), [(name, label) for name, known in LONG.items() for label in known.stages]
)
def test_what_is_written_is_whole_or_as_it_was(
    long_world: Path, out: Path, name: str, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_at(label, monkeypatch)
    known = LONG[name]
    target = long_world / known.target.format(out.name) if known.target else None
    if target:
        target.write_text(OLD)
    campaign = (long_world / long_commands.CAMPAIGN).read_bytes()
    answer = foveal(*known.called(out), folder=long_world)
    assert (answer.code, answer.out, answer.err) == (130, answer.out, INTERRUPTED)
    # Once it is written, it is whole.
    if target and label != "writing":
        assert target.read_text() == OLD
    assert not [
        path for path in long_world.rglob("*") if path.name.endswith((".part", "-journal", "-wal"))
    ]
    assert (long_world / long_commands.CAMPAIGN).read_bytes() == campaign
    assert not (out / "new.campaign").exists()
    assert not (out / "INDEX" / "manifest.json").exists()


@pytest.fixture
def heeded() -> Iterator[None]:
    """Ctrl-C does what it does in the program, not what the tests let it do."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler), sys.unraisablehook
    handle_ctrl_c()
    yield
    late.on_loading.pop()
    signal.signal(signal.SIGINT, before[0])
    sys.unraisablehook = before[1]


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_counts_once_until_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(_main, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        clock[0] += _main.PATIENCE / 2
        signal.raise_signal(signal.SIGINT)
        clock[0] += _main.PATIENCE


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_is_not_lost_where_python_cannot_raise_it() -> None:
    class Dying:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  # it comes a moment later
        dying = Dying()
        del dying
        time.sleep(PATIENCE)


def test_a_program_that_was_started_to_ignore_ctrl_c_ignores_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        handle_ctrl_c()
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(child) for child in listed.split()]


def is_alive(process: int) -> bool:
    """Whether a process still runs; one that has ended may wait for somebody to notice."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except FileNotFoundError:
        return False
    return state.split()[0] not in "ZX"


def within_patience(holds: Callable[[], bool]) -> bool:
    """Whether something comes to be."""
    until = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < until:
        time.sleep(0.005)
    return holds()


# A pipe that nobody writes to, or reads from, keeps a command where it is; `evaluate` reads pipes before
# it starts workers, and so has work for twenty seconds.
STUCK = "stuck.fol"
REAL = {
    "evaluate": ["evaluate", QRELS, *RUNS * 4000, "--jobs", "2", "-o", "evaluate/a.csv"],
    "index": ["index", "large", "-o", "index/INDEX", "--jobs", "2"],
    "convert": ["convert", "echo.fol", STUCK, "convert", "--to", "jsonl"],
    "fidelity": ["fidelity", QRELS, "--save-runs", "fidelity"],
    "stability": ["stability", "pool", QRELS, *RUNS, "--save-samples", "stability"],
}
PIPES = (
    STUCK,
    "index/INDEX/finished-00001.json",
    "fidelity/SLD.RSI.fol",
    "stability/pool-80-02.qrels",
)


def write_stuck(folder: Path) -> None:
    """Files and pipes with which the commands of `REAL` are still busy when Ctrl-C is pressed."""
    long_commands.write(folder)
    for name in (*REAL, "index/INDEX", "large"):
        (folder / name).mkdir()
    for pipe in PIPES:
        os.mkfifo(folder / pipe)
    # Two shards; whether the second is there is asked when a worker has the first.
    for name in ("large/1.xml", "large/2.xml"):
        (folder / name).touch()
        os.truncate(folder / name, BATCH)


def started(
    folder: Path, words: list[str], error: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """The program in a group of its own, to all of which a terminal sends Ctrl-C."""
    return subprocess.Popen(
        [sys.executable, "-m", "foveal", *words],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=error, start_new_session=True,
    )  # fmt: skip


def press_ctrl_c(program: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C until the program ends, as somebody impatient does."""

    def has_ended() -> bool:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGINT)
            time.sleep(0.1)
        return program.poll() is not None

    assert within_patience(has_ended)


def is_in_the_middle(process: int, out: Path) -> bool:
    """Whether a worker has been started, beside what looks after semaphores, or a file is there."""
    return len(children(process)) > 1 or any(path.is_file() for path in out.rglob("[!.]*"))


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes as Linux lists them"
)
def test_real_programs_end_at_once_and_leave_nothing(tmp_path: Path) -> None:
    write_stuck(tmp_path)
    with ExitStack() as ending:
        programs = {name: started(tmp_path, words) for name, words in REAL.items()}
        for program in programs.values():
            ending.enter_context(program)
            ending.callback(program.kill)
        for name, program in programs.items():
            own, out = program.pid, tmp_path / name
            assert within_patience(lambda own=own, out=out: is_in_the_middle(own, out)), name  # type: ignore[misc]
            workers = children(own)
            press_ctrl_c(program)
            _, said = program.communicate(timeout=PATIENCE)
            assert (name, program.returncode, said.decode()) == (name, 130, INTERRUPTED)
            assert within_patience(lambda workers=workers: not any(map(is_alive, workers)))  # type: ignore[misc]
    kept = {
        path.relative_to(tmp_path).as_posix()
        for name in REAL
        for path in (tmp_path / name).rglob("*")
    }
    assert not [path for path in kept if path.endswith(".part")]
    assert not kept & {"evaluate/a.csv", "index/INDEX/manifest.json", "convert/stuck.jsonl"}
    # What was finished before is whole.
    for name in kept - {"index/INDEX", *PIPES}:
        assert (tmp_path / name).read_bytes().endswith(b"\n"), name


@pytest.mark.slow
def test_a_terminal_is_left_clean(tmp_path: Path) -> None:
    long_commands.write(tmp_path)
    os.mkfifo(tmp_path / STUCK)
    with opened_terminal() as (terminal, fd):
        program = started(tmp_path, ["report", QRELS, *RUNS, STUCK, "-o", "a.html"], fd)
        try:
            assert within_patience(lambda: "5 of 6" in terminal.text)
            press_ctrl_c(program)
            assert program.wait(PATIENCE) == 130
        finally:
            program.kill()
    assert terminal.screen == INTERRUPTED
    assert terminal.shows_cursor
    assert not (tmp_path / "a.html").exists()


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes as Linux lists them"
)
def test_workers_end_with_a_program_that_is_killed(tmp_path: Path) -> None:
    write_stuck(tmp_path)
    program = started(tmp_path, REAL["evaluate"])
    try:
        assert within_patience(lambda: len(children(program.pid)) > 2)
        workers = children(program.pid)
    finally:
        program.kill()
    program.communicate()
    assert within_patience(lambda: not any(map(is_alive, workers)))


PRESSED_WHILE_LOADING = """
import sys
class Key:
    def find_spec(self, name, *_):
        if name == "foveal.cli._main":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Key())
from foveal.cli import program
"""


def test_the_key_is_heard_while_modules_load() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESSED_WHILE_LOADING], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "foveal: interrupted\n")
