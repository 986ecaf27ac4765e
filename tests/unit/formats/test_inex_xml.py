from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from foveal.choices import Order, Task
from foveal.errors import BadInput, DataError, UsageError
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, read_qrels, read_run, write_qrels
from foveal.rules import as_elements
from foveal.tables import Origin, Qrels, Run
from tests.articles import ELEMENTS
from tests.inex import inex_run
from tests.unit.conftest import Saved

RUN, QRELS = RUN_FORMATS["inex-xml"], QRELS_FORMATS["inex-xml"]
SUBMISSION = """\
<?xml version="1.0"?>
<!DOCTYPE inex-submission SYSTEM "submission.dtd">
<inex-submission participant-id="12" run-id="mine " task="Focused" query="automatic"
                 result-type="element">
<topic-fields title="yes" castitle="no" description="no" narrative="no"/>
<description>A file and a path are <file>not</file> <path>here</path>.</description>
<collections><collection>wikipedia</collection></collections>
<topic topic-id="289 ">
  <result>
    <file>9996</file>
    <path>/article[1]/bdy/sec[2]</path>
    <rank>0</rank>
    <rsv>1.5</rsv>
  </result>
  <result>
    <file> 9996
    </file>
    <passage start="/article[1]/bdy[1]/sec[1]/p[1]/text()[2].1 " end="/article[1]/bdy[1]/sec[2]"/>
    <rank>1</rank>
    <rsv>0.5</rsv>
  </result>
  <result><file>22478</file><fol offset="3" length="9"/><rank>2</rank><rsv>1e-3</rsv></result>
  <result><file>22478</file><rank>3</rank><rsv>0</rsv></result>
  <result><file>9996</file><path>/article[1]/bdy[1]/sec[2]/p[1]/text()[2].6</path><rank>4</rank>
  <rsv>-1</rsv></result>
</topic>
</inex-submission>
"""


def test_a_submission_is_read_in_all_its_variants(saved: Saved) -> None:
    run = read_run(saved(SUBMISSION, "mine.xml"), elements=ELEMENTS)
    assert (run.name, run.format, run.order) == ("mine", "inex-xml", Order.RANK)
    assert run.frame.select("topic", "doc", "start", "end", "rank", "score", "line").rows() == [
        ("289", "9996", 25, 43, 0, 1.5, 9),
        ("289", "9996", 19, 43, 1, 0.5, 15),
        ("289", "22478", 3, 12, 2, 0.001, 22),
        ("289", "22478", None, None, 3, 0.0, 23),
        ("289", "9996", 38, 38, 4, -1.0, 24),
    ]
    assert run.frame["path"].null_count() == 3


ABOUT = {
    "participant-id": "12",
    "task": "Focused",
    "query": "automatic",
    "topic-fields/title": "yes",
    "topic-fields/castitle": "no",
    "topic-fields/description": "no",
    "topic-fields/narrative": "no",
    "description": "A file and a path are not here.",
    "collection": "wikipedia",
}


def test_what_a_submission_says_about_itself_is_kept(saved: Saved) -> None:
    run = read_run(saved(SUBMISSION, "mine.xml"), elements=ELEMENTS)
    assert run.about == ABOUT
    assert run.origin.task is Task.FOCUSED


def test_what_xml_cannot_hold_about_a_run_is_refused(saved: Saved) -> None:
    run = read_run(saved(SUBMISSION, "mine.xml"), elements=ELEMENTS)
    with pytest.raises(DataError, match="'a b'"):
        RUN.write(replace(run, origin=Origin(about={"a b": "c"})))
    with pytest.raises(DataError, match="description"):
        RUN.write(replace(run, origin=Origin(about={"description": "\x01"})))


def test_a_word_like_those_of_the_header_inside_a_topic_is_not_taken(saved: Saved) -> None:
    text = (
        "<inex-submission task='Focused'><topic topic-id='1'><collections><collection>x</collection>"
        "</collections><result><file>a</file></result></topic></inex-submission>"
    )
    assert read_run(saved(text, "mine.xml")).about == {"task": "Focused"}


@pytest.mark.parametrize(
    ("children", "order"),
    [
        ("<rank>{}</rank>", Order.RANK),
        ("<rsv>{}</rsv>", Order.SCORE),
        ("<rank/>", Order.FILE),
        ("", Order.FILE),
    ],
)
def test_results_rank_by_rank_else_by_rsv_else_as_they_stand(
    children: str, order: Order, saved: Saved
) -> None:
    results = "".join(
        f"<result><file>d{number}</file>{children.format(number)}</result>" for number in (2, 3, 1)
    )
    text = f"<inex-submission><topic topic-id='1'>{results}</topic></inex-submission>"
    run = read_run(saved(text, "mine.xml"))
    assert (run.order, run.name) == (order, "mine")
    assert run.frame["doc"].to_list() == ["d2", "d3", "d1"]


def test_latin_1_is_read(saved: Saved) -> None:
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
        '<inex-submission run-id="Zoë"><topic topic-id="é"><result><file>ü</file></result></topic>'
        "</inex-submission>"
    )
    run = read_run(saved(text.encode("latin-1")))
    assert run.name == "Zoë"
    assert run.frame.select("topic", "doc").row(0) == ("é", "ü")
    broken = text.replace("</file>", "</file><rank>x</rank>")
    with pytest.raises(BadInput, match=":2: rank is 'x', not a whole number"):
        read_run(saved(broken.encode("latin-1")))


def test_paths_without_an_index_are_one_problem_with_a_hint(saved: Saved) -> None:
    path = saved(SUBMISSION)
    with pytest.raises(BadInput) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}:9: an element path (3 lines like this) needs")
    assert "--elements INDEX" in str(caught.value)


def test_unknown_paths_and_documents_are_gathered_with_their_lines(saved: Saved) -> None:
    text = SUBMISSION.replace("/sec[2]</path>", "/sec[7]</path>").replace(">22478<", ">22479<", 1)
    with pytest.raises(BadInput) as caught:
        read_run(saved(text), elements=ELEMENTS)
    (problem,) = caught.value.problems
    assert (problem.line, problem.reason) == (
        9,
        "document '9996' has no element /article[1]/bdy/sec[7]: the path is right up to"
        " /article[1]/bdy, which has no sec[7]",
    )
    with pytest.raises(BadInput) as caught:
        read_run(saved(SUBMISSION.replace(">22478<", ">22479<")), elements=ELEMENTS)
    assert [(problem.line, problem.reason) for problem in caught.value.problems] == [
        (22, "document '22479' is not in the index; did you mean '22478'?"),
        (23, "document '22479' is not in the index; did you mean '22478'?"),
    ]


def test_a_run_is_written_by_topic_with_offsets() -> None:
    rows: list[dict[str, object]] = [
        {"topic": "1", "doc": "a&b", "start": 5, "end": 9, "score": 2.0},
        {"topic": '"2"', "doc": "c", "start": None, "end": None, "score": 1.5},
        {"topic": "1", "doc": "d", "start": -1, "end": -1, "score": 1.0},
    ]
    assert RUN.write(inex_run(rows, "mine")).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<inex-submission run-id="mine" result-type="FOL">\n'
        '<topic topic-id="1">\n'
        '<result><file>a&amp;b</file><fol offset="5" length="4"/><rsv>2</rsv></result>\n'
        "</topic>\n"
        '<topic topic-id="&quot;2&quot;">\n'
        "<result><file>c</file><rsv>1.5</rsv></result>\n"
        "</topic>\n"
        '<topic topic-id="1">\n'
        '<result><file>d</file><fol offset="-1" length="0"/><rsv>1</rsv></result>\n'
        "</topic>\n"
        "</inex-submission>\n"
    )


def test_elements_are_written_by_their_paths(saved: Saved) -> None:
    run, grown = as_elements(read_run(saved(SUBMISSION), elements=ELEMENTS), ELEMENTS)
    assert grown == 1
    assert RUN.write_paths
    again = read_run(saved(RUN.write_paths(run)), elements=ELEMENTS)
    assert again.frame.select("path", "start", "end").rows() == [
        ("/article[1]/bdy[1]/sec[2]", 25, 43),
        ("/article[1]/bdy[1]", 7, 51),
        ("/article[1]/bdy[1]/sec[2]", 3, 12),
        ("/article[1]", 0, 12),
        ("/article[1]/bdy[1]/sec[2]/p[1]/text()[2].6", 38, 38),
    ]


def test_unmapped_elements_have_no_path_to_be_written_by() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "9996", "start": -1, "end": -1}])
    run, _ = as_elements(run, ELEMENTS)
    with pytest.raises(DataError, match="run 'run' has 1"):
        RUN.write_paths(run)  # type: ignore[misc]  # it has one


@pytest.mark.parametrize("name", ["a\x01", " a", "a\n", ""])
def test_names_that_xml_cannot_hold_are_refused(name: str) -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "a"}], name)
    with pytest.raises(DataError, match="cannot be written in XML"):
        RUN.write(run)


ASSESSMENTS = """\
<?xml version="1.0"?>
<!DOCTYPE assessments SYSTEM "assessments.dtd">
<assessments pool="7" topic="289" version="2">
 <file collection="wikipedia" name="9996">
   <best-entry-point path="/article[1]/bdy[1]/sec[2]"/>
   <passage start="/article[1]/bdy[1]/sec[1]/p[1]/b[1]/text()[1].0"
            end="/article[1]/bdy[1]/sec[2]/p[1]/text()[1].6" size="999"/>
   <passage start="/article[1]/bdy[1]/sec[3]" end="/article[1]/bdy[1]/sec[3]" size="7"/>
   <!-- WARNING: passage overlap -->
   <element path="/article[1]" exhaustivity="2" size="51" rsize="24"/>
   <element path="/article[1]/bdy[1]" exhaustivity="?" size="44" rsize="24"/>
 </file>
 <file collection="wikipedia" name="22478"/>
</assessments>
"""


def test_assessments_are_read_through_the_index(saved: Saved) -> None:
    qrels = read_qrels(saved(ASSESSMENTS), elements=ELEMENTS)
    assert qrels.format == "inex-xml"
    assert qrels.documents.select("topic", "doc", "length", "entry", "line").rows() == [
        ("289", "9996", 51, 25, 4),
        ("289", "22478", 12, None, 13),
    ]
    assert qrels.passages.rows() == [(0, 14, 31), (0, 44, 51)]
    assert qrels.notes == (
        "ignored 2 elements with an exhaustivity: the passages say what is relevant",
    )


def test_several_assessments_may_follow_one_another(saved: Saved) -> None:
    second = ASSESSMENTS.replace('topic="289"', 'topic="290"')
    qrels = read_qrels(saved(ASSESSMENTS + second), elements=ELEMENTS)
    assert qrels.documents.select("topic", "line").rows() == [
        ("289", 4), ("289", 13), ("290", 18), ("290", 27),
    ]  # fmt: skip
    broken = ASSESSMENTS + second.replace("sec[3]", "sec[9]", 1)
    with pytest.raises(BadInput, match=r":22: document '9996' has no element .*, the start of the"):
        read_qrels(saved(broken), elements=ELEMENTS)


def test_unknown_places_are_gathered(saved: Saved) -> None:
    text = ASSESSMENTS.replace("text()[1].6", "text()[9].6").replace(
        'path="/article[1]/bdy', 'path="/x'
    )
    with pytest.raises(BadInput) as caught:
        read_qrels(saved(text), elements=ELEMENTS)
    assert [problem.line for problem in caught.value.problems] == [5, 6]


def test_sizes_are_worked_out_from_the_highlights(saved: Saved) -> None:
    qrels = read_qrels(saved(ASSESSMENTS), elements=ELEMENTS)
    path = saved("", "out.xml")
    write_qrels(qrels, path, elements=ELEMENTS)
    text = Path(path).read_text()
    assert text.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<assessments pool="1" topic="289"'
    )
    assert '<element path="/article[1]" exhaustivity="2" size="51" rsize="24"/>' in text
    assert (
        '<element path="/article[1]/bdy[1]/sec[2]" exhaustivity="2" size="18" rsize="6"/>' in text
    )
    assert "/article[1]/name[1]" not in text
    assert 'size="17"/>' in text
    assert read_qrels(path, elements=ELEMENTS).equals(qrels)


def test_assessments_need_the_index_and_its_text() -> None:
    qrels = Qrels.from_dicts(
        [{"topic": "1", "doc": "9996", "length": 99, "highlights": [[50, 60]]}]
    )
    assert QRELS.write is not None
    with pytest.raises(UsageError, match="--elements INDEX"):
        QRELS.write(qrels, None)
    with pytest.raises(DataError, match="1 place outside the text that the index knows"):
        QRELS.write(qrels, ELEMENTS)
