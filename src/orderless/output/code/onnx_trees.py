"""The tree operators of ONNX, written.

In:  trees over one space, and what their leaves add.
Out: a TreeEnsembleRegressor, or where there are sets or sums of float64 a TreeEnsemble.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .onnx_graph import ML, Floats, Graph, boundaries, set_test

if TYPE_CHECKING:
    from ...model import TreeKernel

__all__ = ["add_one_tree", "add_trees"]

LEQ, MEMBER = 0, 6


class _Test:
    """What a node asks, as ONNX does: a mode, a number or a set, and its two sides."""

    def __init__(self, tree: TreeKernel, node: int, cut: float) -> None:
        feature = tree.space.features[int(tree.feature[node])]
        self.column = int(tree.feature[node])
        self.true, self.false = int(tree.when_true[node]), int(tree.when_false[node])
        self.members: list[int] | None = None
        if not feature.ordered:
            self.members, swapped, self.nan_true = set_test(tree, node)
            self.number = 0.0
            if not self.members:  # no value is in it: whether there is a value
                self.members, self.number, swapped = None, np.inf, not swapped
        else:
            self.number, swapped = float(cut), False
            self.nan_true = feature.nan and bool(tree.nan_true[node])
            if self.number == -np.inf and tree.threshold[node] == -np.inf:  # no value is at it
                self.number, swapped = np.inf, True
        if swapped:
            self.true, self.false = self.false, self.true
            self.nan_true = not self.nan_true


def _asks(tree: TreeKernel, floats: Floats) -> dict[int, _Test]:
    """Give what each inner node asks."""
    cuts = boundaries(tree, floats)
    inner = np.flatnonzero(tree.feature >= 0).tolist()
    return {node: _Test(tree, node, cuts[node]) for node in inner}


def add_one_tree(graph: Graph, tree: TreeKernel) -> str:
    """Add an operator that gives the number of each row's class; sets need the newer one."""
    if graph.newer:
        codes = tree.leaf_class.astype(np.float64)
        return add_trees(graph, [tree], [codes], [0], 1)
    tests = _asks(tree, graph.floats)
    n = tree.n_nodes
    leaves = np.flatnonzero(tree.feature < 0).tolist()
    return graph.add(
        "TreeEnsembleRegressor",
        [graph.columns],
        domain=ML,
        n_targets=1,
        nodes_treeids=[0] * n,
        nodes_nodeids=list(range(n)),
        nodes_featureids=[tests[i].column if i in tests else 0 for i in range(n)],
        nodes_modes=["BRANCH_LEQ" if i in tests else "LEAF" for i in range(n)],
        nodes_truenodeids=[tests[i].true if i in tests else 0 for i in range(n)],
        nodes_falsenodeids=[tests[i].false if i in tests else 0 for i in range(n)],
        nodes_missing_value_tracks_true=[
            int(tests[i].nan_true) if i in tests else 0 for i in range(n)
        ],
        target_treeids=[0] * len(leaves),
        target_nodeids=leaves,
        target_ids=[0] * len(leaves),
        **_numbers(graph, "nodes_values", [tests[i].number if i in tests else 0 for i in range(n)]),
        **_numbers(graph, "target_weights", tree.leaf_class[leaves].tolist()),
    )


def _numbers(graph: Graph, name: str, values: Sequence[float]) -> dict[str, Any]:
    """Give an attribute of numbers, which is a tensor where rows are float64."""
    if graph.floats == "float64":
        return {f"{name}_as_tensor": graph.tensor(values)}
    return {name: [float(value) for value in values]}


def add_trees(
    graph: Graph,
    trees: Sequence[TreeKernel],
    values: Sequence[NDArray[np.float64]],
    targets: Sequence[int],
    n_targets: int,
) -> str:
    """Add a TreeEnsemble; ``values`` has, per tree and node, what a leaf adds to its target."""
    nodes: list[_Test] = []
    links: list[tuple[int, int, int, int]] = []  # true, whether a leaf, false, whether a leaf
    roots: list[int] = []
    weights: list[float] = []
    leaf_targets: list[int] = []
    for tree, own, target in zip(trees, values, targets, strict=True):
        tests = _asks(tree, graph.floats)
        first_leaf, first_node = len(weights), len(nodes)
        leaves = np.flatnonzero(tree.feature < 0).tolist()
        place = {node: (first_leaf + i, 1) for i, node in enumerate(leaves)}
        place |= {node: (first_node + i, 0) for i, node in enumerate(tests)}
        apart = [test.false for test in tests.values() if _joined(test, tests)]
        between = {node: (first_node + len(tests) + i, 0) for i, node in enumerate(apart)}
        weights += own[leaves].tolist()
        leaf_targets += [target] * len(leaves)
        roots.append(first_node)
        for test in tests.values():
            nodes.append(test)
            links.append((*place[test.true], *between.get(test.false, place[test.false])))
        for node in apart:
            nodes.append(_always(tests[node].column))
            links.append((*place[node], first_leaf, 1))
        if not tests:  # a tree that is one leaf: a node both of whose sides it is
            nodes.append(_always(0))
            links.append((first_leaf, 1, first_leaf, 1))
    members = [
        number for test in nodes if test.members is not None for number in [*test.members, np.nan]
    ]
    given: dict[str, Any] = {"membership_values": graph.tensor(members)} if members else {}
    modes = np.array([LEQ if t.members is None else MEMBER for t in nodes], dtype=np.uint8)
    return graph.add(
        "TreeEnsemble",
        [graph.columns],
        domain=ML,
        n_targets=n_targets,
        aggregate_function=1,
        post_transform=0,
        tree_roots=roots,
        nodes_modes=graph.onnx.numpy_helper.from_array(modes, ""),
        nodes_featureids=[test.column for test in nodes],
        nodes_splits=graph.tensor([test.number for test in nodes]),
        nodes_missing_value_tracks_true=[int(test.nan_true) for test in nodes],
        nodes_truenodeids=[link[0] for link in links],
        nodes_trueleafs=[link[1] for link in links],
        nodes_falsenodeids=[link[2] for link in links],
        nodes_falseleafs=[link[3] for link in links],
        leaf_targetids=leaf_targets,
        leaf_weights=graph.tensor(weights),
        **given,
    )


def _joined(test: _Test, tests: Mapping[int, _Test]) -> bool:
    """Whether onnxruntime may make one test of a node's set and that of the node on its false side.

    It does where their true sides look equal, whatever the sides of NaN are, both those of the two
    nodes and those further down: a missing value could then go the wrong way.
    """
    below = tests.get(test.false)
    if below is None or test.members is None or below.members is None:
        return False
    return test.column == below.column


def _always(column: int) -> Any:
    """Give a node whose condition holds for every value, also for NaN."""
    test = _Test.__new__(_Test)
    test.column, test.number, test.nan_true, test.members = column, np.inf, True, None
    return test
