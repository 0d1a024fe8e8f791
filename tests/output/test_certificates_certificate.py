"""Certificates: what they state, how they are written and checked."""

import json

import numpy as np
import pytest
from certificate_cases import of_bits
from hypothesis import given, settings
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidParameter
from orderless.output.certificates import equivalence_certificate


@settings(max_examples=60, deadline=None)
@given(problems(n_trees=1, max_features=4))
def test_what_is_certified_is_what_the_form_says(problem):
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    certificate = form.certificate()
    assert certificate.check()
    assert certificate.not_stated == ()  # these are small
    content = certificate.content
    stated = content["stated"].values()
    assert [own["bound"] for own in stated] == list(form.bounds.values())
    assert [len(own["rules"]) for own in stated] == [len(own) for own in form.rules.values()]
    assert [len(own["reasons"]) for own in stated] == [len(own) for own in form.reasons.values()]
    assert all(own["complete"] for own in stated)
    assert ol.check_certificate(certificate, model=form.tree)[-1].startswith("The tree is the one")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).round(2)
    y = (X[:, 0] * X[:, 1] > X[:, 2]).astype(int)
    return X, y, DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, y)


def test_large_trees_say_what_is_not_stated(fitted):
    _, _, model = fitted
    form = ol.canonicalize(model)
    certificate = form.certificate(reasons=5)
    assert certificate.not_stated[0].startswith("Reasons are not stated: there are ")
    assert certificate.check()[-1].endswith("Reasons: 0; perhaps not all.")
    quick = ol.canonicalize(model, exact=False).certificate()
    assert "exact=False" in quick.not_stated[0]
    assert sum("needs all of its" in line for line in quick.not_stated) == 2
    assert quick.check()[-1].endswith("; at least 0 needed. Reasons: 0; perhaps not all.")


def test_numbers_and_decisions(fitted):
    X, _, model = fitted
    regression = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, X[:, 0] + X[:, 1])
    tree = ol.read(regression)
    assert ol.canonicalize(tree).certificate().check()
    assert ol.canonicalize(tree.discretize([0.0, 1.0])).certificate().check()
    risk = ol.read(model).decide_at(1, 0.4)
    assert ol.canonicalize(risk).certificate().check()


def test_files(tmp_path, fitted):
    form = ol.canonicalize(fitted[2])
    certificate = form.certificate()
    path = certificate.save(tmp_path / "c.json")
    assert ol.check_certificate(path) == certificate.check()
    assert ol.check_certificate(str(path)) == ol.check_certificate(path.read_bytes())
    assert certificate.text == form.certificate().text
    assert repr(certificate).startswith("Certificate(form, ")
    other = DecisionTreeClassifier(max_depth=2, random_state=0).fit(*fitted[:2])
    with pytest.raises(InvalidData, match="about another tree"):
        ol.check_certificate(path, model=other)
    with pytest.raises(InvalidData, match="expected a Certificate, a path, or JSON text, got an i"):
        ol.check_certificate(7)
    with pytest.raises(InvalidData, match=r"not valid: an object must have .'format', 'version'"):
        ol.check_certificate("{}")


def test_wrong_parameters(fitted):
    form = ol.canonicalize(fitted[2])
    with pytest.raises(InvalidParameter, match="reasons=-1: give a whole number"):
        form.certificate(reasons=-1)


def test_labels_that_look_alike_have_names_that_differ():
    """Names are texts; 1 and "1" are written with quotes where both are there."""
    leaves = {"true": {"prediction": "a"}, "false": {"prediction": "b"}}
    space = ol.Space(
        [ol.Feature("ward", "categorical", categories=("missing", 1, "1"), other=True, nan=True)]
    )
    ward = {"feature": "ward", "relation": "in", "reference": ["missing", 1], **leaves}
    tree = ol.read(ward, space=space)
    content = ol.canonicalize(tree).certificate().content
    (feature,) = content["features"]
    assert feature["sets"] == [["1", "'missing'"], ["'1'", "other", "missing"]]
    assert ol.check_certificate(json.dumps(content), model=tree)
    feature["sets"][0][0] = "2"
    with pytest.raises(InvalidData, match="about another tree"):
        ol.check_certificate(json.dumps(content), model=tree)


def test_the_file_has_every_split_of_the_tree(fitted):
    """Read as the page says, its nodes are the conditions of the tree, one by one."""
    tree = ol.read(fitted[2])
    content = ol.canonicalize(tree).certificate().content
    cuts = {own["name"]: own["cuts"] for own in content["features"]}
    splits = sorted((n[0], cuts[n[0]][n[1].count("1") - 1]) for n in content["trees"][0]
                    if isinstance(n, list))  # fmt: skip
    inner = np.flatnonzero(tree.nodes.feature >= 0)
    assert splits == sorted(
        (tree.features[tree.nodes.feature[i]], tree.nodes.threshold[i]) for i in inner
    )


@settings(max_examples=60, deadline=None)
@given(problems(n_trees=2, max_features=3))
def test_two_trees(problem):
    kinds, (one, other) = problem
    a, b = tree_of(one, kinds), tree_of(other, kinds)
    assert equivalence_certificate(a, a.minimize()).check()
    if ol.equivalent(a, b):
        assert equivalence_certificate(a, b).check()
    else:
        with pytest.raises(InvalidData, match="the two trees are not the same; they differ for"):
            equivalence_certificate(a, b)


def test_two_trees_of_different_spaces_and_classes():
    wide, narrow = ol.Space({"age": float, "ward": ["a", "b", "c"]}), ol.Space({"ward": ["a", "b"]})
    leaf = {"true": {"prediction": "x"}, "false": {"prediction": "y"}}
    ward = {"feature": "ward", "relation": "in", "reference": ["a"], **leaf}
    one, two = ol.read(ward, space=wide), ol.read(ward, space=narrow)
    certificate = equivalence_certificate(one, two)
    assert certificate.content["features"][-1]["sets"] == [["a"], ["b"]]
    assert certificate.check() == ("Both trees give every row the same class.",)
    with pytest.raises(InvalidParameter, match="about two trees"):
        ol.check_certificate(certificate, model=one)


# -- policies --------------------------------------------------------------------------------------


def test_a_policy_of_real_size(fitted):
    X, y, _ = fitted
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    costs = {f"x{i}": cost for i, cost in enumerate([1, 0.25, 3, 0.1, 2])}
    policy = ol.cheapest_policy(model, X, costs)
    certificate = policy.certificate()
    assert certificate.not_stated == ()
    content = certificate.content
    stated = content["stated"]
    unit = stated["unit"][0] / stated["unit"][1]
    assert stated["cost"] * unit / 400 == pytest.approx(policy.expected_cost)
    assert stated["bound"] == stated["cost"]
    assert certificate.check()[-1].startswith("Nothing that always ends with the answer costs less")
    stated["bound"] += 1
    with pytest.raises(InvalidData, match="it can be cheaper than the bound"):
        ol.check_certificate(json.dumps(content))


def test_policies_whose_bound_is_not_stated(fitted):
    X, _, model = fitted
    costs = {f"x{i}": 1 + i for i in range(5)}
    for options, why in (
        ({"method": "path"}, "'path' proves no bound"),
        ({"budget": 4}, "with a budget"),
    ):
        certificate = ol.cheapest_policy(model, X, costs, **options).certificate()
        assert why in certificate.not_stated[0]
        assert certificate.check()[-1].endswith("costs less than 0 (expected).")


def test_policies_that_have_no_certificate(fitted):
    X, _, model = fitted
    costs = {f"x{i}": 1 for i in range(5)}
    policy = ol.cheapest_policy(model, X, costs)
    with pytest.raises(InvalidData, match="has no training rows"):
        ol.Policy.from_json(policy.to_json()).certificate()
    numbers = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, X[:, 0])
    with pytest.raises(InvalidData, match="ends with intervals"):
        ol.cheapest_policy(numbers, X, costs, tolerance=0.5).certificate()


def test_a_policy_with_groups_pays_for_each_once():
    """Features of one purchase are asked for one after the other, and paid for together."""
    names = list("abc")
    tree = ol.read(of_bits("00010111", names), feature_names=names)
    X = [[i >> k & 1 for k in range(3)] for i in range(8)]
    groups = {"pair": ["a", "b"]}
    policy = ol.cheapest_policy(tree, X, {"pair": 3, "c": 2}, groups=groups)
    certificate = policy.certificate()
    assert certificate.not_stated == ()
    stated = certificate.content["stated"]
    assert stated["purchases"] == [[2, "c"], [3, "a", "b"]]
    unit = stated["unit"][0] / stated["unit"][1]
    assert stated["cost"] * unit / 8 == pytest.approx(policy.expected_cost)
    assert certificate.check()
