"""Labels in: the classes of rows, as numbers.

In:  labels of any usual kind, one per row.
Out: positions in the classes of a tree, or in the classes that there are; or numbers.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidData
from ..model import Label, SumKernel, TreeKernel, plain_label
from .rows import is_unknown

__all__ = ["class_codes", "label_array", "number_array", "numbered_classes"]


def label_array(y: ArrayLike, n_rows: int, *, complete: bool = False) -> NDArray[Any]:
    """Read one label per row; if they must be complete, none may be unknown."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise InvalidData(
            f"y has shape {labels.shape}, but there are {n_rows:,} rows: give one label per row"
        )
    if complete and labels.dtype.kind in "Of":
        unknown = np.array([is_unknown(label) for label in labels], dtype=bool)
        if unknown.any():
            row = int(np.argmax(unknown))
            label = labels.tolist()[row]
            raise InvalidData(f"y has {label!r} in row {row}: every row needs a label")
    return labels


def number_array(y: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Read one finite number per row: what a tree of numbers is compared with.

    Examples
    --------
    >>> number_array([1, 2.5], 2)
    array([1. , 2.5])
    """
    labels = label_array(y, n_rows, complete=True)
    if labels.dtype.kind not in "biuf":
        for row, label in enumerate(labels.tolist()):
            if isinstance(label, str | bytes | complex):
                raise InvalidData(
                    f"y has {label!r:.80} in row {row}, and the tree says numbers: give one number "
                    "per row"
                )
    try:
        numbers = labels.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"y must hold one number per row, got {y!r:.80}") from None
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise InvalidData(f"y has {numbers[row].item()!r} in row {row}: numbers must be finite")
    return numbers


def class_codes(
    tree: TreeKernel | SumKernel, y: ArrayLike, n_rows: int, *, complete: bool = False
) -> NDArray[np.int32]:
    """Give the positions of labels in ``tree.classes``, -1 for labels that are not there."""
    labels = label_array(y, n_rows, complete=complete)
    distinct, which = np.unique(labels, return_inverse=True)
    at = {label: i for i, label in enumerate(tree.classes)}
    codes = np.array([at.get(plain_label(label), -1) for label in distinct], dtype=np.int32)
    return codes[which] if n_rows else np.zeros(0, dtype=np.int32)


def numbered_classes(y: Any, X: Any = None) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Give the distinct labels, sorted, and the number of each row's; X has as many rows.

    Examples
    --------
    >>> numbered_classes(["no", "yes", "no"])
    (('no', 'yes'), array([0, 1, 0], dtype=int32))
    """
    n_rows, n_labels = _length(X), _length(y)
    if n_rows is not None and n_labels is not None and n_rows != n_labels:
        raise InvalidData(f"X has {n_rows} rows and y has {n_labels} labels")
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":
        return _number_whole(y)
    if getattr(y, "ndim", 1) == 2 and getattr(y, "shape", (0, 0))[1] == 1:
        y = y.iloc[:, 0] if hasattr(y, "iloc") else np.asarray(y)[:, 0]
    array = y.to_numpy() if hasattr(y, "iloc") else np.asarray(y)  # pandas' own way is quicker
    if array.ndim == 1 and array.dtype.kind in "biu":
        return _number_whole(array)
    values = y.to_list() if hasattr(y, "to_list") else np.asarray(y, dtype=object).tolist()
    if array.ndim != 1 or any(isinstance(value, list) for value in values):
        raise InvalidData("y must hold one label per row, in one dimension")
    plain: dict[Any, Label] = {}
    for row, value in enumerate(values):
        if is_unknown(value):
            raise InvalidData(f"y has {value!r} in row {row}: every row needs a label")
        if value not in plain:
            plain[value] = plain_label(value)
    try:
        classes = tuple(sorted(set(plain.values())))
    except TypeError:
        raise InvalidData(
            f"y mixes text and numbers, for example {values[0]!r}: use labels of one type"
        ) from None
    number = {label: i for i, label in enumerate(classes)}
    code = {value: number[label] for value, label in plain.items()}
    return classes, np.array([code[value] for value in values], dtype=np.int32)


def _length(given: Any) -> int | None:
    """Give how many rows there are; None where it does not say."""
    shape = getattr(given, "shape", None)
    if isinstance(shape, tuple):
        return int(shape[0]) if shape else None
    return len(given) if isinstance(given, Sized) else None


def _number_whole(y: NDArray[Any]) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Give numbers to bools and whole numbers, without sorting where they are close together."""
    two = _core.base.two_labels(y)
    if two is not None:  # the usual case: two classes, and both are there
        first, numbers = two
        return ((False, True) if y.dtype.kind == "b" else (first, first + 1)), numbers
    low, high = (y.min().item(), y.max().item()) if len(y) else (0, 0)
    if high - low > 1000 or y.dtype.kind == "u":
        classes, codes = np.unique(y, return_inverse=True)
        return tuple(classes.tolist()), codes.astype(np.int32)
    place = y.astype(np.int64) - low
    there = np.bincount(place) > 0
    labels = (np.flatnonzero(there) + low).astype(y.dtype)
    number = (np.cumsum(there) - 1).astype(np.int32)
    return tuple(labels.tolist()), number[place]
