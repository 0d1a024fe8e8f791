"""The report: complete, escaped, self-contained, the same bytes for the same input."""

import functools
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.acquisition.question import percent
from orderless.errors import TooManyBoxes
from orderless.output.pages.near import near
from orderless.output.pages.sections import WAYS, importance
from orderless.output.pages.subject import Subject
from orderless.output.plots.drawing import DRAWN_LEAVES, tree_as_svg


class Parsed(HTMLParser):
    VOID = frozenset({"meta", "br", "img", "link", "input", "hr", "path", "rect", "use", "col"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.ids = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing(wisconsin):
    page = Parsed(wisconsin[3])
    assert page.open == []
    assert "script" not in page.tags
    assert "link" not in page.tags
    for name, value in page.attributes:
        assert name not in ("src", "onload", "onclick")
        if name == "href" or name == "xlink:href":
            assert value.startswith("#")
    sections = {value for name, value in page.attributes if name == "id"}
    for name in ("tree", "rules", "reasons", "smallest", "missing", "importance", "near", "made"):
        assert name in sections
        assert f'href="#{name}"' in wisconsin[3]


def test_every_figure_has_words_for_it(wisconsin):
    for svg in re.findall(r"<svg[^>]*>", wisconsin[3]):
        assert 'role="img"' in svg
        assert re.search(r'aria-label="[^"]{20,}"', svg)


def test_the_numbers_are_those_of_the_library(wisconsin):
    tree, X, y, page = wisconsin
    accuracy = (np.asarray(tree.predict(X)) == y).mean()
    assert f"{accuracy:.1%} of the {len(X)} training rows" in page
    assert tree.fingerprint in page
    n_rules = sum(map(len, ol.canonicalize(tree).rules.values()))
    assert f"it comes down to {n_rules} rules" in page
    assert f"{tree.minimize().n_leaves} leaves instead of {tree.n_leaves}" in page


def test_equal_input_gives_equal_bytes(wisconsin):
    tree, X, y, page = wisconsin
    assert ol.report(tree, X, y).html == page
    assert ol.report(tree, X, y, random_state=1).html != page


HOSTILE = ["<script>alert(1)</script>", "'; DROP TABLE x; --", '"><img src=x onerror=alert(1)>']


def test_names_and_labels_are_escaped():
    X = pd.DataFrame(np.random.RandomState(0).rand(60, 3), columns=HOSTILE)
    y = np.where(X.iloc[:, 0] > 0.5, "</svg><script>bad()</script>", "good & <b>")
    y = np.where(X.iloc[:, 1] > 0.8, "third {{ 7 * 7 }}", y)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    page = ol.report(tree, X, y, title="<script>t</script>", about={"<i>": "<u>"}).html
    parsed = Parsed(page)
    assert not {"script", "img", "b", "i", "u"} & set(parsed.tags) - {"b"}
    assert page.count("<script") == 0
    assert "49" not in re.findall(r"third [^<]*", page)[0]
    assert "third {{ 7 * 7 }}" in page


def test_saving_is_whole(tmp_path, wisconsin):
    page = ol.report(*wisconsin[:3])
    assert page.save(tmp_path / "r.html").read_text(encoding="utf-8") == page.html
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    with pytest.raises(OSError, match="absent"):
        page.save(tmp_path / "absent" / "r.html")
    assert "characters of HTML" in repr(page)


@pytest.mark.parametrize("label", [1, "only"])
def test_a_constant_tree_has_a_report(label):
    page = ol.report({"prediction": label}, np.zeros((4, 0)), [label] * 4).html
    assert Parsed(page).open == []
    assert "100.0% of the 4 rows" in page


def test_a_large_tree_is_told_as_text():
    X = np.arange(400.0)[:, None]
    y = np.arange(400) % 2
    tree = ol.read(DecisionTreeClassifier(random_state=0).fit(X, y))
    assert tree.n_leaves > DRAWN_LEAVES
    assert "too large to draw" in ol.report(tree, X, y).html
    with pytest.raises(ValueError, match=f"400 leaves, more than the {DRAWN_LEAVES}"):
        tree_as_svg(tree.kernel)


def test_bad_input_is_refused(wisconsin):
    tree, X, y, _ = wisconsin
    with pytest.raises(ValueError, match="X has 569 rows and y has 3 labels"):
        ol.report(tree, X, y[:3])
    with pytest.raises(ValueError, match="no rows"):
        ol.report(tree, X[:0], y[:0])
    gap = X.copy()
    gap.loc[3, tree.features[0]] = None
    with pytest.raises(ValueError, match="unknown values"):
        ol.report(tree, gap, y)


# -- costs ---------------------------------------------------------------------------------------


def test_costs_are_those_of_the_policies(wisconsin):
    tree, X, y, plain = wisconsin
    costs = {name: 1 + k % 4 for k, name in enumerate(X)}
    page = ol.report(tree, X, y, costs).html
    assert 'id="costs"' not in plain
    assert Parsed(page).open == []
    text = " ".join(re.sub(r"<[^>]*>", " ", page[page.index('id="costs"') :]).split())
    for method, words in WAYS.items():
        policy = ol.cheapest_policy(tree, X, costs, method=method)
        assert f"{words} {policy.expected_cost:.2f} {policy.worst_cost:.2f}" in text
    best = ol.cheapest_policy(tree, X, costs)
    assert best.optimal
    assert "it is proven that no other way is cheaper" in text
    first = best.next_feature().feature
    assert f"{first} {costs[first]} 100% of rows {costs[first]:.2f}" in text
    bought = best.simulate(X)
    for name in tree.features:
        share = bought["purchases"].map(lambda names, name=name: name in names).mean()
        assert f"{name} {costs[name]} {percent(share)} of rows" in text


def test_a_policy_that_is_not_proven_is_not_said_to_be(wisconsin, monkeypatch):
    tree, X, y, _ = wisconsin
    limited = functools.partial(ol.cheapest_policy, limit=1)
    monkeypatch.setattr("orderless.output.pages.subject.cheapest_policy", limited)
    page = ol.report(tree, X, y, {name: 1 + k % 4 for k, name in enumerate(X)}).html
    assert "it was not proven in the time" in page
    assert "no other way is cheaper on these rows" not in page


def test_costs_that_are_none_are_refused(wisconsin):
    tree, X, y, _ = wisconsin
    with pytest.raises(ValueError, match="no cost for"):
        ol.report(tree, X, y, {"radius3": 1})
    page = ol.report({"prediction": 1}, np.zeros((4, 0)), [1] * 4, {}).html
    assert "every answer is free" in page


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True, as_frame=True)
    tree = ol.read(DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, y))
    return tree, ol.report(tree, X, y).html


def test_the_range_over_orders_is_given_up_early(digits):
    asked = importance_limit(digits[0])
    assert asked <= 25_000
    assert "too many trees decide the same as this one" in digits[1]


def importance_limit(tree):
    """How many boxes the report lets the range look at, for this tree."""
    X = np.zeros((4, 64)) + np.arange(4)[:, None] * 4
    limits = []

    def refuse(*_, limit, **__):
        limits.append(limit)
        raise TooManyBoxes("too many")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("orderless.output.pages.sections.importance_range", refuse)
        importance(Subject(tree.kernel, pd.DataFrame(X, columns=tree.space.names), [0, 1, 2, 3]))
    (limit,) = limits
    return limit


def test_ten_classes_have_ten_colours_and_marks(digits):
    chips = re.findall(r'style="color:var\(--class-(\d+)\)">(.)</span> <bdi>(\d)</bdi>', digits[1])
    first = chips[:10]
    assert [label for _, _, label in first] == [str(k) for k in range(10)]
    assert len({(hue, mark) for hue, mark, _ in first}) == 10
    assert len({mark for _, mark, _ in first}) == 10
    for k in range(10):
        colours = re.findall(rf"--class-{k}: (#\w+);", digits[1])
        assert len(colours) == 3  # light, dark, paper
        assert colours[0] == colours[2]
    for which in (0, 1):
        seen = [re.findall(rf"--class-{k}: (#\w+);", digits[1])[which] for k in range(10)]
        assert len(set(seen)) == 10


def test_a_wide_tree_keeps_its_letters_and_is_text_on_paper(digits):
    page = digits[1]
    (width,) = re.findall(r'<svg [^>]*class="tree"[^>]* width="(\d+)"', page)[:1]
    assert int(width) > 1100  # wider than a sheet: shrunk, nobody could read it
    assert "svg.tree { display: block; }" in page  # on screen it keeps its size, and can be moved
    assert '<div class="no-phone no-paper">' in page
    assert '<pre class="phone paper" ' in page


def test_no_words_of_the_interface_in_the_prose(digits, wisconsin):
    for page in (digits[1], wisconsin[3]):
        text = re.sub(r"<(style|pre|code)\b.*?</\1>", "", page, flags=re.S)
        words = re.sub(r"<[^>]*>", " ", text)
        assert not re.search(r"\b(limit|time_limit|random_state|memory_limit|exact)\s*=", words)
        assert "random_state" not in words


def test_paper_shows_every_rule(digits):
    printed = digits[1].split("@media print")[1].split("</style>")[0]
    assert ".orderless [role=region] { max-height: none !important" in printed


def test_more_functions_than_are_counted(wisconsin, monkeypatch):
    monkeypatch.setattr("orderless.output.pages.near.MOST_FUNCTIONS", 5)
    assert "more than 5, not counted" in str(
        near(Subject(wisconsin[0].kernel, *wisconsin[1:3])).parts
    )


def test_trees_for_which_a_gap_is_a_value_are_left_out():
    space = ol.Space([ol.Feature("x", nan=True)])
    split = {"feature": "x", "relation": "<=", "reference": 1.5}
    tree = {**split, "true": {"prediction": 0}, "false": {"prediction": 1}}
    X = np.array([[1.0], [2.0], [np.nan], [3.0]])
    page = ol.report(ol.read(tree, space=space), X, [0, 1, 1, 1]).html
    assert "Left out: for this tree, missing is a value of its own" in page


def test_names_that_are_long_or_look_like_formulas():
    names = ["a name without an end " * 8, "$\\frac{$", "50 % & $x$"]
    X = pd.DataFrame(np.random.RandomState(0).rand(60, 3), columns=names)
    y = (X.iloc[:, 0] > X.iloc[:, 1]) + 0
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    page = ol.report(tree, X, y, [1, 2, 3]).html
    assert "a name without an end a name wi…" in page
    assert page.count("$\\frac{$") > 5


def test_drawing_marks_redundant_splits(wisconsin):
    tree = wisconsin[0]
    gone = tree.redundant_splits()
    drawn = tree_as_svg(tree.kernel, marked=gone)
    assert drawn.count("stroke-dasharray") == len(gone) == 2
    assert drawn.count("<rect") == tree.n_nodes
