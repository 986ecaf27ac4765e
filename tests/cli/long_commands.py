"""Every command that can take seconds, on a small world, and the stages that it shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.campaigns import act, campaign_at
from tests.cli import small_world
from tests.cli.small_world import DOCUMENT_RUNS, GRADED_QRELS, QRELS, RUNS

OLD = "what was there before"
TOPICS = "topic\ttitle\n1\tfish\n"
POOL = '{"topic": "1", "doc": "d1", "place": 1, "runs": 1, "best_rank": 1, "passages": []}\n'
JUDGED = '{"topic": "1", "doc": "plain", "highlights": [[0, 10]]}\n'
CAMPAIGN = "small.campaign"


@dataclass(frozen=True)
class Long:
    """The words of a command, its stages, and the file that it writes; {} is a folder of its own."""

    words: tuple[str, ...]
    stages: tuple[str, ...]
    target: str = ""

    def called(self, out: Path) -> list[str]:
        """The words, with a folder to write to."""
        named = ("-o", self.target) if self.target else ()
        return [word.format(out.name) for word in (*self.words, *named)]


FEW = ("--levels", "50,40", "--samples", "2")
TWO = ("-m", "AiP", "-m", "charP")
LONG = {
    "evaluate": Long(("evaluate", QRELS, *RUNS), ("scoring", "formatting", "writing"), "{}/a.csv"),
    "evaluate compressed": Long(("evaluate", QRELS, *RUNS), ("compressing",), "{}/a.csv.gz"),
    "trec_eval": Long(("trec_eval", GRADED_QRELS, DOCUMENT_RUNS[0]), ("scoring",)),
    "check": Long(("check", "fox.fol"), ("reading fox.fol", "checking"), "{}/a.txt"),
    "check --fix": Long(("check", "fox.fol", "--fix"), ("repairing", "formatting", "writing"), "{}/a.fol"),
    "convert": Long(("convert", *RUNS, "{}", "--to", "jsonl"), ("converting", "reading echo.fol")),
    "index": Long(("index", "articles", "-o", "{}/INDEX"), ("indexing",)),
    "locate": Long(
        ("locate", "INDEX", "d1", "/a[1]/p[1]", "--text", "articles"), ("reading the text",)
    ),
    "compare": Long(
        # Of so few topics a randomization test takes all vectors of signs at once.
        ("compare", QRELS, *RUNS, *TWO, "--test", "bootstrap", "--resamples", "1000"),
        ("comparing", "resampling", "finding intervals"),
        "{}/a.csv",
    ),
    "agree": Long(("agree", QRELS, *RUNS, *TWO), ("resampling", "correlating"), "{}/a.csv"),
    "gate": Long(("gate", QRELS, "delta.fol", "--min", "AiP>=0"), ("scoring",), "{}/a.json"),
    "fidelity": Long(
        ("fidelity", "xml.qrels", "--elements", "INDEX", "--noise", "--samples", "1",
         "--save-runs", "{}"),
        ("simulating runs", "scoring simulated runs", "adding noise", "noise 'shift'", "saving runs"),
        "{}/a.csv",
    ),
    "stability pool": Long(
        ("stability", "pool", QRELS, *RUNS, *FEW, "--save-samples", "{}"),
        ("saving samples", "sampling", "comparing rankings"),
        "{}/a.csv",
    ),
    **{
        f"stability {name}": Long(("stability", name, QRELS, *RUNS, *few), stages, "{}/a.csv")
        for name, few, stages in (
            ("topics", FEW, ("scoring", "sampling topics", "comparing rankings")),
            ("error-rate", FEW, ("scoring", "sampling topics")),
            ("swap", FEW, ("scoring", "sampling topics")),
            ("leave-out", (), ("searching", "leaving out")),
            ("depth", (), ("searching", "sampling")),
        )
    },
    "report": Long(
        ("report", QRELS, *RUNS, "--with", "fidelity,stability"),
        ("looking", "comparing", "scoring simulated runs", "sampling topics", "formatting"),
        "{}/a.html",
    ),
    "explain": Long(("explain", QRELS, "delta.fol"), ("explaining",), "{}/a.html"),
    "pool": Long(("pool", *RUNS, "--depth", "3"), ("reading runs", "pooling"), "{}/a.jsonl"),
    "assess new": Long(
        ("assess", "new", "{}/new.campaign", "--topics", "topics.tsv", "--pool", "pool.jsonl",
         "--docs", "articles", "--assessor", "ann"),
        ("reading articles", "copying texts"),
    ),
    "assess import": Long(
        ("assess", "import", CAMPAIGN, "judged.jsonl", "--as", "eve"),
        ("reading judgements", "storing events"),
    ),
    "assess status": Long(("assess", "status", CAMPAIGN), ("counting",), "{}/a.csv"),
    "assess agree": Long(
        ("assess", "agree", CAMPAIGN), ("reading the log", "comparing assessors"), "{}/a.csv"
    ),
    "assess export": Long(
        ("assess", "export", CAMPAIGN),
        ("exporting", "reading the campaign", "reading the log", "formatting"),
        "{}/a.jsonl",
    ),
    "assess export log": Long(("assess", "export", CAMPAIGN), ("writing events",), "{}/a.log"),
}  # fmt: skip
# What is over at once, or never: these need no bar.
SHORT = {
    "measures", "formats", "demo",
    "assess serve", "assess try", "assess invite", "assess lock", "assess unlock",
}  # fmt: skip


def write(folder: Path) -> Path:
    """Judgements, runs, articles with their index, and a campaign in which two have finished."""
    small_world.write(folder)
    small_world.write_articles(folder)
    for name, text in {"topics.tsv": TOPICS, "pool.jsonl": POOL, "judged.jsonl": JUDGED}.items():
        (folder / name).write_text(text)
    with campaign_at(folder) as campaign:
        for name in ("ann", "bob"):
            campaign.append(
                [
                    act("mark", assessor=name, start=0, stop=10),
                    act("entry", assessor=name, start=0),
                    act("done", assessor=name),
                ]
            )
    return folder
