"""Explanations of single rows: reasons, changes, unknown features, against brute force."""

import itertools
import math

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import partial_rows, problems, space_of, tree_of

import orderless as ol
from orderless.errors import InvalidData, OutOfTime, TooManyReasons
from tests.form.test_canonical import boxes, small

from .explained_trees import LEAF, split


def same_bins(values, kinds, spec):
    """A side of a change as the oracle writes it: a set of bins by feature."""
    bins, rounded = oracle.bins_by_feature(kinds, spec), oracle.float32_names(kinds)
    out = []
    for name, side in values.items():
        if side.feature.ordered:
            seen = [oracle.as_float32(v) if name in rounded else float(v) for v in bins[name]]
            has = side.has(np.array(seen))
            out.append(frozenset(v for v, yes in zip(bins[name], has, strict=True) if yes))
        else:
            out.append(frozenset(side.labels))
    return tuple(out)


@st.composite
def explained(draw, max_features=4, most=6000):
    """A tree, and a row that may have unknowns, more often determined than not."""
    kinds, (spec,) = draw(problems(max_features=max_features))
    small(kinds, spec, most)
    row = draw(partial_rows(kinds, spec))
    if draw(st.booleans()):
        values = oracle.values_by_feature(kinds, spec)
        row = {n: draw(st.sampled_from(values[n])) if v is None else v for n, v in row.items()}
    return kinds, spec, row


@given(explained())
@settings(max_examples=180)
def test_reasons_are_all_maximal_boxes_around_the_row(case):
    """Proposition 3.3 and Algorithm 4 for one row, complete or not, against every box there is."""
    kinds, spec, row = case
    why = tree_of(spec, kinds).explain(row)
    possible = oracle.possible_classes(kinds, row, spec)
    assert set(why.possible) == possible
    if len(possible) > 1:
        assert why.label is None
        assert list(why.reasons()) == [] == list(why.all_reasons) == list(why.changes())
        assert why.shortest is None
        assert why.cheapest(dict.fromkeys(kinds, 1)) is None
        assert why.necessary == why.relevant == ()
        assert set(why.unknown) <= {name for name, value in row.items() if value is None}
        assert all(name in str(why) for name in why.unknown)
        return
    assert {why.label} == possible
    ours = boxes(why.reasons(), kinds, spec)
    assert len(set(ours)) == len(ours)
    assert set(ours) == oracle.reasons_of_row(kinds, spec, why.label, row)
    assert set(why.all_reasons) == set(why.reasons())
    assert all(term.covers([row])[0] for term in why.reasons())


@given(explained(), st.data())
@settings(max_examples=180)
def test_features_and_the_best(case, data):
    """Necessary, relevant, shortest and cheapest against the list of all reasons."""
    kinds, spec, row = case
    form = ol.canonicalize(tree_of(spec, kinds))
    why = form.tree.explain(row)
    assume(why.label is not None)
    terms = why.all_reasons
    used = set(form.tree.features)
    assert set(why.necessary) == {n for n in used if all(n in t.features for t in terms)}
    assert set(why.relevant) == {n for n in used if any(n in t.features for t in terms)}
    for name in used:
        without = form.tree.explain({**row, name: None})
        assert (name in why.necessary) == (without.label is None)
    assert [t.n_conditions for t in terms] == sorted(t.n_conditions for t in terms)
    assert why.shortest == terms[0]
    costs = {name: data.draw(st.sampled_from([0, 1, 2, 0.1, 0.2, 0.3])) for name in kinds}
    value = {t: (round(sum(costs[n] for n in t.features), 9), t.n_conditions) for t in terms}
    first = min(terms, key=lambda t: value[t])  # the first of them in the order of all_reasons
    assert why.cheapest(costs) == first
    assert form.tree.explain(row, costs=costs).cheapest() == first


@given(explained(max_features=4, most=3000))
@settings(max_examples=180)
def test_changes_are_the_fewest_and_their_ranges_the_widest(case):
    """Against all subsets of features and all cells; with unknowns, what becomes possible."""
    kinds, spec, row = case
    why = tree_of(spec, kinds).explain(row)
    assume(why.label is not None)
    order = list(kinds)
    ours = []
    for change in why.changes():
        assert tuple(change.ranges) == change.features == tuple(sorted(change.features))
        features = tuple(sorted(change.features, key=order.index))
        ranges = {name: change.ranges[name] for name in features}
        ours.append((features, change.label, same_bins(ranges, kinds, spec)))
    assert len(set(ours)) == len(ours)
    assert set(ours) == oracle.changes_of_row(kinds, spec, why.label, row)
    bins = oracle.bins_of_row(kinds, spec, row)
    rounded = oracle.float32_names(kinds)
    for change, (features, label, box) in zip(why.changes(), ours, strict=True):
        put = {**bins, **dict(zip(features, box, strict=True))}
        cells = itertools.product(*(put[name] for name in kinds))
        said = {oracle.decide(spec, dict(zip(kinds, c, strict=True)), rounded) for c in cells}
        assert label in said
        assert change.certain == (said == {label})


@given(problems(n_trees=1, max_features=3), st.data())
@settings(max_examples=80)
def test_equivalent_trees_give_the_same_explanation(problem, data):
    kinds, (spec,) = problem
    small(kinds, spec, 3000)
    row = data.draw(partial_rows(kinds, spec))
    more = spec
    for name, kind in kinds.items():  # ask more than is needed, in another order
        test = frozenset([True]) if kind == "boolean" else 0.7
        more = ("split", name, frozenset(kind[:1]) if isinstance(kind, tuple) else test, more, more)
    a, b = (tree_of(s, kinds).explain(row) for s in (spec, more))
    assert a.label == b.label
    assert a.all_reasons == b.all_reasons
    assert a.shortest == b.shortest
    assert [str(c) for c in a.changes()] == [str(c) for c in b.changes()]


# -- NaN as a value, other values, columns that tell conditions ----------------------------------


@st.composite
def trees_with_nan(draw):
    color = ol.Feature("c", "categorical", categories=("r", "g"), other=True, nan=True)
    space = ol.Space(
        [ol.Feature("a", nan=True), ol.Feature("b", values="integer", nan=True), color]
    )
    arrays = {"feature": [], "threshold": [], "when_true": [], "when_false": [], "leaf_class": [],
              "nan_true": []}  # fmt: skip
    sets = {}

    def grow(depth):
        node = len(arrays["feature"])
        leaf = depth == 0 or draw(st.integers(0, 5)) == 0
        feature = -1 if leaf else draw(st.integers(0, 2))
        arrays["feature"].append(feature)
        arrays["threshold"].append(draw(st.sampled_from([1.0, 2.0, 3.0, math.inf])))
        arrays["nan_true"].append(draw(st.booleans()))
        arrays["leaf_class"].append(draw(st.integers(0, 1)))
        arrays["when_true"].append(-1)
        arrays["when_false"].append(-1)
        if not leaf:
            if feature == 2:
                sets[node] = sorted(draw(st.sets(st.integers(0, 3))))
            arrays["when_true"][node] = grow(depth - 1)
            arrays["when_false"][node] = grow(depth - 1)
        return node

    grow(4)
    return ol.Tree(space, [0, 1], sets=sets, **arrays)


VALUES = (
    (None, 0.5, 1.0, 1.5, 2.5, math.nan, 9.0),
    (math.nan, 0, 2, 3, 4),
    (None, "r", "g", "something else"),
)


@given(trees_with_nan(), st.tuples(*map(st.sampled_from, VALUES)), st.sets(st.integers(0, 2)))
@settings(max_examples=250)
def test_missing_as_a_value(tree, values, known):
    """Against the reasons of the whole form: None is the value "missing", what is left out not."""
    form = ol.canonicalize(tree)
    row = {name: v for i, (name, v) in enumerate(zip("abc", values, strict=True)) if i in known}
    why = form.tree.explain(row)
    said = tree.predict([row])
    assert why.label == (None if said.mask[0] else said[0])
    if why.label is None:
        return
    expected = {term for term in form.reasons[why.label] if term.covers([row])[0]}
    found = list(why.reasons())
    assert set(found) == expected
    assert len(found) == len(expected)
    assert why.shortest == why.all_reasons[0]
    assert why.shortest.n_conditions == min(t.n_conditions for t in expected)
    features = [set(t.features) for t in expected]
    assert set(why.necessary) == set.intersection(*features)
    assert set(why.relevant) == set.union(*features)
    costs = {"a": 3, "b": 2, "c": 2}
    price = {t: (sum(costs[n] for n in t.features), t.n_conditions) for t in why.all_reasons}
    assert why.cheapest(costs) == min(why.all_reasons, key=lambda t: price[t])
    cells = [dict(zip("abc", cell, strict=True)) for cell in itertools.product(*VALUES)]
    other = [c for c, label in zip(cells, tree.predict(cells).tolist(), strict=True)
             if label != why.label]  # fmt: skip
    for change in why.changes():
        assert not set(change.features) - set(row)
        assert str(change)
    assert bool(other) == bool(why.changes())
    if other and len(row) == 3:
        assert why.changes()[0].certain
        away = [sum(not same_value(c[n], row[n]) for n in "abc") for c in other]
        assert len(why.changes()[0].features) <= min(away)


def same_value(a, b):
    missing = [v is None or v != v for v in (a, b)]
    return all(missing) or (not any(missing) and a == b)


def test_columns_that_tell_conditions():
    """A row that knows a feature in part is a box too."""
    space = ol.Space(
        {"age": "integer"},
        columns={
            "young": ol.Condition("age", at_most=25),
            "child": ol.Condition("age", at_most=12),
        },
    )
    tree = ol.Tree(
        space,
        ["a", "c", "y"],
        feature=[0, -1, 0, -1, -1],
        threshold=[12, 0, 25, 0, 0],
        when_true=[1, -1, 3, -1, -1],
        when_false=[2, -1, 4, -1, -1],
        leaf_class=[-1, 1, -1, 2, 0],
    )
    form = ol.canonicalize(tree)
    assert str(form.tree.explain({"young": 1, "child": 0}).shortest) == "12 < age <= 25"
    why = form.tree.explain({"young": 0})
    assert why.label == "a"
    assert str(why) == ("a, because age > 25.\nIt would be c if age were <= 12.\n"
                        "It would be y if age were > 12 and <= 25.")  # fmt: skip
    assert str(form.tree.explain({"child": 0})) == (
        "Not determined: a or y are possible, because age is unknown or not known exactly.\n"
        "Settled, whatever the values, by age."
    )
    assert form.tree.explain([1.0, 0.0]).label == "y"
    assert form.tree.explain({"age": 30}).label == "a"
    with pytest.raises(InvalidData, match="contradicts itself about 'age'"):
        form.tree.explain({"young": 0, "child": 1})


# -- astronomically many -------------------------------------------------------------------------


def blocks(n):
    """The first s_i that holds asks a_i and then b_i: 3^n reasons where no s_i holds."""
    tree = {"prediction": 1}
    for i in reversed(range(n)):
        b = {"feature": f"b{i:02}", "true": {"prediction": 1}, "false": {"prediction": 0}}
        a = {"feature": f"a{i:02}", "true": {"prediction": 1}, "false": b}
        tree = {"feature": f"s{i:02}", "true": a, "false": tree}
    names = [f"{letter}{i:02}" for letter in "abs" for i in range(n)]
    return ol.read(tree, feature_names=names)


def test_the_first_of_astronomically_many_reasons_comes_at_once():
    form = ol.canonicalize(blocks(40))
    row = {name: 0 if name[0] == "s" else 1 for name in form.space.names}
    why = form.tree.explain(row)
    some = [str(term) for _, term in zip(range(100), why.reasons(), strict=False)]
    assert len(set(some)) == 100
    assert (
        why._of.search.n_looks < 1_000
    )  # boxes that were looked at: some for each reason, not all 3^40
    assert why.necessary == ()
    assert set(why.relevant) == set(form.space.names)
    assert why.shortest.n_conditions == 40
    # Ties: what comes first by name is left free, so the last that can be asked is asked.
    assert why.shortest.features == tuple(f"s{i:02}" for i in range(40))
    costs = {name: {"a": 3, "b": 2, "s": 5}[name[0]] for name in form.space.names}
    assert why.cheapest(costs).features == tuple(f"b{i:02}" for i in range(40))
    assert [c.features for c in why.changes()][:1] == [("a00", "b00", "s00")]
    unknown = form.tree.explain({name: 1 for name in form.space.names if name[0] != "s"})
    assert unknown.label == 1
    assert unknown.shortest.n_conditions == 40
    assert "could be 0 if a00 were false and b00 were false" in str(unknown)
    with pytest.raises(TooManyReasons, match=r"more than limit=10,000 reasons.*shortest") as caught:
        _ = why.all_reasons
    assert caught.value.met == 10_001


def test_limits_are_kept():
    form = ol.canonicalize(blocks(3))
    row = dict.fromkeys(form.space.names, 1)
    why = form.tree.explain({**row, "s00": 0, "s01": 0, "s02": 0}, limit=26)
    with pytest.raises(TooManyReasons, match=r"limit=26.*raise explain\(\.\.\., limit=\)"):
        _ = why.all_reasons
    assert len(form.tree.explain({**row, "s00": 0, "s01": 0, "s02": 0}, limit=27).all_reasons) == 27
    with pytest.raises(ValueError, match="limit=0"):
        form.tree.explain(row, limit=0)
    tree = LEAF[0]
    for i in reversed(range(9)):  # many ranges to join
        tree = split("x", i, split("y", 9 - i, LEAF[0], LEAF[1]), tree)
    staircase = ol.read(split("x", -1, LEAF[0], tree), space=ol.Space.numeric(["x", "y"]))
    stairs = staircase.explain([-2, -2])
    assert 1 < len(stairs.changes()) < 20
    with pytest.raises(TooManyReasons, match=r"limit=3 ranges .*raise explain\(\.\.\., limit=\)"):
        stairs._of.search.ways(3)
    many = ol.read(blocks(40))
    row = {name: 0 if name[0] == "s" else 1 for name in many.space.names}
    hurried = many.explain(row, time_limit=1e-9)
    with pytest.raises(OutOfTime, match=r"time_limit=1e-09.*raise"):
        _ = hurried.shortest
    with pytest.raises(OutOfTime, match="time_limit"):
        _ = hurried.relevant


def test_a_deep_tree():
    """Thousands of conditions on one path."""
    tree = {"prediction": 0}
    for i in range(3000):
        tree = {"feature": "x" if i % 2 else "y", "relation": "<=", "reference": float(-i),
                "true": tree, "false": {"prediction": i % 3}}  # fmt: skip
    form = ol.canonicalize(ol.read(tree, space=ol.Space.numeric(["x", "y"])))
    why = form.tree.explain([-1500.5, -1499.5])
    assert next(why.reasons()).covers([[-1500.5, -1499.5]])[0]
    assert why.shortest.covers([[-1500.5, -1499.5]])[0]
    assert set(why.relevant) <= {"x", "y"}
    assert len(why.changes()[0].features) == 1


def test_known_trees_of_the_papers_data(shared, monkeypatch):
    """Rows of a real tree, against the reasons of the whole form."""
    from sklearn.tree import DecisionTreeClassifier

    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    X, y = ol.datasets.load("wine_quality")
    clf = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y)
    form = ol.canonicalize(clf)
    for i in range(0, len(X), 1500):
        row = X.iloc[[i]]
        why = form.tree.explain(row)
        assert why.label == clf.predict(row)[0]
        expected = {term for term in form.reasons[why.label] if term.covers(row)[0]}
        assert set(why.all_reasons) == expected
        assert why.shortest == why.all_reasons[0]


def test_spaces_of_strategies_are_told_in_order():
    """A row as a sequence goes by the space's columns, not by name."""
    kinds = {"z": "integer", "a": "boolean"}
    spec = (
        "split",
        "z",
        3,
        ("leaf", 0),
        ("split", "a", frozenset([True]), ("leaf", 1), ("leaf", 0)),
    )
    assert space_of(kinds).names == ("z", "a")
    assert tree_of(spec, kinds).explain([5, True]).label == 1


def test_unknown_features_that_decide_nothing_are_not_named():
    leaf = [{"prediction": 0}, {"prediction": 1}]
    yes = {"feature": "t", "true": leaf[1], "false": leaf[0]}
    tree = {"feature": "r", "true": {"feature": "c", "true": yes, "false": yes}, "false": leaf[0]}
    form = ol.canonicalize(ol.read(tree, feature_names=["c", "r", "t"]))
    why = form.tree.explain({"r": 1})
    assert why.unknown == ("t",)
    assert str(why) == (
        "Not determined: 0 or 1 are possible, because t is unknown.\n"
        "Settled, whatever the values, by t."
    )


@given(problems(max_features=4), st.data())
@settings(max_examples=150)
def test_unknown_features_are_those_that_decide(problem, data):
    """By brute force: some two completions differ on the feature only, and in their class."""
    kinds, (spec,) = problem
    row = data.draw(partial_rows(kinds, spec))
    why = tree_of(spec, kinds).explain(row)
    rounded = oracle.float32_names(kinds)
    full = list(oracle.completions(kinds, row, spec))
    assume(len(full) <= 400)
    decide = set()
    for a, b in itertools.combinations(full, 2):
        differ = [name for name in kinds if a[name] != b[name]]
        if len(differ) == 1 and oracle.decide(spec, a, rounded) != oracle.decide(spec, b, rounded):
            decide.add(differ[0])
    assert set(why.unknown) == decide
