"""trec_eval's own command line: its options, and the choices that they make."""

from __future__ import annotations

import getopt
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from foveal.choices import Like, Task, TopicSet
from foveal.conventions import LARGEST_NUMBER, Choices
from foveal.errors import UsageError

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
}
# The largest number of a long in C.
LARGEST_LONG = 2**63 - 1
VERSIONS = {"9": Like.TREC_EVAL_9, "10": Like.TREC_EVAL_10}
# Once meant the old output format; trec_eval still accepts it, without effect.
WITHOUT_EFFECT = "-o"


@cache
def usage() -> str:
    """Help text for the arguments."""
    from importlib.resources import files  # noqa: PLC0415  # only help and mistakes need it

    return files("foveal.trec_eval").joinpath("usage.txt").read_text(encoding="utf-8")


@dataclass
class Call:
    """A parsed command line of trec_eval."""

    like: Like = Like.TREC_EVAL_9
    files: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Call:
        """Parse arguments."""
        call = cls()
        try:
            pairs, call.files = getopt.gnu_getopt(list(arguments), SHORT, ["as=", *LONG])
        except getopt.GetoptError as error:
            raise UsageError(f"{error.msg}\n{usage()}") from error
        short = {f"--{name.rstrip('=')}": letter for name, letter in LONG.items()}
        for option, value in pairs:
            call._set(short.get(option, option), value)
        return call

    def _set(self, option: str, value: str) -> None:
        if option == "-D":
            raise UsageError("debugging output (-D) is not supported")
        if option == "--as":
            if value not in VERSIONS:
                raise UsageError(f"--as must be 9 or 10, got {value!r}")
            self.like = VERSIONS[value]
        elif option == "-m":
            self.measures.append(value)
        elif option[1:] + ":" in SHORT:
            self.values[option] = value
        elif option != WITHOUT_EFFECT:
            self.flags.add(option)

    def number(self, option: str, minimum: int) -> int | None:
        """Value of an option that is a whole number; `None` without the option."""
        text = self.values.get(option)
        if text is None:
            return None
        number = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else minimum - 1
        if number < minimum:
            raise UsageError(f"{option} must be a whole number of at least {minimum}, got {text!r}")
        return number

    def check(self) -> None:
        """Refuse unsupported options and wrong files."""
        for option, supported in (("-R", "qrels"), ("-T", "trec_results")):
            value = self.values.get(option, supported)
            if value != supported:
                raise UsageError(f"{option} {value} is not supported, only {option} {supported}")
        if len(self.files) != 2:
            raise UsageError(f"give two files, the judgements and the results\n{usage()}")
        if self.files.count("-") > 1:
            raise UsageError("standard input (-) can be read only once")

    def choices(self) -> Choices:
        """Choices about scoring made by the options."""
        rel, depth = self.number("-l", 0), self.number("-M", 1)
        return Choices(
            task=Task.DOCUMENT,
            like=self.like,
            topics=TopicSet.JUDGED if "-c" in self.flags else None,
            rel=1.0 if rel is None else float(min(rel, LARGEST_NUMBER)),
            depth=None if depth is None else min(depth, LARGEST_NUMBER),
            judged_only="-J" in self.flags,
            collection_size=min(self.number("-N", 0) or 0, LARGEST_LONG),
        )
