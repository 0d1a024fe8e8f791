"""Model cards: numbers with intervals, what is proven, and what only people know."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.errors import InvalidData, InvalidParameter
from orderless.estimators import judge
from orderless.output.pages.card import interval


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 12), (12, 12), (3, 10), (97, 400)])
def test_intervals_are_those_of_scipy(hits, n):
    expected = binomtest(hits, n).proportion_ci(method="exact")
    assert interval(hits, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_intervals_hold():
    """Whatever the share is, the chance that the interval misses it is at most 5 %."""
    from scipy.stats import binom

    for n, share in ((5, 0.3), (20, 0.05), (30, 0.5)):
        missed = 0.0
        for hits in range(n + 1):
            low, high = interval(hits, n)
            missed += binom.pmf(hits, n, share) * (not low <= share <= high)
        assert missed <= 0.05


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 90, 120), "priors": rng.integers(0, 9, 120),
                      "sex": rng.integers(0, 2, 120)})  # fmt: skip
    y = np.where((X["priors"] > 3) & (X["age"] < 50), "yes", "no")
    return X, y, DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)


def line(card, title, name):
    (section,) = [s for s in card.sections if s.title == title]
    return dict(section.lines)[name]


def test_what_is_proven(rows):
    X, y, model = rows
    card = ol.model_card(model, X, y, name="m", intended_use="u", protected=["sex", "age", "race"])
    assert line(card, "What is proven", "ignores") == "sex"
    assert line(card, "What is proven", "protected: sex") == "Proven: sex makes no difference."
    assert line(card, "What is proven", "protected: age").startswith("age is used: these two ")
    assert line(card, "What is proven", "protected: race") == "not an input of the model"
    asked = ol.prove(model)
    for name in ("age", "priors"):
        up, down = (bool(asked.monotone(name, s, order=["no", "yes"])) for s in (1, -1))
        said = line(card, "What is proven", f"monotone in {name}")
        assert said.startswith("never lowers") == up
        assert said.startswith("never raises") == (down and not up)


def test_numbers_are_those_of_the_model(rows):
    X, y, model = rows
    test = judge(model, X[:40], y[:40])
    card = ol.model_card(model, X, y, {"age": 1, "priors": 2, "sex": 9}, name="m",
                         intended_use="u", held_out={"test rows": test}, license="apache-2.0",
                         target="arrested again", data="made up", authors="us")  # fmt: skip
    right = int((model.predict(X) == y).sum())
    low, high = interval(right, 120)
    expected = f"{right / 120:.1%} [{low:.1%}, {high:.1%}], {right} of 120"
    assert line(card, "Evaluation results", "accuracy on the training rows") == expected
    assert line(card, "Evaluation results", "accuracy on test rows").endswith(" of 40")
    policy = ol.cheapest_policy(model, X, {"age": 1, "priors": 2, "sex": 9})
    assert line(card, "What an answer costs", "on average").startswith(
        f"{policy.expected_cost:.4g}"
    )
    assert line(card, "Version", "tree").startswith(ol.read(model).fingerprint)
    assert line(card, "Data", "target") == "arrested again"
    content = json.loads(card.to_json())
    assert content["metadata"]["license"] == "apache-2.0"
    results = content["metadata"]["model-index"][0]["results"]
    assert [r["metrics"][0]["value"] for r in results] == [right / 120, test.accuracy]


def test_metadata_is_yaml(rows):
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the metadata as the hub does")
    X, y, model = rows
    card = ol.model_card(model, X, y, name='a "quoted": name #1', intended_use="u")
    head = card.to_markdown().split("---\n")[1]
    assert yaml.safe_load(head) == card.to_dict()["metadata"]


def test_numbers_three_classes_and_many_trees(rows):
    X, y, _ = rows
    numbers = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, X["age"] / 2)
    card = ol.model_card(numbers, X, X["age"] / 2, name="m", intended_use="u")
    assert card.metadata["pipeline_tag"] == "tabular-regression"
    assert line(card, "What is proven", "monotone in age") == "never lowers the answer"
    iris, kinds = load_iris(return_X_y=True)
    three = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris, kinds)
    card = ol.model_card(three, iris, kinds, name="m", intended_use="u")
    assert "have no order" in line(card, "What is proven", "monotone in its features")
    card = ol.model_card(three, iris, kinds, name="m", intended_use="u", order=[0, 1, 2])
    assert "(0 < 1 < 2)" in line(card, "What is proven", "monotone in x3")
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    card = ol.model_card(forest, X, y, name="m", intended_use="u", protected=["age"])
    assert "age is used" in line(card, "What is proven", "protected: age")
    assert [s.title for s in card.sections][-1] == "Version"
    with pytest.raises(InvalidParameter, match="costs= is for one tree"):
        ol.model_card(forest, X, y, {"age": 1}, name="m", intended_use="u")


def test_text_is_escaped(rows, tmp_path):
    X, y, model = rows
    card = ol.model_card(model, X, y, name="<i>n</i>", intended_use="<b>*x*</b>")
    for path in ("card.md", "card.html"):
        text = card.save(tmp_path / path).read_text(encoding="utf-8")
        assert "<b>" not in text
        assert "<i>" not in text.replace('"name": "<i>n</i>"', "")
    assert json.loads(card.save(tmp_path / "card.json").read_text())["name"] == "<i>n</i>"
    with pytest.raises(InvalidParameter, match=r"must end in \.md, \.html or \.json"):
        card.save(tmp_path / "card.txt")


def test_in_the_report(rows):
    X, y, model = rows
    page = ol.report(model, X, y, card={"intended_use": "Teaching.", "protected": ["sex"]}).html
    assert ">Model card<" in page
    assert "Proven: sex makes no difference." in page
    assert "Model card" not in ol.report(model, X, y).html
    with pytest.raises(InvalidParameter, match="did you mean 'target'"):
        ol.report(model, X, y, card={"intended_use": "x", "targt": "y"})
    with pytest.raises(InvalidParameter, match="must say the intended_use"):
        ol.report(model, X, y, card={})


def test_mistakes(rows):
    X, y, model = rows
    with pytest.raises(InvalidData, match="intended_use is empty"):
        ol.model_card(model, X, y, name="m", intended_use=" ")
    with pytest.raises(InvalidData, match="order does not fit the model"):
        ol.model_card(model, X, y, name="m", intended_use="u", order=["a", "b"])
