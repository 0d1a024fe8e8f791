"""Reasons of ensembles that the core finds in one call, beside one question after the other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import orderless as ol
from orderless.inputs import rows_for
from orderless.model import Budget
from orderless.questions.boxes import RowBoxes, box_of
from orderless.questions.sum_row import Sufficient


def searches(model, X, n):
    """Searches for the reasons of some rows, every third value of which may be unknown."""
    ensemble = ol.read(model).kernel
    X = X[:: len(X) // n].astype(float)
    X[1::2, ::3] = np.nan
    rows = RowBoxes(ensemble, rows_for(ensemble, X))
    boxes, found = rows.boxes(np.arange(len(X))), rows.verdicts(1)
    for box, status, label in zip(boxes, found.status, found.label, strict=True):
        if status == 0:
            yield Sufficient(ensemble, box, int(label), 1000)


def models():
    for load in (load_iris, load_wine):
        X, y = load(return_X_y=True)
        yield RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, y), X
        yield GradientBoostingClassifier(n_estimators=8, random_state=0).fit(X, y), X


MODELS = list(models())


@pytest.mark.parametrize("at", range(len(MODELS)))
def test_the_features_are_those_that_leaving_out_one_after_the_other_keeps(at):
    seen = 0
    for search in searches(*MODELS[at], 24):
        kept = search.known
        for k in search.order:
            if search.certain(search.keeping(kept & ~(1 << k))):
                kept &= ~(1 << k)
        assert search.shrunk(search.known) == kept
        seen += 1
    assert seen > 10


@pytest.mark.parametrize("at", range(len(MODELS)))
def test_sides_are_certain_and_no_bin_beside_them_is(at):
    for search in searches(*MODELS[at], 12):
        features = search.shrunk(search.known)
        for sides, widest in ((search.one().box.bits, False), (search.widened(features), True)):
            box = box_of(search.bins, sides)
            assert search.certain(box)
            assert (box >= search.keeping(features)).all()
            for own in search.at:
                for b in np.flatnonzero(box[own] == 0).tolist() if widest else ():
                    if box[own][max(0, b - 1) : b + 2].any():
                        wider = box.copy()
                        wider[own.start + b] = 1
                        assert not search.certain(wider)


def test_without_time_what_is_given_is_certain_all_the_same():
    for search in searches(*MODELS[2], 8):
        hurried = Sufficient(search.ensemble, search.box, search.label, 1000)
        with Budget(0.0):
            sides = hurried.one().box.bits
        assert search.certain(box_of(search.bins, sides))


def test_the_core_refuses_what_is_no_box_class_or_feature():
    summed = ol.read(MODELS[0][0]).kernel.summed
    search = next(searches(*MODELS[0], 8))
    box, label = np.ascontiguousarray(search.box), search.label
    every = np.ones(len(search.at), dtype=np.uint8)
    with pytest.raises(ValueError, match="as wide as"):
        summed.order(box[1:], label)
    with pytest.raises(ValueError, match="no such class"):
        summed.reason(box, 3, every, True, True, 1.0)
    with pytest.raises(ValueError, match="no bin of some feature"):
        summed.reason(np.zeros_like(box), label, every, True, True, 1.0)
    with pytest.raises(ValueError, match="as wide as"):
        summed.reason(box, label, every[1:], True, True, 1.0)
    with pytest.raises(ValueError, match="no such feature"):
        summed.grow(box, len(every), box, label, 1.0)
