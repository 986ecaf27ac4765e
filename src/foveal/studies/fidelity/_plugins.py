"""Part sets, rankings and noises of one's own, from a file of Python that is run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from traceback import extract_tb
from types import CodeType, ModuleType
from typing import Any

from foveal.errors import BadInput, FovealError, Problem
from foveal.registry import Registry
from foveal.studies.fidelity._registries import NOISES, PART_SETS, RANKINGS

REGISTRIES: tuple[Registry[Any], ...] = (PART_SETS, RANKINGS, NOISES)


@contextmanager
def plugged_in(codes: Mapping[str, bytes]) -> Iterator[tuple[str, ...]]:
    """Run files, given by name, and use what they register until the end; gives notes on them.

    What goes wrong in one of them, now or when the lab calls it, is reported by its name and line.
    """
    before = [dict(registry) for registry in REGISTRIES]
    try:
        with ExitStack() as modules:
            yield tuple(note for name in codes for note in _run(name, codes[name], modules))
    except (Exception, SystemExit) as error:
        problem = _own_problem(error, codes)
        if problem is None:
            raise
        raise problem from error
    finally:
        for registry, records in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(records)


def _run(name: str, code: bytes, modules: ExitStack) -> Iterator[str]:
    """Run a file as a module that others may look up while it is used."""
    module = ModuleType(f"foveal plugin {name}")
    module.__file__ = name
    sys.modules[module.__name__] = module
    modules.callback(sys.modules.pop, module.__name__, None)
    known = [dict(registry) for registry in REGISTRIES]
    exec(_compiled(name, code), module.__dict__)  # noqa: S102  # what the user asks for
    for registry, records in zip(REGISTRIES, known, strict=True):
        if lost := [own for own, record in records.items() if registry.get(own) is not record]:
            reason = f"removes or replaces the {registry.noun} {lost[0]!r}: a plugin can only add"
            raise BadInput(name, [Problem(None, reason)])
    if sum(map(len, REGISTRIES)) == sum(map(len, known)):
        yield f"{name} registers no part set, ranking or noise"


def _compiled(name: str, code: bytes) -> CodeType:
    try:
        return compile(code, name, "exec")
    except SyntaxError as error:
        raise BadInput(name, [Problem(error.lineno, f"not Python: {error.msg}")]) from error
    except ValueError as error:
        raise BadInput(name, [Problem(None, f"not Python: {error}")]) from error


def _own_problem(error: BaseException, codes: Mapping[str, bytes]) -> BadInput | None:
    """The error as the problem of a file's line, if it comes from one of the files."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if frame.filename in codes:
            lines = codes[frame.filename].decode(errors="replace").splitlines()
            at = frame.lineno or 1
            text = lines[at - 1].strip() if at <= len(lines) else ""
            ours = isinstance(error, FovealError)
            reason = str(error) if ours else f"{type(error).__name__}: {error}"
            return BadInput(frame.filename, [Problem(at, reason, text)])
    return None
