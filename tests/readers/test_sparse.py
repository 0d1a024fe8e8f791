"""Sparse tables before XGBoost: what is not stored is missing to it, and so to the tree read."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from through import QUANTILES

import orderless as ol
from orderless.errors import UnreadableModel
from orderless.readers import builder
from orderless.readers.wrappers import gives_sparse

xgboost = pytest.importorskip("xgboost", reason="XGBoost comes with the extra orderless[sources]")


def data(seed=0, n=600):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "ward": rng.choice(["a", "b", "ö", "d'"], n),
            "code": rng.integers(0, 5, n),
            "dose": np.round(rng.normal(size=n), 1),
            "age": rng.integers(0, 9, n).astype(float),
        }
    )
    frame.loc[::7, "dose"] = 0.0
    frame.loc[::11, "dose"] = -0.0
    y = frame["ward"].isin(["b", "d'"]) * 2.0 + (frame["dose"] > 0) + (frame["dose"] == 0) * 1.5
    return frame, (y + (frame["code"] == 3) + (frame["age"] > 4) / 2).to_numpy()


def bins(**options):
    return KBinsDiscretizer(3, **QUANTILES, **options)


STEPS = {
    "one-hot": lambda: make_column_transformer(
        (OneHotEncoder(), ["ward", "code"]), (MaxAbsScaler(), ["dose", "age"]), sparse_threshold=1.0
    ),
    "with bins": lambda: make_column_transformer(
        (OneHotEncoder(), ["ward"]), (bins(), ["age"]), ("passthrough", ["dose"]),
        sparse_threshold=1.0,
    ),
    "scaled after": lambda: make_pipeline(
        make_column_transformer((OneHotEncoder(), ["ward", "code"])), MaxAbsScaler()
    ),
    "scaled without the mean": lambda: make_pipeline(
        make_column_transformer(
            (OneHotEncoder(), ["ward"]), ("passthrough", ["dose", "age"]), sparse_threshold=1.0
        ),
        StandardScaler(with_mean=False),
    ),
    "dense": lambda: make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["ward", "code"]), (MaxAbsScaler(), ["dose", "age"])
    ),
    "made dense": lambda: make_column_transformer(
        (OneHotEncoder(), ["ward", "code"]), (MaxAbsScaler(), ["dose"]), sparse_threshold=0
    ),
    "ordinal": lambda: make_column_transformer(
        (OrdinalEncoder(), ["ward"]), ("passthrough", ["dose", "age"])
    ),
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_pipelines(step, kind):
    frame, y = data()
    options = {"n_estimators": 1, "max_depth": 4, "learning_rate": 1.0, "n_jobs": 1}
    if kind == "classifier":
        model, target = xgboost.XGBClassifier(**options), (y > 2).astype(int)
    else:
        model, target = xgboost.XGBRegressor(**options), y
    model = make_pipeline(STEPS[step](), model).fit(frame, target)
    tree = ol.read(model)
    new, _ = data(1)
    for rows in (frame, new):
        assert len(set(model.predict(rows))) > 1
        np.testing.assert_array_equal(tree.predict(rows).to_numpy(float), model.predict(rows))


def test_arrays_with_zeros_of_both_signs():
    frame, y = data(2)
    prepare = make_column_transformer((OneHotEncoder(), [0]), ("passthrough", [1, 2]),
                                      sparse_threshold=1.0)  # fmt: skip
    X = frame[["code", "dose", "age"]].to_numpy()
    model = make_pipeline(prepare, xgboost.XGBRegressor(n_estimators=1, max_depth=5)).fit(X, y)
    tree = ol.read(model)
    rows = X.copy()
    rows[:, 1] = np.resize([0.0, -0.0, 1e-45, -1e-45, 1e-38, 0.1, -0.1, 5.0], len(rows))
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))


def test_what_makes_a_sparse_table():
    frame, _ = data()
    for step in STEPS.values():
        made = step().fit_transform(frame)
        assert gives_sparse(step().fit(frame)) == (not isinstance(made, np.ndarray))
    X = frame[["dose", "age"]].to_numpy()
    for step in (
        bins(), bins(encode="ordinal"), bins(encode="onehot-dense"), OneHotEncoder(),
        make_union(MaxAbsScaler(), bins()), make_union(MaxAbsScaler(), MaxAbsScaler()),
        make_pipeline(OneHotEncoder(), FunctionTransformer(accept_sparse=True)),
        make_pipeline(MaxAbsScaler(), "passthrough"),
    ):  # fmt: skip
        made = step.fit_transform(X)
        assert gives_sparse(step) == (not isinstance(made, np.ndarray))
    assert not gives_sparse(None)


def test_a_transformer_beside_a_model():
    """Nobody says whether the table was made dense on the way."""
    frame, y = data(3)
    encoder = OneHotEncoder().fit(frame[["ward"]])
    table = encoder.transform(frame[["ward"]])
    model = xgboost.XGBRegressor(n_estimators=1, max_depth=3)
    with pytest.raises(UnreadableModel, match=r"it is not known whether .*sparse_output=False"):
        ol.read(model.fit(table, y), preprocessing=encoder)
    dense = OneHotEncoder(sparse_output=False).fit(frame[["ward"]])
    model.fit(dense.transform(frame[["ward"]]), y)
    tree = ol.read(model, preprocessing=dense)
    expected = model.predict(dense.transform(frame[["ward"]]))
    np.testing.assert_array_equal(tree.predict(frame[["ward"]]).to_numpy(float), expected)


def test_too_many_nodes(monkeypatch):
    monkeypatch.setattr(builder, "MAX_UNFOLDED", 20)
    frame, y = data()
    model = make_pipeline(STEPS["one-hot"](), xgboost.XGBRegressor(n_estimators=1)).fit(frame, y)
    with pytest.raises(UnreadableModel, match=r"more than 20 nodes.*sparse_output=False"):
        ol.read(model)
