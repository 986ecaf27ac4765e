"""Digests of what an installed foveal prints and writes, over every format.

Run by the Python of an environment, in an empty folder; it needs nothing but foveal. Two
installations give the same digests if they give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from foveal.choices import Content, Form, Task
from foveal.cli import main as foveal
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, TOPICS_FORMATS, Format

QRELS, ELEMENTS = "demo/demo.qrels", ("--elements", "demo/demo.index")
RUN, OTHER = "demo/runs/passages-good.fol", "demo/runs/passages-fair.fol"
SUBMISSION, OVERLAPPING = "demo/runs/parts-sections.xml", "demo/runs/overlapping.inex"
GOLD, CHUNKS = "demo/rag/gold.jsonl", "demo/rag/runs/small.jsonl"
# What is made of a good file to get bad ones.
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) * 2 // 3],
    "letters": lambda data: data.replace(b"1", b"x"),
    "bytes": lambda data: data[:200] + b"\xff\xfe\x00" + data[200:],
    "columns": lambda data: data.replace(b" ", b"  ", 5).replace(b"\n", b" more\n", 3),
    "empty": lambda _: b"",
}
# Grades are all that these hold.
OF_GRADES = ("trec", "trec-subtopics")
Words = tuple[str, ...]


def digest(*parts: bytes) -> str:
    """A short name of some bytes."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def answer(words: Words) -> tuple[str, str]:
    """A command, and its exit code with a digest of what it printed."""
    printed = [io.BytesIO(), io.BytesIO()]
    streams = [io.TextIOWrapper(one, "utf-8", write_through=True) for one in printed]
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams
    code: object = None
    try:
        foveal(words)
    except SystemExit as left:
        code = left.code
    finally:
        sys.stdout, sys.stderr = before
    return " ".join(words), f"{code} {digest(*(one.getvalue() for one in printed))}"


def every_format() -> Iterator[Words]:
    """The demo's run and judgements into every format that is written."""
    for name in RUN_FORMATS:
        whole = ("--documents",) if name == "trec" else ()
        yield ("convert", RUN, f"runs/demo.{name}", "--to", name, *whole, *ELEMENTS)
    for name in QRELS_FORMATS:
        grades = ("--min-highlighted", "1") if name in OF_GRADES else ()
        yield ("convert", QRELS, f"judgements/demo.{name}", "--to", name, *grades, *ELEMENTS)


def examples() -> Iterator[Words]:
    """Every format's own examples, written to files and read."""
    for formats, kind in ((RUN_FORMATS, Content.RUN), (QRELS_FORMATS, Content.JUDGEMENTS)):
        for form in formats.values():
            name = f"examples/{kind}.{form.name}"
            _write_examples(form, Path(name))
            how = ("--format", form.name, "--kind", kind, "--to", "jsonl")
            yield ("convert", name, f"{name}.jsonl", *how)
    for topics in TOPICS_FORMATS.values():
        name = f"examples/topics.{topics.name}"
        _write_examples(topics, Path(name))
        yield ("evaluate", QRELS, RUN, "--per-topic", "--topics-file", name)


def _write_examples(form: Format, path: Path) -> None:
    path.write_text("".join(f"{line}\n" for line in form.examples), encoding="utf-8")


def read_again() -> Iterator[Words]:
    """Every file that was converted, scored and checked, and damaged copies of them."""
    for path in sorted(Path("runs").iterdir()):
        read = (str(path), "--format", path.suffix[1:], *ELEMENTS)
        yield ("evaluate", QRELS, *read, "--per-topic")
        yield ("check", *read)
    for path in sorted(Path("judgements").iterdir()):
        run = "runs/demo.trec" if path.suffix[1:] in OF_GRADES else RUN
        yield ("evaluate", str(path), run, "--qrels-format", path.suffix[1:], *ELEMENTS)
    for folder, kind in (("runs", Content.RUN), ("judgements", Content.JUDGEMENTS)):
        for path in sorted(Path(folder).iterdir()):
            for damage, spoil in DAMAGE.items():
                spoilt = Path("spoilt") / f"{kind}-{damage}{path.suffix}"
                spoilt.write_bytes(spoil(path.read_bytes()))
                how = ("--format", path.suffix[1:], "--kind", kind, "--to", "jsonl", *ELEMENTS)
                yield ("convert", str(spoilt), f"{spoilt}.jsonl", *how)


def every_command() -> Iterator[Words]:
    """What each command makes of the demo's world."""
    both = (QRELS, RUN, OTHER)
    yield from (("evaluate", *both, "--task", task) for task in Task)
    for form in Form:
        yield ("evaluate", *both, "--to", form, "-o", f"written/scores.{form}")
    yield ("evaluate", *both, "--per-document", "--to", "csv")
    yield ("evaluate", *both, "--per-result", "--to", "csv")
    yield ("evaluate", QRELS, SUBMISSION, OVERLAPPING, *ELEMENTS, "--to", "json")
    yield ("evaluate", QRELS, OVERLAPPING, *ELEMENTS, "--overlap", "paid")
    yield ("evaluate", GOLD, CHUNKS, "--task", "rag", "--docs", "demo/rag/docs", "--per-topic")
    yield ("trec_eval", "-q", "-m", "all_trec", "judgements/demo.trec", "runs/demo.trec")
    yield ("trec_eval", "--as", "10", "judgements/demo.trec", "runs/demo.trec")
    yield ("compare", *both, "--to", "json", "-o", "written/compare.json")
    yield ("compare", *both, "--figure", "matrix", "-o", "written/matrix.svg")
    yield ("agree", *both, "-m", "AiP", "-m", "AgP")
    yield ("gate", QRELS, RUN, "--baseline", OTHER, "--max-drop", "0.02")
    yield ("check", OVERLAPPING, "--task", "focused", *ELEMENTS)
    yield ("repair", OVERLAPPING, "-o", "written/repaired.inex", "--task", "focused", *ELEMENTS)
    yield ("index", "demo/articles", "-o", "written/again.index")
    yield ("index", "demo/articles", "-o", "written/bytes.index", "--count", "bytes")
    yield ("locate", "demo/demo.index", "A001", "/article[1]/bdy[1]/sec[1]")
    yield ("pool", RUN, OTHER, "-o", "written/pool.jsonl")
    yield ("stability", "pool", *both, "--samples", "2")
    yield ("stability", "topics", *both, "--samples", "2", "--to", "json")
    yield ("fidelity", QRELS, *ELEMENTS)
    yield ("explain", QRELS, RUN, "--topic", "101", "--docs", "demo/articles")
    yield ("report", *both, *ELEMENTS, "--docs", "demo/articles", "-o", "written/report.html")


def written() -> Iterator[tuple[str, str]]:
    """A digest of every file below this folder."""
    for path in sorted(Path().rglob("*")):
        if path.is_file():
            yield str(path), digest(path.read_bytes())


def main() -> None:
    """Print the digests as JSON."""
    for folder in ("runs", "judgements", "examples", "spoilt", "written"):
        Path(folder).mkdir()
    digests = dict([answer(("demo", "demo"))])
    # Each step reads what the one before has written.
    for commands in (every_format, examples, read_again, every_command):
        digests |= dict(map(answer, commands()))
    print(json.dumps(digests | dict(written())))


if __name__ == "__main__":
    main()
