"""Use an installed foveal: what works with the extras that are there, and what is said without.

Run by the Python of a fresh environment, with the extras that it has and those that it lacks; it
needs nothing but foveal.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

FOVEAL = Path(sys.executable).with_name("foveal")
MISSING_EXTRA = 69
LOOPBACK = "http://127.0.0.1:"
QRELS, ELEMENTS = "demo/demo.qrels", ("--elements", "demo/demo.index")
RUNS = ("demo/runs/passages-good.fol", "demo/runs/passages-fair.fol")
GOLD, CHUNKS = "demo/rag/gold.jsonl", "demo/rag/runs/small.jsonl"
# Words are what is between spaces, and all of them are unknown; that is enough to count them.
TOKENIZER: dict[str, object] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"},
}
Use = Callable[[], None]


def foveal(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command, which must leave with that code and without a traceback."""
    done = subprocess.run([FOVEAL, *words], capture_output=True, text=True, check=False)
    require(done.returncode == code, f"{words}: exit {done.returncode}: {done.stderr}")
    require("Traceback" not in done.stderr, f"{words}: {done.stderr}")
    return done


def require(holds: bool, otherwise: str) -> None:  # noqa: FBT001  # reads as an assertion
    """End the trial unless something holds."""
    if not holds:
        sys.exit(otherwise)


def starts_with(file: str, magic: bytes) -> None:
    """Require that a file was written, and is what its first bytes say."""
    found = Path(file).read_bytes()
    require(found.lower().startswith(magic), f"{file} begins with {found[:20]!r}")


def report() -> None:
    """A page about runs, with formulas."""
    foveal("report", QRELS, *RUNS, "-m", "AiP", "-m", "AgP", "-o", "report.html")
    starts_with("report.html", b"<!doctype html")
    require("<math" in Path("report.html").read_text(encoding="utf-8"), "no formulas")


def figures() -> None:
    """A figure as PNG and as PDF."""
    for ending, magic in ((".png", b"\x89png"), (".pdf", b"%pdf")):
        foveal("compare", QRELS, *RUNS, "-m", "AiP", "--figure", "matrix", "-o", f"matrix{ending}")
        starts_with(f"matrix{ending}", magic)


def assess() -> None:
    """The page for assessors, on this machine's own address."""
    with subprocess.Popen(
        [FOVEAL, "assess", "try", "campaign", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            links = (word for line in server.stdout or () for word in line.split())
            link = next((word for word in links if word.startswith(LOOPBACK)), None)
            require(link is not None, "the server printed no link")
            look_at_page(link or "")
        finally:
            server.terminate()


def look_at_page(link: str) -> None:
    """Require that an assessor's link leads to the desk, which brings its scripts and styles."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def got(place: str) -> str:
        with browser.open(urllib.parse.urljoin(link, place), timeout=30) as answer:
            text: str = answer.read().decode()
        return text

    (desk,) = re.findall(r'url=([^"]+)"', got(""))
    parts = re.findall(r'(?:src|href)="(/static/[^"]+)"', page := got(desk))
    require("<main" in page and len(parts) > 1, f"not the desk: {page[:400]}")
    require(all(map(got, parts)), "a part of the page is empty")


def tokens() -> None:
    """Recall within a budget of tokens."""
    Path("tokenizer.json").write_text(json.dumps(TOKENIZER), encoding="utf-8")
    words = ("--task", "rag", "--docs", "demo/rag/docs", "--tokens", "tokenizer.json")
    shown = foveal("evaluate", GOLD, CHUNKS, *words, "-m", "cR(tokens=200)", "--to", "jsonl")
    value = json.loads(shown.stdout.splitlines()[-1])["value"]
    require(0 < value < 1, f"recall within 200 tokens is {value}")


def cluster() -> None:
    """The same scores on a Dask cluster, and a file through fsspec."""
    from distributed import LocalCluster  # noqa: PLC0415  # only with the extra

    words = ("evaluate", QRELS, *RUNS, "-m", "AiP", "--to", "jsonl")
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as local:
        remote = foveal(*words, "--cluster", local.scheduler_address)
    require(remote.stdout == foveal(*words).stdout, "a cluster gives other scores")
    foveal("check", Path(RUNS[0]).resolve().as_uri())


# What asks for each extra, without which it must say so.
USES: dict[str, tuple[Use, tuple[str, ...]]] = {
    "report": (report, ("report", QRELS, *RUNS, "-o", "missing.html")),
    "figures": (figures, ("compare", QRELS, *RUNS, "--figure", "matrix", "-o", "missing.png")),
    "assess": (assess, ("assess", "try", "missing", "--no-browser")),
    "tokens": (
        tokens,
        ("evaluate", GOLD, CHUNKS, "--task", "rag", "--docs", "demo/rag/docs", "--tokens", QRELS),
    ),
    "cluster": (cluster, ("evaluate", QRELS, *RUNS, "--cluster", "tcp://127.0.0.1:1")),
}


def without(extra: str) -> None:
    """Require that a command that needs an extra says which one, in one line and without traces."""
    said = foveal(*USES[extra][1], code=MISSING_EXTRA).stderr
    require(f"pip install 'foveal[{extra}]'" in said, f"{extra}: {said}")
    require(not Path("missing").exists(), f"{extra}: something was written")


def everywhere(extras: list[str]) -> None:
    """What every installation can do: the version, help, the demo, figures as SVG, a file by URL."""
    require(foveal("--version").stdout.startswith("foveal "), "no version")
    module = [sys.executable, "-m", "foveal", "--help"]
    shown = subprocess.run(module, capture_output=True, text=True, check=True).stdout
    require("evaluate" in shown, "python -m foveal shows no commands")
    demo = foveal("demo", "demo").stdout
    has_page = Path("demo/report.html").is_file()
    require(has_page == ("report" in extras), "the demo's report")
    require(has_page or "There is no report: this needs" in demo, "the demo hides what is missing")
    foveal("compare", QRELS, *RUNS, "-m", "AiP", "--figure", "matrix", "-o", "matrix.svg")
    starts_with("matrix.svg", b"<svg")


def main(extras: list[str], missing: list[str]) -> None:
    """Use every extra that is there, and ask for every one that is not."""
    everywhere(extras)
    for extra in extras:
        USES[extra][0]()
    for extra in missing:
        without(extra)
    used = f"; {', '.join(extras)} used" if extras else ""
    refused = f"; {', '.join(missing)} missing, said so" if missing else ""
    print(f"demo{used}{refused}")


if __name__ == "__main__":
    main(*(words.split(",") if words else [] for words in sys.argv[1:]))
