"""The explorer as a file: what is in it, what it says, what is refused."""

import json
import re

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidData, TooLarge

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
Y = [0, 0, 0, 1, 1]


def small(**options):
    return ol.RashomonSet(2, 0.05, 0.05, **options).fit(X, Y)


def content(page):
    """The data of a page."""
    return json.loads(re.search(r"const SET = (.*);\n", page)[1])


def test_one_file_without_the_network(tmp_path):
    found = small()
    page = found.write_explorer(tmp_path / "set.html", title="Flu?")
    assert (tmp_path / "set.html").read_text(encoding="utf-8") == page
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src &#39;none&#39;" in page
    assert page.count("<h1>") == 1
    known = content(page)
    assert known["fingerprints"] == [f.fingerprint for f in found.functions()]
    assert known["trees"] == [f.n_trees for f in found.functions()]
    assert "here are 2 functions that they are, each once" in page
    assert known["made"] == "ol.RashomonSet(2, 0.05, 0.05).fit(X, y)"


def test_names_and_labels_are_text():
    names = ["</script><b>x", '"quoted"', "größe & co"]
    space = ol.Space(dict.fromkeys(names, "boolean"))
    found = ol.RashomonSet(2, 0.05, 0.05, space).fit(X, ["<i>no", "<i>no", "<i>no", "yes", "yes"])
    page = found.write_explorer(title="<script>alert(1)</script>")
    assert "<b>x" not in page
    assert "<i>no" not in page
    assert "<script>alert" not in page
    assert content(page)["classes"] == ["<i>no", "yes"]


def test_a_sample_says_so():
    random = np.random.default_rng(1)
    rows = random.integers(0, 2, (60, 6))
    labels = (rows[:, 0] & rows[:, 1]) ^ (random.random(60) < 0.2)
    found = ol.RashomonSet(3, 0.01, 0.1).fit(rows, labels)
    with pytest.raises(TooLarge, match="sample"):
        found.write_explorer(limit=10)
    page = found.write_explorer(sample=12, random_state=0)
    assert "drawn uniformly from all" in page
    assert 1 < len(content(page)["fingerprints"]) <= 12


def test_one_function():
    found = ol.RashomonSet(1, 0.01, 0).fit([[0], [1]], ["a", "b"])
    page = found.write_explorer()
    assert "1 tree with" in page
    assert len(content(page)["fingerprints"]) == 1


def test_what_is_refused():
    with pytest.raises(InvalidData, match="no tree in this view"):
        small().without("x0", "x1").write_explorer()
    with pytest.raises(TypeError, match="title must be text, got an int"):
        small().write_explorer(title=3)
    numbers = ol.RashomonSet(1, 0.01, 0.1, task="regression").fit(X, [1.0, 2, 3, 4, 5])
    with pytest.raises(InvalidData, match="the explorer is about classes"):
        numbers.write_explorer()


def test_probabilities_by_feature_are_named():
    page = small().write_explorer(missing={"x0": 0.5})
    assert "x0 0.5" in page
    page = small().write_explorer(missing=[[None, 1, 0]])
    assert "the gaps are those of a table" in page
