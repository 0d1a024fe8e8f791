"""XGBoost's model files: what their JSON says, checked against itself.

In:  the learner of a file that ``Booster.save_model("model.json")`` writes.
Out: ``ModelJson``: names, labels of categories, and the ``StoredTree``. Whatever does not fit is a
     ``ValueError``, ``KeyError`` or the like, which the reader turns into one message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..errors import UnreadableModel
from ..model import Label, Task
from .checks import check_links

__all__ = ["ModelJson", "StoredTree"]

CLASSES = ("binary:logistic", "reg:logistic")  # of which a regressor predicts the probability
NUMBERS = (
    "reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
    "reg:quantileerror", "reg:gamma", "reg:tweedie", "count:poisson", "rank:pairwise",
    "rank:ndcg", "rank:map", "survival:cox", "survival:aft", "binary:logitraw",
)  # fmt: skip


class ModelJson:
    """A model of one tree that decides between two classes, or says a number.

    Others are refused. ``task`` is what its estimator predicts; None: what its objective is for.
    """

    def __init__(self, learner: Mapping[str, Any], task: Task | None = None) -> None:
        _check_shape(learner)
        self.task = _task(learner, task)
        _check_count(learner)
        self.n_columns = int(learner["learner_model_param"]["num_feature"])
        self.names = learner.get("feature_names") or None
        model = learner["gradient_booster"]["model"]
        self.tree = StoredTree(model["trees"][0])
        stored = model.get("cats", {}).get("enc") or []
        if self.tree.codes and not stored and self.names:
            raise UnreadableModel(
                "this model has categorical columns and does not say which category has which "
                "number: fit with XGBoost 3.1 or newer, or on an array of numbers with "
                "feature_types="
            )
        text = {
            column: _Names(column, entry["values"], entry["offsets"])
            for column, entry in enumerate(stored)
            if "offsets" in entry
        }
        self.labels = _labels(stored, text) if stored else _codes(self.tree)
        self.garbled: dict[int, Callable[[Sequence[Label]], Sequence[Label]]] = {
            column: names.resolve for column, names in text.items() if not names.sure
        }


class StoredTree:
    """The nodes of a tree as XGBoost stores them, with those that it pruned.

    A leaf has the children -1, and its value for a number.
    """

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.left: list[int] = tree["left_children"]
        self.right: list[int] = tree["right_children"]
        self.column: list[int] = tree["split_indices"]
        n = len(self.left)
        for key in ("right_children", "split_conditions", "split_indices", "default_left"):
            if len(tree[key]) != n:
                raise ValueError(f"{key} has {len(tree[key])} entries for {n} nodes")
        reached = check_links(self.left, self.right)
        self.leaves = [node for node in reached if self.left[node] < 0]
        # Written as the shortest decimals that are the float32.
        conditions = [float(number) for number in tree["split_conditions"]]
        self.number = np.array(conditions, dtype=np.float32)
        if np.isnan(self.number[reached]).any():
            raise ValueError("a threshold or a leaf is not a number")
        self.nan_left = [bool(flag) for flag in tree["default_left"]]
        # The codes that go right, of splits on categories.
        splits = set(reached).difference(self.leaves)
        self.codes = {node: codes for node, codes in _sets(tree, n).items() if node in splits}


def _check_shape(learner: Mapping[str, Any]) -> None:
    """Refuse what does not add up trees, and what has several outputs."""
    kind = learner["gradient_booster"]["name"]
    if kind != "gbtree":
        raise UnreadableModel(f"a booster {kind!r:.80} cannot be read: use booster='gbtree'")
    number = learner["learner_model_param"]
    n_outputs = max(int(number["num_class"]), int(number.get("num_target", 1)))
    if n_outputs > 1:
        raise UnreadableModel(
            f"this booster has {n_outputs} outputs, each with trees of its own: only two classes, "
            "or one number, can be read; fit one model per output"
        )


def _task(learner: Mapping[str, Any], task: Task | None) -> Task:
    """Say whether it predicts a class or a number; refuse other objectives."""
    objective = learner["objective"]["name"]
    what: str
    known: tuple[str, ...]
    if task == "classification":
        what, known = "two classes", CLASSES
    elif task == "regression":
        what, known = "one number", NUMBERS + CLASSES
    else:
        what, known = "two classes or one number", CLASSES + NUMBERS
    if objective not in known:
        raise UnreadableModel(
            f"the objective {objective!r:.80} cannot be read as {what}: it must be one of "
            f"{', '.join(map(repr, known))}"
        )
    if task is None:
        # A file that a regressor of XGBoost wrote says so.
        kind = str((learner.get("attributes") or {}).get("scikit_learn"))
        number = objective in NUMBERS or '"regressor"' in kind
        task = "regression" if number else "classification"
    return task


def _check_count(learner: Mapping[str, Any]) -> None:
    n_trees = len(learner["gradient_booster"]["model"]["trees"])
    if n_trees != 1:
        raise UnreadableModel(
            f"this booster holds {n_trees} trees and must hold one: fit with n_estimators=1, or "
            "read one round of a Booster with read_tree(booster[i : i + 1])"
        )


def _sets(tree: Mapping[str, Any], n: int) -> dict[int, list[int]]:
    """Give the codes that go right, of the nodes that test a set."""
    parts = zip(
        tree.get("categories_nodes", ()),
        tree.get("categories_segments", ()),
        tree.get("categories_sizes", ()),
        strict=True,
    )
    codes = tree.get("categories", [])
    out: dict[int, list[int]] = {}
    for node, start, size in parts:
        if not 0 <= node < n or not 0 <= start <= start + size <= len(codes):
            raise ValueError(f"the categories of node {node!r:.40} are not there")
        out[node] = codes[start : start + size]
    kinds = tree.get("split_type") or [0] * n
    asked = [node for node in range(n) if tree["left_children"][node] >= 0 and kinds[node]]
    if set(asked) - set(out):
        raise ValueError("a split asks for categories and lists none")
    return out


def _labels(stored: Sequence[Any], text: Mapping[int, _Names]) -> dict[int, dict[int, Any]]:
    """Give, of categorical columns, the label of every code."""
    labels = {}
    for column, entry in enumerate(stored):
        values = text[column].labels if column in text else entry["values"]
        if values:
            labels[column] = dict(enumerate(values))
    return labels


def _codes(tree: StoredTree) -> dict[int, dict[int, Any]]:
    """Take codes for labels, where there are no others: those that the tree asks about."""
    labels: dict[int, dict[int, Any]] = {}
    for node, codes in tree.codes.items():
        labels.setdefault(tree.column[node], {}).update({code: code for code in codes})
    return labels


class _Names:
    """Names of categories as XGBoost keeps them: UTF-8, and where each name ends.

    Up to version 3.2 XGBoost counts letters instead of bytes if the names come from pandas, so that
    names which are not ASCII are cut at the wrong places, and the last ones are lost. It does not
    say where they came from, so such names are known only once somebody lists them.
    """

    def __init__(self, column: int, values: list[int], ends: list[int]) -> None:
        if sorted(ends) != ends or (ends and (ends[0] < 0 or ends[-1] > len(values))):
            raise ValueError("the offsets of category names do not fit the names")
        self.column = column
        self.text = bytes(byte & 255 for byte in values)  # written as -128 to 127
        self.ends = ends

    @property
    def sure(self) -> bool:
        return self.text.isascii()

    @property
    def labels(self) -> list[str]:
        """The names; where they are not sure, something to put in their place."""
        if not self.sure:
            return [f"category {code}" for code in range(len(self.ends) - 1)]
        return [self.text[a:b].decode("ascii") for a, b in pairwise(self.ends)]

    def resolve(self, names: Sequence[Label]) -> Sequence[Label]:
        """Put a feature's categories in the order of the codes; they must be these."""
        stored = [self.text[a:b].decode(errors="replace") for a, b in pairwise(self.ends)]
        text = [name for name in names if isinstance(name, str)]
        if len(text) == len(names):
            by_letters = [0, *accumulate(len(name) for name in text)]
            if self.ends == by_letters and self.text == "".join(text).encode()[: by_letters[-1]]:
                return text
            if sorted(stored) == sorted(text):
                return stored
        raise UnreadableModel(
            f"the categories of column {self.column} have names that are not ASCII, which XGBoost "
            "cuts at the wrong places if they come from pandas, and can mix up in its own "
            "predict: rename the categories and fit again; or, for the tree by the codes of "
            "the categories, list them in the order of the model's categories, with "
            "space=Space({name: [labels], ...}) for all columns"
        )
