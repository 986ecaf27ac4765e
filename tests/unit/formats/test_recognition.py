from __future__ import annotations

import gzip
import re
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from foveal.elements import ElementLookup
from foveal.errors import BadInput, UsageError
from foveal.files import Head
from foveal.formats import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    Format,
    QrelsFormat,
    RunFormat,
    TopicsFormat,
    read_qrels,
    read_run,
    read_topics,
    write_qrels,
    write_run,
)
from foveal.formats._format import by_certainty, only_named
from foveal.tables import Qrels, Run, columns
from tests.articles import ELEMENTS
from tests.held import held
from tests.unit.conftest import Saved

RUN_NAMES = ", ".join(sorted(RUN_FORMATS))


def _files(known: Format) -> list[str]:
    """The examples as files; a header belongs to the lines below it."""
    has_header = set(re.findall(r"\w+", "".join(known.examples[:1]))) <= set(columns.RUN_SCHEMA)
    return ["\n".join(known.examples)] if has_header else list(known.examples)


def first_to_recognise(formats: Iterable[Any], head: Head) -> str:
    return str(next(known.name for known in by_certainty(formats) if known.recognises(head)))


def _elements(example: str) -> ElementLookup | None:
    return ELEMENTS if "/article[1]" in example else None


def _named(known: Format) -> str | None:
    """The name that the caller must give, where lines could be those of other formats."""
    return known.name if known.recognises is only_named else None


@pytest.mark.parametrize("known", RUN_FORMATS.values(), ids=lambda known: known.name)
def test_the_examples_of_run_formats_are_read(known: RunFormat, saved: Saved) -> None:
    if known.is_text:
        for example in _files(known):
            run = read_run(saved(example), _named(known), elements=_elements(example))
            assert run.format == known.name


@pytest.mark.parametrize("known", QRELS_FORMATS.values(), ids=lambda known: known.name)
def test_the_examples_of_judgement_formats_are_read(known: QrelsFormat, saved: Saved) -> None:
    for example in _files(known) if known.is_text else ():
        qrels = read_qrels(saved(example), _named(known), elements=_elements(example))
        assert (qrels.format, qrels.documents.height) == (known.name, 1)


@pytest.mark.parametrize("known", TOPICS_FORMATS.values(), ids=lambda known: known.name)
def test_the_examples_of_topics_are_read(known: TopicsFormat, saved: Saved) -> None:
    for example in _files(known):
        topics = read_topics(saved(example))
        assert topics.format == known.name
        assert len(topics.titles) == 1


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("1 Q0 a 1 2 mine", "trec"),
        ("1\tQ0\ta\t1\t2\tmine", "trec"),
        ("1 Q0 a\u00a0b 1 2 mine", "trec"),
        ("1 Q0 a 1 2 mine 5", "inex"),
        ("1 Q0 a 1 2 mine 5 7", "inex"),
        ('{"topic": 1, "doc": "a"}', "jsonl"),
        ("  {", "jsonl"),
        ("doc,topic", "csv"),
        ('"doc","topic"', "csv"),
        ("doc,topic,a b c d e f", "csv"),
        ("doc\ttopic\tstart\tend\trank\tscore", "tsv"),
    ],
)
def test_a_run_is_recognised_by_its_first_line(line: str, name: str) -> None:
    head = held(f"# x\n\n{line}\r\n".encode()).head()
    assert first_to_recognise(RUN_FORMATS.values(), head) == name


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("1 0 a 1", "trec"),
        ("1 Q0 a 0 10", "inex"),
        ("1 Q0 a 5 10 0 0:1 1:1 2:1 3:1 4:1", "inex"),
        ('{"topic": 1}', "jsonl"),
    ],
)
def test_judgements_are_recognised_by_their_first_line(line: str, name: str) -> None:
    head = held(line.encode()).head()
    assert first_to_recognise(QRELS_FORMATS.values(), head) == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("# x\n\n", "nothing but blank lines and comments"),
        ("<?xml version='1.0'?>\n", "2 columns, which fit no format: trec is `topic Q0"),
        (
            "<?xml version='1.0'?><!-- <b> -->\n<!DOCTYPE a SYSTEM 'a'>\n<a/>",
            "XML with the root <a>, not a run, whose root is <inex-submission>",
        ),
        ("\n1 2 3\n", ":2: 3 columns, which fit no format: trec is `topic Q0"),
        ("1 2 3\n", "\n    1 2 3"),
        ("word\n", f":1: not recognised as a run: give --format, one of {RUN_NAMES}"),
        ("1 Q0 d 1 2 a long tag of a run\n", "; --lenient ignores everything after the sixth"),
        (
            "topic,article\n",
            "no column 'doc' (found: topic, article): rename 'article' to 'doc'?",
        ),
        ("topic, doc\n1, a\n", ": rename ' doc' to 'doc'?"),
        ("Qid\tdid\tscore\n1\ta\t2\n", ": rename 'Qid' to 'topic' and 'did' to 'doc'?"),
        ("topic;doc\n1;a\n", "fields separated by semicolons: separate them by commas or tabs"),
        ("1,Q0,a,1,2,mine\n", "fields separated by commas: put a header on the first line"),
        ('[{"topic": 1}]\n', "no key 'doc' (found: topic)"),
        ("[[1, 2],\n[3, 4]]\n", ":1: a JSON array, but not of objects: every item"),
        ('[{"topic": 1, "doc": "a"},\n]\n', ":2: broken JSON at character 1: Expecting value"),
        ('[{"topic": 1, "doc": "a"}\n', ":1: broken JSON at character 26: Expecting"),
        ('[{"topic": 1, "doc": "a"}]\n{}', ":2: broken JSON at character 1: Extra data"),
        ('{\n"topic": 1, "docs": [2]\n}\n', ":1: no key 'doc' (found: topic, docs): rename"),
        ('{"1": {"a": 0.5}}\n', "one object {topic: {document: number}}, as ranx and pytrec_eval"),
        ('{"topic": 1, "doc": "a", "score": NaN}\n', ":1: broken JSON: NaN is not JSON"),
        (
            '{"topic": 1, "DocID": "a"}\n',
            "no key 'doc' (found: topic, DocID): rename 'DocID' to 'doc'?",
        ),
        ("1 0 a 1\n", "this looks like judgements (trec), not a run: were they swapped?"),
        ("1 Q0 a 5 9 0 0:5\n", "this looks like judgements (inex), not a run: were they swapped?"),
        ("<topics><topic id='1'/></topics>", "this looks like topics (inex-xml), not a run"),
        (
            "1 a 1 9.5 0 50 mine\n",
            "this looks like trecgen, which is read only if named: give --format",
        ),
        ("1 a 1 x 0 50 mine\n", ":1: offset is 'mine', not a whole number"),
        ("<!DOCTYPE html>\n<html></html>", "an HTML page, not a run: perhaps an error or login"),
        (b"P\x001\x00\n", "zero bytes: not a text file, or UTF-16"),
        (
            gzip.compress(gzip.compress(b"x", mtime=0), mtime=0),
            ":1: a file that is compressed twice, not text",
        ),
        ("<inex-submission><topic topic-id='1'>", "broken XML: the file ends before all elements"),
        (b"PK\x03\x04\xff", ": a zip archive, not text: unpack it and give the file inside"),
        (b"\xff\xfe1\x00 \x00", ":1: UTF-16, not UTF-8: `iconv -f UTF-16 -t UTF-8` converts it"),
        (
            b"1 Q0 caf\xe9 1 2 mine\n",
            ":1: not UTF-8: byte 0xe9 (if it is Latin-1, `iconv -f LATIN1",
        ),
    ],
)
def test_what_is_no_run_is_answered_with_what_was_seen(
    text: str | bytes, said: str, saved: Saved
) -> None:
    path = saved(text)
    with pytest.raises(BadInput) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}:")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n", "nothing but blank lines and comments"),
        ("<a/>", "XML with the root <a>, not judgements, whose root is <assessments>"),
        ("topic,doc,score\n1,a,2\n", r"this looks like a run \(csv\), not judgements: were they"),
        ("topic,doc,note\n1,a,2\n", "no column says what is relevant: start and end, highlights"),
        ("topic,doc,begin,to\n1,a,2,3\n", r"no column 'end' \(found: .*: rename 'to' to 'end'"),
        (
            "topic,doc,from,to\n1,a,2,3\n",
            "no columns 'start' and 'end' .*: rename 'from' to 'start'",
        ),
        ("doc,start,end\na,2,3\n", r"no column 'topic' \(found: doc, start, end\)"),
        ("topic,docs,start,end\n1,a,2,3\n", "no column 'doc' .*: rename 'docs' to 'doc'"),
        ("query-id\tcorpus-id\tscore\n1\ta\t1\n", "rename 'query-id' to 'topic' and 'corpus-id'"),
        ('{"a": 1,\n"b": [2]}\n', r"no keys 'topic' and 'doc' \(found: a, b\)"),
        ('[\n{"topic": 1}\n]\n', r":2: no key 'doc' \(found: topic\)"),
        ("1 Q0 a 5 9 0\n", "an entry point but no passage"),
        ('{"topic": 1, "doc": "a"}\n', "no key says what is relevant"),
        ("a,b\n1,a\n", "fields separated by commas: separate them by blanks"),
        ("a\tb\tc\n", "3 columns, which fit no format"),
        ("1 Q0 a 1 2 mine\n", r"this looks like a run \(trec\), not judgements: were they swapped"),
        ("1 Q0 a 1 2 mine 5 9\n", r"this looks like a run \(inex\), not judgements"),
        ('{"topic": 1, "doc": "a", "score": 1}\n', r"this looks like a run \(jsonl\)"),
        ("<inex-submission/>", r"this looks like a run \(inex-xml\)"),
        ("1\ta\t0\t9\tA B|C\n", "this looks like trecgen, .* give --qrels-format trecgen"),
        ("1 0 a x\n", "grade is 'x', not a finite number"),
        # Unlike INEX's judgements: `1 Q0 a 2 4` would be 2 relevant characters of 4.
        ("DD16-1 DD16-1.1 a 2 4\n", "TREC Dynamic Domain .topic, subtopic, doc, passage, grade"),
        ("1\t12\ta\tp7\t-1\n", "TREC Dynamic Domain .* give --qrels-format inex"),
        ("<trec_dd><domain/></trec_dd>", "XML with the root <trec_dd>, not judgements"),
        (b"PAR1\x15", "Parquet"),
    ],
)
def test_what_are_no_judgements_is_answered_with_what_was_seen(
    text: str | bytes, said: str, saved: Saved
) -> None:
    with pytest.raises(BadInput, match=said):
        read_qrels(saved(text))


@pytest.mark.parametrize("line", ["1 Q0 a 0 4", "1 0 a 0 4", "1 x a 0 12", "1 x a 2 4 0 1:2"])
def test_short_documents_of_inex_are_not_taken_for_graded_passages(line: str, saved: Saved) -> None:
    assert read_qrels(saved(f"{line}\n")).format == "inex"


def test_a_format_given_is_not_questioned(saved: Saved) -> None:
    assert read_qrels(saved("1 x a 0 4\n"), format="inex").format == "inex"
    path = saved("{1} Q0 a 1 2 mine\n")
    assert read_run(path, format="trec").frame["topic"].to_list() == ["{1}"]
    with pytest.raises(BadInput, match="broken JSON"):
        read_run(path)


def test_an_unknown_format_is_answered_with_the_known_ones(saved: Saved) -> None:
    with pytest.raises(UsageError, match=r"'jsonlines' \(did you mean jsonl\?\): choose"):
        read_run(saved(""), format="jsonlines")
    with pytest.raises(UsageError, match=f"unknown format 'xml': choose from {RUN_NAMES}"):
        read_run(saved(""), format="xml")
    with pytest.raises(UsageError, match=f"choose from {', '.join(sorted(QRELS_FORMATS))}"):
        read_qrels(saved(""), format="xml")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv.gz", "a.tsv", "a.parquet", "a.trec.zst"])
def test_without_a_format_the_ending_decides(name: str, tmp_path: Path) -> None:
    run = Run.from_dict({"1": {"a": 1}}, "mine")
    write_run(run, tmp_path / name)
    assert read_run(tmp_path / name).frame["doc"].to_list() == ["a"]


def test_an_ending_that_tells_nothing_is_answered(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot tell the format from the name 'a.run'"):
        write_run(Run.from_dict({"1": {"a": 1}}), tmp_path / "a.run.gz")
    with pytest.raises(UsageError, match=r"from the name 'a.qrels'"):
        write_qrels(Qrels.from_dict({"1": {"a": 1}}), tmp_path / "a.qrels")


def test_read_leniently_longer_lines_are_those_of_trec(saved: Saved) -> None:
    path = saved("1 Q0 a 1 2.0 mine more junk here\n1 Q0 b 2 1.0 mine\n")
    with pytest.raises(BadInput):
        read_run(path)
    run = read_run(path, lenient=True)
    assert (run.format, run.name) == ("trec", "mine")
    assert run.frame["doc"].to_list() == ["a", "b"]


def test_judgements_get_the_lengths_that_their_file_does_not_tell(saved: Saved) -> None:
    lines = '{"topic": 1, "doc": "9996", "grade": 1}\n{"topic": 1, "doc": "22478", "length": 9}\n'
    qrels = read_qrels(saved(lines), elements=ELEMENTS)
    assert qrels.documents["length"].to_list() == [51, 9]
    assert qrels.notes == (
        "1 document with another length in the collection: the judgements' length is used",
    )
    with pytest.raises(BadInput, match=":2: document 'x' is not in the index"):
        read_qrels(saved(lines.replace("22478", "x")), elements=ELEMENTS)


def test_what_else_a_large_file_may_be_is_seen_from_its_beginning(saved: Saved) -> None:
    lines = "".join(f"1 Q0 d{number} 1 {number}.5 mine\n" for number in range(200_000))
    path = saved(f"{lines}1 Q0 d0 1 2 mine\n")
    tracemalloc.start()
    with pytest.raises(BadInput, match=r":200001: document 'd0' is already"):
        read_run(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # As judgements every line would be wrong, and a problem takes some hundred bytes.
    assert peak < 50_000_000
