"""Coverage: how many rows are answered when values go missing, and the paper's numbers."""

import functools

import matplotlib as mpl
import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier
from strategies import problems, tree_of

import orderless as ol
from orderless.errors import InvalidData
from orderless.estimators.gapped import Gapped

mpl.use("agg")

WAYS = ["determined", "path", "features"]
MECHANISMS = ["mcar", "mar", "mnar"]


@functools.cache
def breast_cancer(depth=3):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y, DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)


@functools.cache
def binarized():
    X, y, _ = breast_cancer()
    binarizer = ol.Binarizer((0.33, 0.66)).set_output(transform="pandas").fit(X)
    columns = binarizer.transform(X)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(columns, y)
    return binarizer, columns, y, model


def shares(found):
    return found.table.pivot_table(index="rate", columns="way", values="answered")[WAYS]


# -- what it says --------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("level", ["feature", "column"])
def test_corollary_4_2_for_every_mechanism(mechanism, level):
    """On determined rows the answer is that of the complete row, however values went missing."""
    binarizer, columns, y, model = binarized()
    for tree in (ol.read(model), ol.read(model, space=binarizer.space_)):
        found = ol.coverage(tree, columns, [0, 0.2, 0.5, 0.8, 1], y=y, level=level,
                            mechanism=mechanism, space=binarizer.space_)  # fmt: skip
        table = found.table
        assert (table["agreement"].dropna() == 1).all()
        answered = shares(found).to_numpy()
        assert (answered[:, 0] >= answered[:, 1]).all()
        assert (answered[:, 1] >= answered[:, 2]).all()
        assert (answered[0] == 1).all()
        if mechanism != "mar":  # which leaves one feature there
            assert (answered[-1] == 0).all()
        whole = (model.predict(columns) == y).mean()
        assert table.loc[table["rate"] == 0, "accuracy"].tolist() == pytest.approx([whole] * 3)


@given(problems(max_features=4), st.sampled_from(MECHANISMS), st.floats(0, 1), st.integers(0, 9))
@settings(max_examples=40)
def test_theorem_3_2_and_corollary_4_2_on_random_trees(problem, mechanism, rate, seed):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    cells = list(oracle.cells(kinds, spec))[:200]
    X = pd.DataFrame(cells)
    found = ol.coverage(tree, X, [rate], mechanism=mechanism, random_state=seed)
    assert (found.table["agreement"].dropna() == 1).all()
    mask = Gapped(tree, X, tree.space).mask(rate, "feature", mechanism, np.random.RandomState(seed))
    gone = [
        {name: None if m else v for (name, v), m in zip(cell.items(), row, strict=True)}
        for cell, row in zip(cells, mask, strict=True)
    ]
    expected = np.mean([len(oracle.possible_classes(kinds, row, spec)) == 1 for row in gone])
    assert found.table["answered"][0] == pytest.approx(expected)


def test_the_mask_is_the_papers():
    """``np.random.seed(0)`` and ``np.random.choice`` over all columns, anew for every rate."""
    _, columns, y, model = binarized()
    found = ol.coverage(model, columns, [0.3, 0.5], y=y, level="column").table.set_index(
        ["rate", "way"]
    )
    tree = ol.read(model)
    for rate in (0.3, 0.5):
        mask = np.random.RandomState(0).choice(
            [True, False], size=columns.shape, p=[rate, 1 - rate]
        )
        X = np.where(mask, np.nan, columns)
        said = tree.predict(X)
        assert found.loc[(rate, "determined"), "answered"] == (~said.mask).mean()
        right = (said.data == y.to_numpy())[~said.mask]
        assert found.loc[(rate, "determined"), "accuracy"] == right.mean()
        assert (
            found.loc[(rate, "path"), "answered"]
            == (~ol.baselines.predict_path(tree, X).mask).mean()
        )
        known = ~ol.baselines.predict_features(tree, X).mask
        assert found.loc[(rate, "features"), "answered"] == known.mean()


def test_levels_differ_where_columns_share_a_feature():
    binarizer, columns, _, model = binarized()
    independent, aware = ol.read(model), ol.read(model, space=binarizer.space_)
    options = {"space": binarizer.space_, "n_repeats": 3}
    by_feature = [
        shares(ol.coverage(tree, columns, [0.5], level="feature", **options)).iloc[0]
        for tree in (independent, aware)
    ]
    by_column = [
        shares(ol.coverage(tree, columns, [0.5], level="column", **options)).iloc[0]
        for tree in (independent, aware)
    ]
    # With whole features gone their columns tell nothing of each other.
    assert by_feature[0]["path"] == by_feature[1]["path"]
    assert by_column[1]["determined"] > by_column[0]["determined"]
    # Without a space, unrelated columns are features.
    own = [shares(ol.coverage(independent, columns, [0.5], level=level, n_repeats=3))
           for level in ("feature", "column")]  # fmt: skip
    assert own[0].equals(own[1])


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mechanisms_keep_the_rate_and_do_what_they_say(rate, mechanism):
    X, _, model = breast_cancer()
    tree = ol.read(model)
    table = Gapped(tree, X, tree.space)
    masks = np.stack([table.mask(rate, "feature", mechanism, np.random.RandomState(r))
                      for r in range(20)])  # fmt: skip
    gone = masks.mean(axis=(0, 1))
    seen = next(i for i in range(30) if i not in tree.kernel.used)
    others = [i for i in range(30) if mechanism != "mar" or i != seen]
    assert gone[others] == pytest.approx(rate, abs=0.02)
    if mechanism == "mar":
        assert gone[seen] == 0
    by_row = masks.mean(axis=0)
    values = X.to_numpy()
    j = tree.kernel.used[0]
    own = np.corrcoef(by_row[:, j], values[:, j].argsort().argsort())[0, 1]
    driver = np.corrcoef(by_row[:, j], values[:, seen].argsort().argsort())[0, 1]
    if mechanism == "mcar":
        assert abs(own) < 0.15
    if mechanism == "mar":
        assert driver > 0.4
    if mechanism == "mnar":
        assert own > 0.4


def test_mar_without_a_spare_feature_keeps_the_first():
    tree = ol.read({"feature": 1, "true": {"feature": 0, "true": {"prediction": 1},
                         "false": {"prediction": 0}}, "false": {"prediction": 0}})  # fmt: skip
    X = np.random.RandomState(0).randint(2, size=(50, 2))
    mask = Gapped(tree, X, tree.space).mask(1.0, "column", "mar", np.random.RandomState(0))
    assert mask[:, 0].sum() == 0
    assert mask[:, 1].all()


def test_categories_one_hot_columns_and_nan_as_a_value():
    space = ol.Space({"c": ["r", "g", "b"], "x": "numeric"})
    asked = {"feature": "c", "relation": "in", "reference": ["r"]}
    tree = ol.read({**asked, "true": {"prediction": 1}, "false": {"prediction": 0}}, space=space)
    X = pd.DataFrame({"c": list("rgbrgb") * 50, "x": range(300)})
    for mechanism in MECHANISMS:
        found = shares(ol.coverage(tree, X, [0.5], mechanism=mechanism, n_repeats=5))
        assert found.to_numpy() == pytest.approx(0.5, abs=0.06)
    one_hot = ol.Space([space["c"]], columns={"c_r": ol.Condition("c", among=("r",)),
                                              "c_g": ol.Condition("c", among=("g",))})  # fmt: skip
    bits = np.array([[1, 0], [0, 1], [0, 0]] * 100)
    asked = {"feature": "c_r", "true": {"prediction": 1}, "false": {"prediction": 0}}
    aware = ol.read(asked, space=one_hot)
    unrelated = ol.read(asked, space=ol.Space.independent(["c_r", "c_g"]))
    more, less = (shares(ol.coverage(t, bits, [0.5], level="column")) for t in (aware, unrelated))
    assert more["determined"][0.5] > less["determined"][0.5]  # green is not red
    nan = ol.read(
        DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [np.nan]], [0, 1, 1]), nan="value"
    )
    rows = np.array([[1.0], [np.nan]] * 20)
    assert shares(ol.coverage(nan, rows, [0, 1])).to_numpy().tolist() == [[1] * 3, [0] * 3]


def test_repeats_and_determinism():
    X, y, model = breast_cancer()
    one = ol.coverage(model, X, [0.3, 0.6], y=y, n_repeats=3, random_state=5)
    assert one.table.equals(
        ol.coverage(model, X, (0.3, 0.6), y=y, n_repeats=3, random_state=5).table
    )
    assert one.table.groupby(["rate", "way"])["answered"].nunique().max() > 1
    second = ol.coverage(model, X.to_numpy(), [0.3], random_state=6).table["answered"]
    of_one = one.table.query("rate == 0.3 and repeat == 1")["answered"]
    assert second.tolist() == of_one.tolist()
    assert list(one.table) == ["rate", "repeat", "way", "answered", "agreement", "accuracy"]
    assert "accuracy" not in ol.coverage(model, X, [0.5]).table
    form = ol.canonicalize(model)
    assert ol.coverage(form, X, [0.3], random_state=6).table["answered"].tolist() == second.tolist()


# -- the figure ----------------------------------------------------------------------------------


def test_plot_draws_the_papers_figure():
    from matplotlib import pyplot

    X, _, model = breast_cancer()
    axes = ol.coverage(model, X, [0.1, 0.5]).plot()
    assert axes.get_xlabel() == "share of features missing"
    assert axes.get_ylabel() == "share of rows answered"
    named = [text.get_text() for text in axes.get_legend().get_texts()]
    assert named == ["determined", "path known", "all features known"]
    assert not any(has for has in (c.has_yerr for c in axes.containers))
    colours = [c.lines[0].get_color() for c in axes.containers]
    markers = [c.lines[0].get_marker() for c in axes.containers]
    assert len(set(colours)) == len(set(markers)) == 3
    repeated = ol.coverage(model, X, [0.1, 0.5], n_repeats=3, level="column")
    same = repeated.plot(ax=axes)
    assert same is axes
    assert axes.containers[3].has_yerr
    mean = repeated.table.query("way == 'determined' and rate == 0.5")["answered"].mean()
    assert axes.containers[3].lines[0].get_ydata()[1] == pytest.approx(mean)
    assert axes.get_xlabel() == "share of columns missing"
    pyplot.close("all")


# -- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "row"}, r"level must be one of \('feature', 'column'\)"),
        ({"mechanism": "bad"}, r"mechanism must be one of \('mcar', 'mar', 'mnar'\)"),
        ({"missing_rates": [1.5]}, "missing_rates must be shares from 0 to 1, got 1.5"),
        ({"missing_rates": [float("nan")]}, "missing_rates must be shares from 0 to 1, got nan"),
        ({"missing_rates": []}, "missing_rates must be shares from 0 to 1, got none"),
        ({"n_repeats": 0}, "n_repeats must be a whole number from 1"),
        ({"random_state": -1}, "random_state must be a whole number from 0"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"y": [1]}, r"y has shape \(1,\), but there are 569 rows"),
        ({"space": ol.Space({"a": "numeric"})}, "space has the columns 'a', the tree's has"),
    ],
)
def test_coverage_refuses_options(options, message):
    X, _, model = breast_cancer()
    with pytest.raises(ValueError, match=message):
        ol.coverage(model, X, **options)


def test_coverage_refuses_rows():
    X, _, model = breast_cancer()
    with pytest.raises(InvalidData, match="there are no rows"):
        ol.coverage(model, X[:0])
    asked = ol.read(model).features[0]
    with pytest.raises(InvalidData, match=f"the rows have no column '{asked}', which the tree"):
        ol.coverage(model, X.drop(columns=asked))
    gap = X.copy()
    gap.loc[3, asked] = np.nan
    with pytest.raises(InvalidData, match=f"row 3 has no value in '{asked}': give complete"):
        ol.coverage(model, gap)


@pytest.mark.parametrize("mechanism", ["mcar", "mar", "mnar"])
@pytest.mark.parametrize("level", ["feature", "column"])
def test_coverage_asks_for_no_more_columns_than_predict(mechanism, level):
    X, y, model = breast_cancer()
    tree = ol.read(model)
    options = {"level": level, "mechanism": mechanism, "y": y}
    whole = ol.coverage(tree, X, [0.3, 0.7], **options).table
    unused = [name for name in X if name not in tree.features]
    later = X.drop(columns=unused[1:])  # mar goes by the first of them
    assert ol.coverage(tree, later, [0.3, 0.7], **options).table.equals(whole)
    spoilt = X.assign(**{unused[-1]: "text", unused[-2]: np.nan})
    assert ol.coverage(tree, spoilt, [0.3, 0.7], **options).table.equals(whole)
    least = ol.coverage(tree, X[list(tree.features)], [0.0, 0.3], **options).table
    assert (least["answered"][least["rate"] == 0] == 1).all()
    assert tree.predict(X[list(tree.features)]).tolist() == tree.predict(X).tolist()
    if mechanism != "mar":
        assert (
            least[least["rate"] == 0.3]
            .reset_index(drop=True)
            .equals(whole[whole["rate"] == 0.3].reset_index(drop=True))
        )


# -- the paper's numbers -------------------------------------------------------------------------

FILES = {"compas": "compas_complete", "wine_quality": "wine_quality", "coupon": "coupon_full",
         "wisconsin": "wisconsin"}  # fmt: skip
EXACT = {"compas": 1e-12, "wine_quality": 1e-12, "coupon": 1e-12, "wisconsin": 0.01}
AWARE = {"compas": 0.66, "wine_quality": 0.83, "coupon": 0.44, "wisconsin": 0.62}


def folds(name):
    """Section 6: KFold(5, shuffle, 42), thresholds guessed and trees grown per training fold.

    scikit-learn settles ties between equally good splits by ``random_state``, which the release
    left to chance. COMPAS, Wine and Coupon come out the same for each of 21 seeds. Wisconsin has
    ties: these seeds give eight results, 0.3516 to 0.3569 determined, and six of them (1 is one)
    the published one.
    """
    X, y = ol.datasets.load(name)
    y = y.astype(int)
    for train, test in KFold(5, shuffle=True, random_state=42).split(X):
        binarizer = ol.Binarizer().set_output(transform="pandas")
        columns = binarizer.fit(X.iloc[train], y.iloc[train]).transform(X.iloc[train])
        model = DecisionTreeClassifier(max_depth=3, random_state=1).fit(columns, y.iloc[train])
        yield binarizer, model, binarizer.transform(X.iloc[test])


@pytest.mark.parametrize("name", FILES)
def test_published_shares_at_one_half(name, shared, monkeypatch):
    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    known = pd.read_csv(shared / "reference" / "missingness_sklearn_d3_p0.5.csv")
    known = known.set_index("dataset").loc[FILES[name]]
    published, aware = [], []
    for binarizer, model, columns in folds(name):
        one = ol.coverage(model, columns, [0.5], level="column")
        published.append(shares(one).iloc[0])
        tree = ol.read(model, space=binarizer.space_)
        aware.append(shares(ol.coverage(tree, columns, [0.5], level="column")).iloc[0])
    mean = pd.DataFrame(published).mean()
    error = pd.DataFrame(published).std(ddof=1) / np.sqrt(5)
    for way, column in (("determined", "ours"), ("path", "path"), ("features", "used_features")):
        assert mean[way] == pytest.approx(known[column], abs=EXACT[name])
        assert error[way] == pytest.approx(known[column.split("_")[0] + "_se"], abs=EXACT[name])
    assert pd.DataFrame(aware).mean()["determined"] >= AWARE[name]


def test_it_prints_as_a_short_table():
    X, y, model = breast_cancer()
    few = repr(ol.coverage(model, X, [0.5], y=y))
    assert few.splitlines()[0] == "Coverage: mcar, by feature; 1 rate, 1 repeat"
    assert few.splitlines()[1].split() == [
        "rate", "repeat", "way", "answered", "agreement", "accuracy",
    ]  # fmt: skip
    assert len(few.splitlines()) == 5
    many = repr(ol.coverage(model, X, mechanism="mar", n_repeats=2))
    assert many.splitlines()[0] == "Coverage: mar, by feature; 9 rates, 2 repeats"
    assert many.endswith("\n... and 48 more rows in .table")
