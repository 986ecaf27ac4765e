"""Documents to an offset index, and opening one: element paths to spans and back."""

from foveal.collection._build import Built, Mapped, build_index
from foveal.collection._documents import Identifier
from foveal.collection._index import Index, open_index
from foveal.collection._members import Member
from foveal.collection._scanner import Measure
from foveal.collection._shard import Complaint, MakeShard, Settings, Shard
from foveal.collection._store import collection_size
from foveal.collection._texts import read_text
from foveal.collection._tree import elements_of

__all__ = [
    "Built",
    "Complaint",
    "Identifier",
    "Index",
    "MakeShard",
    "Mapped",
    "Measure",
    "Member",
    "Settings",
    "Shard",
    "build_index",
    "collection_size",
    "elements_of",
    "open_index",
    "read_text",
]
