"""Take the pictures of the page to fill in and of the report: `python docs/figures/page.py`.

Needs Chromium (path in the environment variable CHROMIUM) and playwright. Writes page-open.png,
page-certain.png and page-forest.png beside this file, which docs/guide/page.md shows, and the
pictures of both that the README shows, light and dark. Names after the command take only these.
"""

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

HERE = Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def tree():
    """A made-up triage: numbers, a truth value, categories, three classes."""
    leaf = {name: {"prediction": name} for name in ("home", "ward", "intensive care")}
    oxygen = {"feature": "oxygen", "relation": "<=", "reference": 91.5,
              "true": leaf["intensive care"], "false": leaf["ward"]}  # fmt: skip
    breathless = {"feature": "breathless", "true": oxygen, "false": leaf["ward"]}
    contact = {"feature": "lives", "relation": "in", "reference": ["alone", "in a home"],
               "true": leaf["ward"], "false": leaf["home"]}  # fmt: skip
    young = {"feature": "breathless", "true": oxygen, "false": leaf["home"]}
    old = {"feature": "crp", "relation": "<=", "reference": 40.5, "true": contact,
           "false": breathless}  # fmt: skip
    root = {"feature": "age", "relation": "<=", "reference": 64.5, "true": young, "false": old}
    space = ol.Space(
        {
            "age": "integer",
            "crp": "numeric",
            "oxygen": "numeric",
            "breathless": "boolean",
            "lives": ["alone", "with family", "in a home"],
        }
    )
    return ol.read(root, space=space)


def page():
    return ol.write_page(
        tree(),
        title="Where to treat?",
        description="A made-up triage rule, to show the page.",
        labels={
            "age": "Age",
            "crp": "C-reactive protein",
            "oxygen": "Oxygen saturation",
            "breathless": "Breathless",
            "lives": "Lives",
        },
        units={"age": "years", "crp": "mg/l", "oxygen": "%"},
        costs={"crp": 5, "oxygen": 1, "age": 0, "breathless": 0, "lives": 0},
        examples={"An old person, living alone": {"age": 81, "crp": 12, "lives": "alone"}},
    )


def report():
    """The report about the tree of the quickstart."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[["worst radius", "worst texture", "worst concave points"]]
    X = X.rename(columns=lambda name: name.removeprefix("worst "))  # the drawing fits the page
    y = y.map({0: "malignant", 1: "benign"})
    model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(X, y)
    return ol.report(model, X, y, title="Benign or malignant?").html


def forest():
    """A random forest of 100 trees over six features of the Wisconsin data."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[[f"worst {name}" for name in ("radius", "texture", "smoothness", "concavity",
                                        "concave points", "symmetry")]]  # fmt: skip
    X = X.rename(columns=lambda name: name.removeprefix("worst ").capitalize())
    y = y.map({0: "malignant", 1: "benign"})
    model = RandomForestClassifier(100, min_samples_leaf=5, random_state=0).fit(X, y)
    return ol.write_page(
        model,
        title="Benign or malignant?",
        description="A random forest of 100 trees.",
        target_name="The forest says",
        time_limit=10,
    )


def fill(tab, known):
    for name, value in known.items():
        group = tab.get_by_role("group", name=name)
        if value in ("alone", "No"):
            group.get_by_label(value, exact=True).check()
        else:
            group.get_by_label("value", exact=True).fill(value)
    tab.evaluate("document.activeElement.blur()")


OPEN = {"Age": "81"}
CERTAIN = {"Age": "81", "Lives": "alone", "Breathless": "No"}
FOREST = {"Radius": "14.2", "Concave points": "0.15"}
# name, what it shows, what is filled in, which scheme, whether it is shown to its end
PICTURES = (
    ("page-open", page, OPEN, "light", True),
    ("page-certain", page, CERTAIN, "dark", True),
    ("page-forest", forest, FOREST, "light", True),
    ("page-light", page, CERTAIN, "light", False),
    ("page-dark", page, CERTAIN, "dark", False),
    ("report-light", report, {}, "light", False),
    ("report-dark", report, {}, "dark", False),
)


def main():
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        wanted = sys.argv[1:] or [picture[0] for picture in PICTURES]
        for name, write, known, scheme, whole in PICTURES:
            if name not in wanted:
                continue
            file = Path(folder) / f"{name}.html"
            file.write_text(write(), encoding="utf-8")
            tab = browser.new_page(viewport={"width": 1120, "height": 930}, color_scheme=scheme)
            tab.goto(file.as_uri())
            fill(tab, known)
            if write is forest:
                tab.locator("#answer[aria-busy=false]").wait_for()
            tab.wait_for_timeout(500)  # colours fade
            tab.screenshot(path=HERE / f"{name}.png", full_page=whole)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
