"""What was installed is complete, loads, and gives the answers that it gives everywhere.

In:  an installed copy: ``python -m pytest --pyargs orderless``.
Out: what a wheel can get wrong. The suite is in the repository and in the sdist; here nothing
     outside of the package is read, and nothing but a temporary folder is written.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import orderless as ol

# If age <= 40 and not smoker: well; the same decision, asked in two orders.
WELL, ILL = {"prediction": "well"}, {"prediction": "ill"}
AGE = {"feature": "age", "relation": "<=", "reference": 40}
FIRST = {**AGE, "true": {"feature": "smoker", "true": ILL, "false": WELL}, "false": ILL}
SECOND = {"feature": "smoker", "true": ILL, "false": {**AGE, "true": WELL, "false": ILL}}


@pytest.fixture
def space() -> ol.Space:
    return ol.Space([ol.Feature("age"), ol.Feature("smoker", "boolean")])


def test_every_public_name_can_be_had() -> None:
    for name in dir(ol):
        assert getattr(ol, name) is not None, name


def test_files_beside_the_code_were_installed() -> None:
    """Types for checkers, and the templates of reports and pages."""
    package = Path(ol.__file__).parent
    assert (package / "py.typed").is_file()
    assert (package / "__init__.pyi").is_file()
    assert any(package.rglob("*.html"))
    assert any(package.rglob("*.js"))


def test_the_order_of_asking_does_not_matter(space: ol.Space) -> None:
    a, b = (ol.read(tree, space=space) for tree in (FIRST, SECOND))
    assert isinstance(a, ol.Tree)
    assert isinstance(b, ol.Tree)
    assert ol.equivalent(a, b)
    assert a.fingerprint == b.fingerprint == "1fc3f02cfb10ef2a05e7b31af9e13843"
    form = ol.canonicalize(a)
    assert form == ol.canonicalize(b)
    assert {label: {str(term) for term in terms} for label, terms in form.rules.items()} == {
        "ill": {"age > 40", "smoker"},
        "well": {"age <= 40 AND not smoker"},
    }


def test_unknown_values_are_decided_where_every_completion_agrees(space: ol.Space) -> None:
    tree = ol.read(FIRST, space=space)
    ages, smokers = (30.0, 40.0, 50.0, np.nan), (0.0, 1.0, np.nan)
    rows = np.array(list(itertools.product(ages, smokers)))
    found = ol.canonicalize(tree).predict(rows)
    for row, label, unknown in zip(rows, found.data, np.ma.getmaskarray(found), strict=True):
        complete = itertools.product(
            *([v] if v == v else (30.0, 50.0) if i == 0 else (0.0, 1.0) for i, v in enumerate(row))
        )
        possible = {"well" if age <= 40 and not smoker else "ill" for age, smoker in complete}
        assert unknown == (len(possible) > 1), row
        assert unknown or {label} == possible, row


def test_the_near_optimal_trees_of_a_small_table() -> None:
    X = np.array(list(itertools.product((0, 1), repeat=3)))
    y = X[:, 0] | X[:, 1] & X[:, 2]
    found = ol.RashomonSet(max_depth=2, regularization=0.02, epsilon=0.1).fit(X, y).trees_
    assert found.n_trees == len(list(found.trees()))
    assert 1 <= len(found.functions()) <= found.n_trees
    for tree in found.trees():
        loss = np.mean(tree.predict(X) != y) + 0.02 * tree.n_leaves
        assert loss <= found.objective + 0.1 + 1e-9


def test_scikit_learn_says_the_same() -> None:
    from sklearn.tree import DecisionTreeClassifier

    X, y = ol.datasets.load("wisconsin")
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    tree = ol.read(model)
    assert list(tree.predict(X)) == list(model.predict(X))
    assert list(ol.canonicalize(tree).predict(X)) == list(model.predict(X))


def test_a_report_is_written(tmp_path: Path) -> None:
    from sklearn.tree import DecisionTreeClassifier

    X, y = ol.datasets.load("tic_tac_toe")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    file = ol.report(model, X, y).save(tmp_path / "report.html")
    assert file.read_text(encoding="utf-8").rstrip().endswith("</html>")


def orderless(*args: Any) -> str:
    command = [sys.executable, "-m", "orderless", *map(str, args)]
    quiet = {"PYTHONWARNINGS": "ignore", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | quiet
    )
    return done.stdout


def test_the_command_line_answers() -> None:
    assert orderless("--version").startswith("orderless ")
