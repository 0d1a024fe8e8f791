"""Live models of Spark MLlib.

In:  a fitted model of ``pyspark.ml``: a tree, a forest, boosted trees, or a ``PipelineModel``.
Out: what its saved folder says: it is saved into a temporary folder, and read from there.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from .build import ColumnTree
from .spark_folder import spark_text
from .spark_models import from_text

__all__ = ["from_pyspark", "knows", "saved_text"]

TREES = ("DecisionTree", "RandomForest", "GBT")


def knows(model: Any) -> bool:
    """Whether it is a model of Spark that may hold trees."""
    from pyspark.ml import PipelineModel, classification, regression

    kinds = [getattr(room, f"{kind}{name}Model")
             for room, name in ((classification, "Classification"), (regression, "Regression"))
             for kind in TREES]  # fmt: skip
    return isinstance(model, (PipelineModel, *kinds))


def saved_text(model: Any) -> str:
    """Save a model where this process can read it, and read that."""
    with tempfile.TemporaryDirectory(prefix="orderless-spark-") as folder:
        target = Path(folder) / "model"
        model.write().overwrite().save(target.as_uri())
        return spark_text(target)


def from_pyspark(model: Any) -> ColumnTree:
    """Read one tree."""
    return from_text(saved_text(model))
