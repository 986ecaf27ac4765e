"""foveal trec_eval: trec_eval's own arguments, order and lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from foveal.choices import Form
from foveal.cli._completion import file
from foveal.cli._parallel import is_stream
from foveal.errors import BadInput, DataError

if TYPE_CHECKING:
    from foveal.measures import TrecValue
    from foveal.tables import Qrels

PLACE_IN_LISTS = 20


class _RawArguments(click.Command):
    """A command that parses its own arguments: trec_eval's syntax is not click's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave all arguments to the command."""
        ctx.params["arguments"] = tuple(args)
        return []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Ask the shell to complete file names."""
        return file(incomplete)

    def get_help(self, ctx: click.Context) -> str:
        """The usage, in trec_eval's own terms."""
        from foveal.trec_eval import usage

        return usage()


@click.command(cls=_RawArguments, short_help="Score a run as trec_eval does, to the byte.")
def command(arguments: tuple[str, ...]) -> None:
    """Score a run with trec_eval's own arguments and output."""
    from foveal.cli._console import emit
    from foveal.evaluation import Evaluation
    from foveal.formats import opened_run
    from foveal.measures import trec_values
    from foveal.trec_eval import Call, Printer, norms, printed_measures
    from foveal.work import stage

    call = Call.of(arguments)
    if "-v" in call.flags:
        click.echo(f"foveal, as {call.like.value}", err=True)
        return
    if "-h" in call.flags:
        requested_values = trec_values(call.measures, call.like) if call.measures else []
        click.echo(_help(requested_values), nl=False)
        return
    call.check()
    requested_values = trec_values(call.measures, call.like)
    score_norms = norms(call.values["-Z"]) if "-Z" in call.values else None
    qrels = _judgements(call.files[0])
    evaluation = Evaluation.of(qrels, printed_measures(requested_values), call.choices())
    printer = Printer(
        evaluation,
        tuple(requested_values),
        per_topic="-q" in call.flags,
        summary="-n" not in call.flags,
        norms=score_norms,
    )
    with opened_run(call.files[1], "trec", lenient=True) as run, stage("scoring"):
        printed = printer(run)
    emit(printed.text.encode(), None, Form.TREC)


def _judgements(path: str) -> Qrels:
    """Read judgements of documents; the errors about a run or judged passages have hints."""
    from foveal.formats import read_qrels

    try:
        return read_qrels(path, "trec")
    except BadInput as error:
        from foveal.cli._scoring import hint_if_swapped

        hint_if_swapped(error, path)
        if _has_passages(path):
            raise DataError(
                f"{path}: these judgements have passages, and trec_eval scores documents only: score"
                " them with `foveal evaluate`, or make judgements of documents with `foveal convert"
                f" {path} FILE --to trec --min-highlighted 1`"
            ) from error
        raise


def _has_passages(path: str) -> bool:
    """True if a file that cannot be read as judgements of documents has judged passages."""
    from foveal.formats import read_qrels

    try:
        return not is_stream(path) and bool(read_qrels(path).passages.height)
    except DataError:
        return False


def _help(requested_values: Sequence[TrecValue]) -> str:
    """The usage, and descriptions of the requested measures."""
    from foveal.measures import record_of
    from foveal.rendering import described_measure
    from foveal.trec_eval import usage

    records = dict.fromkeys(
        record_of(value.spelling).name for value in requested_values if value.spelling
    )
    return "\n".join([usage(), *map(described_measure, records)])
