"""What every reader hands over, and how it becomes a ``Tree``.

In:  ``SourceTree``: a tree over the columns that a model was fitted on, as its library stores it;
     and for each column the ``SourceColumn`` that says how it arises from a feature.
Out: ``Tree`` over the features, in their own units.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from ..model import Column, Feature, Label, Space, Tree, row_boundary, value_at_most
from .through.steps import Span, Steps, unfold

__all__ = ["SourceColumn", "SourceTree", "build", "default_space", "space_columns"]

Floats = NDArray[np.float64]
Nan = Literal["unknown", "value"]


@dataclass(frozen=True)
class SourceTree:
    """A tree over columns, in the terms of the library that made it.

    Attributes
    ----------
    classes : labels of the classes
    column : per node the column it tests, -1 for a leaf
    threshold : per node; the condition is ``x <= threshold``, or ``x < threshold`` if ``strict``
    members : node -> column values for which its condition holds, where it is a set
    when_true, when_false, leaf_class : as in ``Tree``
    values : how the library rounds a row's numbers before it compares
    nan_true : per node whether NaN follows the condition's true branch; None: the library has no
        way with NaN
    distribution : per node rows (or weights, or shares) by class
    n_columns, column_names : of the table the model was fitted on
    more_columns : the library does not say how many columns there were: ``n_columns`` are the
        least
    by_name : the library does not say in which order the columns were: their names decide
    binary : columns are 0/1, so that by default each is a boolean feature: all of them, or which
    categories : column -> labels, for columns that the library treats as categorical; the column
        holds the label itself
    other_categories : whether those columns may hold labels that are not listed
    unsure : for columns whose labels the library may have garbled: column -> a function that puts
        the right labels in the order of ``categories``, or gives None for wrong ones
    """

    classes: Sequence[Any] | NDArray[Any]
    column: NDArray[Any]
    threshold: Floats
    when_true: NDArray[Any]
    when_false: NDArray[Any]
    leaf_class: NDArray[Any]
    n_columns: int
    column_names: Sequence[str] | None = None
    more_columns: bool = False
    by_name: bool = False
    strict: bool = False
    values: Literal["float64", "float32"] = "float64"
    nan_true: NDArray[Any] | None = None
    members: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    distribution: Floats | None = None
    binary: bool | Collection[int] = False
    categories: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    other_categories: bool = True
    unsure: Mapping[int, Callable[[Sequence[Any]], Sequence[Any] | None]] = field(
        default_factory=dict
    )


@dataclass(frozen=True)
class SourceColumn:
    """How a column of the model arises from one feature.

    Attributes
    ----------
    feature : position in the space; None for a constant column
    function : for an ordered feature: the column's numbers from the feature's, monotone; None: the
        feature's own number
    table : for a categorical feature: the column's value for each of the feature's values (a
        label where the column holds labels)
    steps : for an ordered feature: the column's numbers from what ``function`` gives, where they
        rise and fall
    at_missing : for an ordered feature: the column's number where it is missing; None: what
        ``function`` makes of NaN
    two_valued : whether the function gives 0 and 1 only
    constant : the value of a constant column
    """

    feature: int | None
    function: Callable[[Floats], Floats] | None = None
    table: tuple[Any, ...] | None = None
    two_valued: bool = False
    constant: float = 0.0
    steps: Steps | None = None
    at_missing: float | None = None

    def then(self, function: Callable[[Floats], Floats]) -> SourceColumn:
        """Apply a further monotone function to the column."""
        if self.feature is None:
            return replace(self, constant=float(function(np.array([self.constant]))[0]))
        if self.table is not None:
            numbers = function(np.array(self.table, dtype=np.float64))
            return replace(self, table=tuple(numbers.tolist()))
        if self.at_missing is not None:
            missing = float(function(np.array([self.at_missing]))[0])
            self = replace(self, at_missing=missing)
        if self.steps is not None:
            return replace(self, steps=self.steps.then(function), two_valued=False)
        first = self.function
        if first is None:
            return replace(self, function=function)
        return replace(self, function=lambda x: function(first(x)))


def space_columns(space: Space) -> list[SourceColumn]:
    """Read a space's own columns: values of features, or 0/1 for conditions on them."""
    return [_space_column(space, column) for column in space.columns]


def _space_column(space: Space, column: Column) -> SourceColumn:
    i = space.index(column.feature)
    feature = space.features[i]
    condition = column.condition
    if condition is None:
        if feature.ordered:
            return SourceColumn(i)
        labels: tuple[Any, ...] = tuple(feature.label(code) for code in range(feature.n_values))
        return SourceColumn(i, table=labels)
    if condition.at_most is not None:
        top = float(feature.at_most(condition.at_most))
        return SourceColumn(i, lambda x: (x <= top).astype(np.float64), two_valued=True)
    among = condition.among or ()
    if feature.ordered:  # boolean
        holds = np.array([False in among, True in among], dtype=np.float64)
        return SourceColumn(i, lambda x: np.where(x <= 0, holds[0], holds[1]), two_valued=True)
    inside = [code < len(feature.categories) and feature.categories[code] in among
              for code in range(feature.n_values)]  # fmt: skip
    return SourceColumn(i, table=tuple(float(flag) for flag in inside))


def default_space(source: SourceTree, names: Sequence[str], nan: Nan) -> Space:
    """Give every column a feature of its own, of the kind that the library compares."""
    with_nan = nan == "value" and source.nan_true is not None
    features = []
    for i, name in enumerate(names):
        if i in source.categories:
            labels = tuple(source.categories[i])
            other = source.other_categories
            features.append(
                Feature(name, "categorical", categories=labels, other=other, nan=with_nan)
            )
        elif source.binary is True or (source.binary and i in source.binary):
            features.append(Feature(name, "boolean"))
        else:
            features.append(Feature(name, values=source.values, nan=with_nan))
    return Space(features)


def build(source: SourceTree, columns: Sequence[SourceColumn], space: Space) -> Tree:
    """Make the ``Tree``: each condition on a column becomes one on the column's feature.

    Exact: where a column is a monotone function of a feature, the boundary is found by bisection
    over all floats with that very function, at most 64 steps.
    """
    if len(columns) != source.n_columns and not (
        source.more_columns and len(columns) > source.n_columns
    ):
        least = "at least " if source.more_columns else ""
        raise UnreadableModel(
            f"the model was fitted on {least}{source.n_columns} columns and {len(columns)} are "
            "described: give the space, feature_names or transformers of the very table it was "
            "fitted on"
        )
    n = len(source.column)
    out_feature = np.full(n, -1, dtype=np.int32)
    out_threshold = np.zeros(n)
    when_true = np.array(source.when_true, dtype=np.int32)
    when_false = np.array(source.when_false, dtype=np.int32)
    nan_true = (
        np.zeros(n, dtype=bool) if source.nan_true is None else np.array(source.nan_true, bool)
    )
    sets: dict[int, list[int]] = {}
    spans: dict[int, Span] = {}
    for j in np.unique(source.column[source.column >= 0]).tolist():
        nodes = np.flatnonzero(source.column == j)
        by_set = [node for node in nodes.tolist() if node in source.members]
        by_threshold = nodes[~np.isin(nodes, by_set)]
        column = columns[j]
        out_feature[nodes] = 0 if column.feature is None else column.feature
        if column.feature is None:
            for node in nodes.tolist():
                holds = _holds_always(source, node, column.constant)
                out_threshold[node] = np.inf if holds else -np.inf
                nan_true[node] = holds
                sets[node] = list(range(space.features[0].n_values)) if holds else []
            continue
        feature = space.features[column.feature]
        if feature.ordered:
            if column.steps is not None:
                spans.update(_spans(source, nodes, column, feature, nan_true))
            if feature.nan:
                _send_missing(source, nodes, column, nan_true)
            if column.steps is not None:
                continue
            for node in by_set:
                swap = _bit_test(source.members[node], column, feature, node, out_threshold)
                if swap:
                    when_true[node], when_false[node] = when_false[node], when_true[node]
            below = _boundary(source, by_threshold, column, feature, out_threshold)
            flip = by_threshold[~below]
            when_true[flip], when_false[flip] = when_false[flip], when_true[flip]
            nan_true[flip] = ~nan_true[flip]
            continue
        for node in nodes.tolist():
            sets[node] = _codes(source, node, column, feature, bool(nan_true[node]))
    arrays: dict[str, NDArray[Any]] = {
        "feature": out_feature,
        "threshold": out_threshold,
        "when_true": when_true,
        "when_false": when_false,
        "leaf_class": np.asarray(source.leaf_class),
        "nan_true": nan_true,
    }
    if spans:
        return Tree(
            space, source.classes, **unfold(space, arrays, sets, source.distribution, spans)
        )
    return Tree(space, source.classes, **arrays, sets=sets, distribution=source.distribution)


def _compare(x: Floats, source: SourceTree, nodes: NDArray[Any]) -> NDArray[np.bool_]:
    """Evaluate the conditions of nodes as the library does, one number each."""
    if source.values == "float32":
        with np.errstate(over="ignore"):
            x = x.astype(np.float32).astype(np.float64)
    cut = source.threshold[nodes]
    return np.asarray(x < cut if source.strict else x <= cut)


def _bits(members: Sequence[Any]) -> list[Any]:
    """Read "true" and "false", as TreeFARMS writes them, for columns of 0 and 1."""
    return [{"true": 1, "false": 0}.get(value, value) for value in members]


def _known_members(
    members: Sequence[Any], values: Sequence[Any], feature: Feature
) -> Sequence[Any]:
    """Give the values that a model asks for; one that the column never has is an error."""
    if not any(isinstance(value, str) for value in values):
        members, values = _bits(members), (*values, 0, 1)
    for value in members:
        if value not in values:
            raise UnreadableModel(
                f"the model asks whether a column of {feature!r} is {value!r}, which it never is: "
                f"declare the value in the space"
            )
    return members


def _bit_test(
    members: Sequence[Any], column: SourceColumn, feature: Feature, node: int, out: Floats
) -> bool:
    """Write "the column is 0", "is 1", "is either" as a threshold; tell whether to swap."""
    if not column.two_valued and feature.kind != "boolean":
        raise UnreadableModel(
            f"the model asks whether {feature.name!r} is one of {list(members)}, but it is "
            f"{feature.kind}: declare it categorical in the space"
        )
    bits = set(_known_members(members, (0, 1), feature))
    ends = np.array([0.0, 1.0]) if feature.kind == "boolean" else np.array([-np.inf, np.inf])
    values = ends if column.function is None else column.function(ends)
    low, high = (value in bits for value in values.tolist())
    if low == high:
        out[node] = np.inf
    elif column.function is None or feature.kind == "boolean":
        out[node] = 0.0
    else:
        out[node] = _step(column.function)
    return not low


def _step(function: Callable[[Floats], Floats]) -> float:
    """Find the largest float before a two-valued function changes."""
    low, high = _key(np.array([-np.inf])), _key(np.array([np.inf]))
    first = function(_unkey(low))
    while low + 1 < high:
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        same = function(_unkey(middle)) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return float(_unkey(low)[0])


def _holds_always(source: SourceTree, node: int, constant: float) -> bool:
    if node in source.members:
        return constant in _bits(source.members[node])
    return bool(_compare(np.array([constant]), source, np.array([node]))[0])


def _boundary(
    source: SourceTree,
    nodes: NDArray[Any],
    column: SourceColumn,
    feature: Feature,
    out: Floats,
) -> NDArray[np.bool_]:
    """Write the nodes' boundaries on the feature; tell for which the condition holds below it."""
    cut = source.threshold[nodes]
    if column.function is None:
        top = value_at_most(cut, source.values, source.strict)
        out[nodes] = feature.at_most(row_boundary(top, source.values))
        return np.ones(len(nodes), dtype=bool)
    function = column.function

    def holds(x: Floats) -> NDArray[np.bool_]:
        return _compare(function(x), source, nodes)

    last, at_low, always = _bisect(holds, len(nodes))
    out[nodes] = np.where(always, np.inf, feature.at_most(last))
    return at_low


def _bisect(
    holds: Callable[[Floats], NDArray[np.bool_]], n: int
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Find where conditions change: the last float before, the answer there, whether they do not.

    Infinity may turn into NaN on the way; the largest finite floats decide at the ends.
    """
    low = np.full(n, _key(np.array([-np.inf]))[0]) + 1
    high = np.full(n, _key(np.array([np.inf]))[0]) - 1
    with np.errstate(all="ignore"):
        at_low, at_high = holds(_unkey(low)), holds(_unkey(high))
        while np.any(low + 1 < high):
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            same = holds(_unkey(middle)) == at_low
            low = np.where(same, middle, low)
            high = np.where(same, high, middle)
    return _unkey(low), at_low, at_low == at_high


def _send_missing(
    source: SourceTree, nodes: NDArray[Any], column: SourceColumn, nan_true: NDArray[np.bool_]
) -> None:
    """Send a missing value where the number goes that a transformer makes of it, if any."""
    number = column.at_missing
    if number is None:
        if column.function is None:
            return
        number = float(column.function(np.array([np.nan]))[0])
    if not np.isnan(number):
        for node in nodes.tolist():
            nan_true[node] = _holds_always(source, node, number)


def _spans(
    source: SourceTree,
    nodes: NDArray[Any],
    column: SourceColumn,
    feature: Feature,
    nan_true: NDArray[np.bool_],
) -> dict[int, Span]:
    """Give, for each node on a column that rises and falls, where on the feature it holds."""
    steps, function = cast(Steps, column.steps), column.function
    cuts, levels = np.array(steps.cuts, dtype=np.float64), np.array(steps.levels)
    inner = function if function is not None else np.array

    def holds(x: Floats) -> NDArray[np.bool_]:
        return np.asarray(inner(x) <= cuts)

    last, at_low, always = _bisect(holds, len(cuts))
    # A function that falls meets the cuts from above.
    falls = bool(np.any(~always & ~at_low))
    last = np.where(always, np.where(at_low != falls, np.inf, -np.inf), last)
    boundaries = feature.at_most(last)
    out: dict[int, Span] = {}
    for node in nodes.tolist():
        if node in source.members:
            flags = np.isin(levels, _bits(source.members[node]))
        else:
            flags = _compare(levels, source, np.full(len(levels), node))
        flags = np.where(np.isnan(levels), nan_true[node], flags)
        order = -1 if falls else 1
        out[node] = (boundaries[::order].tolist(), flags[::order].tolist())
    return out


def _key(x: Floats) -> NDArray[np.int64]:
    """Give each float its number in the order of all floats."""
    bits = x.view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits - 1, bits)


def _unkey(key: NDArray[np.int64]) -> Floats:
    return np.where(key < 0, np.int64(-(2**63)) - key - 1, key).view(np.float64)


def _codes(
    source: SourceTree, node: int, column: SourceColumn, feature: Feature, nan_true: bool
) -> list[int]:
    """Give the values of a categorical feature for which a node's condition holds."""
    table = column.table
    if table is None:
        raise UnreadableModel(f"feature {feature.name!r} is categorical and used as a number")
    if node in source.members:
        inside: set[Label] = set(_known_members(source.members[node], table, feature))
        codes = [code for code, value in enumerate(table) if value in inside]
    else:
        try:
            numbers = np.array(table[: len(feature.categories) + feature.other], dtype=np.float64)
        except ValueError:
            raise UnreadableModel(
                f"the model compares {feature.name!r} with {source.threshold[node]:g}, but its "
                f"values are {feature.categories}: declare it numeric, or say how it was encoded "
                "with through="
            ) from None
        holds = _compare(numbers, source, np.full(len(numbers), node))
        codes = np.flatnonzero(np.where(np.isnan(numbers), nan_true, holds)).tolist()
    missing = feature.n_values - 1 if feature.nan else None
    if missing is not None:
        number = table[missing]
        if isinstance(number, float) and not np.isnan(number):
            nan_true = _holds_always(source, node, number)
        codes = [code for code in codes if code != missing] + [missing] * nan_true
    return codes
