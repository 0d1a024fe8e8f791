"""Quality: how often a tree is right on labelled rows, class by class.

In:  a ``Tree``, rows (gaps allowed) and their labels.
Out: ``Quality``: the confusion matrix, and what is read off it. Rows that are not determined have a
     column of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidTree
from ..inputs import codes_for, is_unknown, rows_for
from ..model import Label, TreeKernel, plain_label
from ..questions import verdicts_of
from ..readers import read_model

__all__ = ["Quality", "judge", "pooled"]


@dataclass(frozen=True, slots=True)
class Quality:
    """How the true classes of rows compare with what a tree says. Made by ``judge``.

    Attributes
    ----------
    classes : tuple of labels
        Those of the tree, then labels that rows have and the tree does not.
    counts : tuple of tuples of int
        The confusion matrix: ``counts[i][j]`` rows have class i, and the tree says class j.
    undetermined : tuple of int
        By true class, how many rows are not determined. They count as not right.
    n_unlabelled : int
        Rows without a label. They count nowhere else.
    """

    classes: tuple[Label, ...]
    counts: tuple[tuple[int, ...], ...]
    undetermined: tuple[int, ...]
    n_unlabelled: int = 0

    @property
    def confusion(self) -> NDArray[np.int64]:
        """The confusion matrix as an array."""
        return np.array(self.counts, dtype=np.int64).reshape(len(self.classes), -1)

    @property
    def n_rows(self) -> int:
        """How many rows have a label."""
        return sum(self.rows_of.values())

    @property
    def n_right(self) -> int:
        """For how many of them the tree says their class."""
        return sum(row[i] for i, row in enumerate(self.counts))

    @property
    def n_undetermined(self) -> int:
        """How many of them are not determined."""
        return sum(self.undetermined)

    @property
    def rows_of(self) -> dict[Label, int]:
        """How many rows have each class."""
        both = zip(self.classes, self.counts, self.undetermined, strict=True)
        return {label: sum(row) + gone for label, row, gone in both}

    @property
    def accuracy(self) -> float | None:
        """The share of rows that are right; None without rows."""
        return _share(self.n_right, self.n_rows)

    @property
    def majority(self) -> Label | None:
        """The class that most rows have, the first of several; None without rows."""
        rows = self.rows_of
        return max(rows, key=lambda label: rows[label]) if self.n_rows else None

    @property
    def majority_share(self) -> float | None:
        """How often always saying ``majority`` is right."""
        return _share(max(self.rows_of.values(), default=0), self.n_rows)

    @property
    def sensitivity(self) -> dict[Label, float | None]:
        """By class, the share of its rows for which the tree says it (recall)."""
        of = self.rows_of
        return {c: _share(self.counts[i][i], of[c]) for i, c in enumerate(self.classes)}

    @property
    def specificity(self) -> dict[Label, float | None]:
        """By class, the share of all other rows for which the tree says some other class.

        With two classes it is the sensitivity of the other class.
        """
        all_rows, of, matrix = self.n_rows, self.rows_of, self.confusion
        out: dict[Label, float | None] = {}
        for i, label in enumerate(self.classes):
            others = np.delete(np.delete(matrix, i, axis=0), i, axis=1)
            out[label] = _share(int(others.sum()), all_rows - of[label])
        return out

    def to_dict(self) -> dict[str, Any]:
        """Give everything as what JSON can hold."""
        return {
            "rows": self.n_rows,
            "without_class": self.n_unlabelled,
            "right": self.n_right,
            "accuracy": self.accuracy,
            "not_determined": self.n_undetermined,
            "majority": {"class": self.majority, "share": self.majority_share},
            "confusion": {
                "classes": list(self.classes),
                "counts": [list(row) for row in self.counts],
                "not_determined": list(self.undetermined),
            },
            "by_class": [
                {"class": label, "rows": self.rows_of[label],
                 "sensitivity": self.sensitivity[label], "specificity": self.specificity[label]}
                for label in self.classes
            ],
        }  # fmt: skip


def judge(tree: Any, X: Any, y: Any) -> Quality:
    """Count how often a tree says the class that rows have.

    Parameters
    ----------
    tree : Tree, CanonicalForm, Ensemble, or any model that ``orderless.read`` reads
    X : rows
        Gaps are allowed: a row that is not determined is counted as such, and is not right.
    y : labels, one per row
        None, NaN and NA: the row has no label.

    Returns
    -------
    Quality
        ``confusion``, ``accuracy`` and ``majority_share``, ``sensitivity`` and ``specificity`` per
        class (with three or more classes each against all others).

    Raises
    ------
    InvalidData
        If there are not as many labels as rows.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": "ill"}, "false": {"prediction": "well"}}
    >>> found = judge(tree, [[1], [1], [0], [None]], ["ill", "well", "well", "ill"])
    >>> found.confusion
    array([[1, 0],
           [1, 1]])
    >>> found.undetermined, found.accuracy, found.majority_share
    ((1, 0), 0.5, 0.5)
    >>> found.sensitivity
    {'ill': 0.5, 'well': 0.5}
    """
    model = read_model(tree)
    if model.task == "regression":
        raise InvalidTree(
            "judge counts classes, and this tree predicts numbers: use deviation(tree, X, y), or "
            "cut the tree at levels, tree.discretize([...])"
        )
    codes = (
        codes_for(model, X)
        if isinstance(model, TreeKernel)
        else verdicts_of(model, rows_for(model, X)).label
    )
    labels = [None if is_unknown(label) else plain_label(label) for label in _values(y)]
    if len(labels) != len(codes):
        raise InvalidData(f"X has {len(codes):,} rows and y has {len(labels):,} labels")
    classes = dict.fromkeys(model.classes)
    classes |= dict.fromkeys(label for label in labels if label is not None)
    number = {label: i for i, label in enumerate(classes)}
    table = np.zeros((len(classes), len(classes) + 1), dtype=np.int64)
    known = [(i, number[label]) for i, label in enumerate(labels) if label is not None]
    for i, truth in known:
        table[truth, codes[i]] += 1  # -1, not determined, is the last column
    return Quality(
        tuple(classes),
        tuple(map(tuple, table[:, :-1].tolist())),
        tuple(table[:, -1].tolist()),
        len(labels) - len(known),
    )


def pooled(parts: Iterable[Quality]) -> Quality:
    """Add up what was counted on several parts of the rows, as in cross-validation.

    Examples
    --------
    >>> pooled([Quality(("a",), ((2,),), (0,)), Quality(("a", "b"), ((1, 0), (1, 3)), (0, 1))])
    Quality(classes=('a', 'b'), counts=((3, 0), (1, 3)), undetermined=(0, 1), n_unlabelled=0)
    """
    parts = list(parts)
    classes = tuple(dict.fromkeys(label for part in parts for label in part.classes))
    table = np.zeros((len(classes), len(classes)), dtype=np.int64)
    gone = np.zeros(len(classes), dtype=np.int64)
    for part in parts:
        at = [classes.index(label) for label in part.classes]
        table[np.ix_(at, at)] += part.confusion
        gone[at] += part.undetermined
    return Quality(classes, tuple(map(tuple, table.tolist())), tuple(gone.tolist()),
                   sum(part.n_unlabelled for part in parts))  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _values(y: Any) -> list[Any]:
    return list(y.to_list()) if hasattr(y, "to_list") else list(y)
