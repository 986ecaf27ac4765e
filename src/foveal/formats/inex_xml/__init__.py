"""INEX's XML formats: submissions of 2002-2008, assessments of 2005-2007."""

from __future__ import annotations

from foveal.choices import Ties
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, RunRows, qrels_format, run_format
from foveal.formats.inex_xml.assessments import read_assessments, write_qrels
from foveal.formats.inex_xml.submissions import (
    SUBMISSION,
    read_about,
    read_submission,
    write_run,
    write_run_paths,
)

ASSESSMENTS = {"assessments", "inex-assessments"}


@run_format(
    name="inex-xml",
    title="INEX submission in XML",
    sentence="Topics with results: a file and an element, a passage, or an offset with its length;"
    " ranked by rank, else by rsv, else in the order of the file.",
    shape='<inex-submission run-id="..."><topic topic-id="..."><result><file>...</file>, then <path>,'
    " <passage start= end=/> or <fol offset= length=/>, then <rank> or <rsv>",
    examples=(
        '<inex-submission run-id="mine"><topic topic-id="289"><result><file>9996</file>'
        "<path>/article[1]/bdy[1]/sec[2]</path><rank>1</rank></result></topic></inex-submission>",
    ),
    extensions=(".xml",),
    recognises=lambda head: head.root == SUBMISSION,
    read_about=read_about,
    write=write_run,
    ties=Ties.ID,
    write_paths=write_run_paths,
)
def read_run(source: Source, options: ReadOptions) -> RunRows:
    """Run in a submission."""
    return read_submission(source, options.elements)


@qrels_format(
    name="inex-xml",
    title="INEX assessments in XML",
    sentence="Files with best entry point, passages and the elements that these touch; needs the"
    " offset index (--elements).",
    shape='<assessments topic="..."><file name="..."><best-entry-point path=/><passage start= end=/>',
    examples=(
        '<assessments topic="289"><file name="9996"><best-entry-point path="/article[1]/bdy[1]"/>'
        '<passage start="/article[1]/bdy[1]/sec[2]/p[1]/text()[1].0" end="/article[1]/bdy[1]/sec[3]"'
        "/></file></assessments>",
    ),
    extensions=(".xml",),
    recognises=lambda head: head.root in ASSESSMENTS,
    write=write_qrels,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Judgements in assessments."""
    return read_assessments(source, options.elements)
