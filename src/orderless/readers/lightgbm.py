"""LightGBM's boosted trees, dart, goss and forests.

In:  a fitted ``LGBMClassifier``, ``LGBMRegressor`` or ``LGBMRanker``, a ``Booster``, or the text of
     a model file.
Out: ``ColumnModel``. Numbers are compared as float64, but all between -ZERO and ZERO count as 0.
     (LightGBM itself rounds a whole *array of integers* to float32 first; a data frame it does
     not.) LightGBM begins at 0 and adds one tree after the other in float64; learning rates, dart's
     weights and the average of the targets are in the leaves already. A forest divides the sum by
     its rounds.

The text is read by a parser of this package, for models in memory too. LightGBM's JSON writes an
infinite threshold ("is the value known?") as 1e300, which is another condition; and its loader ends
the process on some broken files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from ..model import Adding, Floats, Link, Rule, Task, last_before_change, plain_label
from .builder import (
    NUMBER,
    ColumnModel,
    ModelBuilder,
    Table,
    largest_sums,
)
from .checks import check_links, damaged, refuse_own_predict, unfitted

__all__ = ["from_lightgbm", "from_text", "knows", "knows_text"]

VERSIONS = ("v3", "v4")
ZERO = float(np.float32(1e-35))
BELOW_ZERO = float(np.nextafter(-ZERO, -np.inf))
MISSING = ("None", "Zero", "NaN")
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
LINKS: dict[str, Link] = {
    "binary": "logistic",
    "multiclass": "softmax",
    "multiclassova": "logistic",
    "cross_entropy": "logistic",
    "poisson": "exp",
    "gamma": "exp",
    "tweedie": "exp",
}
# As XGBoost's in float32: scores that are further apart have probabilities 1.5 units in the last
# place apart.
SOFTMAX = 2.0**-51
MOST_EXPONENT = 700.0  # of which float64 has the exponential
# 1 / (1 + exp(-x)) is above one half, in float64, from here on.
TIE = 1.5 * 2.0**-53

Labels = dict[int, dict[int, Any]]


def knows(model: Any) -> bool:
    """Whether it is a model of LightGBM: a classifier, regressor, ranker or ``Booster``."""
    import lightgbm

    if isinstance(model, lightgbm.LGBMModel):
        refuse_own_predict(model, lightgbm.LGBMClassifier, lightgbm.LGBMModel)
    return isinstance(model, lightgbm.Booster | lightgbm.LGBMModel)


def from_lightgbm(model: Any) -> ColumnModel:
    """Read all trees up to the best round; of a ``Booster`` the classes are 0, 1, ..."""
    import lightgbm

    if isinstance(model, lightgbm.Booster):
        return from_text(model.model_to_string())
    booster = getattr(model, "booster_", None)
    if booster is None:
        raise unfitted(model)
    text = booster.model_to_string()
    if model.get_params().get("pred_early_stop") and booster.num_trees() > 1:
        raise UnreadableModel(
            "with pred_early_stop=True LightGBM does not ask all trees, and which ones depends on "
            "the row: leave it out"
        )
    if isinstance(model, lightgbm.LGBMClassifier):
        return from_text(text, model.classes_, task="classification")
    return from_text(text, task="regression")


def knows_text(text: str) -> bool:
    """Whether a text is a model file of LightGBM, complete or not."""
    return text.startswith("tree\n") and "\nversion=" in text[:200]


def from_text(
    text: str,
    classes: Sequence[Any] | NDArray[Any] | None = None,
    *,
    task: Task | None = None,
) -> ColumnModel:
    """Read the text of a model file, as ``Booster.save_model`` writes it."""
    with damaged("LightGBM", save="booster.save_model(file)"):
        model = _ModelText(text, task)
        _check(model)
        objective = model.objective
        n_outputs = objective.n_outputs
        builder = ModelBuilder(model.table)
        for i, tree in enumerate(model.trees):
            score = i % n_outputs if n_outputs > 1 else None
            for node in builder.walk(0 if tree.left else -1, values=tree.value, score=score):
                _describe(builder, tree, node, model.labels)
        n_rounds = len(model.trees) // n_outputs
        adding = Adding(base=(0.0,) * n_outputs, divisor=float(n_rounds) if model.averages else 1.0)
        link = LINKS.get(objective.name, "identity")
        if objective.task == "regression":
            factor = objective.sigmoid
            return builder.finish(None, adding, NUMBER, link, factor, objective.numbers)
        labels = _classes(objective, classes, len(model.trees))
        sums = builder.finish(labels, adding, Rule("largest"), link, objective.sigmoid)
        assert sums.values is not None
        return replace(sums, rule=_rule(objective, sums.values, adding))


def _describe(builder: ModelBuilder, tree: _StoredTree, node: int, labels: Labels) -> None:
    """Describe a node by LightGBM's number, of which those of leaves are negative."""
    if node < 0:
        builder.leaf_number(~node)
        return
    column, cut, kind = tree.column[node], tree.threshold[node], tree.kind[node]
    left, right = tree.left[node], tree.right[node]
    if kind & 1:
        builder.categorical_test(column, "in", tree.members(node, labels), left, right)
        return
    missing, missing_left = MISSING[kind >> 2 & 3], bool(kind & 2)
    if abs(cut) <= ZERO:
        cut = BELOW_ZERO if cut < 0 else ZERO
    if missing == "None":  # NaN counts as 0
        missing_left = cut > 0
    zero = (BELOW_ZERO, ZERO) if missing == "Zero" else None
    builder.numerical_test(column, "<=", cut, left, right, missing_left, zero_is_missing=zero)


def _check(model: _ModelText) -> None:
    """Refuse what is not a sum, or is not known to be one; of one tree, any function is read."""
    objective, n_trees = model.objective, len(model.trees)
    if model.version not in VERSIONS:
        raise UnreadableModel(
            f"the model file has version {model.version!r:.40}, and known are "
            f"{', '.join(map(repr, VERSIONS))}: save it with LightGBM 3 or 4"
        )
    if objective.name in ("custom", "") and n_trees > 1:
        raise UnreadableModel(
            "this model has an objective of your own, so that nobody knows what its score means: "
            "use one of LightGBM's"
        )
    if n_trees > 1 and (objective.squared or objective.name == "cross_entropy_lambda"):
        what = "the signed square" if objective.squared else "log(1 + exp)"
        instead = "reg_sqrt=False" if objective.squared else "the objective 'cross_entropy'"
        raise UnreadableModel(
            f"this model predicts {what} of a sum, which is not known here: fit with {instead}, or "
            "transform the targets yourself"
        )
    several = objective.name in SEVERAL_CLASSES
    n_outputs = objective.n_outputs
    if n_outputs < 1 or (n_outputs > 1) != several or n_trees < 1 or n_trees % n_outputs:
        raise ValueError(f"{n_trees} trees for {n_outputs} outputs of {objective.name!r:.40}")


def _classes(
    objective: _Objective, classes: Sequence[Any] | NDArray[Any] | None, n_trees: int
) -> Sequence[Any] | NDArray[Any]:
    n_classes = 2 if objective.name == "binary" else objective.n_outputs
    if classes is None:
        return range(n_classes)
    if len(classes) == n_trees == 1 and objective.name == "binary":
        return classes  # the only class there was in training
    if len(classes) != n_classes or (n_classes == 2 and objective.name != "binary"):
        raise UnreadableModel(
            f"this model knows {len(classes)} classes and has the objective {objective.name!r} "
            f"with {objective.n_outputs} scores, of which predict does not make one class per row: "
            "fit again with the objective 'binary' for two classes, 'multiclass' for more"
        )
    return classes


def _rule(objective: _Objective, values: Sequence[Floats], adding: Adding) -> Rule:
    if objective.name == "binary":
        factor, divisor = objective.sigmoid, adding.divisor
        (cut,), _, _ = last_before_change(lambda x, _: factor * (x / divisor) > TIE, 1)
        return Rule("cuts", (float(cut),))
    largest = float(largest_sums(values, adding).max())
    window = SOFTMAX
    if objective.name == "multiclassova":
        window = _window_of_sigmoids(objective.sigmoid, values, adding)
    if adding.divisor != 1.0:  # a division makes numbers equal that are 2^-52 apart
        window = window * adding.divisor + 2.0**-51 * largest
    return Rule("largest", window=window * (1 + 2.0**-10))


def _window_of_sigmoids(sigmoid: float, values: Sequence[Floats], adding: Adding) -> float:
    """Return how close scores can be of which LightGBM makes one probability, each by itself.

    With z = sigmoid * score, 1 / (1 + exp(-z)) rises by exp(-z) / 4 or more per unit of a positive
    z, and by half of itself for a negative one; its own error is (abs(z) + 5) * 2^-53 of it at
    most. So two scores below ``highest`` are told apart that are further apart than twice that
    error over the slope. Probabilities close to 1 are all alike, and the window is wide then.
    """
    factor = sigmoid / adding.divisor
    largest = factor * float(largest_sums(values, adding).max())
    if largest > MOST_EXPONENT:
        return 2 * largest / sigmoid
    tops = np.sum([np.maximum(added.max(axis=0), 0.0) for added in values], axis=0)
    highest = factor * float(tops.max()) * (1 + 2.0**-10)
    return 8 * (largest + 5) * 2.0**-53 * math.exp(highest) / sigmoid


# -- what the text holds, checked against itself: what does not fit is a ValueError or the like ----


class _ModelText:
    """A model that decides between classes, or predicts a number; others are refused.

    ``task`` is what its estimator predicts; None: what its objective is for.
    """

    def __init__(self, text: str, task: Task | None = None) -> None:
        head, *trees = text.partition("\nend of trees")[0].split("\nTree=")
        entries = _entries(head)
        self.names = entries["feature_names"].split(" ") if entries.get("feature_names") else []
        if len(self.names) != int(entries["max_feature_idx"]) + 1:
            raise ValueError(
                f"max_feature_idx is {entries['max_feature_idx']}, {len(self.names)} names"
            )
        self.version = entries.get("version", "")
        self.objective = _Objective(entries, task)
        if int(entries["num_class"]) != self.objective.n_outputs:
            raise ValueError(
                f"num_class is {entries['num_class']}, of {self.objective.n_outputs} trees at a "
                "time"
            )
        self.averages = "average_output" in head.splitlines()
        self.labels = _labels(text, entries, len(self.names))
        self.trees = [_StoredTree(_entries(tree)) for tree in trees]

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


class _Objective:
    """What LightGBM was fitted for, and so what it makes of the numbers that leaves hold."""

    def __init__(self, entries: Mapping[str, str], task: Task | None) -> None:
        self.n_outputs = int(entries["num_tree_per_iteration"])
        stated = entries.get("objective", "none of its own")
        self.name, *options = stated.split(" ") if "objective" in entries else ("",)
        classes = ("binary", *SEVERAL_CLASSES)
        if task is None:
            task = "classification" if self.name in classes else "regression"
        if task == "classification" and self.name not in classes:
            raise UnreadableModel(
                f"the objective {stated!r:.80} cannot be read as classes: it must be one of "
                f"{', '.join(map(repr, classes))}"
            )
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

    def numbers(self, sums: Floats) -> Floats:
        """Return what the model predicts of sums, to the last bit."""
        return np.array([self._number(total) for total in sums.tolist()])

    def _number(self, total: float) -> float:
        """Compute in double with the C library's functions, as LightGBM and Python do."""
        how = TRANSFORMED[self.name]
        try:
            if self.squared and how == "as it is":
                return math.copysign(1.0, total) * total * total
            if how == "exp":
                return math.exp(total)
            if how == "log(1 + exp)":
                return math.log1p(math.exp(total))
            if how == "sigmoid":
                return _sigmoid(self.sigmoid * total)
        except OverflowError:  # infinite, which is refused where the tree is made
            return math.inf
        return total


def _sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x))."""
    try:
        return 1.0 / (1.0 + math.exp(-x))
    except OverflowError:
        return 0.0


class _StoredTree:
    """The arrays of a tree as LightGBM stores them; negative children are leaves."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        if entries.get("is_linear", "0") != "0":
            raise UnreadableModel("the leaves hold linear models: fit with linear_tree=False")
        n_leaves = int(entries["num_leaves"])
        n = n_leaves - 1
        self.value = np.array(_numbers(entries, "leaf_value", n_leaves))
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
