"""What settles a row; against brute force."""

import itertools
import math

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, OutOfTime, TooManyReasons
from orderless.inputs import codes_for, read_rows
from orderless.model import budget
from orderless.questions.needed import Needed, Settling
from tests.missing.test_predict import AT_10, OR, breast_cancer, in_order

# -- what is needed ------------------------------------------------------------------------------


@given(problems(max_features=4), st.data())
@settings(max_examples=150)
def test_missing_needed_by_brute_force(problem, data):
    kinds, (spec,) = problem
    row = data.draw(partial_rows(kinds, spec))
    n_values = [len(values) for values in oracle.values_by_feature(kinds, spec).values()]
    assume(math.prod(n_values) <= 400)
    tree = tree_of(spec, kinds)
    found = tree.needed(row)
    settle, could = oracle.needed(kinds, row, spec)
    assert {frozenset(names) for names in found.settle} == settle
    assert {frozenset(names) for names in found.could} == could
    assert len(found.settle) == len(settle)
    assert len(found.could) == len(could)
    classes = oracle.possible_classes(kinds, row, spec)
    assert found.possible == in_order(tree, classes)
    assert found.label == (found.possible[0] if len(classes) == 1 else None)
    assert tree.needed(row) == found
    order = [tree.space.index(name) for name in found.unknown]
    assert order == sorted(order)


@given(problems(max_features=4), st.data())
@settings(max_examples=60)
def test_many_rows_need_what_each_needs(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    rows = data.draw(st.lists(partial_rows(kinds, spec), min_size=1, max_size=8))
    check_settling(tree, rows)


def test_many_rows_that_know_part_of_a_feature():
    """Conditions of one feature, of which a row may know some: the part that is left counts."""
    space = ol.Space(
        [ol.Feature("x"), ol.Feature("y", values="integer"),
         ol.Feature("c", "categorical", categories=("r", "g", "b"), other=True)],
        columns={
            **{f"x<={t}": ol.Condition("x", at_most=t) for t in (1, 2, 3)},
            **{f"y<={t}": ol.Condition("y", at_most=t) for t in (1, 2)},
            **{f"c={v}": ol.Condition("c", among=(v,)) for v in "rgb"},
        },
    )  # fmt: skip
    rng = np.random.default_rng(0)
    names = list(space.column_names)

    def grown(depth):
        if not depth or rng.random() < 0.2:
            return {"prediction": "abc"[rng.integers(3)]}
        yes, no = grown(depth - 1), grown(depth - 1)
        return {"feature": str(rng.choice(names)), "true": yes, "false": no}

    n_open = 0
    for _ in range(25):
        tree = ol.read(grown(4), space=space)
        whole = {"x": rng.choice([0.0, 1.5, 2.5, 4.0], 30), "y": rng.choice([0, 2, 5], 30),
                 "c": rng.choice(["r", "g", "b", "else"], 30)}  # fmt: skip
        rows = []
        for x, y, c in zip(*whole.values(), strict=True):
            told = [
                *(x <= t for t in (1, 2, 3)),
                *(y <= t for t in (1, 2)),
                *(c == v for v in "rgb"),
            ]
            rows.append({n: int(v) for n, v in zip(names, told, strict=True) if rng.random() < 0.4})
        n_open += check_settling(tree, rows)
    assert n_open > 200


def check_settling(tree, rows):
    read = read_rows(rows, tree.space, tree.kernel.used)
    open_rows = np.flatnonzero(codes_for(tree.kernel, read) < 0)
    settling = Settling(tree.kernel)
    for _ in range(2):  # the second time it is remembered
        sets, which = settling.sets(read, open_rows)
        wanted = [tree.needed(rows[i]).settle[0] for i in open_rows]
        assert [sets[k] for k in which] == wanted
    return len(open_rows)


def test_settling_of_many_features():
    # A chain of 70 questions: masks of features take two words.
    node = {"prediction": 0}
    for k in reversed(range(70)):
        node = {"feature": k, "true": {"prediction": k % 2}, "false": node}
    tree = ol.read(node)
    rng = np.random.default_rng(5)
    gone = [set(rng.choice(70, 5, replace=False).tolist()) for _ in range(20)]
    rows = [{f"x{k}": 0 for k in range(70) if k not in some} for some in gone]
    assert check_settling(tree, rows) > 10


def test_missing_needed_in_words():
    tree = ol.read(OR)
    assert str(tree.needed({"x0": 1})) == "Determined: 1. Nothing more is needed."
    assert tree.needed({"x0": 1}).settle == ((),)
    assert str(tree.needed({})) == (
        "Not determined: 0 or 1.\n"
        "Settled, whatever the values, by x0 and x1.\n"
        "Settled, for some values, by x0; or by x1."
    )
    sets = tuple((f"x{i}",) for i in range(8))
    text = str(Needed(None, (0, 1, 2), ("x",), (("a", "b", "c"),), sets))
    assert text.startswith("Not determined: 0, 1 or 2.\nSettled, whatever the values, by a, b and")
    assert text.endswith("x5; or 2 more sets of 1.")


def test_missing_needed_takes_rows_of_every_kind():
    X, _, model = breast_cancer()
    tree = ol.read(model)
    row = X.iloc[5].copy()
    row[list(tree.features[:4])] = np.nan
    found = tree.needed(row)
    assert found.unknown == tree.features[:4]
    for same in (row.to_dict(), row.to_numpy(), list(row), row.to_frame().T, [row.to_dict()],
                 pd.Series(row.to_numpy()), row.to_numpy()[None]):  # fmt: skip
        assert tree.needed(same) == found
    # Knowing part of a feature is not knowing it.
    assert AT_10.needed({"x <= 5": 0}).settle == (("x",),)
    assert AT_10.needed({"x <= 5": 1}).label == 1


def test_what_settles_does_and_what_could_can():
    X, _, model = breast_cancer(depth=7)
    tree = ol.read(model)
    random = np.random.RandomState(0)
    tried = 0
    for i in range(60):
        row = X.iloc[i].mask(random.random_sample(X.shape[1]) < 0.5)
        needed = tree.needed(row)
        if needed.label is not None:
            continue
        tried += 1
        for names in needed.settle:
            told = pd.DataFrame([row] * 40).reset_index(drop=True)
            told[list(names)] = X[list(names)].sample(40, random_state=i).to_numpy()
            assert tree.predict(told).notna().all()
            for fewer in itertools.combinations(names, len(names) - 1):
                assert set(fewer) not in [set(s) for s in needed.settle]
    assert tried > 10


def test_missing_needed_refuses():
    tree = ol.read(OR)
    with pytest.raises(InvalidData, match="expected one row, got 2"):
        tree.needed([[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="limit=0: at least one step"):
        tree.needed({}, limit=0)
    with pytest.raises(TooManyReasons, match=r"takes more than limit=2 steps: raise limit="):
        tree.needed({}, limit=2)


def many_unknowns(n):
    """(a1 and b1) or (a2 and b2) or ...: a row without values is settled by all of them only."""
    tree = {"prediction": 0}
    for i in reversed(range(n // 2)):
        both = {"feature": 2 * i + 1, "true": {"prediction": 1}, "false": tree}
        tree = {"feature": 2 * i, "true": both, "false": tree}
    return ol.read(tree, feature_names=[f"x{i}" for i in range(n)])


class Ticks:
    """A clock that goes on by one whenever it is looked at."""

    def __init__(self):
        self.now = 0

    def monotonic(self):
        self.now += 1
        return self.now


def test_missing_needed_stops_in_time(monkeypatch):
    tree = many_unknowns(16)
    with pytest.raises(OutOfTime, match=r"time_limit=1e-09 seconds: raise time_limit="):
        tree.needed({}, time_limit=1e-9)
    with pytest.raises(OutOfTime, match="time_limit=0 seconds"):
        tree.needed({}, time_limit=0)
    for time_limit in (100, 600, 800):  # while leaves are gathered, and in both searches
        clock = Ticks()
        monkeypatch.setattr(budget, "time", clock)
        with pytest.raises(OutOfTime, match=f"time_limit={time_limit} seconds"):
            tree.needed({}, time_limit=time_limit)
        assert clock.now == time_limit + 1
        with pytest.raises(OutOfTime, match=f"time_limit={time_limit} seconds"):
            tree.needed({}, time_limit=time_limit)
