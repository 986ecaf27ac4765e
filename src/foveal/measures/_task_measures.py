"""The default measures of each task, and the choice of the task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from foveal.choices import Like, Task
from foveal.conventions import Choices
from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.tables import Qrels, Run

# The error about runs that state different tasks names so many.
SHOWN_RUNS = 5


@frozen
class TaskChoice:
    """A task, and its origin if neither the caller nor the judgements chose it."""

    task: Task
    origin: str = ""

    def __str__(self) -> str:
        """The task as settings show it."""
        return f"{self.task.value} ({self.origin})" if self.origin else self.task.value

    @classmethod
    def of(cls, choices: Choices, qrels: Qrels, tasks: Mapping[str, Task | None]) -> TaskChoice:
        """The task to score at; `tasks` has the one that each run states, if any, by source.

        Judgements without highlights can only score documents, whatever the runs state. Programs
        that score chunks have task rag alone.
        """
        if choices.task:
            return cls(choices.task)
        if not qrels.has_highlights:
            return cls(Task.DOCUMENT)
        if choices.like.is_of_chunks:
            return cls(Task.RAG, f"as in {choices.like.value}")
        stated_tasks = {source: task for source, task in tasks.items() if task}
        if len(set(stated_tasks.values())) > 1:
            texts = [f"{source} {task.value}" for source, task in stated_tasks.items()]
            suffix = f" and {len(texts) - SHOWN_RUNS} more" if len(texts) > SHOWN_RUNS else ""
            raise UsageError(
                "choose a task with --task (in Python task=), because the runs state different ones:"
                f" {', '.join(texts[:SHOWN_RUNS])}{suffix}"
            )
        if not stated_tasks:
            return cls(Task.FOCUSED)
        (task,) = set(stated_tasks.values())
        if len(stated_tasks) < len(tasks):
            return cls(task, f"stated by {len(stated_tasks)} of {len(tasks)} runs")
        return cls(task, "stated by the run" if len(tasks) == 1 else "stated by the runs")

    def notes(self, run: Run) -> Iterator[str]:
        """Note that a run is not scored as the task it states."""
        text, stated_task, task = run.origin.task_name, run.origin.task, self.task
        if text and stated_task is None:
            yield f"states task {text!r}, which is unknown; scored as {task.value}"
        elif stated_task not in {None, task}:
            yield (
                f"states task {text!r} ({stated_task}) but is scored as {task.value};"
                f" --task {stated_task} scores it as stated"
            )


_PARTS = ["iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP", "charP", "charR", "charF"]
_DOCUMENTS = "gP{s}@5 gP{s}@10 gP{s}@25 gP{s}@50 AgP{s}"
_DEFAULTS = {
    Task.FOCUSED: _PARTS,
    Task.THOROUGH: _PARTS,
    Task.RIC: _DOCUMENTS.format(s="").split(),
    Task.BIC: _DOCUMENTS.format(s="(S=bep)").split(),
    Task.DOCUMENT: ["AP", "nDCG@10", "P@10", "RR", "Rprec"],
    Task.RAG: ["cR@5", "cP@5", "cIoU@5", "hit@5", "all@5", "cR(chars=2000)"],
}

_OVERALL = {
    Task.FOCUSED: "AiP",
    Task.THOROUGH: "AiP",
    Task.RIC: "AgP",
    Task.BIC: "AgP(S=bep)",
    Task.DOCUMENT: "AP",
    Task.RAG: "cR(chars=2000)",
}

_COUNTS = ["num_q", "num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size"]
_CURVE = [f"iP[{level / 100:.2f}]" for level in range(101)]
_RANKS = (1, 2, 3, 5, 10, 25, 50)


def overall_measure(task: Task) -> str:
    """The measure that ranks systems at a task."""
    return _OVERALL[task]


def curve_measures(task: Task, points: int) -> list[str]:
    """Interpolated precision at evenly spaced recall levels, of what the task returns."""
    levels = [level / (points - 1) for level in range(points)]
    if task is Task.DOCUMENT:
        return [f"IPrec@{level:g}" for level in levels]
    name = {Task.RIC: "igP", Task.BIC: "igP(S=bep)"}.get(task, "iP")
    return [f"{name}[{level:.2f}]" for level in levels]


def task_measures(task: Task, like: Like) -> list[str]:
    """The measures of a task; like inex_eval, those of that program's report."""
    if like is not Like.INEX_EVAL or task in {Task.DOCUMENT, Task.RAG}:
        return _DEFAULTS[task]
    if task in {Task.FOCUSED, Task.THOROUGH}:
        articles = ["art_prec", "art_rec", "art_f1", "charP", "charR", "charF"]
        return [*_COUNTS, *articles, "iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP", *_CURVE]
    score = "(S=bep)" if task is Task.BIC else ""
    at_ranks = [name for r in _RANKS for name in (f"gP{score}@{r}", f"gR@{r}")]
    curve = [f"igP{score}[{level / 10:.2f}]" for level in range(11)]
    return [*_COUNTS, *at_ranks, f"AgP{score}", *curve]
