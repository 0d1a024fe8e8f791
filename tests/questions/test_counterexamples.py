"""Rows that refute a property: what the text says, and that the rows can be replayed."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

NAMES = ["late", "age", "debt", "kids", "idle"]


@pytest.fixture(scope="module")
def model():
    """A tree of scikit-learn on counts, of which it knows no kind."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.poisson(0.6, 600), rng.integers(20, 80, 600), rng.normal(0, 3, 600).round(2),
              rng.poisson(1, 600), rng.poisson(1, 600)]  # fmt: skip
    y = np.where((X[:, 0] > 0) & (X[:, 1] < 50) | (X[:, 2] < -1) & (X[:, 3] > 1), "bad", "good")
    return DecisionTreeClassifier(max_depth=5, random_state=0).fit(
        pd.DataFrame(X, columns=NAMES), y
    )


def read_back(line):
    """Read a row and its answer as they are printed."""
    cells, answer = re.fullmatch(r"  (.*): (\w+)", line).groups()
    return {c.split(" = ")[0]: float(c.split(" = ")[1]) for c in cells.split(", ")}, answer


def replayed(model, proof):
    rows = [read_back(line) for line in str(proof).splitlines()[1 : 1 + len(proof.rows)]]
    for row, answer in rows:
        assert set(row) == set(NAMES)
        assert model.predict(pd.DataFrame([row])[NAMES])[0] == answer
    return [row for row, _ in rows]


def test_what_is_used_is_said_with_two_rows_that_can_be_replayed(model):
    asked = ol.prove(model)
    refuted = 0
    for name in NAMES:
        proof = asked.ignores(name)
        if proof:
            continue
        refuted += 1
        head = f"{name} is used: these two rows differ only in {name} and get different answers."
        assert str(proof).splitlines()[0] == head
        assert "makes no difference" not in f"{proof} {proof!r}"
        one, two = replayed(model, proof)
        assert next(iter(one)) == name
        assert [n for n in NAMES if one[n] != two[n]] == [name]
    assert refuted >= 3


def test_other_properties_say_what_is_true_instead(model):
    asked = ol.prove(model)
    proofs = {
        "the answer can be bad": asked.never("bad"),
        "the answer is not always good": asked.always("good"),
        "can raise the answer (good < bad)": asked.monotone("late", -1, order=["good", "bad"]),
        "late or age is used": asked.ignores(["late", "age"]),
        "age is used": asked.constant_in({"age": (20, 70)}),
        "where age <= 40, late is used": asked.ignores("late", given={"age": (None, 40)}),
        "can change the answer": asked.stable("age", by=1),
    }
    for words, proof in proofs.items():
        assert not proof
        assert words in str(proof).splitlines()[0]
        replayed(model, proof)
    other = DecisionTreeClassifier(max_depth=1).fit(np.eye(5), ["bad", *["good"] * 4])
    differ = ol.prove(model).same_as(ol.read(other, feature_names=NAMES))
    assert str(differ).splitlines()[0] == "the two models differ, as on this row:"


def test_counts_are_whole_and_nobody_is_late_less_than_never(model):
    asked = ol.prove(model)
    proofs = [asked.ignores(n) for n in NAMES] + [asked.never(c) for c in ("good", "bad")]
    proofs += [asked.stable("age", by=1), asked.stable("late", by=1)]
    X = pd.DataFrame([[1, 45 + i, 0.5, 1, 0] for i in range(10)], columns=NAMES)
    proofs.append(asked.stable("age", by=3, X=X))
    assert not proofs[-1]
    rows = [row for proof in proofs for row in proof.rows]
    assert len(rows) > 8
    for row in rows:
        for name in ("late", "age", "kids", "idle"):
            assert row[name] >= 0
            assert row[name] == int(row[name])


def test_declared_integers_are_integers_below_zero_too():
    tree = ol.read(
        {"feature": "shift", "relation": "<=", "reference": -2.5, "true": {"prediction": 1},
         "false": {"prediction": 0}},
        space=ol.Space({"shift": int, "other": int}),
    )  # fmt: skip
    rows = ol.prove(tree).ignores("shift").rows
    assert all(type(value) is int for row in rows for value in row.values())
    low, high = (row["shift"] for row in rows)
    assert low <= -3 < high


def test_the_same_of_forests():
    X = np.array([[late, age] for late in range(5) for age in range(20, 60, 2)], dtype=float)
    y = (X[:, 0] > 1) | (X[:, 1] > 50)
    lightgbm = pytest.importorskip("lightgbm")
    frame = pd.DataFrame(X, columns=["late", "age"])
    model = lightgbm.LGBMClassifier(n_estimators=5, min_child_samples=3, verbose=-1).fit(frame, y)
    for name in frame:
        proof = ol.prove(model, time_limit=60).ignores(name)
        assert f"{name} is used" in str(proof)
        assert len({*model.predict(pd.DataFrame(list(proof.rows)))}) == 2
        values = [value for row in proof.rows for value in row.values()]
        assert all(value >= 0 and value == int(value) for value in values)
        assert [n for one, two in pairwise(proof.rows) for n in one if one[n] != two[n]] == [name]
