"""Making judgements: pools of what runs returned, and the agreement of those who judged."""

from foveal.judging._returned import Returned
from foveal.judging.pools import PoolDesign, pool

__all__ = ["PoolDesign", "Returned", "pool"]
