"""Reports of gates for programs that run checks: JUnit XML and annotations of GitHub Actions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET  # only writes XML here

from foveal.frozen import frozen
from foveal.tables import InfoNote

# Characters that XML 1.0 cannot hold, even escaped.
_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
TITLE = "foveal gate"


@frozen
class CheckItem:
    """One demand: its name, whether it holds, and the reason in a sentence."""

    name: str
    holds: bool
    sentence: str


@frozen
class CheckReport:
    """All demands on a run, with a summary, settings and notes."""

    run: str
    checks: Sequence[CheckItem]
    summary: str
    settings: Mapping[str, str]
    notes: Sequence[str]

    @property
    def failures(self) -> list[CheckItem]:
        """The demands that fail."""
        return [check for check in self.checks if not check.holds]


def junit(report: CheckReport) -> str:
    """JUnit XML, which every system that runs checks can read: a test suite with a case per demand and per measure that must not drop."""
    counts = {
        "tests": str(len(report.checks)),
        "failures": str(len(report.failures)),
        "errors": "0",
        "skipped": "0",
        "time": "0",
    }
    root = ET.Element("testsuites", {"name": TITLE, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": _xml(report.run), **counts})
    properties = ET.SubElement(suite, "properties")
    for name, value in report.settings.items():
        attributes = {"name": _xml(name), "value": _xml(value)}
        ET.SubElement(properties, "property", attributes)
    for check in report.checks:
        attributes = {"classname": _xml(report.run), "name": _xml(check.name), "time": "0"}
        case = ET.SubElement(suite, "testcase", attributes)
        if not check.holds:
            message = _xml(check.sentence)
            failure = ET.SubElement(case, "failure", {"message": message, "type": "demand"})
            failure.text = message
    if report.notes:
        ET.SubElement(suite, "system-out").text = _xml("\n".join(report.notes))
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def github(report: CheckReport) -> str:
    """Workflow commands of GitHub Actions, one per line; a gate that holds is a notice.

    Notes for information are only in the log: an annotation asks for attention.
    """
    lines = [
        annotation("error", check.name, f"{report.run}: {check.sentence}")
        for check in report.failures
    ]
    lines += [
        annotation("warning", TITLE, note)
        for note in report.notes
        if not isinstance(note, InfoNote)
    ]
    if not report.failures:
        lines.append(annotation("notice", TITLE, f"{report.run}: {report.summary}"))
    return "".join(f"{line}\n" for line in lines)


def annotation(kind: str, title: str, message: str) -> str:
    """A workflow command: an error, a warning or a notice."""
    return f"::{kind} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    """A message in one line, as GitHub's own toolkit escapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
