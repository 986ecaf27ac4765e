"""What a gate allows, checked."""

from __future__ import annotations

import math

from foveal.analysis._checks import between_0_and_1
from foveal.analysis._resamples import Resamples, Seed, shown_seed
from foveal.choices import Interval
from foveal.errors import UsageError
from foveal.frozen import frozen


@frozen
class Limits:
    """What a gate allows, and how intervals and p-values are made."""

    max_drop: float
    significant: bool
    alpha: float
    resamples: Resamples
    seed: str

    @classmethod
    def of(
        cls, max_drop: float, alpha: float, resamples: int | str, rng: Seed, *, significant: bool
    ) -> Limits:
        """The limits, refused where they make no sense."""
        if not 0 <= max_drop < math.inf:
            raise UsageError(f"max_drop must be 0 or more, got {max_drop:g}")
        between_0_and_1("alpha", alpha)
        drawn = Resamples.drawn(resamples, rng)
        if drawn.never_drawn:
            raise UsageError("intervals of means are resampled: ask for a number of resamples")
        return cls(float(max_drop), significant, alpha, drawn, shown_seed(rng))

    @property
    def settings(self) -> dict[str, str]:
        """What a reader of the numbers must know."""
        return {
            "interval of means": f"{Interval.PERCENTILE.value}, {100 * (1 - self.alpha):g} %",
            "resamples": f"{self.resamples.count:,}",
            "seed": self.seed,
        }
