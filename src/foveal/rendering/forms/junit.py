"""Gates as JUnit XML, which every system that runs checks can read."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET  # it writes, and parses nothing

from foveal.rendering.forms.ci import Verdict

# What XML 1.0 cannot hold, even escaped.
_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def draw(verdict: Verdict) -> str:
    """A test suite with a case per demand and per measure that must not drop."""
    counts = {
        "tests": str(len(verdict.checks)),
        "failures": str(len(verdict.failures)),
        "errors": "0",
        "skipped": "0",
        "time": "0",
    }
    root = ET.Element("testsuites", {"name": "foveal gate", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": _written(verdict.run), **counts})
    properties = ET.SubElement(suite, "properties")
    for name, value in verdict.settings.items():
        attributes = {"name": _written(name), "value": _written(value)}
        ET.SubElement(properties, "property", attributes)
    for check in verdict.checks:
        attributes = {"classname": _written(verdict.run), "name": _written(check.name), "time": "0"}
        case = ET.SubElement(suite, "testcase", attributes)
        if not check.holds:
            message = _written(check.sentence)
            failure = ET.SubElement(case, "failure", {"message": message, "type": "demand"})
            failure.text = message
    if verdict.notes:
        ET.SubElement(suite, "system-out").text = _written("\n".join(verdict.notes))
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _written(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
