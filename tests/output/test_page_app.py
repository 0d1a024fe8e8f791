"""The page as text, and its advice in Node; test_page_app_browser.py uses it as people do."""

import base64
import hashlib
import itertools
import re
import threading
import urllib.error
import urllib.request
from html.parser import HTMLParser

import javascript
import numpy as np
import oracle
import pandas as pd
import pytest
import showcase
from hypothesis import assume, given, settings, strategies as st
from javascript import needs_node
from strategies import partial_rows, problems, space_of, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace, InvalidTree
from orderless.output.page import serve
from tests.output.test_code_python import chain

VOID = {"meta", "link", "input"}
MIXED = {"labels": {"lab value": "Lab value"}, "units": {"age": "years"}}


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


class Page(HTMLParser):
    """Reads a page, and insists that it is well formed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.said = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, "a tag is not closed"

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names)
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.said.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in set(self.open):
            self.said[tag][-1] += data

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


PAGES = {
    "mixed": lambda: ol.write_page(showcase.mixed(), **MIXED),
    "hostile": lambda: ol.write_page(
        showcase.hostile(),
        title=showcase.HOSTILE[0],
        description="</title><img src=x onerror=alert(2)>",
        labels={showcase.HOSTILE[1]: showcase.HOSTILE[0]},
        units={showcase.HOSTILE[1]: "</script>"},
        examples={"</option><script>": {showcase.HOSTILE[-1]: "<script>alert(1)</script>"}},
    ),
    "constant": lambda: ol.write_page(showcase.constant()),
    "iris": lambda: ol.write_page(showcase.iris()[0], examples=showcase.iris()[1].head(3)),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_complete_and_asks_no_network(name):
    text = PAGES[name]()
    page = Page(text)
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert page.all("script") == page.all("style") == [{}]
    (policy,) = [m["content"] for m in page.all("meta")
                 if m.get("http-equiv") == "Content-Security-Policy"]  # fmt: skip
    for tag, said in (("script-src", page.said["script"][0]), ("style-src", page.said["style"][0])):
        digest = base64.b64encode(hashlib.sha256(said.encode()).digest()).decode()
        assert f"{tag} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag, attrs in page.tags:
        assert not {"src", "style", "action", "srcset"} & set(attrs), tag
        assert not [key for key in attrs if key.startswith("on")], tag
        href = attrs.get("href", "#")
        assert href.startswith("#") or href == "data:,"
    assert "url(" not in page.said["style"][0]
    assert "@import" not in page.said["style"][0]
    for word in ("fetch(", "XMLHttpRequest", "eval(", "localStorage", "sendBeacon"):
        assert word not in page.said["script"][0]
    assert text == PAGES[name]()


@pytest.mark.parametrize("name", PAGES)
def test_everything_has_a_name(name):
    page = Page(PAGES[name]())
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)
    for _, attrs in page.tags:
        for key in ("for", "aria-describedby", "aria-labelledby"):
            assert set(attrs.get(key, "").split()) <= set(ids)
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.said["h1"]) == 1
    assert len(page.all("fieldset")) == len(page.said.get("legend", []))


def test_names_are_only_text():
    page = Page(PAGES["hostile"]())
    assert page.said["title"] == page.said["h1"] == ["<script>alert(1)</script>"]
    assert not page.all("img")
    assert [said.strip() for said in page.said["option"]] == ["Examples", "</option><script>"]
    assert "\u202e" not in PAGES["hostile"]()


def test_a_name_without_a_letter_of_utf8():
    tree = ol.read_tree({"feature": "\ud800", "true": {"prediction": "\ud801"},
                         "false": {"prediction": "\x00"}}, feature_names=["\ud800"])  # fmt: skip
    page = ol.write_page(tree, title="\udfff\x00")
    assert page.encode("utf-8")
    assert "\x00" not in page


COSTS = {"color": 2.5, "age": 0, "lab value": 0, "smoker": 0}


def test_what_is_shown_of_the_features():
    page = Page(ol.write_page(showcase.mixed(), costs=COSTS, **MIXED))
    legends = [" ".join(said.split()) for said in page.said["legend"]]
    assert legends == ["age (years)", "Lab value", "smoker", "color · cost 2.5"]
    kinds = [attrs.get("type") for attrs in page.all("input")]
    assert (kinds.count("text"), kinds.count("radio"), kinds.count("checkbox")) == (6, 3, 5)


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "fault", "said"),
    [
        ({"title": 3}, TypeError, "title must be text, got 3"),
        ({"description": b"x"}, TypeError, "description must be text"),
        ({"labels": {"ages": "Age"}}, InvalidSpace, "no feature 'ages'"),
        ({"labels": {"age": 1}}, TypeError, r"labels\['age'\] must be text"),
        ({"units": ["years"]}, TypeError, "units must be a dict"),
        ({"costs": {"age": -1}}, InvalidData, "the cost of 'age' is -1"),
        ({"costs": {"age": 1, "color": 2}}, InvalidData, "no cost for 'lab value', 'smoker'"),
        ({"costs": {"Age": 1}}, InvalidSpace, "no feature 'Age'"),
        ({"examples": 3}, InvalidData, "examples must be a data frame"),
        ({"examples": "age"}, InvalidData, "examples must be a data frame"),
        ({"examples": [3]}, InvalidData, "the example 'Example 1' must be a dict"),
        ({"examples": [{"age": 0.5}]}, InvalidData, "'age' has the value 0.5"),
        ({"examples": [{"Age": 1}]}, InvalidSpace, "no feature 'Age'"),
        ({"limit": 8}, InvalidTree, "has 9 leaves and a page is written for at most limit=8"),
        ({"policy": showcase.mixed().tree.to_json}, TypeError, "cannot read"),
    ],
)
def test_wrong_options(options, fault, said):
    with pytest.raises(fault, match=said):
        ol.write_page(showcase.mixed(), **options)


def test_a_policy_of_another_tree():
    other = showcase.ask("age", "<=", 3, showcase.leaf("low"), showcase.leaf("high"))
    other = ol.read_tree(other, space=showcase.mixed().space)
    with pytest.raises(InvalidTree, match="the policy does not decide the same as the tree"):
        ol.write_page(showcase.mixed(), policy=other)


def test_a_large_tree_is_refused():
    with pytest.raises(InvalidTree, match=r"1,001 leaves .* use to_javascript"):
        ol.write_page(chain(1000))


def test_written_completely_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    page = ol.write_page(showcase.mixed(), target)
    assert target.read_bytes() == page.encode("utf-8")
    with pytest.raises(FileNotFoundError):
        ol.write_page(showcase.mixed(), tmp_path / "no" / "page.html")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space left"):
        ol.write_page(showcase.constant(), str(target))
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert target.read_bytes() == page.encode("utf-8")


# -- examples ----------------------------------------------------------------------------------


def filled(page):
    (said,) = re.findall(r'"examples": (\[.*\])\};\n', page)
    return eval(said.replace("null", "None"))


def test_examples_of_all_kinds():
    row = {"age": 23, "lab value": 0.25, "smoker": True, "color": "blue"}
    expected = [[0, "23"], [1, 2], [2, "0.25"], [3, 1]]
    frame = pd.DataFrame([{**row, "other": 1}, dict.fromkeys(row)])
    for examples in ([row, {}], {"a": row, "b": {"age": None}}, frame,
                     [{**row, "age": np.int64(23), "color": np.str_("blue")}, {}]):  # fmt: skip
        assert filled(ol.write_page(showcase.mixed(), examples=examples)) == [expected, []]
    names = Page(ol.write_page(showcase.mixed(), examples={"A b": row})).said["option"]
    assert names == ["Examples", "A b"]


# -- advice, compared with brute force -------------------------------------------------------------

ADVICE = """
const own = (i) => FEATURES[i].name;
globalThis.orderless = Object.freeze({
  advise: (row) => {
    const {labels, matters, next} = advise(read(row));
    const asked = next === null ? null : own(next);
    return [labels.map((k) => MODEL.classes[k]), matters.map(own), asked];
  },
  changed: ([row, name, value]) => {
    const i = FEATURES.findIndex((feature) => feature.name === name);
    const {changes} = advise(read(row));
    const side = readSide(i, value);
    const found = changes.filter((one) => one.i === i && meets(one.side, side));
    return found.map(({labels}) => labels.map((k) => MODEL.classes[k]));
  },
  outcomes: (row) => {
    const box = read(row);
    const {next, outcomes} = advise(box);
    return outcomes.map(({side, labels}) => [labels.map((k) => MODEL.classes[k]),
      possible(replaced(box, next, side)).map((k) => MODEL.classes[k])]);
  },
});
"""


def logic(page):
    """The page's script without the part that needs a document."""
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL).group(1)
    return script.split("// The page: reads the form")[0] + ADVICE + "})();"


def completions(kinds, row, spec):
    values = oracle.values_by_feature(kinds, spec)
    known = {name: value for name, value in row.items() if value is not None}
    free = [name for name in kinds if name not in known]
    for some in itertools.product(*(values[name] for name in free)):
        yield {**known, **dict(zip(free, some, strict=True))}


def leaf_of(spec, row, float32):
    path = ()
    while spec[0] == "split":
        _, name, test, yes, no = spec
        value = row[name]
        if not isinstance(test, frozenset):
            holds = (oracle.as_float32(value) if name in float32 else value) <= test
        else:
            holds = value in test
        spec, path = (yes, (*path, 1)) if holds else (no, (*path, 0))
    return path, spec[1]


def small_problems():
    return problems(max_features=3)


@needs_node
@given(small_problems(), st.data())
@settings(max_examples=60)
def test_what_matters_and_what_to_ask_next(problem, data):
    """By trying every completion of the row."""
    kinds, (spec,) = problem
    float32 = frozenset(name for name, kind in kinds.items() if kind == "float32")
    tree = tree_of(spec, kinds)
    values = oracle.values_by_feature(kinds, spec)
    assume(np.prod([len(v) for v in values.values()]) < 500)
    source = logic(ol.write_page(tree))
    everything = [(row, *leaf_of(spec, row, float32)) for row in completions(kinds, {}, spec)]
    rows = [data.draw(partial_rows(kinds, spec)) for _ in range(3)] + [{}]
    for row, (classes, matters, asked) in zip(
        rows, javascript.run(source, rows, "orderless.advise(row)"), strict=True
    ):
        known = {name: value for name, value in row.items() if value is not None}
        fits = [one for one in everything if known.items() <= one[0].items()]
        assert set(classes) == {label for _, _, label in fits}
        by_rest = {}
        for full, _, label in fits:
            for name in set(kinds) - set(known):
                rest = (name, *(full[other] for other in kinds if other != name))
                by_rest.setdefault(rest, set()).add(label)
        really = {key[0] for key, labels in by_rest.items() if len(labels) > 1}
        assert set(matters) == really
        if not really:
            assert asked is None
            continue
        expected = {name: expected_open(name, everything, fits) for name in really}
        assert expected[asked] <= min(expected.values()) + 1e-9


def expected_open(name, everything, fits):
    """The leaves that stay open on average, every leaf spread evenly over its bins."""
    leaves = {}  # of the whole tree, by value of the feature: values in the same leaves are one bin
    for full, path, _ in everything:
        rest = tuple(value for other, value in full.items() if other != name)
        leaves.setdefault(full[name], set()).add((rest, path))
    bins = {}
    for value, reached in leaves.items():
        bins.setdefault(frozenset(reached), value)
    value_of = {value: bins[frozenset(reached)] for value, reached in leaves.items()}
    by_leaf = {}
    for full, path, label in fits:
        by_leaf.setdefault((path, label), set()).add(value_of[full[name]])
    total = 0.0
    for value in set().union(*by_leaf.values()):
        here = [leaf for leaf, own in by_leaf.items() if value in own]
        share = sum(1 / len(by_leaf[leaf]) for leaf in here) / len(by_leaf)
        if len({label for _, label in here}) > 1:
            total += share * len(here)
    return total


@needs_node
@given(small_problems(), st.data())
@settings(max_examples=40)
def test_what_would_change_the_answer(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    source = logic(ol.write_page(tree))
    values = oracle.values_by_feature(kinds, spec)
    for _ in range(5):
        row = data.draw(partial_rows(kinds, spec))
        known = {name: value for name, value in row.items() if value is not None}
        answers = oracle.possible_classes(kinds, known, spec)
        asked = [(known, name, value) for name in known if name in tree.features
                 for value in values[name]]  # fmt: skip
        said = javascript.run(source, asked, "orderless.changed(row)")
        for (_, name, value), found in zip(asked, said, strict=True):
            then = oracle.possible_classes(kinds, {**known, name: value}, spec)
            if len(answers) > 1 or then == answers:
                assert found == []
            else:
                assert [set(labels) for labels in found] == [then]
        (pairs,) = javascript.run(source, [known], "orderless.outcomes(row)")
        assert all(labels == again for labels, again in pairs)
        assert bool(pairs) == (len(answers) > 1)


@needs_node
def test_another_class_may_become_possible():
    """Not only a change that settles it otherwise is a change."""
    leaves = {"true": {"prediction": 0}, "false": {"prediction": 1}}
    tree = {"feature": "a", "true": {"prediction": 0}, "false": {"feature": "b", **leaves}}
    source = logic(ol.write_page(ol.read_tree(tree, feature_names=["a", "b"])))
    assert javascript.run(source, [[{"a": 1}, "a", 0]], "orderless.changed(row)") == [[[0, 1]]]


@needs_node
@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_a_split_that_makes_no_difference(names):
    """Both branches are the same, so that leaves of different classes lie on both sides of it."""
    same = {"feature": names[1], "true": {"prediction": 0}, "false": {"prediction": 1}}
    tree = {"feature": names[0], "true": same, "false": same}
    source = logic(ol.write_page(ol.read_tree(tree, feature_names=["a", "b"])))
    ((_, matters, asked),) = javascript.run(source, [{}], "orderless.advise(row)")
    assert (matters, asked) == ([names[1]], names[1])


@needs_node
def test_the_policy_is_followed():
    """Among what is open and matters, the feature that the policy asks first."""
    x = {"true": {"prediction": 1}, "false": {"prediction": 0}}
    names = ["a", "b", "c"]
    majority = {}
    for first, second, third in itertools.permutations(names):
        last = {"feature": third, **x}
        when = {
            True: {"feature": second, "true": {"prediction": 1}, "false": last},
            False: {"feature": second, "true": last, "false": {"prediction": 0}},
        }
        tree = {"feature": first, "true": when[True], "false": when[False]}
        majority[first, second, third] = ol.read_tree(tree, feature_names=names)

    class Policy:
        def __init__(self, tree):
            self.tree = tree

        def to_tree(self):
            return self.tree

    model = majority["a", "b", "c"]
    for order, policy in majority.items():
        for given_as in (policy, Policy(policy)):
            source = logic(ol.write_page(model, policy=given_as))
            for row in ({}, {"a": 1}, {"b": 0}, {"c": 1}, {"a": 1, "b": 0}, {"c": 0, "b": 1}):
                (said,) = javascript.run(source, [row], "orderless.advise(row)")
                assert said[2] == next(name for name in order if name not in row)
            assert javascript.run(source, [{"a": 1, "c": 1}], "orderless.advise(row)[2]") == [None]


@needs_node
def test_a_policy_does_not_ask_what_makes_no_difference():
    """It asks b first, but once a is known to be 0 only c is of use."""
    yes = {"feature": "b", "true": {"prediction": 1}, "false": {"prediction": 0}}
    no = {"feature": "c", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read_tree({"feature": "a", "true": yes, "false": no}, feature_names=["a", "b", "c"])
    ask_c = {"feature": "c", "true": {"prediction": 1}, "false": {"prediction": 0}}
    first = {
        "feature": "b",
        "true": {"feature": "a", "true": {"prediction": 1}, "false": ask_c},
        "false": {"feature": "a", "true": {"prediction": 0}, "false": ask_c},
    }
    source = logic(ol.write_page(tree, policy=ol.read_tree(first, feature_names=["a", "b", "c"])))
    rows = [{}, {"a": 0}, {"a": 1}, {"c": 1}, {"b": 1}]
    assert javascript.run(source, rows, "orderless.advise(row)[2]") == ["b", "c", "b", "b", "a"]


@needs_node
def test_costs_are_heeded():
    """Both features settle as much: the cheaper is asked, one that costs nothing at once."""
    leaves = {"true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = {"feature": "a", "true": {"feature": "b", **leaves}, "false": {"prediction": 0}}
    tree = ol.read_tree(tree, feature_names=["a", "b"])
    for costs, asked in (
        ({"a": 1, "b": 2}, "a"),
        ({"a": 200, "b": 1}, "b"),
        ({"a": 1, "b": 0}, "b"),
    ):
        source = logic(ol.write_page(tree, costs=costs))
        assert javascript.run(source, [{}], "orderless.advise(row)[2]") == [asked]


@needs_node
def test_training_rows_weigh():
    """The feature is asked whose answers settle most of the rows."""
    space = space_of({"a": "boolean", "b": "boolean"})
    arrays = {
        "feature": [0, -1, 1, -1, -1], "threshold": [0, 0, 0, 0, 0],
        "when_true": [1, -1, 3, -1, -1], "when_false": [2, -1, 4, -1, -1],
        "leaf_class": [-1, 0, -1, 0, 1],
    }  # fmt: skip
    for counts, asked in (([[0, 0], [900, 0], [0, 0], [9, 0], [0, 9]], "a"),
                          ([[0, 0], [9, 0], [0, 0], [900, 0], [0, 9]], "b")):  # fmt: skip
        tree = ol.Tree(space, ["n", "y"], distribution=counts, **arrays)
        page = ol.write_page(tree)
        assert javascript.run(logic(page), [{}], "orderless.advise(row)[2]") == [asked]
    shares = [[0, 0], [1, 0], [0, 0], [1, 0], [0, 1]]
    assert '"weights": [1, 1, 1, 1, 1]' in ol.write_page(
        ol.Tree(space, ["n", "y"], distribution=shares, **arrays)
    )


# -- the server --------------------------------------------------------------------------------


@pytest.fixture
def served():
    page = ol.write_page(showcase.mixed())
    with serve.page_server(page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield page, server.server_address[1]
        server.shutdown()
        thread.join()


def ask(port, path="/", host=None, method="GET"):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    if host:
        request.add_header("Host", host)
    return urllib.request.urlopen(request, timeout=120)


def test_serves_the_page_and_nothing_else(served):
    page, port = served
    with ask(port) as answer:
        assert answer.read().decode() == page
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    with ask(port, "/?a=b", f"localhost:{port}") as answer:
        assert answer.status == 200
    with ask(port, method="HEAD") as answer:
        assert (answer.status, answer.read()) == (200, b"")
    for path, host, status in (
        ("/../etc/passwd", None, 404),
        ("/favicon.ico", None, 404),
        ("/", "evil.example", 403),
        ("/", "127.0.0.1.evil.example:80", 403),
    ):
        with pytest.raises(urllib.error.HTTPError) as fault:
            ask(port, path, host)
        fault.value.close()
        assert fault.value.code == status
    with pytest.raises(urllib.error.HTTPError) as fault:
        ask(port, method="POST")
    fault.value.close()
    assert fault.value.code == 501


def test_serves_until_it_is_interrupted(monkeypatch):
    seen = []

    class Server(serve._Server):
        def service_actions(self):
            if seen:
                raise KeyboardInterrupt

    def ready(address):
        def open_page():
            with ask(int(address.rstrip("/").rpartition(":")[2])) as answer:
                seen.append((address, answer.read()))

        threading.Thread(target=open_page).start()

    monkeypatch.setattr(serve, "_Server", Server)
    ol.serve_page("a page", ready=ready)
    ((address, said),) = seen
    assert address.startswith("http://127.0.0.1:")
    assert said == b"a page"


@pytest.mark.parametrize(
    ("page", "port", "fault", "said"),
    [
        (
            b"page",
            0,
            TypeError,
            "page must be HTML text, .* got a bytes",
        ),
        ("page", -1, ValueError, "port must be from 1 to 65535, or 0 .* got -1"),
        ("page", 70000, ValueError, "got 70000"),
        ("page", "80", ValueError, "got '80'"),
    ],
)
def test_what_cannot_be_served(page, port, fault, said):
    with pytest.raises(fault, match=said):
        ol.serve_page(page, port=port)


def test_names_of_classes_are_checked():
    form = showcase.mixed()
    with pytest.raises(InvalidData, match="no class 'hi'; the classes are 'high', 'low'"):
        ol.write_page(form, class_names={"hi": "High"})
    with pytest.raises(InvalidData, match="two classes would both be called 'low'"):
        ol.write_page(form, class_names={"high": "low"})
    with pytest.raises(TypeError, match="class_names must be a dict of class label -> text"):
        ol.write_page(form, class_names=["a"])
    with pytest.raises(TypeError, match=r"class_names\['high'\] must be text, got 3"):
        ol.write_page(form, class_names={"high": 3})
    with pytest.raises(TypeError, match="target_name must be text"):
        ol.write_page(form, target_name=3)
    page = ol.write_page(form, target_name="</h2><script>", class_names={"high": "</script>"})
    assert "</h2><script>" not in page
    assert page.count("</script>") == 1
