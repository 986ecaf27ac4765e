"""Documents to an offset index, and opening one: element paths to spans and back."""

from foveal.collection.build import Built, Mapped, build_index
from foveal.collection.documents import Identifier
from foveal.collection.index import Index, is_index, open_index
from foveal.collection.members import Member
from foveal.collection.scanner import Counting
from foveal.collection.shard import Complaint, MakeShard, Settings, Shard
from foveal.collection.texts import read_text, read_texts
from foveal.collection.tree import elements_of
from foveal.files import collection_size

__all__ = [
    "Built",
    "Complaint",
    "Counting",
    "Identifier",
    "Index",
    "MakeShard",
    "Mapped",
    "Member",
    "Settings",
    "Shard",
    "build_index",
    "collection_size",
    "elements_of",
    "is_index",
    "open_index",
    "read_text",
    "read_texts",
]
