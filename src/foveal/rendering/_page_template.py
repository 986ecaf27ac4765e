"""What all pages are made with: styles that are shared, a policy, templates without surprises."""

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
    """A file of templates/ in a folder of reports/, which is not loaded for it."""
    place = files("foveal.reports").joinpath(folder, "templates", name)
    return place.read_text(encoding="utf-8")


def policy(*, style: str, script: str | None = None) -> str:
    """A content policy that allows this style sheet and this script, and no request."""
    scripts = "" if script is None else f" script-src '{_digest(script)}';"
    return (
        f"default-src 'none';{scripts} style-src '{_digest(style)}'; base-uri 'none';"
        " form-action 'none'"
    )


@lru_cache(maxsize=4)
def template(folder: str, name: str, readable: Callable[[Any], Any]) -> Any:
    """A template in which all text is made readable and escaped, and no name may be missing."""
    jinja2 = extra("jinja2", "jinja2")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["legible"] = legible
    return environment.from_string(asset(folder, name))


def extra(module: str, package: str) -> ModuleType:
    """A module of the extra `report`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra("report", package) from error


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
