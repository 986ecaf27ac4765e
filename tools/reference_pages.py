"""The pages of the reference that are made whole."""

from __future__ import annotations

import tools.command_pages  # noqa: F401  # registers its pages
