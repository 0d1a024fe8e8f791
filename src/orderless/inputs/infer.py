"""Propose a space for a table, from its names and its data.

In:  a data frame or an array.
Out: ``Space``: kinds, integer features, and one-hot columns that are one feature. A proposal, for a
     person to look at; nothing in this package applies it silently.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, a_kind
from ..model import Column, Condition, Feature, Floats, Label, Space
from .cell_style import mixture_of, number_like
from .frames import frame_of
from .names import some_names
from .rows import is_unknown

__all__ = ["infer_space", "refuse_numbers"]


# Whole numbers beyond this may have been rounded.
LARGEST_WHOLE = 2.0**53

# How names of one-hot columns say "feature, value": color=red, color is red, color[red],
# color:red, color.red, color_red, color1. Not the = of "age <= 5".
SIGNS = re.compile(r"\s*(?<![<>!=])={1,2}\s*| is |_is_|[_:.]")
BRACKETS = re.compile(r"(.+)\[(?:T\.)?(.+)\]")
DIGITS = re.compile(r"(.*[^\W\d_])(\d+)")  # after a letter


def infer_space(X: Any, *, one_hot: bool = True, text: Iterable[str] = ()) -> Space:
    """Propose a space for a table.

    - 0/1 or False/True: boolean.
    - Whole numbers, at least three different ones: integer.
    - Other numbers: numeric. So is a column that holds two other whole numbers, one number only,
      or nothing known.
    - Text, categories, or a mixture with text: categorical, with the values that are there. A
      column of text (not of a categorical type) that mostly reads as numbers is refused, for a
      number column with one ``n.d.``, or with decimal commas, would become categories and stop
      being compared. ``text`` names the columns that really are text.
    - 0/1 columns whose names share a stem (``color_red``, ``color_blue``; also ``color=red``,
      ``color is red``, ``color[red]``, ``color:red``, ``color.red``, ``color0``) are one
      categorical feature named by the stem, if in no row two of them are 1 and each is 1
      somewhere. It has an "other" value when some row has none of them. So that flags which are
      merely rare are not taken for values of one feature, one of the columns must be 1 in at least
      half of the rows, or chance must have been expected to set two of them in at least three
      rows. A stem that is itself the name of a column is left alone.

    Unknown values (NaN, None, NA, null) are ignored. Constant columns are kept.

    Parameters
    ----------
    X : data frame (pandas, polars, pyarrow, ...) or array of shape (n_rows, n_columns)
        An array has no names, so its columns are x0, x1, ... and no one-hot groups are proposed.
    one_hot : bool
        Whether to look for one-hot groups.
    text : names of columns
        Columns that are text, although most of their cells, or most of their different texts, read
        as numbers: codes, for example.

    Returns
    -------
    Space
        It describes the columns of ``X``, in their order.

    Raises
    ------
    InvalidData
        If ``X`` is no table, has values that no feature has, or a column of text that mostly reads
        as numbers (it names the column, and the cells that do not).

    Notes
    -----
    **A proposal: look at it.** Data can only show what did not happen yet. A value that is rare,
    such as the first row with two columns of a group set, or the first half of an integer, is
    refused later, when rows with it are read. Change it with ``Space(...)``.

    Linear in the size of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [31, 25, 47], "color_red": [1, 0, 0], "color_blue": [0, 1, 0],
    ...                   "weight": [61.5, None, 80.0], "smoker": [True, None, False]})
    >>> for feature in infer_space(X).features:
    ...     print(feature)
    Feature('age', integer)
    Feature('color', categorical: 'red', 'blue', other)
    Feature('weight', numeric)
    Feature('smoker', boolean)
    """
    names, columns, named = read_table_columns(X)
    allowed = _text_names(text, names)
    features: list[Feature] = []
    bits: dict[str, Floats] = {}
    for i, (name, values) in enumerate(zip(names, columns, strict=True)):
        if isinstance(values, list) and name not in allowed:
            refuse_numbers(X, i, name, values, f"add text=[{name!r:.80}]")
        feature = _propose(name, values)
        features.append(feature)
        if feature.kind == "boolean" and isinstance(values, np.ndarray):
            bits[name] = values
    groups = _groups(bits, set(names)) if one_hot and named else []
    return _with_groups(features, groups)


# -- text that reads as numbers -------------------------------------------------------------------


def _text_names(text: Iterable[str], names: list[str]) -> set[str]:
    allowed = {text} if isinstance(text, str) else set(text)
    for name in allowed - set(names):
        raise InvalidData(
            f"text={name!r:.80} must be the name of a column: there are {some_names(names)}"
        )
    return allowed


def refuse_numbers(X: Any, i: int, name: str, labels: list[Label], settle: str) -> None:
    """Refuse a column of text that mostly reads as numbers. Only such a column is read again.

    ``settle`` says what to do if it is text.
    """
    if not any(not isinstance(label, str) or number_like(label) for label in labels):
        return
    cells = _text_cells(X, i)
    if cells is None:
        return
    found = mixture_of(cells)
    if not found.suspicious:
        return
    odd = f" (not as written: {found.examples(first=0)})" if found.odd else ""
    raise InvalidData(
        f"column {name!r:.80} holds text, although {found.n_like:,} of its {found.n_known:,} known "
        f"cells read as numbers{odd}: turn it into numbers, with NaN where the value is unknown, "
        f"or {settle} if it is text"
    )


def _text_cells(X: Any, i: int) -> list[Any] | None:
    """Give the cells of a column; None if its type says that it holds categories."""
    frame = frame_of(X)
    if frame is not None:
        series = frame[:, i].alias("")  # polars takes some names for patterns
        if series.dtype in (nw.Categorical, nw.Enum):
            return None
        cells = series.to_list()
    else:
        cells = _as_array(X)[:, i].tolist()
    return [None if is_unknown(cell) else cell for cell in cells]


# -- columns in ----------------------------------------------------------------------------------


def read_table_columns(X: Any) -> tuple[list[str], Iterator[Floats | list[Label]], bool]:
    """Give the names, each column's numbers or labels, and whether the names came with X."""
    frame = frame_of(X)
    if frame is not None:
        _check_shape(X, frame.shape)
        names = [str(name) for name in frame.columns]
        series = zip(frame.iter_columns(), names, strict=True)
        return names, (_read_series(column, name) for column, name in series), True
    table = _as_array(X)
    _check_shape(X, table.shape)
    names = [f"x{i}" for i in range(table.shape[1])]
    return names, (_read_array(table[:, i], name) for i, name in enumerate(names)), False


def _as_array(X: Any) -> NDArray[Any]:
    if hasattr(X, "toarray"):  # sparse
        X = X.toarray()
    if isinstance(X, np.ma.MaskedArray):
        table = np.array(X.data, dtype=object)
        table[np.ma.getmaskarray(X)] = None
        return table
    # Lists may mix numbers and text, which numpy would turn into text.
    return X if isinstance(X, np.ndarray) else np.array(X, dtype=object)


def _check_shape(X: Any, shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or 0 in shape:
        empty = "feature" if len(shape) == 2 and shape[1] == 0 else "sample"
        found = f"0 {empty}(s)" if len(shape) == 2 else f"{len(shape)} dimension(s)"
        least = " while a minimum of 1 is required" if len(shape) == 2 else ". Reshape your data"
        raise InvalidData(
            f"{a_kind(X)} has {found} (shape={shape}){least}: give a data frame or an array with "
            "at least one row and one column (a lazy frame is collected first)"
        )


def _read_series(series: nw.Series[Any], name: str) -> Floats | list[Label]:
    kind = series.dtype
    if kind == nw.Boolean or kind.is_decimal():
        series = series.cast(nw.Float64())
    if series.dtype.is_numeric():
        return series.to_numpy().astype(np.float64)
    if kind in (nw.String, nw.Categorical, nw.Enum):
        return _labels(series.unique().to_list(), name)
    return _read_objects(series.to_list(), name)


def _read_array(values: NDArray[Any], name: str) -> Floats | list[Label]:
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    return _read_objects(values.tolist(), name)


def _read_objects(values: list[Any], name: str) -> Floats | list[Label]:
    kinds = {type(value) for value in values}
    if kinds <= {bool, int, float, type(None)}:
        with suppress(OverflowError):  # refused below, with the value
            return np.array(values, dtype=np.float64)
    for kind in kinds:
        if not issubclass(kind, Hashable):  # an array or a list, which has no say on being unknown
            raise _illegal(next(value for value in values if type(value) is kind), name)
    if any(issubclass(kind, str) for kind in kinds):
        return _labels(values, name)
    numbers = np.full(len(values), np.nan)
    for i, value in enumerate(values):
        if is_unknown(value):
            continue
        if isinstance(value, bytes | complex) or not hasattr(value, "__float__"):
            raise _illegal(value, name)
        try:
            numbers[i] = float(value)
        except OverflowError:
            raise _illegal(value, name) from None
    return numbers


def _labels(values: list[Any], name: str) -> list[Label]:
    """Sort the distinct values: numbers, then text."""
    labels: set[Label] = set()
    for value in values:
        if is_unknown(value):
            continue
        plain = value.item() if isinstance(value, np.generic) else value
        finite = not isinstance(plain, float) or math.isfinite(plain)
        if not isinstance(plain, bool | int | float | str) or not finite:
            raise _illegal(value, name)
        labels.add(plain)
    return sorted(labels, key=lambda label: (isinstance(label, str), label))


class _IllegalCell(InvalidData, TypeError):
    """A value of a type that no cell can have."""


def _illegal(value: Any, name: str) -> InvalidData:
    return _IllegalCell(
        f"column {name!r} has the value {reprlib.repr(value)} ({type(value).__qualname__}): "
        "every cell of the argument must be a string, a boolean or a finite number; turn it into "
        "one of these, or leave the column out"
    )


def _propose(name: str, values: Floats | list[Label]) -> Feature:
    if isinstance(values, list):
        return Feature(name, "categorical", categories=tuple(values)) if values else Feature(name)
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return Feature(name)
    if np.all((known == 0) | (known == 1)):
        return Feature(name, "boolean")
    low, high = known.min(), known.max()
    whole = max(-low, high) <= LARGEST_WHOLE and bool(np.all(known == np.floor(known)))
    if whole and np.any((known > low) & (known < high)):  # a third value
        return Feature(name, values="integer")
    return Feature(name)


# -- one-hot groups ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    feature: Feature
    labels: dict[str, Label]  # by column


def _splits(name: str) -> Iterator[tuple[str, str, str]]:
    """Give the ways to read a name as stem and value, each with how they are joined."""
    if match := BRACKETS.fullmatch(name):
        yield match[1], "[", match[2]
        return
    for match in SIGNS.finditer(name):
        yield name[: match.start()], match[0].strip(), name[match.end() :]
    if match := DIGITS.fullmatch(name):
        yield match[1], "", match[2]


def _groups(bits: dict[str, Floats], names: set[str]) -> list[_Group]:
    """Find the groups: larger ones first, then longer stems, then by the order of the columns."""
    shared: dict[tuple[str, str], dict[str, str]] = {}
    for name in bits:
        for stem, sign, value in _splits(name):
            if stem.strip() and value.strip():
                shared.setdefault((stem, sign), {})[name] = value
    ones = {name: int(np.count_nonzero(column == 1)) for name, column in bits.items()}
    taken = set(names)
    free = set(bits)
    found = []
    for (stem, _), values in sorted(
        shared.items(), key=lambda item: (-len(item[1]), -len(item[0][0]))
    ):
        here = {name: value for name, value in values.items() if ones[name]}
        if stem in taken or len(here) < 2 or not free.issuperset(values):
            continue
        exclusive, other = _together([bits[name] for name in here], [ones[name] for name in here])
        if not exclusive:
            continue
        labels = _value_labels(here)
        # A column that is never 1 stays outside; when it is 1, the group's value is another one.
        other = other or len(here) < len(values)
        categories = tuple(labels.values())
        found.append(
            _Group(Feature(stem, "categorical", categories=categories, other=other), labels)
        )
        taken.add(stem)
        free.difference_update(here)
    return found


def _together(columns: list[Floats], ones: list[int]) -> tuple[bool, bool]:
    """Whether columns exclude each other, for good reason; and whether some row has none."""
    n_rows = len(columns[0])
    if sum(ones) > n_rows:  # some row has two
        return False, False
    count = np.zeros(n_rows, dtype=np.int32)
    unknown = np.zeros(n_rows, dtype=bool)
    for column in columns:
        count += column == 1
        unknown |= np.isnan(column)
    if count.max() > 1:
        return False, False
    by_chance = (sum(ones) ** 2 - sum(n * n for n in ones)) / (2 * n_rows)
    known = n_rows - int(np.count_nonzero(unknown & (count == 0)))
    believable = 2 * sum(ones) >= known or by_chance >= 3
    return believable, bool(np.any((count == 0) & ~unknown))


def _value_labels(values: dict[str, str]) -> dict[str, Label]:
    """Read values as whole numbers where all of them are written as such."""
    if all(value.isascii() and value.isdigit() and str(int(value)) == value
           for value in values.values()):  # fmt: skip
        return {name: int(value) for name, value in values.items()}
    return dict(values)


def _with_groups(features: list[Feature], groups: list[_Group]) -> Space:
    """Put each group in the place of its first column."""
    of = {name: group for group in groups for name in group.labels}
    out: list[Feature] = []
    columns: list[Column] = []
    for feature in features:
        group = of.get(feature.name)
        if group is None:
            out.append(feature)
            columns.append(Column(feature.name, feature.name))
            continue
        stem = group.feature.name
        if feature.name == next(iter(group.labels)):
            out.append(group.feature)
        condition = Condition(stem, among=(group.labels[feature.name],))
        columns.append(Column(feature.name, stem, condition))
    return Space(out, columns)
