"""Small files beside runs: participants, topics that count, means for trec_eval's -Z, and groups."""

from __future__ import annotations

import os

from foveal.errors import BadInput, Problem, UsageError, shortened
from foveal.evaluation import Groups
from foveal.files import REMOTE, Source, is_file, is_special
from foveal.formats._io import read_topics
from foveal.formats._lines import Layout, fields, refuse
from foveal.formats._tables import SEPARATORS, file_ending
from foveal.formats.csv import COMMA, TAB, header, records
from foveal.late import pl
from foveal.tables import Topics, aliased, renamed
from foveal.tables import columns as c

BLANKS = " \t\r\n"
PARTICIPANT_LINE = Layout((c.RUN, c.PARTICIPANT), least=2)
NORMS_LINE = Layout(
    (c.TOPIC, c.MEASURE, c.MEAN, c.DEVIATION), least=4, numbers=(c.MEAN, c.DEVIATION)
)


def read_participants(path: str | os.PathLike[str]) -> dict[str, str]:
    """The participant of each run, by the run's name."""
    with Source.of(path) as source:
        found = fields(source, PARTICIPANT_LINE)
    repeated = found.frame.filter(found.frame[c.RUN].is_first_distinct().not_())
    problems = [
        Problem(line, f"run {run!r} already has a participant on an earlier line")
        for run, line in repeated.select(c.RUN, c.LINE).iter_rows()
    ]
    refuse(source, [*found.problems, *problems])
    return dict(found.frame.select(c.RUN, c.PARTICIPANT).iter_rows())


def read_topic_list(path: str | os.PathLike[str]) -> list[str]:
    """The topics in a file (`-`: standard input) with one a line; blanks around them do not count."""
    with Source.of(path) as source:
        lines = [
            line.strip(BLANKS)
            for block in source.blocks()
            for line in block.data.decode().split("\n")
        ]
        return [line for line in lines if line]


def read_norms(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Lines of topic, measure, mean and standard deviation."""
    with Source.of(path) as source:
        found = fields(source, NORMS_LINE)
    refuse(source, found.problems)
    return found.frame.select(c.TOPIC, c.MEASURE, c.MEAN, c.DEVIATION)


def read_groups(place: str) -> Groups:
    """The groups in a file, which one of its columns gives: FILE or FILE:COLUMN.

    The file is a table with a header, in CSV or TSV, or has topics in any format.
    """
    path, column = groups_place(place)
    with Source.of(path) as source:
        separator = _separator(source)
        if separator:
            return _of_table(source, separator, column)
        return _of_topics(read_topics(source), column)


def groups_place(place: str) -> tuple[str, str]:
    """The file and the column in FILE or FILE:COLUMN; either may have colons of its own."""
    if _is_there(place):
        return place, ""
    colons = [at for at, sign in enumerate(place) if sign == ":"]
    before = [at for at in reversed(colons) if _is_there(place[:at])]
    # Of a file that cannot be seen, the last colon comes before a column.
    before += [at for at in colons[-1:] if not _is_in_address(place, at)]
    if not before:
        return place, ""
    path, column = place[: before[0]], place[before[0] + 1 :]
    if not column:
        raise UsageError(f"--groups {place}: name a column after the colon, or leave it out")
    return path, column


def _is_there(path: str) -> bool:
    return path == "-" or is_file(path) or is_special(path)


def _is_in_address(place: str, at: int) -> bool:
    """Whether a colon belongs to an address or a drive, as in s3://, host:8080/ or C:/."""
    after = place[at + 1 :]
    return (REMOTE in place and "/" in after) or (at == 1 and after.startswith(("/", "\\")))


def _separator(source: Source) -> str:
    """What separates the columns of a table with a header; nothing if the file has topics."""
    head = source.head()
    for separator in (COMMA, TAB):
        names = header(head, separator)
        if c.TOPIC in {*names, *aliased([c.TOPIC], names)}:
            return separator
    # Topics are in TSV without a header, but never in CSV: there a column is missing.
    is_csv = SEPARATORS.get(file_ending(source.path)) == COMMA and not head.root
    return COMMA if is_csv else ""


def _of_table(source: Source, separator: str, column: str) -> Groups:
    problems: list[Problem] = []
    try:
        frame = records(source, separator, problems, as_written=True)
        refuse(source, problems)
        return Groups.of_column(renamed(frame, [c.TOPIC])[0], column, source=source.name)
    except BadInput as error:
        error.quote(source.lines({problem.line for problem in error.problems if problem.line}))
        raise


def _of_topics(topics: Topics, column: str) -> Groups:
    known = topics.frame
    empty = [name for name in known.columns if known[name].null_count() == known.height]
    frame = known.drop(empty)
    if not column:
        fields = [name for name in frame.columns if name != c.TOPIC]
        raise UsageError(
            f"{topics.source} has topics: name the field that gives the group, as in --groups"
            f" {topics.source}:FIELD (found: {shortened(', '.join(fields)) or 'none'})"
        )
    return Groups.of_column(frame, column, source=topics.source)
