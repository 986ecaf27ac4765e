"""Documents to an offset index, and opening one: element paths to spans and back."""

from foveal.collection.collection_texts import read_text, read_texts
from foveal.collection.document_reader import Identifier
from foveal.collection.index import Index, is_index, open_index
from foveal.collection.index_builder import BuiltIndex, build_index
from foveal.collection.members import Member
from foveal.collection.shard import MakeShard, Settings, Shard
from foveal.collection.xml_scanner import OffsetCounter
from foveal.files import collection_size
