from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from foveal.errors import DataError, MissingFile
from foveal.files import COMPRESSION_SUFFIXES, Source, compression, write_bytes
from foveal.formats import read_run, write_run
from foveal.tables import Run

RUN = Run.from_dict({"1": {"a": 1}}, "mine")
PARTS = Run.from_dicts([{"topic": "1", "doc": "a", "start": 0, "end": 5}])
LINE = b"1 Q0 a 1 1.0 mine\n"


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("suffix", COMPRESSION_SUFFIXES)
def test_the_ending_compresses(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"mine{suffix}"
    write_run(RUN, path, "trec")
    assert path.read_bytes() != LINE
    assert read_run(path).frame["doc"].to_list() == ["a"]


@pytest.mark.parametrize("suffix", COMPRESSION_SUFFIXES)
def test_what_is_compressed_in_portions_is_whole(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "PORTION", 7)
    for data in (b"", LINE * 100):
        write_bytes(data, path := tmp_path / f"mine{suffix}")
        with Source.of(path) as source:
            assert source.all_bytes() == data


@pytest.mark.parametrize("name", ["mine", "mine.gz"])
def test_ctrl_c_leaves_the_file_as_it_was(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        assert len(names_in(tmp_path)) == 2
        raise KeyboardInterrupt

    (tmp_path / name).write_bytes(b"old")
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(LINE, tmp_path / name)
    assert names_in(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == b"old"


def test_the_same_run_makes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_run(RUN, tmp_path / name, "trec")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_stream_takes_plain_bytes() -> None:
    target = io.BytesIO()
    write_run(RUN, target, "trec")
    assert target.getvalue() == LINE


def test_a_hyphen_is_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    target = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(target))
    write_run(RUN, "-", "trec")
    assert target.getvalue() == LINE


def test_standard_output_may_be_redirected_to_text() -> None:
    with redirect_stdout(io.StringIO()) as target:
        write_run(RUN, "-", "trec")
    assert target.getvalue() == LINE.decode()


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    write_run(RUN, tmp_path / "mine", "trec")
    write_run(RUN, tmp_path / "mine", "trec")
    assert names_in(tmp_path) == ["mine"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"cannot be written: there is no folder .*nowhere$"):
        write_run(RUN, tmp_path / "nowhere" / "mine", "trec")
    with pytest.raises(MissingFile, match=r"cannot be written: it is a folder$"):
        write_run(RUN, tmp_path, "trec")


def test_a_run_that_cannot_be_written_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_bytes(LINE)
    with pytest.raises(DataError):
        write_run(PARTS, path, "trec")
    assert path.read_bytes() == LINE
    assert names_in(tmp_path) == ["mine"]


def test_a_failing_disk_leaves_the_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine"
    path.write_bytes(LINE)

    def fail(self: Path, data: bytes) -> int:
        with self.open("wb") as stream:
            stream.write(data[:3])
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(MissingFile, match="no space left"):
        write_bytes(b"other bytes", path)
    assert path.read_bytes() == LINE
    assert names_in(tmp_path) == ["mine"]


def test_a_file_keeps_its_permissions_and_its_link(tmp_path: Path) -> None:
    path, link = tmp_path / "mine", tmp_path / "link"
    path.write_bytes(b"")
    path.chmod(0o640)
    link.symlink_to(path)
    write_bytes(LINE, link)
    assert link.is_symlink()
    assert path.read_bytes() == LINE
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_through() -> None:
    write_bytes(LINE, os.devnull)
    assert Path(os.devnull).is_char_device()


def test_a_folder_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="cannot be written"):
        write_run(RUN, tmp_path / "no" / "mine", "trec")
