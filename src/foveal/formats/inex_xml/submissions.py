"""Reads and writes INEX submissions in XML, with their descriptions of themselves.

A description, before the results, has the participant, task and method. Attributes of the root are
kept under their names, those of <topic-fields> as `topic-fields/title`, the text of <description>
and of each <collection> (a line each) under the element's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from foveal.choices import Ties
from foveal.errors import DataError, Problem, shortened
from foveal.files import Source
from foveal.formats._format import RunRows
from foveal.formats._inex_parts import with_spans
from foveal.formats._plain_lines import exact, problems_where
from foveal.formats._run_rows import with_ranks_as_read
from foveal.formats._xml import attribute, element, refuse_unwritable, visit
from foveal.late import pl
from foveal.tables import Run, refuse_unplaced
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

SUBMISSION, TOPIC = "inex-submission", "topic"
TOPIC_FIELDS, DESCRIPTION, COLLECTION = "topic-fields", "description", "collection"
# Attributes that are not kept: they are written from the run and its results.
RUN_ATTRIBUTES = {"run-id", "result-type"}
NAME = re.compile(rf"({TOPIC_FIELDS}/)?[A-Za-z_][A-Za-z0-9_.-]*")
# Children of a result whose attributes are its bounds in the file.
PASSAGE = {"passage": ("start", "end"), "fol": ("offset", "length")}
NAMES = (c.TOPIC, c.DOC, c.OFFSET, c.LENGTH, c.RANK, c.SCORE)
COLUMN_OF = {"file": c.DOC, "path": c.OFFSET, "rank": c.RANK, "rsv": c.SCORE}


class Header:
    """Collects a submission's description of itself, which is before its first topic."""

    texts: ClassVar[frozenset[str]] = frozenset([DESCRIPTION, COLLECTION])

    def __init__(self) -> None:
        self.about: dict[str, str] = {}
        self.is_over = False

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Keep the attributes of the root and of <topic-fields>."""
        self.is_over |= name == TOPIC
        if self.is_over or name not in {SUBMISSION, TOPIC_FIELDS}:
            return
        prefix = f"{TOPIC_FIELDS}/" if name == TOPIC_FIELDS else ""
        self.about |= {
            prefix + key: value
            for key, value in attributes.items()
            if value and key not in RUN_ATTRIBUTES
        }

    def ended(self, name: str, text: str, line: int) -> None:
        """Keep the text of a description or a collection."""
        if self.is_over or name not in self.texts or not text:
            return
        earlier = f"{self.about[name]}\n" if name in self.about else ""
        self.about[name] = earlier + (text.replace("\n", " ") if name == COLLECTION else text)


class _HeaderRead(Exception):
    """Stops a parser after the header."""


class _HeaderOnly(Header):
    """Collects the header and stops the parser after it."""

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Stop at the first topic."""
        super().started(name, attributes, line)
        if self.is_over:
            raise _HeaderRead


def read_about(source: Source) -> dict[str, str]:
    """Description that a submission gives of itself, without reading its results."""
    header = _HeaderOnly()
    with suppress(_HeaderRead):
        visit(source, header)
    return header.about


def written_header(run: Run, result_type: str) -> str:
    """Beginning of a submission, up to its first topic."""
    _refuse_unwritable(run)
    fields = {name.partition("/")[2]: value for name, value in run.about.items() if "/" in name}
    texts = {DESCRIPTION, COLLECTION}
    attributes = {
        name: value
        for name, value in run.about.items()
        if "/" not in name and name not in texts | RUN_ATTRIBUTES
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _tag(SUBMISSION, {"run-id": run.tag, **attributes, "result-type": result_type}) + ">",
    ]
    if fields:
        lines.append(_tag(TOPIC_FIELDS, fields) + "/>")
    if DESCRIPTION in run.about:
        lines.append(_text(DESCRIPTION, run.about[DESCRIPTION]))
    if COLLECTION in run.about:
        names = run.about[COLLECTION].split("\n")
        names_xml = "".join(_text(COLLECTION, name) for name in names)
        lines.append(f"<collections>{names_xml}</collections>")
    return "\n".join(lines) + "\n"


def _refuse_unwritable(run: Run) -> None:
    refuse_unwritable(pl.Series([run.tag]), "run")
    for name, value in run.about.items():
        if not NAME.fullmatch(name):
            raise DataError(f"run {run.name!r} says {name!r} about itself, not a name in inex-xml")
        texts = value.split("\n") if name == COLLECTION else [value]
        refuse_unwritable(pl.Series(texts, dtype=pl.String), name)


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    """Start tag without its end."""
    pairs = (
        f"{key}={pl.select(attribute(pl.lit(value))).item()}" for key, value in attributes.items()
    )
    return " ".join([f"<{name}", *pairs])


def _text(name: str, text: str) -> str:
    """Element with text only."""
    return f"<{name}>{pl.select(element(pl.lit(text))).item()}</{name}>"


class _Submission(Header):
    """Collects the header and the results of a submission."""

    texts: ClassVar[frozenset[str]] = Header.texts | COLUMN_OF.keys()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str | None, ...]] = []
        self.lines: list[int] = []
        self.names: list[str] = []
        self.problems: list[Problem] = []
        self._topic: str | None = None
        self._result: dict[str, str] | None = None
        self._line = 0

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Start a topic or a result, or keep bounds that are attributes."""
        super().started(name, attributes, line)
        if name == SUBMISSION:
            self.names.append(attributes.get("run-id", ""))
            if len(self.names) == 2:
                reason = "a second submission in the same file: put each in a file of its own"
                self.problems.append(Problem(line, reason))
        elif name == TOPIC:
            self._topic = attributes.get("topic-id") or None
            if self._topic is None:
                self.problems.append(Problem(line, "<topic> has no attribute topic-id"))
        elif name == "result":
            self._result, self._line = {}, line
        elif name in PASSAGE:
            self._keep_bounds(name, attributes, line)

    def _keep_bounds(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        for column, key in zip((c.OFFSET, c.LENGTH), PASSAGE[name], strict=True):
            value = attributes.get(key, "")
            if not value:
                self.problems.append(Problem(line, f"<{name}> has no attribute {key}"))
            elif value.startswith("/") != (name == "passage"):
                noun = "a path" if name == "passage" else "a number"
                self.problems.append(Problem(line, f"{key} is {shortened(value)!r}, not {noun}"))
            else:
                self._keep(column, value, line)

    def ended(self, name: str, text: str, line: int) -> None:
        """Keep the text of a child of a result, or the result itself."""
        super().ended(name, text, line)
        if self._result is None:
            return
        if name == "result":
            row = self._result
            self.rows.append((self._topic, *(row.get(name) for name in NAMES[1:])))
            self.lines.append(self._line)
            if c.DOC not in row:
                self.problems.append(Problem(self._line, "<result> has no <file>"))
            elif self._topic is None:
                reason = "<result> is in no <topic> with a topic-id"
                self.problems.append(Problem(self._line, reason))
            self._result = None
        elif name == "path" and text and not text.startswith("/"):
            self.problems.append(Problem(line, f"path is {shortened(text)!r}, must begin with /"))
        elif name in COLUMN_OF and text:
            self._keep(COLUMN_OF[name], text, line)

    def _keep(self, column: str, value: str, line: int) -> None:
        if self._result is None:
            return
        if column in self._result:
            noun = "place" if column in {c.OFFSET, c.LENGTH} else column
            self.problems.append(Problem(line, f"<result> has a second {noun}"))
        self._result[column] = value

    def frame(self) -> pl.DataFrame:
        """Results as text, with their lines."""
        table = pl.DataFrame(self.rows, schema=dict.fromkeys(NAMES, pl.String), orient="row")
        return table.with_columns(pl.Series(c.LINE, self.lines, dtype=pl.UInt32))


def read_submission(source: Source, elements: ElementLookup | None) -> RunRows:
    """Run in a submission, with its description of itself."""
    submission = _Submission()
    visit(source, submission)
    frame = submission.frame()
    problems = submission.problems
    numbers = []
    for name, kind, noun in (
        (c.RANK, pl.Int64, "a whole number"),
        (c.SCORE, pl.Float64, "a finite number"),
    ):
        number = frame[name].cast(kind, strict=False)
        invalid = ~number.is_finite().fill_null(value=False) & frame[name].is_not_null()
        tag = "rsv" if name == c.SCORE else name
        problems += problems_where(invalid, frame[c.LINE], frame[name], tag + " is {}, not " + noun)
        numbers.append(number)
    parts, paths, path_problems = with_spans(frame.with_columns(numbers), elements)
    return RunRows(
        frame=parts,
        name=submission.names[0] if submission.names else "",
        problems=[*problems, *path_problems],
        paths=paths,
        about=submission.about,
    )


def write_run(run: Run) -> bytes:
    """Submission whose results are offsets with lengths, or whole files."""
    size = pl.when(pl.col(c.START) == c.UNMAPPED).then(0).otherwise(pl.col(c.END) - pl.col(c.START))
    bounds = pl.format('<fol offset="{}" length="{}"/>', c.START, size)
    kind = "FOL" if run.frame[c.START].null_count() < run.frame.height else "document"
    return _submission_bytes(run, pl.when(pl.col(c.START).is_not_null()).then(bounds), kind)


def write_run_paths(run: Run) -> bytes:
    """Submission whose results are elements; entry points are written as offsets."""
    unmapped = run.frame.filter((pl.col(c.START) == c.UNMAPPED) & pl.col(c.PATH).is_null())
    if unmapped.height:
        raise DataError(
            f"inex-xml cannot hold elements without known offsets: run {run.name!r} has"
            f" {unmapped.height:,}"
        )
    point = pl.format('<fol offset="{}" length="0"/>', c.START)
    path = pl.concat_str(pl.lit("<path>"), element(c.PATH), pl.lit("</path>"))
    return _submission_bytes(run, pl.coalesce(path, point), "element")


def _submission_bytes(run: Run, bounds: pl.Expr, kind: str) -> bytes:
    refuse_unplaced(run)
    frame = with_ranks_as_read(run, Ties.ID)
    for name in (c.TOPIC, c.DOC):
        refuse_unwritable(frame[name], name)
    # The rows of a topic may be scattered; each unbroken sequence of them becomes a topic element.
    is_first = (pl.col(c.TOPIC) != pl.col(c.TOPIC).shift()).fill_null(value=True)
    topic = pl.concat_str(pl.lit("</topic>\n<topic topic-id="), attribute(c.TOPIC), pl.lit(">\n"))
    optional = [
        pl.when(pl.col(name).is_not_null()).then(pl.format(f"<{tag}>{{}}</{tag}>", text))
        for name, tag, text in ((c.RANK, "rank", pl.col(c.RANK)), (c.SCORE, "rsv", exact(c.SCORE)))
    ]
    file = pl.format("<result><file>{}</file>", element(c.DOC))
    parts = [pl.when(is_first).then(topic), file, bounds, *optional, pl.lit("</result>\n")]
    rows = frame.select(pl.concat_str(parts, ignore_nulls=True)).to_series()
    results = "".join(rows.to_list()).removeprefix("</topic>\n")
    return f"{written_header(run, kind)}{results}</topic>\n</{SUBMISSION}>\n".encode()
