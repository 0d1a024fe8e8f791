"""LightGBM's model files: what their text says, checked against itself.

In:  the text that ``Booster.save_model`` writes.
Out: ``ModelText``: names, labels of categories, the ``Objective`` and each ``StoredTree``. Whatever
     does not fit is a ``ValueError``, ``KeyError`` or the like, which the reader turns into one
     message.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import UnreadableModel
from ..model import Task, plain_label
from .build import Table
from .checks import check_links

__all__ = ["Labels", "ModelText", "Objective", "StoredTree"]

Labels = dict[int, dict[int, Any]]
# What becomes of a leaf's number, by objective; without a name it is one of the user's own.
TRANSFORMED = {
    **dict.fromkeys(
        ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank",
         "rank_xendcg", "custom", ""), "as it is",
    ),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
    **dict.fromkeys(("cross_entropy", "binary"), "sigmoid"),
    "cross_entropy_lambda": "log(1 + exp)",
}  # fmt: skip
SEVERAL_CLASSES = ("multiclass", "multiclassova")


class ModelText:
    """A model that decides between classes, or says a number; others are refused.

    ``task`` is what its estimator predicts; None: what its objective is for. With ``one_tree`` it
    must hold one, and decide between two classes.
    """

    def __init__(self, text: str, task: Task | None = None, *, one_tree: bool = True) -> None:
        head, *trees = text.partition("\nend of trees")[0].split("\nTree=")
        entries = _entries(head)
        self.names = entries["feature_names"].split(" ") if entries.get("feature_names") else []
        if len(self.names) != int(entries["max_feature_idx"]) + 1:
            raise ValueError(
                f"max_feature_idx is {entries['max_feature_idx']}, {len(self.names)} names"
            )
        self.version = entries.get("version", "")
        self.objective = Objective(entries, task, one_tree)
        if int(entries["num_class"]) != self.objective.n_outputs:
            raise ValueError(
                f"num_class is {entries['num_class']}, of {self.objective.n_outputs} trees at a "
                "time"
            )
        if one_tree and len(trees) != 1:
            raise UnreadableModel(
                f"this booster holds {len(trees)} trees and must hold one: fit with n_estimators=1"
            )
        self.averages = "average_output" in head.splitlines()
        self.labels = _labels(text, entries, len(self.names))
        self.trees = [StoredTree(_entries(tree)) for tree in trees]

    @property
    def table(self) -> Table:
        """The columns that it was fitted on."""
        names = self.names
        return Table(
            len(names),
            None if names == [f"Column_{i}" for i in range(len(names))] else names,
            learns_nan=True,
            categories={column: list(known.values()) for column, known in self.labels.items()},
        )


class Objective:
    """What LightGBM was fitted for, and so what it makes of the numbers that leaves hold."""

    def __init__(
        self, entries: Mapping[str, str], task: Task | None, one_tree: bool = True
    ) -> None:
        self.n_outputs = int(entries["num_tree_per_iteration"])
        if self.n_outputs != 1 and one_tree:
            raise UnreadableModel(
                f"this booster has a tree for each of {self.n_outputs} classes: only two classes, "
                "which share one tree, or one number can be read"
            )
        stated = entries.get("objective", "none of its own")
        self.name, *options = stated.split(" ") if "objective" in entries else ("",)
        classes = ("binary",) if one_tree else ("binary", *SEVERAL_CLASSES)
        if task is None:
            task = "classification" if self.name in classes else "regression"
        if task == "classification" and self.name not in classes:
            raise UnreadableModel(
                f"the objective {stated!r:.80} cannot be read as "
                + ("two classes: it must be 'binary'" if one_tree else
                   f"classes: it must be one of {', '.join(map(repr, classes))}")
            )  # fmt: skip
        if self.name not in TRANSFORMED and self.name not in classes:
            raise UnreadableModel(
                f"the objective {stated!r:.80} cannot be read as one number: it must be one of "
                f"{', '.join(map(repr, filter(None, TRANSFORMED)))}, or one of your own"
            )
        self.task = task
        self.squared = "sqrt" in options
        self.sigmoid = 1.0
        stated_options = dict(option.split(":") for option in options if ":" in option)
        if self.name in SEVERAL_CLASSES and int(stated_options["num_class"]) != self.n_outputs:
            raise ValueError(f"{self.n_outputs} trees at a time for the objective {stated!r:.80}")
        if self.name in ("binary", "multiclassova"):
            self.sigmoid = float(stated_options["sigmoid"])
            if not 0 < self.sigmoid < np.inf:
                raise ValueError(f"sigmoid is {self.sigmoid}")

    def number(self, leaf: float) -> float:
        """Give what the model predicts where a leaf holds this number, to the last bit.

        LightGBM computes in double with the C library's functions, as Python does.
        """
        how = TRANSFORMED[self.name]
        try:
            if self.squared and how == "as it is":
                return math.copysign(1.0, leaf) * leaf * leaf
            if how == "exp":
                return math.exp(leaf)
            if how == "log(1 + exp)":
                return math.log1p(math.exp(leaf))
        except OverflowError:  # infinite, which is refused where the tree is built
            return math.inf
        if how == "sigmoid":
            return sigmoid(self.sigmoid * leaf)
        return leaf


def sigmoid(x: float) -> float:
    """Give 1 / (1 + exp(-x))."""
    try:
        return 1.0 / (1.0 + math.exp(-x))
    except OverflowError:
        return 0.0


class StoredTree:
    """The arrays of a tree as LightGBM stores them; negative children are leaves."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        if entries.get("is_linear", "0") != "0":
            raise UnreadableModel("the leaves hold linear models: fit with linear_tree=False")
        n_leaves = int(entries["num_leaves"])
        n = n_leaves - 1
        self.value = _numbers(entries, "leaf_value", n_leaves)
        if n_leaves < 1 or not np.isfinite(self.value).all():
            raise ValueError("there is no leaf, or one that is not a finite number")
        self.column = _whole(entries, "split_feature", n)
        self.threshold = _numbers(entries, "threshold", n)
        self.kind = _whole(entries, "decision_type", n)
        if any(not 0 <= kind < 16 for kind in self.kind):
            raise ValueError("a decision_type is not from 0 to 15")
        self.left = _whole(entries, "left_child", n)
        self.right = _whole(entries, "right_child", n)
        check_links(*([c if c >= 0 else n + ~c for c in side] + [-1] * n_leaves
                      for side in (self.left, self.right)))  # fmt: skip
        self.sets = _sets(entries)

    def members(self, node: int, labels: Labels) -> list[Any]:
        """Give the labels for which a split on categories goes left."""
        number = self.threshold[node]
        if not number.is_integer() or not 0 <= number < len(self.sets):
            raise ValueError(f"a split asks for the set {number}, of {len(self.sets)}")
        known = labels.get(self.column[node], {})
        return [known[code] for code in self.sets[int(number)] if code in known]


def _entries(block: str) -> dict[str, str]:
    """Read lines ``key=value``; the first line names the block."""
    return dict(line.split("=", 1) for line in block.splitlines()[1:] if "=" in line)


def _labels(text: str, entries: Mapping[str, str], n_columns: int) -> Labels:
    """Give, of categorical columns, the label of every code.

    Categories of a data frame are kept one list after the other, without saying of which column;
    other categories are whole numbers, which are their own codes.
    """
    infos = entries.get("feature_infos", "").split(" ")
    if len(infos) != max(n_columns, 1):
        raise ValueError(f"feature_infos has {len(infos)} entries for {n_columns} features")
    seen = {
        i: [code for code in map(int, info.split(":")) if code >= 0]
        for i, info in enumerate(infos)
        if info and info != "none" and not info.startswith("[")
    }
    lists = _pandas_categories(text)
    if not lists:
        return {column: {code: code for code in codes} for column, codes in seen.items() if codes}
    fits = len(lists) == len(seen) and all(
        max(codes, default=-1) < len(known)
        for codes, known in zip(seen.values(), lists, strict=False)
    )
    if not fits:
        raise UnreadableModel(
            f"the data frame had {len(lists)} columns of categories and LightGBM treats "
            f"{len(seen)} columns as categorical, so it is not known which is which: drop constant "
            "ones, turn ordered ones into numbers, leave categorical_feature out, and fit again"
        )
    return {
        column: {code: plain_label(label) for code, label in enumerate(known)}
        for column, known in zip(seen, lists, strict=True)
    }


def _pandas_categories(text: str) -> list[list[Any]]:
    """Give the lists of categories of a data frame: JSON, in the last line."""
    _, key, rest = text.rpartition("\npandas_categorical:")
    lists = (json.loads(rest) if key else None) or []
    if not isinstance(lists, list) or not all(isinstance(known, list) for known in lists):
        raise ValueError("pandas_categorical is not a list of lists")
    return lists


def _sets(entries: Mapping[str, str]) -> list[list[int]]:
    """Give the codes of every set of categories that goes left; 32 to a word."""
    if not int(entries["num_cat"]):
        return []
    ends = _whole(entries, "cat_boundaries")
    words = _whole(entries, "cat_threshold")
    if sorted(ends) != ends or ends[0] != 0 or ends[-1] != len(words):
        raise ValueError("cat_boundaries do not fit cat_threshold")
    return [
        [32 * i + bit for i, word in enumerate(words[a:b]) for bit in range(32) if word >> bit & 1]
        for a, b in pairwise(ends)
    ]


def _whole(entries: Mapping[str, str], key: str, n: int | None = None) -> list[int]:
    return [int(word) for word in _words(entries, key, n)]


def _numbers(entries: Mapping[str, str], key: str, n: int) -> list[float]:
    return [float(word) for word in _words(entries, key, n)]


def _words(entries: Mapping[str, str], key: str, n: int | None) -> list[str]:
    words = entries.get(key, "").split()
    if n is not None and len(words) != max(n, 0):
        raise ValueError(f"{key} has {len(words)} numbers, and {n} are expected")
    return words
