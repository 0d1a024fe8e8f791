"""Which trees of a list meet what a view asks.

In:  a ``Problem``, trees over its columns, a ``View``.
Out: ``meets``: yes or no per tree, by looking at every one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .flat import FlatTrees
from .monotone import monotone_trees
from .problem import Problem
from .view import Paid, Question, View

__all__ = ["meets"]

Yes = NDArray[np.bool_]


def meets(problem: Problem, flat: FlatTrees, view: View) -> Yes:
    """Tell, per tree, whether it meets all that a view asks; objectives are not looked at."""
    there = np.ones(len(flat), dtype=bool)
    columns = problem.columns
    uses = flat.uses(len(columns))
    if view.max_leaves:
        there &= flat.n_leaves <= view.max_leaves
    if view.forbidden:
        there &= ~uses[:, sorted(view.forbidden)].any(axis=1)
    for group in view.required:
        there &= uses[:, list(group)].any(axis=1)
    if not view.trivial:
        there &= flat.nontrivial
    if view.most_features is not None:
        asked = np.zeros((len(flat), len(columns.space)), dtype=bool)
        tree, column = np.nonzero(uses)
        asked[tree, columns.feature[column]] = True
        there &= asked.sum(axis=1) <= view.most_features
    if view.least_weight:
        there &= _lightest(problem, flat) >= view.least_weight
    for questions in view.first:
        there &= _begins(flat, questions)
    for paid in view.paid:
        there &= _pays(flat, columns.feature, paid)
    if view.monotone:
        there &= monotone_trees(columns, flat, view.monotone)
    return there


def _lightest(problem: Problem, flat: FlatTrees) -> NDArray[np.int64]:
    """Give, per tree, the weight of the training rows in its lightest leaf."""
    out = np.zeros(len(flat), dtype=np.int64)
    for i in range(len(flat)):
        tree = flat[i : i + 1]
        # Which leaf a row reaches: a tree whose leaves say their own number.
        n = len(tree.column)
        numbered = FlatTrees(
            tree.offsets,
            tree.column,
            np.where(tree.column < 0, np.arange(n), -1).astype(np.int32),
            tree.false_child,
        )
        weight = np.zeros(n, dtype=np.int64)
        np.add.at(weight, numbered.says(problem.bits)[0], problem.weights)
        out[i] = weight[tree.column < 0].min()
    return out


def _begins(flat: FlatTrees, questions: tuple[Question, ...]) -> Yes:
    """Tell, per tree, whether it asks these questions first."""
    there = np.ones(len(flat), dtype=bool)
    places: list[NDArray[np.int64]] = [flat.offsets[:-1]] * len(questions)
    for i, question in enumerate(questions):
        node = places[i]
        there &= np.isin(flat.column[node], question.columns)
        inner = flat.column[node] >= 0
        if question.when_true >= 0:
            places[question.when_true] = np.where(inner, node + 1, node)
        if question.when_false >= 0:
            zero = flat.offsets[:-1] + flat.false_child[node]
            places[question.when_false] = np.where(inner, zero, node)
    return there


def _pays(flat: FlatTrees, feature: NDArray[np.int32], paid: Paid) -> Yes:
    """Tell, per tree, whether no path costs more, each feature paid for once."""
    price = np.array(paid.prices, dtype=np.int64)
    there = np.ones(len(flat), dtype=bool)
    node, tree = flat.offsets[:-1], np.arange(len(flat))
    known = np.zeros((len(flat), len(price)), dtype=bool)
    while len(node):
        inner = flat.column[node] >= 0
        node, tree, known = node[inner], tree[inner], known[inner]
        known[np.arange(len(node)), feature[flat.column[node]]] = True
        there[tree[known @ price > paid.most]] = False
        zero = flat.offsets[tree] + flat.false_child[node]
        node, tree = np.concatenate([node + 1, zero]), np.concatenate([tree, tree])
        known = np.concatenate([known, known])
    return there
