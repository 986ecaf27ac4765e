"""The way in, in a real browser: a click in a mail enters, and other sites can do nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.asking import sent
from tests.browser.desks import Served, served
from tests.campaigns import act, plan
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]
ELSEWHERE = "http://mail.example/"
POST = """async ([address, body]) => {
  const asked = mode => fetch(address, {
    method: "POST", mode, credentials: "include", body,
    headers: mode === "cors" ? { "content-type": "application/json" } : {},
  }).then(response => response.type, error => error.name);
  return [await asked("no-cors"), await asked("cors")];
}"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, plan()) as started:
        yield started


@pytest.fixture
def mail(browser: Browser, server: Served) -> Iterator[Page]:
    """A page of another site that holds ann's link."""
    page = browser.new_page()
    body = f'<a href="{server.link()}">your link</a>'
    page.route(f"{ELSEWHERE}*", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(ELSEWHERE)
    yield page
    page.close()


def test_a_click_in_a_mail_enters_and_other_sites_do_nothing(server: Served, mail: Page) -> None:
    mail.click("text=your link")
    mail.wait_for_url(f"{server.origin}/a/1/")
    mail.wait_for_selector("#progress")
    assert mail.reload() is not None
    # The cookie is there now, and still a page elsewhere can neither send nor read.
    mail.goto(ELSEWHERE)
    forged = act("done")
    body = json.dumps({"events": [sent(forged)]})
    answers = mail.evaluate(POST, [f"{server.origin}/a/1/api/events", body])
    assert answers == ["TypeError", "TypeError"]
    assert forged.id not in {event.id for event in server.campaign.events()}
    answer = mail.goto(f"{server.origin}/a/1/")
    assert answer is not None
    assert answer.status == 200
