"""Averages of trees: scikit-learn's forests, bagging and voting models.

In:  a fitted model that averages what its members say of each class, or the numbers they predict.
Out: ``ColumnEnsemble``: float64 sums in the order of the members, divided in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel, a_kind
from ...model import Adding, Floats, Rule
from ..build import DAMAGED, ColumnTree, Table
from ..checks import refuse_own_predict
from ..sklearn import columns_of, numbered_tree
from .build import ColumnEnsemble

__all__ = ["from_bagging", "from_forest", "from_tree", "from_voting"]

ReadMember = Callable[[Any], ColumnEnsemble | None]  # None: it is no sum of trees


class _Member(NamedTuple):
    """A part of an average.

    ``places`` are the positions of its classes among those of the whole, ``columns`` those of its
    columns; None: the same. Its numbers are multiplied by ``weight``, if it has one.
    """

    parts: ColumnEnsemble
    weight: float | None = None
    places: Sequence[int] | None = None
    columns: Sequence[int] | None = None


def from_tree(model: Any) -> ColumnEnsemble:
    """Read one tree: shares of classes, of which the first of the largest is predicted; numbers."""
    from sklearn.base import is_classifier
    from sklearn.tree import BaseDecisionTree

    refuse_own_predict(model, BaseDecisionTree)
    tree, values = numbered_tree(model)
    if not is_classifier(model):
        return ColumnEnsemble([tree], [values[:, :1]], None, Adding(), Rule("number"))
    classes = _classes(model, values.shape[1])
    adding = Adding(base=(0.0,) * len(classes))
    return ColumnEnsemble([tree], [values], classes, adding, Rule("largest"))


def from_forest(model: Any) -> ColumnEnsemble:
    """Read a forest: the mean of what its trees say."""
    _refuse_outputs(model)
    members = [_Member(from_tree(tree)) for tree in model.estimators_]
    classes = getattr(model, "classes_", None)
    if members and classes is not None:
        classes = _classes(model, members[0].parts.values[0].shape[1])
    return _averaged(model, members, len(members), classes)


def from_bagging(model: Any, read: ReadMember) -> ColumnEnsemble:
    """Read a bagging model: the mean of what its members say, each of its own columns."""
    n = len(model.estimators_)
    features = getattr(model, "estimators_features_", None)
    if features is None or len(features) != n or model.n_estimators != n:
        raise UnreadableModel(
            f"this {type(model).__qualname__} has {n} members, sets of columns for "
            f"{len(features or ())} and n_estimators={model.n_estimators!r:.20}: {DAMAGED}"
        )
    classes = getattr(model, "classes_", None)
    members = []
    for i, (one, columns) in enumerate(zip(model.estimators_, features, strict=True)):
        parts = _member(model, f"member {i}", one, read)
        places = None if classes is None else np.asarray(parts.classes, dtype=np.int64).tolist()
        members.append(_Member(parts, None, places, np.asarray(columns).tolist()))
    return _averaged(model, members, n, classes)


def from_voting(model: Any, read: ReadMember) -> ColumnEnsemble:
    """Read a voting model: the weighted mean of what its members say, or the count of votes."""
    names = [name for name, one in model.estimators if not _is_dropped(one)]
    weights = model.weights
    if weights is not None:
        pairs = zip(model.estimators, weights, strict=True)
        weights = np.array([w for (_, one), w in pairs if not _is_dropped(one)], dtype=np.float64)
    own: Sequence[float | None] = [None] * len(names) if weights is None else weights.tolist()
    members = []
    for name, one, weight in zip(names, model.estimators_, own, strict=True):
        parts = _member(model, f"member {name!r:.80}", one, read)
        places = None if parts.classes is None else np.asarray(parts.classes).tolist()
        members.append(_Member(parts, weight, places))
    if not hasattr(model, "classes_"):
        return _averaged(model, members, _total(weights, len(members), axis=1), None)
    if model.voting == "hard":
        return _averaged(model, [_votes(model, one) for one in members], 1.0, model.classes_)
    return _averaged(model, members, _total(weights, len(members), axis=0), model.classes_)


def _is_dropped(member: Any) -> bool:
    return isinstance(member, str) and member == "drop"


def _total(weights: Floats | None, n: int, axis: int) -> float:
    """Give what numpy's average divides by, added up as it does."""
    if weights is None:
        return float(n)
    if not weights.sum() > 0:
        raise UnreadableModel(f"weights must have a sum above 0, got {weights.tolist()!r:.80}")
    zeros = np.zeros((n, 1, 1) if axis == 0 else (1, n))
    return float(np.average(zeros, axis=axis, weights=weights, returned=True)[1].ravel()[0])


def _votes(model: Any, member: _Member) -> _Member:
    """Let a tree have one vote for the class that it predicts."""
    parts, weight = member.parts, member.weight
    if len(parts.trees) != 1:
        raise UnreadableModel(
            f"hard voting of a {type(model).__qualname__} counts the classes that its members "
            "predict, and the class of a member of several trees is not a sum: use voting='soft', "
            "or single trees"
        )
    if weight is not None and not weight >= 0:
        raise UnreadableModel(f"a vote of weight {weight!r} cannot be counted: use weights from 0")
    values = np.zeros_like(parts.values[0])
    values[np.arange(len(values)), parts.values[0].argmax(axis=1)] = 1.0
    return member._replace(parts=replace(parts, values=[values]))


def _member(model: Any, name: str, member: Any, read: ReadMember) -> ColumnEnsemble:
    """Read a member, whose probabilities, or numbers, must be sums."""
    whole = type(model).__qualname__
    parts = read(member)
    if parts is None:
        what = "put its transformers before the whole" if hasattr(member, "steps") else "use trees"
        raise UnreadableModel(
            f"{name} of the {whole} is {a_kind(member)}, whose predictions are not read as a sum "
            f"of trees: {what}"
        )
    if parts.link != "identity" or parts.rule.kind == "cuts":
        raise UnreadableModel(
            f"{name} of the {whole} is {a_kind(member)}, whose probabilities are a function of a "
            "sum, and not a sum, so that their average is none: read the member alone, or average "
            "trees, forests and bagging models"
        )
    if (parts.classes is None) != (not hasattr(model, "classes_")):
        raise UnreadableModel(f"{name} of the {whole} is {a_kind(member)}: {DAMAGED}")
    return parts


def _averaged(
    model: Any, members: Sequence[_Member], divisor: float, classes: Any
) -> ColumnEnsemble:
    """Add up members and divide; exactly as scikit-learn does it where each is one tree.

    A member that is an average itself is rounded before it is added, which one sum over all trees
    does not repeat: then sums that are as close as that can differ are within rounding.
    """
    if not members:
        raise UnreadableModel(f"this {type(model).__qualname__} has no members: {DAMAGED}")
    n_scores = 1 if classes is None else len(classes)
    table = _table(model, members)
    trees: list[ColumnTree] = []
    values: list[Floats] = []
    for member in members:
        for tree, own in zip(member.parts.trees, member.parts.values, strict=True):
            trees.append(_with_columns(tree, table, member.columns))
            values.append(_spread(own, member, n_scores))
    flat = all(len(member.parts.trees) == 1 for member in members)
    window = 0.0 if flat else _window(values)
    kind: Literal["number", "largest"] = "number" if classes is None else "largest"
    rule = Rule(kind, window=window, either=not flat)
    adding = Adding(base=(0.0,) * n_scores, divisor=float(divisor))
    return ColumnEnsemble(trees, values, classes, adding, rule)


def _window(values: Sequence[Floats]) -> float:
    """Bound by how much two sums can differ because members are rounded before they are added."""
    top = sum(float(np.abs(own).max(initial=0.0)) for own in values)
    return 4 * (len(values) + 8) * 2.0**-53 * top


def _spread(own: Floats, member: _Member, n_scores: int) -> Floats:
    """Multiply what leaves say, and give each number the place of its class."""
    divisor = member.parts.adding.divisor
    if divisor != 1:
        own = own * ((1.0 if member.weight is None else member.weight) / divisor)
    elif member.weight is not None:
        own = own * member.weight
    if member.places is None:
        return own
    if own.shape[1] != len(member.places) or max(member.places) >= n_scores:
        raise UnreadableModel(f"a member has {own.shape[1]} classes: {DAMAGED}")
    out = np.zeros((len(own), n_scores))
    out[:, member.places] = own
    return out


def _table(model: Any, members: Sequence[_Member]) -> Table:
    """Describe the columns that the whole model was fitted on."""
    first = members[0].parts.table
    for member in members:
        own, n = member.parts.table, member.parts.table.n_columns
        if n != (first.n_columns if member.columns is None else len(member.columns)):
            raise UnreadableModel(f"a member was fitted on {n} columns: {DAMAGED}")
        if own.values != first.values or own.categories:
            raise UnreadableModel(
                f"the members of this {type(model).__qualname__} read their columns in different "
                "ways: encode categories with OneHotEncoder and fit again"
            )
    n_whole = first.n_columns if members[0].columns is None else model.n_features_in_
    n_columns, names = columns_of(model, n_whole or 0)
    learns_nan = all(member.parts.table.learns_nan for member in members)
    return replace(first, n_columns=n_columns, names=names, learns_nan=learns_nan)


def _with_columns(tree: ColumnTree, table: Table, columns: Sequence[int] | None) -> ColumnTree:
    """State a tree over the columns of the whole."""
    if columns is None:
        return replace(tree, table=table)
    place = np.array(columns, dtype=np.int64)
    return replace(tree, table=table, column=np.where(tree.column < 0, -1, place[tree.column]))


def _classes(model: Any, n_classes: int) -> NDArray[Any]:
    """Give the classes of a model, which must be as many as its leaves have."""
    classes = np.asarray(model.classes_)
    if classes.shape != (n_classes,):
        raise UnreadableModel(
            f"this {type(model).__qualname__} has leaves of {n_classes} classes, and classes_ of "
            f"shape {classes.shape}: {DAMAGED}"
        )
    return classes


def _refuse_outputs(model: Any) -> None:
    n_outputs = getattr(model, "n_outputs_", 1)
    if n_outputs != 1:
        raise UnreadableModel(
            f"this {type(model).__qualname__} predicts {n_outputs} outputs at once; fit one model "
            "per output and read each"
        )
