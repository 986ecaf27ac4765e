"""Frozen dataclasses that are quick to define.

`dataclass(frozen=True)` compiles up to six methods for every class. A small evaluation defines more
than a hundred classes before it reads a line, and compiling their methods took as long as importing
NumPy. A class made here has an `__init__` of its own and shares the other methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Class) -> Class: ...


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    *, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> Callable[[Class], Class]: ...


def frozen(
    cls: Class | None = None,
    *,
    eq: bool = True,
    repr: bool = True,  # noqa: A002  # as dataclass calls it
    kw_only: bool = False,
) -> Class | Callable[[Class], Class]:
    """Make a class a frozen dataclass; the options are those of `dataclass`."""
    methods: dict[str, Callable[..., Any]] = {"__setattr__": _set, "__delattr__": _delete}
    if eq:
        methods |= {"__eq__": _equal, "__hash__": _hash}
    if repr:
        methods["__repr__"] = _repr

    def decorate(cls: Class) -> Class:
        for name, method in methods.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        dataclass(eq=False, repr=False, kw_only=kw_only)(cls)
        return cls

    return decorate if cls is None else decorate(cls)


def _set(self: Any, name: str, value: object) -> None:
    """Set a field that has no value yet; only `__init__` does."""
    if name in vars(self) or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    vars(self)[name] = value


def _delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _key(self: Any) -> tuple[object, ...]:
    return tuple(getattr(self, field.name) for field in fields(self) if field.compare)


def _equal(self: Any, other: object) -> bool:
    return _key(self) == _key(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_key(self))


def _repr(self: Any) -> str:
    texts = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(texts)})"
