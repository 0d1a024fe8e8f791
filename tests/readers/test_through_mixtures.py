"""Trees read through whole tables of transformers, some inside others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from through import (
    NUMBERS,
    as_list,
    check,
    rows_at_edges,
    table,
    tree_model,
)

import orderless as ol
from orderless.errors import UnreadableModel
from orderless.inputs import Binarizer
from tests.readers.test_through_labels import ENCODERS
from tests.readers.test_through_numbers import SCALERS


def mixed(**options: Any) -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("scale", StandardScaler(), slice("age", "blood pressure (mm)")),
            ("bins", KBinsDiscretizer(3, encode="onehot", strategy="uniform"), [2]),
            ("encode", OneHotEncoder(drop="if_binary", handle_unknown="error"),
             make_column_selector(dtype_include=[object, "str", bool])),
            ("gone", "drop", ["grade"]),
        ],
        **options,
    )  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"remainder": "passthrough"},
        {"remainder": "passthrough", "verbose_feature_names_out": False},
        {"remainder": MinMaxScaler()},
        {"remainder": "drop", "sparse_threshold": 0},
        {"transformer_weights": {"scale": 0.1, "encode": -3}},
    ],
)
def test_column_transformer(options: dict[str, Any]) -> None:
    X, y = table(9)
    tree = check(make_pipeline(mixed(**options), tree_model()), X, y)
    assert tree.space.names == tuple(X.columns)
    assert tree.space["color"].kind == tree.space["smoker"].kind == "categorical"
    assert "grade" not in tree.features


def test_column_transformer_by_position_mask_and_single_name() -> None:
    X, y = table(10)
    mask = [False] * 4 + [True, False, False]
    prepare = ColumnTransformer(
        [
            ("one", StandardScaler(), [-4, 0]),
            ("slice", MaxAbsScaler(), slice(1, 3)),
            ("mask", OneHotEncoder(handle_unknown="ignore"), mask),
            ("numpy", MinMaxScaler(), np.array([5])),
            ("none", StandardScaler(), []),
        ],
        remainder="passthrough",
    )
    tree = check(make_pipeline(prepare, tree_model()), X, y)
    assert tree.space["color"].other
    # The same table as an array goes by position.
    rows = X.to_numpy(dtype=object)
    fitted = make_pipeline(prepare, tree_model()).fit(rows, y)
    by_position = ol.read(fitted, feature_names=list(X.columns))
    assert by_position.space == tree.space
    assert by_position.predict(rows).tolist() == fitted.predict(rows).tolist()
    assert ol.read(fitted).space.names == tuple(f"x{i}" for i in range(7))


def test_pipelines_in_column_transformers_in_pipelines() -> None:
    X, y = table(11)
    numbers = Pipeline([
        ("fill", SimpleImputer(strategy="median")),
        ("both", FeatureUnion([("s", StandardScaler()), ("m", MinMaxScaler()), ("d", "drop"),
                               ("p", "passthrough")], transformer_weights={"m": 0.3})),
        ("choose", SelectKBest(k=6)),
    ])  # fmt: skip
    labels = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", max_categories=4, sparse_output=False),
    )
    prepare = ColumnTransformer(
        [("n", numbers, NUMBERS), ("l", labels, ["color", "grade"])], remainder=OrdinalEncoder()
    )
    steps = [
        ("one", prepare),
        ("nothing", None),
        ("two", "passthrough"),
        ("v", VarianceThreshold()),
    ]
    pipeline = Pipeline([("all", Pipeline(steps)), ("tree", tree_model())])
    tree = check(pipeline, X, y)
    assert tree.space["color"].other
    assert not tree.space["smoker"].other
    # With data frames between the steps, and columns chosen by the names in between.
    again = ColumnTransformer([("some", "passthrough", ["n__s__age", "l__grade_3"])])
    inner = Pipeline([("one", prepare), ("again", again)]).set_output(transform="pandas")
    tree = check(make_pipeline(inner, tree_model()), X, y)
    assert set(tree.features) <= {"age", "grade"}


def test_through_and_a_pipeline_are_one_after_the_other() -> None:
    X, y = table(12)
    first = StandardScaler().fit(X[NUMBERS])
    model = make_pipeline(MinMaxScaler(), tree_model()).fit(first.transform(X[NUMBERS]), y)
    tree = ol.read(model, preprocessing=first)
    whole = make_pipeline(first, *[step for _, step in model.steps])
    rows = rows_at_edges(tree, X[NUMBERS])
    assert as_list(tree.predict(rows)) == whole.predict(rows).tolist()


def test_our_binarizers_anywhere() -> None:
    X, y = table(13)
    for binarizer in (Binarizer((0.1, 0.5, 0.9)), Binarizer()):
        prepare = ColumnTransformer(
            [("cut", binarizer, NUMBERS[1:]), ("labels", OneHotEncoder(), ["color"])]
        )
        check(make_pipeline(prepare, tree_model()), X, y)
        check(make_pipeline(StandardScaler(), binarizer, StandardScaler(), tree_model()),
              X[NUMBERS], y)  # fmt: skip
        check(make_pipeline(OrdinalEncoder(), binarizer, tree_model()), X[["color", "grade"]], y)
        fitted = binarizer.fit(X[NUMBERS], y)
        model = tree_model().fit(fitted.transform(X[NUMBERS]), y)
        through = ol.read(model, preprocessing=fitted)
        assert through.space.features == fitted.space_.features
        assert ol.equivalent(through, ol.read(model, space=fitted.space_))


def test_what_a_binarizer_was_told_of_the_features_is_kept() -> None:
    X, y = table(14)
    X = X[["age", "grade", "smoker"]].astype(float).round()
    told = ol.Space({"age": "float32", "grade": "integer", "smoker": "boolean", "more": "numeric"})
    binarizer = Binarizer((0.2, 0.5, 0.8), space=told)
    tree = check(make_pipeline(binarizer, tree_model()), X, y)
    assert tree.space.names == ("age", "grade", "smoker")
    assert tree.space["grade"].values == "integer"
    assert tree.space["smoker"].kind == "boolean"
    told = ol.Space({"grade": "integer", "age": "float32"})
    binarizer = Binarizer((0.2, 0.5, 0.8), space=told)
    parts = ColumnTransformer([("cut", binarizer, ["grade", "age"])], remainder="passthrough")
    tree = check(make_pipeline(parts, tree_model()), X, y)
    assert tree.space["grade"].values == "integer"
    assert tree.space["age"].values == "float32"
    # One-hot columns that the binarizer was told are one feature.
    bits = pd.get_dummies(pd.Series(["a", "b", "c"] * 20), dtype=float)
    color = ol.Feature("color", "categorical", categories=("a", "b", "c"))
    conditions = {name: ol.Condition("color", among=(name,)) for name in bits}
    binarizer = Binarizer((0.33, 0.66), space=ol.Space([color], columns=conditions))
    tree = check(make_pipeline(binarizer, tree_model()), bits, [0, 1, 1] * 20)
    assert tree.features == ("color",)


class Speaking(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer of somebody else that says what its columns mean."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> Speaking:
        self.n_features_in_ = X.shape[1]
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array(X.columns)
        color = ol.Feature("color", "categorical", categories=("a", "b"), other=True, nan=True)
        self.space_ = ol.Space(
            [ol.Feature("n", values="integer"), color, ol.Feature("flag", "boolean")],
            columns={
                "n": "n",
                "few": ol.Condition("n", at_most=3.0),
                "is b": ol.Condition("color", among=("b",)),
                "unset": ol.Condition("flag", among=(False,)),
            },
        )
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        X = pd.DataFrame(np.asarray(X), columns=["n", "color", "flag"])
        n, color, flag = X["n"].astype(float), X["color"], X["flag"].astype(float)
        return np.column_stack([n, n <= 3, color == "b", flag == 0]).astype(float)


@pytest.mark.parametrize("nan", ["unknown", "value"])
def test_transformers_with_a_space(nan: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({
        "n": rng.integers(0, 8, 80), "color": rng.choice(["a", "b", "c"], 80),
        "flag": rng.random(80) < 0.5,
    })  # fmt: skip
    y = (X["n"] > 3) ^ (X["color"] == "b") ^ X["flag"]
    tree = check(make_pipeline(Speaking(), tree_model()), X, y, nan=nan)
    assert tree.space["n"].values == "integer"
    assert tree.space["color"].other
    assert tree.space["color"].nan == (nan == "value")
    assert tree.space["flag"].kind == "boolean"
    X.loc[::3, "color"] = None
    model = make_pipeline(Speaking(), tree_model()).fit(X, y)
    if nan == "value":
        ours = ol.read(model, nan=nan).predict(X)
        assert as_list(ours) == model.predict(X).tolist()
    with pytest.raises(UnreadableModel, match="which are not the 1 columns that go in"):
        ol.read(tree_model().fit(np.zeros((3, 4)), [0, 1, 0]),
                     preprocessing=Speaking().fit(X[["n"]].to_numpy()))  # fmt: skip


@given(st.data())
@settings(max_examples=30)
def test_random_pipelines(data: Any) -> None:
    """Any mix of what is known, on a random table: same answers at every boundary."""
    seed = data.draw(st.integers(0, 10**6))
    X, y = table(seed, n=60)
    X = X.drop(columns=NUMBERS[2])
    scaler = st.sampled_from(["standard", "range", "clip", "robust", "max abs", "impute"])
    last = st.sampled_from(["one-hot bins", "bins", "sparse bins", "quantiles", "identity",
                            "variance", "standard", "guessed"])  # fmt: skip
    kept = [NUMBERS[0], NUMBERS[1], NUMBERS[3]]
    chain = make_pipeline(SCALERS[data.draw(scaler)], SCALERS[data.draw(last)])
    # Encoders that take rows at the boundaries of numbers, and make no NaN of them.
    labels = st.sampled_from(["ignore", "rare or new", "few", "ordinal new", "ordinal rare"])
    bits = st.sampled_from(["one-hot", "dense", "drop first", "drop binary", "ordinal", "ignore"])
    prepare = ColumnTransformer(
        [
            ("n", chain, kept[: data.draw(st.integers(1, 3))]),
            ("l", ENCODERS[data.draw(labels)], ["color", "grade"]),
            ("m", ENCODERS[data.draw(bits)], ["smoker"]),
            ("o", SCALERS[data.draw(scaler)], ["grade"]),
        ],
        remainder=data.draw(st.sampled_from(["drop", "passthrough"])),
        sparse_threshold=data.draw(st.sampled_from([0.0, 0.3, 1.0])),
    )
    check(make_pipeline(prepare, tree_model(data.draw(st.integers(1, 8)))), X, y)
