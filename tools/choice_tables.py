"""The choices that change numbers, as tables: tasks, overlap, and whose defaults are taken."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any

from foveal.choices import Like, Overlap, Task, Vocabulary
from foveal.conventions import Choices, Conventions, RecallCut
from foveal.measures import overall_measure, task_measures
from foveal.tables import aliases
from tools.making import Lines, code, prose, section, table

# Where a source does not do what the record says.
DENIED = {"missing_topics_have_rows": "Judged topics without results are averaged, but not listed."}
OURS = "Nothing: they are foveal's own."
# What else is to be said about the columns that have several names.
BESIDES = {
    "end": "; or `length`, the characters from the start on",
    "score": ": these do not rank, so the run is ranked by rank, else by line",
}
# Choices that say who the source is, or are parameters of measures.
SKIPPED = {"like", "task", "beta", "reach"}


@section("tasks")
def tasks() -> Lines:
    """The tasks, each with its measures."""
    return table(
        ["`--task`", "what a system returns for a topic", "overall measure", "measures by default"],
        (
            [
                code(task), sentence_of(task), code(overall_measure(task)),
                ", ".join(map(code, task_measures(task, Like.PAPER))),
            ]
            for task in Task
        ),
    )  # fmt: skip


@section("overlap policies")
def overlap_policies() -> Lines:
    """Policies for text that a run returns more than once."""
    return table(
        ["`--overlap`", "text that a run returns more than once"],
        ([code(policy), sentence_of(policy)] for policy in Overlap),
    )


@section("sources of defaults")
def sources() -> Lines:
    """Whose defaults `--like` takes, and what these change."""
    return table(
        ["`--like`", "whose defaults", "what they change"],
        (
            [code(like), _in_a_cell(sentence_of(like)), " ".join(changes_of(like)) or OURS]
            for like in Like
        ),
    )


@section("columns of other tools")
def columns_of_other_tools() -> Lines:
    """Names of the columns of runs in other tools."""
    return table(
        ["column", "also known as"],
        (
            [code(column), ", ".join(map(code, names)) + BESIDES.get(column, "")]
            for column, names in aliases.BY_COLUMN.items()
            if column in aliases.RUN_FIELDS
        ),
    )


def sentence_of(word: Vocabulary) -> str:
    """The sentence below a word of a vocabulary; empty if there is none."""
    return _documented(type(word)).get(word.name, "")


def _in_a_cell(sentence: str) -> str:
    """A sentence that names something, as a part of another one."""
    clause = sentence.rstrip(".")
    return f"the{clause[3:]}" if clause.startswith("The ") else clause


def changes_of(like: Like) -> list[str]:
    """Conventions in which a source differs from the papers: options, then a sentence each."""
    defaults, conventions = (
        Choices(like=name).conventions(Task.FOCUSED) for name in (Like.PAPER, like)
    )
    changed = {
        field.name: getattr(conventions, field.name)
        for field in fields(Conventions)
        if field.name not in SKIPPED
        and getattr(defaults, field.name) != getattr(conventions, field.name)
    }
    offered = {field.name for field in fields(Choices)}
    options = [code(f"--{name} {changed[name]}") for name in changed if name in offered]
    sentences = [_sentence(name, changed[name]) for name in changed if name not in offered]
    return [f"{', '.join(options)}.", *sentences] if options else sentences


def _sentence(name: str, value: Any) -> str:
    """A choice as its record explains it."""
    if isinstance(value, Enum):
        return f"A share x of R relevant documents: {prose(_documented(RecallCut)[value.name])}"
    return prose(_documented(Conventions)[name] if value else DENIED[name])


@cache
def _documented(class_: type) -> dict[str, str]:
    """The sentence below each field or member of a class."""
    (tree,) = ast.parse(inspect.getsource(class_)).body
    sentences: dict[str, str] = {}
    last = ""
    for node in tree.body if isinstance(tree, ast.ClassDef) else ():
        match node:
            case ast.AnnAssign(target=ast.Name(id=last)) | ast.Assign(targets=[ast.Name(id=last)]):
                pass
            case ast.Expr(value=ast.Constant(value=str(text))) if last:
                sentences[last] = " ".join(text.split())
    return sentences
