"""The page of forests as people use it, in a real browser; one that is not there is a failure."""

import browsing
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sums import Sum

import orderless as ol

pytestmark = pytest.mark.engine

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1100, "height": 900}


@pytest.fixture
def visit(browser, tmp_path):
    with browsing.watched(browser) as (go, requests):

        def write_and_go(model, options=None, **tab):
            path = tmp_path / "page.html"
            ol.write_page(model, path, **{"time_limit": 60, **(options or {})})
            return go(path, **tab)

        yield write_and_go
    assert all(url.startswith(("file://", "data:,")) for url in requests), requests


def settled(tab):
    """Wait until everything is worked out."""
    tab.locator("#answer[aria-busy=false]").wait_for()
    return tab


def verdict(tab):
    return " ".join(settled(tab).locator("#verdict").inner_text().split())


def details(tab):
    return " ".join(settled(tab).locator("#details").inner_text().split())


def fill(tab, name, value):
    tab.get_by_role("group", name=name, exact=True).get_by_label("value", exact=True).fill(value)


def cancer(n_trees=30):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.where(y == 1, "benign", "malignant")
    return X, RandomForestClassifier(n_trees, max_depth=5, random_state=0).fit(X, labels)


def test_a_forest_is_certain_before_everything_is_known(visit):
    X, forest = cancer()
    tab = visit(forest, {"examples": X.head(3), "title": "Benign or malignant?"})
    assert verdict(tab).startswith(
        "Not certain yet benign or malignant are possible. Probability of malignant:"
    )
    said = details(tab)
    assert said.startswith("ASK NEXT")
    assert "IT CAN GO EITHER WAY" in said
    row = X.iloc[0]
    left = sorted(X.columns, key=lambda name: name.startswith("worst"))
    while left and not verdict(tab).startswith("✓ Certain"):
        name = left.pop()
        fill(tab, name, str(row[name]))
    assert verdict(tab).startswith(f"✓ Certain malignant whatever the {len(left)} unknown values")
    assert 5 < len(left) < 25
    said = details(tab)
    assert said.startswith("BECAUSE")
    assert "This alone settles it" in said
    assert "WHAT WOULD CHANGE IT" in said
    tab.locator("#clear").click()
    assert verdict(tab).startswith("Not certain yet")


def test_what_the_page_says_is_what_the_model_says(visit):
    """Rows with gaps, by the search in the browser and by 200 completions through the forest."""
    X, forest = cancer()
    tab = visit(forest)
    rng = np.random.default_rng(3)
    rows = [{name: value for name, value in row.items() if rng.random() < 0.8}
            for row in X.sample(40, random_state=1).to_dict("records")]  # fmt: skip
    decided = tab.evaluate("(rows) => rows.map((row) => orderless.decide(row))", rows)
    assert 5 < decided.count(None) < 35
    for row, label in zip(rows, decided, strict=True):
        filled = X.sample(200, random_state=2).assign(**row)
        found = set(forest.predict(filled))
        assert label is None or found == {label}
    states = tab.evaluate("(rows) => rows.map((row) => orderless.advise(row))", rows[:10])
    for said, label in zip(states, decided, strict=False):
        assert said["state"] == ("open" if label is None else "certain")
        assert (said["next"] is None) == (label is not None)
        low, high = said["range"]["proven"]
        assert -1e-9 <= low <= high <= 1 + 1e-9


def test_complete_rows_get_the_class_of_the_library(visit):
    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(25, random_state=0).fit(X, y)
    tab = visit(forest)
    found = tab.evaluate("(rows) => rows.map((row) => orderless.decide(row))", X.to_dict("records"))
    assert found == forest.predict(X).tolist()


def test_three_classes(visit):
    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)
    names = {0: "setosa", 1: "versicolor", 2: "virginica"}
    tab = visit(forest, {"class_names": names})
    assert verdict(tab) == "Not certain yet setosa, versicolor or virginica are possible."
    fill(tab, "petal width (cm)", "0.2")
    fill(tab, "petal length (cm)", "1.4")
    assert verdict(tab) == "✓ Certain setosa whatever the 2 unknown values are."
    assert tab.locator(".gauge").count() == 0
    assert "NOT NEEDED sepal length (cm) and sepal width (cm)." in details(tab)


def test_a_forest_of_numbers(visit):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = RandomForestRegressor(20, max_depth=3, random_state=0).fit(X, y)
    tab = visit(forest, {"examples": X.head(2)})
    assert verdict(tab).startswith("Not certain yet")
    low, high = (float(text) for text in tab.locator("#verdict .class").all_inner_texts())
    every = forest.predict(X)
    assert low <= every.min() < every.max() <= high
    tab.locator("#example").select_option(index=1)
    (number,) = settled(tab).locator("#verdict .class").all_inner_texts()
    assert tab.locator("#answer").get_attribute("class") == "certain"
    assert float(number) == pytest.approx(every[0], rel=1e-6)


def test_what_is_not_worked_out_in_time_is_undecided(visit):
    """With no time at all, nothing is claimed; asked to search longer, the page does."""
    X, forest = cancer()
    row = X.iloc[0].filter(like="worst").to_dict()
    tab = visit(forest, {"examples": [row], "time_limit": 0})
    tab.locator("#example").select_option(index=1)
    assert verdict(tab).startswith("Undecided benign or malignant Not worked out in the time")
    assert tab.evaluate("(row) => orderless.decide(row)", row) is None
    assert tab.evaluate("(row) => orderless.advise(row).state", row) == "undecided"
    tab.get_by_role("button", name="Search longer").click()
    assert verdict(tab).startswith(("✓ Certain malignant", "Not certain yet"))
    assert tab.evaluate("(row) => orderless.advise(row, 60000).state", row) != "undecided"


def test_hostile_names_are_only_text(visit):
    model = Sum(np.random.default_rng(5), n_features=7, n_trees=6).ensemble
    assert "</script>" in model.features
    tab = visit(model, {"title": "<img src=x onerror=alert(1)>", "units": {"count": "<i>"}})
    assert tab.locator("h1").inner_text() == "<img src=x onerror=alert(1)>"
    assert tab.locator("img, b, i").count() == 0
    assert tab.locator("script").count() == 1
    assert verdict(tab)


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESK), ("dark", PHONE)], ids=["light-desk", "dark-phone"]
)
def test_accessible_and_as_wide_as_the_screen(visit, scheme, size):
    X, forest = cancer(15)
    tab = settled(visit(forest, {"examples": X.head(1)}, color_scheme=scheme, viewport=size))
    assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
    browsing.accessible(tab)
    tab.locator("#example").select_option(index=1)
    assert verdict(tab).startswith("✓ Certain malignant")
    assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
    tab.evaluate("scrollTo(0, 0)")
    browsing.accessible(tab)


def test_prints_in_full(visit):
    _, forest = cancer(5)
    tab = settled(visit(forest, color_scheme="dark"))
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.locator("#verdict").is_visible()
    assert tab.locator(".gauge").is_visible()
