"""scikit-learn's regressors: ours predicts what theirs does, to the last bit."""

import numpy as np
import pytest
from neighbours import EDGES, many_rows
from sklearn.datasets import load_diabetes
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, OrdinalEncoder
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor
from through import QUANTILES

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel

# scikit-learn refuses infinities, and what float32 rounds to them.
FINITE = [x for x in EDGES if abs(x) < 3e38 or np.isnan(x)]


def data(seed=0, missing=0.0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    y = np.abs(X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0)) + 0.1
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_the_numbers_of_a_regressor(kind, criterion):
    gaps = criterion != "absolute_error"
    X, y = data(missing=0.1 if gaps else 0.0)
    model = kind(criterion=criterion, max_depth=7, random_state=0).fit(X, y)
    tree = ol.read(model, nan="value" if gaps else "unknown")
    assert tree.task == "regression"
    rows = many_rows(tree, X, edges=FINITE if gaps else FINITE[:-1])
    rows = rows[~(np.abs(rows) > 3e38).any(axis=1)]
    ours = tree.predict(rows)
    assert not np.ma.is_masked(ours)
    np.testing.assert_array_equal(ours, model.predict(rows))


def test_real_data_and_one_tree_of_a_forest():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y)
    tree = ol.read(model)
    assert tree.space.names == tuple(X)
    np.testing.assert_array_equal(tree.predict(X).to_numpy(float), model.predict(X))
    forest = RandomForestRegressor(3, max_depth=4, random_state=0).fit(X, y)
    for one in forest.estimators_:
        ours = ol.read(one, feature_names=list(X))
        np.testing.assert_array_equal(ours.predict(X).to_numpy(float), one.predict(X.to_numpy()))


@pytest.mark.parametrize(
    "step",
    [
        KBinsDiscretizer(4, **QUANTILES),
        KBinsDiscretizer(4, encode="ordinal", **QUANTILES),
        MinMaxScaler(),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    ],
    ids=lambda step: type(step).__name__,
)
@pytest.mark.parametrize("library", ["sklearn", "xgboost", "lightgbm", "catboost"])
def test_pipelines(step, library):
    module = pytest.importorskip(library)
    regressor = {
        "sklearn": lambda: DecisionTreeRegressor(max_depth=4, random_state=0),
        "xgboost": lambda: module.XGBRegressor(n_estimators=1, max_depth=4, n_jobs=1),
        "lightgbm": lambda: module.LGBMRegressor(n_estimators=1, verbose=-1, n_jobs=1),
        "catboost": lambda: module.CatBoostRegressor(
            iterations=1, depth=4, verbose=0, thread_count=1, allow_writing_files=False
        ),
    }[library]()
    X, y = data(1)
    X = np.round(X, 1)
    model = make_pipeline(step, regressor).fit(X, y)
    tree = ol.read(model)
    rows = many_rows(tree, X, n=3000, edges=[0.0, -5.0, 5.0])
    if isinstance(step, OrdinalEncoder):
        rows = X
    expected = model[-1].predict(model[:-1].transform(rows))
    np.testing.assert_array_equal(tree.predict(rows), expected)


def test_numbers_of_leaves_that_no_row_reaches_are_left_out():
    """Of a column that is 0 or 1, the first threshold leaves nothing to ask."""
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    model = DecisionTreeRegressor(random_state=0).fit(X, [1.0, 2.0, 3.0, 4.0])
    assert ol.read(model).classes == (1.0, 2.0, 3.0, 4.0)
    tree = ol.read(model, space=ol.Space({"x": "boolean"}))
    assert tree.classes == (1.0,)
    assert tree.kernel.n_dropped > 0
    low, high, _ = tree.predict_interval([[np.nan]])
    assert (low[0], high[0]) == (1.0, 1.0)


def test_models_that_are_refused():
    X, y = data(2)
    for boosted in (GradientBoostingRegressor(n_estimators=2), HistGradientBoostingRegressor()):
        with pytest.raises(UnreadableModel, match=r"adds up \d+ trees, and this needs one"):
            ol.read_many([boosted.fit(X, y)])
    with pytest.raises(UnreadableModel, match="RandomForestRegressor adds up 2 trees"):
        ol.read_many([RandomForestRegressor(2).fit(X, y)])
    with pytest.raises(UnreadableModel, match="2 outputs at once; fit one tree per output"):
        ol.read(DecisionTreeRegressor().fit(X, np.column_stack([y, y])))
    with pytest.raises(UnreadableModel, match="DecisionTreeRegressor is not fitted"):
        ol.read(DecisionTreeRegressor())
    model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    model.tree_.value[1] = np.inf
    with pytest.raises(
        InvalidTree, match=r"a number that is not finite \(inf\): check the targets"
    ):
        ol.read(model)

    class Rounded(DecisionTreeRegressor):
        def predict(self, X, check_input=True):
            return np.round(super().predict(X, check_input))

    with pytest.raises(UnreadableModel, match="a Rounded has its own predict"):
        ol.read(Rounded(max_depth=1).fit(X, y))
