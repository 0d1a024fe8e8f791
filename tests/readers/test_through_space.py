"""What a user says of the source table, and what cannot be read through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from through import (
    COLORS,
    NUMBERS,
    as_list,
    check,
    table,
    tree_model,
)

import orderless as ol
from orderless.errors import InvalidSpace, UnreadableModel
from tests.readers.test_through_labels import ENCODERS
from tests.readers.test_through_mixtures import mixed


def test_a_declared_space() -> None:
    X, y = table(15)
    space = ol.Space({
        "smoker": "boolean", "age": "float32", **dict.fromkeys(NUMBERS[1:], "numeric"),
        "color": list(COLORS), "grade": "integer",
    })  # fmt: skip
    prepare = ColumnTransformer(
        [
            ("scale", StandardScaler(), [*NUMBERS, "grade"]),
            ("encode", OneHotEncoder(), ["color", "smoker"]),
            ("order", ENCODERS["ordinal new"], ["grade"]),
        ]
    )
    tree = check(make_pipeline(prepare, tree_model()), X, y, space=space)
    assert tree.space == space
    at = tree.nodes.feature == space.index("grade")
    assert all(t == int(t) for t in tree.nodes.threshold[at])


def test_a_declared_space_of_conditions_and_one_hot_groups() -> None:
    rng = np.random.default_rng(1)
    color = rng.integers(0, 3, 90)
    X = pd.DataFrame({
        "young": rng.random(90) < 0.5, "is red": color == 0, "is blue": color == 1,
        "wet": rng.random(90) < 0.5,
    }).astype(float)  # fmt: skip
    y = (X["young"] == 1) & (color != 1) | (X["wet"] == 1)
    space = ol.Space(
        [
            ol.Feature("age"),
            ol.Feature("color", "categorical", categories=("red", "blue"), other=True),
            ol.Feature("wet", "boolean"),
        ],
        columns={
            "young": ol.Condition("age", at_most=30.0),
            "is red": ol.Condition("color", among=("red",)),
            "is blue": ol.Condition("color", among=("blue",)),
            "wet": ol.Condition("wet", among=(True,)),
        },
    )
    for prepare in (StandardScaler(), OneHotEncoder(), OneHotEncoder(handle_unknown="ignore"),
                    OrdinalEncoder(),
                    make_pipeline(MinMaxScaler((2, 3)), ol.Binarizer((0.33, 0.66))),
                    OneHotEncoder(drop="first")):  # fmt: skip
        tree = check(make_pipeline(prepare, tree_model()), X, y, space=space)
        assert set(tree.features) <= {"age", "color", "wet"}
        assert tree.nodes.threshold[tree.nodes.feature == 0].tolist() in ([], [30.0], [30.0, 30.0])


def test_a_declared_space_with_missing_values() -> None:
    X, y = table(16)
    X.loc[::4, "age"] = np.nan
    X.loc[::5, "color"] = None
    X = X[["age", "color"]]
    prepare = ColumnTransformer([
        ("a", StandardScaler(), ["age"]),
        ("c", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["color"]),
    ])  # fmt: skip
    model = make_pipeline(prepare, tree_model()).fit(X, y)
    color = ol.Feature("color", "categorical", categories=COLORS, nan=True)
    tree = ol.read(model, space=ol.Space([ol.Feature("age", nan=True), color]))
    assert as_list(tree.predict(X)) == model.predict(X).tolist()
    bins = make_pipeline(KBinsDiscretizer(3, encode="ordinal", strategy="uniform"), tree_model())
    bins.fit(X[["age"]].fillna(0.0), y)
    with pytest.raises(UnreadableModel, match=r"KBinsDiscretizer.*does not take missing values"):
        ol.read(bins, space=ol.Space([ol.Feature("age", nan=True)]))


@pytest.mark.parametrize(
    ("encoder", "spec", "match"),
    [
        (OneHotEncoder(), ["red", "green", "pink"], r"does not take the value 'pink', only"),
        (OneHotEncoder(), ol.Feature("c", "categorical", categories=COLORS, other=True),
         "does not take any other value"),
        (OneHotEncoder(handle_unknown="ignore"),
         ol.Feature("c", "categorical", categories=("red",), other=True), "label '.*' *list it"),
        (OneHotEncoder(), "numeric", "takes labels that are text, and this column holds numbers"),
        (OneHotEncoder(), "boolean", "takes labels that are text"),
    ],
)  # fmt: skip
def test_a_declared_space_that_does_not_fit(encoder: Any, spec: Any, match: str) -> None:
    X, y = table(17)
    model = make_pipeline(encoder, tree_model()).fit(X[["color"]], y)
    match = match.replace("' *list", "', .*list")
    with pytest.raises(UnreadableModel, match=match):
        ol.read(model, space=ol.Space({"color": spec}))


def test_declared_categories_may_be_fewer() -> None:
    X, y = table(18)
    model = make_pipeline(OneHotEncoder(), tree_model()).fit(X[["color"]], y)
    tree = ol.read(model, space=ol.Space({"color": ["green", "red"]}))
    rows = X.loc[X["color"].isin(["green", "red"]), ["color"]]
    assert as_list(tree.predict(rows)) == model.predict(rows).tolist()
    text = make_pipeline(OneHotEncoder(), tree_model()).fit(X[["grade"]], y)
    with pytest.raises(UnreadableModel, match=r"takes numbers|does not take the value '1'"):
        ol.read(text, space=ol.Space({"grade": ["1", "2"]}))


def test_categories_that_are_scaled() -> None:
    X, y = table(19)
    model = make_pipeline(StandardScaler(), tree_model()).fit(X[["grade"]], y)
    tree = ol.read(model, space=ol.Space({"grade": [1, 2, 3, 4, 5]}))
    assert as_list(tree.predict(X[["grade"]])) == model.predict(X[["grade"]]).tolist()
    with pytest.raises(UnreadableModel, match=r"StandardScaler\) takes numbers, and .* 'many'"):
        ol.read(model, space=ol.Space({"grade": [1, "many"]}))


class Doubling(StandardScaler):  # type: ignore[misc]
    """A subclass that transforms in its own way."""

    def transform(self, X: Any, copy: Any = None) -> Any:
        return super().transform(X) * 2


@pytest.mark.parametrize(
    ("transformer", "match"),
    [
        (
            PCA(2),
            r"cannot undo 'prepare' > 'odd' \(PCA\).*Known transf.*Leave the step out",
        ),
        (PolynomialFeatures(2), r"'odd' \(PolynomialFeatures\)"),
        (FunctionTransformer(np.log1p), r"'odd' \(FunctionTransformer\).*function.*rename"),
        (FunctionTransformer(pd.DataFrame.rename, kw_args={"index": {0: 1}}), "its function"),
        (FunctionTransformer(lambda X: X), "its function"),
        (KNNImputer(), r"\(KNNImputer\)"),
        (Doubling(), r"'odd' \(Doubling\)"),
    ],
)
def test_what_cannot_be_undone_is_named(transformer: Any, match: str) -> None:
    X, y = table()
    X[NUMBERS] = X[NUMBERS].abs()
    prepare = ColumnTransformer([("odd", transformer, NUMBERS)])
    model = Pipeline([("prepare", prepare), ("tree", tree_model())]).fit(X, y)
    with pytest.raises(UnreadableModel, match=match):
        ol.read(model)


def test_what_is_not_fitted_is_named() -> None:
    X, y = table()
    model = tree_model().fit(X[NUMBERS], y)
    names = {"feature_names": NUMBERS}
    for through in (StandardScaler(), mixed(), OneHotEncoder(), ol.Binarizer((0.33, 0.66))):
        match = f"the {type(through).__name__} is not fitted"
        with pytest.raises(UnreadableModel, match=match):
            ol.read(model, preprocessing=through, **names)
    with pytest.raises(UnreadableModel, match=r"'scale' \(StandardScaler\) is not fitted"):
        ol.read(Pipeline([("scale", StandardScaler()), ("tree", model)]), **names)
    for nothing in (StandardScaler, 7, "dropp", tree_model()):
        with pytest.raises(UnreadableModel, match="is not a fitted transformer"):
            ol.read(model, preprocessing=nothing, **names)
    for silent in (Binarizer(), make_pipeline("passthrough")):
        with pytest.raises(
            UnreadableModel, match="does not say how many columns went in; is it fitted"
        ):
            ol.read(model, preprocessing=silent)
        assert ol.read(model, preprocessing=silent, **names).space.names == tuple(NUMBERS)


def test_names_and_counts_that_do_not_fit() -> None:
    X, y = table()
    X = X[NUMBERS]
    model = make_pipeline(StandardScaler(), tree_model()).fit(X, y)
    plain = make_pipeline(StandardScaler(), tree_model()).fit(X.to_numpy(), y)
    with pytest.raises(InvalidSpace, match=r"feature_names has 2 columns.*fitted on 4"):
        ol.read(plain, feature_names=["a", "b"])
    with pytest.raises(InvalidSpace, match=r"the space has 1 columns.*fitted on 4"):
        ol.read(plain, space=ol.Space({"a": "numeric"}))
    with pytest.raises(InvalidSpace, match="leave feature_names out, or make them equal"):
        ol.read(model, feature_names=list("abcd"))
    with pytest.raises(InvalidSpace, match="they differ in"):
        ol.read(model, space=ol.Space.numeric(list("abcd")))
    assert ol.read(model, feature_names=NUMBERS) == ol.read(model)
    assert ol.read(plain, feature_names=list("abcd")).space.names == tuple("abcd")
    wrong = StandardScaler().fit(X.iloc[:, :2])
    with pytest.raises(UnreadableModel, match="fitted on 4 columns and 2 are described"):
        ol.read(model[-1], preprocessing=wrong)
    with pytest.raises(UnreadableModel, match=r"'then'.*was fitted on 4 columns and gets 2"):
        ol.read(model, preprocessing=wrong)
