"""What an ensemble decides, as a model of ONNX.

In:  an ``Ensemble``.
Out: bytes. A TreeEnsemble adds one tree after the other, in the library's own precision and order,
     where the base is a tree of one leaf; so sums are the library's to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidTree
from ...model import Floats, TreeBuilder, TreeKernel, value_at_most
from .onnx_graph import Graph
from .onnx_trees import add_trees
from .plain import plain

if TYPE_CHECKING:
    from ...model import SumKernel, TreeKernel

__all__ = ["ensemble_as_onnx"]

Part = tuple["TreeKernel", Floats, int]  # a tree, per node what it adds, and to which score


def _leaf_values(tree: TreeKernel, own: Floats) -> Floats:
    """Give, per node and score, what a leaf adds; its class is its place among the values."""
    out = np.zeros((tree.n_nodes, own.shape[1]))
    leaves = tree.feature < 0
    out[leaves] = own[tree.leaf_class[leaves]]
    return out


def _parts_with_base(ensemble: SumKernel) -> list[Part]:
    """Give all trees in the order in which they are added, each for one score.

    What a leaf adds to several scores becomes several trees. The base is a tree of one leaf, first
    or last. What adds nothing is left out.
    """
    parts: list[Part] = []
    for tree, own in zip(ensemble.trees, ensemble.values, strict=True):
        by_node = _leaf_values(tree, own)
        parts += [(tree, by_node[:, k], k) for k in range(own.shape[1]) if own[:, k].any()]
    nodes = TreeBuilder()
    nodes.leaf(nodes.reserve(), 0)
    leaf = TreeKernel(ensemble.space, [0], **nodes.arrays())
    base: list[Part] = [
        (leaf, np.array([number]), k) for k, number in enumerate(ensemble.adding.base) if number
    ]
    return (parts + base if ensemble.adding.base_last else base + parts) or [(leaf, np.zeros(1), 0)]


def ensemble_as_onnx(ensemble: SumKernel) -> bytes:
    """Write a model of ONNX that decides as ``predict`` does; see ``Ensemble.to_onnx``."""
    ensemble = plain(ensemble, "to_onnx")
    adding, rule = ensemble.adding, ensemble.rule
    if rule.kind == "number" and (ensemble.link != "identity" or ensemble.factor != 1):
        raise InvalidTree(
            f"this model gives the function {ensemble.link!r} of a sum (times {ensemble.factor}), "
            "which every runtime rounds in its own way, so that ONNX cannot have it exactly: read "
            "it with an objective whose prediction is the sum itself"
        )
    graph = Graph(ensemble.space, adding.precision, newer=True)
    parts = _parts_with_base(ensemble)
    trees, values, targets = zip(*parts, strict=True)
    sums = add_trees(graph, trees, values, targets, ensemble.n_scores)
    scores = sums
    if adding.divisor != 1:
        scores = graph.add("Div", [sums, graph.constant(adding.divisor, adding.precision)])
    if rule.kind == "number":
        graph.output("number", graph.flat(scores), adding.precision)
    else:
        if rule.kind == "largest":
            place = graph.add("ArgMax", [scores], axis=1, keepdims=0)
        else:
            cuts = np.array(rule.cuts)
            if adding.precision == "float32":
                cuts = value_at_most(cuts, "float32")
            above = graph.add("Greater", [sums, graph.constant(cuts[None, :], adding.precision)])
            place = graph.total(graph.cast(above, "int64"))
        labels, kind = graph.labels(ensemble.classes)
        graph.output("label", graph.add("Gather", [labels, place], axis=0), kind)
        graph.output("scores", scores, adding.precision, ensemble.n_scores)
    graph.complete(ensemble.used)
    return graph.write({"orderless.task": ensemble.task})
