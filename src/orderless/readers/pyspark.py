"""Live models of Spark MLlib.

In:  a fitted model of ``pyspark.ml``: a tree, a forest, boosted trees, or a ``PipelineModel``.
Out: what its saved folder says: it is saved into a temporary folder, and read from there.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from .builder import ColumnModel
from .spark import from_text
from .spark_folder import spark_text

__all__ = ["from_pyspark", "knows"]

TREES = ("DecisionTree", "RandomForest", "GBT")


def knows(model: Any) -> bool:
    """Whether it is a model of Spark that may hold trees."""
    from pyspark.ml import PipelineModel, classification, regression

    kinds = [getattr(module, f"{kind}{name}Model")
             for module, name in ((classification, "Classification"), (regression, "Regression"))
             for kind in TREES]  # fmt: skip
    return isinstance(model, (PipelineModel, *kinds))


def from_pyspark(model: Any) -> ColumnModel:
    """Save a model where this process can read it, and read that."""
    with tempfile.TemporaryDirectory(prefix="orderless-spark-") as folder:
        target = Path(folder) / "model"
        model.write().overwrite().save(target.as_uri())
        return from_text(spark_text(target))
