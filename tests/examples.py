"""Which examples Hypothesis tries: the same for everybody, and many new ones when asked.

`make explore` draws new examples, fifteen times as many a turn (tools/explore.py).
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

USUAL = 100
# Fewer than tests ask for, so that all tests take four minutes on two cores; `make explore` tries more.
SHARE = 0.2
# The first example that Hypothesis tries is the simplest, which is often an empty world.
LEAST = 5
FIXED = "foveal"

for _profile, _times in ((FIXED, SHARE), ("thorough", 3)):
    settings.register_profile(
        _profile,
        # Not what Hypothesis takes by itself, which changes more than that where a variable says CI.
        settings.get_profile("default"),
        max_examples=round(USUAL * _times),
        # The first call of a Polars function is slow, and machines are noisy: time is no failure.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        # Whether the tests pass must not depend on chance.
        derandomize=_profile == FIXED,
        print_blob=True,
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", FIXED))

if settings().derandomize:
    # Hypothesis draws constants from the modules that are loaded by then, unless their path has a
    # folder `tests`: fixed examples would depend on the tests before and on the name of a clone.
    providers._get_local_constants = Constants


def examples(number: int) -> settings:
    """Settings of a test whose examples are slow, or many; the profile multiplies these too."""
    return settings(max_examples=max(LEAST, number * settings().max_examples // USUAL))
