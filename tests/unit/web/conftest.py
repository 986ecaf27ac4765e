"""The small campaign that is served, as in the tests of campaigns."""

from tests.unit.assess.conftest import ann, bob, campaign, server, written  # noqa: F401  # fixtures
