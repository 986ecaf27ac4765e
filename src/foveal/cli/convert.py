"""foveal convert: runs and judgements from one format to another."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from foveal.choices import Content
from foveal.cli import _options as options
from foveal.cli._completion import NameKind, names_of
from foveal.cli._console import refuse_overwriting
from foveal.cli._parallel import cluster_option, jobs_option, mapped, refuse_unshareable
from foveal.cli._progress_bar import above_bars
from foveal.errors import UsageError, counted
from foveal.frozen import frozen

if TYPE_CHECKING:
    from foveal.elements import ElementLookup
    from foveal.files import Source
    from foveal.formats import QrelsFormat, RunFormat
    from foveal.tables import Qrels, Run

PLACE_IN_LISTS = 90


@click.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.argument("target", metavar="OUT")
@options.elements
@click.option(
    "--format", metavar="F", help="The format of IN.  [default: recognised]",
    shell_complete=names_of(NameKind.FORMATS),
)  # fmt: skip
@click.option(
    "--to",
    metavar="F",
    shell_complete=names_of(NameKind.WRITTEN_FORMATS),
    help="The format of OUT; needed for a folder.  [default: as the ending of OUT says]",
)
@click.option("--kind", type=options.Word(Content), help="What IN is.  [default: recognised]")
@click.option(
    "--paths", is_flag=True,
    help="Write parts as the smallest elements around them (inex, inex-xml).",
)  # fmt: skip
@click.option(
    "--documents", is_flag=True,
    help="Write whole documents, each once, ranked where the run first returns a part of it.",
)  # fmt: skip
@click.option(
    "--min-highlighted", type=click.IntRange(1), metavar="N",
    help="Turn highlights into grades: 1 for N highlighted characters or more, else 0.",
)  # fmt: skip
@options.assessors
@options.TextOptions.options
@jobs_option("Convert N files at a time.")
@cluster_option("Convert")
def command(
    sources: tuple[str, ...], target: str, jobs: int, cluster: str | None, **arguments: Any
) -> None:
    """Write runs or judgements in another format; several files go into the folder OUT.

    \b
    Examples:
      foveal convert mine.xml mine.fol --elements INDEX          element paths to offsets
      foveal convert mine.fol mine.xml --elements INDEX --paths  offsets to element paths
      foveal convert runs/*.xml fol/ --to inex --elements INDEX --jobs 4
      foveal convert mine.fol mine.trec --documents              the ranking of documents alone
      foveal convert inex.qrels judged.jsonl
      foveal convert questions.csv gold.jsonl                    other tools' questions with evidence
      foveal convert gold.jsonl offsets.jsonl --docs corpus/     evidence given as text
      foveal convert inex.qrels trec.qrels --to trec --min-highlighted 300
      cat topics/*.xml | foveal convert - all.qrels --to inex --elements INDEX

    Results and judgements that the other format cannot hold are refused, and changes are counted
    and listed. What a submission says about itself (participant, task, query, description) goes
    along where the other format can hold it; otherwise a note lists what is left out. `foveal
    formats` lists the formats.
    """
    from foveal.files import is_special, write_bytes

    convert = Convert(**arguments)
    pairs = [(source, target) for source in sources]
    if len(sources) > 1 or (is_special(target) and Path(target).is_dir()):
        pairs = _targets_in(target, sources, convert.to)
    for _, written in pairs:
        refuse_overwriting(written, sources)
    refuse_unshareable(sources, shared=jobs > 1 or cluster is not None)
    done = mapped(convert, pairs, jobs=jobs, cluster=cluster, label="converting")
    for (_, written), (data, lines) in zip(pairs, done, strict=True):
        write_bytes(data, written)
        with above_bars():
            for line in lines:
                click.echo(line, err=written == "-")


def _targets_in(folder: str, sources: Sequence[str], to: str | None) -> list[tuple[str, str]]:
    """Pairs of each source and its target file in a folder, which is made if it does not exist."""
    from foveal.files import folder_for
    from foveal.formats import ending, stem_of

    if to is None:
        raise UsageError(f"{folder}: give the format of the files in this folder with --to F")
    if "-" in sources:
        raise UsageError(
            "standard input (-) has no name for a file in a folder: give a file as OUT"
        )
    names = [f"{stem_of(source)}{ending(to)}" for source in sources]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"{folder}: several files would be called {repeated[0]}")
    path = folder_for(folder)
    return [(source, str(path / name)) for source, name in zip(sources, names, strict=True)]


@frozen
class Convert:
    """Converts a file into the bytes of another; it can be sent to other processes."""

    elements: str | None
    format: str | None
    to: str | None
    kind: Content | None
    paths: bool
    documents: bool
    min_highlighted: int | None
    assessors: str
    texts: options.TextOptions

    def __call__(self, pair: tuple[str, str]) -> tuple[bytes, list[str]]:
        """The bytes for a target, and the lines to print about them."""
        from foveal.files import Source
        from foveal.formats import content_of

        path, target = pair
        index = options.index_at(self.elements)
        with Source.of(path) as source:
            content = self.kind or content_of(source) or self._content_by_options()
            if content is None:
                raise UsageError(
                    f"{source.name} could be a run or judgements: give --kind run or --kind judgements"
                )
            if content is Content.RUN:
                if self.min_highlighted is not None:
                    raise UsageError(
                        "--min-highlighted is for judgements, but this is a run (--kind)"
                    )
                return self._run(source, target, index)
            for option, is_set in (("--paths", self.paths), ("--documents", self.documents)):
                if is_set:
                    raise UsageError(f"{option} is for runs, but these are judgements (--kind)")
            return self._judgements(source, target, index)

    def _content_by_options(self) -> Content | None:
        """Content of the input, decided by options that apply to one kind only."""
        if self.paths or self.documents:
            return Content.RUN
        return None if self.min_highlighted is None else Content.JUDGEMENTS

    def _run(
        self, source: Source, target: str, index: ElementLookup | None
    ) -> tuple[bytes, list[str]]:
        """A run in its new format, and lines about the changes."""
        from foveal.formats import RUN_FORMATS, output_format, read_run
        from foveal.rules import as_documents

        # A .run file may have any format, but rankings of documents are mostly for trec_eval.
        default_format = "trec" if self.documents and target.endswith(".run") else None
        form = output_format(RUN_FORMATS, target, self.to or default_format)
        if self.paths and index is None:
            raise UsageError("--paths needs the collection's offset index: --elements INDEX")
        run = read_run(source, self.format, elements=index, **self.texts.for_runs())
        widened_by = index if self.paths else None
        if not self.documents:
            return _written_run(run, target, form, widened_by)
        documents_run = as_documents(run)
        results, documents = (len(table.results) for table in (run, documents_run))
        data, lines = _written_run(documents_run, target, form, widened_by)
        return data, [f"{counted(results, 'result')} → {counted(documents, 'document')}", *lines]

    def _judgements(
        self, source: Source, target: str, index: ElementLookup | None
    ) -> tuple[bytes, list[str]]:
        """Judgements in their new format, and lines about the changes."""
        from foveal.formats import QRELS_FORMATS, output_format, read_qrels

        form = output_format(QRELS_FORMATS, target, self.to)
        qrels = read_qrels(
            source, self.format, elements=index, assessors=self.assessors, **self.texts.for_qrels
        )
        return _written_qrels(qrels, target, form, index, self.min_highlighted)


def _written_run(
    run: Run, target: str, form: RunFormat, index: ElementLookup | None
) -> tuple[bytes, list[str]]:
    """A run in its new format, and lines about the changes; with an index, parts become elements."""
    from foveal.formats import write_run
    from foveal.rules import as_elements, with_scores, with_whole_documents_as_spans
    from foveal.tables import Origin, columns, unplaced_results

    lines = list(run.notes)
    if index is not None:
        run, grown = as_elements(run, index)
        lines.append(f"{counted(grown, 'part')} enlarged to the smallest element around")
    has_parts = not run.whole_documents_only and not unplaced_results(run).height
    if form.needs_spans or (has_parts and not Origin(format=form.name).is_inex):
        total = run.frame[columns.START].null_count()
        run = with_whole_documents_as_spans(run)
        if converted := total - run.frame[columns.START].null_count():
            lines.append(f"{counted(converted, 'whole document')} written with start and length")
    if form.needs_scores and run.frame[columns.SCORE].null_count():
        run = with_scores(run)
        lines.append("added scores, 1/rank, because the run has none")
    if run.about and not form.read_about:
        left_out = ", ".join(dict.fromkeys(name.partition("/")[0] for name in run.about))
        lines.append(f"left out, because {form.name} cannot hold it: {left_out}")
    if form.name == "trec" and (ties := _ranked_otherwise(run)):
        lines.append(f"{counted(ties, 'result')} with tied scores, which trec ranks by document id")
    write_run(run, data := BytesIO(), form.name, paths=index is not None)
    topics = counted(run.frame[columns.TOPIC].n_unique(), "topic")
    lines.append(f"{target}: {counted(run.frame.height, 'result')} of {topics}, {form.name}")
    return data.getvalue(), lines


def _ranked_otherwise(run: Run) -> int:
    """Count results whose rank changes if ties are broken by document id."""
    from foveal.choices import Order, Ties
    from foveal.tables import rows_in_order

    return int((rows_in_order(run) != rows_in_order(run, Order.SCORE, Ties.ID)).sum())


def _written_qrels(
    qrels: Qrels, target: str, form: QrelsFormat, index: ElementLookup | None, minimum: int | None
) -> tuple[bytes, list[str]]:
    """Judgements in a format, and lines about the changes."""
    from foveal.formats import write_qrels
    from foveal.rules import count_resized, graded_by_text
    from foveal.tables import columns

    lines = [*qrels.notes, *([f"assessors: {qrels.assessors}"] if qrels.assessors else ())]
    if minimum is None and qrels.has_highlights and not form.holds_highlights:
        raise UsageError(
            f"{form.name} cannot hold highlights: --min-highlighted N turns them into grades"
        )
    if minimum is not None:
        if not qrels.has_highlights:
            raise UsageError("--min-highlighted: these judgements have no highlights")
        highlighted = qrels.passages[columns.JUDGED].n_unique()
        qrels = graded_by_text(qrels, minimum)
        relevant = int((qrels.documents[columns.GRADE] > 0).sum())
        lines.append(
            f"grade 1 for {relevant:,} of {counted(highlighted, 'document')} with highlights (at least"
            f" {counted(minimum, 'highlighted character')}), grade 0 for all others"
        )
    if form.name == "inex-xml" and index is not None and (count := count_resized(qrels, index)):
        changed = counted(count, "judged document")
        lines.append(f"{changed} with other sizes than the index counts: written as counted")
    write_qrels(qrels, data := BytesIO(), form.name, elements=index)
    topics = counted(qrels.documents[columns.TOPIC].n_unique(), "topic")
    documents = counted(qrels.documents.height, "judged document")
    return data.getvalue(), [*lines, f"{target}: {documents} of {topics}, {form.name}"]
