"""The one tree operator of an ONNX graph, and what becomes of what it says.

In:  an ``OnnxModel``.
Out: ``TreeGraph``: the trees, and how their sums become labels or numbers, as onnxruntime computes
     it (docs/decisions/0028).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..errors import UnreadableModel
from ..model import Label, Link
from .checks import damaged
from .onnx_before import refused
from .onnx_columns import columns_of
from .onnx_model import TASK_KEY, TREES, OnnxModel, attributes
from .onnx_trees import StoredTrees, newer_trees, older_trees

__all__ = ["SAVE", "TreeGraph", "tree_graph"]

SAVE = "onnx.save(model, 'model.onnx')"
AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")  # in the order of their numbers in TreeEnsemble
KEEPS = ("Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Cast")
INT64, STRING = 7, 8
MOST_CELLS = 2**26  # leaves x targets


@dataclass(frozen=True)
class TreeGraph:
    """Trees, and what becomes of their sums.

    Attributes
    ----------
    trees : all of them
    classes : labels; None for numbers
    base : per target what is added after the last tree
    divisor : by which the sum is divided
    rule : "largest": the class of the largest target; "above": of target ``of``, how many cuts it
        is above; "number": the number itself
    cuts : for "above"
    of : the target that "above" and "number" look at
    link : what is made of a number
    every : whether a class counts to which no leaf has added
    single : whether the number is rounded to float32 in the end, although sums are float64
    task : what labels that are looked up are for; None: nobody says
    """

    trees: StoredTrees
    classes: list[Label] | None
    base: tuple[float, ...]
    divisor: float
    rule: Literal["largest", "above", "number"]
    cuts: tuple[float, ...] = ()
    of: int = 0
    link: Link = "identity"
    every: bool = True
    single: bool = False
    task: str | None = None

    @property
    def double(self) -> bool:
        """Whether sums are float64."""
        return self.trees.columns.double


def tree_graph(proto: Any) -> TreeGraph:
    """Find the tree operator of a model, and follow it to where columns come in and answers go."""
    with damaged("ONNX", save=SAVE):
        model = OnnxModel.of(proto)
        found = [node for node in model.nodes if node.op_type in TREES]
        if len(found) != 1:
            kinds = sorted({node.op_type for node in model.nodes})
            raise UnreadableModel(
                f"the ONNX model must have one operator of trees ({', '.join(TREES)}), and has "
                f"{len(found)} of them among {kinds!s:.200}: read the model that it was made from"
            )
        node = found[0]
        given, columns = attributes(node), columns_of(model, node.input[0])
        after = _path(model, node)
        if node.op_type == "TreeEnsembleClassifier":
            return _classifier(given, columns, after)
        if node.op_type == "TreeEnsembleRegressor":
            aggregate = given.get("aggregate_function", "SUM")
            trees = older_trees(given, columns, "target", int(given.get("n_targets", 1)))
        else:
            aggregate = AGGREGATES[int(given.get("aggregate_function", 1))]
            trees = newer_trees(given, columns)
        if given.get("post_transform", "NONE") not in ("NONE", 0):
            raise UnreadableModel(
                f"the trees of the ONNX model have the post_transform "
                f"{given['post_transform']!r:.40}, which is not read: only NONE is"
            )
        _check_weights(trees)
        graph = _numbers(model, given, trees, aggregate, after)
        single = node.op_type == "TreeEnsembleRegressor" and graph.double
        if single and len(trees.roots) > 1 and graph.classes is not None:
            raise UnreadableModel(
                "the regressor of the ONNX model rounds its sums to float32 before they become "
                "classes, which is not read"
            )
        return replace(graph, single=single)


def _path(model: OnnxModel, node: Any) -> list[Any]:
    """Give the operators between the trees and the answer, first to last."""
    first, why = node.output[0], None
    for output in model.outputs:
        path: list[Any] = []
        value = output
        while value != first:
            maker = model.made_by.get(value)
            if maker is None or len(path) > len(model.nodes):
                break
            path.append(maker)
            moving = [name for name in maker.input if name and name not in model.constants]
            if len(moving) != 1:
                why = maker if why is None else why
                break
            value = moving[0]
        else:
            return path[::-1]
    if why is not None:
        raise refused(why, "after")
    raise UnreadableModel(
        "no output of the ONNX model is what its trees answer, so that what it decides is not read"
    )


def _constant(model: OnnxModel, node: Any) -> np.ndarray:
    own = [model.constants[name] for name in node.input if name in model.constants]
    if len(own) != 1:
        raise refused(node, "after")
    return own[0]


def _check_weights(trees: StoredTrees) -> None:
    """Refuse too many targets, and leaves that add nothing: onnxruntime ends with an error."""
    cells = trees.n_targets * len(trees.weights)
    if cells > MOST_CELLS:
        raise UnreadableModel(
            f"the ONNX model has {trees.n_targets:,} targets or classes and {len(trees.weights):,} "
            f"leaves, together more than {MOST_CELLS:,} numbers: it is damaged, or too large"
        )
    for node, mode in enumerate(trees.mode):
        if not mode and not trees.weights.get(node):
            raise UnreadableModel(f"node {node} of the ONNX model is a leaf without a weight")


# -- classifiers -----------------------------------------------------------------------------------


def _classifier(given: dict[str, Any], columns: Any, after: list[Any]) -> TreeGraph:
    labels: list[Label] = list(given.get("classlabels_strings") or [])
    text = bool(labels)
    if not labels:
        labels = np.asarray(given.get("classlabels_int64s", [])).tolist()
    trees = older_trees(given, columns, "class", max(len(labels), 1))
    _check_weights(trees)
    base = given.get("base_values_as_tensor", given.get("base_values", np.zeros(0)))
    base = np.asarray(base, dtype=np.float64).ravel()
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise UnreadableModel(
            f"the classifier of the ONNX model has the labels {labels!r:.80}: at least two that "
            "differ are needed (with one, onnxruntime ends the whole process)"
        )
    for node in after:
        _check_label_step(node, text)
    return _several(trees, labels, base) if len(labels) > 2 else _two(trees, labels, base, text)


def _several(trees: StoredTrees, labels: list[Label], base: np.ndarray) -> TreeGraph:
    """Take the largest score; without base values, of classes that some leaf has added to."""
    n = len(labels)
    if len(base) not in (0, n):
        raise UnreadableModel(f"the ONNX model has {len(base)} base_values for {n} classes")
    every = len(base) > 0 or all(_always(trees, k) for k in range(n))
    if not every and len(trees.roots) > 1:
        lowest = min(w for own in trees.weights.values() for w in own.values())
        positive = all(max(own.values()) > 0 for own in trees.weights.values())
        if lowest < 0 or not positive:
            raise UnreadableModel(
                "some leaves of the ONNX model say nothing of some classes, and others add numbers "
                "below 0: onnxruntime leaves such classes out, which is not read"
            )
    numbers = tuple(base.tolist()) if len(base) else (0.0,) * n
    return TreeGraph(trees, labels, numbers, 1.0, "largest", every=every)


def _two(
    trees: StoredTrees, labels: list[Label], base: np.ndarray, text: bool
) -> TreeGraph:  # fmt: skip
    """Take one score that is compared with 0, or with one half where no weight is below 0."""
    ids = {k for own in trees.weights.values() for k in own}
    positive = all(w >= 0 for own in trees.weights.values() for w in own.values())
    if ids == {0, 1}:
        if len(base) or not _always(trees, 1):
            raise UnreadableModel(
                "the ONNX model has two classes, weights of both, and base_values or leaves of one "
                "class only: what onnxruntime makes of this is not read"
            )
        # onnxruntime then looks at the second score only, and gives numbers 0 and 1 for labels.
        classes: list[Label] = labels if text else [0, 1]
        return TreeGraph(trees, classes, (0.0, 0.0), 1.0, "above", (0.0,), of=1)
    of = ids.pop()
    if len(base) > 1 or (len(base) and of == 1):
        raise UnreadableModel(
            f"the ONNX model has two classes, weights of class {of} only and {len(base)} "
            "base_values: what onnxruntime makes of this is not read"
        )
    numbers = [0.0, 0.0]
    numbers[of] = float(base[0]) if len(base) else 0.0
    cut = 0.5 if positive else 0.0
    return TreeGraph(trees, labels, tuple(numbers), 1.0, "above", (cut,), of=of)


def _always(trees: StoredTrees, target: int) -> bool:
    """Whether in some tree every leaf adds to a target."""
    for root in trees.roots:
        leaves = [node for node in trees.nodes_below(root) if not trees.mode[node]]
        if all(target in trees.weights[node] for node in leaves):
            return True
    return False


def _check_label_step(node: Any, text: bool) -> None:
    """Refuse what does not leave a label as it is."""
    kind = node.op_type
    if kind == "Cast" and attributes(node).get("to") != (STRING if text else INT64):
        raise refused(node, "(of labels) after")
    if kind not in KEEPS:
        raise refused(node, "after")


# -- numbers ---------------------------------------------------------------------------------------


def _numbers(
    model: OnnxModel, given: dict[str, Any], trees: StoredTrees, aggregate: str, after: list[Any]
) -> TreeGraph:
    """Follow the sums of a regressor to numbers, or to labels that are looked up by them."""
    n = trees.n_targets
    base = given.get("base_values_as_tensor", given.get("base_values", np.zeros(0)))
    base = np.asarray(base, dtype=np.float64).ravel()
    if len(base) not in (0, n):
        raise UnreadableModel(f"the ONNX model has {len(base)} base_values for {n} targets")
    if aggregate not in ("SUM", "AVERAGE") and len(trees.roots) > 1:
        raise UnreadableModel(f"the ONNX model takes the {aggregate} of its trees, not their sum")
    divisor = float(len(trees.roots)) if aggregate == "AVERAGE" else 1.0
    if divisor != 1.0 and base.any():
        raise UnreadableModel(
            "the ONNX model averages its trees and adds a base, which is not read"
        )
    numbers = tuple(base.tolist()) if len(base) else (0.0,) * n
    state = _Followed(numbers, divisor)
    for node in after:
        state.step(model, node)
    return state.graph(trees, model.metadata.get(TASK_KEY))


class _Followed:
    """What a sum has become so far, operator by operator."""

    def __init__(self, base: tuple[float, ...], divisor: float) -> None:
        self.base, self.divisor = base, divisor
        self.kind = "sum"  # then "above" or "index", and in the end "label"
        self.link: Link = "identity"
        self.cuts: tuple[float, ...] = ()
        self.whole = False
        self.rule: Literal["largest", "above", "number"] = "number"
        self.labels: list[Any] | None = None

    def step(self, model: OnnxModel, node: Any) -> None:
        kind = node.op_type
        plain = self.kind == "sum" and self.link == "identity"
        if kind == "Cast":
            to = attributes(node).get("to")
            if self.kind == "sum" and to == INT64 and not self.whole and self.divisor == 1.0:
                self.whole = True
            elif self.kind not in ("above", "index") or to != INT64:
                raise refused(node, "after")
        elif kind in KEEPS:
            pass
        elif kind == "Div" and plain and self.divisor == 1.0 and not any(self.base):
            self.divisor = float(_constant(model, node).ravel()[0])
            if _constant(model, node).size != 1 or not self.divisor > 0:
                raise refused(node, "(not by one number above 0) after")
        elif kind in ("Exp", "Sigmoid") and plain and not self.whole:
            self.link = "exp" if kind == "Exp" else "logistic"
        elif kind == "ArgMax" and plain and len(self.base) > 1:
            own = attributes(node)
            if own.get("axis", 0) not in (1, -1) or own.get("select_last_index", 0):
                raise refused(node, "(not the first of each row) after")
            self.kind, self.rule = "index", "largest"
        elif kind == "Greater" and plain and len(self.base) == 1 and self.divisor == 1.0:
            self.cuts = tuple(_constant(model, node).ravel().astype(np.float64).tolist())
            self.kind, self.rule = "above", "above"
        elif kind == "ReduceSum" and self.kind == "above":
            self.kind = "index"
        elif kind in ("Gather", "ArrayFeatureExtractor") and self.labels is None:
            if self.kind != "index" and not self.whole:
                raise refused(node, "after")
            self.labels = [_plain(v) for v in _constant(model, node).ravel().tolist()]
            self.kind = "label"
        else:
            raise refused(node, "after")

    def graph(self, trees: StoredTrees, task: str | None) -> TreeGraph:
        if self.kind in ("above", "index") or (self.kind == "sum" and len(self.base) > 1):
            raise UnreadableModel(
                f"the ONNX model gives {len(self.base)} numbers, or the number of a class: only "
                "one number, or the label of a class, is read"
            )
        if self.whole:  # a table of labels by the number at the leaf
            if self.kind != "label" or len(trees.roots) != 1 or len(self.base) != 1:
                raise UnreadableModel("the ONNX model cuts fractions off its numbers: not read")
            return TreeGraph(trees, self.labels, self.base, 1.0, "number", task=task)
        return TreeGraph(
            trees, self.labels, self.base, self.divisor, self.rule, self.cuts, 0, self.link,
            task=task,
        )  # fmt: skip


def _plain(value: Any) -> Label:
    out: Label = value.decode("utf-8") if isinstance(value, bytes) else value
    return out
