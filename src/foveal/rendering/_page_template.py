"""Parts that all pages need: files of templates/, a content policy, strict templates."""

from __future__ import annotations

import base64
import hashlib
import importlib
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from foveal.errors import MissingExtra
from foveal.rendering.drawing import legible


def asset(folder: str, name: str) -> str:
    """Read a file of templates/ in a folder of reports/, without importing that folder."""
    path = files("foveal.reports").joinpath(folder, "templates", name)
    return path.read_text(encoding="utf-8")


def policy(*, style: str, script: str | None = None) -> str:
    """A content policy that allows this style sheet and this script, and no request."""
    scripts = "" if script is None else f" script-src '{_digest(script)}';"
    return (
        f"default-src 'none';{scripts} style-src '{_digest(style)}'; base-uri 'none';"
        " form-action 'none'"
    )


@lru_cache(maxsize=4)
def template(folder: str, name: str, make_readable: Callable[[Any], Any]) -> Any:
    """Load a template that makes all text readable, escapes it and refuses missing names."""
    jinja2 = extra("jinja2", "jinja2")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=make_readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["legible"] = legible
    return environment.from_string(asset(folder, name))


def extra(module: str, package: str) -> ModuleType:
    """Import a module of the extra `report`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra("report", package) from error


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
