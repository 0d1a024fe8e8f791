"""Tables in: 0/1 columns as they are, text as 0/1 columns, numbers through a binarizer.

In:  X and y of any usual kind, a ``Space`` or a binarizer.
Out: ``Table``: the 0/1 columns, what they mean, and the classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData, InvalidSpace, a_kind
from ..inputs import NoCut, read_rows, read_table_columns, refuse_numbers, refuse_rounding
from ..model import AMONG, Column, Condition, Feature, Label, Space, Values
from .columns import Columns, columns_of_space, independent
from .target import Target
from .thresholds import UNLIMITED, Clock, Cuts, binarizer_of, fit_in_time

__all__ = ["Table", "read_number_table", "read_table", "refuse_table"]

MOST_CATEGORIES = 100

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Made = tuple[NDArray[np.uint8], Columns, bool, Any]  # 0/1 columns, meaning, aware, binarizer


class Table(NamedTuple):
    """Complete rows as 0/1 columns, with their labels.

    Attributes
    ----------
    bits : array of 0/1, rows by columns
    labels : array of int
        Position of each row's class.
    classes : tuple of labels, or Numbers
    columns : Columns
        What the columns mean.
    aware : bool
        Whether the columns are understood as conditions on features, or each stands alone.
    binarizer : fitted binarizer, or None where the columns came as they are
    target : Target, where leaves predict numbers
    options : tuple of str
        The parameters by which numbers were cut and columns understood, as Python.
    """

    bits: NDArray[np.uint8]
    labels: NDArray[np.int32]
    classes: Any
    columns: Columns
    aware: bool
    binarizer: Any = None
    target: Target | None = None
    options: tuple[str, ...] = ()


def refuse_table(name: str, X: Any, y: Any) -> None:
    """Refuse, for an estimator, what is no table of rows with labels or numbers."""
    if y is None:
        raise InvalidData(
            f"{name} requires y to be passed, but the target y is None: give one label, or number, "
            "per row"
        )
    kinds = {getattr(getattr(values, "dtype", None), "kind", "") for values in (X, y)}
    if "c" in kinds:
        raise InvalidData(
            "Complex data not supported: give the real and the imaginary part as columns of their "
            "own"
        )


def read_table(
    X: Any,
    classes: tuple[Label, ...],
    labels: NDArray[np.int32],
    space: Any,
    cutting: Any,
    weights: NDArray[np.int64] | None = None,
    clock: Clock = UNLIMITED,
) -> Table:
    """Read complete rows of which the classes are known.

    ``cutting`` says what makes 0/1 columns of numbers; it sees the rows that have weight.
    """
    bits, meaning, aware, fitted = _read_columns(X, labels, space, cutting, weights, clock)
    return Table(bits, labels, classes, meaning, aware, fitted)


def read_number_table(
    X: Any,
    target: Target,
    labels: NDArray[np.int32],
    space: Any,
    cutting: Any,
    weights: NDArray[np.int64],
    clock: Clock = UNLIMITED,
) -> Table:
    """Read complete rows of which the numbers are known; see ``read_table``."""
    y = target.of_row(labels) / 10.0**target.decimals
    bits, meaning, aware, fitted = _read_columns(X, y, space, cutting, weights, clock)
    return Table(bits, labels, target.numbers, meaning, aware, fitted, target)


def _read_columns(
    X: Any,
    y: NDArray[Any],
    space: Any,
    cutting: Any,
    weights: NDArray[np.int64] | None,
    clock: Clock,
) -> Made:
    if space is not None and not isinstance(space, Space):
        raise InvalidSpace(
            f"space must be a Space, got {a_kind(space)}: give a binarizer's space_, or "
            "orderless.Space({name: kind, ...})"
        )
    names, columns = _complete(X, space)
    weighed = slice(None) if weights is None else weights > 0
    if cutting is None or isinstance(cutting, Cuts):
        return _mixed(X, y, weighed, names, columns, space, cutting, clock)
    if isinstance(columns, np.ndarray):
        refuse_rounding(X, list(columns.T), [Feature(name) for name in names])
        return _binarized(names, columns, y, weighed, space, cutting, clock)
    raise InvalidData(
        f"X has columns of text, and {type(cutting).__qualname__} takes numbers: give "
        "thresholds='guess', 'all' or a number of quantiles, or encode the text as 0/1 columns"
    )


def _mixed(
    X: Any,
    y: NDArray[Any],
    weighed: slice | Flags,
    names: list[str],
    columns: NDArray[Any] | list[Floats | list[Label]],
    space: Space | None,
    cuts: Cuts | None,
    clock: Clock,
) -> Made:
    """Keep 0/1 columns whole, make some of text, and cut the numbers; in the order of X."""
    whole = columns if isinstance(columns, np.ndarray) else None
    bits = _whole_bits(whole) if whole is not None and space is None else None
    if bits is not None:
        _check_length(bits, y)
        return bits, independent(tuple(names)), False, None
    # Thresholds are guessed by trees of scikit-learn, which round rows to float32.
    values: Values = "float32" if cuts is not None and cuts.where == "guess" else "float64"
    each: Any = columns if whole is None else list(whole.T)
    if space is None:
        for i, (name, column) in enumerate(zip(names, each, strict=True)):
            if isinstance(column, list):
                refuse_numbers(X, i, name, column, "give the column a categorical type, or space=,")
    rows = _described(names, each, values) if space is None else _in_order(space, names)
    features = [rows[column.feature] for column in rows.columns]
    refuse_rounding(
        X,
        [None if f.kind == "categorical" else v for f, v in zip(features, each, strict=True)],
        features,
    )
    table, column_space = _one_hot(X, each, rows) if whole is None else (whole, rows)
    _check_length(table, y)
    numeric = [
        j for j, column in enumerate(column_space.columns) if not _is_bit(column_space, column)
    ]
    given, made, fitted = table, list(column_space.columns), None
    if numeric and cuts is not None:
        given, made, fitted = _cut(table, y, weighed, column_space, numeric, cuts, clock)
    elif numeric or not zero_one(table):
        row, j = (0, numeric[0]) if zero_one(table) else np.argwhere((table != 0) & (table != 1))[0]
        name = column_space.column_names[j]
        raise InvalidData(
            f"column {name!r} has the value {table[row, j]:g} in row {row}, and thresholds=None "
            "takes 0/1 columns that the space, if given, says are 0/1: give such columns, or "
            "thresholds='guess', 'all', a number of quantiles, or a binarizer of your own"
        )
    out = Space(column_space.features, made)
    bits = np.ascontiguousarray(given, dtype=np.uint8)
    meaning = columns_of_space(out, rows)
    if meaning.contradictions(bits).any():
        read_rows(bits, out, range(len(out)))  # says which row it is
    return bits, meaning, True, fitted


def _check_length(table: NDArray[Any], y: NDArray[Any]) -> None:
    if len(table) != len(y):
        raise InvalidData(f"X has {len(table)} rows and y has {len(y)} labels")


def _cut(
    table: NDArray[Any],
    y: NDArray[Any],
    weighed: slice | Flags,
    column_space: Space,
    numeric: list[int],
    cutting: Cuts,
    clock: Clock,
) -> tuple[NDArray[Any], list[Column], Any]:
    """Cut the numeric columns; give all columns, what they mean, and the fitted binarizer.

    The binarizer sees the numbers only, so that columns of text or 0/1 never cost a threshold. One
    that finds no cut in them at all leaves them out, if there is something else.
    """
    import pandas as pd

    whole = [j for j in range(table.shape[1]) if j not in set(numeric)]
    for j in whole:
        _check_bits(column_space.column_names[j], table[:, j])
    numbers = [column_space.columns[j] for j in numeric]
    features = {column.feature for column in numbers}
    space = Space([f for f in column_space.features if f.name in features], numbers)
    frame = pd.DataFrame(table[:, numeric], columns=list(space.column_names))
    fitted = binarizer_of(cutting, space, "regression" if y.dtype.kind == "f" else "classification")
    try:
        fit_in_time(fitted, frame[weighed], y[weighed], clock)
        bits = np.asarray(fitted.transform(frame))
    except NoCut:
        if not whole:
            raise
        return table[:, whole], [column_space.columns[j] for j in whole], None
    made = list(zip([numeric[j] for j, _ in fitted.thresholds_], fitted.space_.columns, bits.T,
                     strict=True))  # fmt: skip
    if whole:  # numbers alone stay in the order of the binarizer
        made += [(j, column_space.columns[j], table[:, j]) for j in whole]
        made.sort(key=lambda one: one[0])
    return np.stack([one[2] for one in made], axis=1), [one[1] for one in made], fitted


def _check_bits(name: str, values: NDArray[Any]) -> None:
    bad = (values != 0) & (values != 1)
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidData(
            f"column {name!r} has the value {values[row]:g} in row {row} and is declared 0/1: "
            "correct the row or the space"
        )


def _complete(
    X: Any, space: Space | None
) -> tuple[list[str], NDArray[Any] | list[Floats | list[Label]]]:
    """Give names and numbers of the columns, and refuse unknowns.

    Where some hold categories, each column by itself: its numbers, or its different labels.
    """
    raw = set() if space is None else {c.name for c in space.columns if _holds_categories(space, c)}
    whole = None if raw else _plain(X)
    given: Iterator[Any] = iter(())
    if whole is not None and whole.size:  # the usual case, all at once
        named = hasattr(X, "columns")
        names = [str(name) for name in X.columns] if named else list(_numbered(whole.shape[1]))
    else:
        names, given, named = read_table_columns(X)
        whole = None
    if space is not None and not named:
        if len(names) != len(space.columns):
            raise InvalidSpace(
                f"X has {len(names)} columns, but the space describes {len(space.columns)}: these "
                "must be the same"
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
            shown = "NaN" if np.isnan(values[row]) else values[row]
            raise InvalidData(
                f"column {name!r} has {shown} in row {row}: sets are trained on complete "
                "rows of finite numbers; leave such rows out or fill them in (predict takes "
                "unknowns)"
            )
    numbers = [values for values in columns if isinstance(values, np.ndarray)]
    if raw.isdisjoint(names) and len(numbers) == len(columns):
        return names, np.stack(numbers, axis=1)
    return names, columns


@lru_cache(maxsize=64)
def _numbered(n: int) -> tuple[str, ...]:
    """Name the columns of an array."""
    return tuple(f"x{j}" for j in range(n))


def _plain(X: Any) -> NDArray[Any] | None:
    """Give an array, or a data frame of pandas, of booleans or finite numbers as an array."""
    if type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "columns"):
        X = X.to_numpy()
    if not isinstance(X, np.ndarray) or isinstance(X, np.ma.MaskedArray) or X.ndim != 2:
        return None
    if X.dtype.kind == "f":
        X = X.astype(np.float64, copy=False)
        return X if np.isfinite(X).all() else None  # the message names column and row
    return X if X.dtype.kind in "biu" else None


def _is_bit(space: Space, column: Column) -> bool:
    """Whether a column is 0/1 by what the space says of it."""
    return column.condition is not None or space[column.feature].kind == "boolean"


def _in_order(space: Space, names: Sequence[str]) -> Space:
    """Give the space with the columns of X only, in their order."""
    if list(space.column_names) == list(names):
        return space
    own = {column.name: column for column in space.columns}
    for name in names:
        if name not in own:
            raise InvalidSpace(
                f"X has a column {name!r}, but the space has none: its columns are {list(own)[:12]}"
            )
    return Space(space.features, [own[name] for name in names])


def _binarized(
    names: list[str],
    values: NDArray[Any],
    y: NDArray[Any],
    weighed: slice | Flags,
    space: Space | None,
    binarizer: Any,
    clock: Clock,
) -> Made:
    """Apply a binarizer of the user's own to all columns."""
    import pandas as pd

    _check_length(values, y)
    table = pd.DataFrame(values, columns=names)
    fitted = fit_in_time(binarizer_of(binarizer, space), table[weighed], y[weighed], clock)
    made = getattr(fitted, "space_", None)
    if not isinstance(made, Space):
        raise InvalidSpace(
            f"the binarizer {type(fitted).__qualname__} has no space_ that says what its columns "
            "mean: use an orderless.Binarizer, or binarize before and give "
            "space="
        )
    bits = np.asarray(fitted.transform(table))
    own = getattr(fitted, "space", None)
    if isinstance(own, Space):
        kept = list(_in_order(own, names).columns)
    else:
        kept = [Column(name, name) for name in names]
    there = set(made.names)
    rows = Space(made.features, [column for column in kept if column.feature in there])
    return bits.astype(np.uint8), columns_of_space(made, rows), True, fitted


def _whole_bits(table: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Give a copy of a table of 0/1; None where it holds anything else."""
    bits = _core.base.zero_one(table)
    if bits is None and zero_one(table):  # a type that the core does not read
        return np.ascontiguousarray(table, dtype=np.uint8)
    return bits


def zero_one(table: NDArray[Any]) -> bool:
    """Whether all values are 0 or 1."""
    if table.dtype.kind == "f":
        return not ((table != 0) & (table != 1)).any()
    return int(np.bitwise_or.reduce(table, axis=None)) in (0, 1)  # no other bit is set anywhere


def _described(
    names: Sequence[str], columns: Sequence[NDArray[Any] | list[Label]], values: Values
) -> Space:
    """Say what columns are: 0/1 is true or false, text is categories, the rest numbers.

    Of each column the numbers come, or its different labels; ``values`` says which numbers.
    """
    features = []
    for name, column in zip(names, columns, strict=True):
        if isinstance(column, np.ndarray):
            boolean = zero_one(column)
            features.append(Feature(name, "boolean") if boolean else Feature(name, values=values))
        elif not column:
            raise InvalidData(f"column {name!r} has no value in any row: leave it out")
        elif len(column) > MOST_CATEGORIES:
            raise InvalidData(
                f"column {name!r} holds {len(column):,} different texts, more than "
                f"{MOST_CATEGORIES} (one is {column[-1]!r:.40}): correct it if it should hold "
                "numbers, leave it out if it names the rows, or list its values with space="
            )
        else:
            features.append(Feature(name, "categorical", categories=tuple(column)))
    return Space(features)


def _holds_categories(space: Space, column: Column) -> bool:
    """Whether a column holds the values of a categorical feature themselves."""
    return column.condition is None and space[column.feature].kind == "categorical"


def _one_hot(
    X: Any, columns: Sequence[Floats | list[Label]], space: Space
) -> tuple[NDArray[np.float64], Space]:
    """Give columns of numbers: categories become one 0/1 column per value, ``color = red``.

    ``columns`` are those of X, as far as they are numbers; ``space`` says what they are. With them
    comes the space of the columns that come out.
    """
    categorical = [column for column in space.columns if _holds_categories(space, column)]
    rows = read_rows(X, space, [space.index(column.feature) for column in categorical])
    out: list[NDArray[Any]] = []
    made: list[Column] = []
    for column, values in zip(space.columns, columns, strict=True):
        feature = space[column.feature]
        if not _holds_categories(space, column):
            if not isinstance(values, np.ndarray):
                raise InvalidData(
                    f"column {column.name!r} holds text, but the space says that it is "
                    f"{'0/1' if column.condition else feature.kind}: correct one of the two"
                )
            out.append(values)
            made.append(column)
            continue
        kind, codes, _ = rows.columns[space.index(column.feature)]
        assert codes is not None
        if kind == AMONG:  # other columns are about the feature, too
            codes = np.where(codes.sum(axis=1) == 1, codes.argmax(axis=1), -1)
        if (codes < 0).any():
            raise InvalidData(
                f"column {column.name!r} has no value in row {int(np.argmin(codes))}: sets are "
                "trained on complete rows; leave such rows out or fill them in (predict takes "
                "unknowns)"
            )
        for code, label in enumerate(feature.categories if feature.n_values > 1 else ()):
            out.append(codes == code)
            condition = Condition(feature.name, among=(label,))
            made.append(Column(f"{column.name} = {label}", feature.name, condition))
    if not out:
        raise InvalidData("no column varies: every one holds the same value in all rows")
    table = np.stack(out, axis=1).astype(np.float64)
    return table, Space(space.features, made)
