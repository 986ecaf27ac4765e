"""Chunks that real splitters cut, with their offsets removed, are placed right or reported."""

from __future__ import annotations

import gzip
from pathlib import Path
from string import punctuation

import pytest
import tiktoken
from langchain_core.documents import Document
from langchain_text_splitters import TokenTextSplitter

import foveal
from foveal.intake._chunk_list import ChunkList
from foveal.intake._search import FoldedText
from tests.frameworks.splitters import SPLITTERS, true_chunks
from tests.shared import needs, shared

CORPORA = shared("data", "rag", "corpora")


@pytest.fixture(scope="module")
def corpora() -> dict[str, str]:
    return {_stem(path): gzip.open(path).read().decode() for path in sorted(CORPORA.iterdir())}


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


@needs(CORPORA)
@pytest.mark.parametrize("name", SPLITTERS)
def test_chunks_in_document_order_are_placed_right_or_reported(
    name: str, corpora: dict[str, str]
) -> None:
    split = SPLITTERS[name]
    total = right = wrong = naive = 0
    for doc, whole in corpora.items():
        chunks = true_chunks(split, whole)
        folded = FoldedText(whole)
        chunk_list = ChunkList.of([{"doc": doc, "text": text} for text, _ in chunks], corpora)
        for (text, start), (_, pattern, matches) in zip(
            chunks, chunk_list.matches_by_doc[doc], strict=True
        ):
            starts = [folded.text_match(pattern, match).start for match in matches]
            total += 1
            right += starts == [start]
            wrong += len(starts) == 1 and starts != [start]
            naive += whole.find(text) == start
    print(  # noqa: T201  # figures to see
        f"{name}: of {total:,} chunks {right / total:.2%} right, {wrong} wrong,"
        f" {total - right - wrong} reported; str.find {naive / total:.2%}"
    )
    assert wrong == 0
    assert right >= 0.995 * total


@needs(CORPORA)
@pytest.mark.parametrize("name", SPLITTERS)
def test_a_twin_of_a_text_is_cut_where_the_text_is(name: str, corpora: dict[str, str]) -> None:
    split, text = SPLITTERS[name], corpora["chatlogs"]
    cut = [own for own, _ in true_chunks(split, text)]
    assert cut == [own for own in split(text) if not is_punctuation(own)]


def is_punctuation(text: str) -> bool:
    return all(sign.isspace() or sign in punctuation for sign in text)


TEXTS = {
    "Chinese": "他出生于一九六〇年，是一位著名的科学家。研究表明，水的沸点随气压而变化。😀",
    "Hindi": "भारत एक विशाल देश है। यहाँ कई भाषाएँ बोली जाती हैं। ",
}


@pytest.mark.parametrize("language", TEXTS)
def test_tokens_that_cut_characters_apart_are_found(language: str) -> None:
    # An encoding of bytes, as those of models are for rare characters; theirs would be downloaded.
    ranks = {bytes([value]): value for value in range(256)}
    encoding = tiktoken.Encoding(
        "bytes", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={}
    )
    tiktoken.registry.ENCODINGS["bytes"] = encoding
    splitter = TokenTextSplitter("bytes", chunk_size=50, chunk_overlap=20, add_start_index=True)
    text = TEXTS[language] * 3
    chunks = splitter.split_documents([Document(text, metadata={"source": "a"})])
    assert any("\N{REPLACEMENT CHARACTER}" in chunk.page_content for chunk in chunks)
    assert any(chunk.metadata["start_index"] == -1 for chunk in chunks)
    data = text.encode()
    run = foveal.from_hits({"q": chunks}, {"a": text}, chunks=chunks)
    for number, (start, end) in enumerate(run.frame.select("start", "end").iter_rows()):
        first, last = number * 30, min(number * 30 + 50, len(data))
        assert start == len(data[:first].decode(errors="ignore"))
        assert len(text[:end].encode()) >= last
        assert len(text[: end - 1].encode()) < last
