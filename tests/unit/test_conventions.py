"""What a caller may choose, and the bundles that decide the rest."""

from __future__ import annotations

from dataclasses import fields

import pytest

from foveal.choices import Like, Order, Overlap, Task, Ties, TopicSet
from foveal.conventions import Choices, ChoiceWords, Conventions
from foveal.errors import UsageError


def test_every_keyword_of_the_library_is_an_option() -> None:
    offered = {choice.name for choice in fields(Choices) if "help" in choice.metadata}
    assert set(ChoiceWords.__annotations__) <= offered


def test_words_become_members() -> None:
    words = {"task": "ric", "topics": "retrieved", "overlap": "drop", "ties": "file", "depth": 3}
    assert Choices.of(words) == Choices(
        task=Task.RIC, topics=TopicSet.RETRIEVED, overlap=Overlap.DROP, ties=Ties.FILE, depth=3
    )
    assert Choices.of({"task": None, "order": None}) == Choices()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"tsk": "ric"}, "unknown keyword 'tsk'; did you mean task\\? .known: task, topics,"),
        ({"task": "rci"}, "task must be focused, thorough, ric, bic, document or rag, got 'rci'"),
        ({"topics": "all"}, "topics must be judged or retrieved, got 'all'"),
        ({"rel": -1}, "rel must be a number between 0 and 1,000,000,000, got -1"),
        ({"rel": float("nan")}, "rel must be a number"),
        ({"rel": True}, "rel must be a number"),
        ({"depth": 0}, "depth must be a whole number between 1 and"),
        ({"depth": 2.5}, "depth must be a whole number between 1 and"),
        ({"judged_only": "x"}, "judged_only must be True or False, got 'x'"),
        ({"collection_size": 3}, "unknown keyword 'collection_size' .known: task"),
    ],
)
def test_what_cannot_be_chosen_is_refused_by_name(words: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Choices.of(words)


@pytest.mark.parametrize("like", Like)
@pytest.mark.parametrize("task", Task)
def test_an_explicit_choice_wins_over_every_bundle(like: Like, task: Task) -> None:
    given = Choices(
        like=like,
        topics=TopicSet.JUDGED,
        overlap=Overlap.REPEAT,
        order=Order.RANK,
        ties=Ties.FILE,
        rel=2,
        depth=7,
    )
    decided = given.conventions(task)
    assert decided.task is task
    assert all(
        getattr(decided, choice.name) == getattr(given, choice.name)
        for choice in fields(Choices)
        if choice.name != "task"
    )


def test_the_papers_are_the_default() -> None:
    assert Choices().conventions(Task.FOCUSED) == Conventions()


def test_settings_name_what_was_chosen() -> None:
    chosen = Choices(like=Like.TREC_EVAL_9, rel=2.0, depth=10, judged_only=True)
    assert chosen.conventions(Task.DOCUMENT).settings() == {
        "task": "document", "like": "trec_eval-9", "topics": "retrieved", "overlap": "once",
        "ties": "id", "rel": "2", "depth": "10", "judged only": "yes",
    }  # fmt: skip
    thorough = Choices(like=Like.INEX_EVAL).conventions(Task.THOROUGH)
    assert thorough.settings()["overlap"] == "once (documents with highlights)"
