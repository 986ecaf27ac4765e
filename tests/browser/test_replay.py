"""The page's replay of a log against Python's, which decides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from foveal.assess import Event
from foveal.assess.replay import replayed
from tests.browser.modules import blank, with_modules
from tests.examples import examples
from tests.logs import logs
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

Log = list[Event]

# Many logs at a time: the way to the browser takes longer than the replay.
MANY = st.lists(logs(), min_size=15, max_size=25)

UNDO_AND_REDO = """logs => logs.map(log => {
    const {replayed, undoable, redoable} = window.replay;
    const seen = [JSON.stringify(replayed(log))];
    const undone = [];
    const press = id => {
      log = [...log, {id: `pressed-${log.length}`, kind: "undo", undoes: id}];
      return JSON.stringify(replayed(log));
    };
    for (let id = undoable(log); id !== null; id = undoable(log)) {
      undone.push(id);
      seen.push(press(id));
    }
    const back = [seen.at(-1)];
    for (let left = undone.length; left > 0; left -= 1) back.push(press(redoable(log)));
    return {seen, back: back.reverse(), undone, empty: replayed(log.slice(0, 0))};
})"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with with_modules(browser) as context:
        opened = blank(context)
        opened.evaluate("async () => { window.replay = await import('/replay.js'); }")
        yield opened


def rows(found: list[Log]) -> list[list[dict[str, Any]]]:
    return [[event.row() for event in log] for log in found]


@given(found=MANY)
@examples(20)
def test_the_page_says_of_a_log_what_python_says(page: Page, found: list[Log]) -> None:
    answers = page.evaluate("logs => logs.map(log => window.replay.replayed(log))", rows(found))
    for log, answer in zip(found, answers, strict=True):
        expected = json.loads(json.dumps(vars(replayed(log))))
        assert answer == expected


def _one_persons(log: Log) -> Log:
    return [one for one in log if (one.assessor, one.doc) == ("ann", "plain")]


@given(found=MANY)
@examples(15)
def test_undo_goes_back_to_the_beginning_and_redo_all_the_way_forward(
    page: Page, found: list[Log]
) -> None:
    answers = page.evaluate(UNDO_AND_REDO, rows([_one_persons(log) for log in found]))
    for answer in answers:
        assert answer["back"] == answer["seen"]
        at_last = json.loads(answer["seen"][-1])
        assert (at_last["spans"], at_last["entry"], at_last["done"]) == ([], None, False)


def _event(name: str, kind: str = "mark", undoes: str | None = None) -> dict[str, Any]:
    return {"id": name, "kind": kind, "start": 0, "stop": 5, "undoes": undoes}


def test_a_new_act_ends_what_can_be_redone(page: Page) -> None:
    log = [_event("a"), _event("b"), _event("-b", "undo", "b")]
    ask = "log => [window.replay.undoable(log), window.replay.redoable(log)]"
    assert page.evaluate(ask, log) == ["a", "-b"]
    assert page.evaluate(ask, [*log, _event("looked", "open")]) == ["a", "-b"]
    assert page.evaluate(ask, [*log, _event("c")]) == ["c", None]
    redone = [*log, _event("--b", "undo", "-b")]
    assert page.evaluate(ask, redone) == ["b", None]
    assert page.evaluate(ask, []) == [None, None]


def test_events_are_joined_by_number_and_unsent_ones_come_last(page: Page) -> None:
    stored = [{"id": "b", "number": 9}, {"id": "a", "number": 4}, {"id": "b", "number": 9}]
    waiting = [{"id": "c"}, {"id": "a"}, {"id": "d"}]
    joined = page.evaluate("([a, b]) => window.replay.mergedLog(a, b)", [stored, waiting])
    assert [event["id"] for event in joined] == ["a", "b", "c", "d"]
