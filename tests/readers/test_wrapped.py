"""Transformed targets: ours predicts the numbers that scikit-learn's predict gives, to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from neighbours import at_thresholds
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

import orderless as ol
from orderless.cli.mistakes import Mistake
from orderless.cli.models import load_model
from orderless.errors import InvalidTree, UnreadableModel


def data(seed: int = 0, n: int = 400) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    return X, np.exp(X[:, 0] + X[:, 1] ** 2 / 3) + 0.1


def rows_of(tree: ol.Tree, X: Any) -> Any:
    """At every threshold, and many more besides: 10^5 in all."""
    cuts = [
        (int(f), float(t))
        for f, t in zip(tree.nodes.feature, tree.nodes.threshold, strict=True)
        if f >= 0
    ]
    rows = at_thresholds(X, cuts, random_state=0)
    more = np.random.default_rng(1).normal(size=(100_000 - len(rows), X.shape[1]))
    edges = [[np.inf, 0.0, -np.inf], [-np.inf, np.inf, 0.0]]
    return np.vstack([rows, more, np.clip(edges, -3e38, 3e38)])


TARGETS: dict[str, dict[str, Any]] = {
    "log": {"func": np.log, "inverse_func": np.exp},
    "log1p": {"func": np.log1p, "inverse_func": np.expm1},
    "sqrt": {"func": np.sqrt, "inverse_func": np.square},
    "of the user": {"func": lambda y: y - 3, "inverse_func": lambda y: y + 3},
    "nothing": {},
    "standard": {"transformer": StandardScaler()},
    "range": {"transformer": MinMaxScaler((-1, 1))},
    "robust": {"transformer": RobustScaler()},
    "power": {"transformer": PowerTransformer()},
    "box-cox": {"transformer": PowerTransformer("box-cox")},
    "quantile": {"transformer": QuantileTransformer(n_quantiles=50)},
    "normal": {"transformer": QuantileTransformer(n_quantiles=50, output_distribution="normal")},
    "several": {
        "transformer": make_pipeline(
            FunctionTransformer(np.log, np.exp, check_inverse=False), StandardScaler()
        )
    },
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", ["vector", "column"])
def test_the_numbers_that_its_predict_gives(target: str, shape: str) -> None:
    X, y = data()
    regressor = DecisionTreeRegressor(max_depth=6, random_state=0)
    model = TransformedTargetRegressor(regressor, check_inverse=False, **TARGETS[target])
    model.fit(X, y if shape == "vector" else y[:, None])
    tree = ol.read(model)
    rows = rows_of(tree, X)
    assert tree.task == "regression"
    assert tree.n_leaves > 12
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows).ravel())


def test_scikit_learns_other_trees() -> None:
    X, y = data()
    model = TransformedTargetRegressor(
        ExtraTreeRegressor(max_depth=5, random_state=0), func=np.log, inverse_func=np.exp
    ).fit(X, y)
    tree = ol.read(model)
    rows = rows_of(tree, X)
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))


@pytest.mark.parametrize("target", ["log", "standard", "power", "quantile"])
def test_float32_goes_back_as_float32(target: str) -> None:
    """XGBoost predicts float32, and a float32 exponential is not the float64 one, rounded."""
    xgboost = pytest.importorskip("xgboost")
    X, y = data()
    model = TransformedTargetRegressor(
        xgboost.XGBRegressor(n_estimators=1, max_depth=5, n_jobs=1), check_inverse=False,
        **TARGETS[target],
    ).fit(X, y)  # fmt: skip
    tree = ol.read(model)
    rows = rows_of(tree, X)
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))


@pytest.mark.parametrize("library", ["lightgbm", "catboost"])
def test_other_libraries(library: str) -> None:
    module = pytest.importorskip(library)
    X, y = data()
    if library == "lightgbm":
        regressor = module.LGBMRegressor(n_estimators=1, verbose=-1, n_jobs=1)
    else:
        regressor = module.CatBoostRegressor(
            iterations=1, verbose=0, thread_count=1, allow_writing_files=False
        )
    model = TransformedTargetRegressor(regressor, func=np.log, inverse_func=np.exp).fit(X, y)
    tree = ol.read(model)
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))


def wards(seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 500).astype(float),
            "weight (kg)": rng.normal(70, 12, 500),
            "ward": rng.choice(["Süd", "north 'A'", "ICU"], 500),
        }
    )
    stay = np.exp(frame["age"] / 60 + (frame["ward"] == "ICU")) + rng.random(500)
    return frame, stay.to_numpy()


def prepared() -> Any:
    return make_column_transformer(
        (OneHotEncoder(), ["ward"]), (StandardScaler(), ["age", "weight (kg)"])
    )


@pytest.mark.parametrize("order", ["target outside", "pipeline outside", "both"])
def test_pipelines_with_encoders_and_scalers(order: str) -> None:
    frame, stay = wards()
    leaf = DecisionTreeRegressor(max_depth=5, random_state=0)
    log = {"func": np.log1p, "inverse_func": np.expm1}
    model: Any = {
        "target outside": lambda: TransformedTargetRegressor(
            make_pipeline(prepared(), leaf), **log
        ),
        "pipeline outside": lambda: make_pipeline(
            prepared(), TransformedTargetRegressor(leaf, **log)
        ),
        "both": lambda: make_pipeline(
            prepared(),
            TransformedTargetRegressor(
                make_pipeline(MinMaxScaler(), TransformedTargetRegressor(leaf, **log)),
                transformer=MinMaxScaler((0.5, 2)),
            ),
        ),
    }[order]()
    model.fit(frame, stay)
    tree = ol.read(model)
    assert tree.task == "regression"
    assert tree.space["ward"].kind == "categorical"
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(float), model.predict(frame))


def test_a_regressor_without_a_transformed_target_at_the_end_of_a_pipeline() -> None:
    frame, stay = wards()
    model = make_pipeline(prepared(), DecisionTreeRegressor(max_depth=6)).fit(frame, stay)
    tree = ol.read(model)
    assert set(tree.space.names) == set(frame)
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(float), model.predict(frame))


def test_searches() -> None:
    X, y = data()
    inner = GridSearchCV(DecisionTreeRegressor(random_state=0), {"max_depth": [2, 4]}, cv=2)
    model = TransformedTargetRegressor(inner, func=np.log, inverse_func=np.exp).fit(X, y)
    np.testing.assert_array_equal(ol.read(model).predict(X), model.predict(X))
    outer = GridSearchCV(
        TransformedTargetRegressor(
            DecisionTreeRegressor(random_state=0), func=np.log, inverse_func=np.exp
        ),
        {"regressor__max_depth": [2, 4]},
        cv=2,
    ).fit(X, y)
    np.testing.assert_array_equal(ol.read(outer).predict(X), outer.predict(X))
    assert [tree.task for tree in ol.read_many([model, outer])] == ["regression"] * 2


def test_numbers_that_become_equal_are_one() -> None:
    X, y = data()
    model = TransformedTargetRegressor(
        DecisionTreeRegressor(max_depth=5, random_state=0), func=np.negative,
        inverse_func=lambda y: np.round(-y), check_inverse=False,
    ).fit(X, y)  # fmt: skip
    tree = ol.read(model)
    assert len(tree.classes) < tree.n_leaves
    assert list(tree.classes) == sorted(set(model.predict(X) + 0.0))
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))
    low, high, _ = tree.predict_interval([[np.nan] * 3])
    assert (low[0], high[0]) == (tree.classes[0], tree.classes[-1])


def fitted(X: Any, y: Any, **options: Any) -> Any:
    model = TransformedTargetRegressor(
        DecisionTreeRegressor(max_depth=3), check_inverse=False, **options
    )
    return model.fit(X, y)


@pytest.mark.parametrize(
    ("inverse", "said"),
    [
        (lambda y: y / 0.0, r"a leaf predicts -?inf after FunctionTransformer.inverse_transform"),
        (lambda y: np.full_like(y, np.nan), "a leaf predicts nan after"),
        (lambda y: np.hstack([y, y]), r"shape \(8, 2\) and type float64 of 8 numbers"),
        (lambda y: y.astype(str), "only one number per row"),
        (lambda y: y - y.mean(), "alone another value than among others"),
        (lambda y: np.cumsum(y).reshape(-1, 1), "alone another value than among others"),
        (lambda y: 1 / int(""), "inverse_transform failed with ValueError: invalid literal"),
    ],
)
def test_what_cannot_be_undone(inverse: Any, said: str) -> None:
    X, y = data()
    model = fitted(X, y, func=np.log, inverse_func=inverse)
    with pytest.raises((UnreadableModel, InvalidTree), match=said):
        ol.read(model)


def test_models_that_are_refused() -> None:
    X, y = data()
    with pytest.raises(UnreadableModel, match="TransformedTargetRegressor is not fitted"):
        ol.read(TransformedTargetRegressor(DecisionTreeRegressor()))
    with pytest.raises(UnreadableModel, match="predicts 2 outputs at once"):
        ol.read(fitted(X, np.column_stack([y, y]), func=np.log, inverse_func=np.exp))
    forest = TransformedTargetRegressor(RandomForestRegressor(3), func=np.log, inverse_func=np.exp)
    with pytest.raises(UnreadableModel, match="a RandomForestRegressor predicts a function"):
        ol.canonicalize(forest.fit(X, y))
    classifier = TransformedTargetRegressor(DecisionTreeClassifier(max_depth=2))
    with pytest.raises(UnreadableModel, match=r"a model that predicts numbers.*use a regressor"):
        ol.read(classifier.fit(X, np.round(y)))


def test_a_subclass_that_predicts_itself() -> None:
    class Cautious(TransformedTargetRegressor):
        def predict(self, X: Any, **options: Any) -> Any:
            return super().predict(X, **options) + 1

    X, y = data()
    with pytest.raises(UnreadableModel, match=r"a Cautious has its own predict.*TransformedTarget"):
        ol.read(Cautious(DecisionTreeRegressor(max_depth=2)).fit(X, y))


def test_a_file_of_the_command_line(tmp_path: Path) -> None:
    skops_io = pytest.importorskip("skops.io")
    X, y = data()
    path = tmp_path / "model.skops"
    for target in ("log", "standard", "quantile"):
        model = fitted(X, y, **TARGETS[target])
        skops_io.dump(model, path)
        np.testing.assert_array_equal(ol.read(load_model(path)).predict(X), model.predict(X))
    skops_io.dump(fitted(X, y, **TARGETS["of the user"]), path)
    with pytest.raises(Mistake, match="is not loaded"):  # a function is code
        load_model(path)
