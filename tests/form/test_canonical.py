import itertools
import math

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import nested, partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidTree


def boxes(terms, kinds, spec):
    """Our terms as the oracle writes boxes: one set of bins per feature."""
    bins = oracle.bins_by_feature(kinds, spec)
    rounded = oracle.float32_names(kinds)
    out = []
    for term in terms:
        sides = {side.feature.name: side for side in term.sides}
        box = []
        for name in kinds:
            side = sides.get(name)
            if side is None:
                box.append(frozenset(bins[name]))
            elif side.feature.ordered:
                seen = [oracle.as_float32(v) if name in rounded else float(v) for v in bins[name]]
                has = side.has(np.array(seen))
                box.append(
                    frozenset(v for v, inside in zip(bins[name], has, strict=True) if inside)
                )
            else:
                box.append(frozenset(side.labels))
        out.append(tuple(box))
    return out


def small(kinds, spec, most=20_000):
    assume(oracle.n_boxes(kinds, spec) <= most)


@given(problems(max_features=4))
@settings(max_examples=300)
def test_reasons_are_all_maximal_boxes(problem):
    """Algorithm 4: against every box there is, for each class, in mixed spaces."""
    kinds, (spec,) = problem
    small(kinds, spec)
    form = ol.canonicalize(tree_of(spec, kinds))
    for label in form.classes:
        ours = boxes(form.reasons[label], kinds, spec)
        assert len(set(ours)) == len(ours)
        assert set(ours) == oracle.reasons(kinds, spec, label)


@given(problems(max_features=3))
@settings(max_examples=300)
def test_rules_are_a_smallest_cover(problem):
    """Algorithm 1: the fewest reasons that cover the class, by trying all choices."""
    kinds, (spec,) = problem
    small(kinds, spec, 5000)
    form = ol.canonicalize(tree_of(spec, kinds))
    for label in form.classes:
        reasons = oracle.reasons(kinds, spec, label)
        assume(math.comb(len(reasons), min(len(reasons), 4)) < 3000)
        ours = boxes(form.rules[label], kinds, spec)
        assert set(ours) <= reasons
        assert len(ours) == oracle.smallest_cover_size(kinds, spec, label, reasons)
        assert form.bounds[label] == len(ours)


@given(problems(max_features=3))
@settings(max_examples=200)
def test_among_the_smallest_covers_the_first_is_taken(problem):
    """Fewest rules, then fewest conditions, then first in the order of the reasons."""
    kinds, (spec,) = problem
    small(kinds, spec, 5000)
    form = ol.canonicalize(tree_of(spec, kinds))
    rounded = oracle.float32_names(kinds)
    for label in form.classes:
        terms = form.reasons[label]
        size = len(form.rules[label])
        assume(math.comb(len(terms), size) < 3000)
        cells = [
            row for row in oracle.cells(kinds, spec) if oracle.decide(spec, row, rounded) == label
        ]
        if not cells:
            assert form.rules[label] == ()
            continue
        covered = [term.covers(cells) for term in terms]
        complete = [
            chosen
            for chosen in itertools.combinations(range(len(terms)), size)
            if np.logical_or.reduce([covered[i] for i in chosen]).all()
        ]
        best = min(complete, key=lambda c: (sum(terms[i].n_conditions for i in c), c))
        assert form.rules[label] == tuple(terms[i] for i in best)


@given(problems(max_features=4), st.data())
@settings(max_examples=200)
def test_proposition_3_1_faithful(problem, data):
    """On complete rows exactly the class's own rules and reasons hold."""
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    rounded = oracle.float32_names(kinds)
    rows = list(itertools.islice(oracle.cells(kinds, spec), 200))
    said = [oracle.decide(spec, row, rounded) for row in rows]
    assert form.predict(rows).tolist() == said
    for terms in (form.rules, form.reasons):
        for label in form.classes:
            hold = np.zeros(len(rows), dtype=bool)
            for term in terms[label]:
                hold |= term.covers(rows)
            assert hold.tolist() == [s == label for s in said]


@given(problems(max_features=4), st.data())
@settings(max_examples=200)
def test_theorem_3_2_complete(problem, data):
    """A class is certain for a row with unknowns iff one of its reasons holds already."""
    kinds, (spec,) = problem
    row = data.draw(partial_rows(kinds, spec))
    form = ol.canonicalize(tree_of(spec, kinds))
    possible = oracle.possible_classes(kinds, row, spec)
    for label in form.classes:
        certain = any(term.covers([row])[0] for term in form.reasons[label])
        assert certain == (possible == {label})


@given(problems(max_features=4))
@settings(max_examples=150)
def test_proposition_3_3_succinct(problem):
    """No condition of a rule can be left out: the rest also holds for another class."""
    kinds, (spec,) = problem
    small(kinds, spec)
    form = ol.canonicalize(tree_of(spec, kinds))
    names = list(kinds)
    certain = dict(oracle.all_boxes(kinds, spec))
    for label in form.classes:
        for box in boxes(form.rules[label], kinds, spec):
            assert certain[box] == {label}
            for i in range(len(names)):
                bins = frozenset(oracle.bins_by_feature(kinds, spec)[names[i]])
                if box[i] == bins:
                    continue
                wider = (*box[:i], bins, *box[i + 1 :])
                assert certain[wider] != {label}


@given(problems(n_trees=2, max_features=3), st.data())
@settings(max_examples=200)
def test_theorem_3_4_canonical(problem, data):
    """Forms are equal, and written with the same bytes, iff the functions are the same."""
    kinds, (a, b) = problem
    same = oracle.same_function(kinds, a, b)
    form_a, form_b = (ol.canonicalize(tree_of(spec, kinds)) for spec in (a, b))
    assert (form_a == form_b) == same
    if same:
        assert hash(form_a) == hash(form_b)
    # Another order of the same tree: ask one of its conditions first.
    tests = list(oracle.tests_of(a))
    if tests:
        name, test = data.draw(st.sampled_from(tests))
        other = ol.canonicalize(tree_of(("split", name, test, a, a), kinds))
        if other.classes == form_a.classes:
            assert other.to_json() == form_a.to_json()
            assert other.rules == form_a.rules
            assert other.reasons == form_a.reasons
            assert [str(t) for ts in other.rules.values() for t in ts] == [
                str(t) for ts in form_a.rules.values() for t in ts
            ]


def test_every_function_of_three_booleans():
    """All 256: reasons are the prime implicants; rules are as few as can be, whatever the tree."""
    names = ("a", "b", "c")
    kinds = dict.fromkeys(names, "boolean")
    seen = {}
    space = ol.Space.independent(names)
    specs = list(oracle.all_boolean_trees(names))
    trees = ol.read_many([nested(spec) for spec in specs], space=space)
    groups = ol.group_equivalent(trees)
    assert len(groups) == 256
    for group in groups:
        forms = [ol.canonicalize(trees[i]) for i in (group[0], group[-1])]
        spec = specs[group[0]]
        texts = []
        for form in forms:
            written = {}
            for label in (0, 1):
                if label in form.classes:
                    ours = set(boxes(form.reasons[label], kinds, spec))
                    assert ours == oracle.reasons(kinds, spec, label)
                    smallest = oracle.smallest_cover_size(kinds, spec, label, ours)
                    assert len(form.rules[label]) == smallest
                    written[label] = [str(term) for term in form.rules[label]]
            texts.append(written)
        assert texts[0] == texts[1]
        seen[str(texts[0])] = group
    assert len(seen) == 256


def test_the_papers_second_figure():
    """DNF (x1 and x2) or (not x1 and x3), and the third reason x2 and x3."""
    leaf = {0: {"prediction": 0}, 1: {"prediction": 1}}
    tree = ol.read(
        {
            "feature": "x1",
            "true": {"feature": "x2", "true": leaf[1], "false": leaf[0]},
            "false": {"feature": "x3", "true": leaf[1], "false": leaf[0]},
        },
        feature_names=["x1", "x2", "x3"],
    )
    form = ol.canonicalize(tree)
    assert {str(t) for t in form.rules[1]} == {"x1 AND x2", "not x1 AND x3"}
    assert {str(t) for t in form.reasons[1]} == {"x1 AND x2", "not x1 AND x3", "x2 AND x3"}
    assert {str(t) for t in form.rules[0]} == {"x1 AND not x2", "not x1 AND not x3"}


def test_constant_trees():
    for label in (0, "yes", True):
        form = ol.canonicalize({"prediction": label})
        assert form.rules[label] == form.reasons[label]
        assert [str(term) for term in form.rules[label]] == ["always"]
        assert form.rules[label][0].n_conditions == 0
        assert form.features == ()
    space = ol.Space.independent(["a"])
    tree = ol.Tree(space, [0, 1], feature=[-1], threshold=[0], when_true=[-1], when_false=[-1],
                   leaf_class=[1])  # fmt: skip
    form = ol.canonicalize(tree)
    assert form.rules == {0: (), 1: form.rules[1]}
    assert ol.canonicalize(form).rules == form.rules


def test_a_split_that_does_not_matter_is_gone():
    leaf = {"prediction": 1}
    split = {"feature": 0, "true": {"feature": 1, "true": leaf, "false": leaf}, "false": leaf}
    assert [str(term) for term in ol.canonicalize(split).rules[1]] == ["always"]


@given(problems(max_features=4))
@settings(max_examples=200)
def test_rules_that_are_not_exact_cannot_lose_a_rule(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    quick, exact = ol.canonicalize(tree, exact=False), ol.canonicalize(tree)
    rounded = oracle.float32_names(kinds)
    rows = list(itertools.islice(oracle.cells(kinds, spec), 300))
    said = np.array([oracle.decide(spec, row, rounded) for row in rows], dtype=object)
    for label in tree.classes:
        terms = quick.rules[label]
        assert set(terms) <= set(exact.reasons[label])
        assert quick.bounds[label] <= len(exact.rules[label]) <= len(terms)
        hold = [term.covers(rows) for term in terms]
        if len(rows) < 300:  # all cells are there
            assert np.array_equal(np.logical_or.reduce([np.zeros(len(rows), bool), *hold]),
                                  said == label)  # fmt: skip
            for i in range(len(terms)):
                rest = np.logical_or.reduce([np.zeros(len(rows), bool), *hold[:i], *hold[i + 1 :]])
                assert not np.array_equal(rest, said == label)


@given(problems(max_features=4))
@settings(max_examples=150)
def test_json_round_trip(problem):
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    text = form.to_json()
    again = ol.CanonicalForm.from_json(text)
    assert again == form
    assert again.rules == form.rules
    assert again.to_json() == text


def test_json_that_is_not_a_form_is_refused():
    form = ol.canonicalize({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    text = form.to_json()
    for i in range(len(text)):
        with pytest.raises(InvalidTree):
            ol.CanonicalForm.from_json(text[:i])
    for old, new, said in [
        ('"version": 2', '"version": 4', "version"),
        ('"orderless-form"', '"orderless-tree"', "format"),
        (f'"{form.fingerprint}"', '"00"', "fingerprint"),
        ('"x0", "at_most"', '"x9", "at_most"', "no feature 'x9'"),
        ('"at_most": 0.0', '"at_most": "a"', "interval"),
        ('"rules": [[', '"rules": [[[],', "another class"),
        ('"exact": true', '"exact": 1', "exact"),
    ]:
        assert old in text, old
        with pytest.raises(InvalidTree, match=said):
            ol.CanonicalForm.from_json(text.replace(old, new, 1))


def test_terms_compare_by_what_they_say():
    space = ol.Space({"p": "numeric", "q": "numeric"})
    cut = {"feature": "p", "relation": "<=", "reference": 3, "true": {"prediction": 0},
           "false": {"prediction": 1}}  # fmt: skip
    a = ol.canonicalize(ol.read(cut, space=space))
    more = {"feature": "q", "relation": "<=", "reference": 3, "true": cut, "false": cut}
    b = ol.canonicalize(ol.read(more, space=space))
    assert a.rules[0][0] == b.rules[0][0]
    assert hash(a.rules[0][0]) == hash(b.rules[0][0])
    assert a.rules[0][0] != a.rules[1][0]
    assert a.rules[0][0] != "p <= 3"
    assert repr(a.rules[0][0]) == "Term(p <= 3)"
    assert len(a.rules[0][0]) == 1


def test_words_for_sides():
    color = ol.Feature("color", "categorical", categories=("red", "green", "blue", "grey"))
    space = ol.Space(
        [ol.Feature("age", values="integer"), ol.Feature("t", values="float32"), color]
    )

    def rule(feature, relation, reference):
        tree = {"feature": feature, "relation": relation, "reference": reference,
                "true": {"prediction": 1}, "false": {"prediction": 0}}  # fmt: skip
        form = ol.canonicalize(ol.read(tree, space=space))
        return str(form.rules[1][0]), str(form.rules[0][0])

    assert rule("age", "<=", 24.5) == ("age <= 24", "age > 24")
    assert rule("t", "<=", 0.1) == ("t < 0.1", "t >= 0.1")
    assert rule("t", "<=", 24.5) == ("t <= 24.5", "t > 24.5")
    assert rule("color", "in", ["red"]) == ("color = red", "color != red")
    assert rule("color", "in", ["red", "blue"]) == (
        "color in {red, blue}", "color in {green, grey}")  # fmt: skip


def test_known_numbers_of_the_papers_data(shared, monkeypatch):
    """Coupon at depth 6 and Broward at depth 5 on raw features, checked once by brute force."""
    from sklearn.tree import DecisionTreeClassifier

    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    X, y = ol.datasets.load("coupon")
    clf = DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, y)
    form = ol.canonicalize(clf)
    assert sum(len(terms) for terms in form.reasons.values()) == 69_271
    for label in form.classes:
        hold = np.zeros(len(X), dtype=bool)
        for term in form.rules[label]:
            hold |= term.covers(X)
        assert np.array_equal(hold, clf.predict(X) == label)
