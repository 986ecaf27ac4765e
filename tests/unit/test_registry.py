from __future__ import annotations

import importlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import foveal
from foveal.analysis import paired_tests
from foveal.errors import UsageError
from foveal.formats import RUN_FORMATS, csv, trec
from foveal.measures import REGISTRY, gains
from foveal.registry import MAKERS, Registry, by_file, file_names, files_of
from foveal.rules import RULES


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
    with pytest.raises(UsageError, match="a fruit called 'pear' already exists"):
        fruits.add(Fruit("pear", "Another.", lambda: 3))


@pytest.mark.parametrize("records", [RULES, RUN_FORMATS, REGISTRY], ids=lambda own: own.noun)
def test_a_name_that_foveal_uses_is_refused_for_every_kind_of_record(
    records: Registry[Any],
) -> None:
    name, own = next(iter(records.items()))
    maker = next(field for field in MAKERS if hasattr(own, field))
    with pytest.raises(UsageError, match=f"a {records.noun} called {name!r} already exists"):
        records.add(replace(own, **{maker: list}))
    assert records[name] is own


def test_an_unknown_name_is_answered_with_the_known_ones(fruits: Registry[Fruit]) -> None:
    assert fruits.named("pear") is fruits["pear"]
    with pytest.raises(
        UsageError, match=r"'paer' \(did you mean pear\?\): choose from apple, pear"
    ):
        fruits.named("paer")
    for odd in ("xyz", None, ["pear"]):
        with pytest.raises(UsageError, match=r"unknown fruit .*: choose from apple, pear"):
            fruits.named(odd)
    with pytest.raises(UsageError, match="unknown fruit 'pear': there are none"):
        Registry[Fruit]("fruit").named("pear")


def test_files_come_in_the_order_of_their_places_and_private_ones_not_at_all() -> None:
    files = files_of("foveal.measures")
    names = [file.__name__.rpartition(".")[2] for file in files]
    assert sorted(names) == list(file_names("foveal.measures"))
    assert names[:3] == ["ranked_parts", "characters", "returned_parts"]
    # Those that say no place come last.
    placeless = names[sum(hasattr(file, "PLACE_IN_LISTS") for file in files) :]
    assert "document_scores" in placeless
    assert placeless == sorted(placeless)


def test_records_are_listed_with_the_sentence_of_their_file(fruits: Registry[Fruit]) -> None:
    ((sentence, records),) = by_file(fruits)
    assert sentence == ""
    assert [record.name for record in records] == ["pear", "apple"]


def test_a_file_that_is_loaded_again_registers_its_records_again() -> None:
    for file in (gains, paired_tests, trec, csv):
        importlib.reload(file)
    assert REGISTRY["nDCG"].kernel.__module__ == gains.__name__


def test_rooms_find_their_files_in_an_archive_too(tmp_path: Path) -> None:
    source = Path(foveal.__file__).parent
    with zipfile.ZipFile(tmp_path / "foveal.zip", "w") as archive:
        for path in source.rglob("*.py"):
            archive.write(path, Path("foveal") / path.relative_to(source))
    code = "from foveal.formats import RUN_FORMATS; print(foveal.__file__, *sorted(RUN_FORMATS))"
    told = subprocess.run(
        [sys.executable, "-c", f"import foveal; {code}"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "foveal.zip")},
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert "foveal.zip" in told[0]
    assert told[1:] == sorted(RUN_FORMATS)
