"""A file that is one JSON document: its objects, their places in it, and their problems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foveal.errors import BadInput, Problem, value_text
from foveal.files import Head, Source
from foveal.formats._json_values import DECODER, JsonObject, is_unicode
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET


@frozen
class Node:
    """An object in a JSON document, at `path` and `line`; problems are collected.

    The path is jq's, such as .tests[3].snippets[0], because a document may be on one line.
    """

    item: JsonObject
    problems: list[Problem]
    path: str = ""
    line: int | None = None

    def refuse(self, reason: str) -> None:
        """Add a problem at this object."""
        prefix = f"{self.path}: " if self.path else ""
        self.problems.append(Problem(self.line, f"{prefix}{reason}"))

    def objects(self, key: str) -> Iterator[Node]:
        """Objects in a list; other values are problems."""
        values = self.item.get(key)
        if not isinstance(values, list):
            self.refuse(f"{key} must be a list, got {value_text(values)}")
            return
        for number, value in enumerate(values):
            path = f"{self.path}.{key}[{number}]"
            if isinstance(value, dict):
                yield Node(value, self.problems, path, self.line)
            else:
                replace(self, path=path).refuse(f"{value_text(value)}, not an object")

    def text(self, key: str) -> str | None:
        """Text of a key; a problem if there is none."""
        value = self.item.get(key)
        if isinstance(value, str) and is_unicode(value):
            return value
        self.refuse(f"no {key}" if value is None else f"{key} is {value_text(value)}, not text")
        return None

    def name(self, key: str) -> str | None:
        """Identifier of a key: text that is not empty, or a whole number."""
        value = self.item.get(key)
        if type(value) is int:
            return str(value)
        if value == "":
            self.refuse(f"no {key}")
            return None
        return self.text(key)

    def offset(self, value: object, name: str) -> int | None:
        """The value as an offset into a document; None and a problem if it is invalid."""
        if type(value) is int and 0 <= value <= LARGEST_OFFSET:
            return value
        expected = f"a whole number from 0 to {LARGEST_OFFSET:,}"
        self.refuse(f"{name} is {value_text(value)}, not {expected}")
        return None


def json_tree(source: Source, problems: list[Problem]) -> Node:
    """The one JSON object of a file."""
    try:
        item: Any = DECODER.decode(source.text().decode().strip())
    except RecursionError:
        raise BadInput(source.name, [Problem(None, "JSON nested too deeply")]) from None
    except json.JSONDecodeError as error:
        reason = f"broken JSON at character {error.colno} (cut off?): {error.msg}"
        raise BadInput(source.name, [Problem(error.lineno, reason)]) from error
    except ValueError as error:
        raise BadInput(source.name, [Problem(None, f"broken JSON: {error}")]) from error
    if not isinstance(item, dict):
        raise BadInput(source.name, [Problem(1, f"{value_text(item)}, not a JSON object")])
    return Node(item, problems)


def located(nodes: list[Node], source: Source, key: str) -> list[Node]:
    """Nodes with their lines, found by a key that each of them and no other object has.

    A key between quotes and before a colon is never inside a text, where quotes are escaped. If
    there are more or fewer keys than nodes, lines stay None.
    """
    data = source.text()
    starts = [match.start() for match in re.finditer(rb'"%b"\s*:' % key.encode(), data)]
    if len(starts) != len(nodes):
        return nodes
    lines, line, counted_to = [], 1, 0
    for start in starts:
        line += data.count(b"\n", counted_to, start)
        counted_to = start
        lines.append(line)
    return [replace(node, line=line) for node, line in zip(nodes, lines, strict=True)]


def has_keys(head: Head, *lists: str) -> bool:
    """True if a file begins with a JSON object that has lists under these keys, at any depth."""
    keys = (rb'"%b"\s*:\s*\[' % key.encode() for key in lists)
    is_object = head.line.lstrip(" \t").startswith("{")
    return is_object and all(re.search(key, head.beginning) for key in keys)
