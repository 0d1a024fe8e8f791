"""Trees read through transformers say what the whole pipeline says, on the source features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.binarize import QuantileBinarizer, ThresholdGuessBinarizer
from orderless.errors import InvalidSpace, UnreadableModel
from orderless.readers.binary import Flat, over_bits
from orderless.readers.bulk import Builder
from orderless.readers.source import SourceColumn, SourceTree, build
from orderless.readers.steps import Steps, unfold
from orderless.readers.through import columns_through

NUMBERS = ["age", "blood pressure (mm)", 'it\'s "quoted"', "größe"]
COLORS = ("red", "green", "blue", 'it\'s "x"', "größer ☃")


def table(seed: int = 0, n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, text, whole numbers and truth values, and three classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal([40, 120, 0.1, 1e-3], [15, 20, 3, 1e-3], (n, 4)), columns=NUMBERS)
    X["color"] = rng.choice(COLORS, n, p=[0.4, 0.3, 0.2, 0.07, 0.03])
    X["grade"] = rng.integers(1, 6, n)
    X["smoker"] = rng.random(n) < 0.4
    score = (
        (X["age"] > 40) * 1.0 + (X["color"].isin(["red", "blue"])) + (X["größe"] > 1e-3)
        + X["smoker"] + (X["grade"] == 3) + (X["blood pressure (mm)"].between(110, 130))
    )  # fmt: skip
    y = np.array(["low", "mid", "high"])[np.clip(score.to_numpy().astype(int) - 1, 0, 2)]
    flip = rng.random(n) < 0.1
    y[flip] = rng.choice(["low", "mid", "high"], flip.sum())
    return X, y


def tree_model(depth: int | None = None) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def numbers_near(tree: ol.Tree, i: int) -> list[float]:
    """Every boundary of a feature, and its neighbours among float64 and float32."""
    out: list[float] = []
    for t in tree.threshold[tree.feature == i].tolist():
        if not np.isfinite(t):
            continue
        near = np.float32(t)
        out += [t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf), float(near)]
        out += [float(np.nextafter(near, np.float32(s * np.inf))) for s in (-1, 1)]
    return out


def rows_at_edges(tree: ol.Tree, X: pd.DataFrame, seed: int = 0, n: int = 3) -> pd.DataFrame:
    """Rows of X in which one feature is put at, or beside, a boundary; and other labels."""
    rng = np.random.default_rng(seed)
    parts = [X]
    for i in tree.used:
        feature = tree.space.features[i]
        if feature.name not in X.columns:
            continue
        values: list[Any] = numbers_near(tree, i)
        if feature.kind == "categorical":
            values = list(feature.categories)
            if feature.other:
                text = isinstance(values[0], str)
                values += ["never seen", ""] if text else [97, -5]
        elif feature.kind == "boolean":
            values = [False, True]
        elif feature.values == "integer":
            values = sorted({float(np.floor(v)) + k for v in values for k in (0, 1)})
        part = X.iloc[rng.integers(0, len(X), n * len(values))].copy()
        part[feature.name] = values * n
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def as_list(predictions: Any) -> list[Any]:
    return [None if p is pd.NA or p is np.ma.masked else p for p in list(predictions)]


def check(
    pipeline: Pipeline, X: pd.DataFrame, y: Any, edges: bool = True, **options: Any
) -> ol.Tree:
    """Fit, read, and compare on all rows that matter."""
    pipeline = Pipeline([(name, step if step in (None, "passthrough") else clone(step))
                         for name, step in pipeline.steps]).fit(X, y)  # fmt: skip
    tree = ol.read_tree(pipeline, **options)
    rows = rows_at_edges(tree, X) if edges else X
    ours = as_list(tree.predict(rows))
    theirs = pipeline.predict(rows).tolist()
    bad = [k for k, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
    assert not bad, (len(bad), rows.iloc[bad[0]].to_dict(), ours[bad[0]], theirs[bad[0]], str(tree))
    assert tree.n_leaves > 1 or pipeline[-1].get_n_leaves() == 1
    assert ol.Tree.from_json(tree.to_json()) == tree
    return tree


# -- numbers ---------------------------------------------------------------------------------------

SCALERS = {
    "standard": StandardScaler(),
    "only mean": StandardScaler(with_std=False),
    "only std": StandardScaler(with_mean=False),
    "neither": StandardScaler(with_mean=False, with_std=False),
    "min max": MinMaxScaler(),
    "range": MinMaxScaler(feature_range=(-3, 0.1)),
    "clip": MinMaxScaler(feature_range=(0.2, 0.3), clip=True),
    "max abs": MaxAbsScaler(),
    "robust": RobustScaler(),
    "robust center": RobustScaler(with_scaling=False),
    "robust scale": RobustScaler(with_centering=False, unit_variance=True),
    "bins": KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"),
    "bins float32": KBinsDiscretizer(5, encode="ordinal", strategy="uniform", dtype=np.float32),
    "one-hot bins": KBinsDiscretizer(5, encode="onehot-dense", strategy="uniform"),
    "sparse bins": KBinsDiscretizer(4, encode="onehot", strategy="kmeans"),
    "binarizer": Binarizer(threshold=0.1),
    "impute": SimpleImputer(),
    "identity": FunctionTransformer(),
    "validated": FunctionTransformer(validate=True),
    "rename": FunctionTransformer(pd.DataFrame.rename, kw_args={"columns": {"age": "AGE"}}),
    "prefix": FunctionTransformer(pd.DataFrame.add_prefix, kw_args={"prefix": "my "}),
    "set names": FunctionTransformer(
        pd.DataFrame.set_axis, kw_args={"labels": list("abcd"), "axis": 1}
    ),
    "variance": VarianceThreshold(1e-4),
    "best": SelectKBest(k=3),
    "quantiles": QuantileBinarizer(),
    "guessed": ThresholdGuessBinarizer(),
}


@pytest.mark.parametrize("name", SCALERS)
def test_one_transformer_of_numbers(name: str) -> None:
    X, y = table()
    pipeline = Pipeline([("before", SCALERS[name]), ("tree", tree_model())])
    tree = check(pipeline, X[NUMBERS], y)
    assert tree.space.names == tuple(NUMBERS)
    assert {feature.values for feature in tree.space.features} == {"float64"}


@pytest.mark.parametrize("first", ["standard", "min max", "clip", "robust", "max abs", "bins"])
@pytest.mark.parametrize(
    "second", ["standard", "range", "only std", "one-hot bins", "quantiles", "binarizer", "best"]
)
def test_two_transformers_of_numbers(first: str, second: str) -> None:
    X, y = table(1)
    check(make_pipeline(SCALERS[first], SCALERS[second], tree_model(6)), X[NUMBERS], y)


def test_float32_between_two_steps_is_computed_in_float32() -> None:
    X, y = table(2)
    bins = KBinsDiscretizer(40, encode="ordinal", strategy="uniform", dtype=np.float32)
    for scaler in (StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler()):
        check(make_pipeline(bins, scaler, Binarizer(threshold=0.3), tree_model()), X[NUMBERS], y)
        check(make_pipeline(bins, scaler, tree_model()), X[NUMBERS], y)


def test_sparse_tables_are_scaled_by_the_inverse() -> None:
    X, y = table(3)
    bins = KBinsDiscretizer(12, encode="onehot", strategy="uniform")
    parts = ColumnTransformer(
        [("bins", bins, NUMBERS[1:]), ("as is", "passthrough", ["age"])], sparse_threshold=1.0
    )
    for scaler in (StandardScaler(with_mean=False), MaxAbsScaler(),
                   RobustScaler(with_centering=False)):  # fmt: skip
        check(make_pipeline(parts, scaler, Binarizer(threshold=0.9), tree_model()), X[NUMBERS], y)
        assert parts.fit(X[NUMBERS]).sparse_output_


BITWISE = [n for n, t in SCALERS.items() if not isinstance(t, FunctionTransformer | SelectKBest)]
SPARSE = ["standard", "neither", "max abs", "robust", "robust scale", "binarizer", "variance"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in BITWISE for kind in ("float64", "float32")),
        *((name, "sparse") for name in SPARSE),
    ],
)
def test_columns_are_what_transform_gives_bit_by_bit(name: str, kind: str) -> None:
    """Beyond the trees: the numbers themselves, also far outside of the training rows."""
    X, y = table(23)
    first: Any = "passthrough"
    rows = np.vstack([X[NUMBERS].to_numpy() * factor for factor in (-7.0, 0.0, 0.3, 1.0, 1e5)])
    if kind == "float32":
        first = KBinsDiscretizer(50, encode="ordinal", strategy="uniform", dtype=np.float32)
    if kind == "sparse":
        bins = KBinsDiscretizer(3, encode="onehot", strategy="uniform")
        first = ColumnTransformer(
            [("x", "passthrough", [0, 1, 2, 3]), ("b", bins, [0])], sparse_threshold=1.0
        )
    last = clone(SCALERS[name])
    if kind == "sparse":
        centred = {"with_mean": False, "with_centering": False}
        last.set_params(**{k: v for k, v in centred.items() if k in last.get_params()})
    both = make_pipeline(first, last).fit(X[NUMBERS].to_numpy(), y)
    columns, space = columns_through(both, None, NUMBERS, "unknown")
    assert space.names == tuple(NUMBERS)
    out = both.transform(rows)
    out = out.toarray() if hasattr(out, "toarray") else out
    assert len(columns) == out.shape[1]
    for column, theirs in zip(columns, out.T.astype(np.float64), strict=True):
        assert column.feature is not None
        ours = rows[:, column.feature]
        if column.function is not None:
            ours = column.function(ours)
        if column.steps is not None:
            ours = np.array(column.steps.levels)[np.searchsorted(column.steps.cuts, ours)]
        assert np.array_equal(ours, theirs)


@given(
    st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=4, max_size=12, unique=True),
    st.sampled_from(["standard", "min max", "range", "robust", "max abs", "only std"]),
)
@settings(max_examples=60)
def test_boundaries_are_exact_to_the_last_bit(values: list[float], name: str) -> None:
    """The boundary goes left, the next float goes right, in the pipeline itself."""
    X = np.array(values)[:, None]
    model = make_pipeline(SCALERS[name], DecisionTreeClassifier(random_state=0))
    model.fit(X, np.arange(len(values)) % 2)
    tree = ol.read_tree(model)
    near = np.array(numbers_near(tree, 0) + values)[:, None]
    assert tree.predict(near).tolist() == model.predict(near).tolist()
    for node in np.flatnonzero(tree.feature == 0):
        t = tree.threshold[node]
        pair = np.array([[t], [np.nextafter(t, np.inf)]])
        leaves = model[-1].apply(model[:-1].transform(pair))
        assert leaves[0] != leaves[1]


def test_conditions_come_out_in_the_units_of_the_feature() -> None:
    X = pd.DataFrame({"age": [10.0, 20.0, 30.0, 40.0]})
    tree = check(make_pipeline(StandardScaler(), tree_model()), X, [0, 0, 1, 1])
    assert abs(tree.threshold[0] - 25) < 1e-5
    bins = KBinsDiscretizer([4], encode="onehot-dense", strategy="uniform")
    tree = check(make_pipeline(bins, tree_model()), X, [0, 1, 0, 0])
    below = np.nextafter([17.5, 25.0], -np.inf)
    assert sorted(tree.threshold[tree.feature == 0].tolist()) == below.tolist()


def test_a_bin_in_the_middle_is_two_thresholds_and_its_outside_is_there_twice() -> None:
    X, y = table(4)
    bins = KBinsDiscretizer(6, encode="onehot-dense", strategy="uniform")
    model = make_pipeline(bins, tree_model()).fit(X[NUMBERS], y)
    tree = check(model, X[NUMBERS], y)
    assert tree.n_leaves > model[-1].get_n_leaves()
    assert tree.distribution is not None
    leaves = tree.distribution[tree.feature < 0]
    assert np.allclose(leaves.sum(axis=1), 1)  # shares: how rows spread over copies is not known


def test_many_trees_through_bins() -> None:
    """Reading many trees at once knows that a bin is more than one threshold."""
    X = pd.DataFrame({"a": np.arange(12.0), "b": np.arange(12.0)[::-1]})
    bins = KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform").fit(X)
    trees = [
        {"feature": j, "true": {"prediction": 1}, "false": {"prediction": 0}} for j in range(8)
    ]
    read = ol.read_trees(trees, through=bins)
    bits = bins.transform(X)
    classes = (0, 1)
    flats = [Flat((j, -1, -1), (1, 0, 0), (2, 0, 0), (0, 0, 1)) for j in range(8)]
    builder = Builder(*columns_through(bins, None, None, "unknown"))
    built = builder.build_all(over_bits(flat, classes, 8) for flat in flats)
    for j, (tree, again) in enumerate(zip(read, built, strict=True)):
        assert tree.predict(X).tolist() == bits[:, j].astype(int).tolist()
        assert ol.equivalent(again, tree)


def stump(nan_true: bool) -> SourceTree:
    """Is the column at most one half? Then 0, else 1."""
    return SourceTree(
        classes=[0, 1],
        column=np.array([0, -1, -1]),
        threshold=np.array([0.5, 0.0, 0.0]),
        when_true=np.array([1, -1, -1]),
        when_false=np.array([2, -1, -1]),
        leaf_class=np.array([-1, 0, 1]),
        n_columns=1,
        nan_true=np.array([nan_true, False, False]),
    )


@pytest.mark.parametrize("nan_true", [False, True])
def test_constant_columns_and_missing_values(nan_true: bool) -> None:
    """Whatever feature a constant column is put on: missing values of it go the same way."""
    space = ol.Space([ol.Feature("a", nan=True)])
    for constant in (0.0, 1.0):
        tree = build(stump(nan_true), [SourceColumn(None, constant=constant)], space)
        assert tree.predict([[np.nan], [3.0]]).tolist() == [constant, constant]


@pytest.mark.parametrize("nan_true", [False, True])
@pytest.mark.parametrize("at_missing", [0.0, 1.0, np.nan, None])
def test_numbers_that_become_missing(nan_true: bool, at_missing: float | None) -> None:
    """A piece on which the column is NaN goes where the model sends NaN."""
    steps = Steps((0.0, 1.0, 2.0, 3.0), (0.0, np.nan, 1.0, np.nan, 0.0))
    column = SourceColumn(0, steps=steps, at_missing=at_missing)
    gone = 0 if nan_true else 1
    rows = [[-1.0], [0.0], [0.5], [1.0], [1.5], [2.0], [2.5], [3.0], [3.5]]
    expected = [0, 0, gone, gone, 1, 1, gone, gone, 0]
    tree = build(stump(nan_true), [column], ol.Space.numeric(["a"]))
    assert tree.predict(rows).tolist() == expected
    tree = build(stump(nan_true), [column], ol.Space([ol.Feature("a", nan=True)]))
    unset = at_missing is None or np.isnan(at_missing)
    assert tree.predict([*rows, [np.nan]]).tolist() == [*expected, gone if unset else at_missing]


def test_too_many_copies_are_refused() -> None:
    column = SourceColumn(0, steps=Steps((0.0, 1.0), (0.0, 1.0, 0.0)))
    n = 12
    columns = [SourceColumn(i, steps=column.steps) for i in range(n)]
    # A path of "not in the bin" over many features: two copies of the rest each time.
    source = SourceTree(
        classes=[0, 1],
        column=np.array([*range(n), *[-1] * (n + 1)]),
        threshold=np.full(2 * n + 1, 0.5),
        when_true=np.array([*range(1, n + 1), *[-1] * (n + 1)]),
        when_false=np.array([*range(n + 1, 2 * n + 1), *[-1] * (n + 1)]),
        leaf_class=np.array([-1] * n + [1] + [0] * n),
        n_columns=n,
    )
    space = ol.Space.numeric([f"x{i}" for i in range(n)])
    tree = build(source, columns, space)
    assert tree.n_leaves > 2**n
    spans = {i: ([0.0, 1.0], [True, False, True]) for i in range(n)}
    nodes = {
        "feature": source.column, "threshold": source.threshold, "when_true": source.when_true,
        "when_false": source.when_false, "leaf_class": source.leaf_class,
        "nan_true": np.zeros(2 * n + 1, dtype=bool),
    }  # fmt: skip
    with pytest.raises(UnreadableModel, match=r"more than 1000 nodes.*encode='ordinal'"):
        unfold(space, nodes, {}, None, spans, limit=1000)


# -- labels ----------------------------------------------------------------------------------------

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
    assert all(t == int(t) for t in tree.threshold[tree.feature == 0])


def test_text_used_as_number_is_refused() -> None:
    X = pd.DataFrame({"a": ["1", "2", "3", "1"]}, dtype=object)
    both = FeatureUnion([("as label", OrdinalEncoder()), ("as number", "passthrough")])
    parts = ColumnTransformer(
        [("label", OrdinalEncoder(), ["a"]), ("number", "passthrough", ["a"])]
    )
    for prepare in (both, parts):
        model = make_pipeline(prepare, tree_model()).fit(X, [0, 1, 0, 1])
        with pytest.raises(UnreadableModel, match=r"'a' is used as a category.*'1'.*the model its"):
            ol.read_tree(model)


def test_labels_that_are_no_labels_are_refused() -> None:
    X = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])})
    model = make_pipeline(OneHotEncoder(), tree_model()).fit(X, [0, 1, 0])
    with pytest.raises(UnreadableModel, match=r"OneHotEncoder.*as a label: legal are"):
        ol.read_tree(model)


# -- mixtures --------------------------------------------------------------------------------------


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
    by_position = ol.read_tree(fitted, feature_names=list(X.columns))
    assert by_position.space == tree.space
    assert by_position.predict(rows).tolist() == fitted.predict(rows).tolist()
    assert ol.read_tree(fitted).space.names == tuple(f"x{i}" for i in range(7))


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
    tree = ol.read_tree(model, through=first)
    whole = make_pipeline(first, *[step for _, step in model.steps])
    rows = rows_at_edges(tree, X[NUMBERS])
    assert as_list(tree.predict(rows)) == whole.predict(rows).tolist()


def test_our_binarizers_anywhere() -> None:
    X, y = table(13)
    for binarizer in (QuantileBinarizer(quantiles=(0.1, 0.5, 0.9)), ThresholdGuessBinarizer()):
        prepare = ColumnTransformer(
            [("cut", binarizer, NUMBERS[1:]), ("labels", OneHotEncoder(), ["color"])]
        )
        check(make_pipeline(prepare, tree_model()), X, y)
        check(make_pipeline(StandardScaler(), binarizer, StandardScaler(), tree_model()),
              X[NUMBERS], y)  # fmt: skip
        check(make_pipeline(OrdinalEncoder(), binarizer, tree_model()), X[["color", "grade"]], y)
        fitted = binarizer.fit(X[NUMBERS], y)
        model = tree_model().fit(fitted.transform(X[NUMBERS]), y)
        through = ol.read_tree(model, through=fitted)
        assert through.space.features == fitted.space_.features
        assert ol.equivalent(through, ol.read_tree(model, space=fitted.space_))


def test_what_a_binarizer_was_told_of_the_features_is_kept() -> None:
    X, y = table(14)
    X = X[["age", "grade", "smoker"]].astype(float).round()
    told = ol.Space({"age": "float32", "grade": "integer", "smoker": "boolean", "more": "numeric"})
    binarizer = QuantileBinarizer(quantiles=(0.2, 0.5, 0.8), space=told)
    tree = check(make_pipeline(binarizer, tree_model()), X, y)
    assert tree.space.names == ("age", "grade", "smoker")
    assert tree.space["grade"].values == "integer"
    assert tree.space["smoker"].kind == "boolean"
    told = ol.Space({"grade": "integer", "age": "float32"})
    binarizer = QuantileBinarizer(quantiles=(0.2, 0.5, 0.8), space=told)
    parts = ColumnTransformer([("cut", binarizer, ["grade", "age"])], remainder="passthrough")
    tree = check(make_pipeline(parts, tree_model()), X, y)
    assert tree.space["grade"].values == "integer"
    assert tree.space["age"].values == "float32"
    # One-hot columns that the binarizer was told are one feature.
    bits = pd.get_dummies(pd.Series(["a", "b", "c"] * 20), dtype=float)
    color = ol.Feature("color", "categorical", categories=("a", "b", "c"))
    conditions = {name: ol.Condition("color", among=(name,)) for name in bits}
    binarizer = QuantileBinarizer(space=ol.Space([color], columns=conditions))
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
        ours = ol.read_tree(model, nan=nan).predict(X)
        assert as_list(ours) == model.predict(X).tolist()
    with pytest.raises(UnreadableModel, match="which are not the 1 columns that go in"):
        ol.read_tree(tree_model().fit(np.zeros((3, 4)), [0, 1, 0]),
                     through=Speaking().fit(X[["n"]].to_numpy()))  # fmt: skip


# -- what the user says of the source table --------------------------------------------------------


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
    at = tree.feature == space.index("grade")
    assert all(t == int(t) for t in tree.threshold[at])


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
                    OrdinalEncoder(), make_pipeline(MinMaxScaler((2, 3)), QuantileBinarizer()),
                    OneHotEncoder(drop="first")):  # fmt: skip
        tree = check(make_pipeline(prepare, tree_model()), X, y, space=space)
        assert set(tree.features) <= {"age", "color", "wet"}
        assert tree.threshold[tree.feature == 0].tolist() in ([], [30.0], [30.0, 30.0])


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
    tree = ol.read_tree(model, space=ol.Space([ol.Feature("age", nan=True), color]))
    assert as_list(tree.predict(X)) == model.predict(X).tolist()
    bins = make_pipeline(KBinsDiscretizer(3, encode="ordinal", strategy="uniform"), tree_model())
    bins.fit(X[["age"]].fillna(0.0), y)
    with pytest.raises(UnreadableModel, match=r"KBinsDiscretizer.*does not take missing values"):
        ol.read_tree(bins, space=ol.Space([ol.Feature("age", nan=True)]))


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
        ol.read_tree(model, space=ol.Space({"color": spec}))


def test_declared_categories_may_be_fewer() -> None:
    X, y = table(18)
    model = make_pipeline(OneHotEncoder(), tree_model()).fit(X[["color"]], y)
    tree = ol.read_tree(model, space=ol.Space({"color": ["green", "red"]}))
    rows = X.loc[X["color"].isin(["green", "red"]), ["color"]]
    assert as_list(tree.predict(rows)) == model.predict(rows).tolist()
    text = make_pipeline(OneHotEncoder(), tree_model()).fit(X[["grade"]], y)
    with pytest.raises(UnreadableModel, match=r"takes numbers|does not take the value '1'"):
        ol.read_tree(text, space=ol.Space({"grade": ["1", "2"]}))


def test_categories_that_are_scaled() -> None:
    X, y = table(19)
    model = make_pipeline(StandardScaler(), tree_model()).fit(X[["grade"]], y)
    tree = ol.read_tree(model, space=ol.Space({"grade": [1, 2, 3, 4, 5]}))
    assert as_list(tree.predict(X[["grade"]])) == model.predict(X[["grade"]]).tolist()
    with pytest.raises(UnreadableModel, match=r"StandardScaler\) takes numbers, and .* 'many'"):
        ol.read_tree(model, space=ol.Space({"grade": [1, "many"]}))


# -- missing values --------------------------------------------------------------------------------


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
    "cuts": make_pipeline(SimpleImputer(), QuantileBinarizer()),
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
    tree = ol.read_tree(model, nan="value")
    rows = rows_at_edges(tree, X.dropna())
    mixture = pd.concat([X, rows.sample(frac=0.5, random_state=0)], ignore_index=True)
    mixture.loc[::3, "age"] = np.nan
    for frame in (X, rows, mixture):
        assert as_list(tree.predict(frame)) == model.predict(frame).tolist()
    # As an unknown: complete rows are the same, others are never wrong for any completion.
    unknown = ol.read_tree(model, nan="unknown")
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
    tree = ol.read_tree(make_pipeline(prepare, tree_model()).fit(full, y), nan="value")
    assert tree.space["age"].nan
    assert not tree.space["color"].nan  # this encoder raises: it has seen none
    for refusing in (QuantileBinarizer(), Binarizer(threshold=100), SelectKBest(k=1),
                     FunctionTransformer(validate=True),
                     KBinsDiscretizer(2, encode="ordinal", strategy="uniform")):  # fmt: skip
        model = make_pipeline(refusing, tree_model()).fit(full[["age"]], y)
        assert not ol.read_tree(model, nan="value").space["age"].nan
    # None and NaN as two labels: rows do not tell them apart, so missing stays unknown.
    two = np.array([["u"], [None], [np.nan], ["v"]], dtype=object)
    encoder = OneHotEncoder().fit(two)
    model = tree_model().fit(encoder.transform(two), [0, 1, 0, 1])
    assert not ol.read_tree(model, through=encoder, nan="value").space["x0"].nan


def test_numbers_that_stand_for_missing() -> None:
    X, y = table(22)
    X["grade"] = X["grade"].replace(2, -1)
    fill = SimpleImputer(missing_values=-1, strategy="most_frequent")
    check(make_pipeline(fill, OneHotEncoder(), tree_model()), X[["grade"]], y)
    check(make_pipeline(OrdinalEncoder(), fill, tree_model()), X[["grade"]], y)
    model = make_pipeline(fill, tree_model()).fit(X[["grade"]], y)
    with pytest.raises(UnreadableModel, match=r"SimpleImputer\) takes the number -1 for missing"):
        ol.read_tree(model)


def test_a_column_that_was_only_missing() -> None:
    X = pd.DataFrame({"a": [np.nan] * 4, "b": [1.0, 2.0, 3.0, 4.0]})
    with pytest.warns(UserWarning, match="Skipping features"):
        model = make_pipeline(SimpleImputer(), tree_model()).fit(X, [0, 0, 1, 1])
    tree = ol.read_tree(model)
    assert tree.features == ("b",)
    with pytest.warns(UserWarning, match="Skipping features"):
        assert model.predict(X).tolist() == as_list(tree.predict(X))
    model = make_pipeline(SimpleImputer(keep_empty_features=True), tree_model()).fit(
        X, [0, 0, 1, 1]
    )
    assert model.predict(X).tolist() == as_list(ol.read_tree(model, nan="value").predict(X))
    model = make_pipeline(OneHotEncoder(), tree_model()).fit(X[["a"]], [0, 0, 1, 1])
    with pytest.raises(UnreadableModel, match="'a' has no label"):
        ol.read_tree(model)


# -- errors ----------------------------------------------------------------------------------------


class Doubling(StandardScaler):  # type: ignore[misc]
    """A subclass that transforms in its own way."""

    def transform(self, X: Any, copy: Any = None) -> Any:
        return super().transform(X) * 2


@pytest.mark.parametrize(
    ("transformer", "match"),
    [
        (PCA(2), r"cannot undo 'prepare' > 'odd' \(PCA\).*Known are.*Leave the step out"),
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
        ol.read_tree(model)


def test_what_is_not_fitted_is_named() -> None:
    X, y = table()
    model = tree_model().fit(X[NUMBERS], y)
    names = {"feature_names": NUMBERS}
    for through in (StandardScaler(), mixed(), OneHotEncoder(), QuantileBinarizer()):
        match = f"the {type(through).__name__} is not fitted"
        with pytest.raises(UnreadableModel, match=match):
            ol.read_tree(model, through=through, **names)
    with pytest.raises(UnreadableModel, match=r"'scale' \(StandardScaler\) is not fitted"):
        ol.read_tree(Pipeline([("scale", StandardScaler()), ("tree", model)]), **names)
    for nothing in (StandardScaler, 7, "dropp", tree_model()):
        with pytest.raises(UnreadableModel, match="is not a fitted transformer"):
            ol.read_tree(model, through=nothing, **names)
    for silent in (Binarizer(), make_pipeline("passthrough")):
        with pytest.raises(
            UnreadableModel, match="does not say how many columns went in; is it fitted"
        ):
            ol.read_tree(model, through=silent)
        assert ol.read_tree(model, through=silent, **names).space.names == tuple(NUMBERS)


def test_names_and_counts_that_do_not_fit() -> None:
    X, y = table()
    X = X[NUMBERS]
    model = make_pipeline(StandardScaler(), tree_model()).fit(X, y)
    plain = make_pipeline(StandardScaler(), tree_model()).fit(X.to_numpy(), y)
    with pytest.raises(InvalidSpace, match=r"feature_names names 2 columns.*fitted on 4"):
        ol.read_tree(plain, feature_names=["a", "b"])
    with pytest.raises(InvalidSpace, match=r"the space names 1 columns.*fitted on 4"):
        ol.read_tree(plain, space=ol.Space({"a": "numeric"}))
    with pytest.raises(InvalidSpace, match="leave feature_names out, or make them equal"):
        ol.read_tree(model, feature_names=list("abcd"))
    with pytest.raises(InvalidSpace, match="they differ in"):
        ol.read_tree(model, space=ol.Space.numeric(list("abcd")))
    assert ol.read_tree(model, feature_names=NUMBERS) == ol.read_tree(model)
    assert ol.read_tree(plain, feature_names=list("abcd")).space.names == tuple("abcd")
    wrong = StandardScaler().fit(X.iloc[:, :2])
    with pytest.raises(UnreadableModel, match="fitted on 4 columns and 2 are described"):
        ol.read_tree(model[-1], through=wrong)
    with pytest.raises(UnreadableModel, match=r"'then'.*was fitted on 4 columns and gets 2"):
        ol.read_tree(model, through=wrong)


# -- random pipelines ------------------------------------------------------------------------------


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
