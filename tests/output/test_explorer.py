"""The explorer as a file: what is in it, what it says, what is refused."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless import member
from orderless.errors import IncompleteSet, InvalidData, InvalidParameter, OutOfTime

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
Y = [0, 0, 0, 1, 1]


def small(**options):
    return ol.RashomonSet(2, 0.05, 0.05, **options).fit(X, Y).trees_


def content(page):
    """The data of a page."""
    return json.loads(re.search(r"const SET = (.*);\n", page)[1])


def test_one_file_without_the_network(tmp_path):
    found = small()
    page = ol.write_explorer(found, tmp_path / "set.html", title="Flu?")
    assert (tmp_path / "set.html").read_text(encoding="utf-8") == page
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src &#39;none&#39;" in page
    assert page[: page.index("<script>")].count("<h1>") == 1
    known = content(page)
    assert known["fingerprints"] == [f.fingerprint for f in found.functions()]
    assert known["trees"] == [str(f.n_trees) for f in found.functions()]
    assert "here are the 2 functions that they compute, each once" in page
    assert known["made"] == "ol.RashomonSet(2, 0.05, 0.05).fit(X, y).trees_"


def test_names_and_labels_are_text():
    names = ["</script><b>x", '"quoted"', "größe & co"]
    space = ol.Space(dict.fromkeys(names, "boolean"))
    found = (
        ol.RashomonSet(2, 0.05, 0.05, space=space)
        .fit(X, ["<i>no", "<i>no", "<i>no", "yes", "yes"])
        .trees_
    )
    page = ol.write_explorer(found, title="<script>alert(1)</script>")
    assert "<b>x" not in page
    assert "<i>no" not in page
    assert "<script>alert" not in page
    assert content(page)["classes"] == ["<i>no", "yes"]


def several():
    random = np.random.default_rng(1)
    rows = random.integers(0, 2, (60, 6))
    labels = (rows[:, 0] & rows[:, 1]) ^ (random.random(60) < 0.2)
    return ol.RashomonSet(3, 0.01, 0.1).fit(rows, labels).trees_


def test_a_sample_says_so_and_has_the_exact_ends():
    found = several()
    page = ol.write_explorer(found, sample=12, random_state=0)
    assert "drawn uniformly from all" in page
    assert "All other functions are left out." in page
    known = content(page)
    assert 1 < known["drawn"] <= 12
    assert not known["all"]
    ends = found.ends()
    for row in known["ends"]:
        for which in ("smallest", "largest"):
            if which in row:
                value, exact, at = row[which]
                assert exact == str(ends.loc[row["measure"], which])
                assert value == float(ends.loc[row["measure"], which])
                name = ends.loc[row["measure"], f"{which}_function"]
                assert known["fingerprints"][at] == name


@pytest.mark.parametrize("draw", ["functions", "trees"])
def test_too_many_functions_are_drawn_with_a_warning(draw, monkeypatch):
    if draw == "trees":
        monkeypatch.setattr("orderless.rashomon.shown_functions.MOST_TREES", 10)
    found = several()
    with pytest.warns(UserWarning, match="has more than limit=10 functions: the page shows"):
        page = ol.write_explorer(found, limit=10)
    assert "They are too many to show" in page
    assert (f"drawn uniformly from all {draw}") in page
    with pytest.warns(UserWarning, match="more than limit=10"):
        assert page == ol.write_explorer(found, limit=10)


def test_python_finds_a_sample_again():
    found = several()
    known = content(ol.write_explorer(found, sample=12, draw="trees", random_state=3))
    assert known["judged"] == 'sample=12, draw="trees", random_state=3'
    table = ol.choose(found, sample=12, draw="trees", random_state=3).set_index("fingerprint")
    assert sorted(table.index) == sorted(known["fingerprints"])


@pytest.mark.parametrize("sample", [{}, {"sample": 25}, {"sample": 25, "draw": "trees"}])
def test_first_questions_are_those_of_trees(sample):
    found = several()
    known = content(ol.write_explorer(found, **sample))
    assert known["all"] == (not sample)
    bits = [np.unpackbits(np.frombuffer(base64.b64decode(one), np.uint8), bitorder="little")
            for one in known["first"]]  # fmt: skip
    begins = {name: set() for name in found.columns}
    shown = set(known["fingerprints"])
    for function in found.functions():
        for tree in function.trees():
            if tree.n_leaves > 1 and function.fingerprint in shown:
                begins[found.columns[int(tree.nodes.feature[0])]].add(function.fingerprint)
    assert any(begins.values())
    for name, own in zip(found.columns, bits, strict=True):
        has = {known["fingerprints"][k] for k in np.flatnonzero(own[: len(known["trees"])])}
        assert has == begins[name]


def test_first_questions_that_take_too_long(monkeypatch):
    def late(*_):
        raise OutOfTime("it took longer than time_limit=1 seconds")

    monkeypatch.setattr("orderless.output.explorer.beginnings.first_columns", late)
    with pytest.warns(UserWarning, match="does not know what the functions can ask first: it took"):
        page = ol.write_explorer(several(), sample=12, random_state=0)
    assert content(page)["first"] is None


def test_rows_of_a_table():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    found = ol.RashomonSet(2, 0.05, 0.05).fit(frame, Y).trees_
    assert (
        content(ol.write_explorer(found, None, frame, Y))["table"] is None
    )  # only where asked for
    known = content(ol.write_explorer(found, None, frame, Y, rows=True))["table"]
    assert known["n"] == len(frame)
    assert [one["name"] for one in known["columns"]] == ["a", "b", "c", "label"]
    texts = [[one["texts"][at] for at in one["at"]] for one in known["columns"]]
    assert list(zip(*texts, strict=True)) == [
        (*map(str, row), str(label)) for row, label in zip(X, Y, strict=True)
    ]
    more = frame.assign(name=["</script>", "b", "c", "d", "e"])
    page = ol.write_explorer(found, rows=more)
    assert "</script>b" not in page
    assert content(page)["table"]["columns"][3]["texts"][0] == "</script>"


def test_rows_that_are_refused(monkeypatch):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    found = ol.RashomonSet(2, 0.05, 0.05).fit(frame, Y).trees_
    with pytest.raises(InvalidParameter, match="rows=True shows the rows of X"):
        ol.write_explorer(found, rows=True)
    with pytest.raises(InvalidParameter, match="rows must be a data frame"):
        ol.write_explorer(found, rows=[[1, 0, 1]])
    with pytest.raises(ValueError, match="'a'"):  # a table with other columns
        ol.write_explorer(found, rows=frame.rename(columns={"a": "other"}))
    monkeypatch.setattr("orderless.output.explorer.rows.MOST_ROWS", 4)
    with pytest.raises(InvalidData, match="rows has 5 rows, and at most 4"):
        ol.write_explorer(found, rows=frame)


def test_held_out_rows_that_do_not_fit():
    frame = pd.DataFrame({"colour": ["red", "blue", "green"] * 4, "size": range(12)})
    labels = [colour == "red" or size > 8 for colour, size in frame.to_numpy()]
    found = ol.RashomonSet(2, 0.01, 0.1).fit(frame, labels).trees_
    other = frame.rename(columns={"colour": "color"})
    with pytest.raises(ValueError, match="colour"):
        ol.write_explorer(found, None, other, labels)
    unseen = frame.replace({"colour": {"red": "violet"}})
    with pytest.raises(ValueError, match="violet"):
        ol.write_explorer(found, None, unseen, labels)


def test_an_incomplete_set_says_so(monkeypatch):
    found = several()
    monkeypatch.setattr(type(found), "complete", property(lambda self: False))
    monkeypatch.setattr(type(found), "incomplete", property(lambda self: "incomplete: cut <off>"))
    with pytest.warns(IncompleteSet, match="the explorer is about the trees of this part alone"):
        page = ol.write_explorer(found)
    assert "about a part of the set, which is incomplete: cut &lt;off&gt;" in page


def test_the_code_that_makes_the_set():
    found = several()
    names = found.columns
    view = found.where(
        member.epsilon <= 0.05, member.leaves <= 5, ~member.uses(names[5]), member.uses(names[0])
    )
    made = content(ol.write_explorer(view.where(member.root == names[1])))["made"]
    again = eval(made.replace(".fit(X, y).trees_", ""), {"ol": _Again(found)})
    assert again.n_trees == view.where(member.root == names[1]).n_trees


class _Again:
    """Stands for orderless: gives a set that was fitted before."""

    member = member

    def __init__(self, found):
        self.found = found

    def RashomonSet(self, depth, regularization, epsilon):  # noqa: N802 (it stands for the class)
        assert (depth, regularization, epsilon) == (3, 0.01, 0.1)
        return self.found


def test_one_function():
    found = ol.RashomonSet(1, 0.01, 0).fit([[0], [1]], ["a", "b"]).trees_
    page = ol.write_explorer(found)
    assert "1 tree with" in page
    assert len(content(page)["fingerprints"]) == 1


def test_what_is_refused():
    with pytest.raises(InvalidData, match="no tree in this view"):
        ol.write_explorer(small().where(~member.uses("x0"), ~member.uses("x1")))
    with pytest.raises(TypeError, match="title must be text, got an int"):
        ol.write_explorer(small(), title=3)
    numbers = ol.RashomonSet(1, 0.01, 0.1, loss="squared").fit(X, [1.0, 2, 3, 4, 5]).trees_
    with pytest.raises(InvalidData, match="the explorer is about classes"):
        ol.write_explorer(numbers)


def test_probabilities_by_feature_are_named():
    page = ol.write_explorer(small(), missing={"x0": 0.5})
    assert "x0 0.5" in page
    page = ol.write_explorer(small(), missing=[[None, 1, 0]])
    assert "the gaps are those of a table" in page
