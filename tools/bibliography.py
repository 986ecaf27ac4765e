"""References as sentences and as BibTeX, both made from the same fields."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from unicodedata import normalize

LNCS = "Lecture Notes in Computer Science"
# Letters with marks as every version of BibTeX reads them.
MARKS = {"\u0308": '"', "\u0301": "'", "\u0300": "`", "\u0302": "^", "\u0303": "~"}
Fields = Mapping[str, object]


class Reference(ABC):
    """A source: what a reader sees, and an entry to copy if it has one."""

    @property
    @abstractmethod
    def plain(self) -> str:
        """The reference in Markdown."""

    @property
    def bibtex(self) -> str:
        """The entry, or nothing if there is nothing to cite."""
        return ""


@dataclass(frozen=True)
class Common(Reference):
    """What cannot be cited as a work."""

    sentence: str

    @property
    def plain(self) -> str:
        """The sentence."""
        return self.sentence


@dataclass(frozen=True)
class Program(Reference):
    """A program, which may have authors."""

    name: str
    sentence: str
    authors: str = ""
    url: str = ""

    @property
    def plain(self) -> str:
        """Authors and sentence, with the address."""
        authors = f"{_listed(self.authors)}. " if self.authors else ""
        return f"{authors}{self.sentence}{f': <{self.url}>' if self.url else ''}."

    @property
    def bibtex(self) -> str:
        """An entry without a year."""
        fields = {"author": _joined(self.authors), "title": f"{{{_escaped(self.name)}}}"}
        note = {"note": _escaped(self.sentence), "url": self.url}
        return _entry("misc", self.name, {**fields, **note})


@dataclass(frozen=True)
class Work(Reference):
    """A work with authors, a title and a year."""

    authors: str
    title: str
    year: int

    @property
    def plain(self) -> str:
        """Authors, title, and where and when it was published."""
        return " ".join([f"{_listed(self.authors)}. *{self.title}*.", *self.published])

    @property
    @abstractmethod
    def published(self) -> Iterable[str]:
        """Sentences that say where and when."""

    def entry(self, kind: str, fields: Fields) -> str:
        """An entry whose key is the first author and the year."""
        surname = "".join(_surname(self.authors.split(", ")[0]))
        about = {"author": _joined(self.authors), "title": _protected(self.title)}
        return _entry(kind, f"{_ascii(surname)}{self.year}", {**about, **fields, "year": self.year})


@dataclass(frozen=True)
class Paper(Work):
    """A paper at a conference or workshop."""

    venue: str
    lncs: int | None = None
    pages: str = ""
    address: str = ""
    doi: str = ""
    url: str = ""
    remark: str = ""

    @property
    def published(self) -> Iterable[str]:
        """Venue, series, year unless the venue says it, and pages; then a remark, and where it is."""
        where = [self.venue, self.address, f"LNCS {self.lncs}" if self.lncs else ""]
        where += ["" if str(self.year) in self.venue else str(self.year), _pages(self.pages)]
        yield f"{', '.join(filter(None, where))}."
        if self.remark:
            yield self.remark
        if link := self.url or (self.doi and f"https://doi.org/{self.doi}"):
            yield f"<{link}>"

    @property
    def bibtex(self) -> str:
        """The entry."""
        series = {"series": LNCS, "volume": self.lncs} if self.lncs else {}
        pages = {"pages": self.pages.replace("-", "--"), "doi": self.doi, "url": self.url}
        venue = {"booktitle": self.venue, "address": self.address}
        return self.entry("inproceedings", {**venue, **series, **pages})


@dataclass(frozen=True)
class Article(Work):
    """An article of a journal."""

    journal: str
    volume: int
    number: int | None = None
    pages: str = ""
    articleno: int | None = None

    @property
    def published(self) -> Iterable[str]:
        """Journal, volume, year and pages."""
        number = f"({self.number})" if self.number else ""
        article = f"article {self.articleno}" if self.articleno else _pages(self.pages)
        yield f"{self.journal} {self.volume}{number}, {self.year}, {article}."

    @property
    def bibtex(self) -> str:
        """The entry."""
        venue = {"journal": self.journal, "volume": self.volume, "number": self.number}
        pages = {"pages": self.pages.replace("-", "--"), "articleno": self.articleno}
        return self.entry("article", {**venue, **pages})


@dataclass(frozen=True)
class Book(Work):
    """A book."""

    publisher: str
    edition: str

    @property
    def published(self) -> Iterable[str]:
        """Edition, publisher and year."""
        yield f"{self.edition} edition, {self.publisher}, {self.year}."

    @property
    def bibtex(self) -> str:
        """The entry."""
        return self.entry("book", {"publisher": self.publisher, "edition": self.edition})


@dataclass(frozen=True)
class Other(Work):
    """A report, slides and the like."""

    published_as: str

    @property
    def published(self) -> Iterable[str]:
        """The kind of publication, and the year unless that names it."""
        year = "" if str(self.year) in self.published_as else f", {self.year}"
        yield f"{self.published_as}{year}."

    @property
    def bibtex(self) -> str:
        """The entry."""
        return self.entry("misc", {"howpublished": self.published_as})


def _entry(kind: str, key: str, fields: Fields) -> str:
    """An entry with the fields that have a value."""
    present = {name: value for name, value in fields.items() if value}
    width = max(map(len, present))
    lines = (f"  {name:{width}} = {{{value}}}," for name, value in present.items())
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _listed(authors: str) -> str:
    """The authors in a sentence; braces, which keep a name whole, are BibTeX's."""
    *leading, last = authors.replace("{", "").replace("}", "").split(", ")
    last = f"the {last}" if "{" in authors else last
    return f"{', '.join(leading)} and {last}" if leading else last


def _joined(authors: str) -> str:
    return _escaped(" and ".join(authors.split(", ")))


def _surname(author: str) -> list[str]:
    """The last name, with what belongs to it: van Rijsbergen."""
    words = author.split()
    return [word for word in words[1:-1] if word.islower()] + words[-1:]


def _pages(pages: str) -> str:
    return f"pages {pages}" if pages else ""


def _protected(title: str) -> str:
    """A title in which styles that write lower-case letters leave names and acronyms alone."""
    first, *words = title.split(" ")
    protected = [_in_braces(first) if sum(map(str.isupper, first)) > 1 else first]
    protected += [_in_braces(word) if re.search(r"[A-Z]", word) else word for word in words]
    return _escaped(" ".join(protected))


def _in_braces(word: str) -> str:
    return re.sub(r"[\w-]+", lambda match: f"{{{match[0]}}}", word, count=1)


def _escaped(text: str) -> str:
    """Text as TeX reads it."""
    text = re.sub(r"(?<!\\)([&%$#_])", r"\\\1", text)
    letters = normalize("NFD", text)
    return re.sub(
        r"(\w)([\u0300-\u036f])", lambda match: f"{{\\{MARKS[match[2]]}{match[1]}}}", letters
    )


def _ascii(text: str) -> str:
    return normalize("NFKD", text).encode("ascii", "ignore").decode()
