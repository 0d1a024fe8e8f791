"""The page of a regression tree, in a real browser: its gauge shows the exact range."""

import browsing
import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

import orderless as ol

pytestmark = pytest.mark.engine

STAY = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
        "true": {"prediction": 2.5}, "false": {"feature": "smoker", "true": {"prediction": 37 / 3},
                 "false": {"prediction": 7.0}}}  # fmt: skip
SPACE = ol.Space({"age": "integer", "smoker": "boolean"})


def stay():
    return ol.read(STAY, space=SPACE)


@pytest.mark.parametrize("width", [1100, 360])
def test_the_gauge_shows_what_is_possible(browser, tmp_path, width):
    path = tmp_path / "page.html"
    ol.write_page(stay(), path, title="How long will it take?", target_name="Days")
    with browsing.watched(browser) as (go, requests):
        tab = go(path, viewport={"width": width, "height": 800})
        verdict = tab.locator("#verdict")
        assert "2.5 to 12.33" in verdict.inner_text()
        assert "3 of the tree’s 3 numbers are still possible." in verdict.inner_text()
        assert tab.locator(".gauge .tick").count() == 3
        whole = float(tab.locator(".gauge .reach").get_attribute("width"))
        tab.locator("#f0 .value").fill("70")
        assert "7 to 12.33" in verdict.inner_text()
        part = tab.locator(".gauge .reach")
        # From 7 to 12.33, on a scale from 2.5: the ends are 4 wide each.
        share = (37 / 3 - 7) / (37 / 3 - 2.5)
        assert float(part.get_attribute("width")) - 8 == pytest.approx(share * (whole - 8))
        tab.get_by_text("No", exact=True).click()
        assert tab.locator("#answer").get_attribute("class") == "certain"
        assert "✓ Certain\n7\n" in f"{verdict.inner_text()}\n".replace("\n\n", "\n")
        assert tab.locator(".gauge .tick").count() == 1
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        browsing.accessible(tab)
        assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_the_page_answers_as_the_tree_does(browser, tmp_path):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    tree = ol.read(DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y))
    path = tmp_path / "page.html"
    ol.write_page(tree, path)
    gone = np.random.default_rng(0).random(X.shape) < 0.4
    rows = [{name: value for name, value in row.items() if value == value}
            for row in X.mask(gone).head(100).to_dict("records")]  # fmt: skip
    lower, upper, _ = tree.predict_interval(rows)
    with browsing.watched(browser) as (go, _):
        tab = go(path)
        found = tab.evaluate("(rows) => rows.map(orderless.interval)", rows)
    assert found == [list(ends) for ends in zip(lower.tolist(), upper.tolist(), strict=True)]


def test_one_number_has_no_gauge(browser, tmp_path):
    tree = ol.Tree(SPACE, [12.4], feature=[-1], threshold=[0], when_true=[-1], when_false=[-1],
                   leaf_class=[0], task="regression")  # fmt: skip
    path = tmp_path / "page.html"
    ol.write_page(tree, path)
    with browsing.watched(browser) as (go, _):
        tab = go(path)
        assert "12.4" in tab.locator("#verdict").inner_text()
        assert tab.locator(".gauge").count() == 0


def test_numbers_near_the_largest_float(browser, tmp_path):
    tree = stay().replace(classes=[-1.7e308, 0.0, 1.7e308])
    path = tmp_path / "page.html"
    ol.write_page(tree, path)
    with browsing.watched(browser) as (go, _):
        tab = go(path)
        places = [float(tick.get_attribute("x")) for tick in tab.locator(".gauge .tick").all()]
    assert places == pytest.approx([7, 159, 311])


def test_pages_of_classes_have_no_gauge():
    page = ol.write_page({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    assert "function drawGauge" not in page
    assert "function drawGauge" in ol.write_page(stay())
    named = ol.write_page(stay(), class_names={2.5: "short"})
    assert '"classes": ["short", "7", "12.33"]' in named
