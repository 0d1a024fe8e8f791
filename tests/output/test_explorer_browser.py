"""The explorer as people use it, in a real browser; every number is the library's."""

import re

import browsing
import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless import member
from orderless.inputs import codes_for, rows_for
from orderless.output.explorer import explore

pytestmark = pytest.mark.engine

PHONE = {"width": 360, "height": 740}


@pytest.fixture
def visit(browser):
    with browsing.watched(browser) as (go, requests):
        yield go
    assert all(url.startswith(("file://", "data:,", "blob:")) for url in requests), requests


def wisconsin():
    table = ol.datasets.load("wisconsin")
    return table.X, np.asarray(table.y)


def offenders():
    """Rows like COMPAS, from a seed: numbers, truths and text."""
    random = np.random.default_rng(7)
    n = 400
    X = pd.DataFrame(
        {
            "age": random.integers(18, 60, n),
            "priors": random.integers(0, 12, n),
            "felony": random.random(n) < 0.4,
            "sex": random.choice(["female", "male"], n),
        }
    )
    y = np.where((X.priors > 3) | ((X.age < 24) & (X.sex == "male")), "again", "not")
    y[random.random(n) < 0.3] = "not"
    return X, y


@pytest.fixture(scope="module", params=["offenders", "wisconsin"])
def case(request, tmp_path_factory):
    X, y = offenders() if request.param == "offenders" else wisconsin()
    found = ol.RashomonSet(2 if request.param == "wisconsin" else 3, 0.01, 0.03).fit(X, y).trees_
    file = tmp_path_factory.mktemp("set") / "set.html"
    costs = dict.fromkeys(X.columns, 2)
    ol.write_explorer(found, file, X, y, costs=costs)
    return found, X, ol.choose(found, X, y, costs=costs).set_index("fingerprint"), file


def left(tab):
    return int(re.match(r"([\d,]+) function", tab.inner_text("#left"))[1].replace(",", ""))


def wish(tab, number, words):
    tab.click(f'#wants fieldset[data-feature="{number}"] label:has-text("{words}")')


def count_of(tab, number, words):
    label = f'#wants fieldset[data-feature="{number}"] label:has-text("{words}")'
    return int(tab.inner_text(f"{label} b").replace(",", ""))


def on_list(tab):
    tab.click("#tab-list")
    rows = tab.query_selector_all("#table tbody tr")
    return [row.get_attribute("data-function") for row in rows]


def test_filters_count_as_views_do(case, visit):
    found, X, table, file = case
    tab = visit(file)
    assert left(tab) == len(found.functions())
    trees = re.search(r"functions, ([\d,]+) trees", tab.inner_text("#left"))[1]
    assert int(trees.replace(",", "")) == found.n_trees
    used = {name: table.features.str.split(", ").map(lambda f, n=name: n in f) for name in X}
    features = [name for name in X if used[name].any() and not used[name].all()]
    place = {name: k for k, name in enumerate(X)}
    for name in features:
        assert count_of(tab, place[name], "required") == used[name].sum()
        assert count_of(tab, place[name], "forbidden") == (~used[name]).sum()
    first, second = features[:2]
    wish(tab, place[first], "forbidden")
    assert left(tab) == (~used[first]).sum()
    assert "none uses" in tab.inner_text("#left")
    both = ~used[first] & used[second]
    assert count_of(tab, place[second], "required") == both.sum()
    tab.fill('input[data-measure="leaves"][aria-label$="at most"]', "3")
    tab.press('input[data-measure="leaves"][aria-label$="at most"]', "Tab")
    assert left(tab) == (~used[first] & (table.leaves <= 3)).sum()
    tab.click("#undo")
    assert left(tab) == (~used[first]).sum()
    tab.click("#undo")
    assert left(tab) == len(found.functions())
    assert tab.is_disabled("#undo")


def test_measures_are_the_librarys(case, visit):
    _, _, table, file = case
    tab = visit(file)
    tab.click("#tab-list")
    assert on_list(tab) == table.index[:25].tolist()
    tab.click('#table th button:text-is("coverage")')
    shown = on_list(tab)
    assert table.loc[shown, "coverage"].is_monotonic_decreasing
    assert table.coverage.max() == table.loc[shown[0], "coverage"]
    tab.check("#table tbody tr:first-child input")
    card = f'article[data-function="{shown[0]}"]'
    for name, value in table.loc[shown[0]].drop("features").items():
        text = tab.inner_text(f'{card} dd[data-measure="{name}"]').replace(",", "")
        assert float(text) == pytest.approx(float(value), rel=1e-3), name


def test_two_functions_side_by_side(case, visit):
    found, X, _, file = case
    tab = visit(file)
    names = on_list(tab)
    tab.check(f'tr[data-function="{names[0]}"] input')
    tab.check(f'tr[data-function="{names[-1]}"] input')
    a, b = (found.functions()[name].tree for name in (names[0], names[-1]))
    n = int((np.ma.getdata(a.predict(X)) != np.ma.getdata(b.predict(X))).sum())
    assert f"A and B differ on {n:,} of {len(X):,} training rows" in tab.inner_text("#compare")
    rules = ol.canonicalize(a).rules
    assert len(tab.query_selector_all(f'article[data-function="{names[0]}"] .rules li')) == sum(
        map(len, rules.values())
    )
    at_once = """() => {
      document.querySelector("article summary").click();
      return document.querySelector("article .tree .branch") !== null;
    }"""
    assert tab.evaluate(at_once)  # not in a later task
    tab.click("article:first-child summary")
    tab.click("article:first-child summary")
    tab.wait_for_selector("article:first-child .tree .branch")
    tree = tab.inner_text("article:first-child .tree")
    assert all(str(label) in tree for label in found.classes)
    assert "questions on average" in tree
    assert len(browsing.accessible(tab)) > 10


def test_a_row_is_voted_on(case, visit):
    found, X, _, file = case
    tab = visit(file)
    tab.click("#tab-row")
    trees = [function.tree for function in found.functions()]
    names = list(X.columns)

    def expected(row):
        answers = [tree.predict([row]) for tree in trees]
        said = [None if np.ma.getmaskarray(a)[0] else np.ma.getdata(a)[0] for a in answers]
        return [sum(s is not None and s == c for s in said) for c in found.classes], said.count(
            None
        )

    def shown():
        certain = [
            int(tab.inner_text(f'#votes li[data-class="{c}"]').split(" of ")[0].replace(",", ""))
            for c in range(len(found.classes))
        ]
        words = tab.inner_text('#votes li[data-class="open"]')
        return certain, 0 if words.startswith("none") else int(words.split()[0].replace(",", ""))

    row = {}
    assert shown() == expected(row)
    # The first features that matter, one after the other.
    for name in [n for n in names if tab.query_selector(f"#value-{names.index(n)}")][:4]:
        value = X[name].iloc[0]
        field = f"#value-{names.index(name)}"
        if tab.get_attribute(field, "type") == "text":
            tab.fill(field, str(value))
        elif isinstance(value, str):
            tab.select_option(field, label=value)
        else:
            tab.select_option(field, str(int(value)))
        row[name] = value
        assert shown() == expected(row)


def test_rules_that_must_hold(case, visit):
    found, X, _, file = case
    tab = visit(file)
    tab.click("#tab-build")
    option = tab.query_selector("#condition option")
    words = option.inner_text()
    tab.click("#and")
    tab.click("#require")
    label = found.classes[0]
    kept = 0
    for function in found.functions():
        # The rule holds iff no row that meets the condition gets another class.
        tree = function.tree
        bits = found._problem.columns.read_complete(X)
        meets = X[bits[:, 0] == 1]
        said = np.ma.getdata(tree.predict(meets))
        kept += bool((said == label).all()) and _says_only(tree, found, label)
    text = tab.inner_text("#left")
    assert (0 if text.startswith("No function") else left(tab)) == kept
    if kept:
        assert words in tab.inner_text("#build")


def _says_only(tree, found, label):
    """Whether a tree gives one class wherever the first column is 1, by the box of the column."""
    columns = found._problem.columns
    question = next(iter(columns.questions))
    return all(
        tree.classes[c] == label
        for c, row in _cells(tree, question)
        if question.predict([row])[0] == 1
    )


def _cells(tree, question):
    """Rows of all cells of two trees."""
    from itertools import product

    names = sorted({*tree.features, *question.features})
    values = []
    for name in names:
        feature = tree.space[name]
        if feature.ordered:
            cuts = {float(t.threshold[n]) for t in (tree.kernel, question) for n in range(t.n_nodes)
                    if t.feature[n] >= 0 and t.space.names[t.feature[n]] == name}  # fmt: skip
            points = sorted(cuts) if feature.kind != "boolean" else [0.0]
            values.append([*points, points[-1] + 1])
        else:
            values.append(list(feature.categories))
    for combination in product(*values):
        row = dict(zip(names, combination, strict=True))
        yield int(codes_for(tree.kernel, rows_for(tree.kernel, [row]))[0]), row


def test_the_nearest_without_a_feature(case, visit):
    found, X, table, file = case
    tab = visit(file)
    names = on_list(tab)
    tab.check(f'tr[data-function="{names[0]}"] input')
    tab.click("#tab-build")
    feature = tab.query_selector("#without option").inner_text()
    others = [name for name in table.index if feature not in table.features[name].split(", ")]
    tab.click("#nearest")
    if not others:
        assert "None of the functions" in tab.inner_text("#build-note")
        return
    own = np.ma.getdata(found.functions()[names[0]].tree.predict(X))
    far = {
        name: int((np.ma.getdata(found.functions()[name].tree.predict(X)) != own).sum())
        for name in others
    }
    tab.click("#tab-compare")
    second = tab.get_attribute("article:nth-child(2)", "data-function")
    assert far[second] == min(far.values())


def test_it_is_taken_along(case, visit):
    found, _, _, file = case
    tab = visit(file)
    names = on_list(tab)
    tab.check(f'tr[data-function="{names[2]}"] input')
    tab.click("#tab-take")
    assert f'found.functions()["{names[2]}"].tree' in tab.inner_text("#take")
    with tab.expect_download() as download:
        tab.click("#take button[data-take]")
    tree = ol.Tree.from_json(download.value.path().read_text())
    assert tree.fingerprint == names[2]
    assert ol.equivalent(tree, found.functions()[names[2]].tree)


def test_brushing_keeps_what_is_inside(case, visit):
    found, _, _, file = case
    tab = visit(file, viewport={"width": 1400, "height": 1000})
    tab.click("#tab-scatter")
    box = tab.query_selector("#scatter").bounding_box()
    tab.mouse.move(box["x"] + 60, box["y"] + 15)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 40)
    tab.mouse.up()
    tab.wait_for_selector("#brush:not(:empty)")
    n = left(tab)
    assert 0 < n < len(found.functions())
    assert f"Only {n:,} that were marked in a picture" in tab.inner_text("#brush")
    tab.click("#undo")
    assert left(tab) == len(found.functions())


def test_everyone_can_use_it(case, visit):
    """On a phone in the dark; side by side, above, is on a desk in the light."""
    tab = visit(case[3], viewport=PHONE, color_scheme="dark")
    tab.click("#tab-list")
    tab.check("#table tbody tr:first-child input")
    tab.click("#tab-scatter")
    for name in ("build", "row", "take"):
        tab.click(f"#tab-{name}")
        wide = tab.evaluate("document.documentElement.scrollWidth")
        assert wide <= tab.evaluate("document.documentElement.clientWidth")
        assert len(browsing.accessible(tab)) > 10
        tab.click("#tab-list")
    tab.focus("#tab-map")
    tab.keyboard.press("ArrowRight")
    assert tab.get_attribute("#tab-scatter", "aria-selected") == "true"


def test_it_is_served_on_the_loopback():
    found = ol.RashomonSet(1, 0.01, 0.2).fit([[0, 1], [1, 0], [1, 1]], [0, 1, 1]).trees_
    seen = []

    def ready(address):
        seen.append(address)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(found, ready=ready)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", seen[0])


@pytest.mark.parametrize("draw", ["functions", "trees"])
def test_a_first_question_of_a_sample(draw, visit, tmp_path):
    """It keeps the functions of the sample of which some tree of the set begins so."""
    found = ol.RashomonSet(3, 0.01, 0.06, thresholds=3).fit(*offenders()).trees_
    drawn = {"sample": 60, "draw": draw, "random_state": 0}
    ol.write_explorer(found, tmp_path / "set.html", **drawn)
    table = ol.choose(found, **drawn).set_index("fingerprint")
    tab = visit(tmp_path / "set.html")
    tab.click("#tab-build")
    assert "in brackets how many of those that are shown" in tab.inner_text("#build")
    columns = found._problem.columns
    questions = {f"f{f}": columns.space.names[f] for f in sorted(set(columns.feature.tolist()))}
    questions |= {f"c{j}": name for j, name in enumerate(found.columns) if "priors" in name}
    sizes = set()
    for value, name in questions.items():
        begins = set(
            ol.choose(found.where(member.root == name)).set_index("fingerprint").index
        ) & set(table.index)
        option = tab.query_selector(f'#first option[value="{value}"]')
        assert (option is None) == (not begins)
        if not begins:
            continue
        assert option.inner_text().strip().endswith(f" ({len(begins)})")
        tab.select_option("#first", value)
        assert left(tab) == len(begins)
        assert "of those that are shown" in tab.inner_text("#left")
        assert set(on_list(tab)) <= begins
        again = ol.choose(found, **drawn, first=name).set_index("fingerprint")
        assert set(again.index) == begins
        sizes.add(len(begins))
        # With another wish.
        wish(tab, columns.space.index("felony"), "forbidden")
        without = set(
            ol.choose(found, **drawn, first=name, without="felony").set_index("fingerprint").index
        )
        assert left(tab) == len(without) <= len(begins)
        tab.click("#undo")
    assert min(sizes) < max(sizes) < len(table)
