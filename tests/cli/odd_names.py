"""The small world under odd names, and reading back the rows and tables that have them.

Every name is markup, a quote or a separator in some form; its numbers must be those of the same
run, topic or document under a plain name.
"""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from tests.cli.calling import foveal
from tests.cli.forms import EYES, Table, tables
from tests.cli.small_world import QRELS, called

MACHINES = ("csv", "tsv", "json", "jsonl", "parquet")
FORMS = (*EYES, *MACHINES)
# Every sign that means something somewhere, and letters that are wide, combined or not Latin.
RUNS = {
    "echo": '<b>echo</b>|_&",\\', "delta": "%$#{delta}~^", "bravo": "Brävo→日本-e\u0301",
    "alpha": "*alpha*`[1](x)", "fox": "'fox';=@",
}  # fmt: skip
# A file that began with < or [ would be taken for XML or JSON.
TOPICS = {"10": 't<i>|_&",10', "31": "трид_цать*1*", "4": "t[4](four)"}
MEASURES = ("AiP", "iP[0.10]", "AgP(S=bep,n=60)", "charP")
FILES = tuple(f"{name}.fol" for name in RUNS)

Key = tuple[str, ...]


def write(plain: Path, folder: Path) -> Path:
    """The world of a folder, in which runs and topics have odd names."""
    for file in (QRELS, *FILES):
        lines = []
        for line in (plain / file).read_text().splitlines():
            words = line.split()
            words[0] = topic_of(words[0])
            lines.append(" ".join(words) if file == QRELS else _result(*words))
        (folder / file).write_text("\n".join(lines))
    return folder


def _result(*words: str) -> str:
    """A line that says what its run is called, which its file cannot be."""
    topic, _, doc, _, _, run, start, length = words
    place = {"start": int(start), "end": int(start) + int(length)}
    return json.dumps({"topic": topic, "doc": doc, **place, "run": run_of(run)})


def run_of(plain_name: str) -> str:
    """The odd name of a run."""
    return RUNS[plain_name]


def topic_of(plain_name: str) -> str:
    """The odd name of a topic, if it has one."""
    return TOPICS.get(plain_name, plain_name)


def rows(form: str, folder: Path, *words: str, code: int = 0) -> list[dict[str, Any]]:
    """The rows of a machine's form other than JSON; `code` is how the command leaves."""
    file = f"rows.{form}"
    answer = foveal(*words, "--to", form, "-o", file, folder=folder)
    assert answer.code == code, answer.err
    if form == "parquet":
        return pl.read_parquet(folder / file).to_dicts()
    output = (folder / file).read_text()
    if form == "jsonl":
        return [json.loads(line) for line in output.splitlines()]
    separator = {"csv": ",", "tsv": "\t"}[form]
    return list(csv.DictReader(io.StringIO(output), delimiter=separator, strict=True))


def shown(form: str, folder: Path, *words: str) -> list[Table]:
    """The tables of a form for eyes."""
    return tables(form, called(folder, *words, "--to", form).out)


def table_of(found: list[Table], *header: str) -> list[list[str]]:
    """The rows of the one table whose header begins so."""
    (table,) = [own for own in found if tuple(own[0][: len(header)]) == header]
    return table[1:]


def four(number: float) -> str:
    """A number as eyes read it."""
    return f"{number:.4f}"


def two_digits(p: float) -> str:
    """A p-value as eyes read it."""
    return "<0.0001" if p < 0.0001 else f"{Decimal(f'{p:.1e}'):f}"
