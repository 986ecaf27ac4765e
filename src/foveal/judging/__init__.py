"""Pools of documents to judge, progress of judging, and agreement of assessors."""

from foveal.judging._pool_candidates import PoolCandidates
from foveal.judging._run_rankings import RunRanking
from foveal.judging.assessor_agreement import (
    AssessorAgreement,
    AssessorsLike,
    Average,
    Level,
    agree_assessors,
    assessor_agreement,
)
from foveal.judging.campaign_progress import (
    AssessorNote,
    AssessorProgress,
    CampaignProgress,
    TopicProgress,
    TopicStatus,
    active_seconds,
)
from foveal.judging.merge import merged
from foveal.judging.pooling import PoolDesign, pool
