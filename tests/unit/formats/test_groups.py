"""Groups of topics in files, and what names a file and its column."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from foveal.errors import BadInput, FovealError, MissingFile, UsageError
from foveal.formats import groups_file, read_groups

XML = """\
<topics>
<topic id="1"><title>tea</title><castitle>//a</castitle></topic>
<topic id="2"><title>tea</title></topic>
</topics>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("g.csv", "topic,kind\n1,CO\n2,CAS\n3,\n4,  \n", "g.csv"),
        ("g.csv", "topic,kind\r\n1,CO\r\n2,CAS\r\n", "g.csv:kind"),
        ("g.tsv", "kind\ttopic\nCO\t1\nCAS\t2\n", "g.tsv"),
        ("g.txt", "\ufeffqid,domain,kind\n1,x,CO\n2,y,CAS\n", "g.txt:kind"),
        ("g.csv", '# made by hand\n\ntopic,kind\n1,"CO"\n2,CAS\n', "g.csv"),
        ("a:b.csv", "topic,kind\n1,CO\n2,CAS\n", "a:b.csv"),
        ("a:b.csv", "topic,k:d,kind\n1,CO,x\n2,CAS,y\n", "a:b.csv:k:d"),
        ("t.xml", XML.replace("tea", "CO", 1).replace("tea", "CAS", 1), "t.xml:title"),
        ("t.jsonl", '{"topic": "1", "title": "CO"}\n{"topic": 2, "title": "CAS"}\n', "t.jsonl:title"),
        ("t.tsv", "1\tCO\n2\tCAS\n", "t.tsv:title"),
    ],
)  # fmt: skip
def test_a_column_or_a_field_gives_the_groups(
    folder: Path, name: str, text: str, place: str
) -> None:
    (folder / name).write_text(text, newline="")
    assert read_groups(place).by_topic == {"1": "CO", "2": "CAS"}
    (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    packed = place.replace(name, f"{name}.gz")
    assert read_groups(packed).by_topic == {"1": "CO", "2": "CAS"}


def test_names_are_as_they_are_written(folder: Path) -> None:
    (folder / "g.csv").write_text('topic,score\n007,1\n08," a, ""b"" "\n9,1.50\n1,<b>\n2,"x\ny"\n')
    assert read_groups("g.csv").by_topic == {
        "007": "1", "08": ' a, "b" ', "9": "1.50", "1": "<b>", "2": "x\ny",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("topic,kind\n1,a\n2,b\n1,a\n", "g.csv", "g.csv:4: topic '1' is listed a second time\n    1,a"),
        ("topic,kind\n1,a\n1,\n", "g.csv", "g.csv:3: topic '1' is listed a second time"),
        ("topic,kind\n1,all\n", "g.csv", "g.csv:2: topic '1' is in a group named 'all'"),
        ("topic,kind\n1,(none)\n", "g.csv", "g.csv:2: topic '1' is in a group named '(none)'"),
        ("topic,kind\n1,a,b\n", "g.csv", "g.csv:2: 3 columns, expected 2"),
        ("topic,kind\n,a\n", "g.csv", "g.csv:2: topic is None"),
        ("topic,topic\n1,a\n", "g.csv", "column 'topic' occurs twice"),
        ("topic,kind\n", "g.csv", "g.csv: no topics"),
        ("topic,kind\n1,\n", "g.csv", "g.csv: no topic has a group"),
        ("id,kind\n1,a\n", "g.csv", "g.csv: no column 'topic' (found: id, kind)"),
        ("topic,a,b\n1,x,y\n", "g.csv", "g.csv has 2 columns beside topic (a, b): name the one that gives"
         " the group, as in --groups g.csv:a"),
        ("topic,kind\n1,a\n", "g.csv:kid", "g.csv has no column 'kid' to group by; did you mean 'kind'?"
         " (found: kind)"),
        ("topic,kind\n1,a\n", "g.csv:topic", "g.csv has no column 'topic' to group by"),
        ("topic\n1\n", "g.csv", "g.csv has only a topic column"),
        ("topic,kind\n1,a\n", "g.csv:", "name a column after the colon"),
        (XML, "g.csv", "g.csv has topics: name the field that gives the group, as in --groups"
         " g.csv:FIELD (found: title, castitle)"),
        (XML, "g.csv:tilte", "g.csv has no column 'tilte' to group by; did you mean 'title'?"),
        (XML.replace("tea", "all"), "g.csv:title", "g.csv: topic '1' is in a group named 'all'"),
    ],
)  # fmt: skip
def test_other_files_are_refused_with_their_line(
    folder: Path, text: str, place: str, reason: str
) -> None:
    (folder / "g.csv").write_text(text)
    with pytest.raises(FovealError, match=re.escape(reason)):
        read_groups(place)


@pytest.mark.parametrize(
    ("place", "path", "column"),
    [
        ("here.csv", "here.csv", ""),
        ("here.csv:a", "here.csv", "a"),
        ("here.csv:a/b", "here.csv", "a/b"),
        ("gone.csv", "gone.csv", ""),
        ("gone.csv:a", "gone.csv", "a"),
        ("C:/x/gone.csv", "C:/x/gone.csv", ""),
        ("C:\\gone.csv", "C:\\gone.csv", ""),
        ("C:\\gone.csv:a", "C:\\gone.csv", "a"),
        ("s3://bucket/x.csv", "s3://bucket/x.csv", ""),
        ("s3://bucket/x.csv:a", "s3://bucket/x.csv", "a"),
        ("https://host:8080/x.csv", "https://host:8080/x.csv", ""),
        ("https://host:8080/x.csv:a", "https://host:8080/x.csv", "a"),
        ("-", "-", ""),
        ("-:a", "-", "a"),
    ],
)
def test_a_column_comes_after_the_last_colon(
    folder: Path, place: str, path: str, column: str
) -> None:
    (folder / "here.csv").write_text("topic,a\n1,x\n")
    assert groups_file(place) == (path, column)


def test_a_missing_file_is_told_without_its_column(folder: Path) -> None:
    (folder / "types.csv").write_text("topic,a\n1,x\n")
    with pytest.raises(MissingFile, match=r"^type.csv: no such file or folder; did you mean types"):
        read_groups("type.csv:a")


def test_problems_are_all_told_at_once(folder: Path) -> None:
    (folder / "g.csv").write_text("topic,kind\n1,a\n1,b\n2,all\n")
    with pytest.raises(BadInput) as found:
        read_groups("g.csv")
    assert [problem.line for problem in found.value.problems] == [3, 4]
    with pytest.raises(UsageError):
        read_groups("g.csv:")
