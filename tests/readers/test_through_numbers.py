"""Trees read through transformers of numbers say what the pipeline says, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from neighbours import neighbours
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier
from through import (
    NUMBERS,
    QUANTILES,
    check,
    numbers_near,
    table,
    tree_model,
)

import orderless as ol
from orderless.errors import UnreadableModel
from orderless.inputs import predict
from orderless.readers.bits import BitTrees, build_all, join, leaf
from orderless.readers.builder import ColumnTree, ModelBuilder, Table
from orderless.readers.preprocessing.columns import columns_through
from orderless.readers.preprocessing.conditions import over_features, unfold
from orderless.readers.preprocessing.stage import SourceColumn, Steps

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
    "bins": KBinsDiscretizer(4, encode="ordinal", **QUANTILES),
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
    "quantiles": ol.Binarizer((0.33, 0.66)),
    "guessed": ol.Binarizer(),
}


@pytest.mark.parametrize("name", SCALERS)
def test_one_transformer_of_numbers(name: str) -> None:
    X, y = table()
    pipeline = Pipeline([("before", SCALERS[name]), ("tree", tree_model())])
    tree = check(pipeline, X[NUMBERS], y)
    assert tree.space.names == tuple(NUMBERS)
    kept = {"impute", "identity", "validated", "rename", "prefix", "set names", "variance", "best"}
    own = "float32" if name in kept else "float64"  # the model rounds what comes as it is
    assert {feature.values for feature in tree.space.features if feature.name in tree.features} == {
        own
    }


@pytest.mark.parametrize(
    "values", [(44.98, 45.0), (44, 46), (1.1, 1.2), (0.1, 1e30), (16777216, 16777219)]
)
def test_what_passes_is_printed_as_without_a_pipeline(values: tuple[float, float]) -> None:
    """A threshold behind a passthrough column is the float32 one, not the row's last float64."""
    X = pd.DataFrame({"price": np.repeat(values, 4), "town": list("abab") * 2})
    y = np.repeat([0, 1], 4)
    encode = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    plain = ol.read(tree_model().fit(X[["price"]], y))
    model = make_pipeline(encode, tree_model()).fit(X, y)
    tree = ol.read(model)
    assert tree.space["price"] == plain.space["price"]
    assert str(tree) == str(plain)
    near = sorted(
        {*neighbours(plain.nodes.threshold[0]), *neighbours(plain.kernel.row_threshold[0]), *values}
    )
    rows = pd.DataFrame({"price": near, "town": "a"})
    said = tree.predict(rows).tolist()
    assert said == model.predict(rows).tolist()
    # What is printed, read as float32, draws the same boundary.
    sign, number = str(tree).splitlines()[0].removesuffix("?").split()[1:]
    cut, seen = np.float32(number), np.array(near, dtype=np.float32)
    assert ((seen < cut if sign == "<" else seen <= cut) == (np.array(said) == 0)).all()


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
    tree = ol.read(model)
    near = np.array(numbers_near(tree, 0) + values)[:, None]
    assert tree.predict(near).tolist() == model.predict(near).tolist()
    for node in np.flatnonzero(tree.nodes.feature == 0):
        t = tree.nodes.threshold[node]
        pair = np.array([[t], [np.nextafter(t, np.inf)]])
        leaves = model[-1].apply(model[:-1].transform(pair))
        assert leaves[0] != leaves[1]


def test_conditions_come_out_in_the_units_of_the_feature() -> None:
    X = pd.DataFrame({"age": [10.0, 20.0, 30.0, 40.0]})
    tree = check(make_pipeline(StandardScaler(), tree_model()), X, [0, 0, 1, 1])
    assert abs(tree.nodes.threshold[0] - 25) < 1e-5
    bins = KBinsDiscretizer([4], encode="onehot-dense", strategy="uniform")
    tree = check(make_pipeline(bins, tree_model()), X, [0, 1, 0, 0])
    below = np.nextafter([17.5, 25.0], -np.inf)
    assert sorted(tree.nodes.threshold[tree.nodes.feature == 0].tolist()) == below.tolist()


def test_a_bin_in_the_middle_is_two_thresholds_and_its_outside_is_there_twice() -> None:
    X, y = table(4)
    bins = KBinsDiscretizer(6, encode="onehot-dense", strategy="uniform")
    model = make_pipeline(bins, tree_model()).fit(X[NUMBERS], y)
    tree = check(model, X[NUMBERS], y)
    assert tree.n_leaves > model[-1].get_n_leaves()
    assert tree.distribution is not None
    leaves = tree.distribution[tree.nodes.feature < 0]
    assert np.allclose(leaves.sum(axis=1), 1)  # shares: how rows spread over copies is not known


def test_many_trees_through_bins() -> None:
    """Reading many trees at once knows that a bin is more than one threshold."""
    X = pd.DataFrame({"a": np.arange(12.0), "b": np.arange(12.0)[::-1]})
    bins = KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform").fit(X)
    trees = [
        {"feature": j, "true": {"prediction": 1}, "false": {"prediction": 0}} for j in range(8)
    ]
    read = ol.read_many(trees, preprocessing=bins)
    bits = bins.transform(X)
    flats = [join(j, leaf(0), leaf(1)) for j in range(8)]
    many = BitTrees(Table(8, binary=True), (0, 1), flats)
    built = build_all(many, *columns_through(bins, None, None, "unknown"))
    for j, (tree, again) in enumerate(zip(read, built, strict=True)):
        assert tree.predict(X).tolist() == bits[:, j].astype(int).tolist()
        assert ol.equivalent(again, tree)


def stump(nan_true: bool) -> ColumnTree:
    """Is the column at most one half? Then 0, else 1."""
    builder = ModelBuilder(Table(1, learns_nan=True))
    for node in builder.walk("root"):
        if node == "root":
            builder.numerical_test(0, "<=", 0.5, 0, 1, nan_true)
        else:
            builder.leaf(node)
    return builder.finish().trees[0]


@pytest.mark.parametrize("nan_true", [False, True])
def test_constant_columns_and_missing_values(nan_true: bool) -> None:
    """Whatever feature a constant column is put on: missing values of it go the same way."""
    space = ol.Space([ol.Feature("a", nan=True)])
    for constant in (0.0, 1.0):
        tree = over_features(stump(nan_true), [SourceColumn(None, constant=constant)], space)
        assert predict(tree, [[np.nan], [3.0]]).tolist() == [constant, constant]


@pytest.mark.parametrize("nan_true", [False, True])
@pytest.mark.parametrize("at_missing", [0.0, 1.0, np.nan, None])
def test_numbers_that_become_missing(nan_true: bool, at_missing: float | None) -> None:
    """A piece on which the column is NaN goes where the model sends NaN."""
    steps = Steps((0.0, 1.0, 2.0, 3.0), (0.0, np.nan, 1.0, np.nan, 0.0))
    column = SourceColumn(0, steps=steps, at_missing=at_missing)
    gone = 0 if nan_true else 1
    rows = [[-1.0], [0.0], [0.5], [1.0], [1.5], [2.0], [2.5], [3.0], [3.5]]
    expected = [0, 0, gone, gone, 1, 1, gone, gone, 0]
    tree = over_features(stump(nan_true), [column], ol.Space.numeric(["a"]))
    assert predict(tree, rows).tolist() == expected
    tree = over_features(stump(nan_true), [column], ol.Space([ol.Feature("a", nan=True)]))
    unset = at_missing is None or np.isnan(at_missing)
    assert predict(tree, [*rows, [np.nan]]).tolist() == [*expected, gone if unset else at_missing]


def test_too_many_copies_are_refused() -> None:
    column = SourceColumn(0, steps=Steps((0.0, 1.0), (0.0, 1.0, 0.0)))
    n = 12
    columns = [SourceColumn(i, steps=column.steps) for i in range(n)]
    # A path of "not in the bin" over many features: two copies of the rest each time.
    source = ColumnTree(
        Table(n),
        [0, 1],
        column=np.array([*range(n), *[-1] * (n + 1)]),
        at_most=np.full(2 * n + 1, 0.5),
        when_true=np.array([*range(1, n + 1), *[-1] * (n + 1)]),
        when_false=np.array([*range(n + 1, 2 * n + 1), *[-1] * (n + 1)]),
        leaf_class=np.array([-1] * n + [1] + [0] * n),
        nan_true=np.zeros(2 * n + 1, dtype=bool),
    )
    space = ol.Space.numeric([f"x{i}" for i in range(n)])
    tree = over_features(source, columns, space)
    assert tree.n_leaves > 2**n
    spans = {i: ([0.0, 1.0], [True, False, True]) for i in range(n)}
    nodes = {
        "feature": source.column, "threshold": source.at_most, "when_true": source.when_true,
        "when_false": source.when_false, "leaf_class": source.leaf_class,
        "nan_true": source.nan_true,
    }  # fmt: skip
    with pytest.raises(UnreadableModel, match=r"more than 1000 nodes.*encode='ordinal'"):
        unfold(space, nodes, spans, sets={}, distribution=None, limit=1000)
