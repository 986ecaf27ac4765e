"""What GitHub runs: all tests, on every Python that the package says it supports."""

from __future__ import annotations

import tomllib

import pytest
import yaml
from tests.shared import ROOT

WORKFLOW = ROOT / ".github/workflows/test.yml"
CI = ROOT / ".ci/run"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.skipif(not WORKFLOW.exists(), reason="an sdist has no workflows")
def test_the_tests_run_on_every_supported_python() -> None:
    minor = "Programming Language :: Python :: 3."
    named = [line.split(" :: ")[-1] for line in PROJECT["classifiers"] if line.startswith(minor)]
    job = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == named
    (tested,) = (step for step in job["steps"] if "make test" in step.get("run", ""))
    # What a machine lacks is skipped there only if nobody notices.
    assert f'FOVEAL_REQUIRE="{tested["env"]["FOVEAL_REQUIRE"]}"' in CI.read_text(encoding="utf-8")
