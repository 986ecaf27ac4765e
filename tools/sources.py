"""Full references for the sources that records cite by short keys, as sentences and as BibTeX.

A record's `cite` names its sources one after the other, separated by semicolons; each contains the key of
one reference, and may say where in it: an equation, a name in a program. A field that is not known for
sure is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from tools.bibliography import Article, Book, Common, Other, Paper, Program, Reference

COMMON = Common("In common use; there is no single source.")
SOURCES: dict[str, Reference] = {
    "Agrawal et al. 2009": Paper(
        "Rakesh Agrawal, Sreenivas Gollapudi, Alan Halverson, Samuel Ieong",
        "Diversifying search results", 2009, "WSDM 2009", pages="5-14",
    ),
    "Allan 2003": Paper(
        "James Allan", "HARD track overview in TREC 2003: high accuracy retrieval from documents",
        2003, "TREC 2003", pages="24-37",
    ),
    "Bailey, Moffat, Scholer & Thomas 2015": Paper(
        "Peter Bailey, Alistair Moffat, Falk Scholer, Paul Thomas",
        "User variability and IR system evaluation", 2015, "SIGIR 2015", pages="625-634",
    ),
    "Buckley & Voorhees 2004": Paper(
        "Chris Buckley, Ellen M. Voorhees", "Retrieval evaluation with incomplete information",
        2004, "SIGIR 2004", pages="25-32",
    ),
    "Chapelle et al. 2009": Paper(
        "Olivier Chapelle, Donald Metzler, Ya Zhang, Pierre Grinspan",
        "Expected reciprocal rank for graded relevance", 2009, "CIKM 2009", pages="621-630",
    ),
    "Clarke et al. 2008": Paper(
        "Charles L. A. Clarke, Maheedhar Kolla, Gordon V. Cormack, Olga Vechtomova, Azin Ashkan,"
        " Stefan Büttcher, Ian MacKinnon",
        "Novelty and diversity in information retrieval evaluation", 2008, "SIGIR 2008",
        pages="659-666",
    ),
    "Clarke, Kolla & Vechtomova 2009": Paper(
        "Charles L. A. Clarke, Maheedhar Kolla, Olga Vechtomova",
        "An effectiveness measure for ambiguous and underspecified queries", 2009, "ICTIR 2009",
        lncs=5766, pages="188-199",
    ),
    "Cooper 1968": Article(
        "William S. Cooper",
        "Expected search length: a single measure of retrieval effectiveness based on the weak ordering"
        " action of retrieval systems",
        1968, "American Documentation", volume=19, number=1, pages="30-41",
    ),
    "DeYoung et al. 2020": Paper(
        "Jay DeYoung, Sarthak Jain, Nazneen Fatema Rajani, Eric Lehman, Caiming Xiong, Richard Socher,"
        " Byron C. Wallace",
        "ERASER: a benchmark to evaluate rationalized NLP models", 2020, "ACL 2020",
        pages="4443-4458",
    ),
    "Hersh et al. 2006": Paper(
        "William Hersh, Aaron M. Cohen, Phoebe Roberts, Hari Krishna Rekapalli",
        "TREC 2006 Genomics track overview", 2006, "TREC 2006",
    ),
    "Hersh et al. 2007": Paper(
        "William Hersh, Aaron Cohen, Lynn Ruslen, Phoebe Roberts",
        "TREC 2007 Genomics track overview", 2007, "TREC 2007",
    ),
    "HiXEval": Paper(
        "Jovan Pehcevski, James A. Thom", "HiXEval: highlighting XML retrieval evaluation", 2006,
        "INEX 2005", lncs=3977, pages="43-57",
    ),
    "INEX 2007": Paper(
        "Jaap Kamps, Jovan Pehcevski, Gabriella Kazai, Mounia Lalmas, Stephen Robertson",
        "INEX 2007 evaluation measures", 2008, "INEX 2007", lncs=4862, pages="24-33",
        doi="10.1007/978-3-540-85902-4_2",
        remark="Equations and sections are numbered as in the version circulated before the workshop.",
    ),
    "INEX 2010": Paper(
        "Paavo Arvola, Shlomo Geva, Jaap Kamps, Ralf Schenkel, Andrew Trotman, Johanna Vainio",
        "Overview of the INEX 2010 Ad Hoc Track", 2011, "INEX 2010", lncs=6932, pages="1-32",
    ),
    "Järvelin & Kekäläinen 2002": Article(
        "Kalervo Järvelin, Jaana Kekäläinen", "Cumulated gain-based evaluation of IR techniques",
        2002, "ACM Transactions on Information Systems", volume=20, number=4, pages="422-446",
    ),
    "Kantor & Voorhees 2000": Article(
        "Paul B. Kantor, Ellen M. Voorhees",
        "The TREC-5 confusion track: comparing retrieval methods for scanned text", 2000,
        "Information Retrieval", volume=2, pages="165-176",
    ),
    "Moffat & Zobel 2008": Article(
        "Alistair Moffat, Justin Zobel",
        "Rank-biased precision for measurement of retrieval effectiveness", 2008,
        "ACM Transactions on Information Systems", volume=27, number=1, articleno=2,
    ),
    "Pehcevski & Thom 2007": Paper(
        "Jovan Pehcevski, James A. Thom", "Evaluating focused retrieval tasks", 2007,
        "SIGIR 2007 Workshop on Focused Retrieval", address="Amsterdam",
        url="https://inria.hal.science/inria-00166790",
    ),
    "Robertson 2006": Paper(
        "Stephen Robertson", "On GMAP: and other transformations", 2006, "CIKM 2006", pages="78-83",
    ),
    "Robertson 2012": Paper(
        "Stephen Robertson", "On smoothing average precision", 2012, "ECIR 2012", lncs=7224,
        pages="158-169",
    ),
    "Smith & Troynikov 2024": Other(
        "Brandon Smith, Anton Troynikov", "Evaluating chunking strategies for retrieval", 2024,
        "Technical report, Chroma",
    ),
    "Tomlinson": Common("Stephen Tomlinson, to whom trec_eval's description of `success` gives the credit."),
    "Viviani 2021": Other(
        "Marco Viviani", "Basics of IR and evaluations, second part: evaluations", 2021,
        "Webinar of the project DoSSIER, 21 January 2021",
    ),
    "Voorhees 1999": Paper(
        "Ellen M. Voorhees", "The TREC-8 question answering track report", 1999, "TREC-8",
        pages="77-82",
    ),
    "Yilmaz & Aslam 2006": Paper(
        "Emine Yilmaz, Javed A. Aslam",
        "Estimating average precision with incomplete and imperfect judgments", 2006, "CIKM 2006",
        pages="102-111",
    ),
    "Zhai, Cohen & Lafferty 2003": Paper(
        "ChengXiang Zhai, William W. Cohen, John Lafferty",
        "Beyond independent relevance: methods and evaluation metrics for subtopic retrieval", 2003,
        "SIGIR 2003", pages="10-17",
    ),
    "Zhang et al. 2017": Paper(
        "Fan Zhang, Yiqun Liu, Xin Li, Min Zhang, Yinghui Xu, Shaoping Ma",
        "Evaluating web search with a Bejeweled player model", 2017, "SIGIR 2017", pages="425-434",
    ),
    "ir_measures": Paper(
        "Sean MacAvaney, Craig Macdonald, Iadh Ounis", "Streamlining evaluation with ir-measures",
        2022, "ECIR 2022", lncs=13186, pages="305-310",
    ),
    "inex_eval": Program("inex_eval", "The official evaluation program of INEX's ad hoc track"),
    "ndeval": Program(
        "ndeval", "The program with which TREC's Web track scored diversity", "Charles L. A. Clarke"
    ),
    "ragas": Paper(
        "Shahul Es, Jithin James, Luis Espinosa-Anke, Steven Schockaert",
        "RAGAs: automated evaluation of retrieval augmented generation", 2024,
        "EACL 2024, system demonstrations", remark="DeepEval, a program by Confident AI.",
    ),
    "trec_eval": Program(
        "trec_eval", "The program with which TREC scores runs",
        "Chris Buckley, {National Institute of Standards and Technology}",
        url="https://github.com/usnistgov/trec_eval",
    ),
    "van Rijsbergen 1979": Book(
        "C. J. van Rijsbergen", "Information Retrieval", 1979, "Butterworths", edition="Second"
    ),
    "hit rate": COMMON,
    "precision at k": COMMON,
    "complete evidence": COMMON,
    "evidence recall": COMMON,
}  # fmt: skip


def references(cite: str) -> Iterator[tuple[str, Reference]]:
    """The sources that a record cites, each with its full reference."""
    for cited in cite.split("; "):
        keys = [key for key in SOURCES if key in cited]
        if len(keys) != 1:
            raise LookupError(f"{cited!r} names {len(keys)} sources of tools/sources.py, not one")
        yield cited, SOURCES[keys[0]]
