"""One model, two kernels: what is asked of a tree, and of the same tree as a sum of one.

Expected answers are those of all completions, by brute force.
"""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from fact_cases import case
from hypothesis import given, settings, strategies as st
from oracle import (
    cells,
    completions,
    decide,
    float32_names,
    needed,
    possible_classes,
    values_by_feature,
)
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import kinds, partial_rows, problems, specs, tree_of

import orderless as ol
from orderless.api import wrap
from orderless.errors import (
    ContradictingRows,
    InvalidData,
    InvalidTree,
    OutOfTime,
    TooLarge,
    UnreadableModel,
)
from orderless.model import as_sum
from orderless.questions import splitting

NUMBERS = (-2.5, 0.25, 3.0, 7.5)
BOTH = {"feature": "a", "true": {"feature": "b", "true": {"prediction": "yes"},
        "false": {"prediction": "no"}}, "false": {"prediction": "no"}}  # fmt: skip
STAY = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
        "true": {"prediction": 2.5},
        "false": {"feature": "smoker", "true": {"prediction": 12.0},
                  "false": {"prediction": 7.5}}}  # fmt: skip


def kinds_of_model(tree):
    return tree, wrap(as_sum(tree.kernel))


def two_kinds(tree=BOTH, names=("a", "b"), **options):
    return kinds_of_model(ol.read(tree, feature_names=names, **options))


@st.composite
def numbered(draw):
    own = draw(kinds(max_features=3))
    spec = draw(specs(own, NUMBERS))
    rows = [draw(partial_rows(own, spec)) for _ in range(3)]
    return own, spec, rows


# -- rows ----------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(problems(max_features=3), st.data())
def test_classes_of_rows(problem, data):
    own, (spec,) = problem
    rows = [data.draw(partial_rows(own, spec)) for _ in range(3)]
    tree = tree_of(spec, own)
    every = [possible_classes(own, row, spec) for row in rows]
    possible = [tuple(label for label in tree.classes if label in some) for some in every]
    for model in kinds_of_model(tree):
        assert isinstance(model, ol.Model)
        assert (model.classes, model.task) == (tree.classes, "classification")
        assert (model.space, model.features) == (tree.space, tree.features)
        assert model.predict(rows).tolist() == [p[0] if len(p) == 1 else None for p in possible]
        assert model.possible(rows) == possible
        assert model.status(rows).tolist() == ["certain" if len(p) == 1 else "open"
                                               for p in possible]  # fmt: skip
        assert model.predict(rows[0]) == (possible[0][0] if len(possible[0]) == 1 else None)
        if any(isinstance(label, str | bool) for label in tree.classes):
            continue
        lower, upper, exact = model.predict_interval(rows, of="answer")
        assert lower.tolist() == [min(p) for p in possible]
        assert upper.tolist() == [max(p) for p in possible]
        assert exact.all()


@settings(max_examples=60)
@given(numbered())
def test_numbers_of_rows(problem):
    own, spec, rows = problem
    every = [possible_classes(own, row, spec) for row in rows]
    for model in kinds_of_model(tree_of(spec, own).replace(task="regression")):
        assert model.task == "regression"
        lower, upper, exact = model.predict_interval(rows)
        assert lower.tolist() == [min(some) for some in every]
        assert upper.tolist() == [max(some) for some in every]
        assert exact.all()
        assert model.predict(rows).tolist() == [some.pop() if len(some) == 1 else None
                                                for some in map(set, every)]  # fmt: skip
        wide = model.predict(rows, tolerance=3.0)
        near = [max(some) - min(some) <= 3.0 for some in every]
        assert (~np.ma.getmaskarray(wide)).tolist() == near
        assert wide[near].tolist() == [(min(some) + max(some)) / 2
                                       for some, is_near in zip(every, near, strict=True)
                                       if is_near]  # fmt: skip
        assert model.status(rows).tolist() == ["certain" if len(set(some)) == 1 else "open"
                                               for some in every]  # fmt: skip


@settings(max_examples=60)
@given(problems(max_features=3), st.data())
def test_what_is_needed(problem, data):
    own, (spec,) = problem
    row = data.draw(partial_rows(own, spec))
    tree = tree_of(spec, own)
    settle, could = needed(own, row, spec)
    classes = possible_classes(own, row, spec)
    for model in kinds_of_model(tree):
        found = model.needed(row)
        assert {frozenset(names) for names in found.settle} == settle
        assert {frozenset(names) for names in found.could} == could
        assert set(found.possible) == classes
        assert found.label == (next(iter(classes)) if len(classes) == 1 else None)
        (asked,) = model.ask_next([row]).tolist()
        assert (asked is None) == (len(classes) == 1)
        if asked is not None:  # for some values of the others, its value changes the answer
            rest = [n for n in own if row.get(n) is None and n != asked]
            values = values_by_feature(own, spec)
            answers = [
                {decide(spec, {**row, **dict(zip(rest, some, strict=True)), asked: value},
                        float32_names(own)) for value in values[asked]}
                for some in itertools.product(*(values[n] for n in rest))
            ]  # fmt: skip
            assert max(map(len, answers)) > 1


@settings(max_examples=60)
@given(problems(max_features=3), st.data(), st.booleans())
def test_shares_of_training_rows(problem, data, labelled):
    own, (spec,) = problem
    tree, names32 = tree_of(spec, own), float32_names(own)
    every = list(cells(own, spec))
    training = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8))
    y = [data.draw(st.sampled_from(tree.classes)) for _ in training] if labelled else None
    row = data.draw(partial_rows(own, spec))
    values = values_by_feature(own, spec)
    # Rows are in one bin of a feature where no completion of anything tells them apart.
    expected = np.zeros(len(tree.classes))
    labels = [decide(spec, one, names32) for one in training] if y is None else y
    for one, label in zip(training, labels, strict=True):
        known = [n for n in tree.features if row.get(n) is not None]
        if all(alike(tree, own, values, n, row[n], one[n], spec) for n in known):
            expected[tree.classes.index(label)] += 1
    for model in kinds_of_model(tree):
        (shares,) = model.shares([row], training, y)
        if not expected.sum():
            assert np.isnan(shares).all()
        else:
            np.testing.assert_allclose(shares, expected / expected.sum())


def alike(tree, own, values, name, a, b, spec):
    """Whether every test of the tree on a feature says the same of two values."""
    for node in np.flatnonzero(tree.nodes.feature == tree.space.index(name)).tolist():
        side = tree.kernel.side(node)
        feature = tree.space[name]
        if feature.ordered:
            one, other = (float(np.float32(v)) if feature.values == "float32" else v
                          for v in (a, b))  # fmt: skip
            if (one <= side.upper) != (other <= side.upper):
                return False
        elif (a in side.labels) != (b in side.labels):
            return False
    return True


def test_shares_without_a_fitting_row_and_as_a_frame():
    for model in two_kinds():
        frame = pd.DataFrame({"a": [None, 1.0], "b": [0.0, None]}, index=["p", "q"])
        shares = model.shares(frame, [[1, 0], [0, 0], [0, 0]])
        assert shares.index.tolist() == ["p", "q"]
        assert shares["no"].tolist() == [1.0, 1.0]
        assert np.isnan(model.shares([[0, None]], [[1, 0]])).all()
        with pytest.raises(InvalidData, match="training row 0 has unknown values"):
            model.shares([[0, None]], [[None, 0]])


# -- why -----------------------------------------------------------------------------------------


def minimal_sets(own, spec, row, wanted):
    """Smallest sets of known features, by inclusion, that keep all completions in ``wanted``."""
    known = [name for name in own if row.get(name) is not None]
    found = []
    for size in range(len(known) + 1):
        for names in itertools.combinations(known, size):
            if any(set(less) <= set(names) for less in found):
                continue
            part = {name: row[name] if name in names else None for name in own}
            if set(possible_classes(own, part, spec)) <= wanted:
                found.append(names)
    return {frozenset(names) for names in found}


@settings(max_examples=60)
@given(problems(max_features=3), st.data())
def test_explanations_of_rows(problem, data):
    """A reason's features are enough and none can be left out; necessary ones are in all of them.

    Of a tree each reason is a maximal box, so that features may repeat and be more than a set that
    is minimal; the smallest by inclusion are those of a sum of trees.
    """
    own, (spec,) = problem
    row = data.draw(partial_rows(own, spec))
    tree, names32 = tree_of(spec, own), float32_names(own)
    classes = possible_classes(own, row, spec)
    every = list(cells(own, spec))
    sets = minimal_sets(own, spec, row, classes) if len(classes) == 1 else set()
    for model in kinds_of_model(tree):
        why = model.explain(row)
        assert why.label == (next(iter(classes)) if len(classes) == 1 else None)
        assert set(why.possible) == classes
        reasons = list(why.reasons())
        of_reasons = {frozenset(reason.features) for reason in reasons}
        if why.label is None:
            assert (reasons, why.necessary, why.reason) == ([], (), None)
            assert why.witness is not None
            continue
        assert why.witness is None
        assert sets <= of_reasons
        if model is not tree:
            assert of_reasons == sets
        assert set(why.necessary) == set.intersection(*map(set, sets))
        assert len(why.shortest.features) == min(map(len, sets))
        for reason in reasons:
            inside = reason.covers(every)
            assert {decide(spec, one, names32) for one, there in zip(every, inside, strict=True)
                    if there} <= classes  # fmt: skip
        for change in why.changes():
            assert change.label != why.label


@settings(max_examples=40)
@given(problems(max_features=3), st.data())
def test_explanations_of_many_rows(problem, data):
    own, (spec,) = problem
    rows = [data.draw(partial_rows(own, spec)) for _ in range(4)]
    for model in kinds_of_model(tree_of(spec, own)):
        why = model.explain_all(rows)
        assert why.label.tolist() == model.predict(rows).tolist()
        assert len(why) == 4
        for i, row in enumerate(rows):
            one = model.explain(row)
            assert why.reasons[i] == one.reason
            assert (why[i].label, why[i].reason) == (one.label, one.reason)


@settings(max_examples=40)
@given(numbered())
def test_explanations_of_many_rows_of_numbers(problem):
    own, spec, rows = problem
    for model in kinds_of_model(tree_of(spec, own).replace(task="regression")):
        why = model.explain_all(rows)
        assert why.label.tolist() == model.predict(rows).tolist()
        lower, upper, _ = model.predict_interval(rows)
        assert list(why.intervals) == list(zip(lower.tolist(), upper.tolist(), strict=True))
        columns = why.to_dict()
        assert (columns["lower"], columns["upper"]) == (lower.tolist(), upper.tolist())
        for i, row in enumerate(rows):
            assert why.reasons[i] == model.explain(row).reason
            assert columns["reason"][i] == str(model.explain(row).reason)


def test_explanations_of_many_rows_of_numbers_in_a_frame():
    frame = pd.DataFrame({"age": [50, np.nan, 70, 70], "smoker": [np.nan, True, True, np.nan]},
                         index=list("wxyz"))  # fmt: skip
    for model in two_kinds(STAY, ("age", "smoker")):
        why = model.explain_all(frame)
        pd.testing.assert_series_equal(why.label, model.predict(frame))
        assert why.intervals[:] == [(2.5, 2.5), (2.5, 12.0), (12.0, 12.0), (7.5, 12.0)]
        assert [str(reason) for reason in why.reasons] == [
            "age <= 60", "always", "age > 60 AND smoker > 0.5", "age > 60"]  # fmt: skip


# -- other models --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_with_facts(seed):
    own = case(seed)
    if not own.possible:
        return
    tree = ol.read(own.specs[0], space=own.space().without_facts())
    rows = own.parts(4)
    answers = [{own.says(one) for one in own.completions(row)} for row in rows]
    status = [("impossible", "certain", "open")[min(len(some), 2)] for some in answers]
    for model in kinds_of_model(tree):
        facts = [*own.bounds, *(text for text, _ in own.facts)]
        there = model.with_facts(facts)
        assert type(there) is type(model)
        assert set(there.space.facts)
        assert not model.space.facts
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContradictingRows)
            assert there.predict(rows).tolist() == [
                next(iter(some)) if len(some) == 1 else None for some in answers
            ]
            assert [set(some) for some in there.possible(rows)] == answers
            assert there.status(rows).tolist() == status
        assert model.with_space(own.space()) == there


def test_with_another_space():
    wide = ol.Space({"other": "numeric", "b": "boolean", "a": "boolean"})
    for model in two_kinds():
        moved = model.with_space(wide)
        assert moved.space == wide
        rows = [{"a": 1, "b": 1}, {"a": 0}, {"other": 3, "a": 1}]
        assert moved.predict(rows).tolist() == ["yes", "no", None]
        assert model.with_space(model.space) == model


@settings(max_examples=40)
@given(numbered(), st.sampled_from([(0.25,), (1.0, 7.5), (-9.0, 3.0)]))
def test_discretize(problem, levels):
    """A number that is a level belongs to the class below it."""
    own, spec, rows = problem
    labels = ["low", "middle", "high"][: len(levels) + 1]
    for model in kinds_of_model(tree_of(spec, own).replace(task="regression")):
        there = model.discretize(levels, labels)
        assert type(there) is type(model)
        assert (there.task, there.classes) == ("classification", tuple(labels))
        for row, some in zip(rows, there.possible(rows), strict=True):
            numbers = possible_classes(own, row, spec)
            assert set(some) == {labels[sum(n > level for level in levels)] for n in numbers}


def wisconsin():
    X, y = np.random.default_rng(0).integers(0, 6, size=(150, 4)).astype(float), None
    y = np.where(X[:, 0] + X[:, 1] > X[:, 2] + 2, "ill", "ok")
    return X, y


def one_in_xgboost(**options):
    xgboost = pytest.importorskip("xgboost")
    return xgboost.XGBClassifier(n_estimators=6, max_depth=3, **options)


@pytest.mark.parametrize("make", [
    lambda: DecisionTreeClassifier(max_depth=3, random_state=0),
    lambda: RandomForestClassifier(5, max_depth=3, random_state=0),
    lambda: ExtraTreesClassifier(5, max_depth=3, random_state=0),
    lambda: GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0),
    one_in_xgboost,
], ids=["tree", "forest", "extra", "gradient", "xgboost"])  # fmt: skip
def test_decide_at_a_probability_that_is_hit(make):
    """At each probability of a row, at the floats beside it, and of both labels."""
    X, y = wisconsin()
    clf = make()
    boosted = type(clf).__module__.startswith("xgboost")
    clf.fit(X, y == "ok" if boosted else y)
    model = ol.read(clf)
    rng = np.random.default_rng(1)
    gaps = np.where(rng.random((20, 4)) < 0.3, np.nan, X[:20])
    for k, label in enumerate(model.classes):
        proba = clf.predict_proba(X)[:, k]
        some = np.unique(proba)
        for p in some[:: max(1, len(some) // 6)].tolist():
            for at in (p, np.nextafter(p, 0), np.nextafter(p, 1)):
                there = model.decide_at(label, float(at))
                assert there.classes == (False, True)
                expected = proba.astype(float) >= at
                if type(model) is ol.Tree and at > p > 0:  # shares that differ by rounding are one
                    expected = proba >= p
                assert (there.predict(X) == expected).all(), (label, p, at)
        middle = float(np.median(some))
        lower, upper, exact = model.predict_interval(gaps, of="probability")
        there = model.decide_at(label, middle)
        for low, high, is_exact, some_classes in zip(
            lower[:, k], upper[:, k], np.broadcast_to(np.c_[exact], lower.shape)[:, k],
            there.possible(gaps), strict=True,
        ):  # fmt: skip
            if is_exact and abs(low - middle) > 1e-6 and abs(high - middle) > 1e-6:
                assert some_classes == tuple(
                    answer for answer in (False, True) if (low < middle, high >= middle)[answer]
                )


def test_decide_at_is_about_one_of_the_classes():
    X, y = wisconsin()
    for clf in (DecisionTreeClassifier(max_depth=2), RandomForestClassifier(3, max_depth=2)):
        model = ol.read(clf.fit(X, y))
        with pytest.raises(InvalidTree, match="no class 'sick'"):
            model.decide_at("sick", 0.5)
        with pytest.raises(ValueError, match="probability"):
            model.decide_at("ill", 1.5)


def test_where_features_have_costs_both_ask_the_same():
    tree, ensemble = two_kinds()
    for costs in ({"a": 1, "b": 2}, {"a": 9, "b": 1}, {"a": 0, "b": 0}):
        rows = [[None, None], [1, None], [0, None]]
        asked = tree.ask_next(rows, costs).tolist()
        assert asked == ensemble.ask_next(rows, costs).tolist()
    assert tree.ask_next([[None, None]], {"a": 9, "b": 1}).tolist() == ["b"]
    for model in (tree, ensemble):
        with pytest.raises(InvalidTree, match="numbers"):
            model.ask_next([[None, None]], {"a": 1, "b": 2}, tolerance=0.5)


def test_what_to_ask_of_numbers():
    rows = [[50, None], [70, None], [None, True], [None, None], [70, False]]
    for model in two_kinds(STAY, ("age", "smoker")):
        for costs in (None, {"age": 1, "smoker": 1}):
            asked = model.ask_next(rows, costs).tolist()
            assert asked == [None, "smoker", "age", asked[3], None]
            assert asked[3] in ("age", "smoker")
            # 7.5 and 12 are near enough, 2.5 and 12 are not
            near = model.ask_next(rows, costs, tolerance=4.5).tolist()
            assert near == [None, None, "age", asked[3], None]
        assert model.ask_next([[None, None]], {"age": 9, "smoker": 0}).tolist() == ["smoker"]


@settings(max_examples=40)
@given(numbered(), st.sampled_from([None, 0.0, 3.0]))
def test_what_to_ask_of_random_trees_of_numbers(problem, tolerance):
    """Of a row that is not settled a feature on which its number depends."""
    own, spec, rows = problem
    names32 = float32_names(own)
    for model in kinds_of_model(tree_of(spec, own).replace(task="regression")):
        if not model.features:
            continue
        for costs in (None, dict.fromkeys(model.features, 1)):
            asked = model.ask_next(rows, costs, tolerance=tolerance).tolist()
            settled = ~np.ma.getmaskarray(model.predict(rows, tolerance=tolerance))
            assert [name is None for name in asked] == settled.tolist()
            for row, name in zip(rows, asked, strict=True):
                if name is None:
                    continue
                numbers = {}
                for cell in completions(own, row, spec):
                    rest = tuple(value for other, value in cell.items() if other != name)
                    numbers.setdefault(rest, set()).add(decide(spec, cell, names32))
                assert any(len(some) > 1 for some in numbers.values())


def test_probabilities_are_those_of_possible_rows():
    X = np.array([[low, high] for low in range(6) for high in range(low, 6)], dtype=float)
    y = np.where(X[:, 1] > 3, "ill", np.where(X[:, 0] > 1, "odd", "well"))
    y[::5] = "well"
    clf = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    tree = ol.read(clf, feature_names=["low", "high"]).with_facts(["low <= high"])
    rows = [{}, {"low": 3.0}, {"high": 2.0}, {"low": 5.0}, {"low": 2.0, "high": 4.0}]
    lower, upper, exact = tree.predict_interval(rows, of="probability")
    assert exact.all()
    for row, low, high in zip(rows, lower, upper, strict=True):
        known = [(own[0], own[1]) for own in itertools.product(np.arange(-1, 8, 0.25), repeat=2)
                 if own[0] <= own[1] and all(own[("low", "high").index(k)] == v
                                             for k, v in row.items())]  # fmt: skip
        shares = clf.predict_proba(np.array(known))
        assert np.array_equal(low, shares.min(axis=0))
        assert np.array_equal(high, shares.max(axis=0))
    with pytest.warns(ContradictingRows):
        lower, upper, _ = tree.predict_interval([{"low": 3, "high": 1}], of="probability")
    assert np.isnan(lower).all()
    assert np.isnan(upper).all()


# -- what the function decides, whatever its trees ------------------------------------------------


@settings(max_examples=40)
@given(problems(max_features=3), st.data())
def test_what_depends_on_the_function_alone(problem, data):
    own, (spec,) = problem
    rows = [data.draw(partial_rows(own, spec)) for _ in range(3)]
    tree, ensemble = kinds_of_model(tree_of(spec, own))
    assert tree.fingerprint == ensemble.fingerprint
    form = ol.canonicalize(ensemble)
    assert form == ol.canonicalize(tree)
    assert form.predict(rows).tolist() == ensemble.predict(rows).tolist()
    names = {}
    exec(ensemble.to_python(), names)
    known = [{k: v for k, v in row.items() if v is not None} for row in rows]
    assert [names["decide"](row) for row in known] == ensemble.predict(known).tolist()
    every = list(cells(own, spec))
    costs = {name: 1 + i for i, name in enumerate(own)}
    policies = [ol.cheapest_policy(model, every, costs) for model in (tree, ensemble)]
    assert policies[0].expected_cost == policies[1].expected_cost
    assert all(policy.optimal for policy in policies)
    assert policies[1].simulate(every)["decision"].tolist() == tree.predict(every).tolist()


def test_numbers_of_a_sum_have_a_name_and_code():
    tree, ensemble = two_kinds(STAY, ("age", "smoker"))
    assert ensemble.fingerprint == tree.fingerprint
    names = {}
    exec(ensemble.to_python("days"), names)
    assert [names["days"](row) for row in ({"age": 50}, {"age": 70})] == [2.5, None]
    assert "days" not in ensemble.to_javascript(module=False)
    policy = ol.cheapest_policy(ensemble, [[50, 0], [70, 1]], {"age": 1, "smoker": 2}, tolerance=5)
    assert policy.expected_cost == 1


def test_a_forest_of_many_cells_says_that_it_has_no_such_tree(monkeypatch):
    monkeypatch.setattr(splitting, "LEAVES", 50)
    random = np.random.default_rng(0)
    X, y = random.random((100, 8)), random.integers(0, 2, 100)
    forest = ol.read(RandomForestClassifier(20, random_state=0).fit(X, y))
    for ask in (lambda: forest.fingerprint, forest.to_python, forest.to_javascript,
                lambda: ol.canonicalize(forest)):  # fmt: skip
        with pytest.raises((TooLarge, OutOfTime), match=r"or make the tree with to_tree\(limit=,"):
            ask()


def test_what_is_about_the_splits_of_one_tree_refuses_sums():
    _, ensemble = two_kinds()
    rows, labels = [[0, 1], [1, 1], [1, 0]], ["no", "yes", "no"]
    for ask in (
        lambda: ol.cheapest_policy(ensemble, rows, {"a": 1, "b": 1}, method="path"),
        lambda: ol.cheapest_policy(ensemble, rows, {"a": 1, "b": 1}, method="naive"),
        lambda: ol.impurity_importance(ensemble, rows, labels),
        lambda: ol.importance_range(ensemble, rows, labels),
    ):
        with pytest.raises(UnreadableModel, match="needs one tree"):
            ask()


# -- what one kind cannot ------------------------------------------------------------------------


def test_what_is_not_asked_of_one_kind_says_why():
    tree, ensemble = two_kinds()
    with pytest.raises(InvalidTree, match="has no score"):
        tree.predict_interval([[1, 0]], of="score")
    with pytest.raises(InvalidTree, match="training rows"):
        ensemble.shares([[1, None]])
    number, sums = two_kinds(STAY, ("age", "smoker"))
    for ask in (sums.possible, lambda rows: sums.shares(rows, [[50, 0]])):
        with pytest.raises(InvalidTree, match=r"about classes.*discretize"):
            ask([[50, None]])
    for model in (number, sums):
        low, high = model.explain({"age": 70}).interval
        assert model.explain({"age": 70}, tolerance=3).interval == (low - 3, high + 3)
    for model in (number, sums):
        assert model.needed({"age": 70}, tolerance=9).label == 9.75
        assert model.needed({"age": 70}).settle == (("smoker",),)
    for model in (tree, ensemble):
        with pytest.raises(ValueError, match="of must be one of 'answer'"):
            model.predict_interval([[1, 0]], of="odds")
    for model in (number, sums):
        with pytest.raises(InvalidTree, match="classes"):
            model.decide_at(2.5, 0.5)


def test_forests_of_numbers_are_cut_as_their_trees_are():
    X, _ = wisconsin()
    number = X[:, 0] * 2 - X[:, 1]
    for clf in (DecisionTreeRegressor(max_depth=3), RandomForestRegressor(4, max_depth=3)):
        clf.set_params(random_state=0).fit(X, number)
        said = clf.predict(X)
        for level in np.unique(said)[::7].tolist():
            there = ol.read(clf).discretize([level], ["at most", "above"])
            assert (there.predict(X) == np.where(said <= level, "at most", "above")).all()
