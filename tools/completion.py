"""Write the names that shells complete: `make docs`.

The records have them, but a shell cannot wait until all records are loaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from foveal.cli._completion import NAMES, NameKind
from foveal.cli._options import Name
from foveal.cli.assess.export import LOG
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, Format
from foveal.measures import REGISTRY
from foveal.registry import by_file
from tools.reference import commands

Names = dict[str, str]


def completion_names() -> str:
    """Content of the file: for every kind, the names and their meanings."""
    runs, judgements = RUN_FORMATS.values(), QRELS_FORMATS.values()
    names: dict[str, Names] = {
        NameKind.MEASURES: _measures(),
        NameKind.RUN_FORMATS: _titles(runs),
        NameKind.QRELS_FORMATS: _titles(judgements),
        # A name may be a format of runs and one of judgements, with two titles.
        NameKind.FORMATS: dict.fromkeys([*RUN_FORMATS, *QRELS_FORMATS], ""),
        NameKind.WRITTEN_FORMATS: {
            format_.name: "" for format_ in [*runs, *judgements] if format_.is_written
        },
        NameKind.EXPORTS: _titles(format_ for format_ in judgements if format_.is_written)
        | {LOG: "Everything that was done"},
        **dict(_chosen()),
    }
    return json.dumps(names, indent=1, ensure_ascii=False) + "\n"


def _titles(formats: Iterable[Format]) -> Names:
    return {format_.name: format_.title for format_ in formats}


def _measures() -> Names:
    records = [record for _, of_file in by_file(REGISTRY) for record in of_file]
    names = {record.name: record.title for record in records}
    for record in records:
        if record.plain:
            names.setdefault(record.plain, record.title)
    return names


def _chosen() -> Iterator[tuple[str, Names]]:
    """The names that an option takes one of, by what the option calls them."""
    for _, command in commands():
        for option in command.params:
            if isinstance(option.type, Name):
                registry = option.type.registry()
                meanings = {name: _meaning(registry[name]) for name in option.type.choices}
                yield option.type.kind, meanings


def _meaning(record: object) -> str:
    """The title of a record, or its sentence if it has none."""
    return str(getattr(record, "title", "") or getattr(record, "sentence", ""))


if __name__ == "__main__":
    NAMES.write_text(completion_names(), encoding="utf-8")
