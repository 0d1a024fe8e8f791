"""What several tests of the room share."""

import browsing
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol


@pytest.fixture
def visit(browser, tmp_path):
    """Opens a page from a file; in the end nothing was requested, and nothing was complained of."""
    with browsing.watched(browser) as (go, requests):

        def write_and_go(page, **options):
            file = tmp_path / f"page{len(list(tmp_path.glob('page*.html')))}.html"
            file.write_text(page, encoding="utf-8")
            return go(file, **options)

        yield write_and_go
    assert all(url.startswith(("file://", "data:,")) for url in requests), requests


@pytest.fixture(scope="session")
def wisconsin():
    """A tree, its rows and labels, and its report."""
    X, y = ol.datasets.load("wisconsin")
    y = y.map({0: "benign", 1: "malignant"})
    tree = ol.read(DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y))
    return tree, X, y, ol.report(tree, X, y).html
