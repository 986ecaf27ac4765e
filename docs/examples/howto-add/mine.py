"""foveal with a rule of our own."""

from collections.abc import Iterable

import polars as pl

from foveal.cli import program
from foveal.errors import Problem
from foveal.rules import Results, on_each_line, rule
from foveal.tables import columns as c


@rule("long-part", "A part has at most 100,000 characters.", "warning")
def long_part(results: Results) -> Iterable[Problem]:
    """Parts that are longer, which no prompt has room for."""
    long = pl.col(c.END) - pl.col(c.START) > 100_000
    return on_each_line(results.frame.filter(long), "more than 100,000 characters")


if __name__ == "__main__":
    program()
