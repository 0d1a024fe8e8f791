"""Monotone functions: values that have no place in the order, and sets whose functions are many."""

from __future__ import annotations

import numpy as np
import pytest

import orderless as ol
from orderless import member
from orderless.errors import OutOfMemory


def test_nan_is_neither_more_nor_less():
    space = ol.Space({"lab": ol.Feature("lab", nan=True)})

    def tree(threshold, yes, no):
        return ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[threshold, 0, 0],
                       when_true=[1, -1, -1], when_false=[2, -1, -1],
                       leaf_class=[-1, yes, no])  # fmt: skip

    known, rises, falls = tree(np.inf, 0, 1), tree(1.0, 0, 1), tree(1.0, 1, 0)
    rows = [{"lab": 1.0}, {"lab": 2.0}, {"lab": None}]
    found = ol.TreeSet.from_trees([known, rises, falls], rows, [0, 1, 1])
    assert set(found.where(member.monotone({"lab": 1}))) == {known, rises}
    assert set(found.where(member.monotone({"lab": -1}))) == {known, falls}


def test_functions_that_cannot_be_listed_are_refused():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (60, 8)), random.integers(0, 2, 60)
    found = ol.RashomonSet(3, 0, 0.3, memory_limit=400_000).fit(X, y).trees_
    with pytest.raises(OutOfMemory, match="property of the whole of it, so all functions have to"):
        _ = found.where(member.monotone({"x0": 1})).n_trees
    assert found.where(member.min_leaf >= 2).n_trees > 0
