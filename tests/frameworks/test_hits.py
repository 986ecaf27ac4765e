"""One line from each framework's hits to a score."""

from __future__ import annotations

from typing import Any

from chonkie import SentenceChunker
from haystack import Document as HaystackDocument
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import NodeWithScore

import foveal

TEXT = (
    "Whales are mammals. They breathe air.\n\nSharks are fish.  They breathe water.\n\n"
    "Bats are mammals, too. They fly at night, and they sleep by day.\n\nOwls are birds.  They fly"
    " at night. They sleep by day.\n\n"
)
EVIDENCE = "Owls are birds.  They fly at night."
START = TEXT.index(EVIDENCE)
QRELS = [
    {
        "topic": "q",
        "doc": "animals",
        "length": len(TEXT),
        "highlights": [[START, START + len(EVIDENCE)]],
    }
]


def recall(hits: list[Any], **more: Any) -> float:
    run = foveal.from_hits({"q": hits}, **more)
    return float(foveal.evaluate(QRELS, run, ["charR"]).mean().row(0)[1])


def found(texts: list[str]) -> float:
    """The share of the evidence in some texts that are in the document once."""
    signs = {
        place
        for text in texts
        for place in range(TEXT.index(text), TEXT.index(text) + len(text))
        if TEXT.count(text) == 1
    }
    wanted = set(range(START, START + len(EVIDENCE)))
    return len(signs & wanted) / len(wanted)


def test_langchain_vector_store() -> None:
    whole = LangChainDocument(TEXT, metadata={"source": "data/animals.txt"})
    splitter = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0, add_start_index=True)
    chunks = splitter.split_documents([whole])
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents(chunks)
    hits = store.similarity_search_with_score("night birds", k=4)
    assert recall(hits, docs={"animals": TEXT}) == found([hit.page_content for hit, _ in hits])
    assert recall(chunks, docs={"animals": TEXT}) > 0.9
    single = [hit for hit, _ in hits if TEXT.count(hit.page_content) == 1]
    bare = [LangChainDocument(hit.page_content) for hit in single]
    assert recall(bare, docs={"animals": TEXT}) == recall(single, docs={"animals": TEXT})


def test_llama_index_nodes() -> None:
    whole = LlamaDocument(text=TEXT, doc_id="animals")
    nodes = SentenceSplitter(chunk_size=20, chunk_overlap=0).get_nodes_from_documents([whole])
    hits = [NodeWithScore(node=node, score=1 / rank) for rank, node in enumerate(nodes, 1)]
    assert recall(hits, docs=[whole], chunks=nodes) > 0.9
    for hit in hits:
        hit.node.start_char_idx = hit.node.end_char_idx = None
    assert recall(hits, docs=[whole], chunks=nodes) > 0.9


def test_haystack_retriever() -> None:
    whole = HaystackDocument(id="animals", content=TEXT)
    splitter = DocumentSplitter(split_by="word", split_length=8, split_overlap=2)
    splitter.warm_up()
    store = InMemoryDocumentStore()
    chunks = splitter.run([whole])["documents"]
    store.write_documents(chunks)
    hits = InMemoryBM25Retriever(store).run(query="owls night birds", top_k=3)["documents"]
    expected = found([hit.content.strip() for hit in hits])
    assert recall(hits, docs=[whole]) >= expected > 0
    for hit in hits:
        hit.meta["split_idx_start"] += 7
    assert recall(hits, docs=[whole], chunks=chunks) >= expected


def test_chonkie_chunks() -> None:
    chunks = SentenceChunker("character", chunk_size=60).chunk(TEXT)
    assert recall(chunks, docs={"animals": TEXT}) == 1.0
