"""Sample weights: one for each row, read here.

In:  numbers from 0 on, one per row, not all of them 0; or None, when every row counts once.
Out: fractions, so that sums are exact, or floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from .decimals import exact, shown

__all__ = ["exact_weights", "float_weights"]


def exact_weights(sample_weight: ArrayLike, n_rows: int) -> list[Fraction]:
    """Read weights exactly: a float is the shortest decimal that means it.

    Examples
    --------
    >>> exact_weights([0.1, 2], 2)
    [Fraction(1, 10), Fraction(2, 1)]
    """
    weights = _one_per_row(np.asarray(sample_weight), n_rows)
    if weights.dtype.kind not in "biufO":
        raise InvalidData(f"sample_weight must hold numbers from 0 on, got {weights.dtype}")
    out = [_exact(value, row) for row, value in enumerate(weights.tolist())]
    _some_weight(any(out))
    return out


def float_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[Any]:
    """Read weights as floats; as whole numbers where all of them are, so that sums are exact.

    Examples
    --------
    >>> float_weights([1.0, 2.0], 2)
    array([1, 2])
    """
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.int64)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidData(
            f"sample_weight must hold one number per row, got {sample_weight!r:.80}"
        ) from None
    _one_per_row(weights, n_rows)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise _refused(weights[row].item(), row)
    _some_weight(bool(weights.any()))
    whole = (weights == np.floor(weights)).all() and weights.sum() < 2.0**53
    return weights.astype(np.int64) if whole else weights


def _one_per_row(weights: NDArray[Any], n_rows: int) -> NDArray[Any]:
    if weights.shape != (n_rows,):
        raise InvalidData(
            f"sample_weight has shape {weights.shape}, but there are {n_rows:,} rows: give one "
            "weight per row"
        )
    return weights


def _exact(value: Any, row: int) -> Fraction:
    try:
        weight = exact(value)
    except (TypeError, ValueError):
        raise _refused(value, row) from None
    if weight < 0:
        raise _refused(value, row)
    return weight


def _refused(value: Any, row: int) -> InvalidData:
    return InvalidData(
        f"sample_weight has {shown(value)} in row {row}: weights must be finite numbers from 0 on"
    )


def _some_weight(some: bool) -> None:
    if not some:
        raise InvalidData("sample_weight is zero in every row: give some row a weight above 0")
