from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import BadInput, MissingFile
from foveal.files import HEAD_SIZE, Source
from foveal.files.filesystem import unreadable
from foveal.formats import read_run, stem_of
from tests.held import held
from tests.unit.conftest import Saved

TEXT = "1 Q0 a 1 2.5 mine\n1 Q0 b 2 1.5 mine\n"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
# Text that does not shrink to nothing, so that half of the file is the middle of it.
LONG = "".join(f"{i} Q0 {i * i % 9973} 1 {i % 89} mine\n" for i in range(4000)).encode()
with_each_compression = pytest.mark.parametrize("compress", COMPRESS.values(), ids=list(COMPRESS))


def documents(path: str) -> list[str]:
    return read_run(path).frame["doc"].to_list()


@with_each_compression
def test_compression_is_told_by_content(compress: Callable[[bytes], bytes], saved: Saved) -> None:
    assert documents(saved(compress(TEXT.encode()), "plain.txt")) == ["a", "b"]


def test_a_name_alone_compresses_nothing(saved: Saved) -> None:
    assert documents(saved(TEXT, "mine.gz")) == ["a", "b"]


@with_each_compression
def test_concatenated_members_are_read_as_one(
    compress: Callable[[bytes], bytes], saved: Saved
) -> None:
    first, second = TEXT.splitlines(keepends=True)
    both = compress(first.encode()[:7]) + compress((first[7:] + second).encode())
    assert documents(saved(both)) == ["a", "b"]


@with_each_compression
@pytest.mark.parametrize("kept", [0.5, 0.999], ids=["half", "nearly all"])
def test_a_cut_off_stream_is_named(
    compress: Callable[[bytes], bytes], kept: float, saved: Saved
) -> None:
    data = compress(LONG)
    path = saved(data[: int(len(data) * kept)])
    with pytest.raises(BadInput, match="damaged or cut off") as caught:
        read_run(path)
    assert caught.value.source == path


@with_each_compression
def test_a_damaged_stream_is_named(compress: Callable[[bytes], bytes], saved: Saved) -> None:
    data = bytearray(compress(LONG))
    middle = len(data) // 2
    data[middle : middle + 9] = b"\x00\xff" * 4 + b"\x55"
    path = saved(bytes(data))
    with pytest.raises(BadInput) as caught:
        read_run(path, format="trec")
    assert str(caught.value).startswith(path)


def test_a_large_zstandard_file_is_read_whole(saved: Saved) -> None:
    text = "".join(f"1 Q0 d{number} 1 {number} mine\n" for number in range(300_000))
    path = saved(zstandard.compress(text.encode()))
    assert read_run(path).frame.height == 300_000


def test_letters_that_begin_a_bzip2_file_may_begin_a_topic(saved: Saved) -> None:
    assert read_run(saved("BZh91 Q0 a 1 2.5 mine\n")).frame["topic"].to_list() == ["BZh91"]
    assert read_run(saved("PAR1 Q0 a 1 2.5 mine\n")).frame["topic"].to_list() == ["PAR1"]


def test_a_byte_order_mark_is_skipped(saved: Saved) -> None:
    run = read_run(saved(b"\xef\xbb\xbf" + TEXT.encode()))
    assert run.frame["topic"].to_list() == ["1", "1"]


def test_a_byte_that_is_no_utf8_is_named_by_line(saved: Saved) -> None:
    path = saved(TEXT.encode() + b"\n# caf\xe9\n")
    with pytest.raises(BadInput) as caught:
        read_run(path)
    (problem,) = caught.value.problems
    assert (problem.line, problem.reason) == (
        4,
        "not UTF-8: byte 0xe9 (if it is Latin-1, `iconv -f LATIN1 -t UTF-8` converts it)",
    )
    assert problem.text == "# caf\N{REPLACEMENT CHARACTER}"


def test_utf8_may_stand_on_the_border_of_two_blocks() -> None:
    source = held("éé\néé\n".encode())
    assert b"".join(block.data for block in source.blocks(4)).decode() == "éé\néé\n"


@given(text=st.text(alphabet="aé\n\r", max_size=40), size=st.integers(1, 20))
def test_blocks_are_the_file_in_whole_lines(text: str, size: int) -> None:
    blocks = list(held(text.encode()).blocks(size))
    whole = text if text.endswith("\n") or not text else text + "\n"
    assert b"".join(block.data for block in blocks).decode() == whole
    line = 1
    for block in blocks:
        assert block.first_line == line
        assert block.data.endswith(b"\n")
        line += block.data.count(b"\n")


def test_lines_are_counted_in_blocks_of_any_size() -> None:
    lines = 3 * HEAD_SIZE
    first, second = held(b"a\n" * lines + b"end").blocks(2 * lines)
    assert (first.lines, second.first_line, second.lines) == (lines, lines + 1, 1)


@given(lines=st.lists(st.text("aé", max_size=3), min_size=1, max_size=9), data=st.data())
def test_lines_are_found_by_number(lines: list[str], data: st.DataObject) -> None:
    numbers = data.draw(st.sets(st.integers(1, len(lines))))
    source = held("\n".join([*lines, "end"]).encode())
    assert source.lines(numbers) == {number: lines[number - 1] for number in numbers}


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    path = str(tmp_path / "nothing.run")
    with pytest.raises(MissingFile, match="no such file") as caught:
        read_run(path)
    assert str(caught.value).startswith(path)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(5, "Input/output error"), "cannot be read: input/output error"),
        (
            ImportError("HTTPFileSystem needs aiohttp"),
            "cannot be read: HTTPFileSystem needs aiohttp",
        ),
        (FileNotFoundError("bucket/mine.run"), "no such file"),
    ],
)
def test_a_remote_file_that_cannot_be_read_says_why(error: Exception, reason: str) -> None:
    assert str(unreadable("s3://bucket/mine.run", error)) == f"s3://bucket/mine.run: {reason}"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="a folder, not a file"):
        read_run(tmp_path)


def test_a_missing_file_is_answered_with_one_of_a_similar_name(tmp_path: Path) -> None:
    (tmp_path / "mine.fol").write_text(TEXT)
    with pytest.raises(
        MissingFile, match=r"mine\.flo: no such file or folder; did you mean mine\.fol"
    ):
        read_run(tmp_path / "mine.flo")
    with pytest.raises(MissingFile, match=r"other: no such file or folder$"):
        read_run(tmp_path / "other")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_one_may_not_read_is_missing(saved: Saved) -> None:
    path = saved(TEXT)
    Path(path).chmod(0)
    with pytest.raises(MissingFile, match="permission denied"):
        read_run(path)


def test_a_name_that_cannot_be_one_is_missing() -> None:
    with pytest.raises(MissingFile):
        read_run("a\x00b")


def test_a_hyphen_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT.encode()))))
    run = read_run("-")
    assert run.source == "<stdin>"
    assert run.frame["doc"].to_list() == ["a", "b"]


def test_problems_of_standard_input_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 a 1 high mine\n")))
    with pytest.raises(BadInput, match="<stdin>:1: score is 'high'"):
        read_run("-")


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("1 Q0 a 1 high mine\n",))
    writer.start()
    with pytest.raises(BadInput, match="score is 'high'"):
        read_run(path)
    writer.join()


def test_a_file_is_opened_once_however_often_it_is_read(
    saved: Saved, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, really = saved("1 Q0 a 1 2 mine\n"), Path.open
    opens: list[str] = []

    def counted(self: Path, *arguments: Any, **options: Any) -> Any:
        opens.append(str(self))
        return really(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", counted)
    assert read_run(path).frame.height == 1
    assert opens == [path]


def test_a_source_is_closed_when_reading_is_over_or_fails(saved: Saved) -> None:
    with Source.of(saved("a\n")) as source:
        assert source.head().line == "a"
    with pytest.raises(ValueError, match="closed file"):
        source.all_bytes()


@pytest.mark.parametrize("topic", ["x^2", "x\x01"])
def test_text_that_begins_like_compressed_data_is_read_as_text(topic: str, saved: Saved) -> None:
    lines = "".join(f"{topic} Q0 d{rank} {rank} {-rank} mine\n" for rank in (1, 2))
    assert read_run(saved(lines)).frame["topic"].to_list() == [topic, topic]
    assert read_run(saved("topic,doc\n" + f"{topic},d1\n")).frame["topic"].to_list() == [topic]


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a/bm25.run", "bm25"),
        ("bm25-0.5.run", "bm25-0.5"),
        ("bm25-0.5", "bm25-0.5"),
        ("v1.2", "v1.2"),
        ("input.ICT11.gz", "input.ICT11"),
        ("x.TREC.txt.bz2", "x"),
        ("x.parquet", "x"),
        ("x.fol", "x"),
        ("x.subtopics", "x"),
        (".run", ".run"),
        ("run.txt", "run"),
        ("s3://bucket/a.b/x.jsonl.zst", "x"),
        ("-", "stdin"),
    ],
)
def test_only_known_endings_are_no_part_of_a_name(path: str, stem: str) -> None:
    assert stem_of(path) == stem
