"""Names of runs, measures, topics and documents come out of every form beside their own numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli import odd_names, small_world
from tests.cli.calling import foveal
from tests.cli.forms import EYES, inex_lines, tables, trec_lines
from tests.cli.odd_names import (
    FILES,
    FORMS,
    MACHINES,
    MEASURES,
    RUNS,
    TOPICS,
    Key,
    four,
    rows,
    run_of,
    shown,
    topic_of,
)
from tests.cli.small_world import QRELS, asked, called, document

EVALUATE = ("evaluate", QRELS, *FILES, *asked(*MEASURES), "--per-topic")
DOCUMENT = '<b>d|_&",é日\\'
BAD = 'r_|<b>&",é.fol'


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world.write(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def odd(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return odd_names.write(plain, tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def scores(plain: Path) -> dict[Key, float]:
    """What every run scores on every topic by every measure, under the odd names."""
    found: dict[Key, float] = {
        (run_of(row["run"]), row["measure"], topic_of(row["topic"])): row["value"]
        for row in document(plain, *EVALUATE)["rows"]
    }
    assert len(found) == len(RUNS) * len(MEASURES) * (len(small_world.TOPICS) + 1)
    return found


@pytest.mark.parametrize("form", MACHINES)
def test_scores_for_machines_have_the_names_of_their_runs_measures_and_topics(
    odd: Path, scores: dict[Key, float], form: str
) -> None:
    found = document(odd, *EVALUATE)["rows"] if form == "json" else rows(form, odd, *EVALUATE)
    named = {(row["run"], row["measure"], row["topic"]): float(row["value"]) for row in found}
    assert named == pytest.approx(scores)
    assert len(found) == len(scores)


@pytest.mark.parametrize("form", EYES)
def test_scores_for_eyes_have_the_names_of_their_runs_measures_and_topics(
    odd: Path, scores: dict[Key, float], form: str
) -> None:
    (table,) = shown(form, odd, *EVALUATE)
    header, *body = table
    assert header == ["run", "topic", *MEASURES]
    named = {
        (run, measure, topic): value
        for run, topic, *values in body
        for measure, value in zip(MEASURES, values, strict=True)
    }
    assert named == {key: four(value) for key, value in scores.items()}
    (means,) = shown(form, odd, *EVALUATE[:-1])
    assert means == [
        ["run", *MEASURES],
        *([run, *(four(scores[run, name, "all"]) for name in MEASURES)] for run in RUNS.values()),
    ]


@pytest.mark.parametrize("form", EYES)
def test_a_table_of_many_measures_has_a_row_for_each(odd: Path, plain: Path, form: str) -> None:
    many = [f"cP@{rank}" for rank in range(1, 9)] + ["AiP", "iP[0.10]", "AgP(S=bep,n=60)"]
    words = ("evaluate", QRELS, *FILES, *asked(*many))
    value = {(row["run"], row["measure"]): row["value"] for row in document(plain, *words)["rows"]}
    (table,) = shown(form, odd, *words)
    assert table == [
        ["measure", *RUNS.values()],
        *([name, *(four(value[run, name]) for run in RUNS)] for name in many),
    ]


def test_lines_of_trec_eval_have_the_names_of_their_runs_and_topics(
    odd: Path, scores: dict[Key, float]
) -> None:
    output = called(odd, *EVALUATE, "--to", "trec").out
    assert trec_lines(output) == {key: four(value) for key, value in scores.items()}


def test_lines_of_the_official_program_have_the_names_of_their_runs_and_topics(
    odd: Path, scores: dict[Key, float]
) -> None:
    every = {"AiP": "AiP", "iP[0.10]": "iP[0.10]", "AgP(S=bep,n=60)": "AgP", "charP": "char_prec"}
    overall = {**every, "AiP": "MAiP", "AgP(S=bep,n=60)": "MAgP"}
    expected = {
        (run, (overall if topic == "all" else every)[measure], topic): value
        for (run, measure, topic), value in scores.items()
    }
    found = inex_lines(called(odd, *EVALUATE, "--to", "inex").out)
    assert found == pytest.approx(expected)


@pytest.fixture(scope="module")
def checked(odd: Path) -> Path:
    topic = TOPICS["10"]
    line = f"{topic} Q0 {DOCUMENT} {{}} {{}} mine {{}} 20\n"
    (odd / BAD).write_text(line.format(1, 9, 0) + line.format(2, 8, 10) + line.format(3, 7, 50))
    return odd


def findings(folder: Path, form: str) -> list[list[str]]:
    """What is found, as words, in the order of the columns."""
    keys = ("severity", "rule", "file", "line", "message")
    if form in {"json", *EYES}:
        output = foveal("check", BAD, "--to", form, folder=folder).out
        if form != "json":
            return tables(form, output)[0][1:]
        found = json.loads(output)["findings"]
    else:
        found = rows(form, folder, "check", BAD, code=65)
    return [["" if row[key] is None else str(row[key]) for key in keys] for row in found]


def test_findings_name_the_file_and_what_is_wrong(checked: Path) -> None:
    (overlap,) = [row for row in findings(checked, "json") if row[1] == "overlap"]
    assert overlap[:4] == ["error", "overlap", BAD, "2"]
    text = foveal("check", BAD, folder=checked).out
    for severity, rule, file, line, message in findings(checked, "json"):
        place = f"{file}:{line}" if line else file
        assert f"{place}: {severity}: {message} [{rule}]" in text.splitlines()


@pytest.mark.parametrize("form", [form for form in FORMS if form not in {"json", "text"}])
def test_findings_keep_their_names(checked: Path, form: str) -> None:
    assert findings(checked, form) == findings(checked, "json")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("located")
    (folder / "articles").mkdir()
    text = '<a>0<p>12</p>3<p_q>4 &lt;b&gt;|_&amp;",é日\\</p_q>6789</a>'
    (folder / "articles" / f"{DOCUMENT}.xml").write_text(text)
    called(folder, "index", "articles", "-o", "INDEX")
    return folder


@pytest.mark.parametrize("form", FORMS)
def test_a_place_keeps_the_names_of_its_document_and_path(indexed: Path, form: str) -> None:
    words = ("locate", "INDEX", DOCUMENT, "/a[1]/p_q[1]", "--text", "articles")
    text = '4 <b>|_&",é日\\'
    expected = [DOCUMENT, "/a[1]/p_q[1]", "4", str(4 + len(text)), text]
    if form == "text":
        printed = called(indexed, *words).out.splitlines()
        found = [line.split(maxsplit=1)[1] for line in printed[:4]] + [printed[5]]
    elif form in EYES:
        ((_, found),) = shown(form, indexed, *words)
    else:
        (row,) = [document(indexed, *words)] if form == "json" else rows(form, indexed, *words)
        found = [str(row[key]) for key in ("doc", "path", "start", "end", "text")]
    assert found == expected
