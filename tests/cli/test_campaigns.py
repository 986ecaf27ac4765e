"""`foveal assess new`, `status`, `invite`, `lock`, `unlock` and `try`: whole commands."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.assess import Campaign, Event, Role, digest
from foveal.assess.events import EventKind
from foveal.cli.assess.invite import ROLES
from foveal.web import server
from tests.cli.calling import Answer, foveal
from tests.cli.forms import EYES, tables

TEXTS = {
    "a": "Fish swim.\n\nFish 🐟 sleep.",
    "b": "Birds fly far.",
    "c": "Stones lie still.",
    "d": "No run returned this.",
}
POOL = [
    {"topic": "1", "doc": "a", "place": 1, "runs": 2, "best_rank": 1, "passages": [[0, 10]]},
    {"topic": "1", "doc": "b", "place": 2, "runs": 1, "best_rank": 2, "passages": []},
    {"topic": "2", "doc": "b", "place": 1, "runs": 1, "best_rank": 1, "passages": []},
]
TOPICS = "1\tfish\n2\tbirds\n3\tstones\n"
NEW = ("--topics", "topics.tsv", "--pool", "pool.jsonl", "--docs", "docs.jsonl")
BOTH = ("--assessor", "ann", "--assessor", "bob")


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(folder: Path) -> Path:
    (folder / "topics.tsv").write_text(TOPICS)
    (folder / "pool.jsonl").write_text(lines(POOL))
    (folder / "docs.jsonl").write_text(
        lines([{"doc": doc, "text": text} for doc, text in TEXTS.items()])
    )
    (folder / "guide.md").write_text("# Guide\n\nHighlight *all*.\n")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    folder = write(tmp_path_factory.mktemp("made"))
    told = foveal("assess", "new", "c.campaign", *NEW, *BOTH, "--double", "50%", folder=folder)
    return folder, told


@pytest.fixture
def campaign(made_once: tuple[Path, Answer], tmp_path: Path) -> Path:
    """A folder with a fresh campaign; topic 1 is bob's, and ann's as well."""
    shutil.copy(made_once[0] / "c.campaign", tmp_path)
    return tmp_path


def new(folder: Path, *words: str) -> Answer:
    return foveal("assess", "new", "n.campaign", *words, folder=folder)


def refused(answer: Answer, code: int, *sentences: str) -> None:
    assert (answer.code, answer.out) == (code, "")
    for sentence in sentences:
        assert sentence in " ".join(answer.err.split())


def test_a_campaign_is_made_and_the_next_command_told(made_once: tuple[Path, Answer]) -> None:
    folder, told = made_once
    assert told.code == 0
    assert told.out == (
        "c.campaign: 2 topics, 3 documents to judge, 4 texts, 2 assessors; 1 topic judged twice\n"
        "  ann: 3 documents of 2 topics, 1 of them as the second assessor\n"
        "  bob: 2 documents of 1 topic\n"
        "Next: foveal assess serve c.campaign\n"
    )
    assert told.err == "note: 1 topic of topics.tsv not in the pool, and left out: 3\n"
    assert [path.name for path in folder.iterdir() if "campaign" in path.name] == ["c.campaign"]
    with Campaign.open(folder / "c.campaign") as opened:
        assert opened.meta["show_pool"] == "0"
        assert [(row.topic, row.assessor, row.main) for row in opened.assignments] == [
            ("1", "bob", 1), ("1", "ann", 0), ("2", "ann", 1),
        ]  # fmt: skip


def test_options_are_kept(folder: Path) -> None:
    words = ("--entry", "none", "--snap", "word", "--show-pool", "--guide", "guide.md")
    answer = new(folder, *NEW, *BOTH, *words, "--texts", "pooled", "--double", "100%")
    assert answer.out.startswith("n.campaign: 2 topics, 3 documents to judge, 2 texts")
    assert "2 topics judged twice" in answer.out
    with Campaign.open(folder / "n.campaign") as opened:
        meta = opened.meta
        assert opened.document("d") is None
    expected = {"entry": "none", "snap": "word", "show_pool": "1"}
    assert meta.items() >= expected.items()
    assert meta["guide"] == "# Guide\n\nHighlight *all*.\n"


def test_an_index_gives_the_layout_and_must_be_of_the_same_texts(folder: Path) -> None:
    (folder / "xml").mkdir()
    for name in "abcd":
        (folder / "xml" / f"{name}.xml").write_text(f"<x><h1>{name}</h1>\n<p>{TEXTS[name]}</p></x>")
    foveal("index", "xml", "-o", "x.index", folder=folder)
    materials = (*NEW[:4], "--docs", "xml", "--elements", "x.index")
    assert new(folder, *materials, *BOTH).code == 0
    with Campaign.open(folder / "n.campaign") as opened:
        found = opened.document("b")
        assert found is not None
        assert json.loads(found.blocks) == {
            "kind": "elements",
            "blocks": [["h1", 0, 1], ["p", 2, 16]],
        }
    (folder / "n.campaign").unlink()
    refused(
        new(folder, *NEW, *BOTH, "--elements", "x.index"), 65,
        "the offset index is of other texts: 4 documents with another length, first 'a' (27"
        " characters in the index, 25 in docs.jsonl): make it from the same documents",
    )  # fmt: skip
    assert not (folder / "n.campaign").exists()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--assessor", "ann", "--assessor", "ann"), 2, "assessor 'ann' is named twice"),
        (("--assessor", "main"), 2, "'main' cannot be the name of an assessor"),
        (("--assessor", "a\x1b[2J"), 2, "must be printable, got 'a\\x1b[2J'"),
        (("--assessor", "ann", "--double", "10%"), 2, "--double needs two assessors or more"),
        (
            (*BOTH, "--double", "20"),
            2,
            "--double must be a share of the topics from 0% to 100%, such",
        ),
        ((*BOTH, "--double", "101%"), 2, "such as 20%, got '101%'"),
        ((*BOTH, "--double", "-5%"), 2, "got '-5%'"),
        ((*BOTH, "--double", "٢٠%"), 2, "got '٢٠%'"),
        (
            (*BOTH, "--snap", "letter"),
            2,
            "--snap must be sentence, word or character, got 'letter'",
        ),
        ((*BOTH, "--entry", "maybe"), 2, "--entry must be required, optional or none, got 'maybe'"),
        ((*BOTH, "--texts", "some"), 2, "--texts must be all or pooled, got 'some'"),
        ((*BOTH, "--guide", "none.md"), 66, "none.md"),
        ((*BOTH, "--elements", "none.index"), 66, "none.index"),
        ((), 2, "Missing option '--assessor'"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    folder: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    answer = new(folder, *NEW, *words)
    refused(answer, code, sentence)
    assert "\x1b" not in answer.err
    assert not (folder / "n.campaign").exists()


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("topics.tsv", "1\tfish\n", "topics.tsv: 1 topic of the pool is missing: 2"),
        ("pool.jsonl", "1 Q0 a 1 9.5 mine\n1 Q0 b 2 8.5 mine\n",
         "pool.jsonl looks like a run: make a pool of it with `foveal pool`"),
        ("docs.jsonl", lines([{"doc": "a", "text": TEXTS["a"]}]), "docs.jsonl: no text of 1 pooled document: b"),
        (
            "pool.jsonl", lines([POOL[0] | {"passages": [[0, 26]]}]),
            "1 passage of the pool is beyond the text, first [0, 26] of 'a', which has 25 characters",
        ),
        ("pool.jsonl", "{}\n", "pool.jsonl:1: no topic"),
        ("docs.jsonl", "", "docs.jsonl"),
    ],
)  # fmt: skip
def test_materials_that_do_not_fit_together_are_refused(
    folder: Path, file: str, text: str, sentence: str
) -> None:
    (folder / file).write_text(text)
    refused(new(folder, *NEW, *BOTH), 65, sentence)
    assert not (folder / "n.campaign").exists()


def test_nothing_is_overwritten_and_nothing_read_before_that_is_known(folder: Path) -> None:
    (folder / "n.campaign").write_text("mine")
    answer = new(folder, "--topics", "none", "--pool", "none", "--docs", "none", *BOTH)
    refused(answer, 2, "n.campaign exists already: choose another name for the new campaign")
    assert (folder / "n.campaign").read_text() == "mine"
    answer = foveal("assess", "new", "none/n.campaign", *NEW, *BOTH, folder=folder)
    refused(answer, 66, "none/n.campaign: cannot be written: there is no folder none")


def test_names_that_could_control_a_terminal_are_shown_harmlessly(folder: Path) -> None:
    (folder / "topics.tsv").write_text(TOPICS + "\x1b[2J\tx\n")
    answer = new(folder, *NEW, *BOTH)
    assert answer.code == 0
    assert "left out: 3, \N{REPLACEMENT CHARACTER}[2J" in answer.err


@pytest.mark.parametrize("count", [1, len(POOL)])
def test_swapped_topics_and_pool_are_recognised(folder: Path, count: int) -> None:
    (folder / "pool.jsonl").write_text(lines(POOL[:count]))
    swapped = ("--topics", "pool.jsonl", "--pool", "topics.tsv", "--docs", "docs.jsonl")
    answer = new(folder, *swapped, *BOTH)
    sentence = (
        "pool.jsonl looks like a pool, not topics: were the files of --topics and --pool swapped?"
    )
    refused(answer, 65, sentence)
    assert len(answer.err.splitlines()) == 1


def event(kind: EventKind, assessor: str, at: int, doc: str = "a", **fields: Any) -> Event:
    if "stop" in fields:
        fields["quote_sha256"] = digest(TEXTS[doc][fields["start"] : fields["stop"]])
    name = f"{assessor}-{kind}-{at:06d}"
    return Event(
        id=name, assessor=assessor, topic="1", doc=doc, kind=kind, at_client=1000 * at, **fields
    )


def judge(folder: Path) -> None:
    """Ann and bob finish a document differently, ann in 90 seconds; bob opens another."""
    with Campaign.open(folder / "c.campaign") as opened:
        opened.add_person("ada", Role.ADJUDICATOR)
        answers = opened.append([
            event(EventKind.OPEN, "ann", 0), event(EventKind.MARK, "ann", 60, start=0, stop=10),
            event(EventKind.ENTRY, "ann", 80, start=0), event(EventKind.DONE, "ann", 90),
            event(EventKind.MARK, "bob", 0, start=12, stop=16), event(EventKind.DONE, "bob", 30),
            event(EventKind.OPEN, "bob", 300, doc="b"),
        ])  # fmt: skip
    assert all(isinstance(answer, int) for answer in answers)


def test_status_is_a_table_for_people(campaign: Path) -> None:
    judge(campaign)
    foveal("assess", "lock", "c.campaign", "--topic", "2", folder=campaign)
    answer = foveal("assess", "status", "c.campaign", folder=campaign)
    assert (answer.code, answer.err) == (0, "idle: 120 seconds\n")
    assert (
        answer.out
        == """\
assessor   role          topics   documents   done   left   relevant   passages   characters   active time   about left
───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
ann        assessor           2           3      1      2          1          1           10         2 min        3 min
bob        assessor           1           2      1      1          1          1            4          30 s         30 s
ada        adjudicator        1           1      0      1          0          0            0           0 s        1 min
all                           2           6      2      4          2          2           14         2 min        4 min

2 of 6 documents finished (33 %); 4 are left, about 4 min of work at the pace so far. 1
document needs adjudication. Topic 2 is locked.

By topic

topic   assessor   role          documents   done   relevant   passages   characters   active time   locked
───────────────────────────────────────────────────────────────────────────────────────────────────────────
1       bob        assessor              2      1          1          1            4          30 s
1       ann        second                2      1          1          1           10         2 min
2       ann        assessor              1      0          0          0            0           0 s   locked
1       ada        adjudicator           1      0          0          0            0           0 s

Documents that two or more assessors have finished

topic   finished by two or more   with different text   adjudicated
───────────────────────────────────────────────────────────────────
1                             1                     1             0
"""
    )


def test_status_shows_the_notes_of_assessors(campaign: Path) -> None:
    long = "ask Zoë\n" + "whether this counts " * 20
    with Campaign.open(campaign / "c.campaign") as opened:
        answers = opened.append([
            event(EventKind.NOTE, "bob", 0, value="first words"), event(EventKind.NOTE, "bob", 5, value=long),
            event(EventKind.NOTE, "ann", 0, value="gone"), event(EventKind.NOTE, "ann", 5, value=""),
        ])  # fmt: skip
    assert all(isinstance(answer, int) for answer in answers)
    out = foveal("assess", "status", "c.campaign", folder=campaign).out
    assert "1 note for you is below." in out
    _, _, shown = out.partition("\nNotes on documents\n\n")
    assert shown.splitlines()[0].split() == ["assessor", "topic", "doc", "note"]
    (line,) = shown.splitlines()[2:]
    assert line.startswith("bob        1       a     ask Zoë whether this counts")
    assert line.endswith("…")
    found = json.loads(
        foveal("assess", "status", "c.campaign", "--to", "json", folder=campaign).out
    )
    assert found["remarks"] == [{"assessor": "bob", "topic": "1", "doc": "a", "note": long}]


def test_longer_pauses_count_as_work_if_asked(campaign: Path) -> None:
    judge(campaign)
    words = ("status", "c.campaign", "--idle", "270", "--to", "json")
    found = json.loads(foveal("assess", *words, folder=campaign).out)
    assert [row["seconds"] for row in found["people"]] == [90, 300, 0]
    assert found["settings"] == {"idle": "270 seconds"}
    assert found["topics"][0] == {
        "topic": "1", "locked": False, "documents": 2, "done": 1, "finished_twice": 1, "disputed": 1,
        "adjudicated": 0,
    }  # fmt: skip
    refused(foveal("assess", "status", "c.campaign", "--idle", "-1", folder=campaign), 2, "--idle")


@pytest.mark.parametrize("form", EYES)
def test_every_form_for_people_has_the_same_cells(campaign: Path, form: str) -> None:
    judge(campaign)
    out = foveal("assess", "status", "c.campaign", "--to", form, folder=campaign).out
    people, stints, disputes = tables(form, out)
    assert [row[0] for row in people[1:]] == ["ann", "bob", "ada", "all"]
    assert people[1][2:6] == ["2", "3", "1", "2"]
    assert stints[1][:5] == ["1", "bob", "assessor", "2", "1"]
    assert disputes[1] == ["1", "1", "1", "0"]


def test_files_have_a_row_per_topic_and_assessor(campaign: Path) -> None:
    judge(campaign)
    assert foveal("assess", "status", "c.campaign", "-o", "p.csv", folder=campaign).code == 0
    with (campaign / "p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["topic"], row["assessor"], row["role"], row["done"]) for row in rows] == [
        ("1", "bob", "assessor", "1"),
        ("1", "ann", "second", "1"),
        ("2", "ann", "assessor", "0"),
        ("1", "ada", "adjudicator", "0"),
    ]
    refused(
        foveal("assess", "status", "c.campaign", "-o", "c.campaign", folder=campaign), 2,
        "c.campaign is one of the files that are read",
    )  # fmt: skip


def test_an_invitation_is_a_link_on_standard_output(campaign: Path) -> None:
    answer = foveal("assess", "invite", "c.campaign", "ann", folder=campaign)
    assert answer.code == 0
    assert answer.out.startswith("http://127.0.0.1:8642/enter/")
    assert answer.err == (
        "only this link lets ann in, while the campaign is served; it has not been served yet, so the"
        " link has the default address\n"
    )
    again = foveal("assess", "invite", "c.campaign", "ann", folder=campaign)
    with Campaign.open(campaign / "c.campaign") as opened:
        tokens = [found.out.strip().rpartition("/")[2] for found in (answer, again)]
        assert [opened.person_of(token) is not None for token in tokens] == [False, True]
        opened.set_meta("address", "https://judge.example.org")
    joined = foveal(
        "assess", "invite", "c.campaign", "ada", "--role", "adjudicator", folder=campaign
    )
    assert joined.out.startswith("https://judge.example.org/enter/")
    assert joined.err == "only this link lets ada in, while the campaign is served\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("anm",),
            "nobody in the campaign is called 'anm': did you mean 'ann'? A new assessor needs",
        ),
        (
            ("ann", "--role", "adjudicator"),
            "'ann' is an assessor of this campaign: another role needs",
        ),
        (("eve", "--role", "adjudicator", "--topic", "1"), "leave out --topic"),
        (("eve", "--topic", "9"), "the campaign has no topic '9'"),
        (("eve", "--role", "boss"), "'boss' is not one of"),
    ],
)
def test_invitations_that_make_no_sense_are_refused(
    campaign: Path, words: tuple[str, ...], sentence: str
) -> None:
    refused(foveal("assess", "invite", "c.campaign", *words, folder=campaign), 2, sentence)


def test_the_words_for_roles_are_the_campaigns() -> None:
    assert list(ROLES) == [role.value for role in Role]


def test_topics_are_locked_and_unlocked(campaign: Path) -> None:
    def said(*words: str) -> str:
        answer = foveal("assess", words[0], "c.campaign", *words[1:], folder=campaign)
        assert (answer.code, answer.err) == (0, "")
        return answer.out

    assert said("lock", "--topic", "2") == "c.campaign: 1 of 2 topics locked: 2\n"
    assert said("lock") == "c.campaign: all 2 topics are locked\n"
    assert said("unlock", "--topic", "2") == "c.campaign: 1 of 2 topics locked: 1\n"
    assert said("unlock") == "c.campaign: no topic is locked\n"
    refused(
        foveal("assess", "lock", "c.campaign", "--topic", "12", folder=campaign), 2,
        "the campaign has no topic '12'; did you mean '2'?",
    )  # fmt: skip


@pytest.mark.parametrize("words", [("status",), ("lock",), ("unlock",), ("invite", "ann")])
def test_what_is_no_campaign_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "text").write_text("not a campaign\n" * 100)
    first, *rest = words
    refused(foveal("assess", first, "none", *rest, folder=tmp_path), 66, "none: no such campaign")
    refused(foveal("assess", first, "text", *rest, folder=tmp_path), 65, "text: not a campaign")


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "c.campaign", "mine.run"),
        ("evaluate", "mine.qrels", "c.campaign"),
        ("compare", "c.campaign", "c.campaign"),
        ("check", "mine.run", "--qrels", "c.campaign"),
        ("convert", "c.campaign", "judged.trec"),
        ("pool", "c.campaign"),
    ],
    ids=" ".join,
)
def test_a_campaign_is_exported_before_other_commands_read_it(
    campaign: Path, words: tuple[str, ...]
) -> None:
    (campaign / "mine.run").write_text("1 Q0 a 1 1 mine\n")
    (campaign / "mine.qrels").write_text("1 0 a 1\n")
    refused(
        foveal(*words, folder=campaign), 65,
        "c.campaign:1: a campaign, not text: `foveal assess export CAMPAIGN -o FILE.jsonl` writes",
    )  # fmt: skip


def test_a_campaign_that_cannot_be_written_is_said_to_be_so(
    campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(Campaign, "append", full)
    answer = foveal("assess", "lock", "c.campaign", folder=campaign)
    refused(answer, 66, "c.campaign: cannot be opened or written: database or disk is full")


def served(campaign: Campaign, *_: object, ready: Callable[[str], None], **__: object) -> None:
    """A server that nobody visits."""
    campaign.set_meta("address", "http://127.0.0.1:1234")
    ready("http://127.0.0.1:1234")


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "serve", served)


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Answer]]:
    folder = tmp_path_factory.mktemp("tried")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "serve", served)
        yield folder, foveal("assess", "try", "--no-browser", folder=folder)


def test_a_campaign_to_try_has_something_to_see_at_once(tried: tuple[Path, Answer]) -> None:
    folder, answer = tried
    assert answer.code == 0
    assert "bob has finished 6 documents of\ntopic 104, and ann 4" in answer.out
    links = [line.split("\t") for line in answer.out.splitlines()[-3:]]
    assert [link[:2] for link in links] == [
        ["ann", "assessor"],
        ["bob", "assessor"],
        ["ada", "adjudicator"],
    ]
    path = str(folder / "foveal-assess" / "try.campaign")
    found = json.loads(foveal("assess", "status", path, "--to", "json").out)
    assert [row["done"] for row in found["people"]] == [4, 6, 0]
    documents = [row["documents"] for row in found["topics"]]
    assert len(documents) == 4
    assert all(10 <= count <= 15 for count in documents)
    (topic,) = (row for row in found["topics"] if row["finished_twice"])
    assert (topic["finished_twice"], topic["disputed"]) == (4, 3)
    with Campaign.open(path) as opened:
        assert all(row.title and row.description and row.narrative for row in opened.topics)
        assert opened.meta["guide"].startswith("# How to judge")
        layouts = [opened.document(row.doc) for row in opened.pool()]
    assert {json.loads(layout.blocks)["kind"] for layout in layouts if layout} == {"elements"}


def test_what_it_suggests_works_at_once(tried: tuple[Path, Answer]) -> None:
    folder, answer = tried
    suggested = [
        line.split()[1:] for line in answer.out.splitlines() if line.startswith("  foveal ")
    ]
    assert [words[:2] for words in suggested[:3]] == [
        ["assess", "status"],
        ["assess", "agree"],
        ["assess", "export"],
    ]
    answers = [foveal(*words, folder=folder) for words in suggested]
    assert [answer.code for answer in answers] == [0, 0, 0, 0]
    assert "\npassages-good " in answers[-1].out


@pytest.mark.usefixtures("no_server")
def test_trying_again_goes_on_with_the_campaign(tried: tuple[Path, Answer]) -> None:
    folder, _ = tried
    campaign = folder / "foveal-assess" / "try.campaign"
    with Campaign.open(campaign) as opened:
        before = opened.meta["id"], opened.events()
    answer = foveal("assess", "try", folder=folder)
    assert answer.code == 0
    assert answer.out.startswith("foveal-assess/try.campaign exists already: going on with it.\n")
    with Campaign.open(campaign) as opened:
        assert (opened.meta["id"], opened.events()) == before


@pytest.mark.usefixtures("no_server")
def test_a_folder_with_other_files_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    refused(foveal("assess", "try", "full", folder=tmp_path), 2, "full contains other files")
    refused(
        foveal("assess", "try", "full/mine.txt", folder=tmp_path), 2, "is a file: give a folder"
    )


@pytest.mark.parametrize("command", ["new", "status", "invite", "lock", "unlock", "try"])
def test_every_command_has_help_with_examples(command: str) -> None:
    answer = foveal("assess", command, "--help")
    assert answer.code == 0
    assert (
        f"Examples:\n    foveal {'pool' if command == 'new' else f'assess {command}'}" in answer.out
    )
