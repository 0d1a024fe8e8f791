"""The tree operators of ONNX: their nodes and leaves.

In:  the attributes of a TreeEnsembleClassifier, TreeEnsembleRegressor or TreeEnsemble.
Out: ``StoredTrees``: nodes by position, whichever operator they came from, and their description
     to the builder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, UnreadableModel
from ..model import BELOW_FLOAT32, Floats
from .build import MOST_NODES, Relation, Table, TreeBuilder
from .onnx_before import Codes
from .onnx_columns import Columns

__all__ = ["StoredTrees", "newer_trees", "older_trees"]

MODES = ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")
RELATIONS = {"LEQ": "<=", "LT": "<", "GTE": ">=", "GT": ">"}
HOLDS = {
    "LEQ": np.less_equal, "LT": np.less, "GTE": np.greater_equal, "GT": np.greater,
    "EQ": np.equal, "NEQ": np.not_equal,
}  # fmt: skip

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class StoredTrees:
    """Nodes of all trees, by position.

    Attributes
    ----------
    columns : what goes in
    roots : of the trees, in the order in which they are added
    mode : per node one of ``MODES``, "" for a leaf
    column, number, when_true, when_false, nan_true : per node
    members : node -> the numbers of its set
    weights : node -> what a leaf adds, by target
    n_targets : how many there are
    """

    columns: Columns
    roots: Sequence[int]
    mode: Sequence[str]
    column: Sequence[int]
    number: Floats
    when_true: Sequence[int]
    when_false: Sequence[int]
    nan_true: Sequence[bool]
    members: dict[int, list[float]]
    weights: dict[int, dict[int, float]]
    n_targets: int

    @property
    def table(self) -> Table:
        """The table, with categories for columns that are only compared for being equal."""
        table = self.columns.table
        found: dict[int, set[float]] = {}
        ordered: set[int] = set()
        for node, mode in enumerate(self.mode):
            column = self.column[node]
            if mode in ("EQ", "NEQ", "MEMBER"):
                own = self.members.get(node, [float(self.number[node])])
                found.setdefault(column, set()).update(own)
            elif mode and not self._asks_if_known(node):
                ordered.add(column)
        if table.before is not None:  # what is looked up are numbers that the graph makes
            return table
        sets = {i: tuple(_labels(v)) for i, v in found.items() if i not in ordered and v}
        return replace(table, categories={**sets, **table.categories})

    def _asks_if_known(self, node: int) -> bool:
        """Whether a node's condition holds for every number."""
        return self.mode[node] == "LEQ" and self.number[node] == np.inf

    def leaves(self, builder: TreeBuilder, root: int) -> Iterator[int]:
        """Describe the splits of a tree, and leave it to the caller to describe each leaf."""
        self.nodes_below(root)
        codes, categories = self.columns.codes, builder.table.categories
        for step in builder.walk((root, "")):
            node, part = step
            mode, column = self.mode[node], self.column[node]
            true, false = (self.when_true[node], ""), (self.when_false[node], "")
            number, nan_true = float(self.number[node]), self.nan_true[node]
            if not mode:
                yield node
            elif column in codes:
                how, labels = _among(codes[column], mode, number, self.members.get(node))
                builder.categorical_test(column, how, labels, true, false, nan_true)
            elif column in categories:
                how, members = "not in" if mode == "NEQ" else "in", self.members.get(node, [number])
                if self._asks_if_known(node):
                    how, members = "not in", []
                builder.categorical_test(column, how, _labels(members), true, false, nan_true)
            elif mode in RELATIONS:
                relation = cast(Any, RELATIONS[mode])
                number = _end(builder.table, number, relation)
                builder.numerical_test(column, relation, number, true, false, nan_true)
            else:
                self._describe_equal(builder, node, part)

    def nodes_below(self, root: int) -> dict[int, int]:
        """Give the nodes below a root, and how many each unfolds to.

        Two nodes may have one child, as onnxmltools writes sets of categories. Refuses children
        that do not exist, cycles, and what unfolds to too many.
        """
        size: dict[int, int] = {}
        open_nodes: set[int] = set()
        todo = [root]
        while todo:
            node = todo[-1]
            if not 0 <= node < len(self.mode):
                raise InvalidTree(f"a node has the child {node}, of {len(self.mode)} nodes")
            sides = (self.when_true[node], self.when_false[node]) if self.mode[node] else ()
            ahead = [side for side in sides if side not in size]
            if node in size or not ahead:
                todo.pop()
                open_nodes.discard(node)
                size[node] = 1 + sum(size[side] for side in sides)
                if size[node] > MOST_NODES:
                    raise InvalidTree(f"a tree unfolds to more than {MOST_NODES:,} nodes")
                continue
            open_nodes.add(node)
            if ahead[0] in open_nodes:
                raise InvalidTree(f"node {node} is its own descendant: this is a cycle, not a tree")
            todo.append(ahead[0])
        return size

    def _describe_equal(self, builder: TreeBuilder, node: int, part: str) -> None:
        """Ask whether an ordered column is one of some numbers: at most it, and not below it.

        ``part`` says how many of them have been asked about, and whether at most was answered.
        """
        numbers = sorted(self.members.get(node, [float(self.number[node])]))
        true, false = (self.when_true[node], ""), (self.when_false[node], "")
        if self.mode[node] == "NEQ":
            true, false = false, true
        nan_inside = self.nan_true[node] != (self.mode[node] == "NEQ")
        at, _, below = part.partition("/")
        i = int(at or 0)
        column = self.column[node]
        if not numbers:
            builder.numerical_test(column, "<", -np.inf, true, false, nan_inside)
        elif below:
            builder.numerical_test(column, "<", numbers[i], false, true)
        else:
            # NaN goes on to the last number, and there to where the operator sends it.
            last = i + 1 == len(numbers)
            more = false if last else (node, str(i + 1))
            down = (node, f"{i}/below")
            number = _end(builder.table, numbers[i], "<=")
            builder.numerical_test(column, "<=", number, down, more, nan_inside and last)


def _end(table: Table, number: float, relation: Relation) -> float:
    """Give -inf so that rows of float32 that hold it are at it."""
    at_lowest = number == -np.inf and relation in ("<=", ">") and table.values == "float32"
    return BELOW_FLOAT32 if at_lowest else number


def _labels(numbers: Any) -> list[float | int]:
    """Write whole numbers as such, in order."""
    return [int(v) if v == int(v) else float(v) for v in sorted(set(numbers))]


def _among(
    codes: Codes, mode: str, number: float, members: list[float] | None
) -> tuple[Literal["in", "not in"], list[str]]:
    """Say for which labels a condition on their codes holds."""
    own = np.array([*codes.codes, codes.other])
    holds = np.isin(own, members or []) if mode == "MEMBER" else HOLDS[mode](own, number)
    other = bool(holds[-1])
    return (
        "not in" if other else "in",
        [label for label, yes in zip(codes.labels, holds, strict=False) if yes != other],
    )


def older_trees(given: dict[str, Any], columns: Columns, target: str, n: int) -> StoredTrees:
    """Read the attributes of a TreeEnsembleClassifier or TreeEnsembleRegressor.

    ``target`` is what the names of its leaves' attributes start with, ``n`` how many targets, or
    classes, there are.
    """
    trees, ids = _ints(given, "nodes_treeids"), _ints(given, "nodes_nodeids")
    count = len(trees)
    modes = [str(mode).removeprefix("BRANCH_") for mode in given["nodes_modes"]]
    numbers = _floats(given, "nodes_values")
    column = _ints(given, "nodes_featureids")
    true, false = _ints(given, "nodes_truenodeids"), _ints(given, "nodes_falsenodeids")
    nan = given.get("nodes_missing_value_tracks_true", np.zeros(0, dtype=np.int64))
    for name, own in (("nodes_nodeids", ids), ("nodes_modes", modes), ("nodes_values", numbers),
                      ("nodes_featureids", column), ("nodes_truenodeids", true),
                      ("nodes_falsenodeids", false)):  # fmt: skip
        if len(own) != count:
            raise UnreadableModel(f"{name} has {len(own):,} entries for {count:,} nodes: damaged")
    unknown = set(modes) - {"LEAF", *MODES[:-1]}
    if unknown:
        raise UnreadableModel(f"nodes_modes has {min(unknown)!r:.40}, which is not known")
    place = {pair: i for i, pair in enumerate(zip(trees.tolist(), ids.tolist(), strict=True))}
    starts = np.flatnonzero(np.diff(trees, prepend=trees[:1] - 1)).tolist()
    if len(place) != count or len(starts) != len(set(trees.tolist())):
        raise UnreadableModel("two nodes of the ONNX model have one number, or trees are mixed")
    weights: dict[int, dict[int, float]] = {}
    owner = zip(_ints(given, f"{target}_treeids").tolist(),
                _ints(given, f"{target}_nodeids").tolist(), strict=True)  # fmt: skip
    own_ids, values = _ints(given, f"{target}_ids"), _floats(given, f"{target}_weights")
    for pair, k, weight in zip(owner, own_ids.tolist(), values.tolist(), strict=True):
        leaf = weights.setdefault(place[pair], {})
        if k in leaf or not 0 <= k < n:
            raise UnreadableModel(
                f"a leaf of the ONNX model adds to target {k}, of {n}, or adds to it twice"
            )
        leaf[k] = float(weight)

    def children(which: Ints) -> list[int]:
        pairs = zip(trees.tolist(), which.tolist(), strict=True)
        return [place.get(pair, -1) for pair in pairs]

    return StoredTrees(
        columns, starts, ["" if mode == "LEAF" else mode for mode in modes], column.tolist(),
        numbers, children(true), children(false),
        _nan_true(modes, nan), {}, weights, n,
    )  # fmt: skip


def newer_trees(given: dict[str, Any], columns: Columns) -> StoredTrees:
    """Read the attributes of a TreeEnsemble: leaves are apart, and each adds to one target."""
    n = int(given["n_targets"])
    modes = [MODES[m] for m in np.asarray(given["nodes_modes"]).ravel().tolist()]
    count = len(modes)
    numbers = _floats(given, "nodes_splits")
    column = _ints(given, "nodes_featureids").tolist()
    targets, values = _ints(given, "leaf_targetids").tolist(), _floats(given, "leaf_weights")
    sides = []
    for side in ("true", "false"):
        own = _ints(given, f"nodes_{side}nodeids")
        leaf = _ints(given, f"nodes_{side}leafs") != 0
        sides.append(np.where(leaf, own + count, own).tolist())
    nan = _ints(given, "nodes_missing_value_tracks_true", np.zeros(count, dtype=np.int64))
    sizes = {len(numbers), len(column), len(sides[0]), len(sides[1]), len(nan), count}
    if len(sizes) > 1 or len(targets) != len(values) or n < 1:
        raise UnreadableModel("the attributes of the TreeEnsemble do not fit: it is damaged")
    members, at = {}, 0
    lists = _floats(given, "membership_values", np.zeros(0))
    for node, mode in enumerate(modes):
        if mode == "MEMBER":
            ends = np.flatnonzero(np.isnan(lists[at:]))
            end = at + int(ends[0]) if len(ends) else len(lists)
            members[node] = lists[at:end].tolist()
            at = end + 1
    if any(not 0 <= k < n for k in targets):
        raise UnreadableModel(f"a leaf of the TreeEnsemble adds to a target that is not below {n}")
    n_leaves = len(targets)
    roots = []
    for root in _ints(given, "tree_roots").tolist():
        if not 0 <= root < count:
            raise UnreadableModel(f"the TreeEnsemble has the root {root}, of {count} nodes")
        only = sides[0][root] == sides[1][root] >= count  # a tree that is one leaf
        roots.append(sides[0][root] if only else root)
    return StoredTrees(
        columns, roots, [*modes, *[""] * n_leaves], [*column, *[-1] * n_leaves],
        np.concatenate([numbers, np.zeros(n_leaves)]), [*sides[0], *[-1] * n_leaves],
        [*sides[1], *[-1] * n_leaves], [*_nan_true(modes, nan), *[False] * n_leaves],
        members,
        {count + i: {k: float(v)} for i, (k, v) in enumerate(zip(targets, values, strict=True))},
        n,
    )  # fmt: skip


def _nan_true(modes: Sequence[str], nan: Ints) -> list[bool]:
    """Tell where NaN goes: to the true side if a flag says so; and it is unequal to any number."""
    flags = [*nan.tolist(), *[0] * len(modes)]
    return [flag == 1 or mode == "NEQ" for mode, flag in zip(modes, flags, strict=False)]


def _ints(given: dict[str, Any], name: str, default: Ints | None = None) -> Ints:
    own = given.get(name, default)
    if own is None or not isinstance(own, np.ndarray) or own.dtype.kind not in "iu":
        raise UnreadableModel(f"the trees of the ONNX model lack {name}: it is damaged")
    return own.ravel().astype(np.int64)


def _floats(given: dict[str, Any], name: str, default: Floats | None = None) -> Floats:
    """Give an attribute of numbers, which may be a tensor of float64 instead."""
    own = given.get(f"{name}_as_tensor", given.get(name, default))
    if own is None or not isinstance(own, np.ndarray) or own.dtype.kind != "f":
        raise UnreadableModel(f"the trees of the ONNX model lack {name}: it is damaged")
    return own.ravel().astype(np.float64)
