"""XGBoost's model files: what their JSON says, checked against itself.

In:  the learner of a file that ``Booster.save_model("model.json")`` writes.
Out: ``ModelJson``: names, labels of categories, and each ``StoredTree``. Whatever does not fit is a
     ``ValueError``, ``KeyError`` or the like, which the reader turns into one message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..errors import UnreadableModel
from ..model import Label, Task
from .build import Table
from .checks import check_links

__all__ = ["ModelJson", "StoredTree"]

CLASSES = ("binary:logistic", "reg:logistic")  # of which a regressor predicts the probability
SEVERAL_CLASSES = ("multi:softprob", "multi:softmax")
NUMBERS = (
    "reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
    "reg:quantileerror", "reg:gamma", "reg:tweedie", "count:poisson", "rank:pairwise",
    "rank:ndcg", "rank:map", "survival:cox", "survival:aft", "binary:logitraw",
)  # fmt: skip


class ModelJson:
    """A model that decides between classes, or says a number; others are refused.

    ``task`` is what its estimator predicts; None: what its objective is for. With ``one_tree`` it
    must hold one, and decide between two classes; without, ``n_rounds`` says how many rounds of
    boosting count (None: all).
    """

    def __init__(
        self,
        learner: Mapping[str, Any],
        task: Task | None = None,
        *,
        one_tree: bool = True,
        n_rounds: int | None = None,
    ) -> None:
        booster = _booster(learner, ("gbtree",) if one_tree else ("gbtree", "dart"))
        self.n_outputs = _n_outputs(learner, one_tree)
        self.objective = str(learner["objective"]["name"])
        more = () if one_tree else (*SEVERAL_CLASSES, "binary:hinge")
        self.task = _task(learner, task, (*CLASSES, *more))
        if (self.n_outputs > 1) != (self.objective in SEVERAL_CLASSES):
            raise UnreadableModel(
                f"the objective {self.objective!r:.80} with {self.n_outputs} outputs cannot be "
                f"read: of several, it must be one of {', '.join(map(repr, SEVERAL_CLASSES))}"
            )
        model = booster["model"]
        trees = model["trees"]
        if one_tree:
            _check_count(len(trees))
        n_trees = len(trees) if n_rounds is None else _end_of_round(model, n_rounds)
        self.trees = [StoredTree(tree) for tree in trees[:n_trees]]
        self.outputs = _outputs(model, len(trees), self.n_outputs)[:n_trees]
        weights = [float(x) for x in learner["gradient_booster"].get("weight_drop", ())]
        # Of dart; None: they all count once.
        self.weights = np.array(weights, dtype=np.float32)[:n_trees] if weights else None
        if weights and (len(weights) != len(trees) or not np.isfinite(weights).all()):
            raise ValueError(f"{len(weights)} weights for {len(trees)} trees")
        self.n_columns = int(learner["learner_model_param"]["num_feature"])
        self.names = learner.get("feature_names") or None
        stored = model.get("cats", {}).get("enc") or []
        if any(tree.codes for tree in self.trees) and not stored and self.names:
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
        self.labels = _labels(stored, text) if stored else _codes(self.trees)
        self.garbled: dict[int, Callable[[Sequence[Label]], Sequence[Label]]] = {
            column: names.resolve for column, names in text.items() if not names.sure
        }

    @property
    def table(self) -> Table:
        """The columns that it was fitted on."""
        return Table(
            self.n_columns,
            self.names,
            values="float32",
            learns_nan=True,
            absent_is_nan=True,
            categories={column: list(known.values()) for column, known in self.labels.items()},
            garbled=self.garbled,
        )


class StoredTree:
    """The nodes of a tree as XGBoost stores them, with those that it pruned.

    A leaf has the children -1, and its value for a number.
    """

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.left: list[int] = tree["left_children"]
        self.right: list[int] = tree["right_children"]
        self.column: list[int] = tree["split_indices"]
        n = len(self.left)
        if int(tree.get("tree_param", {}).get("size_leaf_vector", 1)) > 1:
            raise UnreadableModel(
                "the leaves of this booster hold a number for each output: fit with "
                "multi_strategy='one_output_per_tree'"
            )
        for key in ("right_children", "split_conditions", "split_indices", "default_left"):
            if len(tree[key]) != n:
                raise ValueError(f"{key} has {len(tree[key])} entries for {n} nodes")
        reached = check_links(self.left, self.right)
        self.leaves = [node for node in reached if self.left[node] < 0]
        # Written as the shortest decimals that are the float32.
        conditions = [float(number) for number in tree["split_conditions"]]
        self.number = np.array(conditions, dtype=np.float32)
        self.nan_left = [bool(flag) for flag in tree["default_left"]]
        # The codes that go right, of splits on categories.
        splits = set(reached).difference(self.leaves)
        self.codes = {node: codes for node, codes in _sets(tree, n).items() if node in splits}
        # Before version 3 a split on categories has NaN for a threshold.
        if np.isnan(self.number[[node for node in reached if node not in self.codes]]).any():
            raise ValueError("a threshold or a leaf is not a number")


def _booster(learner: Mapping[str, Any], known: tuple[str, ...]) -> Mapping[str, Any]:
    """Give what holds the trees; refuse what does not add up trees."""
    booster: Mapping[str, Any] = learner["gradient_booster"]
    kind = booster["name"]
    if kind not in known:
        raise UnreadableModel(f"a booster {kind!r:.80} cannot be read: use booster='gbtree'")
    return booster["gbtree"] if kind == "dart" else booster


def _n_outputs(learner: Mapping[str, Any], one_tree: bool) -> int:
    """Say how many sums there are; refuse several numbers per row."""
    number = learner["learner_model_param"]
    n_classes, n_targets = int(number["num_class"]), int(number.get("num_target", 1))
    n_outputs = max(n_classes, n_targets)
    if n_outputs > 1 and one_tree:
        raise UnreadableModel(
            f"this booster has {n_outputs} outputs, each with trees of its own: only two classes, "
            "or one number, can be read; fit one model per output"
        )
    if n_targets > 1:
        raise UnreadableModel(
            f"this booster predicts {n_targets} numbers at once: only one can be read; fit one "
            "model per output"
        )
    return max(n_outputs, 1)


def _outputs(model: Mapping[str, Any], n_trees: int, n_outputs: int) -> list[int]:
    """Give the output that each tree adds to; every output has trees."""
    outputs = model["tree_info"]
    if len(outputs) != n_trees or any(type(one) is not int for one in outputs):
        raise ValueError(f"tree_info has {len(outputs)} entries for {n_trees} trees")
    if n_outputs > n_trees or set(outputs) != set(range(n_outputs)):
        raise ValueError(f"{n_trees} trees do not add to {n_outputs} outputs")
    return list(outputs)


def _end_of_round(model: Mapping[str, Any], n_rounds: int) -> int:
    """Give the number of trees in the first rounds."""
    ends = model["iteration_indptr"]
    if any(type(end) is not int for end in ends) or sorted(ends) != ends:
        raise ValueError("iteration_indptr does not rise")
    if not 0 < n_rounds < len(ends) or not 0 < ends[n_rounds] <= len(model["trees"]):
        raise ValueError(f"{n_rounds} rounds count, of {len(ends) - 1}")
    return int(ends[n_rounds])


def _task(learner: Mapping[str, Any], task: Task | None, classes: tuple[str, ...]) -> Task:
    """Say whether it predicts a class or a number; refuse other objectives."""
    objective = learner["objective"]["name"]
    what: str
    known: tuple[str, ...]
    if task == "classification":
        what, known = "classes" if len(classes) > 2 else "two classes", classes
    elif task == "regression":
        what, known = "one number", NUMBERS + CLASSES
    else:
        what = "classes or one number" if len(classes) > 2 else "two classes or one number"
        known = classes + NUMBERS
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


def _check_count(n_trees: int) -> None:
    if n_trees != 1:
        raise UnreadableModel(
            f"this booster holds {n_trees} trees and must hold one: fit with n_estimators=1, or "
            "read one round of a Booster with orderless.read(booster[i : i + 1])"
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


def _codes(trees: Sequence[StoredTree]) -> dict[int, dict[int, Any]]:
    """Take codes for labels, where there are no others: those that the trees ask about."""
    labels: dict[int, dict[int, Any]] = {}
    for tree in trees:
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
