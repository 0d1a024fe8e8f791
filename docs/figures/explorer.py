"""Take the picture of the explorer: `python docs/figures/explorer.py`.

Needs Chromium (path in the environment variable CHROMIUM) and playwright. Writes explorer.png
beside this file, which docs/guide/choosing.md shows.
"""

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import orderless as ol

HERE = Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def main():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    found = ol.RashomonSet(max_depth=2).fit(X, y)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "set.html"
        title = "Breast cancer: near-optimal functions"
        found.write_explorer(file, X_new, y_new, positive="malignant", title=title)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 860})
        tab.goto(file.as_uri())
        tab.click("#tab-list")
        for place in (1, 3):
            tab.check(f"#table tbody tr:nth-child({place}) input")
        tab.click("#tab-scatter")
        tab.wait_for_timeout(300)
        tab.screenshot(path=HERE / "explorer.png")
        browser.close()


if __name__ == "__main__":
    main()
