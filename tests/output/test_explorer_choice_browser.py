"""From a table to a chosen, exported model in a real browser; every number is the library's."""

import json
import re
import threading
from contextlib import contextmanager

import browsing
import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless import member
from orderless.output.explorer import explore, write
from orderless.output.explorer.serve import address, page_server

pytestmark = pytest.mark.engine


@pytest.fixture
def visit(browser):
    with browsing.watched(browser) as (go, requests):
        yield go
    assert all(url.startswith(("file://", "data:,", "blob:")) for url in requests), requests


def compas(shared):
    table = pd.read_csv(shared / "data" / "compas_complete.csv")
    return table.iloc[:, :-1], np.where(table.iloc[:, -1] == 1, "again", "not")


def wisconsin():
    table = ol.datasets.load("wisconsin")
    return table.X, np.where(table.y == 1, "malignant", "benign")


@pytest.fixture(scope="module", params=["compas", "wisconsin"])
def case(request, tmp_path_factory):
    if request.param == "compas":
        X, y = compas(request.getfixturevalue("shared"))
        found = ol.RashomonSet(3, 0.01, 0.01).fit(X, y).trees_
    else:
        X, y = wisconsin()
        found = ol.RashomonSet(2, 0.01, 0.02).fit(X, y).trees_
    file = tmp_path_factory.mktemp("set") / "set.html"
    rows = X.head(400).assign(truth=y[:400])
    ol.write_explorer(found, file, rows=rows, positive=found.classes[0])
    return found, X, y, rows, file


def left(tab):
    return int(re.match(r"([\d,]+) function", tab.inner_text("#left"))[1].replace(",", ""))


def listed(tab):
    tab.click("#tab-list")
    return [row.get_attribute("data-function") for row in tab.query_selector_all("#table tbody tr")]


def said(tree, X):
    return np.asarray(np.ma.getdata(tree.predict(X)))


def choose_two(tab):
    names = listed(tab)
    for name in (names[0], names[-1]):
        tab.check(f'tr[data-function="{name}"] input')
    return names[0], names[-1]


def test_rows_on_which_two_differ(case, visit):
    found, X, _, rows, file = case
    tab = visit(file)
    names = choose_two(tab)
    trees = [found.functions()[name].tree for name in names]
    answers = [said(tree, rows[list(X.columns)]) for tree in trees]
    differ = np.flatnonzero(answers[0] != answers[1])
    words = tab.inner_text(".rows-words")
    assert f"Of the {len(rows):,} rows of the table they differ on {len(differ):,}" in words
    shown = [
        int(row.get_attribute("data-row")) for row in tab.query_selector_all(".rows tr[data-row]")
    ]
    assert shown == differ[:100].tolist()
    assert len(shown) > 0
    heads = [cell.inner_text() for cell in tab.query_selector_all(".rows thead th")]
    cells = [cell.inner_text() for cell in tab.query_selector_all(".rows tbody tr:first-child td")]
    at = int(differ[0])
    assert heads[:3] == ["row", "A", "B"]
    assert cells[:3] == [str(at + 1), answers[0][at], answers[1][at]]
    used = {*trees[0].features, *trees[1].features}
    assert set(heads[3 : 3 + len(used)]) == used  # what they ask about comes first
    assert dict(zip(heads[3:], cells[3:], strict=True)) == {
        name: str(value) for name, value in rows.iloc[at].items()
    }


def test_a_first_question(case, visit):
    found, X, _, _, file = case
    tab = visit(file)
    tab.click("#tab-build")
    feature = next(iter(found.best_tree.features))
    value = f"f{list(X.columns).index(feature)}"
    tab.select_option("#first", value)
    begins = set(ol.choose(found.where(member.root == feature)).set_index("fingerprint").index)
    assert left(tab) == len(begins)
    assert f"({len(begins):,})" in tab.inner_text(f'#first option[value="{value}"]')
    assert set(listed(tab)) <= begins
    tab.click("#undo")
    assert left(tab) == len(found.functions())


def tree_on_page(tab, number):
    """The tree of a card, as nested tuples of (condition, when it holds, condition, if not)."""
    return tab.evaluate(
        """(number) => {
          const read = (element) => {
            if (element.classList.contains("leaf")) return element.innerText;
            return [...element.children].map((side) =>
              [side.querySelector(":scope > bdi").innerText, read(side.lastElementChild)]);
          };
          return read(document.querySelectorAll("article")[number].querySelector(".tree .branch"));
        }""",
        number,
    )


def conditions(found):
    """What the page calls each column: (feature, threshold) by its words."""
    columns = found._problem.columns
    out = {}
    for j, question in enumerate(columns.questions):
        no, yes = (rules[0].conditions[0] for rules in ol.canonicalize(question).rules.values())
        out[yes], out[no] = (j, 1), (j, 0)
    return out


def follow(tree, bits, known):
    """What a tree on the page says of a row, and how many questions it asks."""
    asked = 0
    while not isinstance(tree, str):
        asked += 1
        tree = next(child for words, child in tree if bits[known[words][0]] == known[words][1])
    return tree, asked


def fewest(function, rows, weights, columns):
    """The fewest questions on average over all trees, by trying every one; on small cases."""
    if len(set(function)) == 1:
        return 0.0
    best = np.inf
    for j in columns:
        one = rows[:, j] == 1
        if one.all() or not one.any():
            continue
        rest = [k for k in columns if k != j]
        parts = [fewest(function[s], rows[s], weights[s], rest) for s in (one, ~one)]
        best = min(best, weights.sum() + sum(parts))
    return best


def test_a_tree_in_another_order(case, visit):
    found, X, _, _, file = case
    tab = visit(file)
    names = choose_two(tab)
    known = conditions(found)
    bits = found._problem.columns.read_complete(X)
    for number, name in enumerate(names):
        tab.click(f"article:nth-child({number + 1}) summary")
        tab.wait_for_selector(f"article:nth-child({number + 1}) .tree .branch")
        tree = found.functions()[name].tree
        flat = found._problem.columns.flatten(tree.kernel, found._problem.classes)
        columns = sorted({int(j) for j in flat.column if j >= 0})
        shown = tree_on_page(tab, number)
        answers = [follow(shown, row, known) for row in bits]
        assert [answer for answer, _ in answers] == said(tree, X).tolist()
        mean = np.mean([asked for _, asked in answers])
        words = tab.inner_text(f"article:nth-child({number + 1}) .tree p")
        assert float(words.split(" questions")[0]) == pytest.approx(mean, rel=1e-3)
        # Rows of all cells, the empty ones with no weight: the tree must be right there, too.
        cells, weight = every_cell(found, columns, bits)
        truth = np.array([int(a) for a in flat.says(cells)[0]])
        assert mean * len(bits) == pytest.approx(fewest(truth, cells, weight, columns))
        # The last of its conditions first.
        box = f'select[aria-label="question 1 of {"AB"[number]}"]'
        tab.select_option(box, str(columns[-1]))
        shown = tree_on_page(tab, number)
        assert known[shown[0][0]][0] == columns[-1]
        answers = [follow(shown, row, known) for row in bits]
        assert [answer for answer, _ in answers] == said(tree, X).tolist()
        assert np.mean([asked for _, asked in answers]) >= mean - 1e-9


def every_cell(found, columns, bits):
    """All that some columns can be together, and how many rows are so."""
    from orderless.rashomon.known_cells import KnownCells

    cells = KnownCells(found._problem.columns, columns)
    return cells.bits, cells.weights(bits, np.ones(len(bits)))


def test_everything_is_taken_along(case, visit, tmp_path):
    found, X, y, _, file = case
    duckdb = pytest.importorskip("duckdb", reason="the SQL runs in it")
    tab = visit(file)
    feature = next(iter(found.best_tree.features))
    number = list(X.columns).index(feature)
    tab.click(f'#wants fieldset[data-feature="{number}"] label:has-text("required")')
    tab.fill('input[data-measure="leaves"][aria-label$="at most"]', "4")
    tab.press('input[data-measure="leaves"][aria-label$="at most"]', "Tab")
    name = listed(tab)[-1]
    tree = found.functions()[name].tree
    tab.check(f'tr[data-function="{name}"] input')
    tab.click("#tab-take")

    def taken(kind):
        with tab.expect_download() as download:
            tab.click(f'#take button[data-as="{kind}"]')
        return download.value.path().read_text()

    assert ol.Tree.from_json(taken("json")).fingerprint == name
    # SQL, with gaps: it gives what is certain, and NULL elsewhere.
    random = np.random.default_rng(0)
    gaps = X.head(200).astype(float).mask(random.random((200, X.shape[1])) < 0.4)
    text = taken("sql")
    assert text.startswith(f"-- Function {name} of ol.RashomonSet(")
    assert f"uses {feature}; leaves <= 4." in text.splitlines()[0]
    with duckdb.connect() as connection:
        connection.register("rows", gaps)
        got = [one for (one,) in connection.sql(f"SELECT {text} FROM rows").fetchall()]
    expected = [None if pd.isna(one) else one for one in tree.predict(gaps)]
    assert got == expected
    assert 0 < expected.count(None) < len(expected)
    made = {}
    exec(taken("sklearn"), made)
    assert (made["model"].predict(X) == said(tree, X)).all()
    # The same choices in Python, as they stand on the page.
    lines = [line for line in taken("python").splitlines() if not line.startswith("ol.write_page")]
    made = {"X": X, "y": y}
    exec("\n".join(lines), made)
    assert len(made["table"]) == left(tab)
    assert made["tree"].fingerprint == name


def test_names_with_quotes_and_markup(visit, tmp_path):
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    names = ['</script><img src=x onerror="alert(1)">', 'it\'s "quoted"', "größe & ✓"]
    frame = pd.DataFrame(X, columns=names)
    labels = ["<i>no", "<i>no", "<i>no", "'yes'", "'yes'"]
    found = ol.RashomonSet(2, 0.05, 0.05).fit(frame, labels).trees_
    ol.write_explorer(found, tmp_path / "set.html", rows=frame, title="<b>bold</b>")
    tab = visit(tmp_path / "set.html")
    assert tab.inner_text("h1") == "<b>bold</b>"
    assert tab.query_selector("img") is None
    first, _ = choose_two(tab)
    assert names[0] in tab.inner_text("#compare")
    tab.click("#tab-take")
    with tab.expect_download() as download:
        tab.click('#take button[data-as="python"]')
    made = {"X": frame, "y": labels}
    text = download.value.path().read_text()
    exec(text.replace("ol.write_page", "str").replace('(tree, "page.html")', "(tree)"), made)
    assert made["tree"].fingerprint == first
    assert len(browsing.accessible(tab)) > 10


def test_it_is_printed_and_works_by_keyboard(case, visit):
    tab = visit(case[4])
    choose_two(tab)
    tab.emulate_media(media="print")
    assert not tab.is_visible("#undo")
    assert not tab.is_visible("#tab-map")
    assert tab.is_visible("#left")
    assert tab.is_visible("#compare article")
    tab.emulate_media(media="screen")
    tab.focus("#tab-map")
    tab.keyboard.press("End")
    assert tab.get_attribute("#tab-list", "aria-selected") == "true"
    tab.keyboard.press("Home")
    assert tab.get_attribute("#tab-map", "aria-selected") == "true"
    before = left(tab)
    tab.focus('#wants input[value="not"]')
    tab.keyboard.press("Space")
    assert left(tab) < before
    # What was in focus stays so, for the next key.
    assert tab.evaluate("document.activeElement.value") == "not"


# -- served -------------------------------------------------------------------------------------


@contextmanager
def explored(monkeypatch, found, *given, **options):
    """Serve what ``explore`` would, beside the test; give the address."""
    kept = {}
    monkeypatch.setattr(write, "serve", lambda page, **how: kept.update(page=page, **how))
    explore(found, *given, **options)
    with page_server(kept["page"], answers=kept["answers"], token=kept["token"]) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield address(server)
        finally:
            server.shutdown()
            thread.join()


def assert_taken(tab, name):
    """The function that is chosen can be taken along in every format."""
    tab.click("#tab-take")
    for kind in ("json", "sql", "page", "report"):
        with tab.expect_download() as download:
            tab.click(f'#take button[data-as="{kind}"]')
        text = download.value.path().read_text()
        if kind == "json":
            tree = ol.Tree.from_json(text)
            assert tree.fingerprint == name
        elif kind == "sql":
            assert text.endswith(f"{tree.to_sql()}\n")
        else:
            assert name in text


def test_all_trees_are_counted_by_the_server(browser, monkeypatch):
    random = np.random.default_rng(3)
    X = pd.DataFrame(random.integers(0, 2, (150, 7)), columns=list("abcdefg"))
    y = np.where((X.a & X.b) ^ (random.random(150) < 0.2), "yes", "no")
    found = ol.RashomonSet(4, 0.005, 0.06).fit(X, y).trees_
    assert found.n_trees > 10**5
    with explored(monkeypatch, found, X, y, sample=40, rows=True) as served:
        context = browser.new_context()
        context.set_default_timeout(20_000)
        tab = browsing.open_tab(context)
        complaints, requests = [], []
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda fault: complaints.append(str(fault)))
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto(served)

        def whole(n):
            tab.wait_for_function(
                "n => document.getElementById('whole').textContent.includes(` ${n} meet`)",
                arg=f"{n:,}",
            )

        whole(found.n_trees)
        required = '#wants fieldset[data-feature="0"] label:has-text("required")'
        tab.click(required)
        whole(found.where(member.uses("a")).n_trees)
        tab.fill('input[data-measure="leaves"][aria-label$="at most"]', "7")
        tab.press('input[data-measure="leaves"][aria-label$="at most"]', "Tab")
        whole(found.where(member.uses("a"), member.leaves <= 7).n_trees)
        tab.click("#tab-build")
        tab.select_option("#first", "f1")
        view = found.where(member.uses("a"), member.leaves <= 7, member.root == "b")
        whole(view.n_trees)
        # Of those that are shown, the functions that some tree begins so; as Python finds them.
        asked = {"sample": 40, "random_state": 0, "using": "a", "where": "leaves <= 7"}
        shown, begins = (
            ol.choose(found, X, y, **asked).set_index("fingerprint"),
            ol.choose(found, X, y, **asked, first="b").set_index("fingerprint"),
        )
        assert left(tab) == len(begins) < len(shown)
        n = found.where(member.leaves <= 7, member.root == "b", ~member.uses("a")).n_trees
        tab.wait_for_function(
            "n => document.querySelector('#wants fieldset').innerText.includes(n)",
            arg=f"of all trees {n:,}",
        )
        # The exact ends, and a function that is one.
        ends = found.ends(X, y)
        row = tab.query_selector('#ends tr[data-measure="held_out_error"] button')
        name = ends.loc["held_out_error", "smallest_function"]
        assert row.get_attribute("data-function") == name
        row.click()
        assert_taken(tab, name)
        assert len(browsing.accessible(tab)) > 10
        assert complaints == []
        assert all(url.startswith((served, "data:,", "blob:")) for url in requests)
        # Another page cannot ask, and the policy lets this one ask nobody else.
        other = tab.evaluate(
            """async () => { try { await fetch("http://127.0.0.2:9/"); return "asked"; }
                 catch (fault) { return "refused"; } }"""
        )
        assert other == "refused"
        context.close()


def test_the_page_is_small(case):
    assert case[4].stat().st_size < 2_000_000
    text = case[4].read_text(encoding="utf-8")
    assert "connect-src" not in text
    assert json.loads(re.search(r"const SET = (.*);\n", text)[1])["live"] is None
