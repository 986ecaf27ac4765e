"""Files that must be refused: format by format, what is wrong, the file, the line named first."""

from __future__ import annotations

import io

import polars as pl

Sample = tuple[str, str | bytes, int | None]

TREC = "1 Q0 a 1 2.5 mine\n"
FOL = "1 Q0 a 1 2.5 mine 10 5\n"
HUGE = "9" * 30


def _submission(*results: str, topic: str = ' topic-id="1"') -> str:
    """A submission with a result on each line from the third on."""
    inside = "".join(f"<result>{result}</result>\n" for result in results)
    return f'<inex-submission run-id="a">\n<topic{topic}>\n{inside}</topic></inex-submission>\n'


def _assessments(*inside: str, topic: str = ' topic="1"') -> str:
    """Assessments of one file with a line for each thing inside it, from the third on."""
    lines = "".join(f"{thing}\n" for thing in inside)
    return f'<assessments{topic}>\n<file name="9996">\n{lines}</file></assessments>\n'


_XML: list[Sample] = [
    ("nothing", "", 1),
    ("no XML", "x\n", 1),
    ("an entity from outside", '<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/passwd">]>\n<a>&x;</a>', 2),
    ("an entity of nobody", "<a>\n&x;</a>\n", 2),
    ("an entity in an entity", '<!DOCTYPE a [<!ENTITY x "x">\n<!ENTITY y "&x;">]>\n<a/>', 2),
    ("an entity inside a DTD", '<!DOCTYPE a [<!ENTITY % x "x">\n<!ENTITY y "%x;">]>\n<a/>', 2),
    ("a long entity", f'<!DOCTYPE a [\n<!ENTITY x "{"x" * 200}">]>\n<a/>', 2),
    ("an unknown encoding", '<?xml version="1.0" encoding="none"?>\n<a/>', 1),
    ("an encoding of many bytes", '<?xml version="1.0" encoding="shift_jis"?>\n<a/>', 1),
    ("text behind the root", "<a/>\nx\n", 2),
]


def _parquet(**columns: list[object]) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(columns, strict=False).write_parquet(target)
    return target.getvalue()


GOOD_PARQUET = _parquet(topic=["1"], doc=["a"])

_TABLE: list[tuple[str, list[list[str]], int | None]] = [
    ("no column for topics", [["doc", "score"], ["a", "1"]], 1),
    ("a header alone", [["topic", "doc"]], None),
    ("a column named twice", [["topic", "doc", "doc"], ["1", "a", "b"]], 1),
    ("a missing field", [["topic", "doc", "start", "end"], ["1", "a", "", ""], ["1", "b"]], 3),
    ("an extra field", [["topic", "doc"], ["1", "a"], ["1", "b", "c"]], 3),
    ("missing and extra fields", [["topic", "doc"], ["1"], ["1", "a", "b"]], 2),
    ("no topic", [["topic", "doc"], ["1", "a"], ["", "b"]], 3),
    ("a score of text", [["topic", "doc", "score"], ["1", "a", "1"], ["1", "b", "x"]], 3),
    ("a score of nan", [["topic", "doc", "score"], ["1", "a", "nan"]], 2),
    ("a score on some lines", [["topic", "doc", "score"], ["1", "a", "1"], ["1", "b", ""]], 3),
    ("no column for ends", [["topic", "doc", "start"], ["1", "a", "5"]], 1),
    ("a start without end", [["topic", "doc", "start", "end"], ["1", "a", "5", ""]], 2),
    ("a start of a fraction", [["topic", "doc", "start", "end"], ["1", "a", "1.5", "2"]], 2),
    ("an end before the start", [["topic", "doc", "start", "end"], ["1", "a", "5", "2"]], 2),
    ("a negative start", [["topic", "doc", "start", "end"], ["1", "a", "-2", "2"]], 2),
    ("a huge end", [["topic", "doc", "start", "end"], ["1", "a", "1", HUGE]], 2),
    ("a document twice", [["topic", "doc"], ["1", "a"], ["1", "b"], ["1", "a"]], 4),
    ("a quote that never ends", [["topic", "doc"], ["1", "a"], ['"1', "b"]], 3),
    ("text after a quote", [["topic", "doc"], ['"1"x', "b"]], 2),
]


def _tables(separator: str, samples: list[tuple[str, list[list[str]], int | None]]) -> list[Sample]:
    return [
        (label, "".join(separator.join(row) + "\n" for row in rows), line)
        for label, rows, line in samples
    ]


PASSAGE = "200 1066 1 42.9 403 186 mine\n"

MALFORMED_RUNS: dict[str, list[Sample]] = {
    "trecgen": [
        ("nothing", "", None),
        ("six columns", PASSAGE + "200 1066 1 42.9 403 186\n", 2),
        ("eight columns", PASSAGE + "200 1066 1 42.9 403 186 mine too\n", 2),
        ("a rank of text", PASSAGE + "200 1066 first 42.9 403 186 mine\n", 2),
        ("a score of text", PASSAGE + "200 1066 1 high 403 186 mine\n", 2),
        ("a negative offset", PASSAGE + "200 1066 1 42.9 -1 186 mine\n", 2),
        ("a length of a fraction", PASSAGE + "200 1066 1 42.9 403 1.5 mine\n", 2),
        ("a huge offset", PASSAGE + f"200 1066 1 42.9 {HUGE} 1 mine\n", 2),
    ],
    "parquet": [
        ("no Parquet at all", TREC, None),
        ("nothing", b"", None),
        ("cut off", GOOD_PARQUET[:-9], None),
        ("no column for documents", _parquet(topic=["1"]), None),
        ("no rows", _parquet(topic=[], doc=[]), None),
        ("no document", _parquet(topic=["1", "1"], doc=["a", None]), 2),
        ("an infinite score", _parquet(topic=["1"], doc=["a"], score=[float("inf")]), 1),
        ("topics that are lists", _parquet(topic=[["1"]], doc=["a"]), 1),
        ("a document twice", _parquet(topic=["1", "1"], doc=["a", "a"]), 2),
    ],
    "jsonl": [
        ("nothing", "", None),
        ("broken", '{"topic": 1, "doc": "a"}\n{"topic": 1,\n', 2),
        ("no object", '# runs\n["topic", "doc"]\n', 2),
        ("deep", '{"topic": 1, "doc": "a"}\n' + "[" * 100_000 + "\n", 2),
        ("deep in an object", '{"doc": "a", "topic": ' + '{"a":' * 300 + "1" + "}" * 301 + "\n", 1),
        ("no document", '{"topic": 1}\n', 1),
        ("an empty topic", '{"topic": "", "doc": "a"}\n', 1),
        ("half a character", '{"topic": "\\ud800", "doc": "a"}\n', 1),
        ("true as topic", '{"topic": true, "doc": "a"}\n', 1),
        ("a fraction as topic", '{"topic": 1.5, "doc": "a"}\n', 1),
        ("NaN as topic", '{"topic": NaN, "doc": "a"}\n', 1),
        ("an object as document", '{"topic": 1, "doc": {"a": 1}}\n', 1),
        ("a score of text", '{"topic": 1, "doc": "a", "score": "1"}\n', 1),
        ("an infinite score", '{"topic": 1, "doc": "a", "score": 1e999}\n', 1),
        ("a score of Infinity", '{"topic": 1, "doc": "a", "score": Infinity}\n', 1),
        ("a score beyond doubles", '{"topic": 1, "doc": "a", "score": 1' + "0" * 400 + "}\n", 1),
        ("a number beyond reading", '{"topic": 1, "doc": "a", "score": ' + "9" * 5000 + "}\n", 1),
        ("a score on some lines", '{"topic":1,"doc":"a","score":1}\n{"topic":1,"doc":"b"}\n', 2),
        ("a start without end", '{"topic": 1, "doc": "a", "start": 5}\n', 1),
        ("a start of true", '{"topic": 1, "doc": "a", "start": true, "end": 2}\n', 1),
        ("a start of a fraction", '{"topic": 1, "doc": "a", "start": 1.5, "end": 2}\n', 1),
        ("a huge start", '{"topic": 1, "doc": "a", "start": 1, "end": ' + HUGE + "}\n", 1),
        ("an end before the start", '{"topic": 1, "doc": "a", "start": 5, "end": 2}\n', 1),
        ("a document twice", '{"topic":1,"doc":"a"}\n\n{"topic":"1","doc":"a"}\n', 3),
        ("results that are none", '{"topic": 1, "results": "a"}\n', 1),
        ("a result that is none", '{"topic": 1, "results": [{"doc": "a"}, "b"]}\n', 1),
        ("a result without document", '{"topic": 1, "results": [{"rank": 1}]}\n', 1),
    ],
    "csv": [*_tables(",", _TABLE), ("nothing", "", None)],
    "tsv": [*_tables("\t", _TABLE), ("nothing", "", None)],
    "trec": [
        ("nothing", "", None),
        ("comments alone", "# a\n\n# b\n", None),
        ("five columns", TREC + "1 Q0 b 2 1.5\n", 2),
        ("seven columns", TREC + "1 Q0 b 2 1.5 mine too\n", 2),
        ("five, then seven", "1 Q0 b 2 1.5\n1 Q0 b 2 1.5 mine too\n", 1),
        ("a score of text", "\n# x\n" + TREC + "1 Q0 b 2 high mine\r\n", 4),
        ("a score of nan", TREC + "1 Q0 b 2 nan mine\n", 2),
        ("an infinite score", TREC + "1 Q0 b 2 -inf mine\n", 2),
        ("a score with underscores", TREC + "1 Q0 b 2 1_000 mine\n", 2),
        ("a hexadecimal score", TREC + "1 Q0 b 2 0x10 mine\n", 2),
        ("a document twice", TREC + "2 Q0 a 1 1 mine\n" + TREC, 3),
    ],
    "inex": [
        ("nothing", "", None),
        ("six columns", FOL + TREC, 2),
        ("nine columns", FOL + "1 Q0 a 1 2.5 mine 10 5 1\n", 2),
        ("a score of text", FOL + "1 Q0 a 1 high mine 10 5\n", 2),
        ("an element path", FOL + "1 Q0 a 1 2.5 mine /article[1]/p[2]\n", 2),
        ("a range of paths", "1 Q0 a 1 2.5 mine /article[1] /article[1]/p[2]\n", 1),
        ("an offset of text", FOL + "1 Q0 a 1 2.5 mine x 5\n", 2),
        ("an offset of a fraction", FOL + "1 Q0 a 1 2.5 mine 1.5 5\n", 2),
        ("a negative offset", FOL + "1 Q0 a 1 2.5 mine -2 5\n", 2),
        ("a negative entry point", FOL + "1 Q0 a 1 2.5 mine -2\n", 2),
        ("a huge offset", FOL + f"1 Q0 a 1 2.5 mine {HUGE} 5\n", 2),
        ("a length of text", FOL + "1 Q0 a 1 2.5 mine 5 X\n", 2),
        ("a negative length", FOL + "1 Q0 a 1 2.5 mine 5 -1\n", 2),
        ("a huge length", FOL + f"1 Q0 a 1 2.5 mine 1 {2**63 - 1}\n", 2),
        ("an end out of range", FOL + f"1 Q0 a 1 2.5 mine {10**10} 1\n", 2),
    ],
    "inex-xml": [
        *_XML,
        ("no results", "<inex-submission/>\n", None),
        ("never closed", '<inex-submission>\n<topic topic-id="1">\n', 3),
        ("a topic without name", _submission("<file>a</file>", topic=""), 2),
        ("a topic with an empty name", _submission("<file>a</file>", topic=' topic-id=" "'), 2),
        ("no topic", "<inex-submission>\n<result><file>a</file></result></inex-submission>", 2),
        ("no file", _submission("<file>a</file>", "<path>/a</path>"), 4),
        ("two files", _submission("<file>a</file>", "<file>a</file><file>b</file>"), 4),
        ("two places", _submission('<file>a</file><fol offset="1" length="2"/><path>/a</path>'), 3),
        ("a path", _submission("<file>b</file>", "<file>a</file><path>/article[1]</path>"), 4),
        ("a path from nowhere", _submission("<file>a</file><path>sec[1]</path>"), 3),
        ("a passage of numbers", _submission('<file>a</file><passage start="1" end="2"/>'), 3),
        ("an offset of a path", _submission('<file>a</file><fol offset="/a" length="2"/>'), 3),
        ("a passage of one end", _submission('<file>a</file><passage start="/a[1]"/>'), 3),
        ("an offset of text", _submission('<file>a</file><fol offset="x" length="2"/>'), 3),
        ("a negative length", _submission('<file>a</file><fol offset="1" length="-2"/>'), 3),
        ("a huge length", _submission(f'<file>a</file><fol offset="1" length="{HUGE}"/>'), 3),
        ("a rank of text", _submission("<file>a</file><rank>first</rank>"), 3),
        ("a rank of a fraction", _submission("<file>a</file><rank>1.5</rank>"), 3),
        ("an rsv of nan", _submission("<file>a</file><rsv>nan</rsv>"), 3),
        ("a rank on some", _submission("<file>a</file><rank>1</rank>", "<file>b</file>"), 4),
        ("a document twice", _submission("<file>a</file>", "<file>a</file>"), 4),
        ("two submissions", _submission("<file>a</file>") * 2, 5),
    ],
}

_JUDGED: list[tuple[str, list[list[str]], int | None]] = [
    ("no column for topics", [["doc", "grade"], ["a", "1"]], 1),
    ("no column for documents", [["topic", "start", "end"], ["1", "0", "5"]], 1),
    ("a column that is misnamed", [["topic", "docs", "grade"], ["1", "a", "1"]], 1),
    ("nothing judged", [["topic", "doc"], ["1", "a"]], 1),
    ("a run", [["topic", "doc", "score"], ["1", "a", "1"]], 1),
    ("a run of parts", [["topic", "doc", "start", "end", "rank"], ["1", "a", "0", "5", "1"]], 1),
    ("a header alone", [["topic", "doc", "grade"]], None),
    ("a column named twice", [["topic", "doc", "doc"], ["1", "a", "b"]], 1),
    ("a missing field", [["topic", "doc", "grade"], ["1", "a", "1"], ["1", "b"]], 3),
    ("no document", [["topic", "doc", "grade"], ["1", "a", "1"], ["1", "", "1"]], 3),
    ("nothing judged in a row", [["topic", "doc", "grade"], ["1", "a", "1"], ["1", "b", ""]], 3),
    ("a grade of text", [["topic", "doc", "grade"], ["1", "a", "high"]], 2),
    ("a grade of nan", [["topic", "doc", "grade"], ["1", "a", "nan"]], 2),
    ("a document twice", [["topic", "doc", "grade"], ["1", "a", "1"], ["1", "a", "1"]], 3),
    ("no column for ends", [["topic", "doc", "start"], ["1", "a", "5"]], 1),
    ("no column for starts", [["topic", "doc", "end"], ["1", "a", "5"]], 1),
    ("a start without end", [["topic", "doc", "start", "end"], ["1", "a", "5", ""]], 2),
    ("a start of a fraction", [["topic", "doc", "start", "end"], ["1", "a", "1.5", "2"]], 2),
    ("an end before the start", [["topic", "doc", "start", "end"], ["1", "a", "5", "2"]], 2),
    ("a negative start", [["topic", "doc", "start", "end"], ["1", "a", "-1", "2"]], 2),
    ("a huge end", [["topic", "doc", "start", "end"], ["1", "a", "1", HUGE]], 2),
    ("a negative length", [["topic", "doc", "start", "length"], ["1", "a", "5", "-2"]], 2),
    ("a text", [["topic", "doc", "text"], ["1", "a", "hello"]], 2),
    (
        "an assessor on some lines",
        [["topic", "doc", "grade", "assessor"], ["1", "a", "1", "x"], ["1", "b", "1", ""]],
        3,
    ),
    ("a quote that never ends", [["topic", "doc", "grade"], ['"1', "b", "1"]], 2),
]


def _chroma(*references: str) -> str:
    """Questions with these references on each line from the second on."""
    rows = [f"Why?,{text},a\n" for text in references]
    return "question,references,corpus_id\n" + "".join(rows)


def _reference(start: str, end: str, content: str = "hello") -> str:
    inside = f'{{""content"": ""{content}"", ""start_index"": {start}, ""end_index"": {end}}}'
    return f'"[{inside}]"'


def _benchmark(*snippets: str) -> str:
    """A benchmark with these snippets in the test whose query is on the second line."""
    return '{"tests": [{\n"query": "Why?",\n"snippets": [' + ",\n".join(snippets) + "]}]}\n"


def _squad(*answers: str, name: str = '"q1"') -> str:
    """A question on the third line, about a context with these answers."""
    asked = f'{{"id": {name},\n"question": "Where?", "answers": [{", ".join(answers)}]}}'
    return (
        '{"data": [{"title": "Oslo", "paragraphs": [\n{"context": "Oslo is in Norway.", "qas": ['
        + asked
        + "]}]}]}\n"
    )


_DOCUMENT: list[Sample] = [
    ("nothing", "", 1),
    ("broken", "{\n", 1),
    ("no JSON", "x\n", 1),
    ("no object", "[]\n", 1),
    ("deep", "[" * 100_000 + "\n", None),
    ("NaN", '{"a": NaN}\n', None),
    ("another object", '{"a": 1}\n', None),
]

SUBTOPIC = "1 2 a 1\n"
GENOMICS = "200\t1066\t40\t10\tSFAS|ICAM-1\n"

MALFORMED_QRELS: dict[str, list[Sample]] = {
    "trec-subtopics": [
        ("nothing", "", None),
        ("five columns", SUBTOPIC + "1 3 a 1 1\n", 2),
        ("three columns", SUBTOPIC + "1 a 1\n", 2),
        ("a grade of text", SUBTOPIC + "1 3 a high\n", 2),
        ("a huge grade", SUBTOPIC + "1 3 a 1e99\n", 2),
        ("a subtopic twice", SUBTOPIC + "1 3 a 1\n1 2 a 1\n", 3),
        ("a subtopic twice with another grade", SUBTOPIC + "1 2 a 0\n", 2),
        ("a topic called all", SUBTOPIC + "all 3 a 1\n", 2),
    ],
    "trecgen": [
        ("nothing", "", None),
        ("blanks for tabs", "200 1066 40 10 SFAS\n", 1),
        ("four columns", GENOMICS + "200\t1066\t40\t10\n", 2),
        ("six columns", GENOMICS + "200\t1066\t40\t10\tA\tB\n", 2),
        ("no document", GENOMICS + "200\t\t40\t10\tA\n", 2),
        ("an offset of text", GENOMICS + "200\t1066\tx\t10\tA\n", 2),
        ("a negative offset", GENOMICS + "200\t1066\t-4\t10\tA\n", 2),
        ("a length of a fraction", GENOMICS + "200\t1066\t4\t1.5\tA\n", 2),
        ("a huge length", GENOMICS + f"200\t1066\t4\t{HUGE}\tA\n", 2),
        ("an empty passage", GENOMICS + "200\t1066\t4\t0\tA\n", 2),
    ],
    "csv": [*_tables(",", _JUDGED), ("nothing", "", None)],
    "tsv": [*_tables("\t", _JUDGED), ("nothing", "", None)],
    "parquet": [
        ("no Parquet at all", TREC, None),
        ("cut off", GOOD_PARQUET[:-9], None),
        ("nothing judged", GOOD_PARQUET, None),
        ("no column for documents", _parquet(topic=["1"], grade=[1]), None),
        ("no rows", _parquet(topic=[], doc=[], grade=[]), None),
        ("no document", _parquet(topic=["1", "1"], doc=["a", None], grade=[1, 1]), 2),
        ("an end before the start", _parquet(topic=["1"], doc=["a"], start=[5], end=[2]), 1),
        ("a start of a fraction", _parquet(topic=["1"], doc=["a"], start=[1.5], end=[2]), 1),
        ("a highlight of one", _parquet(topic=["1"], doc=["a"], highlights=[[[5]]]), None),
        ("a score", _parquet(topic=["1"], doc=["a"], start=[1], end=[2], score=[1]), None),
    ],
    "chroma": [
        ("nothing", "", None),
        ("no column for documents", "question,references\nWhy?,[]\n", 1),
        ("a header alone", "question,references,corpus_id\n", None),
        ("no document", "question,references,corpus_id\nWhy?,[],\n", 2),
        ("a missing field", "question,references,corpus_id\nWhy?,[]\n", 2),
        ("no references", _chroma("[]", ""), 3),
        ("references of text", _chroma("[]", "hello"), 3),
        ("references of an object", _chroma('"{""content"": 1}"'), 2),
        ("a reference of a number", _chroma("[1]"), 2),
        ("a start of text", _chroma(_reference('""0""', "5")), 2),
        ("a negative start", _chroma(_reference("-1", "4")), 2),
        ("a huge end", _chroma(_reference("0", HUGE)), 2),
        ("an end before the start", _chroma(_reference("5", "0")), 2),
        ("a content of another length", _chroma("[]", _reference("0", "4")), 3),
    ],
    "legalbenchrag": [
        *_DOCUMENT,
        ("tests that are none", '{"tests": {}}\n', None),
        ("a test that is none", '{"tests": [1]}\n', None),
        ("no snippets", '{"tests": [\n{"query": "Why?"}]}\n', 2),
        ("only tests without snippets", _benchmark(), None),
        ("no file", _benchmark('{"span": [0, 5]}'), 2),
        ("an empty file", _benchmark('{"file_path": "", "span": [0, 5]}'), 2),
        ("half a character", _benchmark('{"file_path": "\\ud800", "span": [0, 5]}'), 2),
        ("no span", _benchmark('{"file_path": "a"}'), 2),
        ("a span of one", _benchmark('{"file_path": "a", "span": [5]}'), 2),
        ("a span of text", _benchmark('{"file_path": "a", "span": [0, "5"]}'), 2),
        ("a negative span", _benchmark('{"file_path": "a", "span": [-1, 5]}'), 2),
        ("a span backwards", _benchmark('{"file_path": "a", "span": [5, 0]}'), 2),
        ("another answer", _benchmark('{"file_path": "a", "span": [0, 5], "answer": "x"}'), 2),
    ],
    "squad": [
        *_DOCUMENT,
        ("data that are none", '{"data": 1}\n', None),
        ("no paragraphs", '{"data": [{"title": "Oslo"}]}\n', None),
        ("no questions", '{"data": [{"paragraphs": [{"context": "x"}]}]}\n', None),
        ("no context", '{"data": [{"paragraphs": [{"qas": []}]}]}\n', None),
        ("no name", _squad(name='""'), 3),
        ("a name that is none", _squad(name="[]"), 3),
        ("an answer that is none", _squad("1"), 3),
        ("an answer without text", _squad('{"answer_start": 0}'), 3),
        ("an answer without start", _squad('{"text": "Oslo"}'), 3),
        ("an answer elsewhere", _squad('{"answer_start": 1, "text": "Oslo"}'), 3),
        ("an answer past the end", _squad('{"answer_start": 16, "text": "y.."}'), 3),
    ],
    "jsonl": [
        ("an array that never ends", '[{"topic": 1, "doc": "a", "grade": 1},\n', 1),
        ("an array of arrays", '[{"topic": 1, "doc": "a", "grade": 1},\n[1]]\n', 2),
        ("text behind an array", '[{"topic": 1, "doc": "a", "grade": 1}]\nx\n', 2),
        ("a start without end", '{"topic": 1, "doc": "a", "start": 1}\n', 1),
        ("a start of text", '{"topic": 1, "doc": "a", "start": "1", "end": 2}\n', 1),
        ("a passage backwards", '{"topic": 1, "doc": "a", "start": 3, "end": 2}\n', 1),
        ("a run", '{"topic": 1, "doc": "a", "start": 1, "end": 2, "rank": 1}\n', 1),
        ("a text without place", '{"topic": 1, "doc": "a", "text": "hello"}\n', 1),
        ("an assessor of a list", '{"topic": 1, "doc": "a", "grade": 1, "assessor": []}\n', 1),
        ("nothing", "", None),
        ("broken", '{"topic": 1, "doc": "a", "grade": 1}\n{\n', 2),
        ("no document", '{"topic": 1, "grade": 1}\n', 1),
        ("nothing judged", '{"topic": 1, "doc": "a", "score": 1}\n', 1),
        ("a grade of text", '{"topic": 1, "doc": "a", "grade": "1"}\n', 1),
        ("a grade of true", '{"topic": 1, "doc": "a", "grade": true}\n', 1),
        ("a length of a fraction", '{"topic": 1, "doc": "a", "length": 1.5}\n', 1),
        ("a negative length", '{"topic": 1, "doc": "a", "length": -1}\n', 1),
        ("a negative entry point", '{"topic": 1, "doc": "a", "length": 5, "entry": -1}\n', 1),
        ("highlights of text", '{"topic": 1, "doc": "a", "highlights": "0-5"}\n', 1),
        ("a highlight of one", '{"topic": 1, "doc": "a", "highlights": [[0, 5], [7]]}\n', 1),
        ("a highlight of text", '{"topic": 1, "doc": "a", "highlights": [[0, "5"]]}\n', 1),
        ("a highlight of null", '{"topic": 1, "doc": "a", "highlights": [[0, null]]}\n', 1),
        ("a highlight backwards", '{"topic": 1, "doc": "a", "highlights": [[5, 0]]}\n', 1),
        ("a huge highlight", '{"topic":1,"doc":"a","highlights":[[0,' + HUGE + "]]}\n", 1),
        ("twice", '{"topic":1,"doc":"a","grade":1}\n' * 2, 2),
        ("two lengths", '{"topic":1,"doc":"a","length":1}\n{"topic":1,"doc":"a","length":2}\n', 2),
    ],
    "trec": [
        ("nothing", "", None),
        ("three columns", "1 0 a 1\n1 0 b\n", 2),
        ("five columns", "1 0 a 1\n1 0 b 1 1\n", 2),
        ("a grade of text", "1 0 a 1\n1 0 b yes\n", 2),
        ("a grade of nan", "1 0 a 1\n1 0 b nan\n", 2),
        ("twice", "1 0 a 1\n2 0 a 1\n1 0 a 0\n", 3),
    ],
    "inex": [
        ("nothing", "", None),
        ("four columns", "1 Q0 a 5 10 0 0:5\n1 Q0 b 1\n", 2),
        ("an entry point, no passage", "1 Q0 a 0 10\n1 Q0 b 5 10 3\n", 2),
        ("no entry point, no passage", "1 Q0 a 0 10\n1 Q0 b 5 10 -1\n", 2),
        ("a size of text", "1 Q0 a x 10 0 0:5\n", 1),
        ("a negative size", "1 Q0 a -5 10 0 0:5\n", 1),
        ("a length of a fraction", "1 Q0 a 5 1.5 0 0:5\n", 1),
        ("an entry point of text", "1 Q0 a 5 10 x 0:5\n", 1),
        ("a negative entry point", "1 Q0 a 5 10 -2 0:5\n", 1),
        ("a passage without length", "1 Q0 a 5 10 0 0:5 7\n", 1),
        ("a passage of three", "1 Q0 a 5 10 0 0:5:7\n", 1),
        ("a negative passage", "1 Q0 a 5 10 0 0:-5\n", 1),
        ("a negative offset", "1 Q0 a 5 10 0 -5:5\n", 1),
        ("a huge passage", f"1 Q0 a 5 10 0 {HUGE}:5\n", 1),
        ("a long passage", f"1 Q0 a 5 10 0 {2**62}:{2**62}\n", 1),
        ("two lengths", "1 Q0 a 0 10\n1 Q0 a 0 11\n", 2),
    ],
    "inex-xml": [
        *_XML,
        ("no judgements", "<assessments topic='1'/>\n", None),
        ("a topic without name", _assessments(topic=""), 1),
        ("a file without name", "<assessments topic='1'>\n<file/></assessments>\n", 2),
        ("no index", _assessments('<best-entry-point path="/article[1]"/>'), 3),
        ("an entry point nowhere", _assessments("<best-entry-point/>"), 3),
        ("a passage without end", _assessments("", '<passage start="/article[1]"/>'), 4),
    ],
}
