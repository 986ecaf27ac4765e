"""`foveal assess try` that is interrupted: nothing half made goes on like a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from foveal.cli._demo_files import demo_folder
from foveal.cli.assess import new
from tests.cli.calling import foveal

README = "A small world made by `foveal assess try`."


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_campaign_without_its_beginning_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # After the campaign is written, before anybody has judged in it.
    monkeypatch.setattr(new, "_report", interrupted)
    answer = foveal("assess", "try", "w", "--no-browser", folder=tmp_path)
    assert answer.code == 130
    assert answer.err.endswith("\nfoveal: interrupted\n")
    left = [path.name for path in (tmp_path / "w").iterdir()]
    assert "pool.jsonl" in left
    assert not [name for name in left if "campaign" in name]
    assert demo_folder(str(tmp_path / "w"), README) == tmp_path / "w"


def test_a_world_that_was_hardly_begun_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", interrupted)
        assert foveal("assess", "try", "w", "--no-browser", folder=tmp_path).code == 130
    assert demo_folder(str(tmp_path / "w"), README) == tmp_path / "w"
