"""Progress bars: on a terminal while work takes long, and nothing of them anywhere else."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from foveal.cli import _progress_bar as _progress
from foveal.cli._progress_bar import AboveBars, Bars, above_bars, progress_shown
from foveal.errors import harmless, shortened
from foveal.work import Advance, stage, tracked
from tests.cli.calling import foveal
from tests.cli.long_commands import CAMPAIGN, LONG
from tests.cli.terminals import on_terminal, terminal_error


class Eager(Bars):
    """Bars that are drawn as soon as a stage begins, whenever it ends."""

    @contextmanager
    def __call__(self, label: str, total: int | None, *, in_bytes: bool) -> Iterator[Advance]:
        with super().__call__(label, total, in_bytes=in_bytes) as advance:
            self.paint()
            yield advance

    def _keep_painting(self) -> None:
        """Leave it to others."""


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "DELAY", 0)
    monkeypatch.setattr(_progress, "Bars", Eager)
    monkeypatch.setenv("COLUMNS", "120")


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("name", LONG)
def test_a_terminal_shows_the_stages_and_is_left_as_a_pipe(
    long_world: Path, out: Path, name: str
) -> None:
    campaign = (long_world / CAMPAIGN).read_bytes()
    shown, terminal = on_terminal(*LONG[name].called(out), folder=long_world)
    (long_world / CAMPAIGN).write_bytes(campaign)
    shutil.rmtree(out)
    out.mkdir()
    piped = foveal(*LONG[name].called(out), folder=long_world)
    assert shown == piped
    assert terminal.shows_cursor
    for label in LONG[name].stages:
        assert re.search(rf"{label} +━", terminal.text)
    assert not re.search("[\x1b\r━]", piped.err)


@pytest.mark.usefixtures("eager")
def test_stages_within_stages_are_below_each_other_and_say_how_far_they_are() -> None:
    with terminal_error() as terminal, progress_shown():
        for _ in tracked(range(2), "outer", 2):
            with stage("inner", 2_000_000, in_bytes=True) as advance:
                advance(500_000)
                with stage("innermost"):
                    pass
    assert "outer" in terminal.text
    frames = terminal.received.decode().split("\x1b[?25l")[-1]
    assert "2 of 2" not in frames
    assert "500.0 kB of 2.0 MB" in terminal.text
    assert "1 of 2" in terminal.text
    assert terminal.screen == ""


@pytest.mark.usefixtures("eager")
def test_a_total_that_is_passed_is_no_longer_shown() -> None:
    with (
        terminal_error() as terminal,
        progress_shown(),
        stage("unpacking", 1_000, in_bytes=True) as advance,
    ):
        advance(5_000)
        with stage("more"):
            pass
    assert re.search(r"unpacking ━+ 0:00\s", terminal.text)
    assert "5.0 kB of" not in terminal.text


@pytest.mark.usefixtures("eager")
def test_what_is_printed_meanwhile_stays_above_the_bars() -> None:
    with terminal_error() as terminal, progress_shown(), stage("working") as advance:
        for number in range(3):
            with above_bars():
                click.echo(f"line {number}", err=True)
            with stage("more"):
                advance(1)
        print("of a plugin", file=AboveBars())
    assert terminal.screen == "line 0\nline 1\nline 2\nof a plugin\n"
    assert terminal.text.count("working") >= 3


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("label", ["[bold]iP[0.01][/]", "\x1b[31mred\n", "x" * 500])
def test_a_label_may_be_any_text(label: str) -> None:
    with terminal_error() as terminal, progress_shown(), stage(label):
        pass
    shown = terminal.text.partition("━")[0].strip("\r\n ")
    assert shown == harmless(shortened(label, _progress.LONGEST_LABEL)).strip()
    assert len(shown) < 50
    assert b"\x1b[31mred" not in terminal.received
    assert terminal.screen == ""


def test_what_is_over_soon_shows_nothing_and_loads_nothing(
    long_world: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(_progress, "DELAY", 60)
    monkeypatch.setattr(_progress, "TICK", 0.001)
    shown, terminal = on_terminal(*LONG["evaluate"].called(out), folder=long_world)
    assert shown.code == 0
    assert b"\x1b" not in terminal.received
    assert "rich" not in sys.modules


def test_a_terminal_that_cannot_move_its_cursor_shows_nothing(
    eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with terminal_error() as terminal, progress_shown(), stage("working"):
        pass
    assert terminal.received == b""


def test_bars_are_drawn_while_the_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "DELAY", 0.01)
    monkeypatch.setattr(_progress, "TICK", 0.001)
    with terminal_error() as terminal, progress_shown():
        with stage("silent work"):
            until = time.monotonic() + 20
            while b"silent work" not in terminal.received and time.monotonic() < until:
                time.sleep(0.005)
        assert b"silent work" in terminal.received
    assert terminal.screen == ""
    assert terminal.shows_cursor


@pytest.mark.usefixtures("eager")
def test_an_error_takes_the_bars_away_before_it_is_reported(long_world: Path, out: Path) -> None:
    words = ["convert", "echo.fol", "absent.fol", out.name, "--to", "jsonl"]
    shown, terminal = on_terminal(*words, folder=long_world)
    assert shown.code == 66
    assert "converting ━" in terminal.text
    assert shown.err == "foveal: absent.fol: no such file or folder\n"
