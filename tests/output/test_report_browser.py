"""The report in a real browser. A browser that is not there is a failure."""

import browsing
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

pytestmark = pytest.mark.engine

SIZES = {"desk": {"width": 1200, "height": 900}, "phone": {"width": 360, "height": 740}}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """One of real data with costs, one whose names would do something if they could."""
    folder = tmp_path_factory.mktemp("reports")
    X, y = ol.datasets.load("wisconsin")
    y = y.map({0: "benign", 1: "malignant"})
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    costs = {name: 1 + k % 5 for k, name in enumerate(X)}
    ol.report(model, X, y, costs).save(folder / "wisconsin.html")
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a very long name " * 9]
    Z = pd.DataFrame(X.iloc[:80, [20, 27, 21]].to_numpy(), columns=names)
    labels = y[:80].map({"benign": "</svg><script>alert(2)</script>", "malignant": "x" * 60})
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(Z, labels)
    ol.report(model, Z, labels, [1, 2, 3], title="<b>").save(folder / "hostile.html")
    return folder


@pytest.fixture
def visit(browser, pages):
    """Opens a report; in the end it has asked for nothing, and nothing was complained of."""
    with browsing.watched(browser) as (go, requests):
        yield lambda name, **options: go(pages / f"{name}.html", **options)
    assert requests
    assert all(url.startswith("file://") and url.endswith(".html") for url in requests), requests


def contrast(colours):
    """The contrast of two CSS colours rgb(r, g, b), as WCAG defines it."""

    def light(colour):
        parts = [int(p) / 255 for p in colour.removeprefix("rgb(").rstrip(")").split(", ")]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted(map(light, colours))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("name", "scheme", "size"),
    [("wisconsin", "dark", "phone"), ("hostile", "light", "desk")],
)
def test_accessible(visit, name, scheme, size):
    tab = visit(name, color_scheme=scheme, viewport=SIZES[size])
    tab.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    assert len(browsing.accessible(tab)) > 15


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["wisconsin", "hostile"])
def test_only_what_is_wide_is_moved(visit, name, size):
    tab = visit(name, viewport=SIZES[size])
    assert tab.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]


def test_dark_is_dark_and_figures_can_be_read_there(visit):
    colours = {}
    for scheme in ("light", "dark"):
        tab = visit("wisconsin", color_scheme=scheme)
        ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        colours[scheme] = ground
        texts = tab.evaluate(
            "[...document.querySelectorAll('svg.figure text')].map(t => getComputedStyle(t).fill)"
        )
        assert len(texts) > 30
        for text in set(texts):
            assert contrast([text, ground]) >= 3.0, (scheme, text)
    assert contrast(colours.values()) > 12


def test_sections_are_reached_by_keyboard(visit):
    tab = visit("wisconsin")
    for name in ("tree", "rules", "costs", "near", "made"):
        tab.locator(f'nav a[href="#{name}"]').focus()
        tab.keyboard.press("Enter")
        tab.wait_for_function("(name) => location.hash === `#${name}`", arg=name)
        tab.wait_for_function(
            "(name) => document.querySelector(`#${name} h2`).getBoundingClientRect().y < 900",
            arg=name,
        )


def test_on_paper_lists_are_unfolded(visit):
    tab = visit("wisconsin")
    reason = tab.locator("#reasons details td").first
    assert not reason.is_visible()
    tab.emulate_media(media="print")
    assert reason.is_visible()
    assert not tab.locator("nav").is_visible()
    assert len(tab.pdf(format="A4")) > 20_000
