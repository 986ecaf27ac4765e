"""The origin of a run, and its rows as a reader gives them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from foveal.choices import Order, Task
from foveal.errors import Problem
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables._run_columns import RunColumns

# Runs in these formats may mix whole documents with parts, and have elements that were not found.
INEX_FORMATS = {"inex", "inex-xml"}
# As letters only, in lower case. The tasks without a retrieval strategy in their name (2002-2005)
# ranked elements that may overlap, as Thorough did later. Fetch and Browse (2005) and All in Context
# (2006) group results by article; Relevant in Context took their place.
_INEX_NAMES = {
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

_TASK_OF = {name: task for task, names in _INEX_NAMES.items() for name in names}
# Prefix of the name: the kind of topics (2005), or the limit on the text shown (2010).
_PREFIX = re.compile(r"^(cos?|cas|restricted)")


@frozen
class Origin:
    """Where a run came from: its `source`, the `stem` of the file's name, the `format` it was read in.

    `last_tag` is the run's tag on the last line of a TREC file; `about` has an INEX submission's
    statements about itself: participant-id, task, query, description …; `aliases_used`
    are columns under the names of other tools, by those names.
    """

    source: str = "run"
    stem: str = ""
    format: str = "table"
    last_tag: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    aliases_used: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_inex(self) -> bool:
        """Whether the format is one of INEX's, where -1 is an element that was not found."""
        return self.format in INEX_FORMATS

    @property
    def task_name(self) -> str:
        """The run's own name of its task; empty if it names none."""
        return self.about.get("task", "")

    @property
    def task(self) -> Task | None:
        """The task that the run states; None if it states none or an unknown one.

        INEX's names differ (`CO.Focussed`, `All In Context`).
        """
        letters = re.sub(r"[^a-z]", "", self.task_name.lower())
        return _TASK_OF.get(letters) or _TASK_OF.get(_PREFIX.sub("", letters))


IN_MEMORY = Origin()


@frozen(kw_only=True)
class RunRows:
    """A run as its reader gives it: its rows and their problems.

    Rows are in a frame that is still to be checked, or in columns that need no check. `order` None
    lets the columns decide; `name` is what the file itself calls the run, `tag` what its lines do;
    `ignored` are the columns that were skipped; `paths` has the path of each part that is one
    element; `about` has the file's other statements; `aliases_used` are columns under the
    names of other tools, by those names.
    """

    frame: pl.DataFrame | RunColumns
    name: str = ""
    tag: str = ""
    order: Order | None = None
    problems: Sequence[Problem] = ()
    ignored: Collection[str] = ()
    paths: pl.Series | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    aliases_used: Mapping[str, str] = field(default_factory=dict)
