"""Trees read through encoders of labels say what the pipeline says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)
from through import (
    NUMBERS,
    check,
    table,
    tree_model,
)

import orderless as ol
from orderless.errors import UnreadableModel

ENCODERS = {
    "one-hot": OneHotEncoder(),
    "dense": OneHotEncoder(sparse_output=False, dtype=np.int8),
    "drop first": OneHotEncoder(drop="first"),
    "drop binary": OneHotEncoder(drop="if_binary"),
    "ignore": OneHotEncoder(handle_unknown="ignore"),
    "rare": OneHotEncoder(min_frequency=20),
    "rare or new": OneHotEncoder(min_frequency=0.1, handle_unknown="infrequent_if_exist"),
    "few": OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist", drop=None),
    "ordinal": OrdinalEncoder(),
    "ordinal new": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "ordinal nan": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
    "ordinal rare": OrdinalEncoder(
        min_frequency=20, handle_unknown="use_encoded_value", unknown_value=77, dtype=np.int64
    ),
    "target": TargetEncoder(),
}


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("columns", [["color"], ["color", "grade"], ["grade", "smoker", "color"]])
@pytest.mark.parametrize("scaled", [False, True])
def test_encoders(name: str, columns: list[str], scaled: bool) -> None:
    X, y = table(5)
    steps: list[Any] = [ENCODERS[name], tree_model()]
    if scaled:
        steps.insert(1, StandardScaler(with_mean=False))
    tree = check(make_pipeline(*steps), X[columns], y)
    for feature in tree.space.features:
        assert feature.kind == "categorical"
        assert set(feature.categories) == set(X[feature.name].tolist())
        assert feature.other == (name in ("ignore", "rare or new", "few", "ordinal new", "target",
                                          "ordinal nan", "ordinal rare"))  # fmt: skip
        assert not feature.nan


@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_unknown_labels_with_a_dropped_one() -> None:
    X, y = table(6)
    encoder = OneHotEncoder(drop=["red"], handle_unknown="infrequent_if_exist", min_frequency=8)
    check(make_pipeline(encoder, tree_model()), X[["color"]], y)
    encoder = OneHotEncoder(drop="first", handle_unknown="ignore")
    check(make_pipeline(encoder, tree_model()), X[["color", "grade"]], y)


def test_encoders_after_other_steps() -> None:
    X, y = table(7)
    bins = KBinsDiscretizer(6, encode="ordinal", strategy="uniform")
    for encoder in (OneHotEncoder(), OrdinalEncoder(), OneHotEncoder(drop="first"),
                    OneHotEncoder(handle_unknown="ignore"), TargetEncoder()):  # fmt: skip
        check(make_pipeline(StandardScaler(), bins, encoder, tree_model()), X[NUMBERS], y)
        check(make_pipeline(OrdinalEncoder(), encoder, tree_model()), X[["color", "grade"]], y)
    check(
        make_pipeline(OneHotEncoder(sparse_output=False), MinMaxScaler((1, 3)), tree_model()),
        X[["color"]],
        y,
    )


@pytest.mark.parametrize(
    "name", ["one-hot", "ignore", "ordinal", "ordinal new", "ordinal nan", "rare or new"]
)
def test_a_column_used_as_category_and_as_number(name: str) -> None:
    X, y = table(8)
    encoder = clone(ENCODERS[name])
    if isinstance(encoder, OneHotEncoder):
        encoder.set_params(sparse_output=False)
    both = FeatureUnion([("as label", encoder), ("as number", StandardScaler())])
    takes_others = name not in ("one-hot", "ordinal")
    tree = check(make_pipeline(both, tree_model()), X[["grade"]], y, edges=takes_others)
    assert tree.space["grade"].kind == "numeric"
    whole = ol.Space({"grade": "integer"})
    tree = check(
        make_pipeline(both, tree_model()), X[["grade"]], y, edges=takes_others, space=whole
    )
    assert all(t == int(t) for t in tree.nodes.threshold[tree.nodes.feature == 0])


def test_text_used_as_number_is_refused() -> None:
    X = pd.DataFrame({"a": ["1", "2", "3", "1"]}, dtype=object)
    both = FeatureUnion([("as label", OrdinalEncoder()), ("as number", "passthrough")])
    parts = ColumnTransformer(
        [("label", OrdinalEncoder(), ["a"]), ("number", "passthrough", ["a"])]
    )
    for prepare in (both, parts):
        model = make_pipeline(prepare, tree_model()).fit(X, [0, 1, 0, 1])
        with pytest.raises(UnreadableModel, match=r"'a' is used as a category.*'1'.*the model its"):
            ol.read(model)


def test_labels_that_are_no_labels_are_refused() -> None:
    X = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])})
    model = make_pipeline(OneHotEncoder(), tree_model()).fit(X, [0, 1, 0])
    with pytest.raises(UnreadableModel, match=r"OneHotEncoder.*as a label: labels must be"):
        ol.read(model)
