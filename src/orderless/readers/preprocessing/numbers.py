"""Scalers, binarizers and bins: numbers that become other numbers.

In:  a fitted transformer of scikit-learn and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out, computed by the operations of ``transform``, in the same order
     and precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import Floats
from .stage import Block, Encode, Rescale

__all__ = ["binarized", "binned", "max_abs", "min_max", "robust", "standard"]

Arithmetic = Callable[[NDArray[Any], int], None]


def _rescaled(block: Block, step: str, arithmetic: Arithmetic) -> Block:
    """Compute in place in the table's type; ``arithmetic`` gets the numbers and the position."""
    dtype = block.dtype

    def stage(k: int) -> Rescale:
        def function(x: Floats) -> Floats:
            with np.errstate(over="ignore"):
                numbers = x.astype(dtype)
            arithmetic(numbers, k)
            return numbers.astype(np.float64)

        return Rescale(step, function)

    wires = [wire.then(stage(k), dtype) for k, wire in enumerate(block.wires)]
    return Block(wires, block.sparse)


def standard(scaler: Any, block: Block, step: str) -> Block:
    """Subtract the mean, divide by the standard deviation."""
    mean, scale = scaler.mean_ if scaler.with_mean else None, scaler.scale_
    if not block.sparse and _standard_rounds():
        mean = None if mean is None else mean.astype(block.dtype)
        scale = None if scale is None else scale.astype(block.dtype)
    return _rescaled(block, step, _center_and_scale(block, mean, scale))


@cache
def _standard_rounds() -> bool:
    """Whether StandardScaler rounds to the table's type what it learned, unlike the others.

    Old versions of scikit-learn do not. Whichever is installed is asked: 0.1 is no float32, so
    a little is left of it after the mean was subtracted, unless this was rounded, too.
    """
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit([[0.0], [0.2]])
    return bool(scaler.transform(np.array([[0.1]], dtype=np.float32))[0, 0] == 0)


def robust(scaler: Any, block: Block, step: str) -> Block:
    """Subtract the median, divide by the range of quantiles."""
    center = scaler.center_ if scaler.with_centering else None
    return _rescaled(block, step, _center_and_scale(block, center, scaler.scale_))


def _center_and_scale(block: Block, center: Any, scale: Any) -> Arithmetic:
    # Sparse tables are multiplied by the inverse, dense ones divided.
    factor = 1.0 / scale if block.sparse and scale is not None else None

    def arithmetic(x: NDArray[Any], k: int) -> None:
        if center is not None:
            x -= center[k : k + 1]
        if factor is not None:
            x *= factor[k : k + 1]
        elif scale is not None:
            x /= scale[k : k + 1]

    return arithmetic


def max_abs(scaler: Any, block: Block, step: str) -> Block:
    """Divide by the largest absolute number."""
    scaled = _center_and_scale(block, None, scaler.scale_)
    clip = getattr(scaler, "clip", False)

    def arithmetic(x: NDArray[Any], k: int) -> None:
        scaled(x, k)
        if clip:
            np.clip(x, -1.0, 1.0, out=x)

    return _rescaled(block, step, arithmetic)


def min_max(scaler: Any, block: Block, step: str) -> Block:
    """Move to a range, perhaps clipped."""
    low, high = np.array(scaler.feature_range, dtype=block.dtype)

    def arithmetic(x: NDArray[Any], k: int) -> None:
        x *= scaler.scale_[k : k + 1]
        x += scaler.min_[k : k + 1]
        if scaler.clip:
            np.clip(x, low, high, out=x)

    return _rescaled(block, step, arithmetic)


def binarized(binarizer: Any, block: Block, step: str) -> Block:
    """Give 1 above the threshold, else 0."""
    dtype = block.dtype

    def function(x: Floats) -> Floats:
        with np.errstate(over="ignore"):
            above: NDArray[Any] = x.astype(dtype) > binarizer.threshold
        return above.astype(np.float64)

    stage = Rescale(step, function, takes_missing=False, two_valued=True)
    return Block([wire.then(stage) for wire in block.wires], block.sparse)


def binned(discretizer: Any, block: Block, step: str) -> Block:
    """Give the number of the bin, or a 0/1 column for each bin."""
    dtype = block.dtype if discretizer.dtype is None else np.dtype(discretizer.dtype)

    counts = [max(len(edges) - 1, 1) for edges in discretizer.bin_edges_]
    if counts != discretizer.n_bins_.tolist():
        raise UnreadableModel(
            f"{step} has edges for {counts} bins, and n_bins_ says {discretizer.n_bins_.tolist()}: "
            "it is damaged; fit or save it again"
        )

    def stage(k: int) -> Rescale:
        edges = discretizer.bin_edges_[k][1:-1]

        def function(x: Floats) -> Floats:
            with np.errstate(over="ignore"):
                numbers = x.astype(dtype)
            return np.searchsorted(edges, numbers, side="right").astype(np.float64)

        return Rescale(step, function, takes_missing=False)

    wires = [wire.then(stage(k), dtype) for k, wire in enumerate(block.wires)]
    if discretizer.encode == "ordinal":
        return Block(wires)
    one_hot = [
        wire.then(Encode(step, {float(i): float(i == k) for i in range(n_bins)}))
        for wire, n_bins in zip(wires, discretizer.n_bins_.tolist(), strict=True)
        for k in range(n_bins)
    ]
    return Block(one_hot, sparse=discretizer.encode == "onehot")
