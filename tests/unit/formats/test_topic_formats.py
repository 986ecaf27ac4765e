from __future__ import annotations

import pytest

from foveal.errors import BadInput
from foveal.formats import read_topics
from foveal.tables import Topics
from tests.unit.conftest import Saved

INEX_2004 = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE inex_topic SYSTEM "topic.dtd">
<inex_topic topic_id="177" query_type="CO" ct_no="76">
<title>Difference of
  two trees</title>
<description>Find <it>algorithms</it>.</description>
<narrative>Relevant
is what tells.</narrative>
<keywords>tree</keywords>
</inex_topic>
"""
INEX_2009 = """\
<inex-topic-file>
<topic id="2009001" ct_no="186">
  <title>Nobel prize</title>
  <castitle>//article[about(., &quot;Nobel&quot;)]</castitle>
  <phrasetitle>"Nobel prize"</phrasetitle>
  <mmtitle/>
  <description>information about <title>Nobel</title> prize</description>
</topic>
<topic id="2009002"><title>best movie</title></topic>
</inex-topic-file>
"""
TREC = """\
<top>
<head> Tipster Topic Description
<num> Number: 002
<dom> Domain: International Economics
<title> Topic: Acquisitions &amp;
 mergers

<desc> Description:
Document discusses x < y.
<narr> Narrative: To be relevant
<con> Concept(s):
1. acquisition
</top>

<top><num>Number:  003 </num><title>joint ventures</title></top>
"""


INDRI = """\
<parameters>
  <memory>1G</memory>
  <query>
    <type>indri</type>
    <number> 301 </number>
    <text>#combine( organized
      crime &amp; drugs )</text>
  </query>
  <query><text>a b</text><number>302</number></query>
</parameters>
"""


def test_the_queries_of_indri_are_topics(saved: Saved) -> None:
    topics = read_topics(saved(INDRI))
    assert topics.format == "indri"
    assert topics.titles == {"301": "#combine( organized crime & drugs )", "302": "a b"}
    with pytest.raises(BadInput, match=r":3: a topic without an identifier"):
        read_topics(saved(INDRI.replace("number", "id")))
    with pytest.raises(BadInput, match="broken XML"):
        read_topics(saved(INDRI + "<query>"))


def test_inex_topics_of_one_file_each_are_read_one_after_another(saved: Saved) -> None:
    topics = read_topics(saved(INEX_2004 + INEX_2004.replace("177", "178")))
    assert topics.frame["topic"].to_list() == ["177", "178"]
    row = topics.frame.row(0, named=True)
    assert row["title"] == "Difference of two trees"
    assert row["description"] == "Find algorithms."
    assert row["narrative"] == "Relevant is what tells."


def test_inex_topics_of_one_file_for_all_are_read(saved: Saved) -> None:
    topics = read_topics(saved(INEX_2009))
    assert topics.format == "inex-xml"
    row = topics.frame.row(0, named=True)
    assert row["castitle"] == '//article[about(., "Nobel")]'
    assert row["phrasetitle"] == '"Nobel prize"'
    assert row["mmtitle"] is None
    assert row["description"] == "information about Nobel prize"
    assert topics.titles == {"2009001": "Nobel prize", "2009002": "best movie"}


def test_inex_topics_of_2002_begin_with_large_letters(saved: Saved) -> None:
    topics = read_topics(
        saved(
            '<INEX-Topic topic-id="05" query-type="CAS" ct-no="010">\n<Title><te>article</te>'
            "<cw>chess</cw></Title><Keywords>k</Keywords><Narrative>n</Narrative></INEX-Topic>"
        )
    )
    assert topics.frame.select("topic", "title", "narrative").rows() == [
        ("05", "articlechess", "n")
    ]


def test_trec_topics_need_not_close_their_tags(saved: Saved) -> None:
    topics = read_topics(saved(TREC))
    assert topics.format == "trec"
    assert topics.frame.select("topic", "title", "description", "narrative").rows() == [
        ("002", "Acquisitions & mergers", "Document discusses x < y.", "To be relevant"),
        ("003", "joint ventures", None, None),
    ]


def test_json_lines_and_tabs_are_read(saved: Saved) -> None:
    lines = '{"topic": 51, "query": "airbus"}\n{"topic": "52", "title": "x", "narrative": "n"}\n'
    topics = read_topics(saved(lines))
    assert topics.titles == {"51": "airbus", "52": "x"}
    assert topics.frame["narrative"].to_list() == [None, "n"]
    assert read_topics(saved("# t\n051\tone two\n52\tthree\n")).titles == {
        "051": "one two",
        "52": "three",
    }
    table = "topic\tnarrative\tignored\ttitle\n51\tn\tx\tt\r\n"
    assert read_topics(saved(table)).frame.select("topic", "title", "narrative").rows() == [
        ("51", "t", "n")
    ]


def test_further_fields_and_attributes_of_topics_are_kept(saved: Saved) -> None:
    old = '<INEX-Topic topic-id="05" Query-Type="CAS"><Keywords>a <b>k</b></Keywords></INEX-Topic>'
    inex = read_topics(saved(INEX_2004 + old)).frame
    assert inex["query_type"].to_list() == ["CO", "CAS"]
    assert inex["ct_no"].to_list() == ["76", None]
    assert inex["keywords"].to_list() == ["tree", "a k"]
    trec = read_topics(saved(TREC)).frame
    assert trec.select("head", "dom", "con").rows() == [
        ("Tipster Topic Description", "International Economics", "1. acquisition"),
        (None, None, None),
    ]
    lines = (
        '{"topic": 1, "con": "c", "year": 2004, "list": [1]}\n{"topic": 2, "con": "", "line": 9}\n'
    )
    json = read_topics(saved(lines)).frame
    assert json.select("topic", "con", "year").rows() == [("1", "c", "2004"), ("2", None, None)]
    assert {"list", "line"}.isdisjoint(json.columns)
    tabs = read_topics(saved("topic\tcon\tdom\n1\tc\t\n2\t\td\n")).frame
    assert tabs.select("con", "dom").rows() == [("c", None), (None, "d")]


def test_further_columns_of_frames_are_kept_as_text() -> None:
    given = [{"topic": 1, "year": 2004, "parts": [1]}, {"topic": 2, "year": None, "parts": [2]}]
    frame = Topics.from_dicts(given).frame
    assert frame.select("topic", "year").rows() == [("1", "2004"), ("2", None)]
    assert "parts" not in frame.columns


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("1 2 3\n", "not recognised as topics"),
        ("<inex-topics/>", "no topics"),
        ("<topic><title>x</title></topic>", ":1: a topic without an identifier"),
        ("<topics>\n<topic id='1'/>\n<topic id='1'/></topics>", ":3: topic '1' is repeated"),
        ("<top>\n<num> 1\n<line> 5\n<title>\n</top>\n<top>\n<num> 1", ":6: topic '1' is repeated"),
        ("<top><num>caf\u00e9".encode("latin-1"), ":1: not UTF-8"),
        ("<top>\n<title> x\n</top>", ":1: a topic without an identifier"),
        ("<top>\n<num> 1\n</top>\n<top>\n<num> 1", ":4: topic '1' is repeated"),
        ('{"topic": 1}\n{"title": "x"}\n', ":2: no topic"),
        ('{"topic": 1, "title": 5}\n', ":1: title is 5, not text"),
        ("1\ta\n2\tb\tc\n", ":2: 3 columns, expected 2: topic, title"),
        ("topic\ttitle\n\tx\n", ":2: a topic without an identifier"),
        (
            "".join(f'{{"topic": {place}, "f{place}": 1}}\n' for place in range(101)),
            "topics have 101 different fields, at most 100 are read",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str | bytes, said: str, saved: Saved) -> None:
    with pytest.raises(BadInput, match=said):
        read_topics(saved(text))


def test_topics_come_from_frames_and_dicts() -> None:
    topics = Topics.from_dicts([{"topic": 1, "title": "x"}, {"topic": 2}])
    assert topics.titles == {"1": "x"}
    assert Topics.from_frame(topics.frame).frame.equals(topics.frame)


def test_fields_outside_of_topics_are_refused(saved: Saved) -> None:
    with pytest.raises(BadInput, match=":1: text before the first <top>"):
        read_topics(saved("<num>\n<top>\n<num> 1\n</top>"), format="trec")
