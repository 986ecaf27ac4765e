"""foveal assess agree: how far assessors agree."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from foveal.choices import Form
from foveal.cli import _options as options
from foveal.cli._console import deliver, figure_file
from foveal.cli._parallel import refuse_typed, refuse_unshareable
from foveal.cli._scoring import Scoring, ScoringCommand, looks_like_run
from foveal.conventions import Choices
from foveal.errors import BadInput, DataError, UsageError

if TYPE_CHECKING:
    from foveal.tables import Qrels

PLACE_IN_LISTS = 40
# Options that mean something only where runs are ranked; `rel` also says what is relevant.
_ABOUT_RUNS = {choice.name for choice in fields(Choices)} - {"rel"} | {
    "measures", "lenient", "run_format", "chunks", "count", "tokens",
}  # fmt: skip


class _AgreeCommand(ScoringCommand):
    understood = (
        "With --run, rare options of scoring work here too, but for --assessors: see `foveal evaluate"
        " --help`."
    )


@click.command(cls=_AgreeCommand)
@click.argument("judgements", metavar="CAMPAIGN|QRELS...", nargs=-1, required=True)
@click.option(
    "--run", "runs", metavar="FILE", multiple=True,
    help="A run to rank by each assessor's judgements; may be repeated, two or more are needed.",
)  # fmt: skip
@options.alpha
@options.resamples(1000)
@options.seed
@Scoring.options("By default the one that ranks systems at the task.", one_qrels=False)
@options.figure("AssessorAgreement")
@options.results()
def command(
    judgements: tuple[str, ...],
    runs: tuple[str, ...],
    scoring: Scoring,
    figure: str | None,
    to: Form,
    output: str | None,
    **choices: Any,
) -> None:
    """Say how far assessors agree about text and documents.

    \b
    Examples:
      foveal assess agree track.campaign                  how far its assessors agree so far
      foveal assess agree ann.qrels bob.qrels             how far two assessors agree
      foveal assess agree gold.jsonl                      those that its rows name ("assessor")
      foveal assess agree ann.qrels bob.qrels --run a.fol --run b.fol --run c.fol    do they rank alike?
      foveal assess agree *.qrels --to json -o agreement.json
      foveal assess agree ann.qrels bob.qrels --figure topics -o agreement.svg

    Each file holds the judgements of one assessor, who is named after the file, or of those that its
    rows name; or it is a campaign, of which finished documents count. Documents that two or more
    assessors judged are compared, character by character and as a whole: α (Krippendorff), κ (Cohen),
    F1 and overlap; then how far apart best entry points are. With --run, runs are ranked by the
    judgements of each.
    """
    from foveal.judging import RunRanking, assessor_agreement

    if not runs:
        refuse_typed(
            _ABOUT_RUNS, "is about runs, and there are none: name two or more with --run FILE"
        )
    if figure:
        figure_file(output)
    shared = scoring.jobs > 1 or scoring.cluster is not None
    refuse_unshareable(runs, *judgements, shared=shared)
    tables = _assessors(judgements, scoring)
    ranking = RunRanking(
        measures=scoring.measures,
        choices=scoring.choices,
        stated_tasks=scoring.stated_tasks(runs),
        for_each_run=partial(scoring.of_each, runs, label="scoring"),
    )
    found = assessor_agreement(
        tables, ranking if runs else None, rel=scoring.choices.rel, **choices
    )
    deliver(found, to, output, figure)


def _of_campaign(file: str, *, is_alone: bool) -> dict[str, Qrels]:
    """The judgements of a campaign's assessors, who must have something to compare."""
    from foveal.assess import Campaign, judgements

    with Campaign.open(file) as campaign:
        found = judgements(campaign)
    if not found or (is_alone and len(found) == 1):
        who = f"only {next(iter(found))}" if found else "no assessor"
        raise DataError(
            f"{file}: {who} has finished documents so far, but agreement needs two assessors"
        )
    return found


def _assessors(files: tuple[str, ...], scoring: Scoring) -> dict[str, Qrels]:
    """The judgements in files by assessor; a name that several files have is refused."""
    from foveal.formats import stem_of

    found: dict[str, Qrels] = {}
    stems = [stem_of(file) for file in files]
    for file, stem in zip(files, stems, strict=True):
        if files.count(file) > 1:
            raise UsageError(f"{file} is given twice: everybody agrees with themselves")
        for name, own in _read(file, scoring, is_alone=len(files) == 1).items():
            # The paths distinguish files of the same name in several folders.
            called = file if name == stem and stems.count(stem) > 1 else name
            if called in found:
                raise UsageError(
                    f"{found[called].source} and {file} both name the assessor {called!r}: join the"
                    " files if it is the same person, or rename one"
                )
            found[called] = own
    return found


def _read(file: str, scoring: Scoring, *, is_alone: bool) -> dict[str, Qrels]:
    from foveal.assess import is_database

    if is_database(file):
        return _of_campaign(file, is_alone=is_alone)
    try:
        return scoring.by_assessor(file)
    except BadInput as error:
        if looks_like_run(file):
            error.lead_with(f"{file} looks like a run, not like judgements: give runs with --run")
        raise
