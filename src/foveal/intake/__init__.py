"""What retrieval frameworks return, and the texts by which its offsets are verified or found."""

from foveal.intake.documents import Documents
from foveal.intake.hits import from_hits
from foveal.intake.reading import DocumentsLike, read_documents

__all__ = [
    "Documents",
    "DocumentsLike",
    "from_hits",
    "read_documents",
]
