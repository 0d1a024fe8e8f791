"""Trees and data sets that the benchmarks share, with fixed seeds."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import orderless as ol

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
if "ORDERLESS_DATA" not in os.environ and SHARED.is_dir():
    os.environ["ORDERLESS_DATA"] = str(SHARED)

PAPER = (
    "compas", "wine_quality", "wisconsin", "coupon", "fico", "broward", "spiral", "tic_tac_toe",
    "iris_setosa", "iris_versicolor", "iris_virginica",
)  # fmt: skip


@cache
def at_hand() -> tuple[str, ...]:
    """Names of the paper's data sets that need no download."""
    known = ol.datasets.describe().set_index("name")["source"]
    return tuple(name for name in PAPER if known[name] not in ("download", "none"))


def missing_note() -> list[str]:
    missing = [name for name in PAPER if name not in at_hand()]
    if not missing:
        return []
    return [
        f"Without {', '.join(missing)}: not built in, and `ORDERLESS_DATA` names no folder with "
        "them."
    ]


@cache
def load(name: str) -> tuple[Any, Any]:
    X, y = ol.datasets.load(name)
    return X, y.astype(int)


@cache
def fold_0(name: str) -> tuple[Any, Any]:
    """The first training fold of a data set, as the paper cuts it."""
    from sklearn.model_selection import KFold

    X, y = load(name)
    train, _ = next(KFold(5, shuffle=True, random_state=42).split(X))
    return X.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True)


@cache
def binarized(name: str) -> tuple[Any, Any, Any]:
    """Fold 0 by threshold guessing: binarizer, 0/1 columns, label."""
    X, y = fold_0(name)
    binarizer = ol.Binarizer().set_output(transform="pandas").fit(X, y)
    return binarizer, binarizer.transform(X).astype(int), y


def one_tree(model: Any, **options: Any) -> ol.Tree:
    """Read a model that is one tree."""
    tree = ol.read(model, **options)
    assert isinstance(tree, ol.Tree)
    return tree


@cache
def fitted(name: str, depth: int, kind: str) -> ol.Tree:
    """A scikit-learn tree (random_state 0): "raw" on all rows; on fold 0, binarized, its columns
    "independent" or read "aware" of the features they come from.
    """
    from sklearn.tree import DecisionTreeClassifier

    grow = DecisionTreeClassifier(max_depth=depth, random_state=0)
    if kind == "raw":
        return one_tree(grow.fit(*load(name)))
    binarizer, columns, y = binarized(name)
    model = grow.fit(columns, y)
    if kind == "aware":
        return one_tree(model, space=binarizer.space_)
    return one_tree(model, space=ol.Space.independent(columns.columns))


def random_tree(rng: np.random.Generator, space: ol.Space, n_leaves: int) -> ol.Tree:
    """A random tree over numeric features: any leaf is split, at a threshold inside its box, into
    leaves of different classes.
    """
    n_features = len(space)
    size = 2 * n_leaves - 1
    feature = np.full(size, -1)
    threshold = np.zeros(size)
    when_true, when_false = np.full(size, -1), np.full(size, -1)
    leaf_class = np.zeros(size, dtype=int)
    boxes = {0: ((0.0, 1.0),) * n_features}
    leaves, made = [0], 1
    while len(leaves) < n_leaves:
        at = int(rng.integers(len(leaves)))
        node, f = leaves[at], int(rng.integers(n_features))
        low, high = boxes[node][f]
        cut = low + (high - low) * rng.uniform(0.2, 0.8)
        feature[node], threshold[node] = f, cut
        when_true[node], when_false[node] = made, made + 1
        leaf_class[made] = rng.integers(2)
        leaf_class[made + 1] = 1 - leaf_class[made]
        box = boxes.pop(node)
        boxes[made] = (*box[:f], (low, cut), *box[f + 1 :])
        boxes[made + 1] = (*box[:f], (cut, high), *box[f + 1 :])
        leaves[at] = made
        leaves.append(made + 1)
        made += 2
    return ol.Tree(space, [0, 1], feature=feature, threshold=threshold, when_true=when_true,
                   when_false=when_false, leaf_class=leaf_class)  # fmt: skip


def complete_tree(values: np.ndarray, order: list[int], space: ol.Space) -> Any:
    """A boolean function of n features as a complete tree that asks them in some order."""
    n = len(order)
    size = 2 ** (n + 1) - 1
    feature, leaf_class = np.full(size, -1), np.full(size, -1)
    when_true, when_false = np.full(size, -1), np.full(size, -1)
    cell = np.zeros(size, dtype=int)  # bit f: what is known of feature f
    for node in range(size):
        level = (node + 1).bit_length() - 1
        if level == n:
            leaf_class[node] = values[cell[node]]
            continue
        feature[node] = order[level]
        when_true[node], when_false[node] = 2 * node + 1, 2 * node + 2  # true: "not x"
        cell[2 * node + 1], cell[2 * node + 2] = cell[node], cell[node] | 1 << order[level]
    return ol.Tree(space, [0, 1], feature=feature, threshold=np.zeros(size), when_true=when_true,
                   when_false=when_false, leaf_class=leaf_class)  # fmt: skip


def random_boolean(rng: np.random.Generator, space: ol.Space, n_leaves: int) -> ol.Tree:
    """Split leaves with the fewest questions first, on any column not asked yet above."""
    size = 2 * n_leaves - 1
    arrays = {name: np.full(size, -1) for name in ("feature", "when_true", "when_false")}
    leaf_class = rng.integers(0, 2, size)
    above: list[tuple[int, ...]] = [()]
    for node in range(n_leaves - 1):
        free = [f for f in range(len(space)) if f not in above[node]]
        f = int(rng.choice(free))
        arrays["feature"][node] = f
        arrays["when_true"][node], arrays["when_false"][node] = len(above), len(above) + 1
        above += [(*above[node], f)] * 2
    for node in range(n_leaves - 1, size, 2):  # leaves side by side differ
        if node + 1 < size:
            leaf_class[node + 1] = 1 - leaf_class[node]
    return ol.Tree(space, [0, 1], **arrays, threshold=np.zeros(size), leaf_class=leaf_class)


def decisions(tree: ol.Tree) -> Any:
    """A tree over boolean features as nested (feature, when 0, when 1), for peers."""

    def below(node: int) -> Any:
        if tree.nodes.feature[node] < 0:
            return int(tree.nodes.leaf_class[node])
        zero, one = int(tree.nodes.when_true[node]), int(tree.nodes.when_false[node])
        return int(tree.nodes.feature[node]), below(zero), below(one)

    return below(0)
