"""Sums of trees in ONNX.

In:  a ``ModelProto`` with a TreeEnsembleClassifier, TreeEnsembleRegressor or TreeEnsemble.
Out: ``ColumnEnsemble``. onnxruntime begins at 0, adds one tree after the other in the precision of
     the columns, and the base values last. With several threads and many trees it adds up parts in
     another order; what is read is the order of one thread (docs/decisions/0028).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...model import Adding, Rule
from ..build import TreeBuilder
from ..checks import damaged
from ..onnx import knows
from ..onnx_graph import SAVE, TreeGraph, tree_graph
from .build import ColumnEnsemble
from .rounding import check_room

__all__ = ["from_onnx", "knows"]


def from_onnx(model: Any) -> ColumnEnsemble:
    """Read all trees, and how onnxruntime makes a class or a number of their sum."""
    graph = tree_graph(model)
    if graph.single and len(graph.trees.roots) > 1:
        warnings.warn(
            "onnxruntime rounds the numbers of this model to float32 in the end; what is read is "
            "the sum before that, in float64",
            UserWarning,
            stacklevel=4,
        )
    with damaged("ONNX", save=SAVE):
        return _ensemble(graph)


def _ensemble(graph: TreeGraph) -> ColumnEnsemble:
    stored, table = graph.trees, graph.trees.table
    several = graph.rule == "largest"
    targets = list(range(stored.n_targets)) if several else [graph.of]
    trees, values = [], []
    for root in stored.roots:
        builder = TreeBuilder(table)
        own: list[list[float]] = []
        for node in stored.leaves(builder, root):
            builder.leaf_number(len(own))
            weights = stored.weights[node]
            own.append([_leaf(graph, weights.get(k, 0.0)) for k in targets])
        trees.append(builder.finish(range(len(own))))
        values.append(np.array(own, dtype=np.float64))
    base = tuple(graph.base[k] for k in targets)
    precision: Any = "float64" if graph.double else "float32"
    adding = Adding(precision, base=base, base_last=True, divisor=graph.divisor)
    check_room(values, adding)
    kind: Any = {"largest": "largest", "above": "cuts", "number": "number"}[graph.rule]
    classes = graph.classes
    if graph.rule == "number" and classes is not None:  # a table, of one tree
        return _looked_up(graph, trees, values)
    return ColumnEnsemble(
        trees, values, classes, adding, Rule(kind, graph.cuts), link=graph.link
    )  # fmt: skip


def _leaf(graph: TreeGraph, weight: float) -> float:
    """Give a weight in the precision in which it is added."""
    return weight if graph.double else float(np.float32(weight))


def _looked_up(graph: TreeGraph, trees: Any, values: Any) -> ColumnEnsemble:
    """Make an ensemble of one tree whose leaves are the places of labels, or of numbers."""
    labels = graph.classes or []
    places = [int(v) for v in values[0][:, 0]]
    if graph.task == "regression" or all(isinstance(label, float) for label in labels):
        numbers = np.array([[float(labels[p])] for p in places])
        return ColumnEnsemble(trees, [numbers], None, Adding(), Rule("number"))
    shares = np.zeros((len(places), len(labels)))
    shares[np.arange(len(places)), places] = 1.0
    if len(labels) == 1:
        return ColumnEnsemble(trees, [shares], labels, Adding(), Rule("largest"))
    base = (0.0,) * len(labels)
    return ColumnEnsemble(trees, [shares], labels, Adding(base=base), Rule("largest"))
