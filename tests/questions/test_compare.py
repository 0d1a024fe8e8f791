"""Two ensembles, or a tree and an ensemble: the same function or not, against every row."""

import copy
import itertools

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sums import as_ensemble

import orderless as ol
from orderless import Ensemble
from orderless.errors import InvalidData, InvalidTree, Undecided
from orderless.model import Adding, Rule

from ..oracle_ensemble_rows import Case, draw

LONG = 1e5


def pair(seed):
    """Two cases over the same features: unrelated, or the second made of the first."""
    rule = ("largest", "cuts", "number")[seed % 3]
    kind = "points" if seed % 2 else None
    one = draw(seed, rule=rule, kind=kind, features=3, trees=4)
    random = np.random.default_rng(seed)
    how = seed // 3 % 4
    trees, values, scores = list(one.trees), list(one.values), list(one.scores)
    if how == 0:  # another order
        order = random.permutation(len(trees)).tolist()
        trees, values, scores = ([own[i] for i in order] for own in (trees, values, scores))
    elif how == 1:  # a tree that adds nothing
        trees.append(trees[0])
        values.append((np.array(values[0]) * 0.0).tolist())
        scores.append(-1)
    elif how == 2:  # one leaf differs
        t = int(random.integers(len(trees)))
        changed = [list(leaf) for leaf in values[t]]
        leaf = changed[int(random.integers(len(changed)))]
        s = scores[t] if scores[t] >= 0 else int(random.integers(len(leaf)))
        leaf[s] = leaf[s] + 1.0 if one.adding.precision == "float64" else 2.0
        values[t] = changed
    else:  # a tree less
        del trees[-1:], values[-1:], scores[-1:]
        if not trees:
            trees, values, scores = list(one.trees), list(one.values), list(one.scores)
    other = Case(one.kinds, one.nan, trees, values, scores, one.classes, one.adding, one.rule,
                 one.link)  # fmt: skip
    return one, other


def rows_of(one, other):
    every = {name: sorted({*one.every[name], *other.every[name]}, key=str) for name in one.kinds}
    return [dict(zip(every, row, strict=True)) for row in itertools.product(*every.values())]


@pytest.mark.parametrize("seed", range(96))
def test_yes_and_no_are_right(seed):
    one, other = pair(seed)
    a, b = one.ensemble(), other.ensemble()
    differ = [row for row in rows_of(one, other) if one.says(row) != other.says(row)]
    apart = [abs(one.says(row) - other.says(row)) for row in differ] if not one.classes else [1.0]
    same = answer(a, b)
    if isinstance(same, ol.Undecided):  # numbers that differ, if at all, by rounding
        assert one.classes is None
        assert "difference" in same.proven
        assert not differ or max(apart) < 1e-6
        return
    if not same:
        assert differ
        row = ol.counterexample(a, b, time_limit=LONG)
        assert one.says(row) != other.says(row)
        assert a.predict([row])[0] != b.predict([row])[0]
    elif a.kernel.whole.slack.any():
        assert not differ or _near(one, other, differ)
    else:
        assert not differ
        assert ol.counterexample(a, b, time_limit=LONG) is None


def answer(a, b):
    try:
        return ol.equivalent(a, b, time_limit=LONG)
    except ol.Undecided as fault:
        return fault


def _near(one, other, differ):
    """Whether rows differ only because sums are added up in another order."""
    return all(np.allclose(one.sums(row), other.sums(row), rtol=1e-5, atol=1e-6) for row in differ)


@pytest.mark.parametrize("seed", range(40))
def test_the_share_of_the_space_is_that_of_trees(seed):
    """As one tree each, over the same thresholds, they differ on the same share."""
    one, other = pair(2 * seed + 1)
    a, b = one.ensemble(), other.ensemble()
    share = ol.disagreement(a, b, time_limit=LONG)
    rows = rows_of(one, other)
    differ = [one.says(row) != other.says(row) for row in rows]
    assert (share > 0) == any(differ)
    some = rows[:: max(1, len(rows) // 50)]
    expected = np.mean([one.says(row) != other.says(row) for row in some])
    assert ol.disagreement(a, b, some) == pytest.approx(expected)


def stump(name, cut=0.5, classes=(0, 1)):
    return ol.read(
        {"feature": name, "relation": "<=", "reference": cut, "true": {"prediction": classes[0]},
         "false": {"prediction": classes[1]}}, feature_names=["age", "dose"],
    )  # fmt: skip


def test_a_tree_beside_an_ensemble():
    tree = stump("age", 30.0)
    assert ol.equivalent(as_ensemble(tree), tree)
    assert ol.equivalent(tree, as_ensemble(tree))
    assert not ol.equivalent(as_ensemble(tree), stump("age", 31.0))
    assert 30 < ol.counterexample(as_ensemble(tree), stump("age", 31.0))["age"] <= 31
    assert ol.disagreement(as_ensemble(tree), stump("dose")) == ol.disagreement(tree, stump("dose"))
    assert ol.disagreement(as_ensemble(tree), stump("age", 31.0)) == pytest.approx(1 / 3)


def test_classes_compare_by_label():
    tree = stump("age", 30.0)
    assert not ol.equivalent(as_ensemble(tree), stump("age", 30.0, (1, 0)))
    assert not ol.equivalent(as_ensemble(tree), stump("age", 30.0, ("no", "yes")))
    assert ol.equivalent(as_ensemble(tree), as_ensemble(stump("age", 30.0, (0.0, 1.0))))


def test_other_values_are_compared_where_both_have_them():
    def over(values, cut):
        space = ol.Space([ol.Feature("age", values=values)])
        return ol.read({"feature": "age", "relation": "<=", "reference": cut,
                             "true": {"prediction": 0}, "false": {"prediction": 1}},
                            space=space)  # fmt: skip

    assert ol.equivalent(as_ensemble(over("integer", 3.0)), over("float64", 3.5))
    assert not ol.equivalent(as_ensemble(over("float32", 3.0)), over("float64", 3.5))


def test_rows_that_came_in_are_preferred():
    one, other = as_ensemble(stump("age", 30.0)), stump("age", 40.0)
    assert ol.counterexample(one, other, [[20.0, 1.0], [33.0, 2.0]]) == {"age": 33.0, "dose": 2.0}
    assert ol.disagreement(one, other, [[20.0, 1.0], [33.0, 2.0]]) == 0.5
    with pytest.raises(InvalidData, match="row 1 has unknown values"):
        ol.disagreement(one, other, [[20.0, 1.0], [None, 2.0]])
    with pytest.raises(InvalidData, match="no rows"):
        ol.disagreement(one, other, np.zeros((0, 2)))


def test_numbers_and_classes_are_not_compared():
    numbers = Ensemble([as_ensemble(stump("age")).trees[0]], [[1.0, 2.0]], adding=Adding(),
                       rule=Rule("number"))  # fmt: skip
    with pytest.raises(InvalidTree, match="classes and one of numbers"):
        ol.equivalent(numbers, stump("age"))
    assert ol.equivalent(numbers, numbers.replace(values=[[1.0, 2.0]]))
    assert not ol.equivalent(numbers, numbers.replace(values=[[1.0, 2.5]]))


def forest(n_trees, seed=0, depth=6):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 12))
    y = (X[:, :4].sum(axis=1) + random.normal(size=400) > 0).astype(int)
    model = RandomForestClassifier(n_trees, max_depth=depth, random_state=seed).fit(X, y)
    return ol.read(model)


def test_a_copy_in_another_order_is_proven_at_once():
    one = forest(60)
    other = one.replace(
        trees=one.trees[::-1], values=one.kernel.values[::-1], scores=one.kernel.scores[::-1]
    )
    assert ol.equivalent(one, other, time_limit=0)


def test_what_is_out_of_reach_is_undecided():
    one = forest(40)
    values = [own.copy() for own in one.kernel.values]
    values[0] = values[0] * (1 + 1e-9)
    with pytest.raises(ol.Undecided, match=r"time_limit=0 seconds") as found:
        ol.equivalent(one, one.replace(values=values), time_limit=0)
    assert found.value.why == "time"
    with pytest.raises(ol.Undecided, match="lies between") as found:
        ol.disagreement(one, forest(40, 1), limit=20)
    assert 0 <= found.value.proven["lower"] <= found.value.proven["upper"] <= 1


def test_models_are_read():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0
    one, other = (RandomForestClassifier(2, max_depth=1, random_state=i).fit(X, y) for i in (0, 3))
    assert ol.equivalent(one, ol.read(one))
    assert ol.equivalent(one, other) == (ol.counterexample(one, other) is None)
    assert ol.disagreement(one, one, X) == 0
    assert as_ensemble(one) == ol.read(one)


def test_trees_alone_are_compared_as_before():
    assert ol.equivalent(stump("age"), stump("age"))
    assert ol.counterexample(stump("age"), stump("age")) is None
    assert ol.disagreement(stump("age"), stump("dose")) == 0.5


def test_a_last_bit_is_not_called_the_same():
    """Sums that need more than 50 bits: what is rounded off may differ, so nothing is proven."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    y = 1000 * X[:, 0] + X[:, 1] + random.normal(size=300)
    model = GradientBoostingRegressor(n_estimators=15, max_depth=3, random_state=0).fit(X, y)
    other = copy.deepcopy(model)
    tree = other.estimators_[14, 0].tree_
    leaves = np.flatnonzero(tree.children_left < 0)
    rare = leaves[np.argmin(tree.n_node_samples[leaves])]
    tree.value[rare, 0, 0] = np.nextafter(tree.value[rare, 0, 0], np.inf)
    one, changed = ol.read(model), ol.read(other)
    assert ol.equivalent(one, ol.read(copy.deepcopy(model)))
    with pytest.raises(Undecided, match="differ by less than whole numbers of 50 bits can tell"):
        ol.equivalent(one, changed)


@pytest.mark.parametrize("seed", range(12))
def test_sums_of_odd_numbers_that_are_one_even_number(seed):
    """One has 1 and 3 as points, the other 4, in which units 1 and 3 are nothing."""
    random = np.random.default_rng(seed)
    parts = random.integers(-9, 10, size=(3, 2)).tolist()
    items = [
        {"feature": name, "points": points}
        for name, both in zip("abc", parts, strict=True)
        for points in both
        if points
    ]
    joined = [
        {"feature": name, "points": sum(both)}
        for name, both in zip("abc", parts, strict=True)
        if sum(both)
    ]
    space = ol.Space(dict.fromkeys("abc", "boolean"))
    one, other = (ol.Ensemble.from_points({"items": some}, space=space) for some in (items, joined))
    rows = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    assert one.predict(rows).tolist() == other.predict(rows).tolist()
    for model in (other, one.to_tree()):
        assert ol.equivalent(one, model)
        assert ol.counterexample(model, one) is None
    more = ol.Ensemble.from_points({"items": [*items, {"feature": "a", "points": 1}]}, space=space)
    row = ol.counterexample(one, more)
    assert one.predict([row]).tolist() != more.predict([row]).tolist()
