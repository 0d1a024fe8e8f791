"""Take the pictures of the explorer: `python docs/figures/explorer.py`.

Needs Chromium (path in the environment variable CHROMIUM) and playwright. Writes explorer.png,
explorer-dark.png, explorer-phone.png and explorer-take.png beside this file, which the README and
docs/guide/choosing.md show.
"""

import os
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import orderless as ol

HERE = Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WIDE = {"width": 1280, "height": 860}
PICTURES = {
    "explorer": {"viewport": WIDE},
    "explorer-dark": {"viewport": WIDE, "color_scheme": "dark"},
    "explorer-phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2},
    "explorer-take": {"viewport": WIDE},
}


def page(file):
    """Write the explorer of a set."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    found = ol.RashomonSet(max_depth=2).fit(X, y).trees_
    title = "Breast cancer: near-optimal functions"
    ol.write_explorer(found, file, X_new, y_new, positive="malignant", title=title, rows=True)


def small(picture):
    """Write a picture with a palette: a page with its figures is to load fast."""
    with Image.open(picture) as whole:
        reduced = whole.convert("RGB").quantize(200, dither=Image.Dither.NONE)
    reduced.save(picture, optimize=True)


def main():
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "set.html"
        page(file)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, options in PICTURES.items():
            tab = browser.new_context(**options).new_page()
            tab.goto(file.as_uri())
            tab.click("#tab-list")
            for place in (1, 3):
                tab.check(f"#table tbody tr:nth-child({place}) input")
            tab.click("#tab-scatter")
            if name == "explorer-take":
                tab.click("#tab-take")
            if name == "explorer-phone":
                tab.evaluate("document.getElementById('views').scrollIntoView()")
            tab.wait_for_timeout(300)
            tab.screenshot(path=HERE / f"{name}.png")
            small(HERE / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
