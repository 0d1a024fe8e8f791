"""The page as text; test_page_advice.py has its advice, test_page_app_browser.py uses it."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import javascript
import numpy as np
import pandas as pd
import pytest
import showcase

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace, InvalidTree
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
    tree = ol.read({"feature": "\ud800", "true": {"prediction": "\ud801"},
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
    other = ol.read(other, space=showcase.mixed().space)
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
