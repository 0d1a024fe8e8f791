"""LightGBM's trees.

In:  a fitted ``LGBMClassifier``, ``LGBMRegressor`` or ``LGBMRanker``, a ``Booster``, or the text of
     a model file, of one tree and two classes or one number.
Out: ``ColumnTree``. Numbers are compared as float64, but all between -ZERO and ZERO count as 0.
     (LightGBM itself rounds a whole *array of integers* to float32 first; a data frame it does
     not.)

The text is read by our own parser, for models in memory too. LightGBM's JSON writes an infinite
threshold ("is the value known?") as 1e300, which is another condition; and its loader ends the
process on some broken files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnreadableModel
from ..model import Task
from .build import ColumnTree, TreeBuilder
from .checks import damaged, refuse_own_predict, unfitted
from .lightgbm_text import Labels, ModelText, StoredTree

__all__ = ["TIE", "from_lightgbm", "from_text", "knows", "knows_text", "leaves"]

ZERO = float(np.float32(1e-35))
BELOW_ZERO = float(np.nextafter(-ZERO, -np.inf))
# 1 / (1 + exp(-x)) is above one half, in float64, from here on.
TIE = 1.5 * 2.0**-53
LIMIT = 100_000
MISSING = ("None", "Zero", "NaN")


def knows(model: Any) -> bool:
    """Whether it is a model of LightGBM: a classifier, regressor, ranker or ``Booster``."""
    import lightgbm

    if isinstance(model, lightgbm.LGBMModel):
        refuse_own_predict(model, lightgbm.LGBMClassifier, lightgbm.LGBMModel)
    return isinstance(model, lightgbm.Booster | lightgbm.LGBMModel)


def from_lightgbm(model: Any) -> ColumnTree:
    """Read a single tree; of a binary ``Booster`` the classes are 0 and 1, divided at one half."""
    import lightgbm

    if isinstance(model, lightgbm.Booster):
        return from_text(model.model_to_string())
    booster = getattr(model, "booster_", None)
    if booster is None:
        raise unfitted(model)
    text = booster.model_to_string()
    if isinstance(model, lightgbm.LGBMClassifier):
        return from_text(text, model.classes_, task="classification")
    return from_text(text, task="regression")


def knows_text(text: str) -> bool:
    """Whether a text is a model file of LightGBM, complete or not."""
    return text.startswith("tree\n") and "\nversion=" in text[:200]


def from_text(
    text: str,
    classes: Sequence[Any] | np.ndarray[Any, Any] = (0, 1),
    *,
    task: Task | None = None,
) -> ColumnTree:
    """Read the text of a model file, as ``Booster.save_model`` writes it."""
    with damaged("LightGBM", save="booster.save_model(file)"):
        model = ModelText(text, task)
        builder = TreeBuilder(model.table)
        objective = model.objective
        tree = model.trees[0]
        for leaf in leaves(builder, tree, model.labels):
            value = tree.value[leaf]
            if objective.task == "regression":
                builder.leaf_of_number(objective.number(value))
            else:
                builder.leaf_number(objective.sigmoid * value > TIE)
        return builder.finish(classes if objective.task == "classification" else None)


class _Split(NamedTuple):
    """What ``TreeBuilder.numerical_test`` takes."""

    column: int
    threshold: float
    true: Any
    false: Any
    nan_true: bool
    relation: Any = "<="


def leaves(builder: TreeBuilder, tree: StoredTree, labels: Labels) -> Iterator[int]:
    """Describe the splits of a tree, and leave it to the caller to describe each leaf.

    Nodes are LightGBM's numbers, of which leaves are negative; or splits of ours. With
    zero_as_missing a leaf can come up several times.
    """
    for node in builder.walk(0 if tree.left else -1):
        if len(builder) > LIMIT:
            raise UnreadableModel(
                f"with zero_as_missing this tree has more than {LIMIT} nodes, because zero does "
                "not lie between its neighbours: fit fewer leaves, or without zero_as_missing"
            )
        if isinstance(node, _Split):
            builder.numerical_test(**node._asdict())
        elif node < 0:
            yield ~node
        elif tree.kind[node] & 1:
            members = tree.members(node, labels)
            builder.categorical_test(
                tree.column[node], "in", members, tree.left[node], tree.right[node]
            )
        else:
            builder.numerical_test(**_numeric(tree, node)._asdict())


def _numeric(tree: StoredTree, node: int) -> _Split:
    """State a split on a number, with LightGBM's ways with zero and with missing values."""
    column, cut, kind = tree.column[node], tree.threshold[node], tree.kind[node]
    left, right = tree.left[node], tree.right[node]
    missing, missing_left = MISSING[kind >> 2 & 3], bool(kind & 2)
    if abs(cut) <= ZERO:
        cut = BELOW_ZERO if cut < 0 else ZERO
    if missing == "None":  # NaN counts as 0
        missing_left = cut > 0
    split = _Split(column, cut, left, right, missing_left)
    if missing != "Zero" or missing_left == (cut > 0):
        return split
    # Zero goes with the missing values, away from its neighbours.
    if missing_left:
        zero = _Split(column, ZERO, left, right, False)
        return split._replace(false=_Split(column, BELOW_ZERO, right, zero, False))
    zero = _Split(column, ZERO, right, split, True)
    return _Split(column, BELOW_ZERO, left, zero, False)
