"""Sums of trees: what the core says of a box, against every cell of it, added up by numpy."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from orderless.model.ensemble import Adding

from ..oracle_ensembles import Checked, Drawn, draw, random_box

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("seed", range(60))
def test_every_box_is_answered_as_its_cells_are(seed):
    random = np.random.default_rng(seed)
    drawn = draw(random, depth=1 + seed % 4, most_trees=2 + seed % 7)
    checked = Checked(drawn)
    checked.evaluate()
    for _ in range(6):
        box = random_box(random, drawn)
        checked.decide(box)
        checked.possible(box)
    weights = [0] * len(drawn.adding.base)
    weights[-1] = 1
    checked.extremes(box, weights)
    checked.extremes(box, [-1] * len(weights) if len(weights) < 3 else [1, -1, *weights[2:-1], 0])


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_any_sum_is_answered_as_its_cells_are(seed):
    random = np.random.default_rng(seed)
    drawn = draw(random)
    checked = Checked(drawn)
    box = random_box(random, drawn)
    checked.decide(box)
    checked.possible(box)
    checked.extremes(box, [1] + [0] * (len(drawn.adding.base) - 1))


@pytest.mark.parametrize("seed", range(3))
def test_threads_change_nothing(seed):
    random = np.random.default_rng(seed)
    drawn = draw(random, most_features=6, most_trees=12, depth=4)
    boxes = np.array([random_box(random, drawn) for _ in range(50)])
    own = drawn.sum()
    for one, many in zip(own.decide(boxes, 10.0, 1), own.decide(boxes, 10.0, 3), strict=True):
        assert one.tolist() == many.tolist()


def test_out_of_time_and_out_of_room_are_said():
    random = np.random.default_rng(3)
    hard = Hard(random)
    assert hard.sum.decide(hard.box, 0.0, 1).status.tolist() == [2]
    assert hard.sum.decide(hard.box, 1e9, 1, memory_limit=0).status.tolist() == [4]
    found = hard.sum.extremes(hard.box, np.array([1]), 0.0, 1)
    assert found.low == found.found_low  # which climbing found, and the bounds prove
    assert found.high > found.found_high


class Hard:
    """A box that needs a search: parity of pairs, of which no tree alone says anything."""

    def __init__(self, random):
        n = 12
        trees = []
        for i in range(n):
            for j in range(i + 1, n):
                w = float(random.integers(1, 100))
                low, high = np.array([-w]), np.array([w])
                own = (
                    i, {0}, 0, False,
                    (j, {0}, 0, False, low, high),
                    (j, {0}, 0, False, high.copy(), low.copy()),
                )  # fmt: skip
                trees.append(own)
        top = sum(float(abs(tree[4][4][0])) for tree in trees)
        drawn = Drawn(
            [True] * n, [False] * n, [2] * n, trees, [-1] * len(trees),
            Adding(base=(0.0,)), "cuts", (top - 1,), 0, 2,
        )  # fmt: skip
        self.sum = drawn.sum()
        self.box = np.ones((1, 2 * n), dtype=np.uint8)


def test_arrays_that_do_not_fit_are_refused():
    random = np.random.default_rng(0)
    drawn = draw(random)
    own = drawn.sum()
    with pytest.raises(ValueError, match="as wide as"):
        own.decide(np.ones((1, 1000), np.uint8), 1.0, 1)
    empty = np.zeros((1, sum(drawn.widths)), np.uint8)
    with pytest.raises(ValueError, match="no bin"):
        own.decide(empty, 1.0, 1)
