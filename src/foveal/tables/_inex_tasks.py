"""The names that INEX gave its tasks from 2002 to 2010, and the tasks they mean here."""

from __future__ import annotations

import re

from foveal.choices import Task

# As letters only, in lower case. The tasks without a retrieval strategy in their name (2002-2005)
# ranked elements that may overlap, as Thorough did later. Fetch and Browse (2005) and All in Context
# (2006) group results by article; Relevant in Context took their place.
_NAMES = {
    Task.FOCUSED: ("focused", "focussed"),
    Task.THOROUGH: (
        *("thorough", "co", "cos", "cas"),
        *("scas", "vcas", "sscas", "svcas", "vscas", "vvcas"),
    ),
    Task.RIC: ("relevantincontext", "ric", "allincontext", "fetchbrowse", "fetchandbrowse"),
    Task.BIC: ("bestincontext", "bic"),
    Task.DOCUMENT: ("document", "article"),
    Task.RAG: ("rag",),
}
_TASK_OF = {name: task for task, names in _NAMES.items() for name in names}
# Before the name: the kind of topics (2005), or the limit on what is shown (2010).
_PREFIX = re.compile(r"^(cos?|cas|restricted)")


def inex_task(name: str) -> Task | None:
    """The task that a name of INEX's means (`CO.Focussed`, `All In Context`); None if unknown."""
    letters = re.sub(r"[^a-z]", "", name.lower())
    return _TASK_OF.get(letters) or _TASK_OF.get(_PREFIX.sub("", letters))
