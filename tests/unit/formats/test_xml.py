from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from foveal.errors import BadInput
from foveal.formats import read_qrels, read_run, read_topics
from tests.unit.conftest import Saved

LAUGHS = (
    '<!DOCTYPE inex-submission [<!ENTITY a0 "ha">\n'
    + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">\n' for n in range(12))
    + "]>\n"
)
BLOWN_UP = (
    f'<!DOCTYPE inex-submission [<!ENTITY a "{"x" * 100}">]>\n<inex-submission><topic topic-id="1">'
    f"<result><file>{'&a;' * 300_000}</file></result></topic></inex-submission>"
)


@pytest.mark.parametrize(
    ("root", "read"),
    [("inex-submission", read_run), ("assessments", read_qrels), ("inex-topics", read_topics)],
)
def test_a_billion_laughs_are_over_at_once(
    root: str, read: Callable[[str], object], saved: Saved
) -> None:
    path = saved(f"{LAUGHS.replace('inex-submission', root)}<{root}>&a12;</{root}>")
    tracemalloc.start()
    begin = time.process_time()
    with pytest.raises(BadInput, match=":2: the entity 'a1' is too long or contains others"):
        read(path)
    assert time.process_time() - begin < 1
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()


def test_entities_used_often_stay_within_bounds(saved: Saved) -> None:
    tracemalloc.start()
    begin = time.process_time()
    assert len(read_run(saved(BLOWN_UP)).frame["doc"][0]) == 100 * 300_000
    assert time.process_time() - begin < 5
    assert tracemalloc.get_traced_memory()[1] < 200 << 20
    tracemalloc.stop()


def test_nothing_is_fetched(saved: Saved) -> None:
    secret = saved("<file>secret</file>", "secret")
    text = (
        f'<!DOCTYPE a SYSTEM "http://example.invalid/a.dtd" [<!ENTITY x SYSTEM "{secret}">]>\n'
        "<inex-submission><topic topic-id='1'><result>&x;</result></topic></inex-submission>"
    )
    with pytest.raises(BadInput, match=":2: an entity in another file") as caught:
        read_run(saved(text))
    assert "<file>secret" not in str(caught.value)


def test_deep_nesting_and_many_documents_are_survived(saved: Saved) -> None:
    with pytest.raises(BadInput, match="the file ends before all elements are closed"):
        read_run(saved("<inex-submission>" + "<a>" * 200_000), format="inex-xml")
    with pytest.raises(BadInput, match="more than 10,000 XML documents"):
        read_topics(saved("<topic id='1'/>" * 10_001))


def test_signs_may_be_declared_again_and_html_names_are_known(saved: Saved) -> None:
    text = (
        '<!DOCTYPE inex-topics SYSTEM "t.dtd" [<!ENTITY lt "&#38;#60;"><!ENTITY amp "&#38;#38;">'
        '<!ENTITY gt "&#62;"><!ENTITY own "mine">]>\n'
        '<inex-topics><topic id="1"><title>a &lt; b &amp; c &gt; &eacute; &own;</title></topic>\n'
        '<topic id="2"><title>one</title></topic></inex-topics>'
    )
    assert read_topics(saved(text)).titles == {"1": "a < b & c > é mine", "2": "one"}
    with pytest.raises(BadInput, match=":2: the entity 'nonsense' is not declared in the file"):
        read_topics(saved(text.replace("&own;", "&nonsense;")))


@pytest.mark.parametrize("dtd", ['SYSTEM "t.dtd"', '[<!ENTITY % p SYSTEM "p"> %p;]'])
def test_entities_in_names_are_neither_lost_nor_guessed(dtd: str, saved: Saved) -> None:
    text = f'<!DOCTYPE topic {dtd}>\n<topic id="caf&eacute;"><title>x</title></topic>'
    assert read_topics(saved(text)).titles == {"café": "x"}
    with pytest.raises(BadInput, match=":2: the entity 'nonsense' is not declared in the file"):
        read_topics(saved(text.replace("&eacute;", "&nonsense;")))


def test_utf_16_is_read(saved: Saved) -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?>\n<topic id="1"><title>naïve</title></topic>'
    assert read_topics(saved(text.encode("utf-16"))).titles == {"1": "naïve"}
