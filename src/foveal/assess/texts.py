"""The texts of a campaign, looked up when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from foveal.assess.campaign import Campaign
from foveal.intake import Documents


def documents_of(campaign: Campaign) -> Documents:
    """The texts of a campaign, by which the places of evidence are found or verified."""
    return Documents(_Texts(campaign), str(campaign.path))


class _Texts(Mapping[str, str]):
    """The texts by document; they stay in the file, because all of them may be large."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._names = [doc for (doc,) in campaign.connection.execute("SELECT doc FROM document")]

    def __getitem__(self, document: str) -> str:
        found = self._campaign.document(document)
        if found is None:
            raise KeyError(document)
        return found.text

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
