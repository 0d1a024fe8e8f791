"""Risk thresholds: every decision that a share leads to, against scikit-learn's probabilities."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.errors import InvalidData, InvalidTree
from orderless.output.pages import risk_thresholds

mpl.use("agg")


def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    return X, y, DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0).fit(X, y)


def test_every_threshold_is_there():
    """The decision at any threshold is that of the line into which it falls."""
    X, y, model = cancer()
    costs = {name: 1 + i % 3 for i, name in enumerate(X)}
    found = risk_thresholds(model, X, y, costs)
    assert found.label == "malignant"  # the rarer one
    risk = model.predict_proba(X)[:, list(model.classes_).index("malignant")]
    table = found.table
    assert table["probability"].tolist() == pytest.approx(np.unique(risk).tolist())
    assert table["above"].tolist() == [0.0, *table["probability"][:-1]]
    tree, ill = ol.read(model), (y == "malignant").to_numpy()
    for line in table.to_dict("records"):
        middle = (line["above"] + line["probability"]) / 2
        for at in {middle, line["probability"]} - {line["above"]} | {line["probability"]}:
            yes = risk >= at * (1 - 1e-12)
            assert line["flagged"] == yes.mean()
            assert line["found"] == yes[ill].mean()
            assert line["false alarms"] == yes[~ill].mean()
            decision = tree.decide_at("malignant", at)
            rules = ol.canonicalize(decision).rules
            assert line["rules"] == sum(map(len, rules.values()))
            assert line["minimal"]
            gaps = ol.coverage(decision, X, [0.3], n_repeats=5).table.query("way == 'determined'")
            assert line["certain"] == pytest.approx(gaps["answered"].mean())
            if len(set(yes)) == 2:
                policy = ol.cheapest_policy(decision, X, costs)
                assert line["cost"] == pytest.approx(policy.expected_cost)
        assert line["proven"]
    assert table["cost"][0] == 0
    assert (np.diff(table["flagged"]) < 0).all()


def test_the_label_is_chosen_or_given():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert risk_thresholds(model, X).label == 0  # as many of each: the first
    found = risk_thresholds(model, X, label=2)
    assert found.label == 2
    assert list(found.table) == ["above", "probability", "rules", "minimal", "flagged", "certain"]
    assert repr(found).startswith("RiskThresholds of 2: ")
    with pytest.raises(InvalidTree, match="there is no class 3"):
        risk_thresholds(model, X, label=3)
    with pytest.raises(InvalidTree, match="there is no class True"):
        risk_thresholds(model, X, label=True)


def test_shares_that_differ_by_rounding_are_one():
    """A third, of weights that are no whole numbers."""
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    rows = np.zeros((3, 2))
    leaves = tree.nodes.feature < 0
    rows[leaves] = [[0.2, 0.1], [1.4, 0.7]]
    tree = tree.replace(distribution=rows)
    assert len(np.unique(tree.kernel.shares[leaves, 1])) == 2
    found = risk_thresholds(tree, [[0], [1]], label=1)
    assert found.table["rules"].tolist() == [1]


def test_the_figure():
    from matplotlib import pyplot

    X, y, model = cancer()
    found = risk_thresholds(model, X, y)
    axes = found.plot()
    assert [ax.get_ylabel() for ax in axes] == ["rules", "certain with\n30% missing"]
    assert axes[-1].get_xlabel() == "risk of malignant from which on the decision is yes"
    assert axes[0].lines[0].get_ydata().tolist() == found.table["rules"].tolist()
    with_costs = risk_thresholds(model, X, None, dict.fromkeys(X, 1))
    assert len(with_costs.plot()) == 3
    with pytest.raises(ValueError, match="axes must be 3 Axes, one below the other, got 2"):
        with_costs.plot(axes)
    pyplot.close("all")


def test_what_is_refused():
    X, y, model = cancer()
    with pytest.raises(InvalidTree, match="the tree says numbers, not shares"):
        risk_thresholds(DecisionTreeRegressor(max_depth=2).fit(X, y == "benign"), X)
    with pytest.raises(InvalidTree, match="does not say how many training rows"):
        risk_thresholds(ol.read(model).minimize(), X)
    with pytest.raises(InvalidData, match="y has none of the classes"):
        risk_thresholds(model, X, ["other"] * len(X))
    with pytest.raises(InvalidTree, match="there is no class 'other'"):
        ol.report(model, X, y, risk_of="other")


def test_the_reports_section():
    X, y, model = cancer()
    page = ol.report(model, X, y).html
    assert 'id="thresholds"' in page
    assert "share of malignant among its training rows" in page
    assert "average cost" not in page
    other = ol.report(model, X, y, dict.fromkeys(X, 2), risk_of="benign").html
    assert "share of benign among its training rows" in other
    assert "average cost" in other
    # Without training rows there is nothing to say.
    assert 'id="thresholds"' not in ol.report(ol.read(model).minimize(), X, y).html


def test_what_is_not_proven_says_so():
    """No time for rules, or for the cheapest way: what was found, as an upper bound."""
    X, y, model = cancer()
    costs = {name: 1 + i % 3 for i, name in enumerate(X)}
    proven = risk_thresholds(model, X, y, costs)
    quick = risk_thresholds(model, X, y, costs, time_limit=1e-9)
    assert (quick.table["rules"] >= proven.table["rules"]).all()
    assert (quick.table["cost"] >= proven.table["cost"] - 1e-9).all()
    equal = quick.table["rules"] == proven.table["rules"]
    assert equal[quick.table["minimal"]].all()
