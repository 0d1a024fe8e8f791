"""Forests and boosted trees of Spark MLlib.

In:  the JSON text that ``spark_folder`` makes of a saved model.
Out: ``ColumnEnsemble``. A forest adds shares of classes, or numbers, tree after tree in float64.
     Boosted trees are a scalar product, whose rounding depends on the BLAS that Spark finds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model import Adding, Rule
from ..build import ColumnTree, TreeBuilder
from ..checks import damaged
from ..spark_folder import SAVE
from ..spark_models import SparkModel, counts_of, knows_text, leaves_of, spark_model
from .build import ColumnEnsemble
from .rounding import check_room, largest_sums

__all__ = ["from_text", "knows_text"]


def from_text(text: str) -> ColumnEnsemble:
    """Read all trees."""
    with damaged("Spark", save=SAVE):
        model = spark_model(text)
        shares = model.classes is not None and model.kind != "GBT"
        trees, values = [], []
        for nodes, weight in zip(model.trees, model.weights, strict=True):
            builder = TreeBuilder(model.table)
            own: list[list[float]] = []
            for leaf in leaves_of(builder, model, nodes):
                builder.leaf_number(len(own))
                if shares:
                    counts = counts_of(leaf, model)
                    total = sum(counts)
                    own.append([count / total if total else 0.0 for count in counts])
                else:
                    own.append([float(leaf["prediction"]) * (weight if model.kind == "GBT" else 1)])
            trees.append(builder.finish(range(len(own))))
            values.append(np.array(own))
        return _finished(model, trees, values)


def _finished(
    model: SparkModel, trees: list[ColumnTree], values: list[NDArray[np.float64]]
) -> ColumnEnsemble:
    n = len(trees)
    if model.classes is not None and model.kind != "GBT":
        adding = Adding(base=(0.0,) * len(model.classes))
        check_room(values, adding)
        rule = Rule("largest")
        return ColumnEnsemble(trees, values, model.classes, adding, rule, factor=1.0 / n)
    adding = Adding(divisor=float(n) if model.kind == "RandomForest" else 1.0)
    check_room(values, adding)
    if model.classes is None:
        return ColumnEnsemble(trees, values, None, adding, Rule("number"))
    # Twice what n products and sums in any order can be off.
    window = 4 * (n + 4) * 2.0**-53 * float(largest_sums(values, adding).max())
    rule = Rule("cuts", (0.0,), window=window)
    return ColumnEnsemble(trees, values, model.classes, adding, rule, "logistic", 2.0)
