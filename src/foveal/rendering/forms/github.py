"""Gates as annotations of GitHub Actions: an error per demand that fails, a warning per doubt."""

from __future__ import annotations

from foveal.rendering.forms.ci import Verdict
from foveal.tables import Ordinary

TITLE = "foveal gate"


def draw(verdict: Verdict) -> str:
    """A workflow command per line; a gate that holds is a notice.

    Notes on what is ordinary are in the log only: an annotation asks for attention.
    """
    lines = [
        annotation("error", check.name, f"{verdict.run}: {check.sentence}")
        for check in verdict.failures
    ]
    lines += [
        annotation("warning", TITLE, note)
        for note in verdict.notes
        if not isinstance(note, Ordinary)
    ]
    if not verdict.failures:
        lines.append(annotation("notice", TITLE, f"{verdict.run}: {verdict.summary}"))
    return "".join(f"{line}\n" for line in lines)


def annotation(kind: str, title: str, message: str) -> str:
    """A workflow command: an error, a warning or a notice."""
    return f"::{kind} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    """A message in one line, as GitHub's own toolkit escapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
