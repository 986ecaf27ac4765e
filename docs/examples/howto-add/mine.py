"""foveal with a rule of our own."""

from collections.abc import Iterable

import polars as pl

from foveal.cli import program
from foveal.errors import Problem
from foveal.rules import Results, on_each_line, rule


@rule("short-part", "A part has at least 50 characters.", "warning")
def short_part(results: Results) -> Iterable[Problem]:
    """Parts that are shorter."""
    short = pl.col("end") - pl.col("start") < 50
    return on_each_line(results.frame.filter(short), "fewer than 50 characters")


if __name__ == "__main__":
    program()
