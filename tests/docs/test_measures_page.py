"""The reference of measures: every page says the same things in the same order."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
import yaml
from tools.bibliography import Common, Work
from tools.making import MADE
from tools.measure_pages import FACTS, FOLDER, file_of, linked
from tools.pages import DOCS
from tools.site import configuration
from tools.sources import SOURCES, references

from foveal.measures import DOCUMENT_SCORES, REGISTRY, DocumentScore, Record
from tests.each import each

RECORDS: dict[str, Record | DocumentScore] = {
    **REGISTRY,
    **{f"S={name}": score for name, score in DOCUMENT_SCORES.items()},
}
HEADINGS = [
    "What it tells you", "Formula", "Worked example", "Edge cases", "When not to use it", "Cite",
]  # fmt: skip
EXACTLY_TEXT = "exactly the highlighted passages, of d2, d1 and d4"
EXACTLY_DOCUMENTS = "exactly the relevant documents, highest grade first"
ALWAYS = {"answers", "relevance", "values", "over topics"}
every_page = each("name", RECORDS)


@cache
def page(name: str) -> str:
    return (DOCS / FOLDER / file_of(name)).read_text(encoding="utf-8")


def part(name: str, heading: str) -> str:
    """What a page says under a heading."""
    return page(name).partition(f"\n## {heading}\n\n")[2].partition("\n## ")[0]


def cases(name: str) -> dict[str, str]:
    """The edge cases of a page, each with the score."""
    rows = re.findall(r"^\| (.+) \| (.+) \|$", part(name, "Edge cases"), re.MULTILINE)
    return dict(rows[2:])


def test_every_measure_and_document_score_has_a_page_and_there_are_no_others() -> None:
    assert {path.name for path in (DOCS / FOLDER).iterdir()} == {file_of(name) for name in RECORDS}


def test_no_two_pages_differ_only_in_capital_letters() -> None:
    """Some disks would keep one of them."""
    assert max(Counter(file_of(name).lower() for name in RECORDS).values()) == 1


@every_page
def test_a_page_keeps_the_order_of_its_headings(name: str) -> None:
    title = re.escape(RECORDS[name].title)
    assert re.match(rf"{re.escape(MADE)}\n\n# {re.escape(name)}: {title}\n\n`\S+`\n\n", page(name))
    assert re.findall(r"^## (.*)$", page(name), re.MULTILINE) == HEADINGS
    assert all(part(name, heading).strip() for heading in HEADINGS)


@every_page
def test_a_page_says_what_the_record_says(name: str) -> None:
    record, told = RECORDS[name], part(name, "What it tells you")
    assert told.startswith(f"{record.sentence}\n\n")
    facts = re.findall(r"^\* ([a-z ]+): ", told, re.MULTILINE)
    assert [fact for fact in facts if fact in FACTS] == [fact for fact in FACTS if fact in facts]
    if isinstance(record, Record):
        assert set(facts) >= ALWAYS
        assert f"`{record.shape}`" in page(name)
        assert linked(record.differs, name) in part(name, "Edge cases")
    formulas = re.findall(r"^\$\$(.*)\$\$$", part(name, "Formula"), re.MULTILINE)
    assert formulas == [record.formula, *record.formula_with.values()]
    assert part(name, "When not to use it").strip() == linked(record.advice, name)
    assert record.worked is not None
    assert f"`{record.worked.measure} = {record.worked.arithmetic}`" in part(name, "Worked example")


@every_page
def test_a_page_names_the_parameters_with_their_values(name: str) -> None:
    record = RECORDS[name]
    wanted = [own.name for own in record.parameters]
    if "S" in wanted:
        of_scores = {own.name for score in DOCUMENT_SCORES.values() for own in score.parameters}
        wanted = [own for own in wanted if own not in of_scores]
        assert all(f"(score-{score}.md)" in part(name, "Formula") for score in DOCUMENT_SCORES)
    found = r"^\* `(\w+)`: .+ \((?:default: .+|required)\)$"
    assert re.findall(found, part(name, "Formula"), re.MULTILINE) == wanted


def test_the_run_of_the_example_scores_as_it_was_worked_out() -> None:
    """Edge cases are computed with kernels alone; here their numbers meet those of commands."""
    for name, record in RECORDS.items():
        assert record.worked is not None
        judgements, run = record.worked.files.split()[:2]
        if f"`{run}` as it is" in cases(name):
            assert f"judgements of `{judgements}`" in part(name, "Edge cases")
            value = float(record.worked.arithmetic.rpartition(" = ")[2])
            assert float(cases(name)[f"`{run}` as it is"]) == value, name


@pytest.mark.parametrize(
    ("name", "case", "score"),
    [
        ("P", "the list ends before the cut-off (`P@10`)", "0.3000"),
        ("P", EXACTLY_DOCUMENTS, "0.8000"),
        ("nDCG", EXACTLY_DOCUMENTS, "1"),
        ("RR", "all scores are tied, so that the last id comes first", "0.5000, unchanged"),
        ("RR", "d4, unjudged, is skipped (`RR(judged_only=True)`)", "0.5000, unchanged"),
        ("RBPres", "nothing is returned", "1"),
        ("charP", "nothing is returned", "0, as the formula divides by 0"),
        ("AiP", EXACTLY_TEXT, "1"),
        ("alpha_nDCG", EXACTLY_TEXT, "1"),
        ("S=bep", "only the best entry point of d1, without text", "1"),
        ("S=F", "only the best entry point of d1, without text", "0"),
        ("S=F", "a document without highlights, d3, comes first", "0"),
        ("APret", "the first part is returned again at the end", "0.8100"),
        ("AP", "nothing is relevant in the topic", "the topic is left out, and a note says so"),
        ("NumRel", "any run, and even an empty list", "4"),
    ],
)
def test_edge_cases_are_as_they_can_be_worked_out(name: str, case: str, score: str) -> None:
    assert cases(name)[case] == score


def test_every_page_has_the_edge_cases_that_everybody_asks_about() -> None:
    for name, record in RECORDS.items():
        usual = (
            {"any run, and even an empty list"}
            if record.answers is None
            else {
                "nothing is returned",
                EXACTLY_TEXT
                if record.worked and "jsonl" in record.worked.files
                else EXACTLY_DOCUMENTS,
            }
        )
        assert usual < set(cases(name)), name


def test_every_page_is_once_in_the_menu_of_the_site() -> None:
    (reference,) = (
        own["Reference"] for own in yaml.safe_load(configuration())["nav"] if "Reference" in own
    )
    menu = {
        name: below for own in reference if isinstance(own, dict) for name, below in own.items()
    }
    assert menu["Measures"][0] == {"All measures": "measures.md"}
    families = [next(iter(family.items())) for family in menu["Measures"][1:]]
    listed = [page for _, pages in families for own in pages for page in own.values()]
    assert sorted(listed) == sorted(f"{FOLDER}/{file_of(name)}" for name in RECORDS)
    assert all(len(name) < 50 for name, _ in families)
    first, *commands = menu["Commands"]
    assert first == "reference/commands/README.md"
    assert {"assess new": "reference/commands/assess-new.md"} in commands
    assert len(commands) == len(list((DOCS / first).parent.glob("*.md"))) - 1


def test_every_source_has_a_full_reference() -> None:
    for name, record in RECORDS.items():
        plain, _, bibtex = part(name, "Cite").partition("\n```bibtex\n")
        every = list(references(record.cite))
        assert plain.strip().splitlines() == [f"* {short}: {full.plain}" for short, full in every]
        entries = bibtex.removesuffix("\n```\n").split("\n\n")
        assert entries == [*dict.fromkeys(full.bibtex for _, full in every if full.bibtex)] or [""]


def test_every_reference_is_cited() -> None:
    used = {full for record in RECORDS.values() for _, full in references(record.cite)}
    assert used == set(SOURCES.values())


def test_every_work_has_an_entry_of_its_own() -> None:
    entries = [own.bibtex for own in SOURCES.values() if not isinstance(own, Common)]
    keys = [entry.partition(",")[0] for entry in entries]
    assert len(set(keys)) == len(keys) > 25
    for entry in entries:
        assert entry.isascii()
        assert entry.count("{") == entry.count("}")
        assert entry.count("\n") == entry.count(" = {") + 1


def test_both_forms_of_a_reference_say_the_same() -> None:
    source = SOURCES["Järvelin & Kekäläinen 2002"]
    assert source.plain == (
        "Kalervo Järvelin and Jaana Kekäläinen. *Cumulated gain-based evaluation of IR techniques*. ACM"
        " Transactions on Information Systems 20(4), 2002, pages 422-446."
    )
    assert (
        source.bibtex
        == r"""@article{Jarvelin2002,
  author  = {Kalervo J{\"a}rvelin and Jaana Kek{\"a}l{\"a}inen},
  title   = {Cumulated gain-based evaluation of {IR} techniques},
  journal = {ACM Transactions on Information Systems},
  volume  = {20},
  number  = {4},
  pages   = {422--446},
  year    = {2002},
}"""
    )


def test_every_number_that_a_reader_sees_is_in_the_entry() -> None:
    for source in SOURCES.values():
        if not isinstance(source, Work):
            continue
        seen = source.plain.replace(getattr(source, "remark", "") or "\0", "")
        shown = {*re.findall(r"\d+", seen)}
        assert shown <= {*re.findall(r"\d+", source.bibtex)}
        assert str(source.year) in shown


def test_a_source_without_a_reference_is_refused() -> None:
    with pytest.raises(LookupError, match="'Nobody 1999' names 0 sources"):
        list(references("Viviani 2021; Nobody 1999"))


def test_names_of_measures_become_links_with_their_parameters() -> None:
    assert linked("report iP[0.01], or alpha_nDCG(parts=True)@k", "AiP") == (
        "report [`iP[0.01]`](iP.md), or [`alpha_nDCG(parts=True)@k`](alpha_nDCG.md)"
    )
    assert linked("AgP with S=F", "AgP") == "`AgP` with [`S=F`](score-F.md)"
    assert linked("use P@k, not all", "AP") == "use [`P@k`](P.md), not all"
    assert linked("recall by R[r] of all nDCGs", "P") == "recall by R[r] of all nDCGs"
