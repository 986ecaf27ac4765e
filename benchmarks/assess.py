"""A hundred assessors at once, each with two acts a second: how long they wait, and what is lost.

python -m benchmarks assess       a minute, and how long a large desk takes
python -m benchmarks.assess 10    ten seconds
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from tests.campaigns import META, stored

from benchmarks._measured import foveal
from foveal.assess import (
    Assignment,
    Campaign,
    CampaignContents,
    Event,
    EventKind,
    Person,
    PoolEntry,
    Role,
    StoredTopic,
    digest,
)
from foveal.assess.current_judgements import CurrentJudgements
from foveal.assess.payloads import overview

ASSESSORS, SECONDS, PAUSE = 100, 60.0, 0.5
TEXT = "Fish swim in the sea, and some of them sleep at night. " * 100


def figures(folder: Path, seconds: float = SECONDS) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    path = folder / "many.campaign"
    with Campaign.create(path, campaign(topics=ASSESSORS, pooled=20, people=ASSESSORS)):
        pass
    pages = _judged(path, seconds)
    with Campaign.open(path) as opened:
        stored_ids = {event.id for event in opened.events()}
    acknowledged = [name for page in pages for name in page.acknowledged]
    waits = np.array([wait for page in pages for wait in page.waits]) * 1_000
    median, percentile_95, longest = np.percentile(waits, [50, 95, 100])
    yield f"{ASSESSORS} assessors, {seconds:g} s, acts acknowledged", f"{len(acknowledged):,}", ""
    yield "… lost", f"{len(set(acknowledged) - stored_ids)}", "0"
    yield "… stored twice", f"{len(stored_ids) - len(set(acknowledged))}", "0"
    yield "… half of them wait", f"{median:.1f} ms", ""
    yield "… 95 % wait", f"{percentile_95:.1f} ms", "≤ 100 ms"
    yield "… the longest wait", f"{longest:.1f} ms", ""
    yield from _large_desk(folder)


def campaign(*, topics: int, pooled: int, people: int) -> CampaignContents:
    """Topics of as many documents each; assessors take turns."""
    names = [f"assessor{number}" for number in range(people)]
    docs = [f"doc{number:05d}" for number in range(pooled * 2)]
    rng = random.Random(19)  # noqa: S311  # no secret
    topic_names = [f"topic{number:03d}" for number in range(topics)]
    return CampaignContents(
        meta=META,
        topics=[StoredTopic(topic, "fish", "What do fish do?", "") for topic in topic_names],
        documents=[stored(doc, TEXT) for doc in docs],
        pool=[
            PoolEntry(topic, doc, rank, 1, rank)
            for topic in topic_names
            for rank, doc in enumerate(rng.sample(docs, pooled), 1)
        ],
        passages=[],
        people=[Person(number, name, Role.ASSESSOR) for number, name in enumerate(names, 1)],
        assignments=[
            Assignment(topic, names[n % people], 0, 1) for n, topic in enumerate(topic_names)
        ],
    )


@dataclass
class Judging:
    """A scripted assessor's connection, what was acknowledged and how long that took."""

    number: int
    link: str
    cookie: str = ""
    acknowledged: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def work(self, seconds: float) -> None:
        """Act every half a second, from a random moment on."""
        parts = urlsplit(self.link)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        ask = Asking(reader, writer, f"http://{parts.netloc}")
        head, _ = await ask("GET", parts.path)
        ask.cookie = head.partition("set-cookie: ")[2].partition(";")[0]
        _, payload = await ask("GET", f"/a/{self.number}/api/desk")
        topic = payload["topics"][0]["topic"]
        docs = [each["doc"] for each in payload["topics"][0]["documents"]]
        number = int(payload["number"])
        ends = time.perf_counter() + seconds
        due = time.perf_counter() + random.random() * PAUSE  # noqa: S311  # no secret
        while due < ends:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            body = {"events": [_act(topic, random.choice(docs))], "after": number}  # noqa: S311
            # From when the act was due: a server that is late makes all that follow late.
            _, payload = await ask(
                "POST", f"/a/{self.number}/api/events", json.dumps(body).encode()
            )
            self.waits.append(time.perf_counter() - due)
            self.acknowledged += [answer["id"] for answer in payload["acknowledged"]]
            number = payload["number"]
            due += PAUSE
        writer.close()


@dataclass
class Asking:
    """Requests on one connection, as few instructions as can be: the server is measured."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    origin: str
    cookie: str = ""

    async def __call__(self, method: str, path: str, body: bytes = b"") -> tuple[str, dict]:  # type: ignore[type-arg]
        lines = [
            f"{method} {path} HTTP/1.1", f"Host: {self.origin[7:]}", f"Origin: {self.origin}",
            f"Cookie: {self.cookie}", "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]  # fmt: skip
        if "/api/" in path:
            lines.append("Sec-Fetch-Site: same-origin")
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        body = await self.reader.readexactly(length)
        return head, json.loads(body) if "application/json" in head else {}


def _act(topic: str, doc: str) -> dict[str, object]:
    start = random.randrange(len(TEXT) - 100)  # noqa: S311  # no secret
    return {
        "id": f"{random.getrandbits(128):032x}", "topic": topic, "doc": doc, "kind": "mark",
        "start": start, "stop": start + 50, "quote_sha256": digest(TEXT[start : start + 50]),
        "tab": "1", "at_client": time.time_ns() // 1_000_000,
    }  # fmt: skip


def _judged(path: Path, seconds: float) -> list[Judging]:
    command = foveal("assess", "serve", str(path), "--port", "0", "--no-browser")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101  # asked for above
        links = [server.stdout.readline().split("\t")[2].strip() for _ in range(ASSESSORS)]
        pages = [Judging(number, link) for number, link in enumerate(links, 1)]

        async def all_of_them() -> None:
            await asyncio.gather(*(page.work(seconds) for page in pages))

        try:
            asyncio.run(all_of_them())
        finally:
            # As the power may fail: what was acknowledged must be there.
            server.kill()
    return pages


def _large_desk(folder: Path) -> Iterator[tuple[str, str, str]]:
    """A desk of 100 topics × 500 documents after 20,000 acts."""
    rng = random.Random(19)  # noqa: S311  # no secret
    plan = campaign(topics=100, pooled=500, people=1)
    with Campaign.create(folder / "large.campaign", plan) as opened:
        opened.append([_mark(rng, plan, number) for number in range(20_000)])
        current, person = CurrentJudgements(opened), opened.people[0]
        # The first reads the whole log, those after it what has come since.
        for ordinal, target in (("first", "≤ 500 ms"), ("next", "≤ 200 ms")):
            started = time.process_time()
            json.dumps(overview(current, person))
            seconds = time.process_time() - started
            label = f"100 × 500 documents, 20,000 acts, the {ordinal} desk"
            yield label, f"{seconds * 1_000:.0f} ms", target


def _mark(rng: random.Random, plan: CampaignContents, number: int) -> Event:
    pooled = rng.choice(plan.pool)
    start = rng.randrange(len(TEXT) - 100)
    return Event(
        id=f"large-{number:06d}", assessor=plan.people[0].name, topic=pooled.topic, doc=pooled.doc,
        kind=EventKind.MARK, start=start, stop=start + 50, quote_sha256=digest(TEXT[start : start + 50]),
        at_client=number * 1_000,
    )  # fmt: skip


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for row in figures(Path(folder), float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS):
            print("{:<58} {:>14}   {}".format(*row), flush=True)
