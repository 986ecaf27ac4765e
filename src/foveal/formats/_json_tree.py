"""A file that is one JSON document: its objects, where they are, and what is wrong with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foveal.errors import BadInput, Problem, kind
from foveal.files import Head, Source
from foveal.formats._json_values import DECODER, JsonObject, is_unicode
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET


@frozen
class Node:
    """An object in a JSON document; `path` and `line` say where, and problems are taken down.

    The path is jq's, such as .tests[3].snippets[0], because a document may be on one line.
    """

    item: JsonObject
    problems: list[Problem]
    path: str = ""
    line: int | None = None

    def refuse(self, reason: str) -> None:
        """Take down what is wrong here."""
        place = f"{self.path}: " if self.path else ""
        self.problems.append(Problem(self.line, f"{place}{reason}"))

    def objects(self, key: str) -> Iterator[Node]:
        """The objects in a list; other values are problems."""
        values = self.item.get(key)
        if not isinstance(values, list):
            self.refuse(f"{key} must be a list, got {kind(values)}")
            return
        for number, value in enumerate(values):
            path = f"{self.path}.{key}[{number}]"
            if isinstance(value, dict):
                yield Node(value, self.problems, path, self.line)
            else:
                replace(self, path=path).refuse(f"{kind(value)}, not an object")

    def text(self, key: str) -> str | None:
        """A text; a problem if there is none."""
        value = self.item.get(key)
        if isinstance(value, str) and is_unicode(value):
            return value
        self.refuse(f"no {key}" if value is None else f"{key} is {kind(value)}, not text")
        return None

    def name(self, key: str) -> str | None:
        """An identifier: a text that is not empty, or a whole number."""
        value = self.item.get(key)
        if type(value) is int:
            return str(value)
        if value == "":
            self.refuse(f"no {key}")
            return None
        return self.text(key)

    def offset(self, value: object, name: str) -> int | None:
        """A place in a document; a problem if it is none."""
        if type(value) is int and 0 <= value <= LARGEST_OFFSET:
            return value
        wanted = f"a whole number from 0 to {LARGEST_OFFSET:,}"
        self.refuse(f"{name} is {kind(value)}, not {wanted}")
        return None


def json_tree(source: Source, problems: list[Problem]) -> Node:
    """The JSON object that a file is."""
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
        raise BadInput(source.name, [Problem(1, f"{kind(item)}, not a JSON object")])
    return Node(item, problems)


def located(nodes: list[Node], source: Source, key: str) -> list[Node]:
    """The nodes with their lines, given a key that each of them has and no other object has.

    A key between quotes and before a colon is never inside a text, where quotes are escaped. If
    there are more or fewer keys than nodes, the lines stay unknown.
    """
    data = source.text()
    places = [found.start() for found in re.finditer(rb'"%b"\s*:' % key.encode(), data)]
    if len(places) != len(nodes):
        return nodes
    lines, line, counted_to = [], 1, 0
    for place in places:
        line += data.count(b"\n", counted_to, place)
        counted_to = place
        lines.append(line)
    return [replace(node, line=line) for node, line in zip(nodes, lines, strict=True)]


def has_keys(head: Head, *lists: str) -> bool:
    """Whether a file begins as a JSON object with these keys, at whatever depth, of lists."""
    keys = (rb'"%b"\s*:\s*\[' % key.encode() for key in lists)
    begins = head.line.lstrip(" \t").startswith("{")
    return begins and all(re.search(key, head.beginning) for key in keys)
