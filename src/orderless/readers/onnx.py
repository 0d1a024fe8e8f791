"""Trees in ONNX.

In:  a ``ModelProto`` with one tree: a classifier, a regressor, or what ``Tree.to_onnx`` writes.
Out: ``ColumnTree``. What a leaf says is computed as onnxruntime does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import UnreadableModel
from .build import ColumnTree, TreeBuilder
from .checks import damaged
from .onnx_graph import SAVE, TreeGraph, tree_graph

__all__ = ["from_onnx", "knows"]


def knows(model: Any) -> bool:
    """Whether it is a model of ONNX."""
    import onnx

    return isinstance(model, onnx.ModelProto)


def from_onnx(model: Any) -> ColumnTree:
    """Read a model of one tree."""
    graph = tree_graph(model)
    if len(graph.trees.roots) != 1:
        raise UnreadableModel(
            f"this ONNX model adds up {len(graph.trees.roots):,} trees, and one is needed: "
            "orderless.read(model) reads all of it"
        )
    if graph.link != "identity":
        raise UnreadableModel(
            f"this ONNX model gives the function {graph.link!r} of the number at a leaf, which "
            "every runtime rounds in its own way, and not the number: orderless.read(model) "
            "reads it as a sum"
        )
    with damaged("ONNX", save=SAVE):
        builder = TreeBuilder(graph.trees.table)
        for node in graph.trees.leaves(builder, graph.trees.roots[0]):
            number = _number(graph, graph.trees.weights[node])
            if graph.classes is None:
                builder.leaf_of_number(number)
            else:
                builder.leaf(graph.classes[_place(graph, number)])
        if graph.classes is None:
            precision: Any = "float64" if graph.double and not graph.single else "float32"
            return replace(builder.finish(), precision=precision)
        numbers = all(isinstance(label, float) for label in graph.classes)
        if graph.task == "regression" or (graph.task is None and numbers):
            return replace(builder.finish(sorted(set(graph.classes))), task="regression")
        return builder.finish(graph.classes)


def _number(graph: TreeGraph, weights: dict[int, float]) -> Any:
    """Give the place of a leaf's class, or its number, rounded as onnxruntime rounds."""
    wide = np.float64 if graph.double else np.float32
    scores = [
        wide(weights.get(k, 0.0)) + wide(base)
        for k, base in enumerate(graph.base)
        if k in weights or graph.every
    ]
    places = [k for k in range(len(graph.base)) if k in weights or graph.every]
    if graph.rule == "largest":
        quotients = [score / wide(graph.divisor) for score in scores]
        return places[int(np.argmax(quotients))]
    score = scores[places.index(graph.of)]
    if graph.rule == "above":
        return int(sum(score > cut for cut in graph.cuts))
    number = score / wide(graph.divisor)
    return np.float32(number) if graph.single else number


def _place(graph: TreeGraph, number: Any) -> int:
    place = int(number)
    if place != number or not 0 <= place < len(graph.classes or ()):
        raise UnreadableModel(f"a leaf of the ONNX model looks up label {number}: it is damaged")
    return place
