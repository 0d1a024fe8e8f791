"""The labels of leaves, as classes.

In:  labels as a library states them.
Out: classes in their order, and the place of each leaf's label among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from ..errors import InvalidTree, UnreadableModel
from ..model import Label, plain_label

__all__ = ["DAMAGED", "ordered", "places"]

DAMAGED = "the model is damaged; fit or save it again"


def places(classes: Sequence[Any] | NDArray[Any], labels: Mapping[int, Label]) -> dict[int, int]:
    """Give, for each leaf, the position of its label among the classes."""
    position = {plain_label(label): i for i, label in enumerate(classes)}
    for label in labels.values():
        if label not in position:
            raise UnreadableModel(
                f"a leaf predicts {label!r:.80}, which is not one of the classes "
                f"{list(position)[:12]}: {DAMAGED}"
            )
    return {node: position[label] for node, label in labels.items()}


def ordered(labels: Any) -> list[Label]:
    """Give labels of one type, each once, sorted."""
    labels = list(labels)
    kinds = {str if isinstance(p, str) else bool if isinstance(p, bool) else float for p in labels}
    if len(kinds) > 1:
        raise InvalidTree(f"class labels must be of one type, got {labels!r:.120}")
    return sorted(set(labels))
