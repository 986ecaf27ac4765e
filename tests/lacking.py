"""What a new record still lacks, so that one test for each registry can say it in one sentence.

Other tests leave a record alone as long as it is not complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, partial
from typing import Any, get_args

import click
from tools import choice_tables, command_pages, environment, figure_pages, format_pages
from tools.error_examples import EXAMPLES
from tools.exit_codes import error_classes
from tools.figures import ALL, FOLDER
from tools.format_fields import FIELDS, fields_of, recognised_by
from tools.measure_letters import formulas_of, letters_of, measures_in
from tools.measure_pages import FOLDER as MEASURES
from tools.measure_pages import file_of
from tools.pages import DOCS
from tools.sources import references

from foveal import errors
from foveal.analysis import TESTS
from foveal.choices import Like, Overlap, Task
from foveal.conventions import Choices, ChoiceWords, TestName
from foveal.formats._format import only_named
from foveal.measures import DOCUMENT_SCORES, REGISTRY, DocumentScore, Record, parse
from foveal.rendering import FIGURES
from foveal.rules import RULES
from foveal.studies import NOISES, PART_SETS, RANKINGS
from foveal.tables import aliases
from tests.cli.long_commands import LONG, SHORT
from tests.cli.test_settings import CHOICES
from tests.laws.test_figures import FACTS
from tests.laws.test_formats import QRELS_THAT_FIT, RUNS_THAT_FIT
from tests.laws.test_measures import SCORED
from tests.oracles.brute_force import (
    COUNTS,
    KINDS_OF_SCORES,
    document_twins,
    parts_twins,
    returned_twins,
)
from tests.oracles.brute_force import DocumentScore as ScoreTwin
from tests.oracles.classical import classical_twins, endless_twins
from tests.oracles.diversity import diversity_twins
from tests.oracles.test_significance import CHECKED
from tests.unit.formats.malformed import MALFORMED_QRELS, MALFORMED_RUNS
from tests.unit.rules.cases import CASES

MAKE = "run `make docs`"
SHORTEST_ADVICE = 40
# Words of TeX that formulas use; they are no letters.
TEX = {
    "Big", "bigcup", "cap", "cdot", "cup", "dots", "exists", "exp", "frac", "ge", "in", "ldots", "le", "left",
    "log", "max", "min", "prod", "quad", "right", "setminus", "sum", "b",
}  # fmt: skip
# What messages leave out of the name of a record: a figure's result, an alias's column.
BESIDES = re.compile(r"^foveal | \(.*\)$")
Steps = Iterator[str]


@dataclass(frozen=True)
class Kind:
    """A registry: the names of its records, and what is still to be done for one of them."""

    names: Callable[[], Iterable[str]]
    steps: Callable[[str], Steps]


KINDS: dict[str, Kind] = {}


def of(
    noun: str, names: Callable[[], Iterable[str]]
) -> Callable[[Callable[[str], Steps]], Callable[[str], Steps]]:
    """Say that a function gives what a record of a registry lacks, the pages last."""

    def register(steps: Callable[[str], Steps]) -> Callable[[str], Steps]:
        KINDS[noun] = Kind(names, steps)
        return steps

    return register


def main() -> None:
    """Print what each incomplete record is called in messages, and what it lacks."""
    for noun in KINDS:
        for name, sentence in lacking(noun).items():
            print(BESIDES.sub("", name), sentence, sep="\t")  # noqa: T201  # tests/conftest.py reads it


@cache
def lacking(noun: str) -> dict[str, str]:
    """A sentence for each record of a registry that lacks something, by its name."""
    found = {name: [*KINDS[noun].steps(name)] for name in KINDS[noun].names()}
    return {name: f"new {noun} {name}: {_joined(steps)}" for name, steps in found.items() if steps}


def _joined(steps: list[str]) -> str:
    """Steps as one sentence, of which the last is always to make the pages."""
    before = [step for step in steps if step != MAKE]
    return f"{', '.join(before)}; then {MAKE}" if before else MAKE


def _both(name: str) -> tuple[str, str]:
    """A name, and what stands behind it in brackets."""
    own, _, of_what = name.rstrip(")").partition(" (")
    return own, of_what


def on_page(page: str, *lines: str) -> Steps:
    """Make the pages, unless one of the lines is on a page; a line may be the begin of a row."""
    path = DOCS / page
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if not any(f"\n{line}" in text for line in lines):
        yield MAKE


def unexplained(name: str, record: Record | DocumentScore) -> list[str]:
    """The letters of a measure's formulas that its page would not explain."""
    formulas = formulas_of(record)
    # What a formula defines, parameters, and the document of a document score need no words.
    known = TEX | set(re.findall(r"(\w+)'?(?:\[r\]|\(d\)) =", formulas)) | {"d", "top"}
    known |= {own.name for own in record.parameters} | {*measures_in(name, record)}
    # A letter explains its indices as well: p_i is also p_1 and p_k.
    known |= {re.split(r"[_(\[^']", one.tex)[0].strip("|\\") for one in letters_of(name, record)}
    words = re.sub(r"\\(?:text|operatorname)\{[^}]*\}", " ", formulas)
    return sorted(set(re.findall(r"[A-Za-z]+", words)) - known)


def _of_definition(page: str, record: Record | DocumentScore) -> Steps:
    if not record.sentence.endswith("."):
        yield "give it a docstring, which is its sentence"
    if not record.worked:
        yield "work out an example by hand in its record (`worked`)"
    if len(record.advice) < SHORTEST_ADVICE:
        yield "say in its record when it misleads and what to use instead (`advice`)"
    try:
        list(references(record.cite))
    except LookupError:
        yield f"write its source ({record.cite}) into tools/sources.py"
    if letters := unexplained(page, record):
        yield f"write its letters ({', '.join(letters)}) into tools/measure_letters.py"


@cache
def _twins() -> set[str]:
    """The measures that have a slow twin."""
    level = Fraction(1, 2)
    twins = [*COUNTS, *parts_twins(1, 1, level), *document_twins(ScoreTwin("F"), 1, level)]
    twins += [*classical_twins(1, 0.5, level), *endless_twins(1.0), *returned_twins(1, level)]
    twins += [*diversity_twins(1, level, level)]
    return {parse(spelling).record.name for spelling in twins}


@of("measure", lambda: REGISTRY)
def of_measure(name: str) -> Steps:
    """A slow twin, and what its page needs."""
    if name not in _twins():
        yield (
            "write its slow twin into tests/oracles/brute_force.py (text), classical.py (documents)"
            " or diversity.py (aspects)"
        )
    yield from _of_definition(name, REGISTRY[name])
    yield from on_page(f"{MEASURES}/{file_of(name)}", f"# {name}: ")


@of("document score", lambda: DOCUMENT_SCORES)
def of_document_score(name: str) -> Steps:
    """A slow twin, a spelling that laws try, and what its page needs."""
    if name not in KINDS_OF_SCORES:
        yield "write its slow twin into DocumentScore in tests/oracles/brute_force.py"
    if not any(f"S={name}" in scored.split(",") for scored in SCORED):
        yield "let laws try it (SCORED in tests/laws/test_measures.py)"
    yield from _of_definition(f"S={name}", DOCUMENT_SCORES[name])
    yield from on_page(f"{MEASURES}/{file_of(f'S={name}')}", f"# S={name}: ")


def _of_format(name: str, *, content: str) -> Steps:
    known = format_pages.CONTENTS[content][name]
    fitting: dict[str, Any] = {"runs": RUNS_THAT_FIT, "judgements": QRELS_THAT_FIT}
    malformed: dict[str, Any] = {"runs": MALFORMED_RUNS, "judgements": MALFORMED_QRELS}
    if known.is_written and name not in fitting[content]:
        yield "say which tables fit it in tests/laws/test_formats.py"
    if name not in malformed.get(content, {name}):
        yield "write files that it refuses into tests/unit/formats/malformed.py"
    if unknown := [field for field in fields_of(known, content) if field not in FIELDS]:
        yield f"write its fields ({', '.join(unknown)}) into tools/format_fields.py"
    if known.recognises is not only_named and not recognised_by(known, content):
        yield "say how it is recognised in tools/format_fields.py (RECOGNISED)"
    yield from on_page(format_pages.page_of(name), f"* **{content.capitalize()}** ")


for _content, _known in format_pages.CONTENTS.items():
    of(f"format of {_content}", partial(list, _known))(partial(_of_format, content=_content))


@of("significance test", lambda: TESTS)
def of_significance_test(name: str) -> Steps:
    """An oracle, its name for type checkers, and its row."""
    record = TESTS[name]
    if not (record.title and record.cite and record.sentence.endswith(".")):
        yield "give it a title, a source (`cite`) and a docstring, which is its sentence"
    if name not in get_args(TestName):
        yield "write its name into TestName in src/foveal/conventions.py"
    if name not in CHECKED:
        yield (
            "check its p-values in tests/oracles/test_significance.py, against another program or"
            " every resample"
        )
    yield from on_page("comparing.md", f"| `{name}` |")


@of("rule", lambda: RULES)
def of_rule(name: str) -> Steps:
    """A case, and its place on the page of the rules, which shows the case."""
    if not RULES[name].sentence.endswith("."):
        yield "give it a sentence"
    if name not in CASES:
        yield (
            "write a run that breaks it and one that only just keeps it into tests/unit/rules/cases.py"
        )
    yield from on_page("reference/rules.md", f"### {name}\n")


@of("figure", lambda: [f"{name} ({kind})" for kind, own in FIGURES.items() for name in own])
def of_figure(name: str) -> Steps:
    """What a reader sees in it, and commands that draw it for its page."""
    own, kind = _both(name)
    record = FIGURES[kind][own]
    if not record.sentence.endswith("."):
        yield "give it a docstring, which is its sentence"
    if f"{kind} {own}" not in FACTS:
        yield "say what a reader sees in it (`@shows` in tests/laws/test_figures.py)"
    drawn = {(drawing.command, drawing.figure): drawing for drawing in ALL}
    shown = [key for key, offered in figure_pages.offered().items() if offered is record]
    if drawless := [command for command, _ in shown if (command, own) not in drawn]:
        yield f"let {' and '.join(drawless)} draw it in tools/figures.py, in the order of its list"
    for command, _ in shown:
        key = (command, own)
        if key not in drawn or not (DOCS / FOLDER / drawn[key].name).is_file():
            yield MAKE
            return


def _of_lab(name: str, *, known: dict[str, Any]) -> Steps:
    if not known[name].sentence.endswith("."):
        yield "give it a docstring, which is its sentence"
    yield from on_page("fidelity.md", f"| `{name}` |")


for _known in (PART_SETS, RANKINGS, NOISES):
    of(_known.noun, partial(list, _known))(partial(_of_lab, known=_known))


@of("--like mode", lambda: Like)
def of_like(name: str) -> Steps:
    """A sentence, and what it changes."""
    like = Like(name)
    if not choice_tables.sentence_of(like):
        yield "say below it in src/foveal/choices.py whose defaults it takes"
    if like is not Like.PAPER and not choice_tables.changes_of(like):
        yield "say what it decides in src/foveal/conventions.py (_BUNDLES)"
    yield from on_page("reference.md", f"| `{name}` |")


def _of_choice(name: str, *, vocabulary: type[Task | Overlap]) -> Steps:
    if not choice_tables.sentence_of(vocabulary(name)):
        yield "say below it in src/foveal/choices.py what it means"
    yield from on_page("reference.md", f"| `{name}` |")


for _noun, _words in (("task", Task), ("overlap policy", Overlap)):
    of(_noun, partial(list, _words))(partial(_of_choice, vocabulary=_words))


@of(
    "alias of a column",
    lambda: [
        f"{alias} ({ours})" for ours in aliases.RUN_FIELDS for alias in aliases.BY_COLUMN[ours]
    ],
)
def of_alias(name: str) -> Steps:
    """Its place in the table of all names."""
    alias, ours = _both(name)
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    if not re.search(rf"^\| `{ours}` \| .*`{alias}`", page, re.MULTILINE):
        yield MAKE


@of("error", lambda: [own.__name__ for own in error_classes() if own is not errors.FovealError])
def of_error(name: str) -> Steps:
    """Something that raises it, and its place in the tree of all errors."""
    if not re.search(rf"[├└]── {name}\b", errors.__doc__ or ""):
        yield "give it a place in the tree in the docstring of src/foveal/errors.py"
    if getattr(errors, name) not in EXAMPLES:
        yield "write what raises it and what to do about it into tools/error_examples.py"
    yield from on_page("reference/errors.md", f"### {name}\n")


@of("option of scoring", lambda: [own.name for own in fields(Choices) if "help" in own.metadata])
def of_option(name: str) -> Steps:
    """Its keyword in the library, a case that shows what it changes, and its row."""
    option = f"--{name.replace('_', '-')}"
    if name not in ChoiceWords.__annotations__:
        yield "write its keyword into ChoiceWords in src/foveal/conventions.py"
    if not any(choice.option == option for choice in CHOICES):
        yield "write what it changes into CHOICES in tests/cli/test_settings.py"
    yield from on_page("reference/commands/evaluate.md", f"| `{option}")


@cache
def _commands() -> dict[str, tuple[click.Command, click.Context]]:
    return {name: (command, context) for name, command, context in command_pages.contexts()}


@of("command", _commands)
def of_command(name: str) -> Steps:
    """Stages that a terminal shows, words for its arguments, and pages to read more."""
    command, _ = _commands()[name]
    words = name.removeprefix("foveal ").split()
    long = {known.words[: len(words)] for known in LONG.values()}
    if (
        not isinstance(command, click.Group)
        and tuple(words) not in long
        and " ".join(words) not in SHORT
    ):
        yield "write its stages into tests/cli/long_commands.py (LONG, or SHORT if it takes no time)"
    if unknown := command_pages.unexplained(name, command):
        yield f"write its arguments ({', '.join(unknown)}) into ARGUMENTS in tools/command_pages.py"
    if not {name, name.rpartition(" ")[0]} & {*command_pages.MORE}:
        yield "write the pages that show it at work into MORE in tools/command_pages.py"
    yield from on_page(command_pages.page_of(name), f"# {name}\n")


@of("environment variable", lambda: environment.variables() | environment.BY_LIBRARIES)
def of_variable(name: str) -> Steps:
    """Its sentence."""
    if name not in {**environment.USED, **environment.DEVELOPED}:
        yield "say what it does in tools/environment.py"
    yield from on_page("reference/environment.md", f"| `{name}` |")


@of("extra", environment.extras)
def of_extra(name: str) -> Steps:
    """Its sentence."""
    if name not in environment.EXTRAS:
        yield "say what it does in tools/environment.py (EXTRAS)"
    yield from on_page("reference/environment.md", f"| `{name}` |")


if __name__ == "__main__":
    main()
