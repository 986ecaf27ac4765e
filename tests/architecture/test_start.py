"""What a small evaluation loads: a program that takes longer to start than to work is not fast."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.shared import needs_compiled

pytestmark = needs_compiled()

HEAVY = {
    *("polars", "scipy", "rich", "pandas", "pyarrow", "zstandard", "numpy.ma", "numpy.random"),
    *("concurrent.futures", "hashlib", "html", "importlib.metadata", "xml.etree", "shutil"),
    *("foveal.elements", "foveal.intake", "foveal.analysis", "foveal.rules"),
    *("foveal.rendering.drawing", "foveal.rendering.html", "foveal.rendering.records"),
    *("foveal.measures._breakdown", "foveal.measures._explaining"),
}
# What a small evaluation needs, with room for a few more: each takes about half a millisecond.
MOST_FILES = 195
# Runs commands one after another, and tells after each what has been loaded so far.
TRACED = """
import json, sys
from foveal.cli import main
for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit as end:
        assert not end.code, words
    print(json.dumps(list(sys.modules)), file=sys.stderr)
"""
FILES = {
    "a.qrels": "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n",
    "a.run": "1 Q0 d1 1 0.5 mine\n1 Q0 d2 2 0.4 mine\n1 Q0 d3 3 0.4 mine\n2 Q0 d3 1 0.5 mine\n",
    "inex.qrels": "1 Q0 d1 30 100 10 10:30\n1 Q0 d2 0 80\n",
    "inex.fol": "1 Q0 d1 1 0.5 mine 0 50\n1 Q0 d1 2 0.4 mine 60 10\n",
}


def loaded(folder: Path, *commands: list[str]) -> list[set[str]]:
    """What one new process has loaded after each command: whatever is loaded stays."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", TRACED, json.dumps(commands)],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    # Among notes, which are no lists.
    return [set(json.loads(line)) for line in done.stderr.splitlines() if line.startswith("[")]


def test_scoring_text_files_loads_nothing_heavy(tmp_path: Path) -> None:
    commands = [
        ["evaluate", *files, "--to", form, *more]
        for files in (("a.qrels", "a.run"), ("inex.qrels", "inex.fol"))
        for form in ("text", "csv", "tsv", "jsonl", "trec")
        for more in ((), ("--per-topic",))
    ]
    for words, found in zip(commands, loaded(tmp_path, *commands), strict=True):
        assert not found & HEAVY, words
        assert len([name for name in found if name.startswith("foveal.")]) <= MOST_FILES, words


def test_trec_evals_command_loads_nothing_heavy(tmp_path: Path) -> None:
    (found,) = loaded(tmp_path, ["trec_eval", "-q", "a.qrels", "a.run"])
    assert not found & HEAVY


def test_a_frame_is_made_when_it_is_asked_for(tmp_path: Path) -> None:
    words = ["evaluate", "a.qrels", "a.run", "--to", "parquet", "-o", "x"]
    assert "polars" in loaded(tmp_path, words)[0]
