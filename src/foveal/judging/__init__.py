"""Making judgements: pools of what runs returned, and the agreement of those who judged."""

from foveal.judging._rankings import RunRanking
from foveal.judging._returned import Returned
from foveal.judging.agreement import (
    AssessorAgreement,
    AssessorsLike,
    Average,
    Level,
    agree_assessors,
    assessor_agreement,
)
from foveal.judging.merging import merged
from foveal.judging.pools import PoolDesign, pool
from foveal.judging.progress import (
    CampaignProgress,
    Remark,
    Stint,
    TopicState,
    Worker,
    active_seconds,
)
