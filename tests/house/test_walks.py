"""Walks through the house: a call goes from file to file, and never turns back."""

import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

PACKAGE = str(Path(ol.__file__).parent)


def doors(work):
    """Give the pairs of files of which the first calls into the second while something works."""
    found = set()

    def inside(frame):
        return frame.f_code.co_filename.startswith(PACKAGE)

    def look(frame, event, _):
        if event != "call" or frame.f_code.co_name == "<module>" or not inside(frame):
            return
        back = frame.f_back
        while back is not None and not inside(back):
            back = back.f_back
        if back is not None:
            found.add((back.f_code.co_filename, frame.f_code.co_filename))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(before)
    return {(a.removeprefix(PACKAGE), b.removeprefix(PACKAGE)) for a, b in found if a != b}


def turns(found):
    return sorted((a, b) for a, b in found if a < b and (b, a) in found)


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[::4, :6]
    y = y[::4].map({0: "malignant", 1: "benign"})
    return ol.read_tree(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)), X, y


def test_turns_are_found():
    assert turns({("a", "b"), ("b", "a"), ("b", "c")}) == [("a", "b")]


def test_predict_goes_through_few_files(data):
    tree, X, _ = data
    found = doors(lambda: tree.predict(X))
    assert turns(found) == []
    assert ("/model/tree_rows.py", "/inputs/rows.py") in found
    assert len(found) <= 6


@pytest.mark.parametrize(("what", "most"), [("explain", 22), ("policy", 33), ("report", 260)])
def test_no_walk_turns(data, what, most):
    """Nor does it get longer unnoticed: who raises a limit has a reason (docs/decisions/0047)."""
    tree, X, y = data
    costs = {name: i + 1 for i, name in enumerate(X.columns)}
    work = {
        "explain": lambda: str(ol.canonicalize(tree).explain(X.iloc[0].to_dict())),
        "policy": lambda: ol.cheapest_policy(tree, X, costs).next_feature({}),
        "report": lambda: ol.report(tree, X, y, costs),
    }
    found = doors(work[what])
    assert 10 < len(found) <= most
    assert turns(found) == []
