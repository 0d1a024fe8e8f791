"""Tables in: 0/1 columns as they are, text as 0/1 columns, numbers through a binarizer.

In:  X and y of any usual kind, a ``Space`` or a binarizer.
Out: ``Table``: the 0/1 columns, what they mean, and the classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidSpace, a_kind
from ..inputs import is_unknown, read_rows, read_table_columns, refuse_numbers
from ..model import Column, Label, Space, Values, plain_label
from .columns import described, holds_categories, one_hot, zero_one
from .flat import distinct
from .meaning import Meaning, independent, meaning_of

__all__ = ["Table", "read_labels", "read_table"]

MOST_CLASSES = 100
WORDS = ("threshold-guess", "quantile")

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """Complete rows as 0/1 columns.

    Attributes
    ----------
    bits : array of 0/1, rows by columns
    meaning : Meaning
    aware : bool
        Whether the columns are understood as conditions on features.
    binarizer : fitted binarizer, or None where the columns came as they are
    """

    bits: NDArray[np.uint8]
    meaning: Meaning
    aware: bool
    binarizer: Any


def read_table(X: Any, y: NDArray[np.int32], space: Any, binarizer: Any) -> Table:
    """Read complete rows; columns that are numbers go through the binarizer."""
    if space is not None and not isinstance(space, Space):
        raise InvalidSpace(
            f"space= is {a_kind(space)}, expected a Space: a binarizer's space_, or "
            "orderless.Space({name: kind, ...})"
        )
    if isinstance(binarizer, str) and binarizer not in WORDS:
        raise ValueError(
            f"binarizer must be one of {', '.join(map(repr, WORDS))}, a binarizer with a space_, "
            f"or None for columns that are 0/1 already, got {binarizer!r}"
        )
    names, columns = _complete(X, space)
    if not (binarizer is None or isinstance(binarizer, str)):
        if not isinstance(columns, np.ndarray):
            raise InvalidData(
                f"X has columns of text, and {type(binarizer).__qualname__} takes numbers: give "
                "binarizer='threshold-guess' or 'quantile', or encode the text as 0/1 columns"
            )
        _check_length(columns, y)
        return _binarized(names, columns, y, space, binarizer)
    whole = columns if isinstance(columns, np.ndarray) else None
    if whole is not None and space is None and zero_one(whole):
        _check_length(whole, y)
        bits = np.ascontiguousarray(whole, dtype=np.uint8)
        return Table(bits, independent(tuple(names)), False, None)
    # Thresholds are guessed by trees of scikit-learn, which round rows to float32.
    values: Values = "float32" if binarizer == "threshold-guess" else "float64"
    each: Any = columns if whole is None else list(whole.T)
    if space is None:
        for i, (name, column) in enumerate(zip(names, each, strict=True)):
            if isinstance(column, list):
                refuse_numbers(X, i, name, column, "give the column a categorical type, or space=,")
    rows = described(names, each, values) if space is None else _in_order(space, names)
    table, told = one_hot(X, each, rows) if whole is None else (whole, rows)
    _check_length(table, y)
    return _mixed(table, y, told, rows, binarizer)


def _check_length(table: NDArray[Any], y: NDArray[np.int32]) -> None:
    if len(table) != len(y):
        raise InvalidData(f"X has {len(table)} rows and y has {len(y)} labels")


def _mixed(
    table: NDArray[Any], y: NDArray[np.int32], told: Space, rows: Space, binarizer: str | None
) -> Table:
    """Keep 0/1 columns whole and cut the numbers; columns stay in the order of X.

    Parameters
    ----------
    table : rows x columns
    told : Space
        What the columns are.
    rows : Space
        What the columns of X are, of which text is one.
    """
    numeric = [j for j, column in enumerate(told.columns) if not _is_bit(told, column)]
    bits, made, fitted = table, list(told.columns), None
    if numeric and binarizer is not None:
        bits, made, fitted = _cut(table, y, told, numeric, binarizer)
    elif numeric or not zero_one(table):
        row, j = (0, numeric[0]) if zero_one(table) else np.argwhere((table != 0) & (table != 1))[0]
        raise InvalidData(
            f"column {told.column_names[j]!r} has the value {table[row, j]:g} in row {row}, and "
            "binarizer=None takes 0/1 columns that the space, if given, says are 0/1: give such "
            "columns, or binarizer='threshold-guess', 'quantile' or a binarizer of your own"
        )
    space = Space(told.features, made)
    whole = np.ascontiguousarray(bits, dtype=np.uint8)
    _check_rows(whole, space)
    return Table(whole, meaning_of(space, rows), True, fitted)


def _cut(
    table: NDArray[Any], y: NDArray[np.int32], told: Space, numeric: list[int], word: str
) -> tuple[NDArray[Any], list[Column], Any]:
    """Cut the numeric columns; give all columns, what they mean, and the fitted binarizer.

    The binarizer sees the numbers only, so that columns of text or 0/1 never cost a threshold. One
    that finds no cut in them at all leaves them out, if there is something else.
    """
    import pandas as pd

    from ..inputs import NoCut

    whole = [j for j in range(table.shape[1]) if j not in set(numeric)]
    for j in whole:
        _check_bits(told.column_names[j], table[:, j])
    numbers = [told.columns[j] for j in numeric]
    features = {column.feature for column in numbers}
    space = Space([f for f in told.features if f.name in features], numbers)
    frame = pd.DataFrame(table[:, numeric], columns=list(space.column_names))
    fitted = _binarizer(word, space)
    try:
        cuts = np.asarray(fitted.fit(frame, y).transform(frame))
    except NoCut:
        if not whole:
            raise
        return table[:, whole], [told.columns[j] for j in whole], None
    found = list(zip([numeric[j] for j, _ in fitted.thresholds_], fitted.space_.columns, cuts.T,
                     strict=True))  # fmt: skip
    if whole:  # numbers alone stay in the order of the binarizer
        found += [(j, told.columns[j], table[:, j]) for j in whole]
        found.sort(key=lambda one: one[0])
    return np.stack([one[2] for one in found], axis=1), [one[1] for one in found], fitted


def _check_bits(name: str, values: NDArray[Any]) -> None:
    bad = (values != 0) & (values != 1)
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidData(
            f"column {name!r} has the value {values[row]:g} in row {row} and is declared 0/1: "
            "correct the row or the space"
        )


def _check_rows(bits: NDArray[np.uint8], space: Space) -> None:
    """Refuse rows that contradict the space; equal ones are looked at once."""
    try:
        read_rows(bits[distinct(bits)[0]], space, range(len(space)))
    except InvalidData:
        read_rows(bits, space, range(len(space)))  # says which row it is


def _complete(
    X: Any, space: Space | None
) -> tuple[list[str], NDArray[Any] | list[Floats | list[Label]]]:
    """Give names and numbers of the columns, and refuse unknowns.

    Where some hold categories, each column by itself: its numbers, or its different labels.
    """
    raw = set() if space is None else {c.name for c in space.columns if holds_categories(space, c)}
    whole = None if raw else _plain(X)
    given: Iterator[Any] = iter(())
    if whole is not None and whole.size:  # the usual case, all at once
        named = hasattr(X, "columns")
        names = [str(n) for n in X.columns.tolist()] if named else _numbered(whole.shape[1])
    else:
        names, given, named = read_table_columns(X)
        whole = None
    if space is not None and not named:
        if len(names) != len(space.columns):
            raise InvalidSpace(
                f"X has {len(names)} columns, the space describes {len(space.columns)}: give one "
                "for each"
            )
        names = list(space.column_names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidData(f"two columns of X are named {twice!r}: give each a name of its own")
    if whole is not None:
        return names, whole
    columns: list[Floats | list[Label]] = []
    for name, values in zip(names, given, strict=True):
        columns.append(values)
        if name in raw or not isinstance(values, np.ndarray):
            continue
        unknown = ~np.isfinite(values)
        if unknown.any():
            row = int(np.argmax(unknown))
            raise InvalidData(
                f"column {name!r} has {values[row]} in row {row}: sets are trained on complete "
                "rows of finite numbers; leave such rows out or fill them in (predict takes "
                "unknowns)"
            )
    numbers = [values for values in columns if isinstance(values, np.ndarray)]
    if raw.isdisjoint(names) and len(numbers) == len(columns):
        return names, np.stack(numbers, axis=1)
    return names, columns


def _plain(X: Any) -> NDArray[Any] | None:
    """Give an array, or a data frame of pandas, of booleans or finite numbers as an array."""
    if type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "columns"):
        X = X.to_numpy()
    if not isinstance(X, np.ndarray) or isinstance(X, np.ma.MaskedArray) or X.ndim != 2:
        return None
    if X.dtype.kind == "f":
        X = X.astype(np.float64, copy=False)
        return X if np.isfinite(X).all() else None  # said with its column and row
    return X if X.dtype.kind in "biu" else None


def _numbered(n: int) -> list[str]:
    return [f"x{j}" for j in range(n)]


def _is_bit(space: Space, column: Column) -> bool:
    """Whether a column is 0/1 by what the space says of it."""
    return column.condition is not None or space[column.feature].kind == "boolean"


def _column(space: Space, name: str) -> Column:
    for column in space.columns:
        if column.name == name:
            return column
    raise InvalidSpace(
        f"X has a column {name!r} and the space has none: its columns are "
        f"{list(space.column_names)[:12]}"
    )


def _in_order(space: Space, names: Sequence[str]) -> Space:
    """Give the space with the columns of X only, in their order."""
    if list(space.column_names) == list(names):
        return space
    return Space(space.features, [_column(space, name) for name in names])


def _binarized(
    names: list[str],
    values: NDArray[Any],
    y: NDArray[np.int32],
    space: Space | None,
    binarizer: Any,
) -> Table:
    """Apply a binarizer of the user's own to all columns."""
    import pandas as pd

    table = pd.DataFrame(values, columns=names)
    fitted = _binarizer(binarizer, space).fit(table, y)
    told = getattr(fitted, "space_", None)
    if not isinstance(told, Space):
        raise InvalidSpace(
            f"the binarizer {type(fitted).__qualname__} has no space_ that says what its columns "
            "mean: use ThresholdGuessBinarizer or QuantileBinarizer, or binarize before and give "
            "space="
        )
    bits = np.asarray(fitted.transform(table))
    own = getattr(fitted, "space", None)
    if isinstance(own, Space):
        kept = list(_in_order(own, names).columns)
    else:
        kept = [Column(name, name) for name in names]
    there = set(told.names)
    came = Space(told.features, [column for column in kept if column.feature in there])
    return Table(bits.astype(np.uint8), meaning_of(told, came), True, fitted)


def _binarizer(given: Any, space: Space | None) -> Any:
    from ..inputs import QuantileBinarizer, ThresholdGuessBinarizer

    if given == "threshold-guess":
        return ThresholdGuessBinarizer(space=space)
    if given == "quantile":
        return QuantileBinarizer(space=space)
    if not hasattr(given, "fit") or not hasattr(given, "transform") or isinstance(given, type):
        raise ValueError(
            "binarizer must be 'threshold-guess', 'quantile', a binarizer with a space_, or None "
            f"for columns that are 0/1 already, got {given!r:.80}"
        )
    if space is not None and getattr(given, "space", None) is None:
        raise InvalidSpace("give the space to the binarizer itself: its space= is None")
    from sklearn.base import clone

    return clone(given)


def read_labels(y: Any, X: Any = None) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Give the classes, sorted, and each row's; X has as many rows, which is looked at first."""
    n_rows, n_labels = _length(X), _length(y)
    if n_rows is not None and n_labels is not None and n_rows != n_labels:
        raise InvalidData(f"X has {n_rows} rows and y has {n_labels} labels")
    if getattr(y, "ndim", 1) == 2 and getattr(y, "shape", (0, 0))[1] == 1:
        y = y.iloc[:, 0] if hasattr(y, "iloc") else np.asarray(y)[:, 0]
    array = y.to_numpy() if hasattr(y, "iloc") else np.asarray(y)  # pandas' own way is quicker
    if array.ndim == 1 and array.dtype.kind in "biu":
        return _number_labels(array)
    values = y.to_list() if hasattr(y, "to_list") else np.asarray(y, dtype=object).tolist()
    if array.ndim != 1 or any(isinstance(value, list) for value in values):
        raise InvalidData("y is one label per row, in one dimension")
    plain: dict[Any, Label] = {}
    for row, value in enumerate(values):
        if is_unknown(value):
            raise InvalidData(f"y has {value!r} in row {row}: every row needs a label")
        if value not in plain:
            plain[value] = plain_label(value)
    labels = set(plain.values())
    try:
        classes = tuple(sorted(labels))
    except TypeError:
        raise InvalidData(
            f"y mixes text and numbers, for example {values[0]!r}: use labels of one type"
        ) from None
    number = {label: i for i, label in enumerate(_two_classes(classes))}
    code = {value: number[label] for value, label in plain.items()}
    return classes, np.array([code[value] for value in values], dtype=np.int32)


def _length(given: Any) -> int | None:
    """Give how many rows there are; None where that is not said."""
    shape = getattr(given, "shape", None)
    if isinstance(shape, tuple):
        return int(shape[0]) if shape else None
    return len(given) if isinstance(given, Sized) else None


def _number_labels(y: NDArray[Any]) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    low, high = (y.min().item(), y.max().item()) if len(y) else (0, 0)
    if high - low == 1:  # the usual case: two classes, and both are there
        return (low, high), (y if low == 0 else y - low).astype(np.int32)
    if high - low > 1000 or y.dtype.kind == "u":
        classes, codes = np.unique(y, return_inverse=True)
        return _two_classes(tuple(classes.tolist())), codes.astype(np.int32)
    place = y.astype(np.int64) - low
    there = np.bincount(place) > 0
    labels = (np.flatnonzero(there) + low).astype(y.dtype)
    number = (np.cumsum(there) - 1).astype(np.int32)
    return _two_classes(tuple(labels.tolist())), number[place]


def _two_classes(classes: tuple[Label, ...]) -> tuple[Label, ...]:
    if len(classes) < 2:
        raise InvalidData(
            f"y has {'the one class ' + repr(classes[0]) if classes else 'no rows'}: near-optimal "
            "trees need at least two classes"
        )
    if len(classes) > MOST_CLASSES:
        raise InvalidData(
            f"y has {len(classes):,} different labels, {classes[0]!r:.40} for one: if that is a "
            f"measurement, cut it into at most {MOST_CLASSES} classes first"
        )
    return classes
