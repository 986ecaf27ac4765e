"""A small campaign, served without a network, and the pages of its people."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from foveal.assess import Campaign
from tests.asking import Page, Server, serving
from tests.campaigns import campaign_at


@pytest.fixture(scope="package")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a small campaign, to be copied: writing one waits for the disk."""
    with campaign_at(tmp_path_factory.mktemp("campaign")) as campaign:
        return campaign.path


@pytest.fixture
def campaign(written: Path, tmp_path: Path) -> Iterator[Campaign]:
    copied = shutil.copy(written, tmp_path / written.name)
    with Campaign.open(copied) as opened:
        # Nobody cuts the power in these tests.
        opened.connection.execute("PRAGMA synchronous = OFF")
        yield opened


@pytest.fixture
def server(campaign: Campaign) -> Iterator[Server]:
    with serving(campaign) as started:
        yield started


@pytest.fixture
def ann(server: Server) -> Page:
    return Page(server, "ann")


@pytest.fixture
def bob(server: Server) -> Page:
    return Page(server, "bob")


@pytest.fixture
def ada(server: Server) -> Page:
    """The adjudicator."""
    return Page(server, "ada")
