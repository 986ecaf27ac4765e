"""Frozen dataclasses behave as those of the standard library."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from functools import cached_property
from typing import ClassVar

import pytest

from foveal.frozen import frozen


@frozen
class Place:
    """A class with everything that ours use."""

    unit: ClassVar[str] = "characters"
    doc: str
    start: int = 0
    seen: list[str] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def shown(self) -> str:
        return f"{self.doc}:{self.start}"


@dataclass(frozen=True)
class Standard:
    """The same by the standard library."""

    unit: ClassVar[str] = "characters"
    doc: str
    start: int = 0
    seen: list[str] = field(default_factory=list, compare=False, repr=False)


@frozen(kw_only=True)
class Stretch(Place):
    """A class made of another."""

    end: int


def test_no_field_can_be_set_added_or_deleted() -> None:
    place = Place("d1", 3)
    for name in ("start", "other"):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(place, name, 4)
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'start'"):
        del place.start
    assert vars(place) == {"doc": "d1", "start": 3, "seen": []}


def test_equality_hash_and_text_are_those_of_the_standard_library() -> None:
    assert repr(Place("d1", 3, ["x"])) == repr(Standard("d1", 3)).replace("Standard", "Place")
    assert Place("d1", 3, ["x"]) == Place("d1", 3)
    assert Place("d1", 3) != Place("d1", 4)
    assert hash(Place("d1", 3, ["x"])) == hash(Standard("d1", 3))
    assert Place("d1", 3) != Stretch("d1", 3, end=5)
    assert repr(Stretch("d1", end=5)) == "Stretch(doc='d1', start=0, end=5)"


def test_an_object_without_equality_equals_itself_only() -> None:
    @frozen(eq=False, repr=False)
    class Plain:
        """Two of these are different things."""

        doc: str

    one = Plain("d1")
    assert one == one  # noqa: PLR0124  # what is tested
    assert one != Plain("d1")
    assert "doc=" not in repr(one)


def test_copies_and_cached_values_work() -> None:
    place = Place("d1", 3, ["x"])
    assert place.shown == "d1:3"
    assert replace(place, start=4) == Place("d1", 4)
    assert copy.deepcopy(place) == place
    assert pickle.loads(pickle.dumps(place)) == place  # noqa: S301  # our own bytes
    assert [one.name for one in fields(place)] == [one.name for one in fields(Standard)]


def test_methods_of_the_class_come_first() -> None:
    @frozen
    class Named:
        """A class that shows itself in its own way."""

        doc: str

        def __repr__(self) -> str:
            return f"<{self.doc}>"

    assert repr(Named("d1")) == "<d1>"
