"""Trees of Spark MLlib.

In:  the JSON text that ``spark_folder`` makes of a saved model.
Out: ``ColumnTree``. Spark compares doubles; NaN is not below any threshold, and in no set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import InvalidTree, UnreadableModel
from ..model import formats
from .build import ColumnTree, Table, TreeBuilder, whole_number
from .checks import check_links, damaged
from .spark_before import columns_before
from .spark_folder import SAVE, SPARK_FORMAT

__all__ = ["SparkModel", "from_text", "knows_text", "leaves_of", "spark_model"]


class SparkModel(NamedTuple):
    """What a saved model says."""

    kind: str
    table: Table
    labels: Sequence[Sequence[Any] | None]  # by feature: categories, where it is categorical
    levels: Sequence[int]  # by feature: how many indices there are, where a stage makes them
    classes: list[Any] | None
    weights: list[float]
    trees: list[list[dict[str, Any]]]


class _Place(NamedTuple):
    at: int


def knows_text(text: str) -> bool:
    """Whether ``spark_folder`` made it."""
    return f'"{SPARK_FORMAT}"' in text[:200]


def from_text(text: str) -> ColumnTree:
    """Read one tree; forests and boosted trees are refused."""
    with damaged("Spark", save=SAVE):
        model = spark_model(text)
        if model.kind != "DecisionTree":
            raise UnreadableModel(
                f"this Spark model adds up {len(model.trees):,} trees, and one is needed: "
                "orderless.read(model) reads all of it"
            )
        builder = TreeBuilder(model.table)
        for leaf in leaves_of(builder, model, model.trees[0]):
            if model.classes is None:
                builder.leaf_of_number(leaf["prediction"])
            else:
                counts = counts_of(leaf, model)
                builder.leaf_number(counts.index(max(counts)), counts)
        return builder.finish(model.classes)


def spark_model(text: str) -> SparkModel:
    """Check what is not about single nodes."""
    content = formats.load(text, SPARK_FORMAT, 1)
    n = whole_number(content["n_features"], "numFeatures")
    trees = content["trees"]
    if not trees or not all(trees) or len(trees) != len(content["weights"]):
        raise ValueError(f"it has {len(trees)} trees, or an empty one")
    features = content["features"]
    if features is not None and len(features["columns"]) != n:
        raise UnreadableModel(
            f"the VectorAssembler takes {len(features['columns'])} columns and the model "
            f"{n}: some of them are vectors; read the model itself, and give feature_names="
        )
    sizes = _sizes(trees, n)
    before = None if features is None else columns_before(features)
    names, labels, other, learns_nan = None, [_codes(size) for size in sizes], False, True
    if before is not None:
        labels = [None] * n
    elif features is not None:
        names = [_source(column) for column in features["columns"]]
        labels, other = _labels(features["columns"], sizes)
        learns_nan = features["invalid"] == "keep" and all(
            column.get("invalid", "keep") == "keep" for column in features["columns"]
        )
    categories = {at: own for at, own in enumerate(labels) if own is not None}
    table = Table(
        n, names, learns_nan=learns_nan, categories=categories, other_categories=other,
        before=None if before is None else before.before,
    )  # fmt: skip
    levels = [0] * n if before is None else before.levels
    classes = None
    if content["task"] == "classification":
        n_classes = whole_number(content["n_classes"], "numClasses", least=1)
        classes = content["labels"] or list(range(n_classes))
        if len(classes) < n_classes:
            raise ValueError(f"{len(classes)} labels for {n_classes} classes")
        classes = classes[:n_classes]
    weights = [float(weight) for weight in content["weights"]]
    return SparkModel(content["kind"], table, labels, levels, classes, weights, trees)


def _source(column: dict[str, Any]) -> str:
    return str(column.get("input", column["name"]))


def _codes(size: int) -> list[Any] | None:
    return list(range(size)) if size else None


def _labels(columns: list[dict[str, Any]], sizes: list[int]) -> tuple[list[list[Any] | None], bool]:
    """Give the categories of indexed columns, and whether values beyond them are possible."""
    out: list[list[Any] | None] = []
    kept = {column["invalid"] == "keep" for column in columns if "labels" in column}
    if len(kept) > 1:
        raise UnreadableModel(
            "some StringIndexers keep invalid values and some do not: use one handleInvalid"
        )
    for column, size in zip(columns, sizes, strict=True):
        if "labels" not in column:
            out.append(_codes(size))
            continue
        own = list(column["labels"])
        if not own or (size and size != len(own) + (column["invalid"] == "keep")):
            raise ValueError(f"{column['name']!r:.80} has {len(own)} labels and {size} categories")
        out.append(own)
    return out, kept == {True}


def _sizes(trees: list[list[dict[str, Any]]], n: int) -> list[int]:
    """Give the number of categories of each feature; 0 if it is compared with numbers."""
    found: list[set[int]] = [set() for _ in range(n)]
    for node in (node for nodes in trees for node in nodes if node["leftChild"] >= 0):
        split = node["split"]
        at = whole_number(split["featureIndex"], "featureIndex")
        if at >= n:
            raise InvalidTree(f"a node has the feature {at}, of {n}: the model is damaged")
        size = split["numCategories"]
        if size > 10**6:
            raise ValueError(f"a feature has {size} categories")
        found[at].add(max(0, size))
    if any(len(own) > 1 for own in found):
        raise ValueError("a feature is categorical in one node and not in another")
    return [own.pop() if own else 0 for own in found]


def leaves_of(
    builder: TreeBuilder, model: SparkModel, nodes: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Describe the splits of a tree to the builder; its leaves are for the caller to describe."""
    if [node["id"] for node in nodes] != list(range(len(nodes))):
        raise ValueError("nodes are missing")
    check_links([node["leftChild"] for node in nodes], [node["rightChild"] for node in nodes])
    places = [_Place(at) for at in range(len(nodes))]
    for place in builder.walk(places[0]):
        node = nodes[place.at]
        if node["leftChild"] < 0:
            yield node
            continue
        left, right = places[node["leftChild"]], places[node["rightChild"]]
        split = node["split"]
        at, values = split["featureIndex"], split["leftCategoriesOrThreshold"]
        own, size = model.labels[at], split["numCategories"]
        if size <= 0:
            if own is not None:  # an index compared as a number
                other = model.table.other_categories
                n = len(own) + (other if isinstance(other, bool) else at in other)
                below = {code for code in range(n) if code <= values[0]}
                _set_test(builder, at, own, below, left, right, nan_left=n - 1 in below)
            else:
                (threshold,) = values
                builder.numerical_test(at, "<=", threshold, left, right)
            continue
        codes = {int(value) for value in values}
        if model.levels[at]:
            # What is in neither of the two sets goes the way of the larger one.
            beyond = range(size, model.levels[at]) if len(values) > size / 2 else ()
            inside: list[Any] = [float(code) for code in sorted(codes | set(beyond))]
            builder.categorical_test(at, "in", inside, left, right)
            continue
        if own is None or not all(float(v).is_integer() and 0 <= v < size for v in values):
            raise ValueError(f"a split has the categories {values!r:.80} of {size}")
        # Spark keeps the smaller of the two sets; what is in neither goes the other way.
        nan_left = len(values) > size / 2
        if len(own) < size:  # the index after the last stands for what is unseen or missing
            nan_left = size - 1 in codes
        _set_test(builder, at, own, codes, left, right, nan_left=nan_left)


def _set_test(
    builder: TreeBuilder, at: int, own: Sequence[Any], codes: set[int], left: Any, right: Any,
    *, nan_left: bool,
) -> None:  # fmt: skip
    """Ask for the labels of one side, so that the index after the last, if in, comes along."""
    if len(own) in codes:
        rest = [label for code, label in enumerate(own) if code not in codes]
        builder.categorical_test(at, "not in", rest, left, right, nan_left)
    else:
        inside = [own[code] for code in sorted(codes)]
        builder.categorical_test(at, "in", inside, left, right, nan_left)


def counts_of(leaf: dict[str, Any], model: SparkModel) -> list[float]:
    """Give the training rows of a leaf by class."""
    counts = [float(count) for count in leaf["impurityStats"]]
    if model.classes is None or len(counts) != len(model.classes) or not min(counts) >= 0:
        raise ValueError(f"a leaf has the counts {counts!r:.80}")
    return counts
