"""Conditions on columns become conditions on features.

In:  a ``ColumnTree``, and for each of its columns the ``SourceColumn`` that says how it arises.
Out: ``TreeKernel`` over the features, in their own units.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import (
    Feature,
    Flags,
    Floats,
    Label,
    Space,
    TreeKernel,
    last_before_change,
    row_boundary,
    value_at_most,
)
from ..builder import ColumnTree, Table
from .stage import SourceColumn, Steps

__all__ = ["Span", "all_over_features", "each_over_features", "over_features", "unfold"]

MAX_UNFOLDED = 1_000_000  # nodes

# Boundaries on the feature, rising; and for each piece between them whether the condition holds.
Span = tuple[Sequence[float], Sequence[bool]]

T = TypeVar("T")


def over_features(tree: ColumnTree, columns: Sequence[SourceColumn], space: Space) -> TreeKernel:
    """State a tree over the features that its columns arise from.

    Exact: where a column is a monotone function of a feature, the boundary is found by bisection
    over all floats with that very function.
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


def each_over_features(
    trees: Sequence[ColumnTree], columns: Sequence[SourceColumn], space: Space
) -> list[TreeKernel]:
    """State each of many trees of one table, as ``over_features`` does; bisect for all at once."""
    if len(trees) == 1 or _are_features(trees[0], columns, space):
        return [over_features(tree, columns, space) for tree in trees]
    kernels = all_over_features(trees, columns, space)
    return [_with_numbers_that_are_there(kernel) for kernel in kernels]


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
    return all(
        column.feature == j
        and column.function is None
        and column.steps is None
        and column.at_missing is None
        for j, column in enumerate(columns)
    )


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
    """Hand what belongs to nodes to their trees, by the number of the node in its tree."""
    out: list[dict[int, T]] = [{} for _ in starts]
    for node, value in of_nodes.items():
        i = bisect_right(starts, node) - 1
        out[i][node - starts[i]] = value
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
        if self.tree.members:
            return column
        of_column = np.full(len(columns) + 1, -1, dtype=np.int32)  # the last is that of leaves
        for j in np.unique(column[column >= 0]).tolist():
            if self._is_plain(columns[j]):
                of_column[j] = cast(int, columns[j].feature)
        feature = of_column[column]
        kind = numbers[feature]
        for i, of_kind in enumerate(kinds):
            at = np.flatnonzero(kind == i)
            if len(at):
                self._boundaries(at, None, of_kind)
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
        falls = np.zeros(len(nodes), dtype=bool)
        sets = np.array([node in self.tree.members for node in nodes.tolist()])
        steps = column.steps
        if steps is None and sets.any():
            steps = _bits_of(self.tree.members[int(nodes[sets][0])], column, feature)
            falls[sets] = self._in_steps(nodes[sets], steps, feature)
            falls[~sets] = self._boundaries(nodes[~sets], column.function, feature)
        elif steps is not None:
            falls = self._in_steps(nodes, steps, feature)
        else:
            falls = self._boundaries(nodes, column.function, feature)
        number = column.of_missing if feature.nan else np.nan
        if not np.isnan(number):
            for node in nodes.tolist():
                self.nan_true[node] = self._holds(node, number)
        falling = nodes[falls]
        self.when_true[falling], self.when_false[falling] = (
            self.when_false[falling], self.when_true[falling],
        )  # fmt: skip
        self.nan_true[falling] = ~self.nan_true[falling]

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
    ) -> Flags:
        """Find where on the feature the conditions of nodes change; returns which hold above."""
        if function is None:
            values = self.tree.table.values
            top = value_at_most(self.tree.at_most[nodes], values)
            self.threshold[nodes] = feature.at_most(row_boundary(top, values))
            return np.zeros(len(nodes), dtype=bool)

        def holds(x: Floats, conditions: NDArray[np.intp]) -> Flags:
            return self._compare(function(x), nodes[conditions])

        last, at_low, always = last_before_change(holds, len(nodes))
        self.threshold[nodes] = np.where(always, np.inf, feature.at_most(last))
        return ~at_low

    def _in_steps(self, nodes: NDArray[Any], steps: Steps, feature: Feature) -> Flags:
        """Find where conditions on few numbers hold; returns which hold above one boundary only.

        Those that hold on several pieces become spans.
        """
        levels = np.array(steps.levels)
        boundaries = feature.at_most(np.array(steps.cuts, dtype=np.float64)).tolist()
        holds = np.zeros((len(nodes), len(levels)), dtype=bool)
        for i, node in enumerate(nodes.tolist()):
            if node in self.tree.members:
                members = self.tree.members[node]
                if len(levels) == 2:
                    members = _known_members(members, steps.levels, feature)
                holds[i] = np.isin(levels, _bits(members))
            else:
                holds[i] = self._compare(levels, np.full(len(levels), node))
            holds[i, np.isnan(levels)] = self.nan_true[node]
        if len(levels) > 2:
            for node, flags in zip(nodes.tolist(), holds.tolist(), strict=True):
                self.spans[node] = (boundaries, flags)
            return np.zeros(len(nodes), dtype=bool)
        same = holds[:, 0] == holds[:, -1]
        self.threshold[nodes] = np.where(same, np.inf, boundaries[0] if boundaries else np.inf)
        return ~holds[:, 0]

    def _codes(self, node: int, column: SourceColumn, feature: Feature) -> list[int]:
        """Return the values of a categorical feature for which a node's condition holds."""
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


def _bits_of(members: Sequence[Any], column: SourceColumn, feature: Feature) -> Steps:
    """Return the two numbers of a boolean feature, of which a model asks for some."""
    if feature.kind != "boolean":
        raise UnreadableModel(
            f"the model asks whether {feature.name!r} is one of {list(members)}, but it is "
            f"{feature.kind}: declare it categorical in the space"
        )
    numbers = np.array([0.0, 1.0])
    values = numbers if column.function is None else column.function(numbers)
    return Steps((0.0,), tuple(values.tolist()))


def _bits(members: Sequence[Any]) -> list[Any]:
    """Read "true" and "false", as TreeFARMS writes them, for columns of 0 and 1."""
    return [{"true": 1, "false": 0}.get(value, value) for value in members]


def _known_members(
    members: Sequence[Any], values: Sequence[Any], feature: Feature
) -> Sequence[Any]:
    """Return the values that a model asks for; one that the column never has is an error."""
    if not any(isinstance(value, str) for value in values):
        members, values = _bits(members), (*values, 0, 1)
    for value in members:
        if value not in values:
            raise UnreadableModel(
                f"the model asks whether a column of {feature!r} is {value!r}, which it never is: "
                "declare the value in the space"
            )
    return members


# -- columns that rise and fall: one bin out of many -----------------------------------------------


@dataclass(frozen=True)
class _Range:
    """What is left of a feature on a path: above ``low``, up to ``high``, or missing."""

    low: float
    high: float
    missing: bool

    def pieces(self, span: Span) -> list[tuple[float, float, bool]]:
        """Cut it where the condition changes: low, high, whether it holds."""
        boundaries, holds = span
        ends = zip([-np.inf, *boundaries], [*boundaries, np.inf], holds, strict=True)
        out: list[tuple[float, float, bool]] = []
        for low, high, flag in ends:
            low, high = max(low, self.low), min(high, self.high)
            if not low < high:
                continue
            if out and out[-1][2] == flag:
                out[-1] = (out[-1][0], high, flag)
            else:
                out.append((low, high, flag))
        return out


def unfold(
    space: Space,
    nodes: Mapping[str, NDArray[Any]],
    spans: Mapping[int, Span],
    *,
    sets: Mapping[int, Sequence[int]],
    distribution: Floats | None,
    limit: int = MAX_UNFOLDED,
) -> dict[str, Any]:
    """Return the arguments of a ``Tree`` in which every node asks one threshold.

    Linear in the nodes that come out. Branches that no row reaches are left out on the way, so
    many bins of one feature cost little; bins of k features on one path may cost 2**k copies.

    Parameters
    ----------
    nodes : ``Tree``'s arrays by name
    spans : node -> where its condition holds; other nodes keep theirs
    sets, distribution : as in ``Tree``
    limit : most nodes that may come out
    """
    growing = _Growing(space, nodes, sets, spans)
    # What is left of each feature on the way; a new dict where it changes.
    todo: list[tuple[int, dict[int, _Range], int, str]] = [(0, {}, -1, "")]
    while todo:
        todo += growing.copy(*todo.pop())
        if len(growing.origin) > limit:
            raise UnreadableModel(
                f"as thresholds, this tree has more than {limit} nodes: it asks for single bins, "
                "or single numbers, of many features on one path. Encode them as ordinal numbers "
                "(KBinsDiscretizer(encode='ordinal')), or grow a smaller tree"
            )
    return growing.finish(distribution)


class _Growing:
    """The copy while it grows."""

    def __init__(
        self,
        space: Space,
        nodes: Mapping[str, NDArray[Any]],
        sets: Mapping[int, Sequence[int]],
        spans: Mapping[int, Span],
    ) -> None:
        self.space = space
        self.nodes = {name: array.tolist() for name, array in nodes.items()}
        self.sets = sets
        self.spans = spans
        self.origin: list[int] = []
        self.threshold: list[float] = []
        self.nan_true: list[bool] = []
        self.children: dict[str, list[int]] = {"when_true": [], "when_false": []}

    def add(self, origin: int, threshold: float, nan_true: bool, parent: int, side: str) -> int:
        at = len(self.origin)
        self.origin.append(origin)
        self.threshold.append(threshold)
        self.nan_true.append(nan_true)
        for name in self.children:
            self.children[name].append(-1)
        if parent >= 0:
            self.children[side][parent] = at
        return at

    def copy(
        self, node: int, left: dict[int, _Range], parent: int, side: str
    ) -> list[tuple[int, dict[int, _Range], int, str]]:
        """Copy one node, and give what is to be copied below it."""
        feature = self.nodes["feature"][node]
        yes, no = self.nodes["when_true"][node], self.nodes["when_false"][node]
        nan_true = bool(self.nodes["nan_true"][node])
        threshold = self.nodes["threshold"][node]
        if feature < 0 or not self.space.features[feature].ordered:
            at = self.add(node, threshold, nan_true, parent, side)
            sides = [(yes, left, at, "when_true"), (no, left, at, "when_false")]
            return sides if feature >= 0 else []
        here = left.get(feature)
        if here is None:
            here = _Range(-np.inf, np.inf, self.space.features[feature].nan)
        pieces = here.pieces(self.spans.get(node, ((threshold,), (True, False))))
        below: list[tuple[int, dict[int, _Range], int, str]] = []
        missing = here.missing
        if missing and not any(flag == nan_true for _, _, flag in pieces):
            # No number goes where missing goes: ask first whether it is known.
            alone = {**left, feature: _Range(0.0, 0.0, True)}
            if not pieces:
                return [(yes if nan_true else no, alone, parent, side)]
            at = self.add(node, np.inf, False, parent, side)
            below.append((yes if nan_true else no, alone, at, "when_false"))
            parent, side, missing = at, "when_true", False
        for i, (low, high, flag) in enumerate(pieces):
            hosts = missing and flag == nan_true
            missing = missing and not hosts
            inside = {**left, feature: _Range(low, high, hosts)}
            if i == len(pieces) - 1:
                below.append((yes if flag else no, inside, parent, side))
                break
            at = self.add(node, high, hosts, parent, side)
            below.append((yes if flag else no, inside, at, "when_true"))
            parent, side = at, "when_false"
        return below

    def finish(self, distribution: Floats | None) -> dict[str, Any]:
        origin = np.array(self.origin)
        shares = None
        if distribution is not None:
            shares = distribution[origin]
            leaves = origin[np.array(self.nodes["feature"])[origin] < 0]
            if len(np.unique(leaves)) < len(leaves):
                # How a leaf's rows spread over its copies is not known: keep the shares.
                total = shares.sum(axis=1, keepdims=True)
                shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
        return {
            "feature": np.array(self.nodes["feature"], dtype=np.int32)[origin],
            "threshold": np.array(self.threshold, dtype=np.float64),
            "when_true": np.array(self.children["when_true"], dtype=np.int32),
            "when_false": np.array(self.children["when_false"], dtype=np.int32),
            "leaf_class": np.array(self.nodes["leaf_class"], dtype=np.int32)[origin],
            "nan_true": np.array(self.nan_true, dtype=bool),
            "sets": {i: self.sets[o] for i, o in enumerate(self.origin) if o in self.sets},
            "distribution": shares,
        }
