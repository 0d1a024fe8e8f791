"""Transformers that know what their columns mean: ours, and any with a ``space_``.

In:  a fitted transformer with a ``space_``, and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out: conditions on the columns that went in.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ...errors import UnreadableModel
from ...inputs import some_names
from ...model import Condition, Feature, Floats, Label, Space
from .stage import Block, Encode, Rescale, Stage

__all__ = ["by_space"]


def by_space(transformer: Any, block: Block, step: str) -> Block:
    """Read a transformer that knows what its columns mean."""
    from ...inputs import Binarizer  # imports scikit-learn

    if isinstance(transformer, Binarizer):
        return _cut(transformer, block, step)
    space: Space = transformer.space_
    named = [str(name) for name in getattr(transformer, "feature_names_in_", ())]
    if len(space) != len(block.wires) and not set(space.names) <= set(named):
        raise UnreadableModel(
            f"{step} has a space_ over the features {some_names(space.names)}, which are not the "
            f"{len(block.wires)} columns that go in: give space= of the table that went in"
        )
    wires = []
    for column in space.columns:
        feature = space[column.feature]
        at = named.index(feature.name) if feature.name in named else space.index(feature.name)
        wires.append(block.wires[at].then(_condition(step, feature, column.condition)))
    return Block(wires)


def _condition(step: str, feature: Feature, condition: Condition | None) -> Stage:
    if condition is None and feature.ordered:
        return Rescale(step, np.array, feature.nan, hint=feature)
    if condition is not None and condition.at_most is not None:
        top = condition.at_most
        return Rescale(
            step, lambda x: (x <= top).astype(np.float64), feature.nan, two_valued=True,
            hint=feature,
        )  # fmt: skip
    if condition is None:
        raise UnreadableModel(f"{step} passes the labels of {feature.name!r} on: encode them first")
    among = cast("tuple[Label, ...]", condition.among)
    labels = (False, True) if feature.kind == "boolean" else feature.categories
    return Encode(
        step,
        {label: float(label in among) for label in labels},
        0.0 if feature.other else None,
        0.0 if feature.nan else None,
        hint=feature,
    )


def _cut(binarizer: Any, block: Block, step: str) -> Block:
    """Read one of our own binarizers: a column that goes in is at most a threshold."""
    features: list[Feature | None] = [None] * len(block.wires)
    if binarizer.space is None:
        features = list(binarizer.space_.features)
    else:
        names = getattr(binarizer, "feature_names_in_", binarizer.space.column_names)
        columns = {column.name: column for column in binarizer.space.columns}
        for k, name in enumerate(names):
            column = columns[str(name)]
            features[k] = binarizer.space[column.feature] if column.condition is None else None

    def stage(k: int, threshold: float) -> Rescale:
        feature = features[k]
        rounded = feature is not None and feature.values == "float32"

        def function(x: Floats) -> Floats:
            if rounded:
                with np.errstate(over="ignore"):
                    x = x.astype(np.float32).astype(np.float64)
            return (x <= threshold).astype(np.float64)

        return Rescale(step, function, takes_missing=False, two_valued=True, hint=feature)

    return Block([block.wires[k].then(stage(k, t), np.int8) for k, t in binarizer.thresholds_])
