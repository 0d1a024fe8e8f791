"""What the explorer asks of this machine: counts by views, and files of a function."""

import json
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, TooLarge
from orderless.output.explorer.live import Live
from orderless.output.explorer.taken import written
from orderless.rashomon import looked_at

TOKEN = "t" * 40
NAMES = ["age", "priors", "felony", "sex"]


def people(n=200):
    random = np.random.default_rng(7)
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


@pytest.fixture(scope="module")
def found():
    return ol.RashomonSet(3, 0.01, 0.05).fit(*people()).trees_


@pytest.fixture(scope="module")
def live(found):
    X, y = people()
    out = Live(found, TOKEN, X, y, None)
    out.see(looked_at(found, 20, "functions", 0, 20_000))
    return out


def ask(live, path, content):
    kind, body = live.answers[path](json.dumps(content).encode())
    return kind, body


def counted(live, **wishes):
    return json.loads(ask(live, "/count", wishes)[1])


def prepared(live):
    """Have everything counted that may be asked."""
    for first in (None, *NAMES):
        for _ in live._counts.ahead(first, True):
            pass
    return live


@pytest.fixture(scope="module", params=["when asked", "ahead", "ahead, of many features"])
def counting(request, found):
    with pytest.MonkeyPatch.context() as patched:
        if "many" in request.param:
            patched.setattr("orderless.output.explorer.tree_counts.MOST_SETS", 2)
        out = Live(found, TOKEN, None, None, None)
        return out if request.param == "when asked" else prepared(out)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.sampled_from(NAMES), st.booleans()),
    st.none() | st.integers(1, 8),
    st.none() | st.sampled_from(NAMES),
    st.none() | st.integers(0, 60),
    st.none() | st.integers(0, 4),
)
def test_counts_are_those_of_views(found, counting, wanted, leaves, first, above, features):
    view = found
    wishes = {"must": [n for n, is_ in wanted.items() if is_],
              "not": [n for n, is_ in wanted.items() if not is_]}  # fmt: skip
    for name in wishes["must"]:
        view = view.where(member.uses(name))
    for name in wishes["not"]:
        view = view.where(~member.uses(name))
    if leaves is not None:
        view, wishes["max_leaves"] = view.where(member.leaves <= leaves), leaves
    if first is not None:
        view, wishes["first"] = view.where(member.root == first), first
    if features is not None:
        view, wishes["max_features"] = view.where(member.n_features <= features), features
    if above is None:
        expected = view.n_trees
    else:
        bound = float(found.objective) + above / 1000
        wishes["objective"] = repr(bound)
        rows = view.counts()
        expected = int(rows.trees[rows.objective <= bound + 1e-12].sum())
    out = counted(counting, each=True, **wishes)
    assert int(out["trees"]) == expected
    name = NAMES[0]
    if name not in wanted and above is None:
        everyone, must, without = map(int, out["each"][name])
        assert everyone == expected
        assert must == view.where(member.uses(name)).n_trees
        assert without == view.where(~member.uses(name)).n_trees


def test_a_wish_that_is_met_already_is_asked_anew(found, live):
    """The counts of a feature are those with another wish about it, and all others as they are."""
    out = counted(live, must=["age"], each=True)
    everyone, must, without = map(int, out["each"]["age"])
    assert everyone == found.n_trees
    assert must == int(out["trees"])
    assert without == found.where(~member.uses("age")).n_trees


@pytest.mark.parametrize("name", ["max_features", "max_leaves"])
@pytest.mark.parametrize("number", [2**31 - 1, 2**31, 2**63, 2**70, 10**400])
def test_a_number_that_no_tree_has_is_no_wish(found, live, name, number):
    assert int(counted(live, **{name: number})["trees"]) == found.n_trees


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"must": "age"}, "must be lists of names"),
        ({"must": [1]}, "must be lists of names"),
        ({"must": ["nobody"]}, "no feature 'nobody'"),
        ({"first": "nobody"}, "no column and no feature"),
        ({"first": ["age"]}, "'first' must be the name of a feature or column"),
        ({"max_leaves": "3"}, "max_leaves must be a whole number"),
        ({"max_features": -1}, "n_features must be a whole number"),
        ({"objective": 0.3}, "objective must be a number, as text"),
        ({"objective": "1" * 99}, "objective must be a number, as text"),
        ({"objective": "1e999999999"}, "objective must be a number, got"),
        ({"objective": "nan"}, "objective must be a number, got"),
        ({"objective": "x"}, "objective must be a number, got"),
        ({"other": 1}, "unknown wishes"),
    ],
)
def test_wishes_that_are_refused(live, wishes, words):
    with pytest.raises(ValueError, match=words):
        ask(live, "/count", wishes)


def test_what_is_sent_is_bounded(live, found):
    wide = ol.RashomonSet(1, 0.01, 0.5).fit(np.eye(9, dtype=int)[:, :8], [0, 1] * 4 + [0]).trees_
    with pytest.raises(TooLarge, match="at most 6 features"):
        ask(Live(wide, TOKEN, None, None, None), "/count", {"must": [f"x{i}" for i in range(7)]})
    with pytest.raises(InvalidData, match="this is not JSON"):
        live.answers["/count"](b"{")
    with pytest.raises(InvalidData, match="this must be an object"):
        live.answers["/count"](b"[]")
    small = Live(found, TOKEN, None, None, None)
    assert small.takes == ["json", "sql", "sklearn", "page"]  # a report needs rows


def test_one_question_at_a_time(live, monkeypatch):
    monkeypatch.setattr("orderless.output.explorer.live.PATIENCE", 0.01)
    assert live._lock.acquire()
    try:
        with pytest.raises(TimeoutError, match="not answered yet"):
            ask(live, "/count", {})
    finally:
        live._lock.release()
    assert int(counted(live)["trees"]) > 0


def test_few_counts_are_kept(found, monkeypatch):
    room = "orderless.output.explorer.tree_counts"
    for name, most in (("MOST_KNOWN", 3), ("MOST_WHOLE", 1), ("MOST_EXACT", 2)):
        monkeypatch.setattr(f"{room}.{name}", most)
    live = Live(found, TOKEN, None, None, None)
    first = counted(live, each=True)
    counts = prepared(live)._counts
    for leaves in range(3, 8):
        counted(live, max_leaves=leaves, first=NAMES[-1])
    assert len(counts._known) <= 3
    assert list(counts._whole) == [found.where(member.root == NAMES[-1])._view]
    assert len(counts._exact) == 2
    assert counted(live, each=True) == first


def test_it_counts_ahead_while_nobody_asks(found):
    live = Live(found, TOKEN, None, None, None)
    with live.working_ahead():
        first = counted(live, first="age", max_features=2)
        while found.where(member.root == "age")._view not in live._counts._whole:
            threading.Event().wait(0.01)  # nobody asks
        assert counted(live, first="age", max_features=2) == first
    assert int(first["trees"]) == found.where(member.root == "age", member.n_features <= 2).n_trees
    assert live._ended.is_set()
    assert int(counted(live)["trees"]) == found.n_trees


def test_files_are_the_librarys(found, live):
    name = next(iter(live._place))
    origin = "Where it comes from\n-- not SQL </script>"
    tree = found.functions()[name].tree
    for kind in live.takes:
        _, body = ask(live, "/take", {"as": kind, "function": name, "origin": origin})
        text = body.decode()
        if kind == "json":
            assert ol.Tree.from_json(text).fingerprint == name
        elif kind == "sql":
            lines = text.splitlines()
            assert "\n".join(lines[1:]) == tree.to_sql()
            assert lines[0].startswith("-- Where it comes from")
        elif kind == "sklearn":
            made = {}
            exec(text, made)
            assert made["tree"].fingerprint == name
        else:
            assert "</script>" not in text.split("Where it comes from")[1][:40]
            assert text.lower().startswith("<!doctype html>")


def test_the_classifier_decides_as_the_tree():
    """The code for scikit-learn makes one that decides as the tree does."""
    X, y = people()
    found = ol.RashomonSet(2, 0.01, 0.02).fit(X[["age", "priors"]], y).trees_
    tree = found.best_tree
    made = {}
    exec(written(tree, "sklearn", "x", None, None, None)[1].decode(), made)
    rows = X[["age", "priors"]]
    assert (made["model"].predict(rows) == np.ma.getdata(tree.predict(rows))).all()


def test_what_cannot_be_taken(live):
    name = next(iter(live._place))
    for content in (
        {"as": "exe", "function": name, "origin": ""},
        {"as": "sql", "function": "0" * 32, "origin": ""},
        {"as": "sql", "function": name},
        {"as": ["sql"], "function": name, "origin": ""},
    ):
        with pytest.raises(InvalidData, match="must be one of"):
            ask(live, "/take", content)
