"""Laws that hold for every format of the registries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from foveal import formats
from foveal.choices import Order, Ties
from foveal.errors import BadInput, DataError
from foveal.files import Source
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, read_qrels, read_run
from foveal.formats._format import by_certainty, only_named
from foveal.tables import Origin, Qrels, Run, RunRows
from tests.articles import ELEMENTS, LENGTHS
from tests.each import each
from tests.examples import examples
from tests.held import MEMORY, held
from tests.unit.formats.malformed import MALFORMED_QRELS, MALFORMED_RUNS

pytestmark = pytest.mark.usefixtures("scanner")

# Text that some format could trip over; half a surrogate pair is no text.
NAMES = st.sampled_from(
    ["1", "051", "NA", "#1", '"', "a b", "a,b", "a\tb", "a\nb", "a\rb", "{", "<", "\ufeffx", "\x85"]
) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
WORDS = st.sampled_from(
    ["1", "051", "NA", '"', "a,b", "{", "<", "/a", "X", "-1", "\x85"]
) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n#\ufeff"),
    min_size=1,
    max_size=4,
)
XML_NAMES = st.sampled_from(
    [
        "1",
        "051",
        "NA",
        "#1",
        '"',
        "a b",
        "a\tb",
        "a\nb",
        "a\rb",
        "<",
        "&amp;",
        "]]>",
        "\x85",
        "\ufeffx",
    ]
) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" \ufffe\uffff"),
    min_size=1,
    max_size=4,
)
ABOUT = st.dictionaries(
    st.sampled_from(["participant-id", "task", "topic-fields/title", "description", "collection"]),
    XML_NAMES,
)
OFFSETS = st.integers(0, 10**10)
SPANS = st.tuples(OFFSETS, OFFSETS).map(sorted) | st.just([-1, -1])
FINITE = st.floats(allow_nan=False, allow_infinity=False)
GRADES = st.floats(-1e9, 1e9)
RANKS = st.integers(-(2**63), 2**63 - 1)
NOTHING = st.none()
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)

Values = st.SearchStrategy[Any]
# Every example writes and reads a file, and there are eighteen such tests.
few = examples(40)


def tables(names: Values, columns: dict[str, Values]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Rows of different documents, each column either there or not."""
    row = st.fixed_dictionaries({"topic": names, "doc": names, **columns})
    return st.lists(row, min_size=1, max_size=6, unique_by=lambda row: (row["topic"], row["doc"]))


@st.composite
def runs(
    draw: st.DrawFn,
    names: Values,
    spans: list[Values],
    scores: list[Values],
    form: str = "table",
    *,
    bare: bool = False,
    texts: bool = False,
) -> Run:
    """Runs of one kind of names; each column is drawn from one of the kinds it may be of.

    Bare ones are for formats that hold neither ranks nor what the run is called.
    """
    columns = {
        "span": draw(st.sampled_from(spans)),
        "text": draw(st.sampled_from([NOTHING, TEXTS])) if texts else NOTHING,
        "score": draw(st.sampled_from(scores)),
        "rank": NOTHING if bare else draw(st.sampled_from([NOTHING, RANKS])),
    }
    rows = draw(tables(names, columns))
    for row in rows:
        row["start"], row["end"] = row.pop("span") or (None, None)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    own = RunRows(frame=frame, name=MEMORY if bare else draw(names))
    return Run.of(own, origin=Origin(format=form), ties=draw(st.sampled_from(Ties)))


@st.composite
def judgements(
    draw: st.DrawFn, names: Values, grades: list[Values], lengths: list[Values]
) -> Qrels:
    """Judgements of one kind of names; with lengths come entry points and highlights."""
    columns = {"grade": draw(st.sampled_from(grades)), "length": draw(st.sampled_from(lengths))}
    if columns["length"] is not NOTHING:
        columns["entry"] = st.none() | OFFSETS
        columns["highlights"] = st.lists(st.tuples(OFFSETS, OFFSETS).map(sorted), max_size=3)
    # The means stand under that name.
    topics = names.filter(lambda name: name != "all")
    rows = draw(tables(topics, columns))
    for row in rows:
        if row["grade"] is row["length"] is None:
            row["grade"] = draw(GRADES)
    return Qrels.from_dicts(rows)


LATIN_NAMES = st.sampled_from(["1", "051", "KR\xdcPPEL", "a b", '"', "\x85", "\xa0"]) | st.text(
    st.characters(max_codepoint=255, exclude_characters=" \t\r\n#|"), min_size=1, max_size=4
)
PASSAGES = st.tuples(st.integers(0, 20), st.integers(1, 20)).map(lambda own: (own[0], sum(own)))


@st.composite
def judged_aspects(
    draw: st.DrawFn,
    names: Values,
    *,
    passages: bool,
    whole: bool,
    grades: bool,
    may_lack_passages: bool,
) -> Qrels:
    """Judgements whose passages or documents have aspects, with grades or without."""
    topics = names.filter(lambda name: name != "all")
    aspect_names = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    rows: list[dict[str, Any]] = []
    for row in draw(tables(topics, {})):
        grade = {
            name: draw(GRADES) if grades and draw(st.booleans()) else 1 for name in aspect_names
        }
        document_aspects = (
            draw(st.lists(st.sampled_from(aspect_names), unique=True)) if whole else []
        )
        passage_aspects = [name for name in aspect_names if name not in document_aspects]
        if passages:
            spans = draw(st.lists(PASSAGES, min_size=0 if may_lack_passages else 1, max_size=4))
            row["highlights"] = [
                {
                    "start": start,
                    "end": end,
                    "aspects": {name: grade[name] for name in span_aspects},
                }
                for start, end in spans
                for span_aspects in [
                    draw(st.lists(st.sampled_from(passage_aspects), unique=True))
                    if passage_aspects
                    else []
                ]
            ]
        elif not document_aspects:
            document_aspects = aspect_names
        if whole:
            row["aspects"] = {name: grade[name] for name in document_aspects}
        rows.append(row)
    if passages:
        rows[0]["highlights"].append({"start": 3, "end": 7, "aspects": ["some aspect"]})
    return Qrels.from_dicts(rows)


@st.composite
def judged_articles(draw: st.DrawFn) -> Qrels:
    """Judgements of documents whose elements are known."""
    rows = []
    names = XML_NAMES.filter(lambda name: name != "all")
    for topic in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        for name in draw(st.lists(st.sampled_from(sorted(LENGTHS)), min_size=1, unique=True)):
            length = LENGTHS[name]
            offset = st.integers(0, length)
            spans = st.lists(st.tuples(offset, offset).map(sorted), max_size=3)
            entry = draw(st.none() | offset) if length else None
            row = {"topic": topic, "doc": name, "length": length, "entry": entry}
            rows.append({**row, "highlights": draw(spans)})
    return Qrels.from_dicts(rows)


ANY_RUN = runs(NAMES, spans=[NOTHING, SPANS], scores=[NOTHING, FINITE], texts=True)
RUNS_THAT_FIT = {
    "parquet": ANY_RUN,
    "jsonl": ANY_RUN,
    "csv": ANY_RUN,
    "tsv": ANY_RUN,
    "trec": runs(WORDS, spans=[NOTHING], scores=[FINITE]),
    "inex": runs(WORDS, spans=[SPANS], scores=[FINITE]),
    "trecgen": runs(WORDS, spans=[st.tuples(OFFSETS, OFFSETS).map(sorted)], scores=[FINITE]),
    "inex-xml": runs(
        XML_NAMES, [NOTHING, SPANS, NOTHING | SPANS], scores=[NOTHING, FINITE], form="inex-xml"
    ),
}
ANY_JUDGEMENTS = judgements(NAMES, [NOTHING, GRADES, NOTHING | GRADES], [NOTHING, OFFSETS])
QRELS_THAT_FIT = {
    **dict.fromkeys(["csv", "tsv", "parquet"], ANY_JUDGEMENTS),
    "jsonl": ANY_JUDGEMENTS
    | judged_aspects(NAMES, passages=True, whole=True, grades=True, may_lack_passages=True),
    "trec-subtopics": judged_aspects(
        WORDS, passages=False, whole=True, grades=True, may_lack_passages=True
    ),
    "trecgen": judged_aspects(
        LATIN_NAMES, passages=True, whole=False, grades=False, may_lack_passages=False
    ),
    "trec": judgements(WORDS, [GRADES], [NOTHING]),
    "inex": judgements(WORDS, [NOTHING], [OFFSETS]),
    "inex-xml": judged_articles(),
}


def recognised(registered: Mapping[str, Any], source: Source) -> str:
    formats_by_certainty = by_certainty(registered.values())
    return str(
        next(format_.name for format_ in formats_by_certainty if format_.recognises(source.head()))
    )


def can_be_told(topics: pl.Series) -> bool:
    """True if no topic makes a line of words look like another format."""
    return not topics.str.contains(r"^[{<\[]").any()


@pytest.mark.parametrize("name", RUNS_THAT_FIT)
@few
@given(data=st.data())
def test_a_run_is_read_back_as_it_was_written(name: str, data: st.DataObject) -> None:
    format_, run = RUN_FORMATS[name], data.draw(RUNS_THAT_FIT[name])
    # Rows that are already in order are not moved, and get no ranks.
    run = replace(run, ties=format_.ties)
    run = replace(run, order=Order.FILE) if format_.name == "inex" else run
    run = replace(run, order=Order.SCORE) if format_.name == "trec" else run
    run = (
        replace(run, origin=replace(run.origin, about=data.draw(ABOUT)))
        if format_.read_about
        else run
    )
    source = held(format_.write(run))
    read_back = read_run(source, format_.name)
    if format_.name in {"trec", "inex", "trecgen"} and run.frame["rank"].null_count():
        # Their lines have a column for the rank, which is filled in.
        assert not read_back.frame["rank"].null_count()
        read_back = read_back.with_frame(read_back.frame.with_columns(run.frame["rank"]))
    assert read_back.equals(run)
    assert read_back.tag == run.tag
    assert read_back.about == run.about
    if format_.read_about:
        assert format_.read_about(source) == run.about
    if format_.name == "inex-xml" or can_be_told(run.frame["topic"]):
        assert format_.recognises is only_named or recognised(RUN_FORMATS, source) == format_.name


@pytest.mark.parametrize("name", QRELS_THAT_FIT)
@few
@given(data=st.data())
def test_judgements_are_read_back_as_they_were_written(name: str, data: st.DataObject) -> None:
    format_, qrels = QRELS_FORMATS[name], data.draw(QRELS_THAT_FIT[name])
    elements = ELEMENTS if format_.name == "inex-xml" else None
    assert format_.write
    source = held(format_.write(qrels, elements))
    assert read_qrels(source, format_.name, elements=elements).equals(qrels)
    if format_.recognises is only_named:
        return
    if format_.name == "inex-xml" or can_be_told(qrels.documents["topic"]):
        assert recognised(QRELS_FORMATS, source) == format_.name


def as_read(run: Run) -> dict[str, list[tuple[Any, ...]]]:
    """The results of each topic in the order that counts, worked out without the library."""
    key: Callable[[dict[str, Any]], Any] = {
        Order.FILE: lambda row: 0,
        Order.RANK: lambda row: row["rank"],
        # Descending by score, then by name: both keys of a stable sort, the lesser one first.
        Order.SCORE: lambda row: -row["score"],
    }[run.order]
    rows = run.frame.to_dicts()
    if run.order is Order.SCORE and run.ties is Ties.ID:
        rows.sort(key=lambda row: row["doc"].encode(), reverse=True)
    if run.order is not Order.FILE and run.ties is Ties.PLACE:
        rows.sort(key=lambda row: (row["doc"].encode(), row["start"] or 0, row["end"] or 0))
    results_by_topic: dict[str, list[tuple[Any, ...]]] = {}
    for row in sorted(rows, key=key):
        results_by_topic.setdefault(row["topic"], []).append((row["doc"], row["start"], row["end"]))
    return results_by_topic


@pytest.mark.parametrize("name", RUNS_THAT_FIT)
@few
@given(data=st.data())
def test_a_written_run_keeps_its_order(name: str, data: st.DataObject) -> None:
    format_, run = RUN_FORMATS[name], data.draw(RUNS_THAT_FIT[name])
    complete_columns = [name for name in ("rank", "score") if not run.frame[name].null_count()]
    order = data.draw(st.sampled_from([Order.FILE, *map(Order, complete_columns)]))
    run = replace(run, order=order)
    if format_.name == "trec" and not (order is Order.SCORE and run.ties is Ties.ID):
        # Its readers break ties by name, whatever the writer does.
        assume(run.frame["score"].is_unique().all())
    try:
        data_written = format_.write(run)
    except DataError:
        assert format_.name == "trec"
        assert order is not Order.SCORE
        return
    assert as_read(read_run(held(data_written), format_.name)) == as_read(run)


@each(
    "case",
    [
        (f"{read.__name__}-{name}-{label}", read, name, content, line)
        for read, samples in (
            (formats.read_run, MALFORMED_RUNS),
            (formats.read_qrels, MALFORMED_QRELS),
        )
        for name, cases in samples.items()
        for label, content, line in cases
    ],
)
def test_a_malformed_file_is_named_with_its_line(
    case: tuple[str, Callable[..., Any], str, str | bytes, int | None], tmp_path: Path
) -> None:
    _, read, name, content, line = case
    path = tmp_path / "odd"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(BadInput) as caught:
        partial(read, format=name)(str(path))
    error = caught.value
    assert error.source == str(path)
    assert error.problems[0].line == line
    place = str(path) if line is None else f"{path}:{line}"
    assert str(error).startswith(f"{place}: {error.problems[0].reason}")
    assert error.expected
    if line is not None and name != "parquet":
        assert isinstance(content, str)
        assert error.problems[0].text == content.split("\n")[line - 1].rstrip("\r")
