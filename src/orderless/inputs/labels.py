"""Labels in: the classes of rows, as numbers.

In:  labels of any usual kind, one per row.
Out: positions in the classes of a tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from ..model import Tree, plain_label

__all__ = ["class_codes"]


def class_codes(tree: Tree, y: ArrayLike, n_rows: int) -> NDArray[np.int32]:
    """Give the positions of labels in ``tree.classes``, -1 for labels that are not there."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise InvalidData(
            f"y has shape {labels.shape}, there are {n_rows:,} rows: give one label per row"
        )
    distinct, which = np.unique(labels, return_inverse=True)
    at = {label: i for i, label in enumerate(tree.classes)}
    codes = np.array([at.get(plain_label(label), -1) for label in distinct], dtype=np.int32)
    return codes[which] if n_rows else np.zeros(0, dtype=np.int32)
