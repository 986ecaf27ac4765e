"""The sections of pages that say what the program's records say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator

import click

import foveal
from foveal.analysis import TESTS
from foveal.choices import Answers
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, TOPICS_FORMATS, Format
from foveal.registry import by_file
from foveal.rules import RULES, SEVERITIES
from foveal.studies import NOISES, PART_SETS, RANKINGS, ExpectedOrder
from tools.command_pages import contexts, page_of, short_help
from tools.exit_codes import exit_codes
from tools.figure_pages import anchor, offered
from tools.format_pages import CONTENTS
from tools.format_pages import formats as by_name
from tools.format_pages import page_of as page_of_format
from tools.making import Lines, code, prose, section, table
from tools.pages import ROOT


@section("kinds of answers")
def kinds_of_answers() -> Lines:
    """Kinds of answers that `foveal measures --answers` can name."""
    return table(
        ["`--answers`", "what a system returns for a topic"],
        ([code(kind.value), kind.sentence] for kind in Answers),
    )


def formats(records: Iterable[Format]) -> Lines:
    """Formats by name."""
    return table(
        ["format", "a line or record", "what it holds", "endings"],
        (
            [
                f"[{code(record.name)}]({page_of_format(record.name)})",
                code(record.shape.replace("\t", "⇥")),
                prose(record.sentence),
                ", ".join(map(code, record.extensions)),
            ]
            for record in sorted(records, key=lambda record: record.name)
        ),
    )


@section("formats of runs")
def run_formats() -> Lines:
    """Formats of runs."""
    return formats(RUN_FORMATS.values())


@section("formats of judgements")
def qrels_formats() -> Lines:
    """Formats of judgements."""
    return formats(QRELS_FORMATS.values())


@section("formats of topics")
def topics_formats() -> Lines:
    """Formats of topics."""
    return formats(TOPICS_FORMATS.values())


@section("formats")
def all_formats() -> Lines:
    """Every format with the contents that it reads and writes."""
    return table(
        ["format", *CONTENTS],
        (
            [
                f"[{code(name)}]({page_of_format(name)})",
                *(
                    "" if content not in by_content else _uses(by_content[content])
                    for content in CONTENTS
                ),
            ]
            for name, by_content in by_name().items()
        ),
    )


def _uses(format_: Format) -> str:
    return "read, written" if format_.is_written else "read"


@section("rules")
def rules() -> Lines:
    """Rules that `foveal check` applies, the gravest first."""
    return table(
        ["rule", "severity", "what it demands"],
        (
            [f"[{code(name)}](reference/rules.md#{name})", rule.severity, prose(rule.sentence)]
            for severity in SEVERITIES
            for name, rule in sorted(RULES.items())
            if rule.severity == severity
        ),
    )


@section("exit codes")
def codes() -> Lines:
    """The meaning of each exit code."""
    return table(
        ["code", "meaning"],
        ([code(str(exit_code)), meaning] for exit_code, meaning in exit_codes().items()),
    )


@section("significance tests")
def tests() -> Lines:
    """Tests that `compare --test` can name."""
    return table(
        ["`--test`", "title and source", "what it asks", "tails", "advice"],
        (
            [
                code(test.name),
                f"{test.title} ({test.cite})",
                test.sentence,
                ", ".join(test.tails),
                test.advice,
            ]
            for _, records in by_file(TESTS)
            for test in records
        ),
    )


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, and every command of a group, with the words that name it."""
    for name, command, _ in contexts():
        yield name, command


@section("library")
def library() -> Lines:
    """Contents of the library: functions, then the types that they take and return."""
    public = {name: getattr(foveal, name) for name in foveal.__all__}
    documented = {
        name: inspect.getdoc(member) or ""
        for name, member in public.items()
        if inspect.isfunction(member) or inspect.isclass(member)
    }
    return table(
        ["name", "what it is"],
        (
            [code(f"foveal.{name}"), prose(documented[name].partition("\n")[0])]
            for name in sorted(documented, key=lambda name: (inspect.isclass(public[name]), name))
        ),
    )


@section("commands")
def all_commands() -> Lines:
    """Commands, each with a sentence."""
    return table(
        ["command", "what it does"],
        ([f"[{code(name)}]({page_of(name)})", short_help(command)] for name, command in commands()),
    )


@section("figures")
def figures() -> Lines:
    """Figures of each command."""
    return table(
        ["command", "`--figure`", "what it shows"],
        (
            [
                code(f"foveal {command}"),
                f"[{code(name)}](reference/figures.md#{anchor(command, name)})",
                prose(record.sentence),
            ]
            for (command, name), record in offered().items()
        ),
    )


# A name, a key and what it is for, as the page lists its acts.
ACT = re.compile(r'^ +\["[^"]*", "([^"]+)", "([^"]+)"[],]', re.MULTILINE)
PAGE = ROOT / "src" / "foveal" / "assess" / "page"


def keys_in(file: str) -> Lines:
    """The keys that a file of the assessors' page offers."""
    keys = ACT.findall((PAGE / file).read_text(encoding="utf-8"))
    return table(["key", "what it does"], ([code(key), words] for key, words in keys))


@section("keys")
def keys() -> Lines:
    """Keys of assessors."""
    return keys_in("acts.js")


@section("keys of adjudicators")
def keys_of_adjudicators() -> Lines:
    """Further keys of adjudicators."""
    return keys_in("adjudication.js")


def expected(noun: str, heading: str, records: Iterable[ExpectedOrder]) -> Lines:
    """Things of the fidelity lab with their order of merit."""
    return table(
        [noun, heading, "expected to be worse than"],
        (
            [code(record.name), record.sentence, ", ".join(map(code, record.below))]
            for record in records
        ),
    )


@section("part sets")
def part_sets() -> Lines:
    """The part sets of the fidelity lab."""
    return expected("parts", "what is returned of a relevant document", PART_SETS.values())


@section("rankings")
def rankings() -> Lines:
    """The rankings of the fidelity lab."""
    return expected("ranking", "in which order documents are returned", RANKINGS.values())


@section("noises")
def noises() -> Lines:
    """The noises of the fidelity lab."""
    return table(
        ["noise", "what it does", "strength, in"],
        ([code(noise.name), noise.sentence, noise.unit] for noise in NOISES.values()),
    )
