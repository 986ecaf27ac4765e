"""Scores of other programs: one world through every format, and what is refused or noted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest
from ir_measures import parse_measure
from ir_measures.util import Metric

import foveal
from foveal.errors import BadInput, DataError, UsageError
from foveal.formats import has_scores
from foveal.rendering import rendered_bytes
from tests.shared import needs, shared

SYSTEMS, TOPICS = ("one", "two", "three"), [f"q{number}" for number in range(1, 13)]
STATS = shared("data", "stats")
NAMES = {"AP": "map", "nDCG@10": "ndcg_cut_10"}
drawn = np.random.default_rng(5).random((len(SYSTEMS), len(NAMES), len(TOPICS))).round(4)
WORLD = {
    run: {
        topic: {name: float(drawn[r, m, t]) for m, name in enumerate(NAMES)}
        for t, topic in enumerate(TOPICS)
    }
    for r, run in enumerate(SYSTEMS)
}


def rows(of: str | None = None, **called: str) -> list[dict[str, Any]]:
    """The world row by row, under other names of columns if these are given."""
    return [
        {called.get(key, key): value for key, value in row.items()}
        for name, topics in WORLD.items()
        if of in {None, name}
        for topic, scores in topics.items()
        for measure, value in scores.items()
        for row in [{"run": name, "topic": topic, "measure": measure, "value": value}]
    ]


class Ranx:
    """What a ranx run keeps of its evaluation."""

    def __init__(self, name: str) -> None:
        self.name = name
        topics = WORLD[name]
        self.scores = {
            theirs: {topic: own[ours] for topic, own in topics.items()}
            for ours, theirs in NAMES.items()
        }


def written(folder: Path, name: str, text: str) -> Path:
    """A file of a text."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def lines(run: str, order: str) -> str:
    """The world's lines as trec_eval and ir_measures print them; means are under `all`."""
    cells = [(NAMES[row["measure"]], row["topic"], row["value"]) for row in rows(run)]
    for place, name in enumerate(NAMES.values()):
        cells.append((name, "all", float(drawn[SYSTEMS.index(run), place].mean())))
    return "".join(
        "\t".join((topic, measure) if order == "topic" else (f"{measure:22}", topic))
        + f"\t{value:.4f}\n"
        for measure, topic, value in cells
    )


def saved(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """The world as foveal saves it with --per-topic, in all forms."""
    scores = foveal.Scores.from_dicts(WORLD)
    for form in ("csv", "tsv", "jsonl", "json", "parquet"):
        (folder / f"own.{form}").write_bytes(rendered_bytes(scores, form, per_topic=True))
        yield form, [folder / f"own.{form}"]


def files(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Every format, each as the files that hold the world."""
    frame = pl.DataFrame(rows())
    yield "long", [written(folder, "long.csv", frame.write_csv())]
    yield "long", [written(folder, "long.tsv", frame.write_csv(separator="\t"))]
    yield "long", [written(folder, "long.jsonl", frame.write_ndjson())]
    yield "long", [written(folder, "list.json", json.dumps(rows()))]
    other = pl.DataFrame(rows(run="system", topic="qid", measure="metric", value="score"))
    yield "long", [written(folder, "aliases.csv", other.write_csv())]
    frame.write_parquet(folder / "long.parquet")
    yield "long", [folder / "long.parquet"]
    # As R's write.csv writes what pivot_longer makes.
    numbered = frame.with_row_index("", offset=1).with_columns(pl.col("").cast(pl.String))
    yield "R", [written(folder, "R.csv", numbered.write_csv(quote_style="non_numeric"))]
    yield from saved(folder)
    wide = frame.pivot("measure", index=["run", "topic"], values="value")
    yield "columns", [written(folder, "columns.csv", wide.write_csv())]
    # As pandas writes a frame, and what it reads of that.
    for name, file in (("", "index"), ("Unnamed: 0", "again")):
        numbered = wide.with_row_index(name)
        yield "columns", [written(folder, f"{file}.csv", numbered.write_csv())]
    alone = [(run, wide.filter(pl.col("run") == run).drop("run")) for run in SYSTEMS]
    yield "columns", [written(folder, f"{run}.csv", own.write_csv()) for run, own in alone]
    for order in ("measure", "topic"):
        yield order, [written(folder / order, run, lines(run, order)) for run in SYSTEMS]
    tagged = [f"runid\tall\t{run}\n{lines(run, 'measure')}num_q\tall\t12\n" for run in SYSTEMS]
    yield "tagged", [written(folder, f"{n}.eval", text) for n, text in enumerate(tagged)]
    metrics = [
        (
            run,
            [
                {"query_id": r["topic"], "measure": r["measure"], "value": r["value"]}
                for r in rows(run)
            ],
        )
        for run in SYSTEMS
    ]
    yield (
        "metrics",
        [
            written(folder, f"{run}.jsonl", "".join(json.dumps(row) + "\n" for row in own))
            for run, own in metrics
        ],
    )
    yield "dicts", [written(folder, "dicts.json", json.dumps(WORLD))]
    yield "dicts", [written(folder, f"{run}.json", json.dumps(WORLD[run])) for run in SYSTEMS]
    means = {run: {**WORLD[run], "all": {"AP": 0.5, "nDCG@10": 0.5}} for run in SYSTEMS}
    yield "means", [written(folder, "means.json", json.dumps(means))]
    (folder / "ranx").mkdir()
    yield (
        "ranx",
        [written(folder / "ranx", f"{run}.json", json.dumps(Ranx(run).scores)) for run in SYSTEMS],
    )


def told(scores: foveal.Scores) -> str:
    """A comparison without what says where the scores came from."""
    found = json.loads(foveal.render(foveal.compare(scores, test="t"), to="json"))
    found["settings"].pop("formats")
    found["notes"] = [note for note in found["notes"] if "is stated as" not in note]
    return json.dumps(found)


def test_one_world_through_every_format_gives_the_same_comparison(tmp_path: Path) -> None:
    expected = told(foveal.Scores.from_dicts(WORLD))
    for kind, paths in files(tmp_path):
        assert all(map(has_scores, paths)), kind
        assert told(foveal.read_scores(*paths)) == expected, (kind, paths)


def test_what_other_packages_give_is_the_same_comparison() -> None:
    expected = told(foveal.Scores.from_dicts(WORLD))
    metrics = {
        run: [
            Metric(row["topic"], parse_measure(row["measure"]), row["value"]) for row in rows(run)
        ]
        for run in SYSTEMS
    }
    frame = pl.DataFrame(rows())
    for given in (metrics, {run: Ranx(run) for run in SYSTEMS}):
        assert told(foveal.Scores.from_dicts(given)) == expected
    for table in (frame, frame.to_pandas(), frame.to_arrow(), rows()):
        assert told(foveal.Scores.from_frame(table)) == expected
    assert foveal.compare(WORLD, "map", test="t").ranking("AP")
    assert foveal.compare(frame.to_pandas(), test="t").measures == list(NAMES)
    one = foveal.Scores.from_dicts(Ranx("two"))  # type: ignore[arg-type]
    assert one.runs == ["two"]


def test_runs_may_be_columns(tmp_path: Path) -> None:
    frame = (
        pl.DataFrame(rows())
        .filter(pl.col("measure") == "AP")
        .pivot("run", index="topic", values="value")
    )
    expected = told(foveal.Scores.from_dicts(WORLD).only(["AP"]))
    table = frame.write_csv()
    # As it is, as R writes the names of rows, and with the runs below each other.
    texts = [table, '"",' + table.split(",", 1)[1]]
    texts.append("topic,name,value\n" + "".join(
        f"{row['topic']},{row['run']},{row['value']}\n" for row in rows() if row["measure"] == "AP"
    ))  # fmt: skip
    for text in texts:
        path = written(tmp_path, "table.csv", text)
        assert has_scores(path)
        assert told(foveal.read_scores(path, measure="map")) == expected
    bare = written(tmp_path, "AP.csv", frame.drop("topic").write_csv())
    assert has_scores(bare)
    without = foveal.read_scores(bare)
    assert without.topics["topic"].to_list()[:2] == ["1", "2"]
    assert without.notes[0].endswith("has no column of topics: they are called 1, 2, 3 and so on")


def test_long_dicts_of_runs_are_told_apart_at_once(tmp_path: Path) -> None:
    run = {f"t{topic}": {f"d{topic}-{doc}": 1.0 for doc in range(2000)} for topic in range(50)}
    path = written(tmp_path, "run.json", json.dumps(run))
    start = process_time()
    assert not has_scores(path)
    # Looking for a measure in every document's name took 50 seconds.
    assert process_time() - start < 2


@needs(STATS)
def test_a_wide_table_of_trec_3_gives_its_mean_squares() -> None:
    scores = foveal.read_scores(STATS / "adhoc3.csv", measure="AP")
    table = foveal.compare(scores, test="t").anova
    squares = (table["squares"] / table["freedom"]).to_list()
    assert squares == pytest.approx([0.369261, 0.916612, 0.010920], abs=5e-7)


REFUSED = {
    "topic,run,AP\n1,a,0.5\n1,b,41.2\n": "3: AP is 41.2, but it is between 0 and 1: per cent?",
    "topic,run,AP\n1,a,0.5\n1,b,x\n": "3: value is 'x', not a finite number",
    "topic,run,AP\n1,a,0.5\n1,b,inf\n": "3: value is 'inf', not a finite number",
    "topic,run,AP\n1,a,0.5\n1,a,0.5\n": "3: AP of run 'a' on topic '1' is there a second time",
    "topic,run,AP\n1,a,0.5\n1,b,-0.5\n": "3: AP is -0.5, but it is between 0 and 1",
    "topic,run,speed\n1,a,0.5\n1,b,1e300\n": "3: speed is 1e+300, but it is between -1e+100 and",
    "topic,run,map,AP\n1,a,0.5,0.5\n": "2: AP of run 'a' on topic '1' is there a second time",
    "topic,run,measure,value\nall,a,AP,0.5\n": "no scores of topics",
    "topic,doc,AP\n1,d1,0.5\n": "these are documents, not scores",
    "topic,title\n1,tea\n": "no scores: scores have the columns topic, measure and value",
    "map\t1\t0.5\nmap\t2\tzero\n": "2: value is 'zero', not a finite number",
    # A file that was cut off, and a topic with a blank.
    "map\t1\t0.5\nmap\t2\n": "2: 2 columns, expected 3",
    "map\t1\t0.5\nmap\tgreen tea\t0.5\n": "2: 4 columns, expected 3",
    '{"1": {"AP": 1' + "0" * 400 + "}}": "value is a number that is too large, not a finite number",
    r'{"\ud800": {"AP": 0.5}}': "topic is '\\ud800', not an identifier",
    r'{"1": {"AP": 0.5, "\ud800": 0.5}}': "measure is '\\ud800', not an identifier",
    '{"topic": "1", "AP": 0.5}\n{"topic": "2", "AP": NaN}': "2: broken JSON: NaN is not JSON",
    '{"1": {"AP": -Infinity}}': "value is -inf, not a finite number",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, "scores.csv", text)
    # Documents and topics are refused as scores, and are not taken for them either.
    assert has_scores(path) != any(word in text for word in ("doc", "title"))
    with pytest.raises(BadInput) as error:
        foveal.read_scores(path)
    assert REFUSED[text] in str(error.value)


def test_missing_cells_are_refused_or_left_out(tmp_path: Path) -> None:
    text = "topic,run,AP,RR\n1,a,0.5,1\n2,a,NA,1\n3,a,0.25,1\n1,b,0.5,\n2,b,0.5,\n3,b,0.75,\n"
    scores = foveal.read_scores(written(tmp_path, "scores.csv", text))
    assert "RR: left out, as not every run has a value" in scores.notes
    with pytest.raises(
        DataError, match=r"run 'a' has no score on 1 of 3 topics \(2\).*trec_eval -c"
    ):
        foveal.compare(scores)
    assert foveal.compare(scores, common_topics=True, test="t").values.topics == ["1", "3"]


def test_what_python_writes_for_no_value_is_none(tmp_path: Path) -> None:
    # ranx has no bpref where nothing judged was returned.
    text = '{"map": {"1": 0.5, "2": 0.25}, "bpref": {"1": NaN, "2": NaN}}'
    path = written(tmp_path, "ranx.json", text)
    assert has_scores(path)
    scores = foveal.read_scores(path)
    assert (scores.measures, scores.notes[0].split(",")[0]) == (["AP"], "Bpref: left out")


def test_unknown_measures_rise_unless_said_otherwise() -> None:
    table = {
        "a": {"1": {"latency_ms": 5, "novelty": 7}},
        "b": {"1": {"latency_ms": 9, "novelty": 3}},
    }
    scores = foveal.Scores.from_dicts(table)
    (note,) = [note for note in scores.notes if "does not know" in note]
    assert note == (
        "foveal does not know latency_ms, novelty: more is taken to be better (else --lower NAME, in"
        " Python lower=); is less better by latency_ms? --lower latency_ms"
    )
    assert foveal.compare(scores, "latency_ms", test="t").ranking("latency_ms") == ["b", "a"]
    fallen = foveal.Scores.from_dicts(table, lower=["latency_ms"])
    assert foveal.compare(fallen, "latency_ms", test="t").ranking("latency_ms") == ["a", "b"]
    for name, why in {"AP": "foveal knows", "speed": "but scored are latency_ms, novelty"}.items():
        with pytest.raises(UsageError, match=why):
            foveal.Scores.from_dicts(table, lower=name)


def test_a_stated_mean_of_other_topics_is_noted(tmp_path: Path) -> None:
    cells = "map\t1\t0.5000\nmap\t2\t0.7500\nmap\tall\t{}\n"
    for mean, noted in (("0.6250", False), ("0.4167", True)):
        scores = foveal.read_scores(written(tmp_path, "one", cells.format(mean)))
        assert any("is stated as" in note for note in scores.notes) == noted
        assert scores["AP"] == 0.625


def test_a_stated_mean_may_differ_as_far_as_rounding_goes(tmp_path: Path) -> None:
    # Of 0.50004, 0.75004 and 0.62514 the mean is 0.6251, but that of what is printed 0.62503.
    for mean, noted in (("0.6251", False), ("0.6252", True)):
        text = f"map\t1\t0.5000\nmap\t2\t0.7500\nmap\t3\t0.6251\nmap\tall\t{mean}\n"
        scores = foveal.read_scores(written(tmp_path, "one", text))
        assert any("is stated as" in note for note in scores.notes) == noted


def test_rows_of_means_are_known_in_any_case(tmp_path: Path) -> None:
    for name in ("ALL", "Mean", "average"):
        text = f"Topic,BM25,RM3\n1,0.1,0.2\n2,0.3,0.6\n{name},0.2,0.4\n"
        scores = foveal.read_scores(written(tmp_path, "table.csv", text), measure="AP")
        assert scores.topics["topic"].unique().sort().to_list() == ["1", "2"]


def test_everything_that_trec_eval_prints_is_read(tmp_path: Path) -> None:
    lines = (
        "num_rel 1 0\nRprec 1 0.5000\nrelstring_20 1 '0110'\nRprec_mult_1.00 1 0.5000\nmap 1 -nan\n"
    )
    text = lines + lines.replace(" 1 ", " 2 ").replace("-nan", "0.25")
    scores = foveal.read_scores(written(tmp_path, "one", text))
    assert (scores.measures, scores["Rprec"], scores["AP"]) == (
        ["num_rel", "Rprec", "AP"],
        0.5,
        0.25,
    )


def test_means_are_the_same_to_the_last_digit_in_all_formats(tmp_path: Path) -> None:
    qrels = {str(topic): {"a": 1, "b": 1, "c": 1} for topic in range(12)}
    run = {str(topic): {f"x{n}": 9.0 - n for n in range(topic)} | {"a": 0.5} for topic in range(12)}
    scores = foveal.evaluate(qrels, {"one": run}, ["RR", "nDCG@10", "AP"])
    path = written(tmp_path, "one.csv", foveal.render(scores, to="csv", per_topic=True))
    assert foveal.read_scores(path).mean().equals(scores.mean())


def test_numbers_may_be_those_of_numpy_but_no_truth_values() -> None:
    for number in (np.float64(0.5), np.float32(0.5), np.int64(1)):
        assert foveal.Scores.from_dicts({"a": {"1": {"AP": number}}})["AP"] == number
    for value in (True, np.True_):
        with pytest.raises(BadInput, match="value is True, not a finite number"):
            foveal.Scores.from_dicts({"a": {"1": {"AP": value}}})


def test_dicts_of_runs_may_have_unknown_measures_alone(tmp_path: Path) -> None:
    judged = {run: {"1": {"faithfulness": 0.5}, "2": {"faithfulness": 0.75}} for run in SYSTEMS}
    path = written(tmp_path, "judge.json", json.dumps(judged))
    assert has_scores(path)
    assert foveal.read_scores(path)["one", "faithfulness"] == 0.625
    # One dict less might be judgements.
    assert not has_scores(written(tmp_path, "one.json", json.dumps(judged["one"])))


def test_of_columns_that_are_spelled_alike_ours_counts(tmp_path: Path) -> None:
    text = "Topic,topic,run,measure,Measure,value\ntea,1,a,AP,x,0.5\npot,2,a,AP,x,0.25\n"
    scores = foveal.read_scores(written(tmp_path, "s.csv", text))
    assert (scores["a", "AP"], scores.topics["topic"].to_list()) == (0.375, ["1", "2"])


def test_a_measure_that_is_named_twice_counts_once() -> None:
    scores = foveal.Scores.from_dicts(WORLD)
    assert scores.only(["AP", "map", "nDCG@10", "AP"]).mean().columns == ["run", "AP", "nDCG@10"]


def test_saved_scores_of_an_unknown_task_have_none(tmp_path: Path) -> None:
    row = {"run": "a", "measure": "AP", "topic": "1", "value": 0.5}
    path = written(tmp_path, "s.json", json.dumps({"settings": {"task": "odd"}, "rows": [row]}))
    assert foveal.read_scores(path).settings == {}


def test_notes_of_saved_scores_that_are_none_are_left_out(tmp_path: Path) -> None:
    row = {"run": "a", "measure": "AP", "topic": "1", "value": 0.5}
    saved = {"settings": {}, "rows": [row], "notes": 5}
    assert foveal.read_scores(written(tmp_path, "s.json", json.dumps(saved))).notes == ()


def test_ties_of_rounded_values_are_noted() -> None:
    def ties(value: float) -> bool:
        both = {str(topic): {"AP": value if topic else 0.1234} for topic in range(4)}
        scores = foveal.Scores.from_dicts({"a": both, "b": both})
        return any("ties may be rounding" in note for note in scores.notes)

    # A twentieth is no accident; a long fraction is not rounded.
    assert [ties(0.1235), ties(1 / 3)] == [True, False]
    assert not any("ties" in note for note in foveal.Scores.from_dicts(WORLD).notes)


def test_repeats_of_a_system_are_averaged() -> None:
    table = [
        {"run": run, "repeat": repeat, "topic": "1", "measure": "AP", "value": value}
        for run, values in {"a": (0.2, 0.4), "b": (0.5, 0.9)}.items()
        for repeat, value in enumerate(values)
    ]
    scores = foveal.Scores.from_frame(table)
    assert scores["b", "AP"] == pytest.approx(0.7)
    assert "scores are means of 2 repeats" in scores.notes
    assert "scores are means of 1 to 2 repeats" in foveal.Scores.from_frame(table[1:]).notes


def test_scores_against_different_judgements_are_not_put_together(tmp_path: Path) -> None:
    paths = []
    for name, qrels in (("one", {"1": {"a": 1}}), ("two", {"1": {"a": 2}})):
        scores = foveal.evaluate(qrels, {name: {"1": {"a": 1.0}}}, "AP")
        paths.append(
            written(tmp_path, f"{name}.json", foveal.render(scores, to="json", per_topic=True))
        )
    with pytest.raises(DataError, match="were scored against different judgements"):
        foveal.read_scores(*paths)


def test_saved_scores_hold_every_topic_and_measure_whatever_they_are_called(tmp_path: Path) -> None:
    topics = ("1", "mean", "amean", "num_q")
    qrels = {topic: {"a": 1, "b": 1} for topic in topics}
    runs = {
        run: {topic: {doc: 1.0, "x": 2.0 - n} for n, topic in enumerate(topics)}
        for run, doc in (("one", "a"), ("two", "c"))
    }
    scores = foveal.evaluate(qrels, runs, ["AP", "num_q", "GMAP"], groups={"1": "g", "mean": "h"})
    path = written(tmp_path, "s.json", foveal.render(scores, to="json", per_topic=True))
    read = foveal.read_scores(path)
    for form in ("json", "csv"):
        again, expected = (foveal.render(own, to=form, per_topic=True) for own in (read, scores))
        assert again == expected
    first, second = (foveal.render(foveal.compare(own), to="json") for own in (read, scores))
    assert first == second


def test_tables_of_mostly_missing_values_are_refused_at_once() -> None:
    start = process_time()
    swapped = [{"topic": "1", "measure": f"m{n}", "value": 0.5} for n in range(20_000)]
    with pytest.raises(
        BadInput, match="scores of 20,000 measures: are topics and measures swapped"
    ):
        foveal.Scores.from_frame(swapped)
    # As a table of all runs and topics they would take 200 MB.
    apart = [{"run": f"r{n}", "topic": f"t{n}", "AP": 0.5} for n in range(5000)]
    scores = foveal.Scores.from_frame(apart)
    with pytest.raises(DataError, match="has no score on 4999 of 5,000 topics"):
        foveal.compare(scores)
    with pytest.raises(DataError, match="no topic was scored for all runs"):
        foveal.compare(scores, common_topics=True)
    assert process_time() - start < 10


def test_only_means_are_compared_unless_one_is_named() -> None:
    table = {run: {"1": {"map": 0.5, "num_ret": 9.0}} for run in SYSTEMS}
    scores = foveal.Scores.from_dicts(table)
    assert foveal.compare(scores, test="t").measures == ["AP"]
    assert any("num_ret" in note for note in foveal.compare(scores, test="t").notes)
    with pytest.raises(UsageError, match="is not a mean over topics"):
        foveal.compare(scores, "num_ret", test="t")


def test_what_cannot_be_read_as_scores_says_what_can() -> None:
    class Report:
        """ranx's table of means."""

    Report.__module__ = "ranx.data_structures.report"
    with pytest.raises(UsageError, match=r"give run\.scores"):
        foveal.Scores.from_frame(Report())  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="no scores"):
        foveal.Scores.from_dicts({})


def test_judgements_and_runs_are_not_taken_for_scores(tmp_path: Path) -> None:
    others = {
        "trec.qrels": "1 0 d1 1\n",
        "trec.run": "1 Q0 d1 1 2.5 tag\n",
        "beir.tsv": "query-id\tcorpus-id\tscore\n1\td1\t1\n",
        "run.csv": "topic,doc,score\n1,d1,2.5\n",
        "runs.csv": "topic,doc,score,run\n1,d1,2.5,a\n1,d1,2.0,b\n",
        "qrels.csv": "topic,doc,start,end\n1,d1,0,9\n",
        "groups.csv": "topic,kind\n1,a\n",
        "run.jsonl": '{"topic": "1", "doc": "d1", "score": 2}\n',
        "qrels.json": '{"1": {"d1": 1, "d2": 0}}',
        "nested.jsonl": '{"topic": "1", "run": "a", "results": [{"doc": "d1", "score": 2}]}\n',
        "topics.tsv": "topic\ttitle\tkind\n1\ttea\tlate\n",
        "three": "1 d1 1\n",
    }
    for name, text in others.items():
        assert not has_scores(written(tmp_path, name, text)) or name == "groups.csv", name


def test_runs_of_files_with_the_same_name_are_told_apart_by_folders(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "bm25.eval" for folder in ("one", "two")]
    for mean, path in zip(("0.5", "0.25"), paths, strict=True):
        path.parent.mkdir()
        path.write_text(f"map\t1\t{mean}\n")
    scores = foveal.read_scores(*paths)
    assert scores.mean().rows() == [("one/bm25", 0.5), ("two/bm25", 0.25)]


def test_each_run_knows_its_file_and_can_be_named_by_it(tmp_path: Path) -> None:
    files = [written(tmp_path, f"{name}.csv", "topic,AP\n1,0.5\n2,0.4\n") for name in ("a", "b")]
    scores = foveal.read_scores(*files)
    assert [(run.name, run.origin.source) for run in scores.values] == [
        ("a", str(files[0])), ("b", str(files[1])),
    ]  # fmt: skip
    assert foveal.compare(scores, "AP", baseline=str(files[1])).baselines == ("b",)
