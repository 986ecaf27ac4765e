"""The task to score at: the one asked for, else what the runs state, else what judgements allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from foveal.choices import Task
from foveal.conventions import Choices
from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.tables import TASK, Qrels, Run

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


def task_notes(run: Run, task: Task) -> Iterable[str]:
    """A note about a run that is not scored as the task it states."""
    stated = run.about.get(TASK)
    if stated and run.task is None:
        yield f"states task {stated!r}, which is unknown; scored as {task.value}"
    elif run.task not in {None, task}:
        yield (
            f"states task {stated!r} ({run.task}) but is scored as {task.value}; --task {run.task}"
            " scores it as stated"
        )
