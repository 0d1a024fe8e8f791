"""Properties of ensembles against every row, and against the libraries themselves."""

import itertools
import math

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sums import as_ensemble

import orderless as ol

from ..oracle_ensemble_rows import draw

LONG = 1e5


def case_of(seed):
    rule = ("largest", "cuts", "number")[seed % 3]
    return draw(seed, rule=rule, kind="points" if seed % 2 else None, features=3, trees=4)


def region_of(case, seed):
    """A condition on one feature, or none, and whether a row is inside."""
    random = np.random.default_rng(seed + 1000)
    name = list(case.kinds)[int(random.integers(len(case.kinds)))]
    kind = case.kinds[name]
    values = [v for v in case.every[name] if not (isinstance(v, float) and math.isnan(v))]
    if seed % 3 == 0:
        return {}, lambda row: True
    if isinstance(kind, tuple) or kind == "boolean":
        value = values[int(random.integers(len(values)))]
        return {name: value}, lambda row: row[name] == value
    low, high = sorted(values[int(random.integers(len(values)))] for _ in range(2))
    if name in case.nan and seed % 5 == 0:
        return {name: math.nan}, lambda row: row[name] != row[name]
    return {name: (low, high)}, lambda row: low <= row[name] <= high


def inside(case, test):
    names = list(case.kinds)
    rows = (dict(zip(names, r, strict=True)) for r in itertools.product(*case.every.values()))
    return [row for row in rows if test(row)]


def key(row, apart):
    return tuple("nan" if v != v else v for n, v in row.items() if n not in apart)


def answer(ask):
    try:
        return ask()
    except ol.Undecided as fault:
        if fault.why != "rounding":  # there is time enough
            raise
        return None


def replayed(proof, case, test):
    for row, said in zip(proof.rows, proof.answers, strict=True):
        assert test(row)
        assert case.says(row) == said


@pytest.mark.parametrize("seed", range(60))
def test_against_every_row(seed):
    case = case_of(seed)
    ensemble = case.ensemble()
    region, test = region_of(case, seed)
    rows = inside(case, test)
    if not rows:
        return
    said = [case.says(row) for row in rows]
    asked = ol.prove(ensemble, time_limit=LONG)
    exact = not ensemble.kernel.whole.slack.any()
    check_single(asked, case, region, test, said, exact)
    for name in case.kinds:
        check_pairs(asked, case, region, test, rows, said, name, exact)


def check_single(asked, case, region, test, said, exact):
    if case.classes is None:
        for level in sorted(set(said))[:3]:
            proof = answer(lambda level=level: asked.never(above=level, where=region))
            if proof is None:
                assert not exact
                continue
            assert bool(proof) == (max(said) <= level)
            replayed(proof, case, test)
        return
    for label in case.classes:
        proof = answer(lambda label=label: asked.never(label, where=region))
        if proof is None:
            assert not exact
            continue
        assert bool(proof) == (label not in said)
        replayed(proof, case, test)


def check_pairs(asked, case, region, test, rows, said, name, exact):
    groups = {}
    for row, one in zip(rows, said, strict=True):
        groups.setdefault(key(row, [name]), []).append((row[name], one))
    proof = answer(lambda: asked.ignores(name, given=region))
    if proof is None:
        assert not exact
    else:
        assert bool(proof) == all(len({s for _, s in own}) == 1 for own in groups.values())
        replayed(proof, case, test)
    if isinstance(case.kinds[name], tuple):
        return
    order = None if case.classes is None else list(case.classes)
    rank = (lambda s: s) if order is None else order.index
    for sign in (1, -1):
        proof = answer(lambda sign=sign: asked.monotone(name, sign, order=order, where=region))
        if proof is None:
            assert not exact
            continue
        holds = all(
            (rank(b) - rank(a)) * sign >= 0
            for own in groups.values()
            for (x, a), (y, b) in itertools.permutations(own, 2)
            if x < y
        )
        assert bool(proof) == holds
        replayed(proof, case, test)
        if proof.rows:
            one, other = proof.rows
            assert one[name] < other[name]
            assert key(one, [name]) == key(other, [name])
    near = answer(lambda: asked.stable(name, by=1, where=region))
    flips = any(
        a != b and 0 < y - x <= 1
        for own in groups.values()
        for (x, a), (y, b) in itertools.permutations(own, 2)
    )
    if near is None:
        assert not exact
    else:
        assert bool(near) == (not flips)
        replayed(near, case, test)


@pytest.mark.parametrize("seed", range(42))
def test_same_as_inside(seed):
    rule = ("largest", "cuts", "number")[seed % 3]
    one = draw(seed, rule=rule, kind="points", features=3, trees=3)
    ensemble = one.ensemble()
    region, test = region_of(one, seed)
    # The other model differs in one leaf of one tree.
    values = [own.copy() for own in ensemble.kernel.values]
    values[0][seed % len(values[0])] += 1.0
    other = ensemble.replace(values=values, scores=[-1] * ensemble.n_trees)
    proof = ol.prove(ensemble, time_limit=LONG).same_as(other, where=region)
    rows = inside(one, test)
    if not rows:
        return
    differ = [r for r in rows if ensemble.predict([r])[0] != other.predict([r])[0]]
    assert bool(proof) == (not differ)
    if not proof:
        assert test(proof.row)
        assert proof.answers == (ensemble.predict([proof.row])[0], other.predict([proof.row])[0])


@pytest.mark.parametrize("seed", range(30))
def test_one_tree_alone_says_what_the_tree_says(seed):
    """A tree, and the same tree as an ensemble of one, have the same properties."""
    case = draw(seed, rule="largest", kind="points", features=3, trees=1)
    ensemble = case.ensemble()
    tree = ensemble.to_tree()
    asked, single = ol.prove(as_ensemble(tree), time_limit=LONG), ol.prove(tree)
    for name in case.kinds:
        assert bool(asked.ignores(name)) == bool(single.ignores(name))
    for label in case.classes:
        assert bool(asked.never(label)) == bool(single.never(label))
    assert single.same_as(ensemble)
    assert asked.same_as(tree)


def data(seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(400, 4)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + random.normal(scale=0.3, size=400) > 0).astype(int)
    return X, y


def replay(model, proof):
    table = [list(row.values()) for row in proof.columns]
    return [x.item() for x in model.predict(np.array(table))]


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(8, max_depth=4, random_state=0),
        GradientBoostingClassifier(n_estimators=10, max_depth=2, random_state=0),
        HistGradientBoostingClassifier(max_iter=8, max_leaf_nodes=6, random_state=0),
    ],
    ids=lambda m: type(m).__name__,
)
def test_scikit_learn_replays_what_is_refuted(model):
    X, y = data()
    model.fit(X, y)
    asked = ol.prove(model)
    refuted = 0
    for name in ("x0", "x1", "x3"):
        for ask in (
            lambda name=name: asked.ignores(name),
            lambda name=name: asked.monotone(name, -1),
            lambda name=name: asked.never(1, where={name: (None, 0)}),
        ):
            proof = ask()
            if not proof:
                assert replay(model, proof) == list(proof.answers)
                refuted += 1
    assert refuted


def test_constraints_of_scikit_learn_are_proven():
    X, y = data()
    signs = [1, 0, 0, 0]
    model = HistGradientBoostingClassifier(
        max_iter=30, max_leaf_nodes=8, monotonic_cst=signs, random_state=0
    ).fit(X, y)
    assert ol.prove(model).monotone("x0", 1)
    assert not ol.prove(model).monotone("x0", -1)
    numbers = HistGradientBoostingRegressor(
        max_iter=30, max_leaf_nodes=8, monotonic_cst=signs, random_state=0
    ).fit(X, X[:, 0] + 0.1 * X[:, 1])
    assert ol.prove(numbers).monotone("x0", 1)


def test_constraints_of_xgboost_are_proven():
    xgboost = pytest.importorskip("xgboost")
    X, y = data()
    model = xgboost.XGBClassifier(
        n_estimators=25, max_depth=3, monotone_constraints=(1, 0, 0, 0), random_state=0
    ).fit(X, y)
    asked = ol.prove(ol.read(model))
    assert asked.monotone("x0", 1)
    for proof in (asked.monotone("x0", -1), asked.ignores("x1"), asked.stable("x2", by=0.01)):
        assert not proof
        assert replay(model, proof) == list(proof.answers)
    numbers = xgboost.XGBRegressor(
        n_estimators=15, max_depth=3, monotone_constraints=(1, 0, 0, 0), random_state=0
    ).fit(X, X[:, 0] + X[:, 1])
    rising = ol.prove(ol.read(numbers))
    assert rising.monotone("x0", 1)
    falling = rising.monotone("x0", -1)
    said = replay(numbers, falling)
    assert said[0] < said[1]
    assert said == list(falling.answers)


def test_what_no_tree_asks_about_is_ignored():
    X, y = data()
    model = RandomForestClassifier(5, max_depth=2, max_features=None, random_state=0).fit(X, y)
    ensemble = ol.read(model)
    rest = [name for name in ensemble.space.names if name not in ensemble.features]
    for name in rest:
        assert ol.prove(ensemble).ignores(name)


def test_stable_rows():
    X, y = data()
    model = HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=4, random_state=0).fit(X, y)
    proof = ol.prove(model).stable("x0", by=0.05, X=X[:60])
    said = model.predict(X[:60])
    moved = [
        any(model.predict(X[:60] + np.array([d, 0, 0, 0]))[i] != said[i]
            for d in np.linspace(-0.05, 0.05, 41)) for i in proof.at
    ]  # fmt: skip
    assert proof.at
    assert all(moved)
    assert replay(model, proof) == list(proof.answers)
    for d in np.linspace(-0.0499, 0.0499, 21):
        changed = np.flatnonzero(model.predict(X[:60] + np.array([d, 0, 0, 0])) != said)
        assert set(changed.tolist()) <= set(proof.at)


def test_no_time_is_undecided():
    X, y = data()
    model = RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    ensemble = ol.read(model)
    # The same function, but no tree has the same values: half of each, twice.
    halves = [own / 2 for own in ensemble.kernel.values] * 2
    other = ensemble.replace(
        trees=[*ensemble.trees, *ensemble.trees], values=halves, scores=[-1] * len(halves)
    )
    with pytest.raises(ol.Undecided, match="time_limit=0 seconds"):
        ol.prove(ensemble, time_limit=0).same_as(other, where={"x0": (0, None)})


@pytest.mark.parametrize("ask", [
    lambda proof: proof.stable("x0", by=0.5, where={"x0": (-1, 1)}),
    lambda proof: proof.monotone("x0", 1),
])  # fmt: skip
def test_the_limit_is_for_all_searches_of_a_property(ask, monkeypatch):
    """A search that takes all that it is given leaves less to the next one."""
    import time

    from orderless.questions import joint, search as searching

    X, y = data()
    model = RandomForestClassifier(12, max_depth=4, random_state=0)
    model.fit(X, np.asarray(y).astype(int))
    ensemble = ol.read(model)
    now, searches = [time.monotonic()], []

    def search(self, a, b, seconds, **_):
        now[0] += seconds
        searches.append(seconds)
        return 2, None

    monkeypatch.setattr(joint.Joint, "search", search)
    monkeypatch.setattr(searching.TwinRows, "tried", lambda self, pair: None)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with pytest.raises(ol.Undecided, match="time_limit=5 seconds"):
        ask(ol.prove(ensemble, time_limit=5))
    assert len(searches) > 3
    assert sum(searches) <= 5.0 * (1 + 1e-9)
