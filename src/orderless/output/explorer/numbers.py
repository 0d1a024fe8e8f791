"""Numbers as text of a page, without losing a digit."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_base64"]


def as_base64(values: NDArray[Any]) -> str:
    """Write the bytes of an array, the smallest first."""
    array = np.ascontiguousarray(values)
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
