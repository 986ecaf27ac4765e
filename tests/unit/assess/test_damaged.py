"""Campaigns that were damaged, or that somebody else made: no surprise, and no bug."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from foveal.assess import Campaign, exported, invite, log_bytes, progress_of, set_locked
from foveal.errors import BadCampaign, MissingFile, UsageError
from tests.asking import Page, serving
from tests.campaigns import act, campaign_at

Use = Callable[[Campaign], object]
USES: list[Use] = [
    lambda campaign: progress_of(campaign, idle_seconds=120),
    lambda campaign: exported(campaign, "union"),
    log_bytes,
    lambda campaign: invite(campaign, "ann"),
    lambda campaign: set_locked(campaign, [], locked=True),
]
EVENT = (
    "INSERT INTO event (id, assessor, topic, doc, kind, start, stop, tab, at_client, at_server)"
    " VALUES ('stranger', 'ann', {}, '', 0, 0)"
)
CHANGES = {
    "a view": "ALTER TABLE topic RENAME TO t; CREATE VIEW topic AS SELECT * FROM t",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON link BEGIN DELETE FROM pool; END",
    "a trigger that is gone": "DROP TRIGGER event_is_never_deleted",
    "a column": "ALTER TABLE meta ADD COLUMN more TEXT",
    "a table that is gone": "DROP TABLE passage",
    "a setting that is gone": "DELETE FROM meta WHERE key = 'id'",
    "an unknown act": EVENT.format("'1', 'plain', 'dance', NULL, NULL"),
    "an unknown document": EVENT.format("'1', 'nowhere', 'done', NULL, NULL"),
    "an unknown topic": EVENT.format("'9', 'plain', 'done', NULL, NULL"),
    "no document": EVENT.format("'1', NULL, 'done', NULL, NULL"),
    "text beyond the end": EVENT.format("'1', 'plain', 'mark', 0, 4000"),
    "text backwards": EVENT.format("'1', 'plain', 'mark', 4, 2"),
    "text before the start": EVENT.format("'1', 'plain', 'mark', -4, 2"),
}


# What can be written into a table that is called strict only afterwards.
FORGED = {
    "bytes for a name": ("event", EVENT.format("'1', 'plain', 'done', NULL, NULL")
                            .replace("'stranger'", "x'00ff'")),
    "half a character": ("event", EVENT.format("'1', 'plain', 'mark', 0.5, 2")),
    "another role": ("assessor", "UPDATE assessor SET role = 'boss'"),
    "no text": ("document", "UPDATE document SET text = x'00ff' WHERE doc = 'odd'"),
    "a length in words": ("document", "UPDATE document SET length = 'long' WHERE doc = 'odd'"),
    "nobody's topic": ("assessor", "UPDATE assessor SET name = 'eve' WHERE name = 'bob'"),
    "a setting in bytes": ("meta", "UPDATE meta SET value = x'ff'"),
}  # fmt: skip


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with campaign_at(tmp_path_factory.mktemp("judged")) as campaign:
        campaign.append([act("mark", start=0, stop=4), act("entry", start=0), act("done")])
        return campaign.path


@pytest.fixture
def copied(judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(judged, tmp_path / "copy.campaign"))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_another_program_changed_is_refused(copied: Path, change: str) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        connection.executescript(change)
    with pytest.raises(BadCampaign, match="damaged"):
        Campaign.open(copied)


@pytest.mark.parametrize(("table", "change"), FORGED.values(), ids=FORGED)
def test_values_that_a_strict_table_cannot_have_are_refused(
    copied: Path, table: str, change: str
) -> None:
    with closing(sqlite3.connect(copied, isolation_level=None)) as connection:
        query = "SELECT sql FROM sqlite_schema WHERE name = ?"
        (strict,) = connection.execute(query, (table,)).fetchone()
    loose = strict.replace(" STRICT, WITHOUT", " WITHOUT").replace(") STRICT", ")")
    for sql, then in ((loose, change), (strict, "SELECT 1")):
        with closing(sqlite3.connect(copied, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
        with closing(sqlite3.connect(copied, isolation_level=None)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(then)
    with pytest.raises(BadCampaign, match="damaged, or changed by another program"):
        Campaign.open(copied)


def test_views_of_an_organiser_are_harmless(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        connection.executescript("CREATE VIEW marks AS SELECT * FROM event; ANALYZE")
    with Campaign.open(copied) as campaign:
        assert len(campaign.events()) == 3


def test_flipped_bytes_are_no_bugs(copied: Path) -> None:
    whole, rng = copied.read_bytes(), random.Random(19)  # noqa: S311  # no secret
    refused = 0
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(20):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        for use in USES:
            copied.write_bytes(damaged)
            try:
                with Campaign.open(copied) as campaign:
                    campaign.connection.execute("PRAGMA synchronous = OFF")
                    use(campaign)
            except (BadCampaign, MissingFile, UsageError):
                refused += 1
            for journal in copied.parent.glob("*.campaign-*"):
                journal.unlink()
    assert refused > 100


def test_text_that_is_no_text_is_damage(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        connection.execute("UPDATE topic SET title = CAST(x'ff' AS TEXT)")
        connection.commit()
    with pytest.raises(BadCampaign, match="decode"), Campaign.open(copied) as campaign:
        _ = campaign.topics


def test_a_text_that_has_changed_is_not_shown(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        connection.execute("UPDATE document SET text = replace(text, 'Fish', 'Fins')")
        connection.commit()
    with Campaign.open(copied) as campaign, serving(campaign) as server:
        page = Page(server, "ann")
        answer = page.get("document", topic="1", doc="plain")
        assert answer.status == 500
        assert answer.told["error"].startswith("the campaign file is damaged")
        assert page.send(act("mark", start=0, stop=4)).status == 422
        assert page.get("document", topic="1", doc="odd").status == 200
        assert not server.bugs


def test_a_bug_is_not_called_damage(copied: Path) -> None:
    with pytest.raises(sqlite3.ProgrammingError), Campaign.open(copied) as campaign:
        campaign.connection.execute("SELECT ?", ())


def test_a_file_may_be_called_like_a_place_in_memory(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(judged, tmp_path / ":memory:")
    monkeypatch.chdir(tmp_path)
    with Campaign.open(":memory:") as campaign:
        assert len(campaign.events()) == 3


class _Frozen(sqlite3.Connection):
    """What a connection is where not even a journal can be written."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if "application_id" in sql:
            error = sqlite3.OperationalError("attempt to write a readonly database")
            error.sqlite_errorcode = sqlite3.SQLITE_READONLY
            raise error
        return super().execute(sql, *values)


@pytest.fixture
def no_journals(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def connected(*words: Any, uri: bool, **more: Any) -> sqlite3.Connection:
        factory = sqlite3.Connection if uri else _Frozen
        return connect(*words, uri=uri, factory=factory, **more)

    monkeypatch.setattr(sqlite3, "connect", connected)


@pytest.mark.usefixtures("no_journals")
def test_a_campaign_on_a_disk_that_is_only_read_can_be_read(copied: Path) -> None:
    with Campaign.open(copied) as campaign:
        assert progress_of(campaign, idle_seconds=120).topics["done"].to_list() == [1, 0]
    with pytest.raises(MissingFile, match="readonly"), Campaign.open(copied) as campaign:
        invite(campaign, "ann")
    assert [path.name for path in copied.parent.iterdir()] == [copied.name]


@pytest.mark.usefixtures("no_journals")
def test_what_is_in_a_journal_is_not_passed_over(copied: Path) -> None:
    copied.with_name(f"{copied.name}-wal").write_bytes(b"acts that are not in the file yet")
    with pytest.raises(MissingFile, match="readonly"):
        Campaign.open(copied)
