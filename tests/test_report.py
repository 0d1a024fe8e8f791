"""The report: complete, escaped, self-contained, the same bytes for the same input."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.output.drawing import DRAWN_LEAVES, tree_as_svg


@pytest.fixture(scope="module")
def wisconsin():
    X, y = ol.datasets.load("wisconsin")
    y = y.map({0: "benign", 1: "malignant"})
    tree = ol.read_tree(DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y))
    return tree, X, y, ol.report(tree, X, y).html


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
    for name in ("tree", "rules", "reasons", "smallest", "missing", "importance", "made"):
        assert name in sections
        assert f'href="#{name}"' in wisconsin[3]


def test_every_figure_has_words_for_it(wisconsin):
    for svg in re.findall(r"<svg[^>]*>", wisconsin[3]):
        assert 'role="img"' in svg
        assert re.search(r'aria-label="[^"]{20,}"', svg)


def test_the_numbers_are_those_of_the_library(wisconsin):
    tree, X, y, page = wisconsin
    accuracy = (np.asarray(tree.predict(X)) == y).mean()
    assert f"{accuracy:.1%} of the {len(X)} rows" in page
    assert ol.fingerprint(tree) in page
    n_rules = sum(map(len, ol.canonicalize(tree).rules.values()))
    assert f"it says {n_rules} rules" in page
    assert f"{ol.smallest_tree(tree).n_leaves} leaves instead of {tree.n_leaves}" in page


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
    tree = ol.read_tree(DecisionTreeClassifier(random_state=0).fit(X, y))
    assert tree.n_leaves > DRAWN_LEAVES
    assert "too large to draw" in ol.report(tree, X, y).html
    with pytest.raises(ValueError, match=f"400 leaves, more than the {DRAWN_LEAVES}"):
        tree_as_svg(tree)


def test_bad_input_is_refused(wisconsin):
    tree, X, y, _ = wisconsin
    with pytest.raises(ValueError, match="X has 569 rows and y 3"):
        ol.report(tree, X, y[:3])
    with pytest.raises(ValueError, match="no rows"):
        ol.report(tree, X[:0], y[:0])
    gap = X.copy()
    gap.loc[3, tree.features[0]] = None
    with pytest.raises(ValueError, match="unknown values"):
        ol.report(tree, gap, y)


def test_drawing_marks_redundant_splits(wisconsin):
    tree = wisconsin[0]
    gone = ol.redundant_splits(tree)
    drawn = tree_as_svg(tree, marked=gone)
    assert drawn.count("stroke-dasharray") == len(gone) == 2
    assert drawn.count("<rect") == tree.n_nodes
