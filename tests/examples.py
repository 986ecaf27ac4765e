"""How many examples Hypothesis tries: enough after every edit, many more when asked.

`HYPOTHESIS_PROFILE=thorough make test` tries ten times as many.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

USUAL = 100
# After every edit fewer than tests ask for: on two cores all tests take less than five minutes.
SHARE = 0.3

for _profile, _times in (("foveal", SHARE), ("thorough", 10)):
    settings.register_profile(
        _profile,
        # Not what Hypothesis takes by itself, which changes more than that where a variable says CI.
        settings.get_profile("default"),
        max_examples=round(USUAL * _times),
        # The first call of a Polars function is slow, and machines are noisy: time is no failure.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        # What lands must not depend on chance: CI tries the same examples every time, and every
        # other run tries new ones.
        derandomize=os.environ.get("CI") == "true",
        print_blob=True,
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "foveal"))


def examples(number: int) -> settings:
    """Settings of a test whose examples are slow, or many; the profile multiplies these too."""
    return settings(max_examples=max(1, number * settings().max_examples // USUAL))
