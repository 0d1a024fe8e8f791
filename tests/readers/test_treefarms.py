"""TreeFARMS' trees, one or all: ours predict what theirs do, and there are as many."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless.api import wrap
from orderless.errors import UnreadableModel
from orderless.readers.preprocessing.columns import space_columns
from orderless.readers.preprocessing.conditions import over_features
from orderless.readers.treefarms import trees_of

treefarms = pytest.importorskip(
    "treefarms", reason="TreeFARMS comes with the extra orderless[sources]"
)

NAMES = list("abcde")
ALL = pd.DataFrame(list(product([0, 1], repeat=5)), columns=NAMES)
FILES = {
    "broward": "broward_general_2y",
    "compas": "compas_complete",
    "coupon": "coupon_full",
    "fico": "fico_complete",
    "iris_setosa": "iris_setosa",
    "iris_versicolor": "iris_versicolor",
    "iris_virginica": "iris_virginica",
    "spiral": "spiral",
    "tic_tac_toe": "tic-tac-toe",
    "wine_quality": "wine_quality",
    "wisconsin": "wisconsin",
}


@pytest.fixture(autouse=True)
def _quiet(capfd):
    """TreeFARMS prints from C++."""


def fitted(X, y, **options):
    """Give every setting: TreeFARMS keeps those of the fit before."""
    model = treefarms.TREEFARMS(
        {
            "regularization": 0.02,
            "rashomon_bound_adder": 0.03,
            "rashomon_bound_multiplier": 0,
            "depth_budget": 4,
            "rashomon_ignore_trivial_extensions": False,
            **options,
        }
    )
    return model.fit(X, pd.Series(y, name="class"))


def data(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (150, 5))
    y = (X[:, 0] & X[:, 1]) + (X[:, 2] if n_classes == 3 else X[:, 2] & ~X[:, 0] & 1)
    return pd.DataFrame(X, columns=NAMES), np.where(rng.random(150) < 0.05, 0, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_every_tree_of_a_set_predicts_the_same(seed, n_classes):
    model = fitted(*data(seed, n_classes))
    trees = ol.read_many(model)
    assert len(trees) == model.get_tree_count() > 1
    for i, tree in enumerate(trees):
        np.testing.assert_array_equal(tree.predict(ALL), model[i].predict(ALL))
        assert tree.space is trees[0].space
    assert trees[0].space == ol.Space.independent(NAMES)
    assert trees[0].classes == tuple(range(n_classes))


def test_many_at_once_are_what_one_at_a_time_would_be():
    model = fitted(*data(0))
    space = ol.Space.independent(NAMES)
    bits = trees_of(model)
    for quick, flat in zip(ol.read_many(model), bits.trees, strict=True):
        slow = over_features(bits.column_tree(flat), space_columns(space), space)
        assert quick == wrap(slow)
        assert vars(quick.kernel).keys() == vars(slow).keys()
        assert not any(array.flags.writeable for array in quick.nodes)


def test_a_set_that_does_not_know_its_table():
    model = fitted(*data(1))
    one_by_one = [model[i] for i in range(model.get_tree_count())]
    theirs = ol.read_many(one_by_one, feature_names=NAMES)
    assert ol.read_many(model.model_set, feature_names=NAMES) == theirs
    assert ol.read_many(model) == theirs
    nameless = ol.read_many(model.model_set)
    assert nameless[0].space.names == ("x0", "x1", "x2", "x3", "x4")[: len(nameless[0].space)]


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [1, 2], [9, 10], [-1, 1], [False, True], [0.5, 1.5]], ids=str
)
def test_labels_come_back(labels):
    """TreeFARMS' own trees predict positions among the labels sorted as text."""
    X, _ = data(0)
    y = np.array(labels)[X["b"].to_numpy()]
    model = fitted(X, y)
    best = int(np.argmin([m[1] for m in model.model_set.available_metrics["metric_values"]]))
    pointers = model.model_set.available_metrics["metric_pointers"]
    first = sum(model.model_set.storage[p]["count"] for p in pointers[:best])
    tree = ol.read_many(model)[first]
    np.testing.assert_array_equal(tree.predict(X), y)
    assert {type(label) for label in tree.classes} == {type(label) for label in labels}


def test_a_set_of_one_tree_is_a_tree():
    X, _ = data(0)
    model = fitted(X, X["b"].to_numpy(), rashomon_bound_adder=0.01)
    assert model.get_tree_count() == 1
    assert str(ol.read(model)).startswith("not b?")
    np.testing.assert_array_equal(ol.read(model).predict(ALL), ALL["b"])
    np.testing.assert_array_equal(
        ol.read(model.model_set, feature_names=NAMES).predict(ALL), ALL["b"]
    )


def test_a_pickled_set_reads_the_same():
    model = fitted(*data(2))
    assert ol.read_many(pickle.loads(pickle.dumps(model))) == ol.read_many(model)


def test_a_tree_that_was_printed_reads_the_same():
    """Printing it makes TreeFARMS write into its nodes."""
    tree = fitted(*data(2))[3]
    before = ol.read(tree)
    str(tree)
    assert ol.read(tree) == before


@pytest.mark.parametrize("name", FILES)
def test_counts_on_the_papers_data(name, shared):
    """Of fold 0: without a split of two equal leaves, as many as TreeFARMS 0.2.3 gave."""
    from sklearn.model_selection import KFold

    reference = pd.read_csv(shared / "reference" / "rashomon_counts_fold0.csv").set_index("dataset")
    columns = pd.read_csv(shared / "reference" / "thresholds_fold0.csv")
    columns = columns[columns["dataset"] == name].sort_values("column")
    frame = pd.read_csv(shared / "data" / f"{FILES[name]}.csv")
    rows, _ = next(KFold(5, shuffle=True, random_state=42).split(frame))
    frame = frame.iloc[rows].reset_index(drop=True)
    X = pd.DataFrame(
        {
            f"{feature} <= {threshold}": (frame[feature] <= threshold).astype(int)
            for feature, threshold in zip(columns["feature"], columns["threshold"], strict=True)
        }
    )
    y = frame.iloc[:, -1].astype(int)
    model = fitted(X, y, regularization=0.01, rashomon_bound_adder=0.02)
    trees = ol.read_many(model)
    assert len(trees) == reference.loc[name, "treefarms_trees"]
    assert sum(map(no_trivial_split, trees)) == reference.loc[name, "treefarms_without_trivial"]
    model = fitted(X, y, regularization=0.01, rashomon_bound_adder=0.02,
                   rashomon_ignore_trivial_extensions=True)  # fmt: skip
    trees = ol.read_many(model)
    assert len(trees) == reference.loc[name, "treefarms_without_trivial"]
    rng = np.random.default_rng(0)
    for i in rng.integers(0, len(trees), 5):
        np.testing.assert_array_equal(trees[i].predict(X), model[i].predict(X))


def no_trivial_split(tree):
    inner = tree.nodes.feature >= 0
    yes, no = tree.nodes.when_true[inner], tree.nodes.when_false[inner]
    leaves = (tree.nodes.feature[yes] < 0) & (tree.nodes.feature[no] < 0)
    return not (leaves & (tree.nodes.leaf_class[yes] == tree.nodes.leaf_class[no])).any()


def test_a_set_given_as_a_tree():
    model = fitted(*data(0))
    with pytest.raises(UnreadableModel, match=r"TREEFARMS holds \d+ trees: .*read_many"):
        ol.read(model)
    with pytest.raises(UnreadableModel, match=r"ModelSetContainer holds \d+ trees"):
        ol.read(model.model_set)


def test_an_empty_set():
    model = fitted(*data(0))
    model.model_set.available_metrics = {"metric_pointers": [], "metric_values": []}
    model.model_set.model_count = 0
    assert ol.read_many(model) == []
    with pytest.raises(UnreadableModel, match=r"holds 0 trees.*raise rashomon_bound_adder"):
        ol.read(model)


@pytest.mark.parametrize("read", [ol.read, ol.read_many])
def test_a_model_that_is_not_fitted(read):
    with pytest.raises(UnreadableModel, match="TREEFARMS is not fitted: call fit"):
        read(treefarms.TREEFARMS({}))


def test_columns_that_are_not_0_and_1():
    X, y = data(0)
    model = fitted(X.assign(b=X["b"] * 2), y)
    with pytest.raises(UnreadableModel, match=r"the column 'b', which is not 0/1.*binarize"):
        ol.read_many(model)


def test_a_tree_with_an_encoder():
    from treefarms.model.tree_classifier import TreeClassifier

    with pytest.raises(UnreadableModel, match="has an encoder inside"):
        ol.read(TreeClassifier({"prediction": 0}, encoder=object()))
