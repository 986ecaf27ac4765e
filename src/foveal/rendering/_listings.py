"""Results that are listed line by line: what `check` found, and where an element is."""

from __future__ import annotations

from foveal.elements import Location
from foveal.rules import SEVERITIES, Findings


def findings_text(found: Findings) -> str:
    """One line per finding, as a compiler would say it, then the count of each severity."""
    lines = []
    for finding in found.findings:
        place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        lines.append(f"{place}: {finding.severity}: {finding.message} [{finding.rule}]")
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity in SEVERITIES
        if (count := sum(finding.severity == severity for finding in found.findings))
    ]
    lines.append(", ".join(counts) if counts else "nothing found")
    return "\n".join(lines) + "\n"


def location_text(found: Location) -> str:
    """Document, path and span, and below them the text as it is in the document."""
    lines = [f"doc     {found.doc}", f"path    {found.path}", f"start   {found.start}"]
    lines.append(f"end     {found.end}")
    shown = [] if found.text is None else ["", _printable(found.text)]
    return "\n".join([*lines, *shown]) + "\n"


def _printable(text: str) -> str:
    """Text from a file must not steer the terminal; its lines are left."""
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for sign in text
    )
