"""The report of a sum of many trees: what it says is what the ensemble says."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import orderless as ol
from orderless.errors import InvalidParameter


@pytest.fixture(scope="module")
def forest():
    data = load_breast_cancer(as_frame=True)
    X, y = data.data.iloc[:, :8], data.target_names[data.target]
    model = RandomForestClassifier(6, max_depth=3, random_state=0).fit(X, y)
    return ol.read(model), X, y


def text(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_its_sections(forest):
    ensemble, X, y = forest
    page = ol.report(ensemble, X.head(120), y[:120]).html
    for title in ("How well it predicts", "With missing values", "Which single values matter",
                  "Why some rows get their class", "How this was made"):  # fmt: skip
        assert title in page
    assert "redundant" not in page
    assert "<script" not in page
    assert ol.report(ensemble, X.head(120), y[:120]).html == page


def test_shares_of_single_values_are_exact(forest):
    """Each value hidden by hand, in each row."""
    ensemble, X, y = forest
    X, y = X.head(90), y[:90]
    page = text(ol.report(ensemble, X, y).html)
    for name in X.columns:
        if name not in ensemble.features:
            continue
        hidden = X.copy()
        hidden[name] = np.nan
        share = float(np.mean(ensemble.status(hidden) == "open"))
        if share:
            assert f"{name} {share:.1%} 0.0%" in page


def test_reasons_are_those_of_the_ensemble(forest):
    ensemble, X, y = forest
    page = text(ol.report(ensemble, X.head(60), y[:60]).html)
    first = int(np.flatnonzero(ensemble.predict(X.head(60)) == "malignant")[0])
    reason = str(ensemble.explain(X.iloc[first].to_dict()).reason)
    assert (
        f"Row {first + 1} malignant, because {reason}".replace(">", "&gt;").replace("<", "&lt;")
        in page
    )


def test_names_are_escaped_and_models_of_numbers_have_widths():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X = X.rename(columns={"bmi": '<b>bmi</b> & "more"'}).head(80)
    model = RandomForestRegressor(3, max_depth=2, random_state=0).fit(X, y[:80])
    page = ol.report(ol.read(model), X, y[:80]).html
    assert "<b>bmi" not in page
    assert "width of the interval" in page
    assert "off on the rows, which may be training rows, on average" in page


def test_what_is_for_one_tree(forest):
    ensemble, X, y = forest
    with pytest.raises(InvalidParameter, match="costs= is for the report of one tree"):
        ol.report(ensemble, X.head(20), y[:20], dict.fromkeys(X.columns, 1))
