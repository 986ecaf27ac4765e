"""Reads hits of retrieval frameworks, and texts of documents that verify or give their offsets."""

from foveal.intake._chunk_list import read_chunks
from foveal.intake.documents import Documents, DocumentsLike, SomeDocuments, read_documents
from foveal.intake.hits import from_hits
from foveal.intake.tokens import Tokenizer, count_tokens, read_tokenizer
