"""Rashomon sets of the paper's data: known numbers, TreeFARMS, pystreed, every tree by itself."""

from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless import member
from orderless.form.fingerprints import fingerprint_points
from orderless.inputs import codes_for, read_rows
from orderless.rashomon import rashomon_sizes

NAMES = [
    "broward", "compas", "coupon", "fico", "iris_setosa", "iris_versicolor", "iris_virginica",
    "spiral", "tic_tac_toe", "wine_quality", "wisconsin",
]  # fmt: skip


@pytest.fixture
def fold(shared, monkeypatch):
    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    return _fold


@cache
def _fold(name):
    """Training fold 0, binarized as the paper does it."""
    from sklearn.model_selection import KFold

    X, y = ol.datasets.load(name)
    rows, _ = next(KFold(5, shuffle=True, random_state=42).split(X))
    X, y = X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True).astype(int)
    binarizer = ol.Binarizer().set_output(transform="pandas").fit(X, y)
    return binarizer, binarizer.transform(X), X, y


@pytest.mark.parametrize("name", NAMES)
def test_known_numbers(name, fold, shared):
    known = pd.read_csv(shared / "reference" / "rashomon_counts_fold0.csv").set_index("dataset")
    binarizer, columns, _, y = fold(name)
    found = ol.RashomonSet(space=binarizer.space_).fit(columns, y).trees_
    assert found.n_trees == known.loc[name, "exact_trees"]
    assert found.n_nontrivial == known.loc[name, "exact_without_trivial"]
    assert len(found.functions("columns")) == known.loc[name, "exact_distinct_independent"]
    assert len(found.functions()) == known.loc[name, "exact_distinct_aware"]
    plain = ol.RashomonSet().fit(columns, y).trees_
    assert len(plain.functions()) == known.loc[name, "exact_distinct_independent"]
    # The list of all functions, and their trees together, are the whole set.
    table = found.functions().table()
    assert sum(table.n_trees) == found.n_trees
    assert sum(table.n_nontrivial) == found.n_nontrivial
    assert len(found.functions("rows")) <= len(found.functions()) <= len(found.functions("columns"))


@pytest.mark.parametrize("name", ["iris_versicolor", "tic_tac_toe", "wisconsin"])
def test_every_tree_is_what_it_says(name, fold):
    """Up to 60,404 trees, each evaluated on the rows by itself."""
    binarizer, columns, _, y = fold(name)
    found = ol.RashomonSet(space=binarizer.space_).fit(columns, y).trees_
    rows, counts = np.unique(
        np.column_stack([columns.to_numpy(), y.to_numpy()]), axis=0, return_counts=True
    )
    read = read_rows(rows[:, :-1], binarizer.space_, range(len(binarizer.space_)))
    trees = list(found)
    seen, before, table = set(), 0, Counter()
    for tree in trees:
        wrong = int(counts[codes_for(tree.kernel, read) != rows[:, -1]].sum())
        cost = 100 * wrong + len(y) * tree.n_leaves  # objective x 100 x rows
        assert before <= cost <= found.bound * 100 * len(y)
        assert tree.depth <= 3
        seen.add(tuple(array.tobytes() for array in tree.nodes))
        table[cost, tree.n_leaves] += 1
        before = cost
    functions = {point.tobytes() for point in fingerprint_points([tree.kernel for tree in trees])}
    assert len(seen) == found.n_trees
    assert len(functions) == len(found.functions())
    ours = found.counts()
    costs = (100 * ours.errors + len(y) * ours.leaves).tolist()
    assert table == dict(zip(zip(costs, ours.leaves, strict=True), ours.trees, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_pystreed_finds_the_same_optimum(name, fold, capfd):
    pystreed = pytest.importorskip("pystreed", reason="it comes with orderless[sources]")
    _, columns, _, y = fold(name)
    for depth in (3, 4):
        best = ol.RashomonSet(depth, 0.01, 0).fit(columns, y).trees_
        model = pystreed.STreeDClassifier(
            "cost-complex-accuracy", max_depth=depth, cost_complexity=0.01
        )
        model.fit(columns.to_numpy(), y.to_numpy())
        tree = ol.read(model)
        wrong = int((tree.predict(columns.to_numpy()).filled(-1) != y.to_numpy()).sum())
        theirs = Fraction(wrong, len(y)) + Fraction(tree.n_leaves, 100)
        # It charges for splits, we for leaves, of which there is one more.
        assert theirs == best.objective
        assert all(tree.depth <= depth for tree in best.trees())


# -- TreeFARMS -------------------------------------------------------------------------------------


def treefarms_set(fold, name, epsilon, ignore=True, regularization=0.01):
    treefarms = pytest.importorskip("treefarms", reason="it comes with orderless[sources]")
    binarizer, columns, _, y = fold(name)
    settings = {
        "regularization": regularization, "rashomon_bound_adder": epsilon,
        "rashomon_bound_multiplier": 0, "depth_budget": 4,
        "rashomon_ignore_trivial_extensions": ignore,
    }  # fmt: skip
    model = treefarms.TREEFARMS(settings).fit(columns, y)
    exact = (
        ol.RashomonSet(3, regularization, epsilon, space=binarizer.space_).fit(columns, y).trees_
    )
    theirs = ol.TreeSet.from_treefarms(
        model, columns, y, regularization=regularization, epsilon=epsilon, space=binarizer.space_
    )
    return theirs, exact


@pytest.mark.parametrize("name", ["iris_versicolor", "iris_virginica", "spiral", "coupon"])
@pytest.mark.parametrize("epsilon", [0.0199, 0.0201])
def test_off_the_ties_treefarms_agrees(name, epsilon, fold, capfd):
    theirs, exact = treefarms_set(fold, name, epsilon, ignore=False)
    assert theirs.n_trees == exact.n_trees
    assert len(theirs.functions()) == len(exact.functions())
    assert theirs.objective == exact.objective
    assert not theirs.differences(exact)
    assert theirs.functions() == exact.functions()


def test_where_treefarms_differs_it_is_said_why(fold, capfd):
    theirs, exact = treefarms_set(fold, "iris_versicolor", 0.02)
    found = theirs.differences(exact)
    table = found.table.set_index(["side", "reason"])["trees"]
    assert table["missing", "trivial"] == exact.n_trees - exact.n_nontrivial
    assert table["missing", "on the bound"] == exact.n_nontrivial - theirs.n_trees
    assert "missing (on the bound)" in repr(found)
    lost = exact.functions() - theirs
    assert len(lost) == len(exact.functions()) - len(theirs.functions()) > 0
    assert len(lost & theirs) == 0
    assert (theirs.functions() | exact) == exact.functions()
    unfiltered, _ = treefarms_set(fold, "iris_versicolor", 0.02, ignore=False)
    only = unfiltered.differences(exact).table
    assert set(only.reason) == {"on the bound"}


def test_its_filter_of_trivial_trees_loses_others(fold, capfd):
    """Where regularization x rows is whole (80 x 0.0125), although no tree is on the bound."""
    theirs, exact = treefarms_set(fold, "spiral", 0.0801, regularization=0.0125)
    assert exact.on_bound == 0
    lost = theirs.differences(exact.where(~member.trivial))
    assert {reason for _, reason in lost.missing} == {"trivial filter"}
    assert len(lost.missing) == exact.n_nontrivial - theirs.n_trees > 0
    assert not lost.extra
    unfiltered, _ = treefarms_set(fold, "spiral", 0.0801, ignore=False, regularization=0.0125)
    assert not unfiltered.differences(exact)


def test_sizes_are_the_published_ones_with_treefarms(shared, fold, capfd):
    pytest.importorskip("treefarms", reason="it comes with orderless[sources]")
    published = pd.read_csv(shared / "paper" / "table_rashomon_size.csv").set_index("dataset")
    names = ["iris_setosa", "iris_versicolor", "iris_virginica", "spiral"]
    data = {name: ol.datasets.load(name) for name in names}
    sizes = rashomon_sizes(data, source="treefarms", published=published)
    table = sizes.summary()
    for ours, theirs in (("trees", "total_trees"), ("nontrivial", "without_trivial"),
                         ("distinct_independent", "distinct")):  # fmt: skip
        assert table[ours].round().tolist() == table[f"published_{theirs}"].tolist()
        assert np.allclose(table[f"{ours}_se"], table[f"published_{theirs}_pm"], atol=0.51)
    exact = rashomon_sizes(data).table
    assert (exact.trees >= sizes.table.trees).all()
    assert (exact.trees - exact.on_bound <= sizes.table.trees).all()
    assert (exact.distinct_rows <= exact.distinct_aware).all()


def test_bad_studies_are_refused():
    from orderless.errors import InvalidData

    with pytest.raises(ValueError, match=r"source must be .* got 'gosdt'"):
        rashomon_sizes({"a": ([[0]], [0])}, source="gosdt")
    with pytest.raises(InvalidData, match="data must be a dict"):
        rashomon_sizes([([[0]], [0])])
