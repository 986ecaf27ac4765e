"""foveal assess agree: the agreement of assessors."""

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
# Options that only apply to runs; `rel` also decides which grades are relevant.
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
    is_shared = scoring.jobs > 1 or scoring.cluster is not None
    refuse_unshareable(runs, *judgements, shared=is_shared)
    by_assessor = _assessors(judgements, scoring)
    ranking = RunRanking(
        measures=scoring.measures,
        choices=scoring.choices,
        stated_tasks=scoring.stated_tasks(runs),
        for_each_run=partial(scoring.map_runs, runs, label="scoring"),
    )
    agreement = assessor_agreement(
        by_assessor, ranking if runs else None, rel=scoring.choices.rel, **choices
    )
    deliver(agreement, to, output, figure)


def _of_campaign(file: str, *, is_alone: bool) -> dict[str, Qrels]:
    """Judgements of a campaign by assessor; refused if there is nothing to compare."""
    from foveal.assess import Campaign, judgements

    with Campaign.open(file) as campaign:
        by_assessor = judgements(campaign)
    if not by_assessor or (is_alone and len(by_assessor) == 1):
        subject = f"only {next(iter(by_assessor))}" if by_assessor else "no assessor"
        raise DataError(
            f"{file}: {subject} has finished documents so far, but agreement needs two assessors"
        )
    return by_assessor


def _assessors(files: tuple[str, ...], scoring: Scoring) -> dict[str, Qrels]:
    """Judgements in files by assessor; a name in several files is refused."""
    from foveal.formats import stem_of

    by_assessor: dict[str, Qrels] = {}
    stems = [stem_of(file) for file in files]
    for file, stem in zip(files, stems, strict=True):
        if files.count(file) > 1:
            raise UsageError(f"{file} is given twice: everybody agrees with themselves")
        for name, qrels in _read(file, scoring, is_alone=len(files) == 1).items():
            # The paths distinguish files of the same name in several folders.
            assessor = file if name == stem and stems.count(stem) > 1 else name
            if assessor in by_assessor:
                raise UsageError(
                    f"{by_assessor[assessor].source} and {file} both name the assessor {assessor!r}: join the"
                    " files if it is the same person, or rename one"
                )
            by_assessor[assessor] = qrels
    return by_assessor


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
