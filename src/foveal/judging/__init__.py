"""Making judgements: pools of what runs returned, and the agreement of those who judged."""

from foveal.judging._returned import Returned
from foveal.judging.pools import Pool, PoolDesign, pool

__all__ = ["Pool", "PoolDesign", "Returned", "pool"]
