"""Conditions on columns become conditions on features.

In:  a ``ColumnTree``, and for each of its columns the ``SourceColumn`` that says how it arises.
Out: ``TreeKernel`` over the features, in their own units.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import Feature, Floats, Label, Space, TreeKernel, row_boundary, value_at_most
from ..build import ColumnTree, Table
from .bisect import last_before_change, last_before_step
from .stage import SourceColumn
from .steps import Span, Steps, unfold

__all__ = ["all_over_features", "over_features"]

T = TypeVar("T")


def over_features(tree: ColumnTree, columns: Sequence[SourceColumn], space: Space) -> TreeKernel:
    """State a tree over the features that its columns arise from.

    Exact: where a column is a monotone function of a feature, the boundary is found by bisection
    over all floats with that very function, at most 64 steps.
    """
    _check_count(tree.table, len(columns))
    if _are_features(tree, columns, space):
        out = TreeKernel(
            space,
            tree.classes,
            feature=tree.column.astype(np.int32),
            threshold=tree.at_most,
            when_true=tree.when_true.astype(np.int32),
            when_false=tree.when_false.astype(np.int32),
            leaf_class=tree.leaf_class.astype(np.int32),
            nan_true=tree.nan_true,
            distribution=tree.distribution,
            task=tree.task,
        )
    else:
        (out,) = all_over_features([tree], columns, space)
    return _with_numbers_that_are_there(out)


def _are_features(tree: ColumnTree, columns: Sequence[SourceColumn], space: Space) -> bool:
    """Whether columns are the features themselves, of the numbers that the library compares.

    Thresholds are then those of the features: what a row rounds to is what the feature can be.
    """
    _, kinds = space.alike
    if tree.members or len(kinds) != 1:
        return False
    (kind,) = kinds
    if kind.kind != "numeric" or kind.values != tree.table.values:
        return False
    for j, own in enumerate(columns):
        changed = own.function is not None or own.steps is not None or own.at_missing is not None
        if own.feature != j or changed:
            return False
    return True


def all_over_features(
    trees: Sequence[ColumnTree], columns: Sequence[SourceColumn], space: Space
) -> list[TreeKernel]:
    """State many trees over the columns of one table; all conditions on a column together."""
    _check_count(trees[0].table, len(columns))
    nodes = _Nodes(_joined(trees), space)
    column = nodes.restate_plain(columns)
    for j in np.unique(column[column >= 0]).tolist():
        nodes.restate(np.flatnonzero(column == j), columns[j])
    ends = np.cumsum([len(tree.column) for tree in trees]).tolist()
    starts = [0, *ends[:-1]]
    sets, spans = _by_tree(nodes.sets, starts), _by_tree(nodes.spans, starts)
    return [
        nodes.finish(tree, start, own_sets, own_spans)
        for tree, start, own_sets, own_spans in zip(trees, starts, sets, spans, strict=True)
    ]


def _joined(trees: Sequence[ColumnTree]) -> ColumnTree:
    """Put the nodes of trees one after the other; children stay numbered within each tree."""
    if len(trees) == 1:
        return trees[0]
    members: dict[int, Sequence[Any]] = {}
    start = 0
    for tree in trees:
        members |= {start + node: values for node, values in tree.members.items()}
        start += len(tree.column)

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree in trees])

    return ColumnTree(
        trees[0].table,
        max((tree.classes for tree in trees), key=len),
        column=joined("column"),
        at_most=joined("at_most"),
        when_true=joined("when_true"),
        when_false=joined("when_false"),
        leaf_class=joined("leaf_class"),
        nan_true=joined("nan_true"),
        members=members,
    )


def _by_tree(of_nodes: Mapping[int, T], starts: Sequence[int]) -> list[dict[int, T]]:
    """Give what belongs to nodes to their trees, by the number of the node in its tree."""
    out: list[dict[int, T]] = [{} for _ in starts]
    for node, own in of_nodes.items():
        i = bisect_right(starts, node) - 1
        out[i][node - starts[i]] = own
    return out


def _with_numbers_that_are_there(tree: TreeKernel) -> TreeKernel:
    """Leave out the numbers of leaves that no row can reach, which are dropped."""
    if tree.task != "regression":
        return tree
    leaf = tree.feature < 0
    there = np.unique(tree.leaf_class[leaf])
    if len(there) == len(tree.classes):
        return tree
    places = np.where(leaf, np.searchsorted(there, tree.leaf_class), -1)
    out = tree.replace(classes=tree.numbers[there], leaf_class=places)
    out.n_dropped = tree.n_dropped
    return out


def _check_count(table: Table, n_described: int) -> None:
    n = cast(int, table.n_columns)
    if n_described != n and not (table.at_least and n_described > n):
        least = "at least " if table.at_least else ""
        raise UnreadableModel(
            f"the model was fitted on {least}{n} columns and {n_described} are described: give the "
            "space, feature_names or transformers of the very table it was fitted on"
        )


class _Nodes:
    """The arrays of the ``Tree``, while its conditions are restated column by column."""

    def __init__(self, tree: ColumnTree, space: Space) -> None:
        n = len(tree.column)
        self.tree = tree
        self.space = space
        self.feature = np.full(n, -1, dtype=np.int32)
        self.threshold = np.zeros(n)
        self.when_true = np.array(tree.when_true, dtype=np.int32)
        self.when_false = np.array(tree.when_false, dtype=np.int32)
        self.nan_true = np.array(tree.nan_true, dtype=bool)
        self.sets: dict[int, list[int]] = {}
        self.spans: dict[int, Span] = {}

    def restate_plain(self, columns: Sequence[SourceColumn]) -> NDArray[Any]:
        """State the conditions on columns that are features themselves, all of a kind together.

        Gives the columns of the nodes, -1 where nothing is left to do.
        """
        column = np.asarray(self.tree.column)
        numbers, kinds = self.space.alike
        plain = [self._is_plain(own) for own in columns]
        if self.tree.members or not any(plain):
            return column
        feature = np.array(
            [cast(int, own.feature) if ok else -1 for own, ok in zip(columns, plain, strict=True)]
            + [-1],
            dtype=np.int32,
        )[column]
        kind = numbers[feature]
        for i, own in enumerate(kinds):
            at = np.flatnonzero(kind == i)
            if len(at):
                self._boundaries(at, None, own)
        done = feature >= 0
        self.feature[done] = feature[done]
        return np.where(done, -1, column)

    def _is_plain(self, column: SourceColumn) -> bool:
        if column.feature is None or column.function is not None or column.steps is not None:
            return False
        feature = self.space.features[column.feature]
        return feature.ordered and not feature.nan

    def restate(self, nodes: NDArray[Any], column: SourceColumn) -> None:
        """State the conditions of some nodes, all on one column, on the column's feature."""
        if column.feature is None:
            self._constant(nodes, column.constant)
            return
        self.feature[nodes] = column.feature
        feature = self.space.features[column.feature]
        if not feature.ordered:
            for node in nodes.tolist():
                self.sets[node] = self._codes(node, column, feature)
            return
        if column.steps is not None:
            self._spans(nodes, column.steps, column, feature)
        if feature.nan:
            self._send_missing(nodes, column)
        if column.steps is None:
            by_set = [node for node in nodes.tolist() if node in self.tree.members]
            for node in by_set:
                self._bit_test(node, column, feature)
            rest = nodes[~np.isin(nodes, by_set)] if by_set else nodes
            self._boundaries(rest, column.function, feature)

    def finish(
        self, tree: ColumnTree, start: int, sets: dict[int, list[int]], spans: dict[int, Span]
    ) -> TreeKernel:
        """Make the tree whose nodes begin here."""
        at = slice(start, start + len(tree.column))
        arrays: dict[str, Any] = {
            "feature": self.feature[at],
            "threshold": self.threshold[at],
            "when_true": self.when_true[at],
            "when_false": self.when_false[at],
            "leaf_class": np.asarray(tree.leaf_class),
            "nan_true": self.nan_true[at],
        }
        rest: dict[str, Any] = {"sets": sets, "distribution": tree.distribution}
        if spans:
            arrays, rest = unfold(self.space, arrays, spans, **rest), {}
        return TreeKernel(self.space, tree.classes, **arrays, **rest, task=tree.task)

    # -- what the library answers --------------------------------------------------------------

    def _compare(self, x: Floats, nodes: NDArray[Any]) -> NDArray[np.bool_]:
        """Evaluate the conditions of nodes as the library does, one number each."""
        if self.tree.table.values == "float32":
            with np.errstate(over="ignore"):
                x = x.astype(np.float32).astype(np.float64)
        return np.asarray(x <= self.tree.at_most[nodes])

    def _holds(self, node: int, number: float) -> bool:
        """Whether a node's condition holds where the column has this number."""
        if node in self.tree.members:
            return number in _bits(self.tree.members[node])
        return bool(self._compare(np.array([number]), np.array([node]))[0])

    # -- columns of one value, of numbers, of labels -------------------------------------------

    def _constant(self, nodes: NDArray[Any], number: float) -> None:
        """Put conditions that always or never hold on the first feature: the tree drops them."""
        self.feature[nodes] = 0
        for node in nodes.tolist():
            holds = self._holds(node, number)
            self.threshold[node] = np.inf if holds else -np.inf
            self.nan_true[node] = holds
            self.sets[node] = list(range(self.space.features[0].n_values)) if holds else []

    def _boundaries(
        self, nodes: NDArray[Any], function: Callable[[Floats], Floats] | None, feature: Feature
    ) -> None:
        """Find where on the feature the conditions of nodes change."""
        if function is None:
            values = self.tree.table.values
            top = value_at_most(self.tree.at_most[nodes], values)
            self.threshold[nodes] = feature.at_most(row_boundary(top, values))
            return

        def holds(x: Floats) -> NDArray[np.bool_]:
            return self._compare(function(x), nodes)

        last, at_low, always = last_before_change(holds, len(nodes))
        self.threshold[nodes] = np.where(always, np.inf, feature.at_most(last))
        falling = nodes[~at_low]
        self._swap(falling)
        self.nan_true[falling] = ~self.nan_true[falling]

    def _swap(self, nodes: Any) -> None:
        """Ask the opposite question."""
        yes, no = self.when_true, self.when_false
        yes[nodes], no[nodes] = no[nodes], yes[nodes]

    def _bit_test(self, node: int, column: SourceColumn, feature: Feature) -> None:
        """Write "the column is 0", "is 1", "is either" as a threshold."""
        members, function = self.tree.members[node], column.function
        if not column.two_valued and feature.kind != "boolean":
            raise UnreadableModel(
                f"the model asks whether {feature.name!r} is one of {list(members)}, but it is "
                f"{feature.kind}: declare it categorical in the space"
            )
        bits = set(_known_members(members, (0, 1), feature))
        ends = np.array([0.0, 1.0]) if feature.kind == "boolean" else np.array([-np.inf, np.inf])
        values = ends if function is None else function(ends)
        low, high = (value in bits for value in values.tolist())
        if low == high:
            self.threshold[node] = np.inf
        elif function is None or feature.kind == "boolean":
            self.threshold[node] = 0.0
        else:
            self.threshold[node] = last_before_step(function)
        if not low:
            self._swap(node)

    def _send_missing(self, nodes: NDArray[Any], column: SourceColumn) -> None:
        """Send a missing value where the number goes that a transformer makes of it, if any."""
        number = column.at_missing
        if number is None:
            if column.function is None:
                return
            number = float(column.function(np.array([np.nan]))[0])
        if not np.isnan(number):
            for node in nodes.tolist():
                self.nan_true[node] = self._holds(node, number)

    def _spans(
        self, nodes: NDArray[Any], steps: Steps, column: SourceColumn, feature: Feature
    ) -> None:
        """Find, for nodes on a column that rises and falls, where on the feature they hold."""
        cuts, levels = np.array(steps.cuts, dtype=np.float64), np.array(steps.levels)
        inner = column.function if column.function is not None else np.array

        def holds(x: Floats) -> NDArray[np.bool_]:
            return np.asarray(inner(x) <= cuts)

        last, at_low, always = last_before_change(holds, len(cuts))
        # A function that falls meets the cuts from above.
        falls = bool(np.any(~always & ~at_low))
        last = np.where(always, np.where(at_low != falls, np.inf, -np.inf), last)
        boundaries = feature.at_most(last)
        order = -1 if falls else 1
        for node in nodes.tolist():
            if node in self.tree.members:
                flags = np.isin(levels, _bits(self.tree.members[node]))
            else:
                flags = self._compare(levels, np.full(len(levels), node))
            flags = np.where(np.isnan(levels), self.nan_true[node], flags)
            self.spans[node] = (boundaries[::order].tolist(), flags[::order].tolist())

    def _codes(self, node: int, column: SourceColumn, feature: Feature) -> list[int]:
        """Give the values of a categorical feature for which a node's condition holds."""
        table, nan_true = column.table, bool(self.nan_true[node])
        if table is None:
            raise UnreadableModel(f"feature {feature.name!r} is categorical and used as a number")
        if node in self.tree.members:
            inside: set[Label] = set(_known_members(self.tree.members[node], table, feature))
            codes = [code for code, value in enumerate(table) if value in inside]
        else:
            numbers = self._numbers(node, table, feature)
            holds = self._compare(numbers, np.full(len(numbers), node))
            codes = np.flatnonzero(np.where(np.isnan(numbers), nan_true, holds)).tolist()
        if feature.nan:
            missing = feature.n_values - 1
            number = table[missing]
            if isinstance(number, float) and not np.isnan(number):
                nan_true = self._holds(node, number)
            codes = [code for code in codes if code != missing] + [missing] * nan_true
        return codes

    def _numbers(self, node: int, table: Sequence[Any], feature: Feature) -> Floats:
        try:
            return np.array(table[: len(feature.categories) + feature.other], dtype=np.float64)
        except ValueError:
            raise UnreadableModel(
                f"the model compares {feature.name!r} with {self.tree.at_most[node]:g}, but its "
                f"values are {feature.categories}: declare it numeric, or say how it was encoded "
                "with preprocessing="
            ) from None


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
                "declare the value in the space"
            )
    return members
