"""Which topics count and which runs are kept, as the options of the command line say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from foveal.errors import DataError

if TYPE_CHECKING:
    from foveal.tables import Qrels, Top

only = click.option(
    "--only",
    metavar="TOPICS",
    help="The topics that alone count: a file with one a line, or a list such as 101,105. One that is"
    " listed twice counts twice.",
)


def _top(_: click.Context, __: click.Parameter, text: str | None) -> Top | None:
    from foveal.tables import Top

    return None if text is None else Top.parsed(text, least=2, what="--top")


top = click.option(
    "--top",
    metavar="N[:MEASURE]",
    callback=_top,
    help="Score all runs, and keep the N best by MEASURE.  [default: the first measure]",
)


def with_topics(qrels: Qrels, topics: str | None) -> Qrels:
    """The judgements of the topics of --only, which names a file or lists them."""
    from foveal.files import REMOTE, is_file, is_special
    from foveal.formats import read_topic_list

    if topics is None:
        return qrels
    is_named = topics == "-" or REMOTE in topics or is_file(topics) or is_special(topics)
    # A topic may be called like a file; a file that is missing is reported by its reader.
    if is_named or (_looks_like_path(topics) and topics not in qrels.judgements.topics):
        return qrels.only(read_topic_list(topics), source="<stdin>" if topics == "-" else topics)
    words = (word.strip() for word in topics.split(","))
    try:
        return qrels.only([word for word in words if word])
    except DataError as error:
        error.add_note("--only takes a file with a topic a line, or a list such as 101,105")
        raise


def _looks_like_path(text: str) -> bool:
    return "," not in text and bool(re.search(r"[/\\]|\.[A-Za-z]\w*$", text))
