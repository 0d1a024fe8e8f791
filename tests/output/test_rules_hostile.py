"""Names from anybody in everything that is written: code decides as the tree, pages stay pages."""

import re
from html.parser import HTMLParser

import javascript
import narwhals as nw
import pandas as pd
import pytest
from javascript import needs_node

import orderless as ol
from orderless.connect import predict_file
from orderless.errors import InvalidSpace
from orderless.inputs import codes_for
from orderless.model.escapes import ACTIVE
from orderless.output.code.dot import tree_as_dot

SEEDS = {
    "quotes": "\"'`’“",
    "triple": "\"\"\"'''",
    "newlines": "a\nb\r\nc\x0b\x0c\x85\u2028\u2029d",
    "script": "</script><script>alert(1)</script><!--<script>",
    "attribute": "\" onmouseover=alert(1) x='",
    "comment": "*/ alert(1) /* -- */ # //",
    "shell": "$(touch x) `touch x` ${x} %s {0} {{x}} {% raw %}",
    "nul": "a\0b",
    "surrogate": "a\ud800b\udfff",
    "turned": "a\u202eb\u2066c\u200b\ufeff",
    "escape": "\x1b[2J\x9b\x07",
    "backslash": "x\\",
    "escaped": "\\n\\\"\\' \\u0041 \\N{DASH}",
    "markdown": "|a|*b*_c_[x](javascript:alert(1))<b>",
    "latex": "\\input{/etc/passwd}$x^2_%&#~{}",
    "sql": "'; DROP TABLE x; --",
    "prototype": "__proto__",
    "constructor": "constructor",
    "entity": "&lt;&amp;&#60;",
    "formula": "\t=1+1",
    "long": "x" * 100_000,
}


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


@pytest.fixture(params=SEEDS)
def seed(request):
    return SEEDS[request.param]


def hostile(name):
    """A tree with the name in features, categories and classes; and rows that reach every leaf."""
    space = ol.Space(
        [ol.Feature(f"a{name}", "categorical", categories=(f"v{name}", "y", "z")),
         ol.Feature(f"b{name}", values="float32"), ol.Feature(f"c{name}", "boolean")]
    )  # fmt: skip
    tree = ol.Tree(
        space, [f"k{name}", f"l{name}"], feature=[0, 1, -1, 2, -1, -1, -1],
        threshold=[0, 0.5, 0, 0, 0, 0, 0], when_true=[1, 2, -1, 4, -1, -1, -1],
        when_false=[3, 6, -1, 5, -1, -1, -1], leaf_class=[-1, -1, 0, -1, 1, 0, 1], sets={0: [0]},
    )  # fmt: skip
    rows = [
        {f"a{name}": a, f"b{name}": b, f"c{name}": c}
        for a in (f"v{name}", "y")
        for b in (0.25, 0.75)
        for c in (False, True)
    ]
    return tree, rows


class Tags(HTMLParser):
    """Every tag and attribute, and all scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *(name for name, _ in attrs)))
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


def pages(tree, rows):
    name = tree.space.names[0]
    form = ol.canonicalize(tree)
    yield form.to_html()
    yield tree._repr_html_()
    shown = {"title": name, "labels": {name: name}, "units": {name: name}}
    yield ol.write_page(
        tree,
        **shown,
        description=name,
        costs=dict.fromkeys(tree.features, 1.0),
        examples={name: rows[0]},
    )
    y = [tree.classes[c] for c in codes_for(tree.kernel, rows)]
    yield ol.report(tree, rows, y, dict.fromkeys(tree.features, 1), title=name,
                    about={name: name}, about_rows=name).html  # fmt: skip


def test_pages_have_the_tags_that_they_have_for_any_name(seed):
    plain = list(pages(*hostile("plain")))
    for page, other in zip(pages(*hostile(seed)), plain, strict=True):
        found = Tags(page)
        assert [set(tag) for tag in found.tags if tag[0] == "script"] == [
            set(tag) for tag in Tags(other).tags if tag[0] == "script"
        ]
        assert set(found.tags) <= set(Tags(other).tags)
        assert "javascript:" not in "".join(re.findall(r'(?:href|src)="([^"]*)"', page))
        page.encode("utf-8")
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\u2066]", page)


def test_texts_have_one_line_per_line(seed):
    tree, rows = hostile(seed)
    assert str(tree).count("\n") == str(hostile("plain")[0]).count("\n")
    for write in (
        lambda tree, rows: str(tree),
        lambda tree, rows: ol.canonicalize(tree).to_text(),
        lambda tree, rows: ol.canonicalize(tree).to_markdown(),
        lambda tree, rows: ol.canonicalize(tree).to_latex(),
        lambda tree, rows: tree_as_dot(tree.kernel),
        lambda tree, rows: str(ol.cheapest_policy(tree, rows, [1, 1, 1])),
    ):
        text = write(tree, rows)
        assert text.splitlines() == text.rstrip("\n").split("\n")
        assert not ACTIVE.search(text)
        text.encode("utf-8")


def test_latex_and_dot_name_only_their_own_commands(seed):
    tree, _ = hostile(seed)
    like, _ = hostile("plain")
    commands = re.compile(r"\\([A-Za-z]+)")
    latex = ol.canonicalize(tree).to_latex()
    own = set(commands.findall(ol.canonicalize(like).to_latex()))
    own |= {"textbackslash", "textasciicircum", "textasciitilde", "textquoteright", "char"}
    own |= {"textless", "textgreater", "textbar"}
    own |= {"providecommand", "orderlesschar", "ifdefined", "Umathcode", "else", "fi"}
    assert "\\input{" not in latex
    assert set(commands.findall(latex)) <= own
    label = re.compile(r'"(?:[^"\\]|\\.)*"')
    bare = [label.sub('""', line) for line in tree_as_dot(tree.kernel).splitlines()]
    assert bare == [label.sub('""', line) for line in tree_as_dot(like.kernel).splitlines()]


def test_python_decides_the_same(seed):
    tree, rows = hostile(seed)
    code = tree.to_python()
    code.encode("utf-8")
    names = {}
    exec(compile(code, "<generated>", "exec"), names)
    assert [names["decide"](row) for row in rows] == tree.predict(rows).tolist()


@needs_node
def test_javascript_decides_the_same(seed):
    tree, rows = hostile(seed)
    code = tree.to_javascript(module=False)
    assert code.isascii() or not ACTIVE.search(code)
    assert "</script" not in code
    assert javascript.run(code, rows) == tree.predict(rows).tolist()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql", "spark"])
def test_sql_is_one_statement_of_the_same_shape(seed, dialect):
    import sqlglot

    tree, _ = hostile(seed)
    if "\0" in seed or "\ud800" in seed:
        with pytest.raises(InvalidSpace, match="SQL cannot hold: rename it"):
            tree.to_sql(dialect=dialect)
        return
    like, _ = hostile("plain")
    both = []
    for one in (tree, like):
        text = one.to_sql(dialect=dialect, table=[one.space.names[0]])
        (statement,) = sqlglot.parse(text, read=dialect)
        kinds = [type(node).__name__ for node in statement.walk()]
        both.append(["Literal" if kind == "National" else kind for kind in kinds])
    assert both[0] == both[1]


def test_duckdb_decides_the_same(seed):
    duckdb = pytest.importorskip("duckdb")
    if "\0" in seed or "\ud800" in seed:
        pytest.skip("SQL cannot hold it")
    tree, rows = hostile(seed)
    frame = pd.DataFrame(rows)
    frame.columns = ["a", "b", "c"]
    said = tree.to_sql(columns=dict(zip(tree.space.names, "abc", strict=True)))
    with duckdb.connect() as base:
        base.register("frame", frame)
        found = [row[0] for row in base.execute(f"SELECT {said} FROM frame").fetchall()]
    assert found == tree.predict(rows).tolist()


def test_polars_decides_the_same(seed):
    pl = pytest.importorskip("polars")
    tree, rows = hostile(seed)
    if "\ud800" in seed:
        with pytest.raises(InvalidSpace, match="surrogate pair, which data frames cannot"):
            tree.to_expression()
        return
    frame = nw.from_native(pl.DataFrame(rows))
    found = frame.with_columns(answer_=tree.to_expression())["answer_"].to_list()
    assert found == tree.predict(rows).tolist()


def test_files_hold_every_name(seed, tmp_path):
    tree, rows = hostile(seed)
    assert ol.Tree.from_json(tree.to_json().encode()) == tree
    form = ol.canonicalize(tree)
    assert ol.CanonicalForm.from_json(form.to_json().encode()) == form
    policy = ol.cheapest_policy(tree, rows, [1, 1, 1])
    assert ol.Policy.from_json(policy.to_json().encode()).to_json() == policy.to_json()


def test_csv_comes_out_as_it_went_in(seed, tmp_path):
    import csv

    if "\ud800" in seed:
        pytest.skip("no UTF-8 file can hold it")
    tree, rows = hostile(seed)
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    if "\0" in seed:  # in the names of columns it is a sign of another encoding
        with pytest.raises(ValueError, match="NUL"):
            predict_file(tree, tmp_path / "in.csv", tmp_path / "out.csv", needed=None)
        return
    predict_file(tree, tmp_path / "in.csv", tmp_path / "out.csv", needed=None)
    csv.field_size_limit(10_000_000)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as handle:
        found = list(csv.DictReader(handle))
    assert [row["prediction"] for row in found] == tree.predict(rows).tolist()
    assert [row[f"a{seed}"] for row in found] == [row[f"a{seed}"] for row in rows]


def test_a_million_letters_are_drawn_cut(monkeypatch):
    """What is broken into lines is as long as what can be drawn, not as the name."""
    import textwrap

    from matplotlib.figure import Figure

    lengths = []
    wrap = textwrap.wrap
    monkeypatch.setattr(textwrap, "wrap", lambda text, *a, **k: lengths.append(len(text)) or
                        wrap(text, *a, **k))  # fmt: skip
    tree, _ = hostile("x" * 1_000_000)
    ol.plot_tree(tree, ax=Figure().subplots())
    assert max(lengths) < 10_000
