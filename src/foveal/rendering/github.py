"""Gates as annotations of GitHub Actions: an error per demand that fails, a warning per note."""

from __future__ import annotations

from foveal.rendering._verdict import Verdict

TITLE = "foveal gate"


def draw(verdict: Verdict) -> str:
    """A workflow command per line; a gate that holds is a notice."""
    lines = [
        _command("error", check.name, f"{verdict.run}: {check.sentence}")
        for check in verdict.failures
    ]
    lines += [_command("warning", TITLE, note) for note in verdict.notes]
    if not verdict.failures:
        lines.append(_command("notice", TITLE, f"{verdict.run}: {verdict.summary}"))
    return "".join(f"{line}\n" for line in lines)


def _command(kind: str, title: str, message: str) -> str:
    return f"::{kind} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    """A message in one line, as GitHub's own toolkit escapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
