"""What a tree decides, as a model of ONNX.

In:  a ``Tree``.
Out: bytes. Complete rows get their class from a tree operator; whether a row with unknown values is
     certain comes from the leaf masks, as plain comparisons (docs/decisions/0028).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidParameter, TooLarge
from ...model import Flags
from .onnx_graph import Floats, Graph, boundaries, codes_of
from .onnx_trees import add_one_tree
from .plain import plain

if TYPE_CHECKING:
    from ...model import TreeKernel

__all__ = ["tree_as_onnx"]

MOST_CELLS = 2**27  # of all masks


def _floats_of(tree: TreeKernel, floats: Floats | None, used: tuple[int, ...]) -> Floats:
    """Choose in which floats rows are given: float32 if every feature that is asked about is."""
    if floats is None:
        own = [tree.space.features[i] for i in used]
        plain = all(f.kind == "numeric" and f.values == "float32" for f in own)
        return "float32" if plain else "float64"
    if floats not in ("float32", "float64"):
        raise InvalidParameter(
            f"floats must be 'float32', 'float64' or None, got {floats!r:.80}", "floats"
        )
    return floats


def tree_as_onnx(tree: TreeKernel, *, floats: Floats | None = None, unknowns: bool = True) -> bytes:
    """Write a model of ONNX that decides as ``predict`` does; see ``Tree.to_onnx``."""
    tree = plain(tree, "to_onnx")
    sets = any(not tree.space.features[i].ordered for i in tree.used)
    graph = Graph(tree.space, _floats_of(tree, floats, tree.used), newer=sets)
    code = graph.flat(graph.cast(add_one_tree(graph, tree), "int64"))
    labels, kind = graph.labels(tree.classes)
    number = tree.task == "regression"
    answer = graph.add("Gather", [labels, code], axis=0)
    graph.output("number" if number else "label", answer, kind)
    if unknowns:
        _add_unknowns(graph, tree)
    else:
        graph.complete(tree.used)
    return graph.write({"orderless.task": tree.task})


def _add_unknowns(graph: Graph, tree: TreeKernel) -> None:
    """Add the results that say what is certain."""
    leaves = np.flatnonzero(tree.feature < 0)
    masks = _masks(tree, leaves)
    reach = None
    for i, mask in masks.items():
        own = graph.add("Gather", [graph.constant(mask), _bin(graph, tree, i)], axis=0)
        reach = own if reach is None else graph.add("And", [reach, own])
    assert reach is not None
    n = len(tree.classes)
    of_class = np.zeros((len(leaves), n), dtype=np.float32)
    of_class[np.arange(len(leaves)), tree.leaf_class[leaves]] = 1.0
    counts = graph.add("MatMul", [graph.cast(reach, "float32"), graph.constant(of_class)])
    possible = graph.add("Greater", [counts, graph.constant(np.float32(0))])
    how_many = graph.total(graph.cast(possible, "int64"))
    certain = graph.add("Equal", [how_many, graph.constant(1, "int64")])
    graph.output("certain", certain, "bool")
    if tree.task == "classification":
        graph.output("possible", possible, "bool", n)
        return
    numbers = graph.constant(np.array(tree.classes, dtype=np.float64))
    for name, kind, beyond in (("lower", "ReduceMin", np.inf), ("upper", "ReduceMax", -np.inf)):
        own = graph.add("Where", [possible, numbers, graph.constant(beyond, "float64")])
        # The axis is an input from version 18 on, and an attribute before.
        if graph.newer:
            end = graph.add(kind, [own, graph.constant([1], "int64")], keepdims=0)
        else:
            end = graph.add(kind, [own], axes=[1], keepdims=0)
        graph.output(name, end, "float64")


def _cuts(tree: TreeKernel, i: int) -> NDArray[np.float64]:
    """Give the nodes' finite boundaries on a feature, as they are in the tree."""
    own: NDArray[np.float64] = np.unique(tree.threshold[tree.feature == i])
    return own[np.isfinite(own)]


def _masks(tree: TreeKernel, leaves: NDArray[np.intp]) -> dict[int, Flags]:
    """Give, per feature, which leaves each of its bins can reach; the last one is for NaN.

    An unknown value can reach what any value can. Bins of a categorical feature: first any value
    that is not listed, then its categories.
    """
    used = tree.used or (0,)
    sizes = {}
    for i in used:
        feature = tree.space.features[i]
        sizes[i] = len(_cuts(tree, i)) + 2 if feature.ordered else len(feature.categories) + 2
    cells = sum(sizes.values()) * len(leaves)
    if cells > MOST_CELLS:
        raise TooLarge(
            f"what is certain takes {cells:,} cells, and at most {MOST_CELLS:,} are written: give "
            "unknowns=False, which writes a model for complete rows",
            cells,
        )
    place = {node: k for k, node in enumerate(leaves.tolist())}
    out = {i: np.ones((size, len(leaves)), dtype=bool) for i, size in sizes.items()}
    todo: list[tuple[int, dict[int, Flags]]] = [(0, {})]
    start = {i: _start(tree, i, size) for i, size in sizes.items()}
    while todo:
        node, sides = todo.pop()
        i = int(tree.feature[node])
        if i < 0:
            for j in used:
                out[j][:, place[node]] = sides.get(j, start[j])
            continue
        holds = _holds(tree, node, sizes[i])
        before = sides.get(i, start[i])
        free = np.zeros(sizes[i], dtype=bool)
        free[-1] = not tree.space.features[i].nan  # an unknown value can go both ways
        todo.append((int(tree.when_true[node]), {**sides, i: before & (holds | free)}))
        todo.append((int(tree.when_false[node]), {**sides, i: before & (~holds | free)}))
    return out


def _start(tree: TreeKernel, i: int, size: int) -> Flags:
    """Give the bins that there are: nothing is unlisted where a feature has no other values."""
    feature = tree.space.features[i]
    out = np.ones(size, dtype=bool)
    if not feature.ordered:
        out[0] = feature.other
    return out


def _holds(tree: TreeKernel, node: int, size: int) -> Flags:
    """Tell in which bins of its feature a node's condition holds."""
    i = int(tree.feature[node])
    feature = tree.space.features[i]
    out = np.zeros(size, dtype=bool)
    if feature.ordered:
        threshold = tree.threshold[node]
        if threshold != -np.inf:
            out[: np.searchsorted(_cuts(tree, i), threshold) + 1] = True
        if threshold == np.inf:
            out[:-1] = True
        out[-1] = tree.nan_true[node]
        return out
    k = len(feature.categories)
    for code in tree.set_of(node).tolist():
        if code < k:
            out[code + 1] = True
        else:
            out[0 if feature.other and code == k else -1] = True
    return out


def _bin(graph: Graph, tree: TreeKernel, i: int) -> str:
    """Add what finds the bin of each row's value."""
    feature = tree.space.features[i]
    value = graph.column(i)
    codes = codes_of(feature)
    if codes is None:
        nodes = np.flatnonzero(tree.feature == i)
        cuts, first = np.unique(tree.threshold[nodes], return_index=True)
        rows = boundaries(tree, graph.floats)[nodes][first][np.isfinite(cuts)]
        size = len(rows)
        rows = rows if size else np.array([np.inf])
        above = graph.add("Greater", [value, graph.constant(rows[None, :], graph.floats)])
        place = graph.total(graph.cast(above, "int64"))
    else:
        size = len(codes)
        same = graph.add("Equal", [value, graph.constant([codes], graph.floats)])
        numbers = graph.constant([list(range(1, size + 1))], "int64")
        place = graph.total(graph.add("Mul", [graph.cast(same, "int64"), numbers]))
    gap = graph.flat(graph.add("IsNaN", [value]))
    return graph.add("Where", [gap, graph.constant(size + 1, "int64"), place])
