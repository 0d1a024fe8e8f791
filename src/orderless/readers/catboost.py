"""CatBoost's trees.

In:  a fitted ``CatBoostClassifier``, ``CatBoostRegressor``, ``CatBoostRanker`` or ``CatBoost``, or
     the JSON of a model file, of one tree.
Out: ``ColumnTree``. Rows are rounded to float32, then asked whether they are above a float32.
     Symmetric trees are unfolded, without the branches that no row can take.

A model file is read without CatBoost's loader.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UnreadableModel
from ..model import Task
from .build import ColumnTree, Table, TreeBuilder
from .catboost_ask import Hashes, exponentials
from .catboost_json import Leaf, ModelJson, StoredTree
from .checks import damaged, refuse_own_predict, unfitted
from .wrapped import renumbered

__all__ = [
    "Asked", "from_catboost", "from_text", "knows", "knows_text", "leaves", "plain_table",
    "saved_text", "task_of", "with_categories",
]  # fmt: skip

Asked = dict[int, list[int]]

ANY = "any"  # stands for the categories of a column that the tree does not ask about


def knows(model: Any) -> bool:
    """Whether it is a model of CatBoost."""
    import catboost

    known = (
        catboost.CatBoostClassifier, catboost.CatBoostRegressor, catboost.CatBoostRanker,
        catboost.CatBoost,
    )  # fmt: skip
    if isinstance(model, known):
        refuse_own_predict(model, *known)
    return isinstance(model, known)


def from_catboost(model: Any) -> ColumnTree:
    """Read a single tree, out of the JSON that CatBoost writes."""
    if model.is_fitted() and model.tree_count_ != 1:
        raise UnreadableModel(
            f"this model holds {model.tree_count_} trees and must hold one: fit with iterations=1"
        )
    task, exponent = task_of(model)
    return from_text(saved_text(model), task, exponent=exponent)


def saved_text(model: Any) -> str:
    """Give the JSON that CatBoost writes."""
    import catboost

    if not model.is_fitted():
        raise unfitted(model)
    with tempfile.TemporaryDirectory() as folder:  # CatBoost writes JSON to files only
        path = Path(folder) / "model.json"
        try:
            model.save_model(str(path), format="json")
        except catboost.CatBoostError as fault:
            raise UnreadableModel(
                f"CatBoost cannot write this model as JSON, from which it is read: {fault!s:.200}"
            ) from fault
        return path.read_text(encoding="utf-8")


def task_of(model: Any) -> tuple[Task, bool]:
    """Say what an estimator predicts, and whether it takes the exponential of some losses."""
    import catboost

    if isinstance(model, catboost.CatBoostClassifier):
        return "classification", True
    return "regression", isinstance(model, catboost.CatBoostRegressor)


def knows_text(text: str) -> bool:
    """Whether a text is a model file of CatBoost."""
    return '"features_info"' in text and ('"oblivious_trees"' in text or '"trees"' in text)


def from_text(text: str | bytes, task: Task | None = None, *, exponent: bool = True) -> ColumnTree:
    """Read the JSON of a model file.

    With ``exponent`` a Poisson or Tweedie model says what a ``CatBoostRegressor`` predicts;
    without, the raw number, as a plain ``CatBoost`` does.
    """
    with damaged("CatBoost", save="model.save_model(file, format='json')"):
        model = ModelJson(json.loads(text), task)
        builder = TreeBuilder(plain_table(model))
        asked: Asked = {}
        for leaf in leaves(builder, model.trees[0], asked):
            if model.output.task == "classification":
                builder.leaf_number(model.output.place(model.scaled(leaf)))
            else:
                builder.leaf_of_number(model.scaled(leaf)[0])
        builder.table = with_categories(builder.table, model, asked)
        if model.output.task == "classification":
            return builder.finish(model.output.classes)
        tree = builder.finish()
        if exponent and model.output.exponent:
            tree = renumbered(tree, exponentials(list(tree.classes)), "as the exponential")
        return tree


def plain_table(model: ModelJson) -> Table:
    """Give the columns, as far as they are known before the trees are."""
    return Table(model.n_columns, model.names, values="float32", learns_nan=True)


def with_categories(table: Table, model: ModelJson, asked: Asked) -> Table:
    """Add the categories that trees ask about, which are known by their hashes only."""
    return replace(
        table,
        categories={column: asked.get(column, [ANY]) for column in model.categorical},
        garbled={column: _hashes(model, column, asked[column]).resolve for column in asked},
    )


def leaves(builder: TreeBuilder, tree: StoredTree, asked: Asked) -> Iterator[Leaf]:
    """Describe the splits of a tree, and leave it to the caller to describe each leaf.

    ``asked`` takes up the hashes of categories that are asked for, by column.
    """
    for node in builder.walk(tree.root):
        part = tree.open(node)
        if isinstance(part, Leaf):
            yield part
            continue
        split, true, false = part
        if split.category is None:
            builder.numerical_test(split.column, ">", split.border, true, false, split.nan_true)
            continue
        known = asked.setdefault(split.column, [])
        if split.category not in known:
            known.append(split.category)
        builder.categorical_test(split.column, "in", [split.category], true, false)


def _hashes(model: ModelJson, column: int, hashes: list[int]) -> Hashes:
    return Hashes(column, model.names[column] if model.names else f"x{column}", hashes)
