"""Trees and sums of trees in ONNX.

In:  a ``ModelProto`` with one TreeEnsembleClassifier, TreeEnsembleRegressor or TreeEnsemble, or
     what ``Tree.to_onnx`` writes.
Out: ``ColumnModel``. onnxruntime begins at 0, adds one tree after the other in the precision of the
     columns, and the base values last; how its sums become labels or numbers is followed operator
     by operator. With several threads and many trees it adds up chunks in another order; what is
     read is the order of one thread (docs/decisions/0028).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, UnreadableModel
from ..model import BELOW_FLOAT32, Adding, Floats, Label, Link, Rule
from .builder import MAX_NODES, ColumnModel, ModelBuilder, Table
from .checks import damaged
from .onnx_columns import Codes, Columns, columns_of, refused
from .onnx_model import TASK_KEY, TREES, OnnxModel, attributes

__all__ = ["from_onnx", "knows"]

SAVE = "onnx.save(model, 'model.onnx')"
AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")  # in the order of their numbers in TreeEnsemble
KEEPS = ("Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Cast")
INT64, STRING = 7, 8
MAX_CELLS = 2**26  # leaves x targets
MAX_SHARES = 2**20  # leaves x labels, up to which a tree of labels can be asked as a sum
MODES = ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")
RELATIONS = {"LEQ": "<=", "LT": "<", "GTE": ">=", "GT": ">"}
HOLDS = {
    "LEQ": np.less_equal, "LT": np.less, "GTE": np.greater_equal, "GT": np.greater,
    "EQ": np.equal, "NEQ": np.not_equal,
}  # fmt: skip

Ints = NDArray[np.int64]


def knows(model: Any) -> bool:
    """Whether it is a model of ONNX."""
    import onnx

    return isinstance(model, onnx.ModelProto)


def from_onnx(model: Any) -> ColumnModel:
    """Read all trees, and how onnxruntime makes a class or a number of their sum."""
    graph = _tree_graph(model)
    if graph.single and len(graph.trees.roots) > 1:
        warnings.warn(
            "onnxruntime rounds the numbers of this model to float32 in the end; what is read is "
            "the sum before that, in float64",
            UserWarning,
            stacklevel=4,
        )
    with damaged("ONNX", save=SAVE):
        labels, one_tree = graph.classes, len(graph.trees.roots) == 1
        if labels is None or not one_tree:
            return _sums(graph)
        if graph.is_regression or graph.rule == "number" or not graph.every:
            return _labelled(graph, labels)
        return _sums(graph)


def _sums(graph: TreeGraph) -> ColumnModel:
    """Read what the leaves add; numbers are added in the precision of the columns."""
    stored, targets = graph.trees, [graph.of]
    if graph.rule == "largest":
        targets = list(range(stored.n_targets))
    builder = ModelBuilder(stored.table)
    for root in stored.roots:
        for node in stored.leaves(builder, root):
            weights = stored.weights[node]
            builder.leaf_adds(*(float(graph.round(weights.get(k, 0.0))) for k in targets))
    adding = Adding(
        "float64" if graph.double else "float32",
        base=tuple(graph.base[k] for k in targets),
        base_last=True,
        divisor=graph.divisor,
    )
    kind: Any = {"largest": "largest", "above": "cuts", "number": "number"}[graph.rule]
    outputs = _to_float32 if graph.single and len(stored.roots) == 1 else None
    rule = Rule(kind, graph.cuts)
    return builder.finish(graph.classes, adding, rule, graph.link, outputs=outputs)


def _to_float32(numbers: Floats) -> Floats:
    return numbers.astype(np.float32)


def _labelled(graph: TreeGraph, labels: list[Label]) -> ColumnModel:
    """Read one tree whose leaves are looked up in a table of labels, or of numbers."""
    stored = graph.trees
    builder = ModelBuilder(stored.table)
    few = len(labels) * len(stored.weights) <= MAX_SHARES
    for node in stored.leaves(builder, stored.roots[0]):
        number = graph.position(stored.weights[node])
        position = int(number)
        if position != number or not 0 <= position < len(labels):
            raise UnreadableModel(
                f"a leaf of the ONNX model looks up label {number}: it is damaged"
            )
        if graph.is_regression:
            builder.leaf_adds(float(labels[position]))
        elif few:
            builder.leaf_adds(*(float(k == position) for k in range(len(labels))))
        else:
            builder.leaf_number(position)
    if graph.is_regression:
        return builder.finish(rule=Rule("number"))
    if not few:
        return builder.finish(labels)
    return builder.finish(labels, Adding(base=(0.0,) * len(labels)), Rule("largest"))


# -- the graph -------------------------------------------------------------------------------------


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

    @property
    def round(self) -> Any:
        """Round a number to the precision of the sums."""
        return np.float64 if self.double else np.float32

    @property
    def is_regression(self) -> bool:
        """Whether the labels that are looked up are the numbers that are predicted."""
        numbers = all(isinstance(label, float) for label in self.classes or ())
        return self.task == "regression" or (self.task is None and numbers)

    def position(self, weights: dict[int, float]) -> Any:
        """Return which label a leaf of the only tree looks up."""
        scores = {
            k: self.round(weights.get(k, 0.0)) + self.round(base)
            for k, base in enumerate(self.base)
            if self.every or k in weights
        }
        if self.rule == "largest":
            return max(scores, key=lambda k: scores[k] / self.round(self.divisor))
        if self.rule == "above":
            return sum(scores[self.of] > cut for cut in self.cuts)
        return scores[self.of] / self.round(self.divisor)


def _tree_graph(proto: Any) -> TreeGraph:
    """Find the tree operator of a model, and follow it to where columns come in and answers go."""
    with damaged("ONNX", save=SAVE):
        model = OnnxModel.of(proto)
        operators = [node for node in model.nodes if node.op_type in TREES]
        if len(operators) != 1:
            kinds = sorted({node.op_type for node in model.nodes})
            raise UnreadableModel(
                f"the ONNX model must have one operator of trees ({', '.join(TREES)}), and has "
                f"{len(operators)} of them among {kinds!s:.200}: read the model that it was made "
                "from"
            )
        node = operators[0]
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
    if cells > MAX_CELLS:
        raise UnreadableModel(
            f"the ONNX model has {trees.n_targets:,} targets or classes and {len(trees.weights):,} "
            f"leaves, together more than {MAX_CELLS:,} numbers: it is damaged, or too large"
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


# -- nodes and leaves ------------------------------------------------------------------------------


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

    def leaves(self, builder: ModelBuilder, root: int) -> Iterator[int]:
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
                if size[node] > MAX_NODES:
                    raise InvalidTree(f"a tree unfolds to more than {MAX_NODES:,} nodes")
                continue
            open_nodes.add(node)
            if ahead[0] in open_nodes:
                raise InvalidTree(f"node {node} is its own descendant: this is a cycle, not a tree")
            todo.append(ahead[0])
        return size

    def _describe_equal(self, builder: ModelBuilder, node: int, part: str) -> None:
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


def _end(table: Table, number: float, relation: str) -> float:
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
