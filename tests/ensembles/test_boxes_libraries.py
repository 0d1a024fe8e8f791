"""Every witness, and every "certain", put to the library itself."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import orderless as ol

COMPLETIONS = 200  # of each certain row


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :8], y


def iris():
    return load_iris(return_X_y=True)


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:, :6], y


CLASSIFIERS = {
    "forest": (RandomForestClassifier(15, max_depth=4, random_state=0), cancer),
    "forest of three": (RandomForestClassifier(10, max_depth=3, random_state=0), iris),
    "extra trees": (ExtraTreesClassifier(15, max_depth=4, random_state=0), cancer),
    "boosted": (GradientBoostingClassifier(n_estimators=15, random_state=0), cancer),
    "boosted three": (GradientBoostingClassifier(n_estimators=8, random_state=0), iris),
    "histogram": (HistGradientBoostingClassifier(max_iter=15, random_state=0), cancer),
    "histogram three": (HistGradientBoostingClassifier(max_iter=8, random_state=0), iris),
    "adaboost": (AdaBoostClassifier(n_estimators=12, random_state=0), cancer),
}
REGRESSORS = {
    "forest": (RandomForestRegressor(12, max_depth=3, random_state=0), diabetes),
    "boosted": (GradientBoostingRegressor(n_estimators=12, random_state=0), diabetes),
    "histogram": (HistGradientBoostingRegressor(max_iter=12, random_state=0), diabetes),
}


def booster(name):
    library, _, classes = name.partition(" ")
    module = pytest.importorskip(library)
    model = {
        "xgboost": lambda: module.XGBClassifier(n_estimators=8, max_depth=3),
        "lightgbm": lambda: module.LGBMClassifier(
            n_estimators=8, num_leaves=7, verbose=-1, n_jobs=1
        ),
        "catboost": lambda: module.CatBoostClassifier(
            n_estimators=8, depth=3, verbose=0, thread_count=1, allow_writing_files=False
        ),
    }[library]()
    return model, iris if classes else cancer


BOOSTERS = [f"{name}{more}" for name in ("xgboost", "lightgbm", "catboost")
            for more in ("", " three")]  # fmt: skip


def fitted(name):
    model, data = CLASSIFIERS[name] if name in CLASSIFIERS else booster(name)
    X, y = data()
    return model.fit(X, y), X


def gaps(X, share, n, seed):
    random = np.random.default_rng(seed)
    rows = X[random.integers(len(X), size=n)].copy()
    rows[random.random(rows.shape) < share] = np.nan
    return rows


def edges(ensemble, X):
    """Give for each column numbers to complete rows with: thresholds, their neighbours, data."""
    out = []
    for i in range(X.shape[1]):
        cuts = [t.row_threshold[t.nodes.feature == i] for t in ensemble.kernel.trees]
        cuts = np.unique(np.concatenate(cuts))
        cuts = cuts[np.isfinite(cuts)]
        near = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), X[:, i]]
        out.append(np.concatenate(near))
    return out


def completions(row, values, n, random):
    done = np.repeat(row[None], n, axis=0)
    for i in np.flatnonzero(np.isnan(row)):
        done[:, i] = values[i][random.integers(len(values[i]), size=n)]
    return done


@pytest.mark.parametrize("name", [*CLASSIFIERS, *BOOSTERS])
def test_the_library_agrees(name):
    model, X = fitted(name)
    ensemble = ol.read(model)
    values, random = edges(ensemble, X), np.random.default_rng(0)
    rows = gaps(X, 0.3, 40, 1)
    status = ensemble.status(rows)
    found = ensemble.predict(rows)
    assert {"certain", "open"} <= {*status}
    done = [completions(row, values, COMPLETIONS, random) for row in rows[status == "certain"]]
    said = np.ravel(model.predict(np.concatenate(done))).reshape(len(done), COMPLETIONS)
    assert (said == found[status == "certain"].data[:, None]).all()
    pairs = [ensemble.explain(row).witness for row in rows[status == "open"]]
    done = np.array([[*one.values()] for pair in pairs for one in pair])
    said = np.ravel(model.predict(done))
    assert (said[::2] != said[1::2]).all()
    assert said.tolist() == ensemble.predict(done).tolist()
    lower, upper, _ = ensemble.predict_interval(rows[:15], of="probability")
    done = [completions(row, values, COMPLETIONS, random) for row in rows[:15]]
    shares = model.predict_proba(np.concatenate(done)).reshape(15, COMPLETIONS, -1)
    assert (shares >= lower[:, None] - 1e-6).all()
    assert (shares <= upper[:, None] + 1e-6).all()


@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers_of_the_library_are_between_the_ends(name):
    model, data = REGRESSORS[name]
    X, y = data()
    model = model.fit(X, y)
    ensemble = ol.read(model)
    values, random = edges(ensemble, X), np.random.default_rng(0)
    rows = gaps(X, 0.3, 25, 1)
    lower, upper, exact = ensemble.predict_interval(rows)
    assert exact.all()
    done = [completions(row, values, COMPLETIONS, random) for row in rows]
    numbers = model.predict(np.concatenate(done)).reshape(len(rows), COMPLETIONS)
    assert (numbers >= lower[:, None]).all()
    assert (numbers <= upper[:, None]).all()
    pairs = [ensemble.explain(row).witness for row in rows]
    some = [i for i, pair in enumerate(pairs) if pair is not None]
    said = model.predict([[*one.values()] for i in some for one in pairs[i]])
    assert said[::2] == pytest.approx(lower[some])
    assert said[1::2] == pytest.approx(upper[some])
    for i, pair in enumerate(pairs):
        assert (pair is None) == (ensemble.status(rows[[i]])[0] == "certain")
        assert pair is not None or {*numbers[i].tolist()} == {lower[i]}


def test_explanations_hold_in_the_library():
    model, X = fitted("boosted")
    ensemble = ol.read(model)
    values, random = edges(ensemble, X), np.random.default_rng(0)
    for row in X[:6]:
        why = ensemble.explain(row)
        free = row.copy()
        for i, name in enumerate(ensemble.space.names):
            free[i] = row[i] if name in why.reason.features else np.nan
        done = completions(free, values, 500, random)
        assert {*model.predict(done).tolist()} == {why.label}
        for change in why.changes():
            after = why.row_after(change)
            assert model.predict([[*after.values()]])[0] == change.label


def test_through_a_one_hot_encoder():
    random = np.random.default_rng(0)
    X = pd.DataFrame({
        "color": random.choice(["red", "green", "blue"], 300), "age": random.integers(0, 90, 300),
    })  # fmt: skip
    y = (X.color == "red") ^ (X.age > 40)
    encoder = make_column_transformer((OneHotEncoder(), ["color"]), remainder="passthrough")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_pipeline(encoder, RandomForestClassifier(10, max_depth=4, random_state=0))
        model.fit(X, y)
    ensemble = ol.read(model)
    rows = X.head(40).copy().astype({"age": "float64"})
    rows.loc[::2, "color"] = None
    rows.loc[1::4, "age"] = np.nan
    status = ensemble.status(rows).tolist()
    assert "open" in status
    for i, what in enumerate(status):
        row = rows.iloc[[i]]
        pair = ensemble.explain(row).witness
        assert (pair is None) == (what == "certain")
        if pair is not None:
            said = model.predict(pd.DataFrame(list(pair)))
            assert said[0] != said[1]
