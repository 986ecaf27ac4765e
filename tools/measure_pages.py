"""The reference of measures: a page for each, made from its record, and the lists that lead to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from foveal.measures import (
    DOCUMENT_SCORES,
    REGISTRY,
    DocumentScore,
    Record,
    Setting,
    Unit,
    WorkedExample,
    record_settings,
    score_settings,
)
from foveal.registry import by_file
from foveal.rendering import record_facts, score_facts, setting_texts
from tools.making import Lines, Page, code, section, table, whole_pages
from tools.measure_edges import MeasureCase, Trials, cases_with_trials, edge_cases
from tools.measure_examples import command, example_of
from tools.measure_letters import letters_of, measures_in
from tools.sources import references

FOLDER = "reference/measures"
INDEX = "../../measures.md"
# Facts at the top of a page; formulas, advice and sources have their own headings.
FACTS = (
    "answers", "order", "relevance", "values", "over topics", "also written", "in task rag", "assumes",
)  # fmt: skip
# Names that sentences also use as words or letters.
WORDS = {"all", "hit", "P", "R", "G"}


def file_of(name: str) -> str:
    """The page of a measure, or of a document score (S=F)."""
    return f"{name.replace('S=', 'score-')}.md"


@whole_pages(FOLDER)
def pages() -> Iterator[Page]:
    """A page for each measure and each document score."""
    trials = cases_with_trials()
    for name, record in REGISTRY.items():
        lines = [*_record_page(record), *_sections(name, record, *trials[name])]
        yield f"{FOLDER}/{file_of(name)}", "\n".join(lines) + "\n"
    for score in DOCUMENT_SCORES.values():
        name = f"S={score.name}"
        lines = [*_score_page(score), *_sections(name, score, *trials[name])]
        yield f"{FOLDER}/{file_of(name)}", "\n".join(lines) + "\n"


def _record_page(record: Record) -> Lines:
    """Title, meaning, facts and formula of a measure."""
    facts = record_facts(record)
    yield from [f"# {record.name}: {record.title}", "", code(record.shape), ""]
    yield from ["## What it tells you", "", record.sentence, ""]
    yield from (f"* {fact}: {facts[fact]}" for fact in FACTS if fact in facts)
    yield from ["", f"[All measures]({INDEX})", ""]
    yield from _formulas(facts, _letters(record.name, record), record_settings(record))
    if "S" in {parameter.name for parameter in record.parameters}:
        scores = ", ".join(_link(f"S={name}") for name in DOCUMENT_SCORES)
        yield from [f"Document scores, with parameters of their own: {scores}.", ""]


def _score_page(score: DocumentScore) -> Lines:
    """Title, meaning, facts and formula of a document score."""
    facts = score_facts(score)
    arguments = [f"S={score.name}", *(f"{parameter.name}=…" for parameter in score.parameters)]
    yield from [f"# S={score.name}: {score.title}", "", code(",".join(arguments)), ""]
    yield from ["## What it tells you", "", score.sentence, ""]
    yield from (f"* {fact}: {facts[fact]}" for fact in FACTS if fact in facts)
    taking = ", ".join(_link(name) for name, record in REGISTRY.items() if record.by_score)
    yield from [f"* measures that take it: {taking}", "", f"[All measures]({INDEX})", ""]
    yield from _formulas(facts, _letters(f"S={score.name}", score), score_settings(score))


def _formulas(facts: Mapping[str, str], letters: Lines, settings: Iterable[Setting]) -> Lines:
    """A formula or several, then their letters, then the parameters with their defaults."""
    yield from ["## Formula", "", f"$${facts['formula']}$$", ""]
    for fact, formula in facts.items():
        if fact.startswith("with "):
            yield from [f"With {code(fact.removeprefix('with '))}:", "", f"$${formula}$$", ""]
    lines = [*letters, *(_parameter(setting) for setting in settings)]
    yield from [*lines, ""] if lines else []


def _letters(name: str, record: Record | DocumentScore) -> Lines:
    """Meanings of the formulas' letters, and the measures that the formulas name."""
    for letter in letters_of(name, record):
        yield f"* ${letter.tex}$: {linked(letter.meaning, name)}"
    for measure in measures_in(name, record):
        yield f"* ${measure}$: {_link(measure)}, {in_sentence(REGISTRY[measure].title)}"


def in_sentence(title: str) -> str:
    """A title as part of a sentence; names such as nDCG stay as they are."""
    return title if title[1:2].isupper() else title[0].lower() + title[1:]


def _parameter(setting: Setting) -> str:
    words, parameter = "; ".join(setting_texts(setting)), setting.parameter
    state = words if words == "required" else f"default: {words}"
    return f"* {code(parameter.name)}: {parameter.sentence} ({state})"


def _sections(
    name: str, record: Record | DocumentScore, case: MeasureCase, trials: Trials
) -> Lines:
    """The sections that all pages have: from the worked example to the citations."""
    if record.worked is None:
        raise LookupError(f"{name} has no example that is worked out")
    yield from ["## Worked example", "", *_worked(name, record, record.worked), ""]
    yield from ["## Edge cases", "", *_edges(case, trials), ""]
    differs = getattr(record, "differs", "")
    if differs:
        yield from [f"**Differs from its source.** {linked(differs, name)}", ""]
    yield from ["## When not to use it", "", linked(record.advice, name), ""]
    yield from ["## Cite", "", *_citations(record.cite)]


def _citations(cite: str) -> Lines:
    """The sources in full, then those that can be cited as BibTeX."""
    cited_references = list(references(cite))
    yield from (f"* {cited}: {reference.plain}" for cited, reference in cited_references)
    entries = dict.fromkeys(
        reference.bibtex for _, reference in cited_references if reference.bibtex
    )
    if entries:
        yield from ["", "```bibtex", "\n\n".join(entries), "```"]


def _worked(name: str, record: Record | DocumentScore, worked: WorkedExample) -> Lines:
    """The run, the command, and the arithmetic that gives its number."""
    example = example_of(worked)
    unit = record.unit if isinstance(record, Record) else Unit.DOCUMENT
    lines = example.lines(unit, aspects="aspect" in f"{record.title} {record.sentence}")
    yield from [*lines, ""]
    yield from [f"{command(worked)} gives {worked.arithmetic.rpartition(' = ')[2]}:", ""]
    yield from [
        code(f"{worked.measure} = {worked.arithmetic}"),
        "",
        linked(worked.explanation, name),
    ]
    if isinstance(record, DocumentScore):
        yield from ["", f"{_link('gP', 'gP@r')} is the mean score of the first r documents."]


def _edges(case: MeasureCase, trials: Trials) -> Lines:
    """A table of cases with their scores."""
    judged = code(case.example.files[0])
    yield from [f"Scores by the judgements of {judged}, computed when this page was made:", ""]
    yield from table(["case", code(case.name)], edge_cases(case, trials))


def _link(name: str, text: str = "") -> str:
    return f"[{code(text or name)}]({file_of(name)})"


def _any(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


# A name with its parameters and cut-off, if any; a word is a name only with these.
NAMED = re.compile(
    r"(?<![\w=/`.-])"
    rf"(?P<name>(?:{_any({*REGISTRY} - WORDS)}|S=(?:{_any(DOCUMENT_SCORES)}))(?!\w)|(?:{_any(WORDS)})(?=[@(]))"
    r"(?:\([\w=.,' /…-]*\))?(?:@\w+|\[[\d.x]+\])?"
)


def linked(text: str, page: str) -> str:
    """A text in which measures are links to their pages, but for the page it is on."""

    def link(match: re.Match[str]) -> str:
        return code(match[0]) if match["name"] == page else _link(match["name"], match[0])

    return NAMED.sub(link, text)


@section("measures")
def measures() -> Lines:
    """Every measure by family, with links to their pages."""
    for family, records in by_file(REGISTRY):
        rows = ([_indexed(record.name), record.title, record.sentence] for record in records)
        yield from [
            f"### {family}",
            "",
            *table(["measure", "title", "what it tells you"], rows),
            "",
        ]


def navigation() -> dict[str, dict[str, str]]:
    """The page of each measure under a short name of its family, as a menu shows them."""
    families = {
        re.split(r"[:,(]", family)[0].strip(): [record.name for record in records]
        for family, records in by_file(REGISTRY)
    }
    families["Document scores"] = [f"S={name}" for name in DOCUMENT_SCORES]
    return {
        family: {name: f"{FOLDER}/{file_of(name)}" for name in names}
        for family, names in families.items()
    }


@section("document scores")
def document_scores() -> Lines:
    """Document scores that S= can name, with links to their pages."""
    rows = (
        [_indexed(f"S={score.name}"), score.title, score.sentence]
        for score in DOCUMENT_SCORES.values()
    )
    return table(["document score", "title", "what it tells you"], rows)


def _indexed(name: str) -> str:
    return f"[{code(name)}]({FOLDER}/{file_of(name)})"
