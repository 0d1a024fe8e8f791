"""Take the pictures of the page to fill in: `python docs/figures/page.py`.

Needs Chromium (path in the environment variable CHROMIUM) and playwright. Writes page-open.png
and page-certain.png beside this file, which docs/guide/page.md shows.
"""

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

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
    return ol.read_tree(root, space=space)


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


def fill(tab, name, value):
    tab.get_by_role("group", name=name).get_by_label("value", exact=True).fill(value)


def main():
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page(), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        for name, scheme in (("open", "light"), ("certain", "dark")):
            tab = browser.new_page(viewport={"width": 1120, "height": 900}, color_scheme=scheme)
            tab.goto(file.as_uri())
            fill(tab, "Age", "81")
            if name == "certain":
                tab.get_by_role("group", name="Lives").get_by_label("alone").check()
                tab.get_by_role("group", name="Breathless").get_by_label("No", exact=True).check()
            tab.evaluate("document.activeElement.blur()")
            tab.screenshot(path=HERE / f"page-{name}.png", full_page=True)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
