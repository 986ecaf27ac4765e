"""Part sets, rankings and noises of users, from Python files that are run."""

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
    """Run files, keyed by name, and keep what they register until the context ends; yields notes.

    An error in one of them, now or when the lab calls it, is reported by its name and line.
    """
    saved = [dict(registry) for registry in REGISTRIES]
    try:
        with ExitStack() as modules:
            yield tuple(note for name in codes for note in _run(name, codes[name], modules))
    except (Exception, SystemExit) as error:
        problem = _plugin_problem(error, codes)
        if problem is None:
            raise
        raise problem from error
    finally:
        for registry, records in zip(REGISTRIES, saved, strict=True):
            registry.clear()
            registry.update(records)


def _run(name: str, code: bytes, modules: ExitStack) -> Iterator[str]:
    """Run a file as a module, which is in `sys.modules` while the plugin is used."""
    module = ModuleType(f"foveal plugin {name}")
    module.__file__ = name
    sys.modules[module.__name__] = module
    modules.callback(sys.modules.pop, module.__name__, None)
    saved = [dict(registry) for registry in REGISTRIES]
    exec(_compiled(name, code), module.__dict__)  # noqa: S102  # what the user asks for
    for registry, records in zip(REGISTRIES, saved, strict=True):
        if names := [key for key, record in records.items() if registry.get(key) is not record]:
            reason = f"removes or replaces the {registry.noun} {names[0]!r}: a plugin can only add"
            raise BadInput(name, [Problem(None, reason)])
    if sum(map(len, REGISTRIES)) == sum(map(len, saved)):
        yield f"{name} registers no part set, ranking or noise"


def _compiled(name: str, code: bytes) -> CodeType:
    try:
        return compile(code, name, "exec")
    except SyntaxError as error:
        raise BadInput(name, [Problem(error.lineno, f"not Python: {error.msg}")]) from error
    except ValueError as error:
        raise BadInput(name, [Problem(None, f"not Python: {error}")]) from error


def _plugin_problem(error: BaseException, codes: Mapping[str, bytes]) -> BadInput | None:
    """The error as a problem of a plugin's line, or None if it comes from elsewhere."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if frame.filename in codes:
            lines = codes[frame.filename].decode(errors="replace").splitlines()
            line = frame.lineno or 1
            text = lines[line - 1].strip() if line <= len(lines) else ""
            is_foveal_error = isinstance(error, FovealError)
            reason = str(error) if is_foveal_error else f"{type(error).__name__}: {error}"
            return BadInput(frame.filename, [Problem(line, reason, text)])
    return None
