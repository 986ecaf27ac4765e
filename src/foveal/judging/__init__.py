"""Making judgements: pools of what runs returned, and the agreement of those who judged."""

from foveal.judging._rankings import RunRanking, ScoredByAll
from foveal.judging._tables import Average, Level
from foveal.judging.agreement import (
    AssessorAgreement,
    AssessorsLike,
    agree_assessors,
    assessor_agreement,
)

__all__ = [
    "AssessorAgreement",
    "AssessorsLike",
    "Average",
    "Level",
    "RunRanking",
    "ScoredByAll",
    "agree_assessors",
    "assessor_agreement",
]
