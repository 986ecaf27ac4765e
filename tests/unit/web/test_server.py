"""Where a campaign may be served, and that it is served once."""

from __future__ import annotations

import socket
import sys

import pytest

from foveal.assess import Campaign
from foveal.errors import MissingExtra, UsageError
from foveal.web import Application, serve
from foveal.web.server import refuse_unsafe, single_server


def unmade(origin: str) -> Application:
    pytest.fail(f"nothing is served at {origin}")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "::1"])
def test_this_machine_needs_no_proxy(host: str) -> None:
    refuse_unsafe(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "judge.example.org", ""])  # noqa: S104  # refused
def test_other_machines_come_through_a_proxy(host: str) -> None:
    with pytest.raises(UsageError, match="--behind https://NAME"):
        refuse_unsafe(host, None)
    refuse_unsafe(host, "https://judge.example.org")


@pytest.mark.parametrize(
    "behind",
    [
        "http://judge.example.org", "judge.example.org", "https://", "https://name/judging", "",
        "https://name?x=1", "https://name#x", "https://user:word@name", "https://name:99999",
        "https://name:x", "https://na me",
    ],
)  # fmt: skip
def test_a_proxy_has_an_https_address_without_a_path(behind: str) -> None:
    with pytest.raises(UsageError, match="--behind must be https://NAME"):
        refuse_unsafe("127.0.0.1", behind)


@pytest.mark.parametrize("behind", ["https://name", "https://name/", "https://[::1]:8443"])
def test_addresses_of_proxies(behind: str) -> None:
    refuse_unsafe("127.0.0.1", behind)


def test_a_campaign_is_served_once_at_a_time(campaign: Campaign) -> None:
    campaign.set_meta("address", "http://127.0.0.1:8642")
    with Campaign.open(campaign.path) as other:
        with (
            single_server(campaign),
            pytest.raises(UsageError, match=r"served already, at http://127\.0\.0\.1:8642"),
            single_server(other),
        ):
            pass
        with single_server(other):
            pass


def test_a_port_that_is_taken_is_named(campaign: Campaign) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"another program listens at 127.0.0.1:{port}"):
            serve(campaign, unmade, port=port)
    assert "address" not in campaign.meta


def test_an_address_of_another_machine_cannot_be_listened_at(campaign: Campaign) -> None:
    with pytest.raises(UsageError, match=r"cannot listen at 192\.0\.2\.1:8642"):
        serve(campaign, unmade, host="192.0.2.1", behind="https://judge.example.org")


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_the_extra_one_is_told_to_install_it(
    campaign: Campaign, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf'needs {package}: pip install "foveal\[assess\]"'):
        serve(campaign, unmade, port=0)
