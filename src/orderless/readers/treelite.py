"""Trees of treelite.

In:  a ``treelite.Model`` or the checkpoint that it writes, of one tree.
Out: ``ColumnTree``. Numbers are compared in the precision of the model's thresholds: where these
     are float32, rows are rounded to float32, as treelite's own loaders and predictors take them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..errors import UnreadableModel
from .build import ColumnTree, Table, TreeBuilder
from .checks import check_links, damaged
from .ensembles.rounding import last_below
from .treelite_file import Checkpoint, Header, StoredTree

__all__ = [
    "SAVE",
    "from_treelite",
    "half",
    "is_numbered",
    "knows",
    "leaves",
    "parts_of",
    "scores_of",
    "table_of",
]

SAVE = "model.serialize('model.bin')"
RELATIONS: dict[int, Literal["<", "<=", ">", ">="]] = {2: "<", 3: "<=", 4: ">", 5: ">="}
# What becomes of a sum, and whether its order is kept.
CLASSES = ("sigmoid", "multiclass_ova", "softmax", "identity_multiclass", "max_index")
NUMBERS = ("identity", "exponential", "sigmoid", "signed_square", "hinge")


def knows(model: Any) -> bool:
    """Whether it is a model of treelite, or a checkpoint of one."""
    if isinstance(model, Checkpoint):
        return True
    library = sys.modules.get("treelite")
    return library is not None and isinstance(model, library.Model)


def is_numbered(model: Any) -> bool:
    """Whether a model has no labels of its own: its classes are 0, 1, ... whatever they mean."""
    return knows(model)


def parts_of(model: Any) -> tuple[Header, list[StoredTree]]:
    """Take a model apart, and refuse what is no sum of trees."""
    checkpoint = model if isinstance(model, Checkpoint) else Checkpoint(model.serialize_bytes())
    header, trees = checkpoint.parts()
    n_classes = header.n_classes[0] if header.n_classes else 0
    if header.n_targets != 1 or len(header.n_classes) != 1 or header.shape[:1] != [1]:
        raise UnreadableModel(
            f"this model of treelite predicts {header.n_targets} targets at once: one is read"
        )
    if len(header.base_scores) != n_classes or n_classes < 1 or not trees:
        raise ValueError(f"{len(header.base_scores)} base scores for {n_classes} classes")
    if header.task not in ("kBinaryClf", "kMultiClf", "kRegressor"):
        raise UnreadableModel(f"a model of treelite with the task {header.task!r:.40} is not read")
    known = NUMBERS[:1] if header.task == "kRegressor" else CLASSES
    if header.postprocessor not in known:
        raise UnreadableModel(
            f"this model of treelite has the postprocessor {header.postprocessor!r:.40}: for "
            f"{header.task} one of {known} is read"
        )
    if (header.task == "kMultiClf") != (n_classes > 1):
        raise ValueError(f"{n_classes} classes for the task {header.task}")
    return header, trees


def table_of(header: Header, trees: list[StoredTree]) -> Table:
    """Give the columns of a model; those with lists of categories hold their codes."""
    codes: dict[int, set[int]] = {}
    numbers: set[int] = set()
    for tree in trees:
        for node, kind in enumerate(tree.kind):
            if kind == 2:
                codes.setdefault(tree.column[node], set()).update(tree.categories[node])
            elif kind == 1:
                numbers.add(tree.column[node])
    if numbers & set(codes):
        raise UnreadableModel("a column of the treelite model is compared and has categories, too")
    values: Literal["float32", "float64"] = (
        "float32" if header.thresholds.itemsize == 4 else "float64"
    )
    return Table(
        header.n_features,
        values=values,
        learns_nan=True,
        categories={i: sorted(own) or [0] for i, own in codes.items()},
    )


def leaves(builder: TreeBuilder, tree: StoredTree) -> Iterator[int]:
    """Describe the splits of a tree, and leave it to the caller to describe each leaf."""
    check_links([-1 if k == 0 else c for k, c in zip(tree.kind, tree.left, strict=True)],
                tree.right)  # fmt: skip
    for node in builder.walk(0):
        kind, column = tree.kind[node], tree.column[node]
        left, right, nan_left = tree.left[node], tree.right[node], tree.default_left[node]
        if kind == 0:
            yield node
        elif kind == 2:
            relation: Literal["in", "not in"] = "not in" if tree.listed_right[node] else "in"
            own = tree.categories[node]
            builder.categorical_test(column, relation, own, left, right, nan_left)
        elif kind == 1 and tree.relation[node] in RELATIONS:
            builder.numerical_test(
                column, RELATIONS[tree.relation[node]], float(tree.threshold[node]), left, right,
                nan_left,
            )  # fmt: skip
        else:
            raise UnreadableModel(
                f"a node of the treelite model has the kind {kind} and the comparison "
                f"{tree.relation[node]}, which are not known"
            )


def scores_of(header: Header, tree: StoredTree, number: int, node: int) -> np.ndarray:
    """Give what a leaf adds to each score; ``number`` is that of the tree."""
    n = header.n_classes[0]
    out = np.zeros(n)
    own = tree.vectors[node]
    if len(own):
        if len(own) != n:
            raise ValueError(f"a leaf has {len(own)} numbers for {n} classes")
        return own
    k = header.class_id[number]
    if not 0 <= k < n:
        raise ValueError(f"tree {number} adds to class {k}, of {n}")
    out[k] = tree.leaf[node]
    return out


def half(header: Header, precision: str) -> float:
    """Give the last sum of which treelite's sigmoid makes at most one half."""
    wide: Any = np.dtype(precision).type
    alpha = wide(header.sigmoid_alpha)

    def above(x: float) -> bool:
        with np.errstate(over="ignore", under="ignore"):
            return bool(wide(1) / (wide(1) + np.exp(-alpha * wide(x))) > 0.5)

    if header.postprocessor != "sigmoid" or not alpha > 0:
        raise UnreadableModel(
            f"two classes of treelite with the postprocessor {header.postprocessor!r:.40} (alpha "
            f"{header.sigmoid_alpha}) are not read: sigmoid is"
        )
    return last_below(above)


def from_treelite(model: Any) -> ColumnTree:
    """Read a model of one tree; of classes, 0, 1, ... by their largest score."""
    with damaged("treelite", save=SAVE):
        header, trees = parts_of(model)
        if len(trees) != 1:
            raise UnreadableModel(
                f"this model of treelite adds up {len(trees):,} trees: read it with "
                "orderless.read_ensemble(model)"
            )
        wide: Any = np.float32 if header.leaves.itemsize == 4 else np.float64
        cut = half(header, wide.__name__) if header.task == "kBinaryClf" else 0.0
        builder = TreeBuilder(table_of(header, trees))
        for node in leaves(builder, trees[0]):
            scores = (scores_of(header, trees[0], 0, node) + header.base_scores).astype(wide)
            if header.task == "kRegressor":
                builder.leaf_of_number(scores[0])
            else:
                two = len(scores) == 1
                builder.leaf_number(int(scores[0] > cut if two else scores.argmax()))
        if header.task == "kRegressor":
            return replace(builder.finish(), precision=wide.__name__)
        return builder.finish(range(max(len(header.base_scores), 2)))
