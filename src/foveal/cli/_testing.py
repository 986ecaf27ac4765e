"""Options of significance tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import click

from foveal.choices import Correction, Tail
from foveal.cli import _options as options
from foveal.cli._completion import NameKind
from foveal.conventions import TESTING_LIKE, USUAL_TESTING, Testing


class _Resamples(click.IntRange):
    """A number of resamples, or all of them."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number, or the word `all`."""
        return value if value == "all" else super().convert(value, param, ctx)


_OPTIONS = (
    click.option(
        "--test", type=options.Name(options.tests, NameKind.TESTS),
        help=f"The significance test.  [default: {USUAL_TESTING.test}]",
    ),
    click.option(
        "--tail", type=options.Word(Tail),
        help=f"Test for better (one) or for different (two).  [default: {USUAL_TESTING.tail}]",
    ),
    options.alpha,
    click.option(
        "--correct", type=options.Word(Correction),
        help="Correct p for the number of pairs.  [default: holm, but none for tukey and tukey-rand,"
        " which hold for all pairs]",
    ),
    click.option(
        "--resamples", type=_Resamples(1), metavar="N|all",
        help="How many resamples of topics, signs or runs are drawn; all: every way to swap two runs"
        " on topics, which is taken by itself where few topics differ."
        f"  [default: {USUAL_TESTING.resamples:,}]",
    ),
    click.option(
        "--baseline", metavar="RUN", multiple=True,
        help="Compare the other runs with this one alone, which is given by its name or its file; may be"
        " repeated.",
    ),
    options.seed,
)  # fmt: skip


def testing_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a significance test to a command, which receives them as `testing`.

    --like may also name the design of a published study.
    """

    @wraps(command)
    def with_testing(like: Sequence[str], **arguments: Any) -> None:
        sources = [name for name in like if name in TESTING_LIKE]
        values = options.take_fields(arguments, Testing)
        typed = {name: value for name, value in values.items() if value is not None}
        source = TESTING_LIKE[sources[0]] if sources else USUAL_TESTING
        command(
            testing=replace(source, **typed),
            like=[name for name in like if name not in TESTING_LIKE],
            **arguments,
        )

    return options.with_options(with_testing, _OPTIONS)
