"""What retrieval frameworks return, and the texts by which its offsets are verified or found."""

from foveal.intake._chunk_list import chunk_list
from foveal.intake.documents import Documents
from foveal.intake.hits import from_hits
from foveal.intake.reading import DocumentsLike, read_documents

__all__ = [
    "Documents",
    "DocumentsLike",
    "chunk_list",
    "from_hits",
    "read_documents",
]
