"""What real splitters cut, and where they truly cut it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from string import punctuation

from chonkie import TokenChunker
from haystack import Document as HaystackDocument
from haystack.components.preprocessors import DocumentSplitter
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter
from llama_index.core.node_parser import TokenTextSplitter

Split = Callable[[str], list[str]]

# From here on every character can have a code point of its own.
UNIQUE = 0x10000


def haystack(text: str, *, by: str, length: int, overlap: int) -> list[str]:
    splitter = DocumentSplitter(split_by=by, split_length=length, split_overlap=overlap)
    splitter.warm_up()
    return [chunk.content for chunk in splitter.run([HaystackDocument(content=text)])["documents"]]


def chonkie(text: str, *, chunker: Callable[[str], list[object]]) -> list[str]:
    return [str(chunk.text) for chunk in chunker(text)]  # type: ignore[attr-defined]  # a chunk


SPLITTERS: dict[str, Split] = {
    "LangChain recursive 500/100": RecursiveCharacterTextSplitter(
        chunk_size=500, chunk_overlap=100
    ).split_text,
    "LangChain recursive 200/0": RecursiveCharacterTextSplitter(
        chunk_size=200, chunk_overlap=0
    ).split_text,
    "LangChain recursive 100/40": RecursiveCharacterTextSplitter(
        chunk_size=100, chunk_overlap=40
    ).split_text,
    "LangChain character 500": CharacterTextSplitter(
        "\n", chunk_size=500, chunk_overlap=0
    ).split_text,
    "LlamaIndex tokens 400/50": TokenTextSplitter(
        chunk_size=400, chunk_overlap=50, tokenizer=list
    ).split_text,
    "Haystack words 60/20": partial(haystack, by="word", length=60, overlap=20),
    "Haystack passages": partial(haystack, by="passage", length=1, overlap=0),
    "Chonkie tokens 300/100": partial(
        chonkie, chunker=TokenChunker("character", chunk_size=300, chunk_overlap=100).chunk
    ),
}


def true_chunks(split: Split, text: str) -> list[tuple[str, int]]:
    """What a splitter cuts, and where each chunk begins.

    Splitters look at blanks, punctuation and lengths only. So they cut a twin of the text in the
    same places, in which every other character occurs once, and says where it is.
    """
    twin = "".join(
        sign if sign.isspace() or sign in punctuation else chr(UNIQUE + place)
        for place, sign in enumerate(text)
    )
    cut = []
    for chunk in split(twin):
        marks = [(at, ord(sign) - UNIQUE) for at, sign in enumerate(chunk) if ord(sign) >= UNIQUE]
        if marks:
            at, place = marks[0]
            own = "".join(
                text[ord(sign) - UNIQUE] if ord(sign) >= UNIQUE else sign for sign in chunk
            )
            cut.append((own, place - at))
    return cut
