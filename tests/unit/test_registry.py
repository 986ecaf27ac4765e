from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from foveal.errors import UsageError
from foveal.registry import Registry, by_file, file_names, files_of


@dataclass(frozen=True)
class Fruit:
    name: str
    sentence: str
    kernel: Callable[[], int]
    weight: int = 0


@pytest.fixture
def fruits() -> Registry[Fruit]:
    known: Registry[Fruit] = Registry("fruit")

    @known.registering(Fruit, name="pear", weight=2)
    def pear() -> int:
        """Grows
        on trees.
        """
        return 1

    @known.registering(Fruit, name="apple")
    def apple() -> int:
        return 2

    assert (pear(), apple()) == (1, 2)
    return known


def test_a_decorated_function_is_a_record_under_its_name(fruits: Registry[Fruit]) -> None:
    assert list(fruits) == ["pear", "apple"]
    assert (fruits["pear"].sentence, fruits["pear"].weight) == ("Grows on trees.", 2)
    assert fruits["apple"].kernel() == 2


def test_a_name_is_given_once(fruits: Registry[Fruit]) -> None:
    with pytest.raises(UsageError, match="there is a fruit 'pear' already"):
        fruits.add(fruits["pear"])


def test_an_unknown_name_is_answered_with_the_known_ones(fruits: Registry[Fruit]) -> None:
    assert fruits.named("pear") is fruits["pear"]
    with pytest.raises(
        UsageError, match=r"'paer' \(did you mean pear\?\): choose from apple, pear"
    ):
        fruits.named("paer")
    for odd in ("xyz", None, ["pear"]):
        with pytest.raises(UsageError, match=r"unknown fruit .*: choose from apple, pear"):
            fruits.named(odd)
    with pytest.raises(UsageError, match="unknown fruit 'pear': there is none"):
        Registry[Fruit]("fruit").named("pear")


def test_files_come_in_the_order_of_their_places_and_private_ones_not_at_all() -> None:
    names = [file.__name__.rpartition(".")[2] for file in files_of("foveal.measures")]
    assert sorted(names) == list(file_names("foveal.measures"))
    assert names[:2] == ["ranked_parts", "in_context"]
    # It says no place, so it comes last.
    assert names[-1] == "document_scores"


def test_records_are_listed_with_the_sentence_of_their_file(fruits: Registry[Fruit]) -> None:
    ((sentence, records),) = by_file(fruits)
    assert sentence == ""
    assert [record.name for record in records] == ["pear", "apple"]
