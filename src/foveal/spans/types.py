"""The array types of span arithmetic and the bound that keeps it exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Documents are placed end to end on one int64 axis: with offsets up to this bound,
# 900 million documents fit before an addition could overflow.
LARGEST_OFFSET = 10_000_000_000
