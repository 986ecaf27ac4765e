"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from enum import StrEnum
from functools import cached_property, lru_cache, partial, wraps
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from foveal.choices import Assessors, Copies, Form, OffsetUnit, Task, either
from foveal.cli._completion import NameKind, names_of, names_starting
from foveal.cli._console import refuse_overwriting
from foveal.conventions import USUAL_TESTING
from foveal.errors import DataError, UsageError, did_you_mean
from foveal.frozen import frozen

if TYPE_CHECKING:
    from foveal.analysis import TestRecord
    from foveal.elements import ElementLookup
    from foveal.evaluation import RunRanks
    from foveal.formats import TextArguments
    from foveal.intake import Documents, Tokenizer
    from foveal.registry import Registry
    from foveal.rendering import FigureRecord
    from foveal.tables import Chunks, Qrels, Run


only = click.option(
    "--only",
    metavar="TOPICS",
    help="Use only these topics: a file with one topic per line, or a list such as 101,105. One that is"
    " listed twice counts twice.",
)


def _top(_: click.Context, __: click.Parameter, text: str | None) -> RunRanks | None:
    from foveal.evaluation import RunRanks

    return None if text is None else RunRanks.parsed(text, minimum=2, option="--top")


top = click.option(
    "--top",
    metavar="N[:MEASURE]",
    callback=_top,
    help="Score all runs, and keep the N best by MEASURE, or those of some ranks, such as 1-21,31-50."
    "  [default: the first measure]",
)


def with_topics(qrels: Qrels, topics: str | None) -> Qrels:
    """Judgements restricted to the topics of --only, a file or a list."""
    from foveal.files import REMOTE, is_file, is_special
    from foveal.formats import read_topic_list

    if topics is None:
        return qrels
    is_named = topics == "-" or REMOTE in topics or is_file(topics) or is_special(topics)
    # A topic may have the name of a file; a missing file is reported by its reader.
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


Command = TypeVar("Command", bound=Callable[..., Any])
FORM_OF_ENDING = {
    ".csv": Form.CSV,
    ".tsv": Form.TSV,
    ".json": Form.JSON,
    ".jsonl": Form.JSONL,
    ".md": Form.MARKDOWN,
    ".tex": Form.LATEX,
    ".html": Form.HTML,
    ".parquet": Form.PARQUET,
    ".xml": Form.JUNIT,
}
TEXT_ENDINGS = {"", ".txt"}


def typed_options() -> dict[str, str]:
    """Options that the caller typed: the flag of each, by the name of its parameter."""
    context = click.get_current_context()
    return {
        option.name: option.opts[0]
        for option in context.command.params
        if option.name and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    }


def take_fields(options: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Remove the options that are fields of a dataclass from a command's options, and return them."""
    return {field.name: options.pop(field.name) for field in fields(kind) if field.name in options}


def with_options(
    command: Callable[..., None], options: Sequence[Callable[..., Any]]
) -> Callable[..., None]:
    """The command with options that help shows in this order."""
    for option in reversed(options):
        command = option(command)
    return command


class Word(click.Choice[Any]):
    """A word of an enumeration; the command gets the member.

    Words in `unlisted` are accepted, but neither help nor errors show them; `extra_words` are not
    members and are passed on unchanged.
    """

    def __init__(
        self,
        words: type[StrEnum],
        *,
        without: tuple[StrEnum, ...] = (),
        unlisted: tuple[StrEnum, ...] = (),
        extra_words: tuple[str, ...] = (),
    ) -> None:
        self.words, self.unlisted, self.extra_words = words, unlisted, extra_words
        values = [word.value for word in words if word not in (*without, *unlisted)]
        super().__init__([*values, *extra_words])

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Member for a word; the error for an unknown word lists the vocabulary."""
        if value in (*self.choices, *self.unlisted):
            return value if value in self.extra_words else self.words(value)
        hint = did_you_mean(str(value), self.choices)
        raise click.UsageError(
            f"{param.opts[-1]} must be {either(self.choices)}, got {str(value)!r}{hint}", ctx
        )


class Name(click.Choice[str]):
    """A name in a registry, which is loaded when a name is read or the command's help is shown.

    `kind` is the kind of names that a shell completes.
    """

    def __init__(self, registry: Callable[[], Registry[Any]], kind: str) -> None:
        self.registry = registry
        self.kind = kind
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # computed on first use
        """All names, in the order of lists."""
        from foveal.registry import by_file

        return tuple(record.name for _, records in by_file(self.registry()) for record in records)

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """The name, if there is such a record."""
        if ctx is not None and ctx.resilient_parsing:
            return str(value)
        try:
            name: str = self.registry().named(value).name
        except UsageError as error:
            self.fail(str(error), param, ctx)
        return name

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Names that start with the typed text, without loading the registry."""
        return names_starting(self.kind, incomplete)


def tests() -> Registry[TestRecord]:
    """The registry of significance tests."""
    from foveal.analysis import TESTS

    return TESTS


task = click.option("--task", type=Word(Task), help="What the system was asked for.")
# Eager, because the default of --to depends on its ending.
output = click.option(
    "-o",
    "--output",
    metavar="FILE",
    is_eager=True,
    help="Write to a file, completely or not at all.",
)
alpha = click.option(
    "--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=USUAL_TESTING.alpha, show_default=True, help="The significance level, and what intervals leave outside.",
)  # fmt: skip


def resamples(default: int) -> Callable[[Command], Command]:
    """The option --resamples for a plain number."""
    return click.option(
        "--resamples", type=click.IntRange(1), default=default, metavar="N",
        help=f"How many resamples of topics, signs or runs are drawn.  [default: {default:,}]",
    )  # fmt: skip


seed = click.option(
    "--seed", "rng", type=click.IntRange(0), default=USUAL_TESTING.rng, show_default=True, metavar="N",
    help="The same seed gives the same random numbers on any machine.",
)  # fmt: skip
lower = click.option(
    "--lower", metavar="NAME", multiple=True,
    help="Where scores are given: less is better by this measure, which foveal does not know; may be"
    " repeated.",
)  # fmt: skip
common_topics = click.option(
    "--common-topics", is_flag=True,
    help="If runs are scored on different topics, keep those that all share.",
)  # fmt: skip


def groups(extra_text: str = "") -> Callable[[Command], Command]:
    """The option --groups; `extra_text` is added to its help."""
    return click.option(
        "--groups", metavar="FILE[:COLUMN]",
        help="Show means per group of topics as well, as in topics.xml:query_type: a column of a CSV or"
        " TSV file with topics, or a field of a file of topics. Topics without a group form"
        f" (none){extra_text}; figures are of all topics.",
    )  # fmt: skip


# Added to the help of --groups by commands that test runs.
CORRECTED = "; p is corrected within a measure and group"


def measures(without: str) -> Callable[[Command], Command]:
    """The option -m; `without` is the sentence about the default measures."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        shell_complete=names_of(NameKind.MEASURES),
        help="A measure, such as AiP, iP[0.01], gP@10 or AgP(S=bep,n=1000); may be repeated."
        f" {without} `foveal measures` lists them.",
    )


def figure(result: str) -> Callable[[Command], Command]:
    """The option --figure for a type of result."""

    def figures() -> Registry[FigureRecord]:
        from foveal.registry import Registry
        from foveal.rendering import figures_of

        records = figures_of(result).values()
        return Registry("figure", (record for record in records if record.is_offered))

    return click.option(
        "--figure",
        type=Name(figures, f"figures of {result}"),
        help="Write a figure to -o FILE instead: drawn as .svg or .html, as .png or .pdf"
        ' (`pip install "foveal[figures]"`), or its data as .csv, .tsv, .jsonl or .parquet.',
    )


run_format = click.option(
    "--format", "run_format", metavar="F", help="The runs' format.  [default: recognised]",
    shell_complete=names_of(NameKind.RUN_FORMATS),
)  # fmt: skip
qrels_format = click.option(
    "--qrels-format", metavar="F", help="The judgements' format.  [default: recognised]",
    shell_complete=names_of(NameKind.QRELS_FORMATS),
)  # fmt: skip
elements = click.option(
    "--elements",
    metavar="INDEX",
    help="The collection's offset index (`foveal index`), for element paths and document lengths.",
)


def index_at(path: str | None) -> ElementLookup | None:
    """The offset index of --elements, opened once in each process; `None` without the option."""
    # The working folder, which may change, is part of the cache's key: the path may be relative.
    return _opened(path, Path.cwd()) if path else None


@lru_cache(maxsize=1)
def _opened(path: str, _: Path) -> ElementLookup:
    from foveal.collection import open_index

    return open_index(path)


assessors = click.option(
    "--assessors", metavar="union|majority|NAME", default=Assessors.UNION.value, show_default=True,
    help="If several people judged: what anyone highlighted, what more than half of those who judged"
    " the document did, or the judgements of one person.",
)  # fmt: skip


tokens = click.option(
    "--tokens",
    metavar="FILE",
    help="A tokenizer.json, for budgets in tokens such as cR(tokens=500); needs --docs"
    ' (`pip install "foveal[tokens]"`).',
)
_TEXT_OPTIONS = (
    click.option(
        "--docs",
        metavar="DOCUMENTS",
        help="The documents' texts (a folder, an archive, or JSON, CSV or Parquet with doc and text):"
        " offsets are verified by the results' texts, or found.",
    ),
    click.option(
        "--chunks",
        metavar="FILE",
        help="All chunks that a system could return, in document order, {doc, start, end} or {doc,"
        " text}: needed by cPmax; also decides which copy of a text was returned.",
    ),
    click.option(
        "--copies", type=Word(Copies), default=Copies.REFUSE.value, show_default=True,
        help="A text with several places in its document: refuse it, or take the first.",
    ),
    click.option(
        "--count", type=Word(OffsetUnit), default=OffsetUnit.CHARACTERS.value, show_default=True,
        help="Unit of the runs' offsets; bytes and utf16 are converted to characters (needs --docs).",
    ),
)  # fmt: skip


@frozen
class TextOptions:
    """Options about the texts that results are compared with."""

    docs: str | None
    chunks: str | None
    copies: Copies
    count: OffsetUnit
    may_be_missing: bool = False
    """Texts may be missing: their documents are shown without text."""

    @classmethod
    def options(cls, command: Callable[..., None]) -> Callable[..., None]:
        """Add these options to a command, which receives them as one argument, `texts`."""

        @wraps(command)
        def with_texts(**options: Any) -> None:
            command(texts=cls(**take_fields(options, cls)), **options)

        return with_options(with_texts, _TEXT_OPTIONS)

    @property
    def for_qrels(self) -> dict[str, Any]:
        """Arguments for readers of judgements, which locate evidence given as text in documents."""
        return {"docs": self.documents, "copies": self.copies}

    def for_runs(self, *, lists_chunks: bool = False) -> TextArguments:
        """Arguments for `read_run`, with the documents opened once in each process; else none.

        With `lists_chunks`, --chunks alone is allowed: a measure may need just the chunk list.
        """
        docs = self.documents
        if docs is None:
            if self.count is not OffsetUnit.CHARACTERS or (self.chunks and not lists_chunks):
                word = "--chunks" if self.chunks else f"--count {self.count}"
                raise UsageError(f"{word} needs the documents' texts: give --docs DOCUMENTS")
            return {}
        return {"docs": docs, "chunks": self.chunks, "copies": self.copies, "count": self.count}

    @property
    def documents(self) -> Documents | None:
        """The documents' texts, opened once in each process; `None` without the option."""
        docs = _documents(self.docs, Path.cwd()) if self.docs else None
        if docs is None or not self.may_be_missing:
            return docs
        from foveal.intake import SomeDocuments

        return SomeDocuments(docs.texts, docs.source)

    def with_chunks_and_tokens(self, run: Run, tokens: str | None) -> Run:
        """The run with the chunk list and token counts, for measures that need them."""
        docs = self.documents
        if tokens is not None:
            from foveal.intake import count_tokens

            if docs is None:
                raise UsageError("--tokens needs the documents' texts: give --docs DOCUMENTS")
            run = count_tokens(run, docs, _tokenizer(tokens, Path.cwd()))
        if self.chunks is None:
            return run
        return run.with_chunks(partial(_chunks, self, Path.cwd()))


@lru_cache(maxsize=1)
def _chunks(texts: TextOptions, _: Path) -> Chunks:
    from foveal.intake import read_chunks

    return read_chunks(texts.chunks or "", docs=texts.documents, copies=texts.copies)


@lru_cache(maxsize=1)
def _tokenizer(path: str, _: Path) -> Tokenizer:
    from foveal.intake import read_tokenizer

    return read_tokenizer(path)


@lru_cache(maxsize=1)
def _documents(path: str, _: Path) -> Documents:
    from foveal.intake import read_documents

    return read_documents(path)


def _ending(output: str) -> str:
    """Ending of a file name that decides its form: the one before .gz or the like."""
    from foveal.files import COMPRESSION_SUFFIXES

    path = PurePath(output)
    return (path.with_suffix("") if path.suffix in COMPRESSION_SUFFIXES else path).suffix.lower()


def results(
    *,
    without: tuple[Form, ...] = (Form.TREC, Form.INEX),
    verdicts: bool = False,
    of_files: Form = Form.TEXT,
) -> Callable[[Command], Command]:
    """The options --to and -o, without some forms; `verdicts` adds those for programs that run checks.

    `of_files` is the form of a file whose name has another ending, or none. If that is text, an
    unknown ending is refused.
    """
    if not verdicts:
        without += tuple(form for form in Form if form.is_verdict)

    def chosen_form(context: click.Context, option: click.Parameter, value: Form) -> Form:
        """The typed form, else the form of the output's ending."""
        source = context.get_parameter_source(option.name or "")
        if source is not ParameterSource.DEFAULT:
            return value
        output = context.params.get("output")
        if not output:
            return value
        ending = _ending(output)
        form = FORM_OF_ENDING.get(ending)
        if form is not None and form not in without:
            return form
        is_other = context.params.get("figure") is not None or context.params.get("fix")
        if of_files is Form.TEXT and ending not in TEXT_ENDINGS and not is_other:
            refuse_overwriting(output)
            endings = [ending for ending, form in FORM_OF_ENDING.items() if form not in without]
            raise UsageError(
                f"results cannot be written as {ending}: use {', '.join(endings)} or .txt, or name the"
                " form with --to"
            )
        return of_files

    suffix = "" if of_files is Form.TEXT else f" ({of_files.value} if it says nothing)"
    to = click.option(
        "--to",
        type=Word(Form, without=without),
        default=Form.TEXT.value,
        callback=chosen_form,
        help=f"The form of the output.  [default: text, or what the ending of -o FILE says{suffix}]",
    )
    return lambda command: to(output(command))
