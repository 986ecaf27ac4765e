from __future__ import annotations

import pytest

from foveal.choices import Task
from foveal.tables import Origin

NAMES = {
    Task.FOCUSED: ["Focused", "focussed ", "CO.Focussed", "COS.Focussed", "Restricted Focused"],
    Task.THOROUGH: [
        *("Thorough", "CO.Thorough", "CO+S.Thorough", "CO", "CAS", "SCAS", "VCAS"),
        *("SSCAS", "SVCAS", "VSCAS", "VVCAS"),
    ],
    Task.RIC: [
        *("RelevantInContext", "Relevant in Context", "All In Context", "AllInContext"),
        *("CO.FetchBrowse", "Fetch and Browse", "Restricted Relevant in Context"),
    ],
    Task.BIC: ["BestInContext", "Best in Context"],
    Task.DOCUMENT: ["Article"],
    None: ["", "Adhoc", "restricted"],
}


@pytest.mark.parametrize(
    ("name", "task"), [(name, task) for task, names in NAMES.items() for name in names]
)
def test_every_name_of_inex_is_known(name: str, task: Task | None) -> None:
    assert Origin(about={"task": name}).task is task


@pytest.mark.parametrize("task", Task)
def test_the_words_of_the_option_are_names_too(task: Task) -> None:
    assert Origin(about={"task": task.value}).task is task
