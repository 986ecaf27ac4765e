from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lxml import etree

from foveal.evaluation import evaluate
from foveal.studies import DemoWorld, demo_world

if TYPE_CHECKING:
    from foveal.studies import Article
    from foveal.tables import Run

Part = tuple[int, int]

GROUPED = (
    "ideal", "elements-good", "elements-poor", "documents-good", "documents-fair",
    "entry-points-good", "entry-points-fair", "overlapping",
    "parts-paragraphs", "parts-sections", "parts-articles",
)  # fmt: skip


@pytest.fixture(scope="module")
def world() -> DemoWorld:
    return demo_world(np.random.default_rng(7))


@pytest.fixture(scope="module")
def articles(world: DemoWorld) -> dict[str, Article]:
    return {article.id: article for article in world.articles}


@pytest.fixture(scope="module")
def highlights(world: DemoWorld) -> dict[tuple[str, str], list[Part]]:
    """The highlights of every judged document by topic and document."""
    names = list(world.qrels.documents.select("topic", "doc").iter_rows())
    found: dict[tuple[str, str], list[Part]] = {name: [] for name in names}
    for row, start, end in world.qrels.passages.iter_rows():
        found[names[row]].append((start, end))
    return found


def run_named(world: DemoWorld, name: str) -> Run:
    [run] = [run for run in world.runs if run.name == name]
    return run


def results(run: Run) -> dict[str, list[tuple[str, int, int]]]:
    """Document, start and end of every result by topic, in rank order."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for topic, *result in run.frame.select("topic", "doc", "start", "end").iter_rows():
        found.setdefault(topic, []).append(tuple(result))
    return found


def parts_by_document(run: Run) -> dict[tuple[str, str], list[Part]]:
    found: dict[tuple[str, str], list[Part]] = {}
    for topic, ranked in results(run).items():
        for doc, start, end in ranked:
            found.setdefault((topic, doc), []).append((start, end))
    return found


def documents(run: Run) -> dict[str, list[str]]:
    """The ranking of documents by topic."""
    return {
        topic: list(dict.fromkeys(doc for doc, _, _ in ranked))
        for topic, ranked in results(run).items()
    }


def has_overlap(parts: list[Part]) -> bool:
    return any(later[0] < earlier[1] for earlier, later in pairwise(sorted(parts)))


def text_of(element: etree._Element) -> str:
    return "".join(str(text) for text in element.itertext())


def test_the_text_of_every_article_has_the_stated_length(world: DemoWorld) -> None:
    for article in world.articles:
        assert len(text_of(etree.fromstring(article.xml))) == article.length


def test_every_element_is_recorded_in_document_order(world: DemoWorld) -> None:
    for article in world.articles:
        root = etree.fromstring(article.xml)
        assert [element.tag for element in article.elements] == [el.tag for el in root.iter("*")]


def test_every_element_span_holds_the_text_found_at_its_path(world: DemoWorld) -> None:
    for article in world.articles:
        root = etree.fromstring(article.xml)
        text = text_of(root)
        for recorded, element in zip(article.elements, root.iter("*"), strict=True):
            assert root.xpath(recorded.path) == [element]
            assert text[recorded.start : recorded.end] == text_of(element)


def test_an_element_starts_where_the_text_before_it_ends(world: DemoWorld) -> None:
    for article in world.articles:
        offset, starts = 0, []
        root = etree.fromstring(article.xml, etree.XMLParser(remove_comments=True))
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                starts.append(offset)
                offset += len(element.text or "")
            else:
                offset += len(element.tail or "")
        assert [element.start for element in article.elements] == starts


@pytest.mark.parametrize(
    "oddity", ["&amp;", "&lt;", "𝄞", "李", "<!--", "<b>", "<ss1>", "<figure/>", "\n    <sec>"]
)
def test_articles_hold_what_offsets_go_wrong_on(world: DemoWorld, oddity: str) -> None:
    assert any(oddity in article.xml for article in world.articles)


def test_an_article_has_sections_of_titled_paragraphs(world: DemoWorld) -> None:
    for article in world.articles:
        root = etree.fromstring(article.xml)
        sections = root.findall("bdy/sec")
        assert 2 <= len(sections) <= 6
        for section in sections:
            assert section[0].tag == "st"
            assert 2 <= len(list(section.iter("p"))) <= 6


def test_sentences_begin_with_a_capital_and_end_with_a_full_stop(world: DemoWorld) -> None:
    for article in world.articles:
        text = text_of(etree.fromstring(article.xml))
        for sentence in article.sentences:
            assert text[sentence.start].isupper()
            assert sentence.is_title or text[sentence.end - 1] == "."


def test_identifiers_are_unique(world: DemoWorld) -> None:
    for names in (
        [article.id for article in world.articles],
        [topic.id for topic in world.topics],
        [run.name for run in world.runs],
    ):
        assert len(set(names)) == len(names)


def test_the_same_seed_makes_the_same_world(world: DemoWorld) -> None:
    again = demo_world(np.random.default_rng(7))
    assert again.articles == world.articles
    assert again.topics == world.topics
    assert again.qrels.equals(world.qrels)
    assert all(a.equals(b) for a, b in zip(again.runs, world.runs, strict=True))
    corner, same = world.corner, again.corner
    assert same.documents == corner.documents
    assert same.questions == corner.questions
    assert same.evidence == corner.evidence
    assert all(a.equals(b) for a, b in zip(same.runs, corner.runs, strict=True))


def test_another_seed_makes_another_world(world: DemoWorld, whole_demo: DemoWorld) -> None:
    assert whole_demo.articles != world.articles
    assert not whole_demo.qrels.equals(world.qrels)
    assert not any(a.equals(b) for a, b in zip(whole_demo.runs, world.runs, strict=True))


def test_every_topic_has_relevant_and_other_judged_documents(
    world: DemoWorld, highlights: dict[tuple[str, str], list[Part]]
) -> None:
    for topic in world.topics:
        pool = [spans for (name, _), spans in highlights.items() if name == topic.id]
        relevant = sum(bool(spans) for spans in pool)
        assert 8 <= relevant <= 24
        assert 20 <= len(pool) <= 40
        assert relevant <= len(pool) - 8


def test_judgements_know_the_documents(
    world: DemoWorld,
    articles: dict[str, Article],
    highlights: dict[tuple[str, str], list[Part]],
) -> None:
    judged = world.qrels.documents.select("topic", "doc", "length", "entry")
    for topic, doc, length, entry in judged.iter_rows():
        assert length == articles[doc].length
        if highlights[topic, doc]:
            assert 0 <= entry < length
        else:
            assert entry is None


def test_highlights_run_from_a_sentence_or_title_to_the_end_of_a_sentence(
    articles: dict[str, Article], highlights: dict[tuple[str, str], list[Part]]
) -> None:
    for (_, doc), spans in highlights.items():
        sentences = articles[doc].sentences
        starts = {sentence.start for sentence in sentences}
        ends = {sentence.end for sentence in sentences if not sentence.is_title}
        assert starts.issuperset(start for start, _ in spans)
        assert ends.issuperset(end for _, end in spans)


def test_entry_points_are_the_starts_of_highlights_or_titles(
    world: DemoWorld,
    articles: dict[str, Article],
    highlights: dict[tuple[str, str], list[Part]],
) -> None:
    at_highlight = at_title = 0
    judged = world.qrels.documents.drop_nulls("entry").select("topic", "doc", "entry")
    for topic, doc, entry in judged.iter_rows():
        if entry in [start for start, _ in highlights[topic, doc]]:
            at_highlight += 1
        else:
            assert entry in [s.start for s in articles[doc].sentences if s.is_title]
            at_title += 1
    assert at_highlight > at_title > 0


def test_some_highlights_cross_the_end_of_a_paragraph(
    articles: dict[str, Article], highlights: dict[tuple[str, str], list[Part]]
) -> None:
    assert any(
        start < element.end < end
        for (_, doc), spans in highlights.items()
        for start, end in spans
        for element in articles[doc].elements
        if element.tag == "p"
    )


def test_every_part_lies_within_its_document(
    world: DemoWorld, articles: dict[str, Article]
) -> None:
    for run in world.runs:
        for (_, doc), parts in parts_by_document(run).items():
            assert all(0 <= start <= end <= articles[doc].length for start, end in parts)


def test_only_the_overlapping_run_returns_text_twice(world: DemoWorld) -> None:
    for run in world.runs:
        overlapping = any(has_overlap(parts) for parts in parts_by_document(run).values())
        assert overlapping == (run.name == "overlapping")


@pytest.mark.parametrize("name", GROUPED)
def test_parts_of_a_document_stand_together(world: DemoWorld, name: str) -> None:
    run = run_named(world, name)
    for topic, ranked in results(run).items():
        assert [doc for doc, _ in groupby(doc for doc, _, _ in ranked)] == documents(run)[topic]


@pytest.mark.parametrize("name", ["elements-fair", "passages-good", "passages-fair"])
def test_parts_of_a_focused_run_interleave(world: DemoWorld, name: str) -> None:
    run = run_named(world, name)
    ranked = results(run)
    assert any(
        len(list(groupby(doc for doc, _, _ in ranked[topic]))) > len(found)
        for topic, found in documents(run).items()
    )


def test_parts_runs_share_the_document_ranking(world: DemoWorld) -> None:
    paragraphs, sections, whole = (
        run_named(world, f"parts-{kind}") for kind in ("paragraphs", "sections", "articles")
    )
    assert documents(paragraphs) == documents(sections) == documents(whole)
    assert results(paragraphs) != results(sections)


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("elements-good", {"sec", "ss1", "p"}),
        ("overlapping", {"sec", "ss1", "p"}),
        ("parts-paragraphs", {"p"}),
        ("parts-sections", {"sec"}),
    ],
)
def test_element_runs_return_elements(
    world: DemoWorld, articles: dict[str, Article], name: str, tags: set[str]
) -> None:
    for (_, doc), parts in parts_by_document(run_named(world, name)).items():
        elements = [(e.start, e.end) for e in articles[doc].elements if e.tag in tags]
        assert set(elements).issuperset(parts)


@pytest.mark.parametrize("name", ["documents-good", "documents-fair", "parts-articles"])
def test_whole_documents_are_spelled_out(
    world: DemoWorld, articles: dict[str, Article], name: str
) -> None:
    for (_, doc), parts in parts_by_document(run_named(world, name)).items():
        assert parts == [(0, articles[doc].length)]


@pytest.mark.parametrize("name", ["entry-points-good", "entry-points-fair"])
def test_entry_point_runs_return_one_empty_part_per_document(world: DemoWorld, name: str) -> None:
    for parts in parts_by_document(run_named(world, name)).values():
        [(start, end)] = parts
        assert start == end


def test_the_ideal_run_returns_the_highlights_and_nothing_else(
    world: DemoWorld, highlights: dict[tuple[str, str], list[Part]]
) -> None:
    ideal = parts_by_document(run_named(world, "ideal"))
    assert {name: sorted(parts) for name, parts in ideal.items()} == {
        name: spans for name, spans in highlights.items() if spans
    }


def test_the_ideal_run_ranks_documents_by_decreasing_highlighted_text(world: DemoWorld) -> None:
    for _, parts in groupby(
        parts_by_document(run_named(world, "ideal")).items(), lambda i: i[0][0]
    ):
        amounts = [sum(end - start for start, end in spans) for _, spans in parts]
        assert amounts == sorted(amounts, reverse=True)


def test_every_run_answers_every_topic_in_reasonable_depth(world: DemoWorld) -> None:
    for run in world.runs:
        found = results(run)
        assert list(found) == [topic.id for topic in world.topics]
        if run.name != "ideal":
            assert all(20 <= len(ranked) <= 60 for ranked in found.values())


def test_scores_fall_strictly_with_rank_and_have_few_decimals(world: DemoWorld) -> None:
    for run in world.runs:
        for _, rows in run.frame.group_by("topic", maintain_order=True):
            scores = rows["score"].to_list()
            assert rows["rank"].to_list() == list(range(1, len(scores) + 1))
            assert all(higher > lower for higher, lower in pairwise(scores))
            assert scores == [round(score, 4) for score in scores]


def test_some_retrieved_documents_are_unjudged(
    world: DemoWorld, highlights: dict[tuple[str, str], list[Part]]
) -> None:
    for run in world.runs:
        unjudged = parts_by_document(run).keys() - highlights.keys()
        assert bool(unjudged) == (run.name != "ideal")


def test_better_names_score_better(world: DemoWorld) -> None:
    scores = evaluate(world.qrels, world.runs, ["AiP", "AgP(S=rel)", "AgP(S=bep)"]).mean()
    aip, ap, bep = (
        dict(zip(scores["run"], scores[name], strict=True)) for name in scores.columns[1:]
    )
    assert aip["ideal"] > aip["elements-good"] > aip["elements-fair"] > aip["elements-poor"]
    assert aip["passages-good"] > aip["passages-fair"]
    assert ap["documents-good"] > ap["documents-fair"]
    assert bep["entry-points-good"] > bep["entry-points-fair"]
    assert ap["parts-paragraphs"] == ap["parts-sections"] == ap["parts-articles"]
