"""Second goals over constrained sets, and over parts of sets, against brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from constraint_cases import NAMES, PAIRS, draw
from oracle_rashomon import say
from rashomon_cases import Case
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless.errors import IncompleteSet, InvalidData, OutOfMemory, OutOfTime


def constrained(case: Any, found: Any, names: Any, seed: int) -> tuple[Any, list[Any]]:
    """A view by constraints, and its trees by brute force."""
    random = np.random.default_rng(seed)
    trees = case.oracle.trees
    for name in names:
        one = draw(case, name, random)
        found, trees = one.view(found), [t for t in trees if one.met(t)]
    return found, trees


def stairs(points: list[tuple[Fraction, Any]]) -> list[tuple[Fraction, Any]]:
    out: list[tuple[Fraction, Any]] = []
    for cost, value in sorted(points):
        if not out or value < out[-1][1]:
            out.append((cost, value))
    return out


@pytest.mark.parametrize("names", [(name,) for name in NAMES] + PAIRS[::3])
def test_constraints(names: tuple[str, ...]) -> None:
    for seed in range(4):
        case = Case(seed, 2, 4)
        found, trees = constrained(case, case.fit(), names, seed)
        rows = np.array(case.cells)
        truth = np.random.default_rng(seed).integers(0, len(case.classes), len(rows))
        labels = [case.classes[c] for c in truth]
        if not trees:
            with pytest.raises(InvalidData):
                found.range(ol.Measure("errors", rows, labels))
            continue
        wrong = {
            t: sum(say(t, x) != c for x, c in zip(case.cells, truth.tolist(), strict=True))
            for t in trees
        }
        got = found.range(ol.Measure("errors", rows, labels))
        assert (got.smallest, got.largest) == (min(wrong.values()), max(wrong.values()))
        assert got.smallest_tree in found
        assert got.largest_tree in found
        front = found.pareto_front(ol.Measure("errors", rows, labels))
        points = [(case.oracle.objectives[t], wrong[t]) for t in trees]
        assert [(p.objective, p.value) for p in front] == stairs(points)
        positives = {
            t: Fraction(sum(say(t, x) == len(case.classes) - 1 for x in case.cells[1:]),
                        len(case.cells) - 1) - (say(t, case.cells[0]) == len(case.classes) - 1)
            for t in trees
        }  # fmt: skip
        groups = [0] + [1] * (len(rows) - 1)
        fair = found.nearest(ol.Measure("demographic parity", rows, groups=groups), limit=10_000)
        assert abs(fair.gap) == min(map(abs, positives.values()))
        assert fair.proven
        said = found.votes(rows)
        best = [case.classes.index(label) for label in said.best.tolist()]
        due = [any(say(t, x) != b for t in trees) for x, b in zip(case.cells, best, strict=True)]
        assert said.contested.tolist() == due


@pytest.mark.parametrize("name", ["min_leaf", "uses", "n_features", "root", "path_cost"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_constraints_on_trees_of_numbers(name: str, loss: str) -> None:
    for seed in range(4):
        case = NumberCase(seed, 2, loss)
        found, trees = constrained(case, case.found, [name], seed)
        if not trees:
            continue
        cells = np.array(case.cells)
        y = np.random.default_rng(seed).integers(0, 9, len(cells)).tolist()
        due = [sum(abs(say(t, x) - v) for x, v in zip(case.cells, y, strict=True)) for t in trees]
        got = found.range(ol.Measure("absolute error", cells, y))
        assert (got.smallest, got.largest) == (min(due), max(due))
        said = found.votes(cells)
        assert said.contested.tolist() == [len({say(t, x) for t in trees}) > 1 for x in case.cells]


@pytest.mark.filterwarnings("ignore::orderless.errors.IncompleteSet")
def test_a_part_of_a_set_is_named() -> None:
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (300, 12))
    y = (X[:, 0] & X[:, 1]) ^ (random.random(300) < 0.1)
    whole = ol.RashomonSet(4, 0.005, 0.05).fit(X, y).trees_
    with pytest.warns(IncompleteSet):
        part = (
            ol.RashomonSet(4, 0.005, 0.05, memory_limit=200_000, on_limit="part").fit(X, y).trees_
        )
    assert whole.complete
    assert not part.complete
    all_, some = (
        whole.range(ol.Measure("false positives")),
        part.range(ol.Measure("false positives")),
    )
    assert all_.complete
    assert not some.complete
    assert all_.smallest <= some.smallest <= some.largest <= all_.largest
    assert repr(some).endswith(", of an incomplete set)")
    assert not part.pareto_front(ol.Measure("fpr")).complete
    assert not part.range(ol.Measure("brier score")).complete
    assert repr(part.votes(X[:9])).endswith("rows, of an incomplete set)")
    assert repr(part.nearest(ol.Measure("fpr", groups="x5"), limit=4)).endswith(
        ", of an incomplete set)"
    )


def test_limits_are_kept() -> None:
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (400, 14))
    y = (X[:, 0] & X[:, 1]) ^ (random.random(400) < 0.35)
    found = ol.RashomonSet(4, 0.005, 0.05).fit(X, y).trees_
    found._source.caps.memory_limit = 100_000
    with pytest.raises(OutOfMemory, match="measuring the trees needs more than memory_limit"):
        found.range(ol.Measure("errors"))
    caps = found._source.caps
    caps.memory_limit, caps.time_limit = 1 << 32, 1e-9
    with pytest.raises(OutOfTime, match="the nearest measure took longer than time_limit"):
        found.nearest(ol.Measure("error rate", groups=np.arange(400) % 7 == 0), limit=1000)


NAMES_OF_DATA = (
    "broward", "compas", "coupon", "fico", "iris_versicolor", "spiral", "tic_tac_toe",
    "wine_quality", "wisconsin",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OF_DATA)
def test_ranges_are_those_of_all_functions_of_real_sets(
    name: str, shared: Any, monkeypatch: Any
) -> None:
    """Over every function that there is, on the training fold and on the other rows."""
    from sklearn.model_selection import KFold

    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    X, y = ol.datasets.load(name)
    y = y.astype(int)
    rows, others = next(KFold(5, shuffle=True, random_state=42).split(X))
    binarizer = ol.Binarizer().set_output(transform="pandas")
    columns = binarizer.fit(X.iloc[rows], y.iloc[rows]).transform(X)
    found = ol.RashomonSet().fit(columns.iloc[rows], y.iloc[rows]).trees_
    trees = found.functions().table().trees
    for at, arguments in (
        (rows, ()),
        (others, (columns.iloc[others], y.iloc[others])),
    ):
        bits = found._problem.columns.read_complete(columns.iloc[at])
        truth = y.iloc[at].to_numpy()
        wrong, missed, alarms, said = [], [], [], []
        for _, labels in trees.says_in_parts(bits):
            wrong += (labels != truth).sum(axis=1).tolist()
            missed += ((labels == 0) & (truth == 1)).sum(axis=1).tolist()
            alarms += ((labels == 1) & (truth == 0)).sum(axis=1).tolist()
            said += (labels == 1).sum(axis=1).tolist()
        for measure, due in (
            ("errors", wrong), ("false negatives", missed), ("false positives", alarms)
        ):  # fmt: skip
            got = found.range(ol.Measure(measure, *arguments))
            assert (got.smallest, got.largest) == (min(due), max(due))
        precision = [Fraction(n - a, n) for n, a in zip(said, alarms, strict=True) if n]
        got = found.range(ol.Measure("precision", *arguments))
        assert (got.smallest, got.largest) == (min(precision), max(precision))
