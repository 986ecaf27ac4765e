"""Making judgements: pools of what runs returned, and the agreement of those who judged."""

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
