"""What people take along from the file alone: the page to fill in, and a summary to print."""

import re

import browsing
import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

import orderless as ol

pytestmark = pytest.mark.engine

HOSTILE = '</script><img src=x onerror="alert(1)">'


@pytest.fixture
def visit(browser):
    with browsing.watched(browser) as (go, requests):
        yield go
    assert all(url.startswith(("file://", "data:,", "blob:")) for url in requests), requests


def mixed():
    """Numbers of two widths, whole ones, truths, categories, and names that would do something."""
    random = np.random.default_rng(5)
    n = 300
    X = pd.DataFrame(
        {
            "wide": random.normal(0, 1e6, n),
            HOSTILE: random.integers(18, 60, n),
            "größe \u2028": random.normal(0.1, 0.01, n).astype(np.float32),
            "smoker": random.random(n) < 0.4,
            "color": random.choice(['"red"', "it's", "<i>"], n),
        }
    )
    y = np.where((X[HOSTILE] > 40) ^ (X.color == "<i>"), "</b>", "'no'")
    y[random.random(n) < 0.3] = "third & last"
    return X, y, ol.RashomonSet(2, 0.002, 0.12, thresholds=4).fit(X, y).trees_


def constant():
    """A set in which a function asks nothing."""
    X = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]})
    y = ["no", "yes", "no", "no"]
    return X, y, ol.RashomonSet(2, 0.05, 0.3).fit(X, y).trees_


@pytest.fixture(scope="module", params=[mixed, constant])
def case(request, tmp_path_factory):
    X, y, found = request.param()
    file = tmp_path_factory.mktemp("set") / "set.html"
    ol.write_explorer(found, file, rows=X.head(120), title="<b>A set</b>")
    return X, y, found, file


def chosen(tab, n):
    """Put some functions beside each other, the first and the last of them."""
    tab.click("#tab-list")
    names = [row.get_attribute("data-function") for row in tab.query_selector_all("tbody tr")]
    names = list(dict.fromkeys([*names[: n // 2], *names[-(n - n // 2) :]]))
    for name in names:
        tab.check(f'tr[data-function="{name}"] input')
    tab.click("#tab-take")
    return names


def taken(tab, name, kind):
    with tab.expect_download() as download:
        tab.click(f'#take button[data-take="{name}"][data-as="{kind}"]')
    return download.value.path()


def origin_of(tab, name):
    return tab.inner_text(f'#take > section:has(button[data-take="{name}"]) .origin')


def test_the_page_to_fill_in_is_the_librarys(case, visit):
    """Byte for byte, its content policy included."""
    _, _, found, file = case
    tab = visit(file)
    for name in chosen(tab, 4):
        told = origin_of(tab, name)
        text = taken(tab, name, "page").read_bytes().decode()
        tree = found.functions()[name].tree
        assert text == ol.write_page(tree, title="What is certain", description=told)
    assert tab.inner_text("#take-note") == ""


def test_the_page_works(case, visit, tmp_path):
    X, _, found, file = case
    tab = visit(file)
    name, *_ = chosen(tab, 2)
    page = tmp_path / "page.html"
    page.write_bytes(taken(tab, name, "page").read_bytes())
    form = visit(page)
    tree = found.functions()[name].tree
    rows = [{key: value for key, value in row.items() if key in tree.features}
            for row in X.head(40).to_dict("records")]  # fmt: skip
    said = form.evaluate("(rows) => rows.map((row) => orderless.decide(row))", rows)
    assert said == tree.predict(rows).tolist()


def test_a_summary_to_print(case, visit, tmp_path):
    X, y, found, file = case
    tab = visit(file)
    name = chosen(tab, 2)[-1]
    told = origin_of(tab, name)
    page = tmp_path / "summary.html"
    page.write_bytes(taken(tab, name, "summary").read_bytes())
    summary = visit(page)
    tree = found.functions()[name].tree
    assert summary.inner_text("h1") == "A function chosen from <b>A set</b>"
    assert str(escape(told)).replace("&#39;", "'").replace("&#34;", '"') in page.read_text()
    rules = [" ".join(text.split()) for text in summary.locator(".rules li").all_inner_texts()]
    form = ol.canonicalize(tree)
    assert len(rules) == sum(map(len, form.rules.values()))
    table = ol.choose(found).set_index("fingerprint")
    for measure in ("objective", "error", "leaves", "n_trees"):
        shown = summary.inner_text(f'dd[data-measure="{measure}"]').replace(",", "")
        assert float(shown) == pytest.approx(float(table.loc[name, measure]), rel=1e-3)
    # How many of each class get each class.
    said, truth = np.ma.getdata(tree.predict(X)), np.asarray(y)
    counts = [int(((truth == c) & (said == d)).sum()) for c in found.classes for d in found.classes]
    cells = [int(text.replace(",", "")) for text in summary.locator(".truth td").all_inner_texts()]
    assert cells == counts
    decided = summary.locator(".rows:not(:has(.truth)) td:nth-child(2)").all_inner_texts()
    assert decided == np.ma.getdata(tree.predict(X.head(100))).tolist()
    assert f"orderless report {name[:8]}.json" in summary.inner_text("pre")
    assert summary.locator("script, img, i").count() == 0
    assert len(browsing.accessible(summary)) > 10
    summary.emulate_media(media="print")
    assert summary.is_visible(".rules")
    assert re.search(rb"^%PDF", summary.pdf(format="A4"))
