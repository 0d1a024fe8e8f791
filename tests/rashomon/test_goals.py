"""Second goals against brute force over all trees, in fractions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle_goals import LARGEST, MEASURES, Goal, Rows, front_of, total
from oracle_rashomon import say
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless import member
from orderless.errors import InvalidData

CASES = [(seed, 2) for seed in range(24)] + [(seed, 3) for seed in range(100, 106)]


@pytest.mark.parametrize(("seed", "depth"), CASES)
def test_ranges_and_fronts_are_those_of_all_trees(seed: int, depth: int) -> None:
    case = Goal(seed, depth)
    label = case.classes[case.positive]
    for other in (False, True):
        rows, arguments = case.rows(other)
        for view in (0, seed + 1):
            found, trees = case.view(view)
            for name, measure in MEASURES.items():
                of = {t: measure(rows, lambda x, t=t: say(t, x), case.positive) for t in trees}
                values = [v for v in of.values() if v is not None]
                if not values:
                    with pytest.raises(InvalidData):
                        found.range(ol.Measure(name, positive=label, **arguments))
                    continue
                got = found.range(ol.Measure(name, positive=label, **arguments))
                assert (got.smallest, got.largest) == (min(values), max(values)), name
                costs = {}
                for tree, value in (
                    (got.smallest_tree, got.smallest),
                    (got.largest_tree, got.largest),
                ):
                    costs[value] = case.check_tree(tree, found, trees, value, of.__getitem__)
                for value, cost in costs.items():
                    assert cost == min(case.oracle.objectives[t] for t in trees if of[t] == value)
                front = found.pareto_front(ol.Measure(name, positive=label, **arguments))
                assert front.goal == ("largest" if name in LARGEST else "smallest")
                points = [(case.oracle.objectives[t], of[t]) for t in trees if of[t] is not None]
                due = front_of(points, name in LARGEST)
                assert [(p.objective, p.value) for p in front] == due, name
                for point in front:
                    cost = case.check_tree(point.tree, found, trees, point.value, of.__getitem__)
                    assert cost == point.objective


@pytest.mark.parametrize("seed", range(20))
def test_costs_callables_masks_and_lists_of_trees(seed: int) -> None:
    case = Goal(seed)
    random = np.random.default_rng(seed)
    n = len(case.classes)
    table = random.choice([0, 0.1, 1, 2.5, -3], (n, n))
    costs = {
        (case.classes[i], case.classes[j]): table[i, j].item() for i in range(n) for j in range(n)
    }
    rows, arguments = case.rows(bool(seed % 2))
    mask = random.integers(0, 2, len(rows)).astype(bool)
    mask[0] = True
    chosen = [row for row, there in zip(rows, mask, strict=True) if there]
    trees = case.oracle.trees
    exact = [[Fraction(str(x)) for x in row] for row in table.tolist()]
    due = [total(chosen, lambda x, t=t: say(t, x), lambda y, s: exact[y][s]) for t in trees]
    listed = ol.TreeSet.from_trees(
        list(case.found), case.X, case.labels, regularization=case.regularization,
        sample_weight=case.weights,
    )  # fmt: skip
    for found in (case.found, listed):
        for measure in (costs, table, lambda label, says: costs[label, says]):
            got = found.range(ol.Measure(measure, rows=mask, **arguments))
            assert (got.smallest, got.largest) == (min(due), max(due))
    points = [(case.oracle.objectives[t], value) for t, value in zip(trees, due, strict=True)]
    for found in (case.found, listed):
        front = found.pareto_front(ol.Measure(costs, rows=mask, **arguments), goal="largest")
        assert [(p.objective, p.value) for p in front] == front_of(points, True)


@pytest.mark.parametrize("seed", range(24))
def test_differences_between_groups(seed: int) -> None:
    case = Goal(seed, 2 if seed < 20 else 3)
    random = np.random.default_rng(seed)
    label = case.classes[case.positive]
    rows, arguments = case.rows(bool(seed % 2))
    group = random.integers(0, 2, len(rows))
    group[:2] = [0, 1]
    names = np.array(["north", "south"])[group]
    gaps = {
        "demographic parity": "positive rate",
        "equal opportunity": "tpr",
        "predictive equality": "fpr",
        "equal error rates": "error rate",
    }
    for view in (0, seed + 1):
        found, trees = case.view(view)
        for gap, name in gaps.items():
            of: dict[Any, Any] = {}
            for t in trees:
                parts = [
                    MEASURES[name](
                        [row for row, g in zip(rows, group, strict=True) if g == k],
                        lambda x, t=t: say(t, x),
                        case.positive,
                    )
                    for k in (0, 1)
                ]
                of[t] = None if None in parts else parts[1] - parts[0]  # type: ignore[operator]
            options = {"groups": names, "positive": label, **arguments}
            if not trees or None in of.values():
                with pytest.raises(InvalidData):
                    found.range(ol.Measure(gap, **options))
                continue
            got = found.range(ol.Measure(gap, **options))
            assert (got.smallest, got.largest) == (min(of.values()), max(of.values()))
            assert got.groups == ("north", "south")
            fair = found.nearest(ol.Measure(gap, **options), limit=10_000)
            assert fair.proven
            assert abs(fair.gap) == min(map(abs, of.values())) == fair.at_least
            cost = case.check_tree(fair.tree, found, trees, fair.gap, of.__getitem__)
            assert cost == fair.objective
            few = found.nearest(ol.Measure(gap, **options), limit=1)
            assert few.at_least <= fair.at_least <= abs(few.gap)
            case.check_tree(few.tree, found, trees, few.gap, of.__getitem__)


def _shares(case: Goal, tree: Any, rows: Rows) -> Fraction:
    """Squared errors of the shares of leaves, by walking every row down."""

    def leaf(x: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        node, path = tree, []
        while isinstance(node, tuple):
            path.append((node[0], x[node[0]]))
            node = node[1] if x[node[0]] else node[2]
        return tuple(path)

    out = Fraction(0)
    trained = [(leaf(x), y, w) for x, y, w in case.trained()]
    for x, y, w in rows:
        own = [(c, v) for at, c, v in trained if at == leaf(x)]
        total = sum(v for _, v in own)
        for c in range(len(case.classes)):
            share = sum((v for k, v in own if k == c), Fraction(0)) / total
            out += w * ((y == c) - share) ** 2
    return out / 2 if len(case.classes) == 2 else out


@pytest.mark.parametrize("seed", range(16))
def test_squared_errors_of_shares(seed: int) -> None:
    case = Goal(seed)
    for other in (False, True):
        rows, arguments = case.rows(other)
        found, trees = case.view(seed)
        if not trees:
            continue
        due = {t: _shares(case, t, rows) for t in trees}
        got = found.range(ol.Measure("squared error", **arguments))
        assert got.tolerance < Fraction(1, 10**6)
        assert min(due.values()) <= got.smallest <= min(due.values()) + got.tolerance
        assert max(due.values()) - got.tolerance <= got.largest <= max(due.values())
        case.check_tree(got.smallest_tree, found, trees, got.smallest, due.__getitem__)
        case.check_tree(got.largest_tree, found, trees, got.largest, due.__getitem__)
        total = sum(w for _, _, w in rows)
        assert found.range(ol.Measure("brier score", **arguments)).smallest * total == got.smallest
        front = found.pareto_front(ol.Measure("squared error", **arguments))
        points = [(case.oracle.objectives[t], due[t]) for t in trees]
        assert [(p.objective, p.value) for p in front] == front_of(points, False)


@pytest.mark.parametrize(("seed", "depth"), [(seed, 2) for seed in range(16)] + [(103, 3)])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_trees_of_numbers(seed: int, depth: int, loss: str) -> None:
    case = NumberCase(seed, depth, loss)
    weights = case.oracle.weights
    others = [case.cells[i] for i in case.random.integers(0, len(case.cells), 5)]
    truth = [Fraction(str(round(float(x), 4))) for x in case.random.normal(0, 10, 5)]
    rows = [
        (list(zip(case.oracle.X, case.oracle.y, weights, strict=True)), {}),
        (
            [(x, y, Fraction(1)) for x, y in zip(others, truth, strict=True)],
            {"X": np.array(others), "y": [float(y) for y in truth]},
        ),
    ]
    measures: dict[Any, Callable[[Fraction, Fraction], Fraction]] = {
        "squared error": lambda y, p: (y - p) ** 2,
        "absolute error": lambda y, p: abs(y - p),
    }
    for measured, arguments in rows:
        total = sum(w for _, _, w in measured)
        for name, of in measures.items():
            due = {
                t: sum((w * of(y, say(t, x)) for x, y, w in measured), Fraction(0))  # type: ignore[arg-type]
                for t in case.oracle.trees
            }
            got = case.found.range(ol.Measure(name, **arguments))
            assert (got.smallest, got.largest) == (min(due.values()), max(due.values()))
            mean = case.found.range(ol.Measure(f"mean {name}", **arguments))
            assert (mean.smallest * total, mean.largest * total) == (got.smallest, got.largest)
            front = case.found.pareto_front(ol.Measure(name, **arguments))
            points = [(case.oracle.objectives[t], due[t]) for t in case.oracle.trees]
            assert [(p.objective, p.value) for p in front] == front_of(points, False)
            listed = ol.TreeSet.from_trees(
                list(case.found), case.X, case.y, regularization=case.regularization,
                sample_weight=case.weights, loss=loss, decimals=case.rset.decimals_,
            )  # fmt: skip
            again = listed.range(ol.Measure(name, **arguments))
            assert (again.smallest, again.largest) == (got.smallest, got.largest)


@pytest.mark.parametrize("seed", range(16))
def test_the_tree_nearest_to_a_number(seed: int) -> None:
    case = Goal(seed)
    label = case.classes[case.positive]
    rows, arguments = case.rows(bool(seed % 2))
    found, trees = case.view(seed)
    for name in ("false positives", "positive rate", "error rate"):
        of = {t: MEASURES[name](rows, lambda x, t=t: say(t, x), case.positive) for t in trees}
        measure = ol.Measure(name, positive=label, **arguments)
        for to in (0, 0.3, -2, 1.75, 4):
            if not trees:
                with pytest.raises(InvalidData):
                    found.nearest(measure, to)
                continue
            near = found.nearest(measure, to, limit=10_000)
            gaps = {t: of[t] - Fraction(str(to)) for t in trees}
            assert near.proven
            assert abs(near.gap) == min(map(abs, gaps.values())) == near.at_least
            cost = case.check_tree(near.tree, found, trees, near.gap, gaps.__getitem__)
            assert cost == near.objective
            assert near.groups == ()


def test_other_rows_part_where_training_rows_do_not() -> None:
    """Two columns are one on the training rows, so trees that ask either first share all nodes."""
    X = [[a, a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    y = [b if a else c for a, _, b, c in X]
    found = ol.RashomonSet(2, 0.01, 0).fit(X, y).trees_
    assert found.n_trees == 2
    other = [[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]]  # the first tree goes by one, and errs
    got = found.range(ol.Measure("errors", other, [1, 1, 1]))
    assert (got.smallest, got.largest) == (0, 3)
    assert got.smallest_tree.predict(other).tolist() == [1, 1, 1]
    assert got.largest_tree.predict(other).tolist() == [0, 0, 0]
    assert [p.value for p in found.pareto_front(ol.Measure("errors", other, [1, 1, 1]))] == [0]


@given(st.integers(1000, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_ranges_of_random_costs(seed: int, other: bool) -> None:
    case = Goal(seed)
    found, trees = case.view(seed)
    if not trees:
        with pytest.raises(InvalidData, match="no tree"):
            found.range(ol.Measure("errors"))
        return
    rows, arguments = case.rows(other)
    n = len(case.classes)
    table = np.random.default_rng(seed).integers(-3, 4, (n, n))
    due = [total(rows, lambda x, t=t: say(t, x), lambda y, s: int(table[y, s])) for t in trees]
    got = found.range(ol.Measure(table, **arguments))
    assert (got.smallest, got.largest) == (min(due), max(due))


# -- what comes in ------------------------------------------------------------------------------

X5 = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
Y5 = [0, 0, 0, 1, 1]


@pytest.fixture(scope="module")
def small() -> ol.TreeSet:
    return ol.RashomonSet(2, 0.05, 0.2).fit(X5, Y5).trees_


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "false postives"}, "did you mean 'false positives'"),
        ({"name": "demographic parity"}, "compares two groups: give groups="),
        ({"name": "precision", "groups": [0, 1, 0, 1, 0]}, "its difference between groups"),
        ({"name": "brier score", "groups": [0, 1, 0, 1, 0]}, "no difference between groups"),
        ({"name": "errors", "y": Y5}, "y came without X"),
        ({"name": "errors", "X": X5}, "give y, too"),
        ({"name": "errors", "X": X5, "y": [0]}, "X has 5 rows and y has 1 labels"),
        ({"name": "errors", "X": [[0, None, 1]], "y": [1]}, "complete rows are needed"),
        ({"name": "errors", "rows": [1, 0, 1, 0, 1]}, "rows must be a mask"),
        ({"name": "errors", "rows": [False] * 5}, "False for every row"),
        ({"name": "errors", "groups": [0] * 5}, "groups must be two, got 1"),
        ({"name": "errors", "groups": "x7"}, "there is no 'x7'"),
        ({"name": "errors", "positive": 2}, "one of the classes 0, 1, got 2"),
        ({"name": "fpr", "rows": [False, False, False, True, True]}, "there are none"),
        ({"name": {(0, 1): 1}}, "no cost of label 1 and prediction 0"),
        ({"name": [[0, 1]]}, "a table of 2 labels by 2 predictions"),
        ({"name": {(0, 1): "much", (1, 0): 1}}, "must be a finite number, got 'much'"),
        ({"name": {(0, 1): 1e300, (1, 0): 1}}, "would pass 2\\^62"),
        ({"name": lambda label, says: float("nan")}, "must be a finite number"),
    ],
)
def test_what_is_refused(small: ol.TreeSet, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidData, match=said):
        small.range(ol.Measure(**arguments))


def test_other_refusals(small: ol.TreeSet) -> None:
    with pytest.raises(ValueError, match="goal must be one of 'smallest', 'largest', got 'best'"):
        small.pareto_front(ol.Measure("errors"), goal="best")
    with pytest.raises(ValueError, match="limit must be a whole number from 1, got 0"):
        small.nearest(ol.Measure("fpr", groups="x0"), limit=0)
    with pytest.raises(InvalidData, match="is a ratio of two counts"):
        small.nearest(ol.Measure("f1"))
    with pytest.raises(InvalidData, match="has no nearest tree"):
        small.nearest(ol.Measure("brier score"))
    with pytest.raises(InvalidData, match="to must be a finite number, got 'x'"):
        small.nearest(ol.Measure("fpr"), to="x")
    with pytest.raises(InvalidData, match="would pass 2"):
        small.nearest(ol.Measure("errors"), to=1e300)
    with pytest.raises(TypeError, match="or a name, got a dict"):
        small.range({(0, 1): 1, (1, 0): 1})
    with pytest.raises(InvalidData, match="it is called 'tpr' here"):
        ol.Measure("Recall")
    with pytest.raises(InvalidData, match="there is no tree in this view"):
        small.where(member.min_leaf >= 10**6).range(ol.Measure("errors"))
    numbers = ol.RashomonSet(2, 0.05, 0.2, loss="squared").fit(X5, Y5).trees_
    with pytest.raises(InvalidData, match=r"must be one of 'squared error', .* got 'errors'"):
        numbers.range(ol.Measure("errors"))
    with pytest.raises(InvalidData, match="positive is a class"):
        numbers.range(ol.Measure("squared error", positive=1))
    with pytest.raises(InvalidData, match="got a dict"):
        numbers.range(ol.Measure({}))


def test_labels_that_the_set_does_not_know_are_wrong(small: ol.TreeSet) -> None:
    got = small.range(ol.Measure("errors", X5, [0, 0, 0, 1, 7]))
    assert got.smallest >= 1
    with pytest.raises(InvalidData, match="y has the label 7, of which leaves have no share"):
        small.range(ol.Measure("squared error", X5, [0, 0, 0, 1, 7]))


def test_a_set_from_a_json_file_does_not_know_the_order_of_its_rows(small: ol.TreeSet) -> None:
    again = ol.TreeSet.from_json(small.to_json())
    assert again.range(ol.Measure("errors")).smallest == small.range(ol.Measure("errors")).smallest
    assert (
        again.range(ol.Measure("fpr", groups="x0")).largest
        == small.range(ol.Measure("fpr", groups="x0")).largest
    )
    with pytest.raises(InvalidData, match="rows goes by the order of the training rows"):
        again.range(ol.Measure("errors", rows=[True] * 5))


@pytest.mark.parametrize("seed", range(12))
def test_pickles_and_copies_keep_the_order_of_rows(seed: int) -> None:
    case = Goal(seed)
    n = len(case.X)
    per_row = {
        "groups": np.array(["g", "h"])[np.arange(n) % 2],
        "rows": np.arange(n) != n - 1,
        "sample_weight": case.random.choice([0.5, 1.0, 2.0], n),
    }
    found = case.found
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        for view, other in (
            (found, again),
            (found.where(member.leaves <= 3), again.where(member.leaves <= 3)),
        ):
            for name, values in per_row.items():
                expected, got = (
                    one.range(ol.Measure("positives", **{name: values})) for one in (view, other)
                )
                assert (got.smallest, got.largest) == (expected.smallest, expected.largest)
            fair = view.nearest(ol.Measure("errors", groups=per_row["groups"]))
            assert other.nearest(ol.Measure("errors", groups=per_row["groups"])).gap == fair.gap
        assert again.n_trees == found.n_trees
        assert again.to_json() == found.to_json()


def test_a_pickle_of_many_equal_rows_is_small() -> None:
    X = np.random.default_rng(0).integers(0, 2, (20_000, 40))[np.arange(20_000) % 10]
    found = ol.RashomonSet(2, 0.05, 0.02).fit(X, X[:, 0]).trees_
    assert len(pickle.dumps(found)) < 20_000 * 40 / 2


def test_groups_by_a_column_of_a_frame(small: ol.TreeSet) -> None:
    import pandas as pd

    frame = pd.DataFrame(X5, columns=["x0", "x1", "x2"]).assign(sex=["m", "f", "m", "f", "f"])
    found = ol.RashomonSet(2, 0.05, 0.2).fit(frame[["x0", "x1", "x2"]], Y5).trees_
    by_name = found.range(ol.Measure("demographic parity", frame, groups="sex"))
    by_hand = found.range(ol.Measure("positive rate", frame, groups=frame["sex"]))
    assert (by_name.smallest, by_name.largest) == (by_hand.smallest, by_hand.largest)
    assert by_name.groups == ("f", "m")


def test_fronts_in_print_and_as_a_table(small: ol.TreeSet) -> None:
    front = small.pareto_front(ol.Measure("false positives"), goal="largest")
    assert repr(front).startswith("Front(false positives, ")
    table = front.to_frame()
    assert table.columns.tolist() == ["objective", "false positives", "leaves"]
    assert len(table) == len(front) == len(list(front))
    assert table["false positives"].tolist() == [point.value for point in front]
    assert front[0].objective == small.objective
    assert repr(small.range(ol.Measure("fpr"))).startswith("Range(fpr: 0 to ")
    assert repr(small.nearest(ol.Measure("fpr", groups="x0"))).startswith("Nearest(fpr: gap ")


def test_a_dear_leaf_does_not_stand_for_a_cheap_split_of_the_same_measure() -> None:
    X, y = [[0, 1], [0, 0], [1, 0], [1, 1]], list("cbab")
    found = ol.RashomonSet(3, 0.05, 0.3, space=ol.Space.independent("pq")).fit(X, y).trees_
    groups = np.array(list("ghgh"))
    gaps = []
    for tree in found:
        says_c = np.asarray(tree.predict(X)) == "c"
        gaps.append(says_c[groups == "h"].mean() - says_c[groups == "g"].mean())
    assert sorted(map(abs, gaps))[:2] == [0, 0]
    fair = found.nearest(ol.Measure("positive rate", groups=groups))
    assert (fair.gap, fair.at_least, fair.proven) == (0, 0, True)


def test_a_set_with_trees_has_a_fairest_one() -> None:
    X, y = [[0, 1], [1, 1], [0, 0], [1, 1], [0, 0], [1, 0]], list("abbbba")
    found = ol.RashomonSet(2, 0.01, 0.2, space=ol.Space.independent("pq")).fit(X, y).trees_
    rows = [[1, 1], [0, 0]]
    gaps = []
    for tree in found:
        first, second = (int(label == "b") for label in tree.predict(rows))
        gaps.append(abs(first - second))
    fair = found.nearest(ol.Measure("positive rate", rows, ["a", "b"], groups=["h", "g"]))
    assert abs(fair.gap) == min(gaps)
    assert fair.proven
