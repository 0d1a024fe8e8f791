"""Fitting on the spot: a table becomes a tree of scikit-learn, judged on rows that it did not see.

In:  ``DataOptions`` and ``HoldOutOptions``.
Out: the tree over the table's own columns, the rows that it was fitted on, and how it does on
     others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimators import Quality, judge, pooled
from ..model import Tree
from ..output.rules import Judged
from ..readers import read_tree
from .mistakes import Mistake
from .options import DataOptions, FileOptions, HoldOutOptions, MissingValues
from .table import Labelled, labelled, space_of

__all__ = ["fit"]


def fit(
    data: DataOptions, files: FileOptions, hold_out: HoldOutOptions | None = None
) -> tuple[Tree, Labelled, tuple[Judged, ...]]:
    """Fit scikit-learn's ``DecisionTreeClassifier(random_state=0)`` on a table.

    Text columns are encoded one-hot, and read back as categories. With ``--missing-values drop``
    rows with gaps are left out of fitting; those that are held out are judged with their gaps.
    """
    if data.infer_kinds and data.missing_values == MissingValues.value:
        raise Mistake(
            "--infer-kinds reads gaps as unknown, and --missing-values value takes them for "
            "values: leave out one of the two"
        )
    hold_out = hold_out or HoldOutOptions()
    apart = hold_out.test is not None or hold_out.folds is not None
    given = labelled(data, files, values=True, keep_gaps=apart)
    known, held = given, None
    others: tuple[Judged, ...] = ()
    if hold_out.test is not None:
        learn, rest = _split(given, hold_out.test, hold_out.random_state)
        known, held = given.take(learn), given.take(rest)
    rows = _rows_to_fit(known, data)
    tree = _fitted(rows, data)
    if held is not None:
        found, note = _on_unseen(tree, held)
        others = (Judged("test rows", found, note),)
    elif hold_out.folds is not None:
        others = (_cross_validated(given, data, hold_out.folds, hold_out.random_state),)
    return tree, rows, others


def _rows_to_fit(given: Labelled, data: DataOptions) -> Labelled:
    rows = given if data.missing_values == MissingValues.value else given.complete()
    if not rows.y:
        raise Mistake(f"every row of {given.name} that the tree is fitted on has gaps")
    return rows


def _fitted(given: Labelled, data: DataOptions) -> Tree:
    """Fit a tree on rows that are complete, or in which a gap is a value."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    gaps = data.missing_values == MissingValues.value
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore" if data.other else "error"), given.text),
        remainder="passthrough",
        sparse_threshold=0 if gaps else 0.3,  # scikit-learn's trees take NaN in dense arrays only
    )
    classifier = DecisionTreeClassifier(
        max_depth=data.max_depth, min_samples_leaf=data.min_leaf, random_state=0
    )
    model = make_pipeline(encode, classifier) if given.text else classifier
    try:
        model.fit(given.X, given.y)
    except ValueError as fault:
        raise Mistake(f"scikit-learn cannot fit a tree on {given.name}: {fault}") from fault
    return read_tree(
        model, space=space_of(given.X, infer=data.infer_kinds, other=data.other, gaps=gaps)
    )


# -- rows that the tree does not see ---------------------------------------------------------------


def _split(given: Labelled, share: float, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Choose rows to fit on and rows to judge on, with the same share of every class."""
    from sklearn.model_selection import train_test_split

    if not 0 < share < 1:
        raise Mistake(f"--test must be a share above 0 and below 1, got {share:g}")
    try:
        learn, rest = train_test_split(
            np.arange(len(given.y)), test_size=share, random_state=seed, stratify=np.array(given.y)
        )
    except ValueError as fault:
        raise Mistake(f"--test {share:g} cannot split {given.name}: {fault}") from None
    return np.sort(learn), np.sort(rest)


def _cross_validated(given: Labelled, data: DataOptions, folds: int, seed: int) -> Judged:
    import warnings

    from sklearn.model_selection import StratifiedKFold

    parts: list[Quality] = []
    unseen: set[str] = set()
    ways = StratifiedKFold(folds, shuffle=True, random_state=seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class with fewer rows than folds is in some of them
            chosen = list(ways.split(np.zeros(len(given.y)), np.array(given.y)))
    except ValueError as fault:
        raise Mistake(f"--folds {folds} cannot split {given.name}: {fault}") from None
    for learn, rest in chosen:
        tree = _fitted(_rows_to_fit(given.take(learn), data), data)
        found, note = _on_unseen(tree, given.take(rest))
        parts.append(found)
        unseen |= {note} if note else set()
    accuracies = tuple(part.accuracy for part in parts if part.accuracy is not None)
    note = (
        "Some have a category that their tree was not fitted on, which counts as unknown."
        if unseen
        else ""
    )
    return Judged(f"rows of {folds} folds", pooled(parts), note, accuracies)


def _on_unseen(tree: Tree, held: Labelled) -> tuple[Quality, str]:
    """Judge a tree on rows that it was not fitted on.

    A category that none of its rows has is unknown: the row is a dict that does not have it.
    """
    known = {
        name: {*feature.categories} if feature.kind == "categorical" and not feature.other else None
        for name, feature in zip(tree.space.names, tree.space.features, strict=True)
    }
    rows, n_strange = [], 0
    for values in held.X.to_dict("records"):
        row = {str(name): value for name, value in values.items()}
        strange = [
            name
            for name, value in row.items()
            if (legal := known.get(name)) is not None
            and value is not None
            and value == value
            and value not in legal
        ]
        n_strange += any(name in tree.features for name in strange)
        rows.append({name: value for name, value in row.items() if name not in strange})
    note = ""
    if n_strange:
        note = (
            f"{n_strange:,} {'has' if n_strange == 1 else 'have'} a category that the tree was not "
            "fitted on, which counts as unknown."
        )
    return judge(tree, rows, held.y), note
