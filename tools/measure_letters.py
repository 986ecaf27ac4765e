"""Meanings of the letters in formulas: a measure's page has those of its formulas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from foveal.measures import REGISTRY, DocumentScore, Record
from tools.making import Lines, section


@dataclass(frozen=True)
class Letter:
    """A letter as formulas write it, and its meaning on the pages of certain measures, or on all."""

    tex: str
    meaning: str
    only: str = ""
    """Measures, or files of measures, separated by spaces; the others have no such letter."""

    pattern: str = ""
    """Where a formula has it, if not wherever it is written as `tex` is."""

    def is_in(self, formula: str) -> bool:
        """True if a formula has the letter."""
        return bool(re.search(self.pattern or _alone(self.tex), formula))

    def belongs_to(self, name: str, family: str) -> bool:
        """True if it has this meaning for a measure of a family."""
        return not self.only or bool({name, family} & set(self.only.split()))


def _alone(tex: str) -> str:
    """A pattern of a letter that is no part of a longer word."""
    return rf"(?<![A-Za-z\\_]){re.escape(tex)}(?![A-Za-z_'*])"


ASPECTS = "diversity"
WITH_PARTS = "in_context counts"
OF_PASSAGES = "hit all passageR passageAP spanR spanF"
OF_DOCUMENTS = "document_sets gains incomplete precision_recall user_models"
GAINS = "CG DCG nDCGrel G"
# The general list has what this many pages have.
MANY = 4
# The more special a meaning, the earlier it comes: the first that fits is taken.
LETTERS = (
    Letter("r", "the highlighted characters that are read", "S=t2i"),
    Letter("i", "the other characters that are read", "S=t2i"),
    Letter("i", "a rank", pattern=r"(?<![A-Za-z\\])i(?![A-Za-z])"),
    Letter("j", "a rank up to i", pattern=r"(?<![A-Za-z\\])j(?![A-Za-z])"),
    Letter("r", "a rank", pattern=r"(?<![A-Za-z\\{])r(?![A-Za-z_])"),
    Letter("r_n", "the rank of the n-th relevant document", "ESL"),
    Letter("n", "the number of relevant documents wanted, `rels`", "ESL"),
    Letter("x", "where the document's first-ranked part starts", "S=bep"),
    Letter("x", "a recall level", pattern=r"(?<![A-Za-z\\])x (?:=|\\)|\[x\]|@x"),
    Letter("p_i", "the part at rank i", pattern=r"p_[1ik]"),
    Letter("p_r", "the part at rank r"),
    Letter("p", "a part that was returned of the document", "S=P S=R"),
    Letter("d_i", "the answer at rank i", ASPECTS, r"d_[ij]"),
    Letter("d_i", "the document at rank i; documents rank by their first part", WITH_PARTS),
    Letter("d_r", "the document at rank r; documents rank by their first part", WITH_PARTS),
    Letter("d_i", "the document at rank i"),
    Letter("d_r", "the document at rank r"),
    Letter("|L|", "the number of parts returned", pattern=r"\|L\|"),
    Letter("|D|", "the number of documents returned", pattern=r"\|D\|"),
    Letter("D", "the documents returned", "document_sets", r"D \\|minus D"),
    Letter("Rel", "the documents that are relevant"),
    Letter("rest", "the documents that are neither returned nor relevant"),
    Letter("size_j", "the characters of part j"),
    Letter("size(p)", "the characters of a part", pattern=r"(?<!r)size\("),
    Letter("rsize(p)", "the highlighted characters of a part", pattern="rsize"),
    Letter("Trel", "the number of highlighted characters of the topic", pattern=r"Trel(?!\(d)"),
    Letter("Trel(d)", "the number of highlighted characters of a document", pattern=r"Trel\(d"),
    Letter("Nrel", "the number of relevant documents"),
    Letter("rel(d)", "1 if a document is relevant, else 0", pattern=r"(?<![A-Za-z])rel\(d"),
    Letter("rel(p)", "1 if a part adds highlighted text, else 0", pattern=r"(?<![A-Za-z])rel\(p"),
    Letter("rel_i", "1 if the part at rank i holds highlighted text, else 0"),
    Letter("judged(d)", "1 if a document is judged, else 0", pattern=r"judged\("),
    Letter("grade(d)", "the grade of a document", pattern=r"grade\("),
    Letter("S(d)", "the score of a document, between 0 and 1", pattern=r"S\(d"),
    Letter("P(d)[r]", "the precision of the document's first r parts", "S=ranked", r"P\(d\)\["),
    Letter("P(d)", "the precision of the document's text, S=P", "S=F", r"P\(d"),
    Letter("R(d)", "the recall of the document's text, S=R", "S=F S=ranked", r"R\(d"),
    Letter("P[r]", "the precision after r parts, cP@r", pattern=r"(?<![A-Za-z])P\[(?!r\] =)"),
    Letter("R[r]", "the recall after r parts, cR@r", pattern=r"(?<![A-Za-z])R\[(?!r\] =)"),
    Letter("gR'[r]", "the recall by text after r documents, gRt@r", pattern=r"gR'\[(?!r\] =)"),
    Letter("igP'[x]", "igPt at a recall level", pattern=r"igP'"),
    Letter("P", "the precision of the set, SetP", "SetF SetAP"),
    Letter("R", "the recall of the set, SetR", "SetF SetAP"),
    Letter("P", "the precision of documents, art_prec", "art_f1"),
    Letter("R", "the recall of documents, art_rec", "art_f1"),
    Letter(
        "R", "the number of relevant documents", OF_DOCUMENTS, r"(?<![A-Za-z])R(?![A-Za-z@\[(])"
    ),
    Letter("L(d)", "the number of characters of a document", "S=bep", r"L\(d"),
    Letter("b(d)", "the best entry point of a document", "S=bep", r"b\(d"),
    Letter("L", "the number of documents read", "BPM", "L"),
    Letter("c", "a highlighted character", "characters"),
    Letter("c", "a chunk", "cPmax"),
    Letter("C", "the text of the chunks that share any with a highlight", "cPmax"),
    Letter("G", "the highlighted text", "cPmax"),
    Letter("new", "the highlighted characters, each where it is first read", "characters"),
    Letter("n(c)", "the highlighted characters read so far, c among them", "characters", r"n\(c"),
    Letter("d(c)", "all characters read so far, c among them", "characters", r"d\(c"),
    Letter("met_i", "what part i shares with the first passage that it meets", pattern="met_"),
    Letter("new_i", "the aspects that part i is the first to have"),
    Letter("gainful_i", "the parts up to rank i that have a new aspect"),
    Letter("counted_i", "those, and the parts up to rank i that have no aspect"),
    Letter("g", "a passage of the judgements", OF_PASSAGES),
    Letter("M", "the matched pairs of a part and a passage", "spanP spanR spanF"),
    Letter("M", "the number of aspects of the topic", f"{ASPECTS} aspectAP", r"M(?![A-Z])"),
    Letter("a", "an aspect", ASPECTS, r"(?<![A-Za-z\\])a(?![A-Za-z])"),
    Letter("A(d)", "the aspects of an answer", ASPECTS, r"A\(d"),
    Letter("AP_a", "AP where only aspect a is relevant"),
    Letter("G_i", "what the answer at rank i gains", ASPECTS),
    Letter("G^*_i", "what the answer at rank i of the ideal list gains", ASPECTS, r"G\^\*"),
    Letter("G_i", "the probability that the document at rank i satisfies", "ERR", "G_[ij]"),
    Letter(
        "g(d)", "the gain of a document: its grade, unless a parameter changes it", GAINS, r"g\(d"
    ),
    Letter("g(d)", "the grade of a document as a share of the highest", "RBP", r"g\(d"),
    Letter("g(d)", "the grade of a document", "ERR", r"g\(d"),
    Letter("g_i", "the grade at rank i as a share of the highest", "INST BPM", "g_[ij]"),
    Letter("g_{max}", "the highest grade of the scale", "ERR", "g_{max}"),
    Letter("N", "the number of documents that have a gain", "nDCGrel Rndcg"),
    Letter("N_{top}", "the number of documents with the highest gain", "Rndcg", "N_{top}"),
    Letter("N", "the number of documents judged irrelevant", "Bpref"),
    Letter("n_r", "the number of documents above rank r that were judged irrelevant", "Bpref"),
    Letter("iCG", "the best CG possible"),
    Letter("cost_r", "the cost of the first r ranks: the ideal gains there, at least 1 each", "G"),
    Letter("nonrel_r", "the number of documents above rank r that are not relevant", "binG"),
    Letter("pool_r", "the number of documents above rank r that are in the pool", "infAP"),
    Letter("rel_r", "the number of those that were judged relevant", "infAP"),
    Letter("nonrel_r", "the number of those that were judged irrelevant", "infAP"),
    Letter(r"\epsilon", "0.00001, which keeps the share defined", "infAP"),
    Letter("W_i", "the weight of rank i; the weights add up to 1", "INST", "W_"),
    Letter("T_i", "the gain that is still wanted after rank i", "INST"),
)


def formulas_of(record: Record | DocumentScore) -> str:
    """All formulas of a record."""
    return "\n".join([record.formula, *record.formula_with.values()])


def letters_of(name: str, record: Record | DocumentScore) -> Iterator[Letter]:
    """The letters of a measure's formulas, each once, but for those that name its parameters."""
    seen_letters = {parameter.name for parameter in record.parameters}
    family = record.kernel.__module__.rpartition(".")[2]
    formulas = formulas_of(record)
    for letter in LETTERS:
        is_here = letter.belongs_to(name, family) and letter.is_in(formulas)
        if is_here and letter.tex not in seen_letters:
            seen_letters.add(letter.tex)
            yield letter


def measures_in(name: str, record: Record | DocumentScore) -> list[str]:
    """The other measures that a measure's formulas name; P and R only with a cut-off."""
    formulas = formulas_of(record)
    return [
        measure
        for measure in REGISTRY
        if measure != name
        and re.search(_alone(measure) + ("(?=@)" if len(measure) == 1 else ""), formulas)
    ]


@section("letters")
def letters() -> Lines:
    """The letters that many pages have."""
    count = Counter(
        letter for name, record in REGISTRY.items() for letter in letters_of(name, record)
    )
    for letter in LETTERS:
        if not letter.only and count[letter] >= MANY:
            yield f"* ${letter.tex}$: {letter.meaning}"
