"""Without time nothing is called certain that is not, and bounds hold all the same."""

import numpy as np
import pytest
from fact_sums import Drawn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import orderless as ol
from orderless.model import Adding, Rule
from orderless.questions.bounds import outward


def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 10))
    return X, (X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] > 0).astype(int)


@pytest.fixture(scope="module")
def forest():
    X, y = data()
    return RandomForestClassifier(80, max_depth=7, random_state=0).fit(X, y)


def gaps(share):
    X, _ = data()
    rows = X[:60].copy()
    rows[np.random.default_rng(1).random(rows.shape) < share] = np.nan
    return rows


def completed(rows, n):
    X, _ = data()
    random = np.random.default_rng(2)
    out = np.repeat(rows[:, None], n, axis=1)
    holes = np.isnan(out)
    out[holes] = random.choice(X.ravel(), size=int(holes.sum()))
    return out


def test_rows_out_of_time_are_undecided(forest):
    ensemble, rows = ol.read(forest), gaps(0.3)
    early = ensemble.status(rows, time_limit=0)
    found = ensemble.status(rows, time_limit=60)
    assert {*found} == {"certain", "open"}
    late = early == "undecided"
    assert late.any()
    assert (early[~late] == found[~late]).all()
    with pytest.warns(ol.errors.UndecidedRows):
        assert ensemble.predict(rows, time_limit=0).mask[late].all()
    sums = ensemble.sums(completed(rows, 100).reshape(-1, 10)).reshape(60, 100, 2) / 80
    lower, upper, _ = ensemble.predict_interval(rows, of="score", time_limit=0)
    assert (sums >= lower[:, None]).all()
    assert (sums <= upper[:, None]).all()


def test_bounds_out_of_time_are_wider_but_hold(forest):
    ensemble, rows = ol.read(forest), gaps(0.5)
    shares = forest.predict_proba(completed(rows, 100).reshape(-1, 10)).reshape(60, 100, 2)
    lower, upper, exact = ensemble.predict_interval(rows, time_limit=0, of="probability")
    assert not exact.all()
    for low, high in (
        (lower, upper),
        ensemble.predict_interval(rows[:5], time_limit=5, of="probability")[:2],
    ):
        n = len(low)
        assert (shares[:n] >= low[:, None]).all()
        assert (shares[:n] <= high[:, None]).all()
    tight, wide, _ = ensemble.predict_interval(rows[:5], time_limit=5, of="probability")
    assert (tight >= lower[:5]).all()
    assert (wide <= upper[:5]).all()


def test_numbers_out_of_time_have_bounds():
    X, _ = data()
    model = RandomForestRegressor(40, max_depth=6, random_state=0).fit(X, X[:, 0] * X[:, 1])
    ensemble, rows = ol.read(model), gaps(0.4)
    numbers = model.predict(completed(rows, 100).reshape(-1, 10)).reshape(60, 100)
    lower, upper, exact = ensemble.predict_interval(rows, time_limit=0)
    assert not exact.all()
    assert (numbers >= lower[:, None]).all()
    assert (numbers <= upper[:, None]).all()


def test_classes_that_were_not_found_out_are_an_error(forest):
    ensemble, rows = ol.read(forest), gaps(0.3)
    with pytest.raises(ol.Undecided, match=r"row \d+: it is not known whether") as found:
        ensemble.possible(rows, time_limit=0)
    assert found.value.why == "time"
    proven = found.value.proven
    assert {*proven["possible"], *proven["impossible"], *proven["not_known"]} == {0, 1}
    row = rows[proven["row"]]
    with pytest.raises(ol.Undecided, match="time_limit=0 seconds"):
        _ = ensemble.explain(row, time_limit=0).witness


def test_an_explanation_out_of_time_says_so(forest):
    X, _ = data()
    ensemble = ol.read(forest)
    why = ensemble.explain(X[0], time_limit=0)
    assert why.status == "certain"  # a complete row is added up
    assert why.reason.covers(X[:1]).all()
    assert "was not found out" in str(why)
    with pytest.raises(ol.Undecided, match=r"shortest reason has \d+ to \d+ features: ") as found:
        _ = why.shortest
    assert found.value.why == "time"
    assert 0 <= found.value.proven["at_least"] <= found.value.proven["at_most"] <= 10


def test_whole_numbers_round_outwards():
    big = np.array([2**60 + 1, -(2**60) - 1, 2**53 + 1, 7], dtype=np.int64)
    down, up = (outward(big, 0, 0, side) for side in (-np.inf, np.inf))
    for whole, low, high in zip(big.tolist(), down.tolist(), up.tolist(), strict=True):
        assert int(low) <= whole <= int(high)
    assert down[3] == up[3] == 7.0
    assert outward(np.array([8]), 3, -2, -np.inf).tolist() == [1.25]


def test_few_completions_give_the_ends_that_the_library_itself_has():
    """Ends were moved outwards by what additions can round, and equal sums were masked."""
    n = 0
    for seed in range(60):
        own = Drawn(seed, "number", rough=True)
        if not own.found.possible:
            continue
        model = own.model()
        for part in own.found.parts(4):
            rows = own.found.completions(part)
            if not rows:
                continue
            sums = [own.sums(row)[0] for row in rows]
            lower, upper, exact = model.predict_interval([part])
            assert (lower[0], upper[0], exact[0]) == (min(sums), max(sums), True), (seed, part)
            answer = model.predict([part])
            assert bool(np.ma.getmaskarray(answer)[0]) == (len(set(sums)) > 1), (seed, part)
            n += len(set(sums)) > 1
    assert n > 20


def test_a_number_that_facts_make_certain_is_not_masked():
    """Leaves differ, and facts let through only pairs of them with one sum."""
    space = ol.Space({"a": float, "b": float},
                     facts=["if a <= 0 then b <= 0", "if b <= 0 then a <= 0"])  # fmt: skip
    trees = [
        ol.read({"feature": name, "relation": "<=", "reference": 0,
                      "true": {"prediction": 0}, "false": {"prediction": 1}}, space=space)
        for name in "ab"
    ]  # fmt: skip
    model = ol.Ensemble(trees, [[0.1, 0.3], [0.3, 0.1]], adding=Adding(base=(0.0,)),
                        rule=Rule("number"))  # fmt: skip
    assert model.predict([{}]).tolist() == [0.1 + 0.3]
    lower, upper, exact = model.predict_interval([{}])
    assert (lower[0], upper[0], exact[0]) == (0.4, 0.4, True)
    loose = model.with_space(space.without_facts())
    assert loose.predict([{}]).tolist() == [None]


def test_intervals_of_a_regressor_of_xgboost_are_its_own_predictions():
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).astype(np.float32)
    y = 150 + 40 * X[:, 0] + 10 * X[:, 1] * X[:, 2] + rng.normal(size=200)
    model = xgboost.XGBRegressor(n_estimators=60, max_depth=3, n_jobs=1).fit(X, y)
    values = np.sort(X[:, 3])
    values = np.concatenate([values, (values[1:] + values[:-1]) / 2, [-99, 99]])
    rows = X[:10].copy()
    rows[:, 3] = np.nan
    lower, upper, exact = ol.read(model).predict_interval(rows)
    assert exact.all()
    for row, low, high in zip(rows, lower, upper, strict=True):
        every = np.repeat(row[None], len(values), axis=0)
        every[:, 3] = values
        numbers = model.predict(every)
        assert (low, high) == (numbers.min(), numbers.max())
