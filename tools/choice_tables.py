"""The choices that change numbers, as tables: tasks, overlap, and whose defaults are taken."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any

from foveal import conventions
from foveal.choices import Like, Overlap, Task
from foveal.conventions import Choices, Conventions
from foveal.measures import overall_measure, task_measures
from tools.making import Lines, code, prose, section, table

TASKS = {
    Task.FOCUSED: "Ranked parts that do not overlap, to be read from the top.",
    Task.THOROUGH: "Ranked parts that may overlap.",
    Task.RIC: "Relevant in context: ranked documents, each with its relevant parts.",
    Task.BIC: "Best in context: ranked documents, each with the best place to start reading.",
    Task.DOCUMENT: "Ranked whole documents.",
    Task.RAG: "Ranked chunks of text for the prompt of a language model.",
}
POLICIES = {
    Overlap.ONCE: "It counts where it is first read; later it is neither read nor found.",
    Overlap.PAID: "It is found once, but read every time.",
    Overlap.WASTE: "Highlighted text counts once; other text is read every time.",
    Overlap.REFUSE: "The run is refused.",
    Overlap.DROP: "A part that overlaps an earlier one is left out.",
    Overlap.REPEAT: "It is found and read every time, so that recall may exceed 1.",
}
SOURCES = {
    Like.PAPER: "the papers that define the measures",
    Like.INEX_EVAL: "the official program of INEX, version 3.1",
    Like.TREC_EVAL_9: "trec_eval 9.0.8",
    Like.TREC_EVAL_10: "trec_eval 10.0",
    Like.CHROMA: "Chroma's chunking_evaluation",
    Like.LEGALBENCHRAG: "LegalBench-RAG",
    Like.NDEVAL: "ndeval, of TREC's Web track",
    Like.TRECGEN_2007: "the program of TREC Genomics 2007",
}
# Where a source does not do what the record says.
DENIED = {"missing_topics_have_rows": "Judged topics without results are averaged, but not listed."}
OURS = "Nothing: they are foveal's own."
# Choices that say who the source is, or are parameters of measures.
SKIPPED = {"like", "task", "beta", "reach"}


@section("tasks")
def tasks() -> Lines:
    """The tasks, each with its measures."""
    return table(
        ["`--task`", "what a system returns for a topic", "overall measure", "measures by default"],
        (
            [
                code(task), TASKS[task], code(overall_measure(task)),
                ", ".join(map(code, task_measures(task, Like.PAPER))),
            ]
            for task in Task
        ),
    )  # fmt: skip


@section("overlap policies")
def overlap_policies() -> Lines:
    """How text counts that a run returns more than once."""
    return table(
        ["`--overlap`", "text that a run returns more than once"],
        ([code(policy), POLICIES[policy]] for policy in Overlap),
    )


@section("sources of defaults")
def sources() -> Lines:
    """Whose defaults `--like` takes, and what these change."""
    return table(
        ["`--like`", "whose defaults", "what they change"],
        ([code(like), SOURCES[like], " ".join(changes_of(like)) or OURS] for like in Like),
    )


def changes_of(like: Like) -> list[str]:
    """What a source decides otherwise than the papers do: options, then a sentence each."""
    ours, theirs = (Choices(like=own).decided(Task.FOCUSED) for own in (Like.PAPER, like))
    changed = {
        own.name: getattr(theirs, own.name)
        for own in fields(Conventions)
        if own.name not in SKIPPED and getattr(ours, own.name) != getattr(theirs, own.name)
    }
    offered = {own.name for own in fields(Choices)}
    options = [code(f"--{name} {changed[name]}") for name in changed if name in offered]
    others = [_sentence(name, changed[name]) for name in changed if name not in offered]
    return [f"{', '.join(options)}.", *others] if options else others


def _sentence(name: str, value: Any) -> str:
    """A choice as its record explains it."""
    if isinstance(value, Enum):
        return f"A share x of R relevant documents: {prose(_documented('RecallCut')[value.name])}"
    return prose(_documented("Conventions")[name] if value else DENIED[name])


@cache
def _documented(name: str) -> dict[str, str]:
    """The sentence below each field of a class."""
    tree = ast.parse(inspect.getsource(conventions))
    (own,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    found: dict[str, str] = {}
    last = ""
    for node in own.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=last)) | ast.Assign(targets=[ast.Name(id=last)]):
                pass
            case ast.Expr(value=ast.Constant(value=str(said))) if last:
                found[last] = " ".join(said.split())
    return found
