"""Judgements of several people in one file, each under the name of who made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from foveal.choices import either
from foveal.errors import UsageError
from foveal.files import write_bytes
from foveal.formats._format import QRELS_FORMATS
from foveal.formats._reading import written_format

if TYPE_CHECKING:
    from foveal.formats._reading import Target
    from foveal.tables import Qrels


def write_assessors(
    tables: Mapping[str, Qrels],
    target: Target,
    format: str | None = None,  # noqa: A002  # the option's name
) -> None:
    """Write the judgements of several people, by name, to a path or stream.

    Without a format, it is the one that the path's ending names. `read_assessors` reads them back.
    """
    chosen = written_format(QRELS_FORMATS, target, format)
    if chosen.write_assessors is None:
        able = [known.name for known in QRELS_FORMATS.values() if known.write_assessors]
        raise UsageError(f"{chosen.name} cannot say who judged: use {either(sorted(able))}")
    write_bytes(chosen.write_assessors(tables), target)
