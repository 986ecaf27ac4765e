"""foveal assess export, import and agree: judgements out of a campaign and into one."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from foveal.assess import Campaign, Event, EventKind, digest
from foveal.collection import open_index
from foveal.formats import QRELS_FORMATS, read_qrels
from tests.campaigns import TEXTS, act, campaign_at, plan
from tests.cli.calling import Answer, foveal
from tests.cli.small_world import called, write_articles

CAMPAIGN = "small.campaign"
EXPORT = ("assess", "export", CAMPAIGN, "-o")
IMPORT = ("assess", "import")
NOTES = """\
note: 1 document taken from another assessor, because the topic's main assessor has not finished it
note: 1 document finished by several assessors: --from adjudicated, union, intersection or majority \
takes all of them into account
note: 2 documents are not finished by anyone
"""


def did(campaign: Campaign, *events: Event) -> None:
    for answer in campaign.append(events):
        assert isinstance(answer, int), answer


def bob(kind: str, **fields: int | str) -> Event:
    return act(kind, assessor="bob", **fields)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ann and bob differ on `plain`; bob alone found nothing in `stones`."""
    folder = tmp_path_factory.mktemp("made")
    with campaign_at(folder) as campaign:
        did(
            campaign,
            act("mark", start=0, stop=10), act("entry", start=0), act("done"),
            bob("mark", start=5, stop=20), bob("entry", start=5), bob("done"),
            bob("done", doc="stones"),
        )  # fmt: skip
    return folder / CAMPAIGN


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A folder with that campaign, copied: making one waits for the disk."""
    shutil.copy(made, tmp_path)
    return tmp_path


def refused(folder: Path, *words: str) -> tuple[int, str]:
    answer = foveal(*words, folder=folder)
    assert answer.out == ""
    return answer.code, answer.err


WRITTEN = {
    "inex": "1 Q0 plain 10 78 0 0:10\n1 Q0 stones 0 45\n",
    "trec": "1 0 plain 1\n1 0 stones 0\n",
    "csv": "topic,doc,start,end,length,entry\n1,plain,0,10,78,0\n1,stones,,,45,\n",
    "tsv": "topic\tdoc\tstart\tend\tlength\tentry\n1\tplain\t0\t10\t78\t0\n1\tstones\t\t\t45\t\n",
    "jsonl": '{"topic":"1","doc":"plain","length":78,"entry":0,"highlights":[[0,10]]}\n'
    '{"topic":"1","doc":"stones","length":45,"entry":null,"highlights":[]}\n',
}


@pytest.mark.parametrize("form", WRITTEN)
def test_judgements_are_written_and_what_is_left_is_said(folder: Path, form: str) -> None:
    answer = called(folder, *EXPORT, "out", "--to", form)
    assert (folder / "out").read_text() == WRITTEN[form]
    assert answer.out == f"out: 2 judged documents of 1 topic, {form}\n"
    more = "note: trec holds only grades: 1 for documents with highlights, 0 for all others\n"
    assert answer.err == NOTES + (more if form == "trec" else "")


def test_every_format_that_is_written_is_exported() -> None:
    written = {known.name for known in QRELS_FORMATS.values() if known.is_written}
    # Parquet, XML and what needs aspects have tests of their own.
    assert written == {*WRITTEN, "parquet", "inex-xml", "trec-subtopics", "trecgen"}


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("x.qrels", "inex"), ("x.inex", "inex"), ("x.qrels.gz", "inex"), ("x.trec", "trec"),
        ("x.csv", "csv"), ("x.tsv.gz", "tsv"), ("x.jsonl", "jsonl"), ("x.parquet", "parquet"),
        ("x.log", "log"),
    ],
)  # fmt: skip
def test_the_ending_names_the_format(folder: Path, file: str, form: str) -> None:
    assert called(folder, *EXPORT, file).out.endswith(f", {form}\n")
    if form != "log":
        assert read_qrels(folder / file).format == form


def test_parquet_holds_everything(folder: Path) -> None:
    called(folder, *EXPORT, "x.parquet")
    called(folder, *EXPORT, "x.jsonl")
    assert read_qrels(folder / "x.parquet").equals(read_qrels(folder / "x.jsonl"))


def test_standard_output_has_the_judgements_alone(folder: Path) -> None:
    answer = called(folder, *EXPORT, "-", "--to", "inex")
    assert answer.out == WRITTEN["inex"]
    assert answer.err == f"{NOTES}-: 2 judged documents of 1 topic, inex\n"


def test_each_assessor_is_named(folder: Path) -> None:
    answer = called(folder, *EXPORT, "gold.jsonl", "--from", "each")
    assert answer.out == "gold.jsonl: 2 judged documents of 1 topic, 3 judgements in all, jsonl\n"
    lines = (folder / "gold.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert [(row["assessor"], row["doc"], row["highlights"]) for row in found] == [
        ("ann", "plain", [[0, 10]]),
        ("bob", "plain", [[5, 20]]),
        ("bob", "stones", []),
    ]


def test_inex_assessments_need_the_index_of_the_documents(tmp_path: Path) -> None:
    write_articles(tmp_path)
    text = "0123456789"
    with campaign_at(tmp_path, texts={"d1": text, "d2": text, "d3": "another text"}) as campaign:
        did(
            campaign,
            act("mark", doc="d1", start=1, stop=5, quote_sha256=digest(text[1:5])),
            act("entry", doc="d1", start=3), act("done", doc="d1"), act("done", doc="d2"),
        )  # fmt: skip
        called(tmp_path, *EXPORT, "x.xml", "--elements", "INDEX")
        found = read_qrels(tmp_path / "x.xml", elements=open_index(tmp_path / "INDEX"))
        assert found.documents.select("doc", "length", "entry").rows() == [
            ("d1", 10, 3),
            ("d2", 10, None),
        ]
        assert found.passages.rows() == [(0, 1, 5)]
        did(campaign, act("done", doc="d3"))
    code, said = refused(tmp_path, *EXPORT, "x.xml")
    assert (code, "writing inex-xml needs the collection's offset index" in said) == (2, True)
    code, said = refused(tmp_path, *EXPORT, "x.xml", "--elements", "INDEX")
    assert code == 65
    assert "1 document of another length, or unknown, in the index: d3; is it the index of" in said


def test_scores_of_a_run_follow_from_exported_judgements(folder: Path) -> None:
    (folder / "a.fol").write_text("1 Q0 plain 1 9 a 0 10\n")
    (folder / "b.fol").write_text("1 Q0 stones 1 9 b 0 20\n1 Q0 plain 2 8 b 5 15\n")
    scores = {}
    for whose in ("main", "bob"):
        for file in (f"{whose}.qrels", f"{whose}.jsonl"):
            called(folder, *EXPORT, file, "--from", whose)
            words = (
                "evaluate",
                file,
                "a.fol",
                "b.fol",
                "-m",
                "charP",
                "-m",
                "charR",
                "--to",
                "csv",
            )
            scores[file] = called(folder, *words).out
    assert scores["main.qrels"] == scores["main.jsonl"]
    assert scores["bob.qrels"] == scores["bob.jsonl"]
    rows = [line.split(",") for line in scores["main.qrels"].splitlines()[1:]]
    means = {(run, measure): float(value) for run, measure, _, value in (row[:4] for row in rows)}
    assert means["a", "charP"] == means["a", "charR"] == 1
    assert means["b", "charP"] == pytest.approx(5 / 35)
    assert means["b", "charR"] == 0.5


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("x.foo",), 2, "cannot tell the format from the name 'x.foo': name one with --to"),
        (("x.foo",), 2, "trecgen, tsv, log\n"),
        (("x.qrels", "--to", "inexx"), 2, "--to must be csv, inex, inex-xml, jsonl, parquet, trec,"
         " trec-subtopics, trecgen, tsv or log, got 'inexx'; did you mean inex?"),
        (("x.json", "--to", "squad"), 2, "squad can only be read: write"),
        (("x.qrels", "--from", "cat"), 2, "--from must be main, adjudicated, union, intersection,"
         " majority, each or somebody who takes part (ann, bob, ada), got 'cat'"),
        (("x.qrels", "--from", "each"), 2, "inex cannot say who judged: use csv, jsonl, parquet or tsv"),
        (("x.log", "--from", "ann"), 2, "a log holds what everybody did: leave out --from"),
        (("x.qrels", "--elements", "INDEX"), 2, "--elements is for inex-xml, not for inex"),
        (("x.qrels", "--from", "ada"), 65, "small.campaign: nothing to export from ada yet: 1 document"
         " left that ada has not adjudicated"),
        ((CAMPAIGN, "--to", "log"), 2, "small.campaign is one of the files that are read"),
        (("no/x.qrels",), 66, "cannot be written: there is no folder no"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_refused(
    folder: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    found, said = refused(folder, *EXPORT, *words)
    assert message in said
    assert found == code
    assert not (folder / "x.qrels").exists()


def test_a_file_is_needed(folder: Path) -> None:
    code, said = refused(folder, "assess", "export", CAMPAIGN)
    assert (code, "Missing option '-o'" in said) == (2, True)


def test_nothing_finished_is_said(tmp_path: Path) -> None:
    campaign_at(tmp_path).connection.close()
    code, said = refused(tmp_path, *EXPORT, "x.qrels")
    assert code == 65
    assert said == (
        "foveal: small.campaign: nothing to export from main yet: 4 documents are not finished by"
        " anyone\n"
    )
    code, said = refused(tmp_path, *EXPORT, "x.log")
    assert code == 65
    assert "nobody has done anything yet, so the log is empty" in said


def test_a_file_that_is_no_campaign_is_refused(tmp_path: Path) -> None:
    (tmp_path / CAMPAIGN).write_text("1 Q0 a 0 10\n")
    code, said = refused(tmp_path, *EXPORT, "x.qrels")
    assert (code, "not a campaign of judging" in said) == (65, True)
    assert refused(tmp_path, "assess", "export", "none", "-o", "x.qrels")[0] == 66


def test_names_that_hold_blanks_need_another_format(tmp_path: Path) -> None:
    with campaign_at(tmp_path, texts={"a b": "text"}) as campaign:
        did(
            campaign,
            Event(id="event-ab-done", assessor="ann", topic="1", doc="a b", kind=EventKind.DONE),
        )
    code, said = refused(tmp_path, *EXPORT, "x.qrels")
    assert (code, "doc 'a b' is not a single word" in said) == (65, True)
    called(tmp_path, *EXPORT, "x.jsonl")


def said_of(answer: Answer) -> tuple[int, str, str]:
    return answer.code, answer.out, answer.err


def test_a_log_is_imported_once(folder: Path) -> None:
    called(folder, *EXPORT, "x.log")
    assert len((folder / "x.log").read_text().splitlines()) == 7
    Campaign.create(folder / "new.campaign", plan()).connection.close()
    first = foveal(*IMPORT, "new.campaign", "x.log", folder=folder)
    assert said_of(first) == (0, "new.campaign: 7 new events\n", "")
    again = foveal(*IMPORT, "new.campaign", "x.log", folder=folder)
    assert said_of(again) == (0, "new.campaign: 0 new events, 7 there already\n", "")
    called(folder, "assess", "export", "new.campaign", "-o", "y.log")
    assert (folder / "y.log").read_text() == (folder / "x.log").read_text()


def test_judgements_are_imported_as_somebodys(folder: Path) -> None:
    called(folder, *EXPORT, "bob.csv", "--from", "bob")
    answer = foveal(*IMPORT, CAMPAIGN, "bob.csv", "--as", "cat", folder=folder)
    assert said_of(answer) == (
        0,
        "small.campaign: 4 new events\nnew: cat (assessor); `foveal assess invite` makes their links\n",
        "",
    )
    called(folder, *EXPORT, "cat.csv", "--from", "cat")
    assert (folder / "cat.csv").read_text() == (folder / "bob.csv").read_text()


def test_files_that_name_assessors_need_no_name(folder: Path) -> None:
    called(folder, *EXPORT, "gold.jsonl", "--from", "each")
    Campaign.create(folder / "new.campaign", plan()).connection.close()
    answer = foveal(*IMPORT, "new.campaign", "gold.jsonl", folder=folder)
    assert said_of(answer) == (0, "new.campaign: 7 new events\n", "")
    called(folder, "assess", "export", "new.campaign", "-o", "new.jsonl", "--from", "each")
    assert (folder / "new.jsonl").read_text() == (folder / "gold.jsonl").read_text()


def test_a_missing_entry_point_is_noted_where_it_is_required(folder: Path) -> None:
    (folder / "x.qrels").write_text("1 Q0 plain 10 78 -1 0:10\n")
    answer = called(folder, *IMPORT, CAMPAIGN, "x.qrels", "--as", "cat")
    assert answer.err == (
        "note: x.qrels: 1 relevant document without an entry point, which the campaign requires\n"
    )


def test_evidence_given_as_text_is_found_in_the_campaigns_documents(folder: Path) -> None:
    rows = [
        {"topic": "1", "doc": "plain", "text": "Birds fly far."},
        {"topic": "1", "doc": "odd", "text": "🚀 flew"},
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    answer = called(folder, *IMPORT, CAMPAIGN, "gold.jsonl", "--as", "cat")
    assert "note: gold.jsonl: 2 passages placed by the text" in answer.err
    called(folder, *EXPORT, "cat.jsonl", "--from", "cat")
    found = read_qrels(folder / "cat.jsonl").passages.select("start", "end").rows()
    assert found == [(33, 47), (19, 25)]
    assert [TEXTS[doc][a:b] for doc, (a, b) in zip(("plain", "odd"), found, strict=True)] == [
        row["text"] for row in rows
    ]
    (folder / "twice.jsonl").write_text('{"topic": "1", "doc": "plain", "text": "Fish s"}\n')
    words = (*IMPORT, CAMPAIGN, "twice.jsonl", "--as", "dan")
    assert refused(folder, *words)[0] == 65
    assert called(folder, *words, "--copies", "first").out.startswith(
        "small.campaign: 2 new events"
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("x.qrels",), 2, "x.qrels: say whose judgements these are with --as NAME"),
        (("x.log", "--as", "cat"), 2, "x.log is a log, which says who did what: leave out --as"),
        (("gold.jsonl", "--as", "cat"), 2, "gold.jsonl names 2 assessors: leave out --as"),
        (("x.qrels", "--as", "union"), 2, "'union' cannot be the name of an assessor"),
        (("x.qrels", "--as", "ann"), 65, "x.qrels: ann has judged 1 of these documents already"),
        (
            ("other.qrels", "--as", "cat"),
            65,
            "other.qrels: 1 topic that the campaign does not have: 7",
        ),
        (
            ("long.qrels", "--as", "cat"),
            65,
            "1 document with another length in the campaign: plain",
        ),
        (("x.trec", "--as", "cat"), 65, "1 document relevant without highlights: plain"),
        (("bad.log",), 65, "bad.log:1: another event has the id event-"),
        (("broken.qrels", "--as", "cat"), 65, "broken.qrels:1: "),
        (("none.log",), 66, "none.log: no such file or folder"),
        (("-", "-"), 2, "standard input (-) can be read only once"),
    ],
)
def test_what_cannot_be_imported_is_refused_and_changes_nothing(
    folder: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    called(folder, *EXPORT, "gold.jsonl", "--from", "each")
    called(folder, *EXPORT, "x.log")
    changed = (folder / "x.log").read_text().replace('"undone"', "").replace('"done"', '"undone"')
    (folder / "bad.log").write_text("\n".join(changed.splitlines()[2:]) + "\n")
    (folder / "x.qrels").write_text("1 Q0 plain 20 78 -1 0:20\n")
    (folder / "x.trec").write_text("1 0 plain 1\n")
    (folder / "other.qrels").write_text("7 Q0 plain 0 78\n")
    (folder / "long.qrels").write_text("1 Q0 plain 0 79\n")
    (folder / "broken.qrels").write_text("1 Q0 plain x 79\n")
    found, said = refused(folder, *IMPORT, CAMPAIGN, *words)
    assert message in said
    assert found == code
    with Campaign.open(folder / CAMPAIGN) as campaign:
        assert len(campaign.events()) == 7
        assert [person.name for person in campaign.people] == ["ann", "bob", "ada"]


def test_several_files_are_imported_together_or_not_at_all(folder: Path) -> None:
    (folder / "x.qrels").write_text("1 Q0 plain 20 78 0 0:20\n")
    (folder / "y.qrels").write_text("1 Q0 nowhere 20 78 0 0:20\n")
    words = (*IMPORT, CAMPAIGN, "x.qrels", "y.qrels", "--as", "cat")
    assert refused(folder, *words)[0] == 65
    (folder / "y.qrels").write_text("1 Q0 odd 0 130\n")
    assert called(folder, *words).out.startswith("small.campaign: 4 new events\n")


def test_names_from_files_do_not_control_the_terminal(folder: Path) -> None:
    event = {**act("open").row(), "assessor": "\x1b[31mred\u202e", "role": "assessor"}
    (folder / "x.log").write_text(json.dumps(event))
    code, said = refused(folder, *IMPORT, CAMPAIGN, "x.log")
    assert code == 2
    assert "\x1b" not in said
    assert "\u202e" not in said


AGREE = ("assess", "agree")


def test_a_campaigns_assessors_agree_as_their_files_do(folder: Path) -> None:
    for name in ("ann", "bob"):
        called(folder, *EXPORT, f"{name}.qrels", "--from", name)
    whole = called(folder, *AGREE, CAMPAIGN)
    files = called(folder, *AGREE, "ann.qrels", "bob.qrels")
    assert whole.out == files.out
    assert "α" in whole.out
    assert "note: left out 1 document that one assessor alone judged" in whole.err


def test_a_campaign_is_compared_with_a_file(folder: Path) -> None:
    (folder / "cat.qrels").write_text("1 Q0 plain 10 78 0 0:10\n")
    found = json.loads(called(folder, *AGREE, CAMPAIGN, "cat.qrels", "--to", "json").out)
    assert found["settings"]["assessors"] == "ann, bob, cat"


def test_agreement_needs_two_who_finished_something(tmp_path: Path) -> None:
    with campaign_at(tmp_path) as campaign:
        code, said = refused(tmp_path, *AGREE, CAMPAIGN)
        assert code == 65
        assert "small.campaign: no assessor has finished documents so far, but agreement" in said
        did(campaign, act("done"))
        did(campaign, act("done", assessor="ada"))
    code, said = refused(tmp_path, *AGREE, CAMPAIGN)
    assert code == 65
    assert "small.campaign: only ann has finished documents so far, but agreement needs two" in said


def test_another_database_is_not_a_campaign(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE event (id)")
    other.close()
    code, said = refused(tmp_path, *AGREE, "other.db")
    assert code == 65
    assert "other.db: not a campaign of judging: `foveal assess new` makes one" in said


@pytest.mark.parametrize("command", ["export", "import", "agree"])
def test_help_shows_examples(command: str) -> None:
    answer = foveal("assess", command, "--help")
    assert (answer.code, "Examples:" in answer.out) == (0, True)
