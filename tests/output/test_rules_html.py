from html.parser import HTMLParser

import pytest
import showcase
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.model.escapes import printable
from orderless.model.words import label_text
from tests.form.test_canonical_limits import many_reasons
from tests.output.test_code_python import chain, nan_trees
from tests.output.test_rules_text import long_form

VOID = {"br", "hr", "img", "input", "meta", "link"}
LEGAL = {"div", "p", "b", "bdi", "span", "table", "caption", "thead", "tbody", "tr", "th", "td",
         "ul", "li"}  # fmt: skip
LEGAL_ATTRIBUTES = {"class", "style", "scope", "role", "tabindex", "aria-label", "aria-hidden"}


class Reader(HTMLParser):
    """Reads a fragment, and insists that it is well formed and made of known parts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.said, self.cells = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, "a tag is not closed"

    def handle_starttag(self, tag, attrs):
        assert tag in LEGAL - VOID, tag
        for name, value in attrs:
            assert name in LEGAL_ATTRIBUTES, name
            if name == "style":
                assert "url" not in value
                assert "expression" not in value
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))
        if tag in ("th", "td", "caption", "p"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said.append(data)
        if {"th", "td", "caption", "p"} & set(self.open):
            self.cells[-1] += data

    def handle_comment(self, data):
        raise AssertionError("a comment")

    handle_decl = handle_pi = unknown_decl = handle_comment


@pytest.mark.parametrize("name", showcase.FORMS)
def test_golden(name):
    html = showcase.FORMS[name]()._repr_html_()
    Reader(html)
    showcase.check_golden(f"{name}.html", html)


def test_golden_with_data():
    html = showcase.mixed().to_html(*showcase.mixed_rows())
    Reader(html)
    showcase.check_golden("mixed_data.html", html)


def test_every_table_is_labelled_for_readers_of_all_kinds():
    form = showcase.mixed()
    read = Reader(form.to_html(*showcase.mixed_rows()))
    tags = [tag for tag, _ in read.tags]
    assert tags.count("table") == tags.count("caption") == 3
    scopes = [attrs["scope"] for tag, attrs in read.tags if tag == "th"]
    assert scopes.count("col") == 9
    assert scopes.count("row") == sum(len(terms) for terms in form.rules.values())
    assert all(attrs.get("aria-hidden") == "true" for tag, attrs in read.tags
               if tag == "span" and "linear-gradient" in attrs["style"])  # fmt: skip


def test_cells_say_what_the_text_says():
    form, (rows, y) = showcase.mixed(), showcase.mixed_rows()
    cells = Reader(form.to_html(rows, y)).cells  # by coverage
    for label, terms in form.rules.items():
        at = cells.index(f"{label}: 3 rules")
        assert cells[at + 1 : at + 4] == ["rule", "rows", "right"]
        for k, term in enumerate(sorted(terms, key=lambda term: -term.covers(rows).sum())):
            said, n, right = cells[at + 4 + 3 * k : at + 7 + 3 * k]
            words = said.replace("≤", "<=").replace("≥", ">=").replace("≠", "!=")
            words = words.replace("\xa0", " ")
            assert words == str(term)
            inside = term.covers(rows)
            hits = sum(own == label for own, flag in zip(y, inside, strict=True) if flag)
            assert int(n) == inside.sum()
            assert int(right.split()[0]) == hits


NAMES = st.one_of(
    st.sampled_from(showcase.HOSTILE),
    st.text(min_size=1, max_size=20),
    st.text("<>&'\"/=` -!", min_size=1, max_size=20),
)


@given(NAMES, NAMES, st.sampled_from(["a", "<", "]]>", "--><!--"]))
@settings(max_examples=150)
def test_no_name_gets_out_of_its_cell(name, label, other):
    if label == other:
        label += "x"
    leaves = {"true": {"prediction": label}, "false": {"prediction": other}}
    tree = ol.read({"feature": name, **leaves}, space=ol.Space({name: "boolean"}))
    html = ol.canonicalize(tree).to_html([{name: 1}], [label])
    cells = Reader(html).cells
    assert printable(name) in cells
    assert f"not {printable(name)}" in cells
    assert f"{label_text(label)}: 1 rule" in cells


def test_many_rules_scroll():
    html = ol.canonicalize(many_reasons(6)).to_html(terms="reasons")
    read = Reader(html)
    regions = [attrs for tag, attrs in read.tags if attrs.get("role") == "region"]
    assert [region["aria-label"] for region in regions] == ["reasons for 1"]
    assert regions[0]["tabindex"] == "0"


def test_long_conditions_may_wrap():
    read = Reader(long_form()._repr_html_())
    styles = {attrs["style"] for tag, attrs in read.tags if tag == "span"}
    assert "white-space:normal" in styles


def test_a_form_without_rules_says_so():
    html = ol.canonicalize(many_reasons(6), limit=10)._repr_html_()
    read = Reader(html)
    assert "limit=10" in "".join(read.said)
    assert "table" not in [tag for tag, _ in read.tags]


# -- trees -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", showcase.FORMS)
def test_golden_tree(name):
    html = showcase.FORMS[name]().tree._repr_html_()
    Reader(html)
    showcase.check_golden(f"{name}_tree.html", html)


class Branches(Reader):
    """Follows the lists of a tree: one line per node, with how deep it stands."""

    def __init__(self, text):
        self.lines = []
        super().__init__(text)

    def handle_starttag(self, tag, attrs):
        super().handle_starttag(tag, attrs)
        if tag in ("li", "div"):
            self.lines.append([self.open.count("li"), ""])

    def handle_data(self, data):
        super().handle_data(data)
        if "p" not in self.open and self.lines:
            self.lines[-1][1] += data


def words(tree):
    """What the lists should say, by recursion."""

    def below(node, depth, answer):
        if tree.nodes.feature[node] < 0:
            yield depth, f"{answer}{label_text(tree.classes[tree.nodes.leaf_class[node]])}"
            return
        yes, no = tree.nodes.when_true[node], tree.nodes.when_false[node]
        said = tree.kernel.condition(node)
        if tree.space.features[tree.nodes.feature[node]].kind == "boolean":
            yes, no, said = no, yes, said.removeprefix("not ")
        yield depth, f"{answer}{printable(said)}?"
        yield from below(yes, depth + 1, "yes ")
        yield from below(no, depth + 1, "no ")

    return list(below(0, 0, ""))


def drawn(tree):
    lines = Branches(tree._repr_html_()).lines[1:]  # the first is the frame
    return [
        (depth, " ".join(said.replace(" ≤ ", " <= ").replace(" ≠ ", " != ").split()))
        for depth, said in lines
    ]


@pytest.mark.parametrize("name", ["mixed", "constant", "iris"])
def test_a_tree_is_drawn_node_by_node(name):
    tree = showcase.FORMS[name]().tree
    assert drawn(tree) == words(tree)


@given(nan_trees())
@settings(max_examples=40)
def test_a_tree_is_drawn_where_nan_is_a_value(tree):
    """Sets may be said by what is left out; every node is there, with its leaves."""
    lines, expected = drawn(tree), words(tree)
    assert [depth for depth, _ in lines] == [depth for depth, _ in expected]
    for (_, said), (_, word) in zip(lines, expected, strict=True):
        if " in {" not in word and " = " not in word:
            assert said == word


def test_a_large_tree_is_drawn_in_part():
    html = chain(5000)._repr_html_()
    Reader(html)
    assert len(html) < 100_000
    assert html.count("(not shown)") == 1
    assert "5,001 leaves" in html


@given(NAMES, NAMES)
@settings(max_examples=60)
def test_no_name_gets_out_of_its_node(name, label):
    leaves = {"true": {"prediction": label}, "false": {"prediction": label + "x"}}
    tree = ol.read({"feature": name, **leaves}, space=ol.Space({name: "boolean"}))
    said = Reader(tree._repr_html_()).said
    assert printable(name) in said
    assert label_text(label) in said
