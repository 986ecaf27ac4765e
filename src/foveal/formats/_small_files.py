"""Reads small files: participants of runs, lists of topics, norms for trec_eval -Z, groups."""

from __future__ import annotations

import os

from foveal.errors import BadInput, Problem, UsageError, shortened
from foveal.evaluation import Groups
from foveal.files import REMOTE, Source, is_file, is_special
from foveal.formats._io import read_topics
from foveal.formats._plain_lines import Layout, fields, refuse
from foveal.formats._tables import SEPARATORS, file_ending
from foveal.formats.csv import COMMA, TAB, header, records
from foveal.late import pl
from foveal.tables import Topics, aliases
from foveal.tables import columns as c

BLANKS = " \t\r\n"
PARTICIPANT_LINE = Layout((c.RUN, c.PARTICIPANT), minimum=2)
NORMS_LINE = Layout(
    (c.TOPIC, c.MEASURE, c.MEAN, c.DEVIATION), minimum=4, numbers=(c.MEAN, c.DEVIATION)
)


def read_participants(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read the participant of each run, by the run's name."""
    with Source.of(path) as source:
        lines = fields(source, PARTICIPANT_LINE)
    repeated = lines.frame.filter(lines.frame[c.RUN].is_first_distinct().not_())
    problems = [
        Problem(line, f"run {run!r} already has a participant on an earlier line")
        for run, line in repeated.select(c.RUN, c.LINE).iter_rows()
    ]
    refuse(source, [*lines.problems, *problems])
    return dict(lines.frame.select(c.RUN, c.PARTICIPANT).iter_rows())


def read_topic_list(path: str | os.PathLike[str]) -> list[str]:
    """Read the topics in a file (`-`: standard input) with one topic per line."""
    with Source.of(path) as source:
        return [text for _, line in source.numbered_lines() if (text := line.strip(BLANKS))]


def read_norms(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Read lines of topic, measure, mean and standard deviation."""
    with Source.of(path) as source:
        lines = fields(source, NORMS_LINE)
    refuse(source, lines.problems)
    return lines.frame.select(c.TOPIC, c.MEASURE, c.MEAN, c.DEVIATION)


def read_groups(option: str) -> Groups:
    """Read the groups in a column of a file, given as FILE or FILE:COLUMN.

    The file is a table with a header, in CSV or TSV, or has topics in any format.
    """
    path, column = groups_file(option)
    with Source.of(path) as source:
        separator = _separator(source)
        if separator:
            return _groups_of_table(source, separator, column)
        return _groups_of_topics(read_topics(source), column)


def groups_file(option: str) -> tuple[str, str]:
    """File and column in FILE or FILE:COLUMN; either may contain colons, too."""
    if _exists(option):
        return option, ""
    colons = [index for index, character in enumerate(option) if character == ":"]
    ends = [index for index in reversed(colons) if _exists(option[:index])]
    # If no such file can be seen, the last colon is taken to come before a column.
    ends += [index for index in colons[-1:] if not _is_in_address(option, index)]
    if not ends:
        return option, ""
    path, column = option[: ends[0]], option[ends[0] + 1 :]
    if not column:
        raise UsageError(f"--groups {option}: name a column after the colon, or leave it out")
    return path, column


def _exists(path: str) -> bool:
    return path == "-" or is_file(path) or is_special(path)


def _is_in_address(option: str, index: int) -> bool:
    """True if a colon belongs to an address or a drive, as in s3://, host:8080/ or C:/."""
    rest = option[index + 1 :]
    return (REMOTE in option and "/" in rest) or (index == 1 and rest.startswith(("/", "\\")))


def _separator(source: Source) -> str:
    """Separator of the columns of a table with a header; empty if the file has topics."""
    head = source.head()
    for separator in (COMMA, TAB):
        names = header(head, separator)
        if c.TOPIC in {*names, *aliases.alias_by_column([c.TOPIC], names)}:
            return separator
    # Topics may be in TSV without a header, but never in CSV: then the column topic is missing.
    is_csv = SEPARATORS.get(file_ending(source.path)) == COMMA and not head.root
    return COMMA if is_csv else ""


def _groups_of_table(source: Source, separator: str, column: str) -> Groups:
    problems: list[Problem] = []
    try:
        frame = records(source, separator, problems, all_text=True)
        refuse(source, problems)
        return Groups.of_column(aliases.renamed(frame, [c.TOPIC])[0], column, source=source.name)
    except BadInput as error:
        error.quote(source.lines({problem.line for problem in error.problems if problem.line}))
        raise


def _groups_of_topics(topics: Topics, column: str) -> Groups:
    table = topics.frame
    empty = [name for name in table.columns if table[name].null_count() == table.height]
    frame = table.drop(empty)
    if not column:
        fields = [name for name in frame.columns if name != c.TOPIC]
        raise UsageError(
            f"{topics.source} has topics: name the field that gives the group, as in --groups"
            f" {topics.source}:FIELD (found: {shortened(', '.join(fields)) or 'none'})"
        )
    return Groups.of_column(frame, column, source=topics.source)
