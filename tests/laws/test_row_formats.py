"""JSON Lines and CSV give the same tables and complaints in columns and line by line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.errors import FovealError
from foveal.formats import _json_rows, csv, jsonl, read_qrels, read_run
from foveal.tables import Qrels, Run

identifiers = st.sampled_from(
    [
        '"1"',
        '"2"',
        '"051"',
        '"NA"',
        '"a:b"',
        '"é"',
        '"null"',
        '": null"',
        '"x y"',
        '"-9223372036854775808"',
    ]
)
wholes = st.sampled_from(["0", "5", "-0", "17", str(2**53 + 1), "-1"])
scores = st.floats(allow_nan=False, allow_infinity=False).map(repr) | wholes
odd = st.sampled_from(
    ["null", "null", "true", "1.0", "1.5", "1e2", "1E400", "[]", "[1]", '["a"]', '{"b": 1}', "{}", '""', "7",
     '"5"', '"\\u00e9"', '"\\ud800"', '"\\u003a"', '"\\""', '"{"', '"["', '"\t"', "NaN", "Infinity",
     str(2**63), str(-(2**63)), str(2**64), "9" * 45, "01", "+1", ".5", "tru", '"a', "[[1, 2]]", "-0.0"]
)  # fmt: skip
pairs = st.lists(st.tuples(wholes, wholes).map(lambda pair: f"[{pair[0]}, {pair[1]}]"), max_size=2)
highlights = pairs.map(lambda found: "[" + ", ".join(found) + "]")


def rarely(good: st.SearchStrategy[str], other: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.integers(0, 40).flatmap(lambda draw: other if draw == 0 else good)


BEGINNINGS = rarely(st.sampled_from(["", "\ufeff"]), st.just("# x\n"))
ends = rarely(
    st.sampled_from(["\n", "\n", "\n", "\r\n", " \n"]),
    st.sampled_from(["\n\n", "\n# x\n", ",\n", "\n7\n", "\x0b\n", " {}\n"]),
)
RUN_KEYS = {"topic": identifiers, "doc": identifiers, "start": wholes, "end": wholes}
RUN_KEYS |= {"rank": wholes, "score": scores, "tag": identifiers, "run": identifiers}
RUN_KEYS |= {"text": identifiers, "length": wholes, "query_id": identifiers, "source": identifiers}
RUN_KEYS |= {"start_index": wholes, "end_char": wholes, "distance": scores, "chunk": identifiers}
QRELS_KEYS = {"topic": identifiers, "doc": identifiers, "length": wholes, "entry": wholes}
QRELS_KEYS |= {"rel_chars": wholes, "grade": scores, "highlights": highlights}
OTHERS = {"line": wholes, "title": identifiers, "qid": wholes, "a:b": wholes, "results": odd}


@st.composite
def members(draw: st.DrawFn, keys: dict[str, Any], chosen: list[str]) -> str:
    """An object with the chosen keys, now and then with one too many or one too few."""
    names = [*chosen]
    change = draw(st.integers(0, 25))
    if change == 0:
        names.append(draw(st.sampled_from([*names, *OTHERS])))
    elif change == 1:
        names.remove(draw(st.sampled_from(names)))
    comma, colon = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,", " : ")]))
    values = [f'"{name}"{colon}{draw(rarely((keys | OTHERS)[name], odd))}' for name in names]
    return "{" + comma.join(values) + "}"


@st.composite
def json_lines(draw: st.DrawFn, keys: dict[str, Any]) -> str:
    numbers = draw(st.sampled_from([None, None, "topic", "doc"]))
    keys = keys | ({numbers: wholes} if numbers else {})
    more = draw(st.lists(st.sampled_from([*list(keys)[2:], "title", "line"]), unique=True))
    names = ["topic", "doc"] if draw(st.booleans()) or "source" not in keys else ["qid", "source"]
    chosen, text = [*names, *(name for name in more if name not in names)], draw(BEGINNINGS)
    nested = "highlights" not in keys and draw(st.integers(0, 3)) == 0
    for _ in range(draw(st.integers(0, 8))):
        if nested:
            inner = [name for name in chosen if name not in {"topic", "qid", "tag", "run"}]
            found = draw(st.lists(members(keys, inner), max_size=3))
            listed = draw(rarely(st.just("[" + ", ".join(found) + "]"), odd))
            text += draw(members(keys, [names[0], "run"]))[:-1] + f', "results": {listed}}}'
        else:
            text += draw(members(keys, chosen))
        text += draw(ends)
    return text if draw(st.booleans()) else text.rstrip("\n")


plain = st.sampled_from(["1", "2", "051", "NA", "é", "#1", "x^2", "x y", "null"])
figures = st.sampled_from(["0", "5", "17", "5.0", "", "-0", "1e2", "0.1", str(2**53 + 1)])
fields = st.sampled_from(
    ["", " 5", "\t5", "+5", "nan", "inf", "1e999", '"5"', '"a\nb"', '"a,b"', '"a""b"', 'a"b', '"a', "a,b",
     "#", "5\r", "0x10", "1_0", "９", str(2**63), "9" * 30, "a\tb", "true", "\ufeff5"]
)  # fmt: skip


@st.composite
def tables(draw: st.DrawFn, separator: str) -> str:
    more = st.sampled_from(
        [
            "start",
            "end",
            "rank",
            "score",
            "tag",
            "title",
            "line",
            "topic",
            "text",
            "length",
            "offset",
        ]
    )
    needed = draw(st.sampled_from([["topic", "doc"], ["qid", "source"]]))
    names = draw(st.permutations([*needed, *draw(st.lists(more, max_size=4))]))
    kinds = [figures if name in csv.SAME_TYPE else plain for name in names]
    text = draw(BEGINNINGS) + separator.join(names) + "\n"
    for _ in range(draw(st.integers(0, 8))):
        row = [draw(rarely(kind, fields)) for kind in kinds]
        width = draw(st.integers(0, 30))
        row = row[:-1] if width == 0 else [*row, "x"] if width == 1 else row
        text += separator.join(row)
        text += draw(
            rarely(
                st.sampled_from(["\n", "\n", "\r\n"]),
                st.sampled_from(["\n\n", "\n#\n", "\n\t\n", "\n \n"]),
            )
        )
    return text if draw(st.booleans()) else text.rstrip("\n")


@contextmanager
def line_by_line() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((jsonl, "decoded_columns"), (csv, "_read_fast")):
            patch.setattr(module, name, lambda *_: None)
        yield


@contextmanager
def in_small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_json_rows, "BLOCK_SIZE", 200)
        patch.setattr(_json_rows, "HEAD_SIZE", 1)
        yield


def outcome(work: Callable[[], Run | Qrels]) -> Any:
    try:
        table = work()
    except FovealError as error:
        return str(error), getattr(error, "__notes__", [])
    facts: tuple[object, ...]
    if isinstance(table, Run):
        facts = (table.notes, table.name, table.order, dict(table.origin.aliases_used))
        frames = [table.frame]
    else:
        facts, frames = (table.notes,), [table.documents, table.passages]
    # As text, because -0.0 equals 0.0.
    return facts, [(frame.schema, repr(frame.rows())) for frame in frames]


def assert_same(text: str, read: Callable[..., Any], name: str, path: Path) -> None:
    path.write_text(text, newline="")
    found = outcome(lambda: read(path, name))
    with in_small_blocks():
        assert found == outcome(lambda: read(path, name))
    with line_by_line():
        assert found == outcome(lambda: read(path, name))


@given(text=json_lines(RUN_KEYS))
@example(text='{"qid": 0, "source": "1", "length": 0}')
@example(text='{"qid": 0, "run": null, "results": [{"source": "1", "end": null, "length": 0}]}')
@example(text='{"topic": 1, "topic": null, "doc": 5}\n{"topic": 1, "doc": 6}\n')
@example(text='{"topic": {"b": 1}, "doc": "x"}\n{"topic": "1", "doc": "y"}\n')
@example(text='{"topic": "1", "doc": "y"}\n{"topic": {"b": 1}, "doc": "x"}\n')
@example(text='{"topic": "1", "doc": "y"}\n{"topic": ["x"], "doc": "x"}\n')
@example(text='{"topic": "1", "doc": "y"}\n{"topic": 1, "topic": 2, "doc": "x"}\n')
@example(
    text='{"topic": "1", "doc": "y", "start": 1, "end": 2}\n{"topic": "1", "doc": "x", "start": null, "end": null}\n'
)
@example(
    text='{"topic": "1", "doc": "y", "rank": 1, "rank": null}\n{"topic": "1", "doc": "x", "rank": null, "rank": 1}\n'
)
@example(text='{"topic": "1", "doc": "a", "tag": null, "run": "x"}\n')
@example(text='{"topic": "1", "doc": "a", "start": null, "end": null, "line": 0}\n')
@example(text='{"topic": "1", "doc": "a", "results": [{"score": 1}]}\n')
@example(text='{"topic": "1", "results": [{"topic": "2", "doc": "a"}]}\n')
def test_runs_in_json_are_read_the_same(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert_same(text, read_run, "jsonl", tmp_path_factory.getbasetemp() / "drawn.jsonl")


@given(text=json_lines(QRELS_KEYS))
@example(text='{"topic": "1", "doc": "a", "length": 9, "highlights": [[1, 2], null]}\n')
@example(text='{"topic": "1", "doc": "a", "length": 9, "highlights": [[1, null]]}\n')
@example(text='{"topic": "1", "doc": "a", "length": 9, "highlights": [[]]}\n')
@example(text='{"topic": "1", "doc": "a", "entry": null, "grade": 1}\n{"topic": "1", "doc": "b"}\n')
def test_judgements_in_json_are_read_the_same(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert_same(text, read_qrels, "jsonl", tmp_path_factory.getbasetemp() / "drawn.jsonl")


@pytest.mark.parametrize(("name", "separator"), [("csv", ","), ("tsv", "\t")])
@given(data=st.data())
def test_tables_are_read_the_same(
    name: str, separator: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = data.draw(tables(separator))
    assert_same(text, read_run, name, tmp_path_factory.getbasetemp() / f"drawn.{name}")


@pytest.mark.parametrize("line", ["\t\t", "\ufeff1\tb\t2", "\t", "#\t1\t5", "2\tb\t 5"])
def test_lines_of_blanks_and_comments_are_read_the_same(line: str, tmp_path: Path) -> None:
    text = f"topic\tdoc\trank\n{line}\n1\ta\t1\n{line}\n1\tc\t3\n"
    assert_same(text, read_run, "tsv", tmp_path / "odd.tsv")


def test_objects_in_objects_are_refused_in_words(tmp_path: Path) -> None:
    deep = '{"a":' * 900 + "1" + "}" * 900
    text = '{"topic": "1", "doc": "a", "x": ' + deep + "}\n"
    assert_same(text, read_run, "jsonl", tmp_path / "deep.jsonl")


ROW = {"topic": "1", "start": 1, "end": 5, "score": 0.5, "tag": "mine"}


@pytest.mark.parametrize("form", ["flat", "nested", "nulls"])
def test_plain_files_are_not_read_line_by_line(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "_run_line_by_line", None)
    rows: list[dict[str, object]] = [ROW | {"doc": f"d:{n}"} for n in range(300)]
    if form == "nulls":
        rows = [row | {"text": "abc" if place % 2 else None} for place, row in enumerate(rows)]
    if form == "nested":
        inner = [{k: row[k] for k in ("doc", "start", "end", "score")} for row in rows]
        rows = [{"topic": 7, "run": "mine", "results": inner}]
    path = tmp_path / "plain.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = read_run(path)
    assert (run.frame.height, run.tag) == (300, "mine")
    assert ("text" in run.frame.columns) == (form == "nulls")
