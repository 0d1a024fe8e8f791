"""Certificates: what they state, how they are written and checked."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidParameter, InvalidTree
from orderless.output.certificates import checker


@settings(max_examples=60, deadline=None)
@given(problems(n_trees=1, max_features=4))
def test_what_is_certified_is_what_the_form_says(problem):
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    certificate = form.certificate()
    assert certificate.check()
    assert certificate.not_stated == ()  # these are small
    content = certificate.content
    assert [own["bound"] for own in content["fewest"]] == list(form.bounds.values())
    assert [len(own) for own in content["reasons"]] == [len(own) for own in form.reasons.values()]
    assert content["complete"] == [True] * len(form.classes)
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
    assert certificate.check()[-1] == "Not stated: reasons."
    quick = ol.canonicalize(model, exact=False).certificate()
    assert "exact=False" in quick.not_stated[0]
    assert sum("needs all of its" in line for line in quick.not_stated) == 2
    assert quick.check()[-3].endswith("not stated how many are needed.")


def test_numbers_and_decisions(fitted):
    X, _, model = fitted
    regression = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, X[:, 0] + X[:, 1])
    tree = ol.read_tree(regression)
    assert ol.canonicalize(tree).certificate().check()
    assert ol.canonicalize(tree.cut([0.0, 1.0])).certificate().check()
    risk = ol.read_tree(model).decide_at(1, 0.4)
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
    with pytest.raises(InvalidData, match="not valid: 'format' is missing"):
        ol.check_certificate("{}")


def test_wrong_parameters(fitted):
    form = ol.canonicalize(fitted[2])
    with pytest.raises(InvalidParameter, match="reasons=-1: give a whole number"):
        form.certificate(reasons=-1)
    with pytest.raises(InvalidParameter, match="'python', 'javascript'"):
        checker("cobol")
    big = ol.read_tree({"feature": 0, "true": {"prediction": 2**53}, "false": {"prediction": 1}})
    with pytest.raises(InvalidTree, match="beyond 2"):
        ol.canonicalize(big).certificate()


@settings(max_examples=60, deadline=None)
@given(problems(n_trees=2, max_features=3))
def test_two_trees(problem):
    kinds, (one, other) = problem
    a, b = tree_of(one, kinds), tree_of(other, kinds)
    assert ol.equivalence_certificate(a, ol.smallest_tree(a)).check()
    if ol.equivalent(a, b):
        assert ol.equivalence_certificate(a, b).check()
    else:
        with pytest.raises(InvalidData, match="the two trees are not the same; they differ for"):
            ol.equivalence_certificate(a, b)


def test_two_trees_of_different_spaces_and_classes():
    wide, narrow = ol.Space({"age": float, "ward": ["a", "b", "c"]}), ol.Space({"ward": ["a", "b"]})
    leaf = {"true": {"prediction": "x"}, "false": {"prediction": "y"}}
    ward = {"feature": "ward", "relation": "in", "reference": ["a"], **leaf}
    one, two = ol.read_tree(ward, space=wide), ol.read_tree(ward, space=narrow)
    certificate = ol.equivalence_certificate(one, two)
    assert certificate.content["space"]["features"][-1]["categories"] == ["a", "b"]
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
    unit = content["unit"][0] / content["unit"][1]
    assert content["cost"] * unit / 400 == pytest.approx(policy.expected_cost)
    assert content["bound"] == content["cost"]
    assert certificate.check()[-1].startswith("Nothing that always ends with the answer costs less")
    content["bound"] += 1
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
        assert certificate.check()[-1] == "Not stated: how cheap it can be."


def test_policies_that_have_no_certificate(fitted):
    X, _, model = fitted
    costs = {f"x{i}": 1 for i in range(5)}
    policy = ol.cheapest_policy(model, X, costs)
    with pytest.raises(InvalidData, match="has no training rows"):
        ol.Policy.from_json(policy.to_json()).certificate()
    numbers = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, X[:, 0])
    with pytest.raises(InvalidData, match="ends with intervals"):
        ol.cheapest_policy(numbers, X, costs, within=0.5).certificate()
