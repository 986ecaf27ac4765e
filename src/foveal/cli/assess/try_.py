"""foveal assess try: judge in the demo's world, now."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from foveal.choices import either
from foveal.cli import index, pool
from foveal.cli._demo_files import invented_world, place_for, write_articles, write_runs
from foveal.cli.assess import new, serve
from foveal.errors import MissingFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.studies import DemoWorld

PLACE_IN_LISTS = 5
CAMPAIGN = "try.campaign"
ASSESSORS = ("ann", "bob")
ADJUDICATOR = "ada"
TOPICS = 4
POOLED = ("passages-good.fol", "passages-fair.fol", "elements-poor.inex")
DEPTH = "5"
# How many documents of the topic that both judge are finished already, by bob and by ann.
FINISHED = (6, 4)
FIRST_LINE = "A small world made by `foveal assess try`. Everything in it is invented.\n"
README = f"""{FIRST_LINE}
{CAMPAIGN}     topics, documents, assessors and all that they do: one file
guide.md         what assessors are told
pool.jsonl       what is judged: the documents that three runs returned (`foveal pool`)
topics.tsv       what is asked
articles/        XML documents; offsets count the characters of their text
demo.index/      where every element begins and ends (`foveal index`)
runs/            what 14 systems returned
demo.qrels       what a simulated assessor highlighted in documents of the same topics
"""
GUIDE = """\
# How to judge

Read the topic, then the document. Highlight **all text that is about the topic**, and nothing else:
select it with the mouse and press `h`, or move with `j` and `k` and press `h`.

Then set the **best entry point** (`b`): where somebody who wants to know about the topic should
start to read. Press `f` when you have finished a document, or `x` if nothing in it is relevant.

Nothing needs to be saved: every act is kept at once, and `Ctrl+Z` takes it back. `?` shows all keys.

The articles are invented, and their sentences make little sense: what matters is what they mention.
"""


@click.command()
@click.argument("folder", metavar="[DIR]", default="foveal-assess")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=serve.PORT, show_default=True,
    help="Where to listen; 0 takes a free port.",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the first link in the browser.")
@click.pass_context
def command(context: click.Context, folder: str, port: int, no_browser: bool) -> None:
    """Highlight text in the demo's documents: one command, then the browser opens.

    \b
    Examples:
      foveal assess try                          opens the browser
      foveal assess try somewhere --port 0       another folder, any free port

    DIR (default: foveal-assess) receives a campaign of four topics with about a dozen documents
    each, two invented assessors, ann and bob, and an adjudicator, ada. Called again, it goes on with
    the campaign that is there.
    """
    # An extra that is missing is reported before anything is made.
    from foveal.assess import app  # noqa: F401

    place = place_for(folder, FIRST_LINE)
    campaign = place / CAMPAIGN
    if campaign.is_file():
        click.echo(f"{campaign} exists already: going on with it.\n")
    else:
        try:
            _make(place)
        except OSError as error:
            raise MissingFile(f"{folder}: cannot be written: {error}") from error
    _suggest(place)
    context.invoke(serve.command, campaign=str(campaign), port=port, no_browser=no_browser)


def _make(place: Path) -> None:
    """Write the world, pool it, make the campaign, and let the assessors begin."""
    whole = invented_world()
    chosen = [topic.id for topic in whole.topics[:TOPICS]]
    world = _only(whole, chosen)
    write_articles(world, place, README)
    (place / "topics.tsv").write_text(_topics(world), encoding="utf-8")
    (place / "guide.md").write_text(GUIDE, encoding="utf-8")
    elements, pooled = str(place / "demo.index"), str(place / "pool.jsonl")
    articles, topics = str(place / "articles"), str(place / "topics.tsv")
    _show(index.command, ["index", articles, "-o", elements])
    write_runs(world, place, elements)
    runs = [str(place / "runs" / name) for name in POOLED]
    _show(pool.command, ["pool", *runs, "--elements", elements, "--depth", DEPTH, "-o", pooled])
    people = [word for name in ASSESSORS for word in ("--assessor", name)]
    sources = ["--topics", topics, "--pool", pooled, "--docs", articles, "--elements", elements]
    more = ["--double", "25%", "--guide", str(place / "guide.md")]
    try:
        _show(new.command, ["assess", "new", str(place / CAMPAIGN), *sources, *people, *more])
        _begin(place / CAMPAIGN, world)
    except BaseException:
        # Otherwise the next call would go on with half a beginning.
        (place / CAMPAIGN).unlink(missing_ok=True)
        raise


def _only(world: DemoWorld, topics: Sequence[str]) -> DemoWorld:
    """The world of some topics."""
    from foveal.late import pl
    from foveal.tables import columns as c

    wanted = pl.col(c.TOPIC).is_in(topics)
    return replace(
        world,
        topics=[topic for topic in world.topics if topic.id in topics],
        qrels=world.qrels.only(topics),
        runs=[run.with_frame(run.frame.filter(wanted)) for run in world.runs],
    )


def _topics(world: DemoWorld) -> str:
    """The topics with what makes text relevant, which the demo leaves to the reader."""
    header = ("topic", "title", "description", "narrative")
    # Sentences are made of a theme's words, so that these tell what is relevant.
    nouns = {theme.title: theme.nouns for article in world.articles for theme in article.themes}
    rows = [
        (topic.id, topic.title, f"Find text about {topic.title}.",
         f"Titles and sentences that mention {either(nouns[topic.title])} are relevant; others"
         " are not.")
        for topic in world.topics
    ]  # fmt: skip
    return "".join("\t".join(row) + "\n" for row in [header, *rows])


def _begin(campaign: Path, world: DemoWorld) -> None:
    """Let the adjudicator join, and let bob and ann finish some documents that both judge."""
    from foveal.assess import Campaign, InventedJudgement, Role, append_invented, varied_spans

    bob, ann = FINISHED
    with Campaign.open(campaign) as opened:
        opened.add_person(ADJUDICATOR, Role.ADJUDICATOR)
        (topic,) = {row.topic for row in opened.assignments if not row.main}
        known = _highlights(world, topic)
        pooled = [row.doc for row in opened.pool(topic)]
        # Every third has nothing to see, as far as there are such; what is unjudged is not relevant.
        relevant = [doc for doc in pooled if known.get(doc)]
        others = [doc for doc in pooled if doc not in relevant]
        docs = [*relevant[:2], *others[:1], *relevant[2:4], *others[1:2], *relevant[4:]][:bob]
        texts = {doc: found.text for doc in docs if (found := opened.document(doc))}
        second = [
            InventedJudgement(doc, varied_spans(texts[doc], known.get(doc, []), turn))
            for turn, doc in enumerate(docs, 1)
        ]
        now = time.time_ns() // 1_000_000
        first = [InventedJudgement(doc, known.get(doc, [])) for doc in docs[:ann]]
        append_invented(opened, topic, ASSESSORS[0], first, until=now)
        append_invented(opened, topic, ASSESSORS[1], second, until=now)
    click.echo(
        f"Invented, so that there is something to see at once: bob has finished {len(docs)} documents"
        f" of\ntopic {topic}, and ann {ann} of the same ones, with partly different text. ada"
        " adjudicates.\n"
    )


def _highlights(world: DemoWorld, topic: str) -> dict[str, list[tuple[int, int]]]:
    """What the demo's simulated assessor highlighted in each judged document of a topic."""
    from foveal.tables import columns as c

    names = world.qrels.documents.select(c.TOPIC, c.DOC).rows()
    found: dict[str, list[tuple[int, int]]] = {doc: [] for own, doc in names if own == topic}
    for row, start, end in world.qrels.passages.select(c.JUDGED, c.START, c.END).iter_rows():
        own, doc = names[row]
        if own == topic:
            found[doc].append((start, end))
    return found


def _suggest(place: Path) -> None:
    """Say what to type in another terminal while the page is served."""
    campaign, judged = str(place / CAMPAIGN), str(place / "judged.qrels")
    runs = [str(place / "runs" / name) for name in POOLED]
    click.echo("Meanwhile, in another terminal:")
    for words in (
        ["assess", "status", campaign],
        ["assess", "agree", campaign],
        ["assess", "export", campaign, "-o", judged],
        ["evaluate", judged, *runs, "--elements", str(place / "demo.index")],
    ):
        click.echo("  " + shlex.join(["foveal", *words]))
    click.echo()


def _show(command: click.Command, words: Sequence[str]) -> None:
    """Run a command and show how to type it."""
    click.echo(f"$ {shlex.join(['foveal', *words])}")
    command.main(list(words[2 if words[0] == "assess" else 1 :]), standalone_mode=False, obj=words)
    click.echo()
