"""Missing values on their way through transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)
from through import (
    as_list,
    check,
    rows_at_edges,
    table,
    tree_model,
)

import orderless as ol
from orderless.errors import UnreadableModel


def gaps(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = table(seed)
    rng = np.random.default_rng(seed)
    for name in ("age", "blood pressure (mm)", "color"):
        X.loc[rng.random(len(X)) < 0.25, name] = np.nan
    return X[["age", "blood pressure (mm)", "color", "grade"]], y


def numbers_and_labels(number: Any, label: Any) -> ColumnTransformer:
    return ColumnTransformer(
        [("n", number, ["age", "blood pressure (mm)", "grade"]), ("l", label, ["color"])],
        sparse_threshold=0,  # trees take no missing values in sparse tables
    )


NUMBER_GAPS = {
    "scaled": StandardScaler(),
    "mean": SimpleImputer(),
    "median, scaled": make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
    "scaled, then constant": make_pipeline(
        MinMaxScaler(), SimpleImputer(strategy="constant", fill_value=-1)
    ),
    "flags": SimpleImputer(add_indicator=True),
    "indicator": FeatureUnion([("i", MissingIndicator(error_on_new=False)), ("x", MaxAbsScaler())]),
    "bins": make_pipeline(
        SimpleImputer(), KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform")
    ),
    "cuts": make_pipeline(SimpleImputer(), ol.Binarizer((0.33, 0.66))),
    "whole numbers": make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    ),
    "as labels": OneHotEncoder(handle_unknown="ignore"),
}
LABEL_GAPS = {
    "one-hot": OneHotEncoder(),
    "drop": OneHotEncoder(drop="first"),
    "filled": make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
    "named": make_pipeline(SimpleImputer(strategy="constant", fill_value="none"), OrdinalEncoder()),
    "ordinal": OrdinalEncoder(encoded_missing_value=-3),
    "ordinal nan": OrdinalEncoder(),
    "ordinal nan, filled": make_pipeline(OrdinalEncoder(), SimpleImputer()),
    "target": TargetEncoder(),
}


@pytest.mark.parametrize(
    ("number", "label"),
    [
        *((number, label) for number in NUMBER_GAPS for label in ("one-hot", "ordinal nan")),
        *((number, label) for number in ("scaled", "bins") for label in LABEL_GAPS),
    ],
)
def test_missing_values(number: str, label: str) -> None:
    X, y = gaps(20)
    prepare = numbers_and_labels(NUMBER_GAPS[number], LABEL_GAPS[label])
    model = make_pipeline(prepare, tree_model()).fit(X, y)
    # As a value: what the pipeline makes of it.
    tree = ol.read(model, nan="value")
    rows = rows_at_edges(tree, X.dropna())
    mixture = pd.concat([X, rows.sample(frac=0.5, random_state=0)], ignore_index=True)
    mixture.loc[::3, "age"] = np.nan
    for frame in (X, rows, mixture):
        assert as_list(tree.predict(frame)) == model.predict(frame).tolist()
    # As an unknown: complete rows are the same, others are never wrong for any completion.
    unknown = ol.read(model, nan="unknown")
    assert not any(feature.nan for feature in unknown.space.features)
    assert as_list(unknown.predict(rows)) == model.predict(rows).tolist()
    ours = as_list(unknown.predict(X))
    full = X.dropna()
    for k in range(5):
        filled = X.copy()
        for name in X.columns:
            hole = X[name].isna()
            filled.loc[hole, name] = full[name].sample(hole.sum(), replace=True, random_state=k
                                                       ).to_numpy()  # fmt: skip
        theirs = model.predict(filled).tolist()
        assert all(a is None or a == b for a, b in zip(ours, theirs, strict=True))


def test_missing_is_a_value_only_where_the_transformers_take_it() -> None:
    X, y = gaps(21)
    full = X.dropna()
    y = y[full.index]
    prepare = numbers_and_labels(StandardScaler(), OneHotEncoder())
    tree = ol.read(make_pipeline(prepare, tree_model()).fit(full, y), nan="value")
    assert tree.space["age"].nan
    assert not tree.space["color"].nan  # this encoder raises: it has seen none
    for refusing in (ol.Binarizer((0.33, 0.66)), Binarizer(threshold=100), SelectKBest(k=1),
                     FunctionTransformer(validate=True),
                     KBinsDiscretizer(2, encode="ordinal", strategy="uniform")):  # fmt: skip
        model = make_pipeline(refusing, tree_model()).fit(full[["age"]], y)
        assert not ol.read(model, nan="value").space["age"].nan
    # None and NaN as two labels: rows do not tell them apart, so missing stays unknown.
    two = np.array([["u"], [None], [np.nan], ["v"]], dtype=object)
    encoder = OneHotEncoder().fit(two)
    model = tree_model().fit(encoder.transform(two), [0, 1, 0, 1])
    assert not ol.read(model, preprocessing=encoder, nan="value").space["x0"].nan


def test_numbers_that_stand_for_missing() -> None:
    X, y = table(22)
    X["grade"] = X["grade"].replace(2, -1)
    fill = SimpleImputer(missing_values=-1, strategy="most_frequent")
    check(make_pipeline(fill, OneHotEncoder(), tree_model()), X[["grade"]], y)
    check(make_pipeline(OrdinalEncoder(), fill, tree_model()), X[["grade"]], y)
    model = make_pipeline(fill, tree_model()).fit(X[["grade"]], y)
    with pytest.raises(UnreadableModel, match=r"SimpleImputer\) treats the number -1 as missing"):
        ol.read(model)


def test_a_column_that_was_only_missing() -> None:
    X = pd.DataFrame({"a": [np.nan] * 4, "b": [1.0, 2.0, 3.0, 4.0]})
    with pytest.warns(UserWarning, match="Skipping features"):
        model = make_pipeline(SimpleImputer(), tree_model()).fit(X, [0, 0, 1, 1])
    tree = ol.read(model)
    assert tree.features == ("b",)
    with pytest.warns(UserWarning, match="Skipping features"):
        assert model.predict(X).tolist() == as_list(tree.predict(X))
    model = make_pipeline(SimpleImputer(keep_empty_features=True), tree_model()).fit(
        X, [0, 0, 1, 1]
    )
    assert model.predict(X).tolist() == as_list(ol.read(model, nan="value").predict(X))
    model = make_pipeline(OneHotEncoder(), tree_model()).fit(X[["a"]], [0, 0, 1, 1])
    with pytest.raises(UnreadableModel, match="'a' has no label"):
        ol.read(model)
