"""The measures of each task, which are taken unless the caller names some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from foveal.choices import Like, Task
from foveal.conventions import Choices
from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.tables import Qrels, Run

# How many runs the error lists that state different tasks.
SHOWN_RUNS = 5


@frozen
class TaskChoice:
    """A task, and where it came from if not from the caller or the judgements."""

    task: Task
    origin: str = ""

    def __str__(self) -> str:
        """The task as settings show it."""
        return f"{self.task.value} ({self.origin})" if self.origin else self.task.value

    @classmethod
    def of(cls, choices: Choices, qrels: Qrels, stated: Mapping[str, Task | None]) -> TaskChoice:
        """The task to score at; `stated` has the task that each run states, by the run's source.

        Without highlights, judgements can only score documents, whatever the runs state. Programs
        that score chunks know no other task.
        """
        if choices.task:
            return cls(choices.task)
        if not qrels.has_highlights:
            return cls(Task.DOCUMENT)
        if choices.like.is_of_chunks:
            return cls(Task.RAG, f"as in {choices.like.value}")
        known = {source: task for source, task in stated.items() if task}
        if len(set(known.values())) > 1:
            shown = [f"{source} {task.value}" for source, task in known.items()]
            more = f" and {len(shown) - SHOWN_RUNS} more" if len(shown) > SHOWN_RUNS else ""
            raise UsageError(
                "choose a task with --task (in Python task=), because the runs state different ones:"
                f" {', '.join(shown[:SHOWN_RUNS])}{more}"
            )
        if not known:
            return cls(Task.FOCUSED)
        (task,) = set(known.values())
        if len(known) < len(stated):
            return cls(task, f"stated by {len(known)} of {len(stated)} runs")
        return cls(task, "stated by the run" if len(stated) == 1 else "stated by the runs")

    def notes(self, run: Run) -> Iterator[str]:
        """Note that a run is not scored as the task it states."""
        stated, known, task = run.origin.task_name, run.origin.task, self.task
        if stated and known is None:
            yield f"states task {stated!r}, which is unknown; scored as {task.value}"
        elif known not in {None, task}:
            yield (
                f"states task {stated!r} ({known}) but is scored as {task.value}; --task {known}"
                " scores it as stated"
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
    """The one measure that ranks systems at a task."""
    return _OVERALL[task]


def curve_measures(task: Task, points: int) -> list[str]:
    """Precision at that many evenly spaced levels of recall, in what the task returns."""
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
