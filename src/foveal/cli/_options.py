"""Options that several commands share, and the offset index that one of them names."""

from __future__ import annotations

import re
from collections.abc import Callable
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

    return None if text is None else RunRanks.parsed(text, least=2, what="--top")


top = click.option(
    "--top",
    metavar="N[:MEASURE]",
    callback=_top,
    help="Score all runs, and keep the N best by MEASURE, or those of some ranks, such as 1-21,31-50."
    "  [default: the first measure]",
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
    """The options that the caller typed: the word of each, by the name of its argument."""
    context = click.get_current_context()
    return {
        option.name: option.opts[0]
        for option in context.command.params
        if option.name and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    }


def take_fields(options: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """The options that are fields of a dataclass, taken out of those that a command was given."""
    return {field.name: options.pop(field.name) for field in fields(kind) if field.name in options}


class Word(click.Choice[Any]):
    """A word of an enumeration; the command gets the member.

    Words that are `unlisted` are understood, but neither help nor errors show them; `others`, which
    are no members, are given as they are.
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
        """The member a word names; any other word is answered with the vocabulary."""
        if value in (*self.choices, *self.unlisted):
            return value if value in self.extra_words else self.words(value)
        hint = did_you_mean(str(value), self.choices)
        raise click.UsageError(
            f"{param.opts[-1]} must be {either(self.choices)}, got {str(value)!r}{hint}", ctx
        )


class Name(click.Choice[str]):
    """A name in a registry, which is loaded when a name is read or the command's help is shown.

    `kind` is what the names are called where a shell completes them.
    """

    def __init__(self, registry: Callable[[], Registry[Any]], kind: str) -> None:
        self.registry = registry
        self.kind = kind
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # made when it is asked for
        """The names in the order of their files."""
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
        """The names that begin with what is typed, without loading the registry."""
        return names_starting(self.kind, incomplete)


def tests() -> Registry[TestRecord]:
    """The significance tests, loaded when one is named."""
    from foveal.analysis import TESTS

    return TESTS


task = click.option("--task", type=Word(Task), help="What the system was asked for.")
# Read before the others: its ending tells the form.
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
    """The option --resamples, where a number is drawn."""
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
    """The option --groups; `more` is what a command must say about it besides."""
    return click.option(
        "--groups", metavar="FILE[:COLUMN]",
        help="Show means per group of topics as well, as in topics.xml:query_type: a column of a CSV or"
        " TSV file with topics, or a field of a file of topics. Topics without a group form"
        f" (none){extra_text}; figures are of all topics.",
    )  # fmt: skip


# Of groups, where runs are tested.
CORRECTED = "; p is corrected within a measure and group"


def measures(without: str) -> Callable[[Command], Command]:
    """The option -m; `without` says which measures are the default."""
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
    """The option --figure for a type of result, given by its name."""

    def figures() -> Registry[FigureRecord]:
        from foveal.registry import Registry
        from foveal.rendering import figures_of

        records = figures_of(result).values()
        return Registry("figure", (record for record in records if record.offered))

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
    """The offset index of --elements, opened once in each process; None without the option."""
    # Cached by folder as well: messages use the path as given, and the working folder may change.
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
    """Options that name the texts with which results are compared."""

    docs: str | None
    chunks: str | None
    copies: Copies
    count: OffsetUnit
    may_be_missing: bool = False
    """Some may be missing: their documents are shown without text."""

    @classmethod
    def options(cls, command: Callable[..., None]) -> Callable[..., None]:
        """Give a command these options; it gets them as one argument, `texts`."""

        @wraps(command)
        def with_texts(**options: Any) -> None:
            command(texts=cls(**take_fields(options, cls)), **options)

        wrapped: Callable[..., None] = with_texts
        for option in reversed(_TEXT_OPTIONS):
            wrapped = option(wrapped)
        return wrapped

    @property
    def evidence(self) -> dict[str, Any]:
        """What readers of judgements take: the documents, in which evidence given as text is found."""
        return {"docs": self.documents, "copies": self.copies}

    def opened(self, *, lists_chunks: bool = False) -> TextArguments:
        """What `read_run` takes, with the documents opened once in each process; else nothing.

        Where a measure may ask for the chunk list, it needs no documents.
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
        """The documents' texts, opened once in each process; None without the option."""
        docs = _documents(self.docs, Path.cwd()) if self.docs else None
        if docs is None or not self.may_be_missing:
            return docs
        from foveal.intake import SomeDocuments

        return SomeDocuments(docs.texts, docs.source)

    def with_chunks_and_tokens(self, run: Run, tokens: str | None) -> Run:
        """A run with the chunk list and the tokenizer, which are used if a measure asks for them."""
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
    """The ending of a file's name that tells its form: that before .gz or the like."""
    from foveal.files import COMPRESSION_SUFFIXES

    path = PurePath(output)
    return (path.with_suffix("") if path.suffix in COMPRESSION_SUFFIXES else path).suffix.lower()


def results(
    *,
    without: tuple[Form, ...] = (Form.TREC, Form.INEX),
    verdicts: bool = False,
    of_files: Form = Form.TEXT,
) -> Callable[[Command], Command]:
    """The options --to and -o: most results have no forms of scores; `verdicts` are forms for programs that run checks.

    `of_files` is the form of a file whose name has another ending, or none. Where that is text, an
    ending that promises something else is refused.
    """
    if not verdicts:
        without += tuple(form for form in Form if form.is_verdict)

    def chosen_form(context: click.Context, option: click.Parameter, value: Form) -> Form:
        """The form asked for, or else the one that the ending of the output's name tells."""
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
