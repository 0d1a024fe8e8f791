"""Trees, forests and boosted trees of Spark MLlib.

In:  the JSON text that ``spark_folder`` makes of a saved model.
Out: ``ColumnModel``. Spark compares doubles; NaN is not below any threshold, and in no set. A
     forest adds shares of classes, or numbers, tree after tree in float64. Boosted trees are a
     scalar product, whose rounding depends on the BLAS that Spark finds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InvalidTree, UnreadableModel
from ..model import Adding, Floats, Label, Rule, formats
from .builder import ColumnModel, ModelBuilder, Table, whole_number
from .checks import check_links, damaged
from .preprocessing.stage import Before, Encode, Pass, Rescale, Stage, Wire
from .spark_folder import SAVE, SPARK_FORMAT

__all__ = ["from_text", "knows_text"]

MAX_CATEGORIES = 10**6
INFINITE = {"-Inf": -np.inf, "Inf": np.inf, "-inf": -np.inf, "inf": np.inf}

Node = dict[str, Any]


def knows_text(text: str) -> bool:
    """Whether ``spark_folder`` made it."""
    return f'"{SPARK_FORMAT}"' in text[:200]


def from_text(text: str) -> ColumnModel:
    """Read all trees."""
    with damaged("Spark", save=SAVE):
        return _Reader(formats.load(text, SPARK_FORMAT, 1)).read()


class _Reader:
    """What a saved model holds, checked as far as it is not about single nodes.

    Attributes
    ----------
    labels : by feature: categories, where it is categorical
    levels : by feature: how many indices there are, where a stage makes them
    """

    def __init__(self, content: dict[str, Any]) -> None:
        n = whole_number(content["n_features"], "numFeatures")
        self.kind, self.trees = content["kind"], content["trees"]
        self.weights = [float(weight) for weight in content["weights"]]
        if not self.trees or not all(self.trees) or len(self.trees) != len(self.weights):
            raise ValueError(f"it has {len(self.trees)} trees, or an empty one")
        features = content["features"]
        if features is not None and len(features["columns"]) != n:
            raise UnreadableModel(
                f"the VectorAssembler takes {len(features['columns'])} columns and the model "
                f"{n}: some of them are vectors; read the model itself, and give feature_names="
            )
        sizes = _sizes(self.trees, n)
        self.labels: list[list[Any] | None] = [list(range(k)) if k else None for k in sizes]
        self.levels: Sequence[int] = [0] * n
        self.n_unlisted = 0  # indices after the last label, of what is unseen
        options: dict[str, Any] = {"learns_nan": True}
        if features is not None and _makes_indices(features):
            self.labels = [None] * n
            options["before"], self.levels = _before(features)
        elif features is not None:
            columns = features["columns"]
            self.n_unlisted = self._take_labels(columns, sizes)
            options["names"] = [_source(column) for column in columns]
            options["learns_nan"] = features["invalid"] == "keep" and all(
                column.get("invalid", "keep") == "keep" for column in columns
            )
        categories = {i: labels for i, labels in enumerate(self.labels) if labels is not None}
        other = self.n_unlisted > 0
        self.builder = ModelBuilder(
            Table(n, categories=categories, other_categories=other, **options)
        )
        self.classes: list[Any] | None = None
        if content["task"] == "classification":
            n_classes = whole_number(content["n_classes"], "numClasses", least=1)
            classes = content["labels"] or list(range(n_classes))
            if len(classes) < n_classes:
                raise ValueError(f"{len(classes)} labels for {n_classes} classes")
            self.classes = classes[:n_classes]

    def _take_labels(self, columns: Sequence[dict[str, Any]], sizes: Sequence[int]) -> int:
        """Take the labels of indexed columns; returns how many indices follow the last of them."""
        kept = {column["invalid"] == "keep" for column in columns if "labels" in column}
        if len(kept) > 1:
            raise UnreadableModel(
                "some StringIndexers keep invalid values and some do not: use one handleInvalid"
            )
        for i, (column, size) in enumerate(zip(columns, sizes, strict=True)):
            if "labels" not in column:
                continue
            labels = self.labels[i] = list(column["labels"])
            if not labels or (size and size != len(labels) + (column["invalid"] == "keep")):
                raise ValueError(
                    f"{column['name']!r:.80} has {len(labels)} labels and {size} categories"
                )
        return int(kept == {True})

    def read(self) -> ColumnModel:
        """Hand the trees to the builder, and how Spark adds them up."""
        builder, classes, n = self.builder, self.classes, len(self.trees)
        if self.kind == "DecisionTree" and classes is not None:
            for leaf in self._leaves(self.trees[0]):
                counts = self._counts(leaf, classes)
                builder.leaf_number(counts.index(max(counts)), counts)
            return builder.finish(classes)
        if self.kind == "RandomForest" and classes is not None:
            for nodes in self.trees:
                for leaf in self._leaves(nodes):
                    counts = self._counts(leaf, classes)
                    total = sum(counts)
                    builder.leaf_adds(*(count / total if total else 0.0 for count in counts))
            adding = Adding(base=(0.0,) * len(classes))
            return builder.finish(classes, adding, Rule("largest"), factor=1.0 / n)
        largest = 0.0  # that a sum can be in size
        for nodes, weight in zip(self.trees, self.weights, strict=True):
            numbers = []
            for leaf in self._leaves(nodes):
                numbers.append(float(leaf["prediction"]) * (weight if self.kind == "GBT" else 1))
                builder.leaf_adds(numbers[-1])
            largest += max(map(abs, numbers))
        adding = Adding(divisor=float(n) if self.kind == "RandomForest" else 1.0)
        if classes is None:
            return builder.finish(None, adding, Rule("number"))
        # Twice what n products and sums in any order can be off.
        window = 4 * (n + 4) * 2.0**-53 * (largest * (1 + 2.0**-10))
        rule = Rule("cuts", (0.0,), window=window)
        return builder.finish(classes, adding, rule, "logistic", 2.0)

    def _counts(self, leaf: Node, classes: list[Any]) -> list[float]:
        """Return the training rows of a leaf by class."""
        counts = [float(count) for count in leaf["impurityStats"]]
        if len(counts) != len(classes) or not min(counts) >= 0:
            raise ValueError(f"a leaf has the counts {counts!r:.80}")
        return counts

    def _leaves(self, nodes: list[Node]) -> Iterator[Node]:
        """Describe the splits of a tree to the builder; its leaves are for the caller."""
        if [node["id"] for node in nodes] != list(range(len(nodes))):
            raise ValueError("nodes are missing")
        check_links([node["leftChild"] for node in nodes], [node["rightChild"] for node in nodes])
        for position in self.builder.walk(0):
            node = nodes[position]
            if node["leftChild"] < 0:
                yield node
            else:
                self._split(node["split"], node["leftChild"], node["rightChild"])

    def _split(self, split: dict[str, Any], left: int, right: int) -> None:
        column, values = split["featureIndex"], split["leftCategoriesOrThreshold"]
        labels, size = self.labels[column], split["numCategories"]
        if size <= 0 and labels is None:
            (threshold,) = values
            self.builder.numerical_test(column, "<=", threshold, left, right)
            return
        if size <= 0:  # an index compared as a number
            n = len(labels or ()) + self.n_unlisted
            below = {code for code in range(n) if code <= values[0]}
            self._set_test(column, below, left, right, nan_left=n - 1 in below)
            return
        codes = {int(value) for value in values}
        if self.levels[column]:
            # What is in neither of the two sets goes the way of the larger one.
            beyond = range(size, self.levels[column]) if len(values) > size / 2 else ()
            inside = [float(code) for code in sorted(codes | set(beyond))]
            self.builder.categorical_test(column, "in", inside, left, right)
            return
        if labels is None or not all(float(v).is_integer() and 0 <= v < size for v in values):
            raise ValueError(f"a split has the categories {values!r:.80} of {size}")
        # Spark keeps the smaller of the two sets; what is in neither goes the other way.
        nan_left = len(values) > size / 2
        if len(labels) < size:  # the index after the last stands for what is unseen or missing
            nan_left = size - 1 in codes
        self._set_test(column, codes, left, right, nan_left=nan_left)

    def _set_test(
        self, column: int, codes: set[int], left: int, right: int, *, nan_left: bool
    ) -> None:
        """Ask for the labels of one side, so that the index after the last, if in, comes along."""
        labels = self.labels[column] or []
        negated = len(labels) in codes
        members = [label for code, label in enumerate(labels) if (code in codes) != negated]
        relation: Any = "not in" if negated else "in"
        self.builder.categorical_test(column, relation, members, left, right, nan_left)


def _sizes(trees: Sequence[Sequence[Node]], n: int) -> list[int]:
    """Return the number of categories of each feature; 0 if it is compared with numbers."""
    sizes: dict[int, int] = {}
    for node in (node for nodes in trees for node in nodes if node["leftChild"] >= 0):
        split = node["split"]
        column = whole_number(split["featureIndex"], "featureIndex")
        if column >= n:
            raise InvalidTree(f"a node has the feature {column}, of {n}: the model is damaged")
        size = split["numCategories"]
        if size > MAX_CATEGORIES:
            raise ValueError(f"a feature has {size} categories")
        if sizes.setdefault(column, max(0, size)) != max(0, size):
            raise ValueError("a feature is categorical in one node and not in another")
    return [sizes.get(column, 0) for column in range(n)]


# -- stages that make indices of numbers: Bucketizer and VectorIndexer -----------------------------


def _source(column: dict[str, Any]) -> str:
    return str(column.get("input", column["name"]))


def _makes_indices(features: dict[str, Any]) -> bool:
    return bool(features.get("maps")) or any("splits" in one for one in features["columns"])


def _before(features: dict[str, Any]) -> tuple[Before, list[int]]:
    """Read what happens to columns before they are in the vector, and there.

    Returns that, and by column how many indices there are; 0 where it is a number.
    """
    maps = features.get("maps", {})
    names: list[str] = []
    wires, levels = [], []
    for i, column in enumerate(features["columns"]):
        source = _source(column)
        if source not in names:
            names.append(source)
        stages, n = _stages(column)
        if str(i) in maps:
            indexed, n = _indexed(maps[str(i)], features["unseen"])
            stages = (*stages, indexed)
        if features["invalid"] != "keep":
            stages = (Pass("VectorAssembler"), *stages)
        wires.append(Wire(names.index(source), stages))
        levels.append(n)
    return Before(wires, ["float64"] * len(names), names), levels


def _stages(column: dict[str, Any]) -> tuple[tuple[Stage, ...], int]:
    if "splits" in column:
        return _bucketed(column)
    if "labels" not in column:
        return (), 0
    labels, keep = list(column["labels"]), column["invalid"] == "keep"
    stage = _encode("StringIndexer", {label: i for i, label in enumerate(labels)}, keep)
    return (stage,), len(labels) + keep


def _encode(step: str, indices: dict[Label, int], keep: bool) -> Encode:
    """Make the stage of an indexer; what it does not list has the index after the last."""
    beyond = float(len(indices)) if keep else None
    return Encode(step, {label: float(i) for label, i in indices.items()}, beyond, beyond)


def _bucketed(column: dict[str, Any]) -> tuple[tuple[Stage, ...], int]:
    """Return the bucket of a number: from its split on, and below the next."""
    splits = [INFINITE[s] if s in INFINITE else float(s) for s in column["splits"]]
    if len(splits) < 3 or not all(a < b for a, b in pairwise(splits)):
        raise ValueError(f"a Bucketizer has the splits {splits!r:.80}")
    if splits[0] != -np.inf or splits[-1] != np.inf:
        raise UnreadableModel(
            f"Spark's Bucketizer of {column['input']!r:.80} goes from {splits[0]} to {splits[-1]}, "
            "and Spark gives no answer beyond: let its splits begin and end at infinity"
        )
    if 0.0 in splits:  # Java orders it below 0.0, and no other comparison does
        warnings.warn(
            f"Spark's Bucketizer of {column['input']!r:.80} has a split at 0, and puts -0.0 into "
            "the bucket below it; here -0.0 is 0, as everywhere else",
            UserWarning,
            stacklevel=9,
        )
    inner, n = np.array(splits[1:-1]), len(splits) - 1
    keep = column["invalid"] == "keep"

    def function(x: Floats) -> Floats:
        buckets = np.searchsorted(inner, x, side="right")
        return np.where(np.isnan(x), n, buckets).astype(np.float64)

    step = Rescale("Bucketizer", function, takes_missing=keep)
    table: dict[Label, float] = {float(i): float(i) for i in range(n + keep)}
    return (step, Encode("Bucketizer", table)), n + keep


def _indexed(pairs: list[list[Any]], unseen: str) -> tuple[Encode, int]:
    """Return the index of a number that is a category."""
    indices: dict[Label, int] = {float(value): int(i) for value, i in pairs}
    if sorted(indices.values()) != list(range(len(pairs))):
        raise ValueError(f"a VectorIndexer has the categories {pairs!r:.80}")
    keep = unseen == "keep"
    return _encode("VectorIndexer", indices, keep), len(pairs) + keep
