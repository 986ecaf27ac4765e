"""Full references for the sources that records cite by short keys.

A record's `cite` names its sources one after the other, separated by semicolons; each contains the key of
one reference, and may say where in it: an equation, a name in a program.
"""

from __future__ import annotations

from collections.abc import Iterator

COMMON = "In common use; there is no single source."
SOURCES = {
    "Agrawal et al. 2009": "Rakesh Agrawal, Sreenivas Gollapudi, Alan Halverson and Samuel Ieong."
    " *Diversifying search results*. WSDM 2009, pages 5-14.",
    "Allan 2003": "James Allan. *HARD track overview in TREC 2003: high accuracy retrieval from"
    " documents*. TREC 2003, pages 24-37.",
    "Bailey, Moffat, Scholer & Thomas 2015": "Peter Bailey, Alistair Moffat, Falk Scholer and Paul"
    " Thomas. *User variability and IR system evaluation*. SIGIR 2015, pages 625-634.",
    "Buckley & Voorhees 2004": "Chris Buckley and Ellen M. Voorhees. *Retrieval evaluation with"
    " incomplete information*. SIGIR 2004, pages 25-32.",
    "Chapelle et al. 2009": "Olivier Chapelle, Donald Metzler, Ya Zhang and Pierre Grinspan."
    " *Expected reciprocal rank for graded relevance*. CIKM 2009, pages 621-630.",
    "Clarke et al. 2008": "Charles L. A. Clarke, Maheedhar Kolla, Gordon V. Cormack, Olga Vechtomova,"
    " Azin Ashkan, Stefan Büttcher and Ian MacKinnon. *Novelty and diversity in information retrieval"
    " evaluation*. SIGIR 2008, pages 659-666.",
    "Clarke, Kolla & Vechtomova 2009": "Charles L. A. Clarke, Maheedhar Kolla and Olga Vechtomova. *An"
    " effectiveness measure for ambiguous and underspecified queries*. ICTIR 2009, LNCS 5766, pages"
    " 188-199.",
    "Cooper 1968": "William S. Cooper. *Expected search length: a single measure of retrieval"
    " effectiveness based on the weak ordering action of retrieval systems*. American Documentation"
    " 19(1), 1968, pages 30-41.",
    "DeYoung et al. 2020": "Jay DeYoung, Sarthak Jain, Nazneen Fatema Rajani, Eric Lehman, Caiming"
    " Xiong, Richard Socher and Byron C. Wallace. *ERASER: a benchmark to evaluate rationalized NLP"
    " models*. ACL 2020, pages 4443-4458.",
    "Hersh et al. 2006": "William Hersh, Aaron M. Cohen, Phoebe Roberts and Hari Krishna Rekapalli."
    " *TREC 2006 Genomics track overview*. TREC 2006.",
    "Hersh et al. 2007": "William Hersh, Aaron Cohen, Lynn Ruslen and Phoebe Roberts. *TREC 2007"
    " Genomics track overview*. TREC 2007.",
    "HiXEval": "Jovan Pehcevski and James A. Thom. *HiXEval: highlighting XML retrieval evaluation*."
    " INEX 2005, LNCS 3977, 2006, pages 43-57.",
    "INEX 2007": "Jaap Kamps, Jovan Pehcevski, Gabriella Kazai, Mounia Lalmas and Stephen Robertson."
    " *INEX 2007 evaluation measures*. INEX 2007, LNCS 4862, 2008, pages 24-33. Equations and sections"
    " are numbered as in the version circulated before the workshop.",
    "INEX 2010": "Paavo Arvola, Shlomo Geva, Jaap Kamps, Ralf Schenkel, Andrew Trotman and Johanna"
    " Vainio. *Overview of the INEX 2010 Ad Hoc Track*. INEX 2010, LNCS 6932, 2011, pages 1-32.",
    "Järvelin & Kekäläinen 2002": "Kalervo Järvelin and Jaana Kekäläinen. *Cumulated gain-based"
    " evaluation of IR techniques*. ACM Transactions on Information Systems 20(4), 2002, pages 422-446.",
    "Kantor & Voorhees 2000": "Paul B. Kantor and Ellen M. Voorhees. *The TREC-5 confusion track:"
    " comparing retrieval methods for scanned text*. Information Retrieval 2, 2000, pages 165-176.",
    "Moffat & Zobel 2008": "Alistair Moffat and Justin Zobel. *Rank-biased precision for measurement of"
    " retrieval effectiveness*. ACM Transactions on Information Systems 27(1), 2008, article 2.",
    "Pehcevski & Thom 2007": "Jovan Pehcevski and James A. Thom. *Evaluating focused retrieval tasks*."
    " SIGIR 2007 Workshop on Focused Retrieval, Amsterdam, 2007. HAL inria-00166790.",
    "Robertson 2006": "Stephen Robertson. *On GMAP: and other transformations*. CIKM 2006, pages 78-83.",
    "Robertson 2012": "Stephen Robertson. *On smoothing average precision*. ECIR 2012, LNCS 7224, pages"
    " 158-169.",
    "Smith & Troynikov 2024": "Brandon Smith and Anton Troynikov. *Evaluating chunking strategies for"
    " retrieval*. Technical report, Chroma, 2024.",
    "Tomlinson": "Stephen Tomlinson, to whom trec_eval's description of `success` gives the credit.",
    "Viviani 2021": "Marco Viviani. *Basics of IR and evaluations, second part: evaluations*. Webinar of"
    " the project DoSSIER, 21 January 2021.",
    "Voorhees 1999": "Ellen M. Voorhees. *The TREC-8 question answering track report*. TREC-8, 1999,"
    " pages 77-82.",
    "Yilmaz & Aslam 2006": "Emine Yilmaz and Javed A. Aslam. *Estimating average precision with"
    " incomplete and imperfect judgments*. CIKM 2006, pages 102-111.",
    "Zhai, Cohen & Lafferty 2003": "ChengXiang Zhai, William W. Cohen and John Lafferty. *Beyond"
    " independent relevance: methods and evaluation metrics for subtopic retrieval*. SIGIR 2003, pages"
    " 10-17.",
    "Zhang et al. 2017": "Fan Zhang, Yiqun Liu, Xin Li, Min Zhang, Yinghui Xu and Shaoping Ma."
    " *Evaluating web search with a Bejeweled player model*. SIGIR 2017, pages 425-434.",
    "ir_measures": "Sean MacAvaney, Craig Macdonald and Iadh Ounis. *Streamlining evaluation with"
    " ir-measures*. ECIR 2022, LNCS 13186, pages 305-310.",
    "inex_eval": "The official evaluation program of INEX's ad hoc track.",
    "ndeval": "Charles L. A. Clarke. The program with which TREC's Web track scored diversity.",
    "ragas": "Shahul Es, Jithin James, Luis Espinosa-Anke and Steven Schockaert. *RAGAs: automated"
    " evaluation of retrieval augmented generation*. EACL 2024, system demonstrations. DeepEval, a program"
    " by Confident AI.",
    "trec_eval": "Chris Buckley and the National Institute of Standards and Technology. The program with"
    " which TREC scores runs: <https://github.com/usnistgov/trec_eval>.",
    "van Rijsbergen 1979": "C. J. van Rijsbergen. *Information Retrieval*. Second edition, Butterworths,"
    " 1979.",
    "hit rate": COMMON,
    "precision at k": COMMON,
    "complete evidence": COMMON,
    "evidence recall": COMMON,
}


def references(cite: str) -> Iterator[tuple[str, str]]:
    """The sources that a record cites, each with its full reference."""
    for cited in cite.split("; "):
        keys = [key for key in SOURCES if key in cited]
        if len(keys) != 1:
            raise LookupError(f"{cited!r} names {len(keys)} sources of tools/sources.py, not one")
        yield cited, SOURCES[keys[0]]
