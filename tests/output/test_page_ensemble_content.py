"""The page of an ensemble as text: what it says of itself, and what is refused."""

import itertools
import json
import re
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sums import Sum, leaf_of

import orderless as ol
from orderless import Ensemble
from orderless.errors import (
    InvalidData,
    InvalidParameter,
    InvalidSpace,
    InvalidTree,
    UnreadableModel,
)
from orderless.model import Adding, Rule
from tests.output.test_page_app import Page

X, Y = load_iris(return_X_y=True, as_frame=True)


def forest(n_classes=3, **options):
    chosen = n_classes > Y
    options = {"n_estimators": 10, "max_depth": 3, "random_state": 0, **options}
    return RandomForestClassifier(**options).fit(X[chosen], Y[chosen])


def page_content(page):
    return json.loads(re.search(r"const PAGE = (\{.*\});\n", page).group(1))


def model_content(page):
    return json.loads(re.search(r"const MODEL = (\{.*\});\n", page).group(1))


def test_a_model_is_read_as_read_ensemble_reads_it():
    model = forest()
    page = ol.write_page(model)
    assert page == ol.write_page(ol.read(model))
    assert "the 10 trees of the model decide together" in page
    assert "What does the model decide?" in page
    assert model_content(page)["classes"] == [0, 1, 2]
    assert len(model_content(page)["roots"]) == 10
    assert "function walk(" not in page
    assert "function* search(" not in ol.write_page(model.estimators_[0])


def test_the_page_is_complete_safe_and_always_the_same():
    rng = np.random.default_rng(1)
    model = Sum(rng, n_features=7, n_trees=5).ensemble
    text = ol.write_page(model, title="</script><img src=x>", units={"count": "<i>"})
    page = Page(text)
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert not page.all("img")
    assert not page.all("i")
    assert text == ol.write_page(model, title="</script><img src=x>", units={"count": "<i>"})
    for word in ("fetch(", "XMLHttpRequest", "eval(", "localStorage", "sendBeacon", "Worker("):
        assert word not in page.said["script"][0]
    (policy,) = [m["content"] for m in page.all("meta")
                 if m.get("http-equiv") == "Content-Security-Policy"]  # fmt: skip
    assert "blob" not in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("model", "gauge"),
    [
        (forest(2), (1, True, [0, 1], "Probability of 1")),
        (forest(3), (None, False, [0, 0], "")),
    ],
)
def test_the_gauge_shows_a_probability_of_two_classes(model, gauge):
    content = page_content(ol.write_page(model))
    assert tuple(content[key] for key in ("gauge", "percent", "scale", "measure")) == gauge


def test_the_gauge_of_numbers_has_the_scale_of_all_sums():
    model = RandomForestRegressor(5, max_depth=2, random_state=0).fit(X, Y * 10.0)
    content = page_content(ol.write_page(model))
    assert content["gauge"] == 0
    assert not content["percent"]
    ensemble = ol.read(model)
    ends = [sum(end(own) for own in ensemble.kernel.values) / 5 for end in (np.min, np.max)]
    assert content["scale"] == pytest.approx(ends)
    assert "function drawGauge" in ol.write_page(model)
    assert "function drawGauge" not in ol.write_page(forest(3))


def test_scores_that_are_no_shares_are_called_scores():
    tree = ol.Tree(ol.Space({"a": "numeric"}), [0, 1], feature=[0, -1, -1], threshold=[1, 0, 0],
                   when_true=[1, -1, -1], when_false=[2, -1, -1],
                   leaf_class=[-1, 0, 1])  # fmt: skip
    options = {"classes": ["low", "high"], "adding": Adding(), "rule": Rule("cuts", (2.0,))}
    content = page_content(ol.write_page(Ensemble([tree, tree], [[[1], [2]]] * 2, **options)))
    assert (content["measure"], content["scale"]) == ("Score", [2, 4])
    options = {"classes": ["low", "high"], "adding": Adding(base=(0, 0)), "rule": Rule("largest")}
    content = page_content(ol.write_page(Ensemble([tree], [[[1, 2], [2, 0]]], **options)))
    assert content["measure"] == "Score"


def test_sums_stay_below_two_to_the_fifty():
    """Whatever the numbers are, in the unit that the page takes."""
    for seed in range(40):
        model = Sum(np.random.default_rng(seed)).ensemble.kernel
        whole = model.whole_within(50)
        first = np.cumsum([0, *(len(own) for own in model.values)])
        largest = np.abs(whole.base)
        for start, end in itertools.pairwise(first.tolist()):
            largest = largest + np.abs(whole.values[start:end]).max(axis=0)
        assert (largest <= 2**50).all()


def test_the_slack_of_the_pages_unit_covers_the_rounding_of_the_library():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        model = Sum(rng)
        whole = model.ensemble.kernel.whole_within(50)
        first = np.cumsum([0, *(len(own) for own in model.values)])
        rows = model.completions({})
        for k in rng.integers(len(rows), size=20).tolist():
            leaves = [leaf_of(tree, model.features, rows[k]) for tree in model.trees]
            total = whole.base + sum(
                whole.values[at + leaf] for at, leaf in zip(first, leaves, strict=False)
            )
            for own, units, slack in zip(model.sums(rows[k]), total, whole.slack, strict=True):
                off = abs(Fraction(float(own)) / Fraction(2) ** whole.exponent - int(units))
                assert off <= int(slack)


@pytest.mark.parametrize(
    ("options", "fault", "said"),
    [
        ({"policy": forest().estimators_[0]}, InvalidParameter, "policy is for a page of one tree"),
        (
            {"tolerance": 1},
            InvalidParameter,
            "tolerance is for a page of one tree: .* leave out tolerance=",
        ),
        ({"limit": 20}, InvalidTree, r"leaves in 10 trees .* at most limit=20, .*fewer or shallow"),
        ({"class_names": {3: "x"}}, InvalidData, "no class 3; the classes are 0, 1, 2"),
        ({"class_names": {1: "x", 2: "x"}}, InvalidData, "two classes would both be called 'x'"),
        ({"costs": {"petal width (cm)": 1}}, InvalidData, "no cost for"),
        ({"examples": [{"petal": 1}]}, InvalidSpace, "no feature 'petal'"),
        ({"examples": [{"petal width (cm)": "x"}]}, InvalidData, "petal width"),
    ],
)
def test_wrong_options(options, fault, said):
    with pytest.raises(fault, match=said):
        ol.write_page(forest(), **options)


def test_what_is_neither_a_tree_nor_a_sum():
    with pytest.raises(UnreadableModel, match="cannot read a LogisticRegression"):
        ol.write_page(LogisticRegression(max_iter=1000).fit(X, Y))


def test_class_names_are_shown():
    page = ol.write_page(forest(2), class_names={1: "Iris versicolor"})
    assert page_content(page)["classes"] == ["0", "Iris versicolor"]
    assert page_content(page)["measure"] == "Probability of Iris versicolor"


def test_how_long_an_answer_may_take():
    assert page_content(ol.write_page(forest()))["limit"] == 500
    page = ol.write_page(forest(), time_limit=2)
    assert page_content(page)["limit"] == 2000
    assert "What is not worked out in 2 s is called undecided." in page
    with pytest.raises(InvalidParameter, match="time_limit"):
        ol.write_page(forest(), time_limit=-1)
    with pytest.raises(InvalidParameter, match="time_limit is for a page of an ensemble"):
        ol.write_page(forest().estimators_[0], time_limit=1)
