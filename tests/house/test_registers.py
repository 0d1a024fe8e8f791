"""The core chooses loops by the processor's registers: the answers are the same with each."""

import json
import os
import subprocess
import sys

import pytest

from orderless._core import base

WIDTHS = ("avx512", "avx2", "popcnt", "portable")

ANSWERS = """
import json
import numpy as np
import orderless as ol
from orderless._core import base
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

random = np.random.default_rng(0)
X = random.standard_normal((3000, 12))
y = (X[:, :6].sum(axis=1) + X[:, 6] * X[:, 7] > 0).astype(int)
gaps = np.where(random.random(X.shape) < 0.2, np.nan, X)
said = [base.registers]
for depth in (3, 6, 12):
    tree = ol.read(DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y))
    for kind in (np.float32, np.float64):
        for order in "CF":
            rows = np.array(gaps, dtype=kind, order=order)
            said.append(np.ma.filled(tree.predict(rows), -1).tolist())
    grown = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, X[:, 0] + y)
    numbers = ol.read(grown)
    said.append(np.asarray(numbers.predict_interval(gaps)).tolist())
columns = (X > 0).astype(int)
for rows in (63, 700, 3000):
    for depth in (2, 3, 4):
        found = ol.RashomonSet(max_depth=depth).fit(columns[:rows], y[:rows]).trees_
        said.append([found.n_trees, len(found.functions()), str(found[0])])
cuts = ol.RashomonSet(max_depth=2, thresholds="all").fit(X[:200, :4], y[:200]).trees_
said.append([cuts.n_trees, str(cuts[0])])
print(json.dumps(said))
"""


def _run(width, code=ANSWERS):
    known = {**os.environ, "ORDERLESS_REGISTERS": width}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=known, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def widest():
    pytest.importorskip("sklearn")
    return json.loads(_run("").stdout)


@pytest.mark.parametrize("width", WIDTHS)
def test_answers_are_the_same_with_every_width(width, widest):
    chosen, *answers = json.loads(_run(width).stdout)
    assert answers == widest[1:]
    least = max(WIDTHS.index(width), WIDTHS.index(widest[0]))  # no wider than the processor's own
    assert chosen == WIDTHS[least]


def test_without_the_variable_the_widest_are_used(widest):
    assert "ORDERLESS_REGISTERS" in os.environ or widest[0] == base.registers


def test_another_name_is_refused():
    failed = _run("avx1024", "import orderless._core")
    assert failed.returncode != 0
    known = "'avx512', 'avx2', 'popcnt', 'portable'"
    assert f"ORDERLESS_REGISTERS must be one of {known}, got 'avx1024': unset it" in failed.stderr
