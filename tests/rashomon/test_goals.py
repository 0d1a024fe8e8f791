"""Second goals against brute force over all trees, in fractions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle_rashomon import columns_of, is_trivial, n_leaves, say
from rashomon_cases import Case
from rashomon_number_cases import NumberCase

import orderless as ol
from orderless.errors import InvalidData

Rows = list[tuple[tuple[int, ...], int, Fraction]]  # bits, label, weight
Measured = Callable[[Rows, Callable[[tuple[int, ...]], int], int], Fraction | None]


def _sum(rows: Rows, tree: Any, counts: Callable[[int, int], Any]) -> Fraction:
    return sum((w * counts(y, tree(x)) for x, y, w in rows), Fraction(0))


def _ratio(above: Fraction, below: Fraction) -> Fraction | None:
    return above / below if below else None


# Written out, each for itself: `p` is the positive class.
MEASURES: dict[str, Measured] = {
    "errors": lambda rows, tree, p: _sum(rows, tree, lambda y, s: y != s),
    "false positives": lambda rows, tree, p: _sum(rows, tree, lambda y, s: s == p != y),
    "false negatives": lambda rows, tree, p: _sum(rows, tree, lambda y, s: y == p != s),
    "true positives": lambda rows, tree, p: _sum(rows, tree, lambda y, s: y == p == s),
    "true negatives": lambda rows, tree, p: _sum(rows, tree, lambda y, s: y != p and s != p),
    "positives": lambda rows, tree, p: _sum(rows, tree, lambda y, s: s == p),
    "negatives": lambda rows, tree, p: _sum(rows, tree, lambda y, s: s != p),
    "correct": lambda rows, tree, p: _sum(rows, tree, lambda y, s: y == s),
    "error rate": lambda rows, tree, p: _ratio(
        _sum(rows, tree, lambda y, s: y != s), _sum(rows, tree, lambda y, s: 1)
    ),
    "positive rate": lambda rows, tree, p: _ratio(
        _sum(rows, tree, lambda y, s: s == p), _sum(rows, tree, lambda y, s: 1)
    ),
    "fpr": lambda rows, tree, p: _ratio(
        _sum(rows, tree, lambda y, s: s == p != y), _sum(rows, tree, lambda y, s: y != p)
    ),
    "recall": lambda rows, tree, p: _ratio(
        _sum(rows, tree, lambda y, s: s == p == y), _sum(rows, tree, lambda y, s: y == p)
    ),
    "precision": lambda rows, tree, p: _ratio(
        _sum(rows, tree, lambda y, s: s == p == y), _sum(rows, tree, lambda y, s: s == p)
    ),
    "f1": lambda rows, tree, p: _ratio(
        2 * _sum(rows, tree, lambda y, s: s == p == y),
        _sum(rows, tree, lambda y, s: (s == p) + (y == p)),
    ),
    "jaccard": lambda rows, tree, p: _ratio(
        _sum(rows, tree, lambda y, s: s == p == y),
        _sum(rows, tree, lambda y, s: s == p or y == p),
    ),
    "balanced accuracy": lambda rows, tree, p: _balanced(rows, tree),
}
LARGEST = {"true positives", "true negatives", "correct", "recall", "precision", "f1", "jaccard",
           "balanced accuracy"}  # fmt: skip


def _balanced(rows: Rows, tree: Any) -> Fraction | None:
    shares = []
    for c in {y for _, y, w in rows if w}:
        own = [(x, y, w) for x, y, w in rows if y == c]
        shares.append(_sum(own, tree, lambda y, s: y == s) / sum(w for _, _, w in own))
    return sum(shares, Fraction(0)) / len(shares) if shares else None


class Goal(Case):
    """A problem, rows to measure on, and views."""

    def __init__(self, seed: int, depth: int = 2) -> None:
        super().__init__(seed, depth, 4 if depth == 3 else 5)
        self.found = self.fit(aware=bool(seed % 2))
        n = int(self.random.integers(2, 12))
        at = self.random.integers(0, len(self.cells), n)
        self.other = np.array([self.cells[i] for i in at])
        self.other_y = self.random.integers(0, len(self.classes), n)
        self.other_y[:2] = [0, len(self.classes) - 1]
        self.other_weights = self.random.choice([0.5, 1.0, 1.25, 3.0], n)
        self.positive = int(self.random.integers(len(self.classes)))

    def trained(self) -> Rows:
        rows = map(tuple, self.X.tolist())
        return list(zip(rows, self.y.tolist(), self.oracle.weights, strict=True))

    def others(self) -> Rows:
        weights = [Fraction(str(w)) for w in self.other_weights.tolist()]
        rows = map(tuple, self.other.tolist())
        return list(zip(rows, self.other_y.tolist(), weights, strict=True))

    def rows(self, other: bool) -> tuple[Rows, dict[str, Any]]:
        """Rows for brute force, and the arguments that mean them."""
        if not other:
            return self.trained(), {}
        labels = [self.classes[c] for c in self.other_y]
        return self.others(), {"X": self.other, "y": labels, "sample_weight": self.other_weights}

    def view(self, seed: int) -> tuple[Any, list[Any]]:
        """A view of the set, and its trees by brute force."""
        found, trees = self.found, self.oracle.trees
        random = np.random.default_rng(seed)
        if seed == 0:
            return found, trees
        if random.integers(2):
            most = int(random.integers(1, 5))
            found, trees = found.at_most(most), [t for t in trees if n_leaves(t) <= most]
        if random.integers(2):
            found, trees = found.nontrivial(), [t for t in trees if not is_trivial(t)]
        names = list(found._problem.columns.space.names)
        asked = found._problem.columns.feature
        for using in (True, False):
            if random.integers(2):
                name = names[random.integers(len(names))]
                own = set(np.flatnonzero(asked == names.index(name)).tolist())
                found = found.using(name) if using else found.without(name)
                trees = [t for t in trees if bool(columns_of(t) & own) == using]
        return found, trees

    def check_tree(self, tree: ol.Tree, found: Any, trees: list[Any], value: Any, of: Any) -> Any:
        """The tree is in, and measures what was said; its objective comes back."""
        assert tree in found
        same = [t for t in trees if self.key(t) == self._key(tree)]
        assert same
        assert of(same[0]) == value
        return self.oracle.objectives[same[0]]

    def _key(self, tree: ol.Tree) -> Any:
        from rashomon_cases import key

        if tree.space is self.space:
            return key(tree)
        flat = self.found._problem.columns.flatten(tree, tuple(self.classes))
        assert flat is not None

        def read(node: int) -> Any:
            if flat.column[node] < 0:
                return int(flat.label[node])
            zero = int(flat.false_child[node])
            return (int(flat.column[node]), read(node + 1), read(zero))

        return self.key(read(0))


def front_of(points: list[tuple[Fraction, Fraction]], largest: bool) -> list[Any]:
    """The Pareto points of (objective, measure), by the definition."""
    sign = -1 if largest else 1
    best = {
        (c, v)
        for c, v in points
        if not any((c2 <= c and sign * v2 <= sign * v) and (c2, v2) != (c, v) for c2, v2 in points)
    }
    return sorted(best)


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
                        found.range(name, positive=label, **arguments)
                    continue
                got = found.range(name, positive=label, **arguments)
                assert (got.smallest, got.largest) == (min(values), max(values)), name
                costs = {}
                for tree, value in (
                    (got.smallest_tree, got.smallest),
                    (got.largest_tree, got.largest),
                ):
                    costs[value] = case.check_tree(tree, found, trees, value, of.__getitem__)
                for value, cost in costs.items():
                    assert cost == min(case.oracle.objectives[t] for t in trees if of[t] == value)
                front = found.front(name, positive=label, **arguments)
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
    due = [_sum(chosen, lambda x, t=t: say(t, x), lambda y, s: exact[y][s]) for t in trees]
    listed = ol.RashomonSet.from_trees(
        list(case.found), case.X, case.labels, regularization=case.regularization,
        sample_weight=case.weights,
    )  # fmt: skip
    for found in (case.found, listed):
        for measure in (costs, table, lambda label, says: costs[label, says]):
            got = found.range(measure, rows=mask, **arguments)
            assert (got.smallest, got.largest) == (min(due), max(due))
    points = [(case.oracle.objectives[t], value) for t, value in zip(trees, due, strict=True)]
    for found in (case.found, listed):
        front = found.front(costs, rows=mask, goal="largest", **arguments)
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
        "equal opportunity": "recall",
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
                    found.range(gap, **options)
                continue
            got = found.range(gap, **options)
            assert (got.smallest, got.largest) == (min(of.values()), max(of.values()))
            assert got.groups == ("north", "south")
            fair = found.fairest(gap, limit=10_000, **options)
            assert fair.proven
            assert abs(fair.gap) == min(map(abs, of.values())) == fair.at_least
            cost = case.check_tree(fair.tree, found, trees, fair.gap, of.__getitem__)
            assert cost == fair.objective
            few = found.fairest(gap, limit=1, **options)
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
        got = found.range("squared error", **arguments)
        assert got.within < Fraction(1, 10**6)
        assert min(due.values()) <= got.smallest <= min(due.values()) + got.within
        assert max(due.values()) - got.within <= got.largest <= max(due.values())
        case.check_tree(got.smallest_tree, found, trees, got.smallest, due.__getitem__)
        case.check_tree(got.largest_tree, found, trees, got.largest, due.__getitem__)
        total = sum(w for _, _, w in rows)
        assert found.range("brier score", **arguments).smallest * total == got.smallest
        front = found.front("squared error", **arguments)
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
            got = case.found.range(name, **arguments)
            assert (got.smallest, got.largest) == (min(due.values()), max(due.values()))
            mean = case.found.range(f"mean {name}", **arguments)
            assert (mean.smallest * total, mean.largest * total) == (got.smallest, got.largest)
            front = case.found.front(name, **arguments)
            points = [(case.oracle.objectives[t], due[t]) for t in case.oracle.trees]
            assert [(p.objective, p.value) for p in front] == front_of(points, False)
            listed = ol.RashomonSet.from_trees(
                list(case.found), case.X, case.y, regularization=case.regularization,
                sample_weight=case.weights, loss=loss, decimals=case.found.decimals_,
            )  # fmt: skip
            again = listed.range(name, **arguments)
            assert (again.smallest, again.largest) == (got.smallest, got.largest)


def test_other_rows_part_where_training_rows_do_not() -> None:
    """Two columns are one on the training rows, so trees that ask either first share all nodes."""
    X = [[a, a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    y = [b if a else c for a, _, b, c in X]
    found = ol.RashomonSet(2, 0.01, 0).fit(X, y)
    assert found.n_trees == 2
    other = [[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]]  # the first tree goes by one, and errs
    got = found.range("errors", other, [1, 1, 1])
    assert (got.smallest, got.largest) == (0, 3)
    assert got.smallest_tree.predict(other).tolist() == [1, 1, 1]
    assert got.largest_tree.predict(other).tolist() == [0, 0, 0]
    assert [p.value for p in found.front("errors", other, [1, 1, 1])] == [0]


@given(st.integers(1000, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_ranges_of_random_costs(seed: int, other: bool) -> None:
    case = Goal(seed)
    found, trees = case.view(seed)
    if not trees:
        with pytest.raises(InvalidData, match="no tree"):
            found.range("errors")
        return
    rows, arguments = case.rows(other)
    n = len(case.classes)
    table = np.random.default_rng(seed).integers(-3, 4, (n, n))
    due = [_sum(rows, lambda x, t=t: say(t, x), lambda y, s: int(table[y, s])) for t in trees]
    got = found.range(table, **arguments)
    assert (got.smallest, got.largest) == (min(due), max(due))


# -- what comes in ------------------------------------------------------------------------------

X5 = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
Y5 = [0, 0, 0, 1, 1]


@pytest.fixture(scope="module")
def small() -> ol.RashomonSet:
    return ol.RashomonSet(2, 0.05, 0.2).fit(X5, Y5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"measure": "false postives"}, "did you mean 'false positives'"),
        ({"measure": "demographic parity"}, "compares two groups: give groups="),
        ({"measure": "precision", "groups": [0, 1, 0, 1, 0]}, "its difference between groups"),
        ({"measure": "brier score", "groups": [0, 1, 0, 1, 0]}, "no difference between groups"),
        ({"measure": "errors", "y": Y5}, "y came without X"),
        ({"measure": "errors", "X": X5}, "give y, too"),
        ({"measure": "errors", "X": X5, "y": [0]}, "X has 5 rows and y has 1 labels"),
        ({"measure": "errors", "X": [[0, None, 1]], "y": [1]}, "complete rows are needed"),
        ({"measure": "errors", "rows": [1, 0, 1, 0, 1]}, "rows must be a mask"),
        ({"measure": "errors", "rows": [False] * 5}, "False for every row"),
        ({"measure": "errors", "groups": [0] * 5}, "groups must be two, got 1"),
        ({"measure": "errors", "groups": "x7"}, "there is no 'x7'"),
        ({"measure": "errors", "positive": 2}, "one of the classes 0, 1, got 2"),
        ({"measure": "fpr", "rows": [False, False, False, True, True]}, "there are none"),
        ({"measure": {(0, 1): 1}}, "no cost of label 1 and prediction 0"),
        ({"measure": [[0, 1]]}, "a table of 2 labels by 2 predictions"),
        ({"measure": {(0, 1): "much", (1, 0): 1}}, "must be a finite number, got 'much'"),
        ({"measure": {(0, 1): 1e300, (1, 0): 1}}, "would pass 2\\^62"),
        ({"measure": lambda label, says: float("nan")}, "must be a finite number"),
    ],
)
def test_what_is_refused(small: ol.RashomonSet, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidData, match=said):
        small.range(**arguments)


def test_other_refusals(small: ol.RashomonSet) -> None:
    with pytest.raises(ValueError, match="goal must be one of 'smallest', 'largest', got 'best'"):
        small.front("errors", goal="best")
    with pytest.raises(ValueError, match="limit must be a whole number from 1, got 0"):
        small.fairest("fpr", groups="x0", limit=0)
    with pytest.raises(InvalidData, match="groups is None"):
        small.fairest("fpr", groups=None)
    with pytest.raises(InvalidData, match="there is no tree in this view"):
        small.at_most(1).using("x0").range("errors")
    numbers = ol.RashomonSet(2, 0.05, 0.2, task="regression").fit(X5, Y5)
    with pytest.raises(InvalidData, match=r"must be one of 'squared error', .* got 'errors'"):
        numbers.range("errors")
    with pytest.raises(InvalidData, match="positive is a class"):
        numbers.range("squared error", positive=1)
    with pytest.raises(InvalidData, match="got dict"):
        numbers.range({})


def test_labels_that_the_set_does_not_know_are_wrong(small: ol.RashomonSet) -> None:
    got = small.range("errors", X5, [0, 0, 0, 1, 7])
    assert got.smallest >= 1
    with pytest.raises(InvalidData, match="y has the label 7, of which leaves have no share"):
        small.range("squared error", X5, [0, 0, 0, 1, 7])


def test_a_set_from_a_file_does_not_know_the_order_of_its_rows(small: ol.RashomonSet) -> None:
    for again in (pickle.loads(pickle.dumps(small)), ol.RashomonSet.from_json(small.to_json())):
        assert again.range("errors").smallest == small.range("errors").smallest
        assert again.range("fpr", groups="x0").largest == small.range("fpr", groups="x0").largest
        with pytest.raises(InvalidData, match="rows goes by the order of the training rows"):
            again.range("errors", rows=[True] * 5)


def test_groups_by_a_column_of_a_frame(small: ol.RashomonSet) -> None:
    import pandas as pd

    frame = pd.DataFrame(X5, columns=["x0", "x1", "x2"]).assign(sex=["m", "f", "m", "f", "f"])
    found = ol.RashomonSet(2, 0.05, 0.2).fit(frame[["x0", "x1", "x2"]], Y5)
    by_name = found.range("demographic parity", frame, groups="sex")
    by_hand = found.range("positive rate", frame, groups=frame["sex"])
    assert (by_name.smallest, by_name.largest) == (by_hand.smallest, by_hand.largest)
    assert by_name.groups == ("f", "m")


def test_fronts_in_print_and_as_a_table(small: ol.RashomonSet) -> None:
    front = small.front("false positives", goal="largest")
    assert repr(front).startswith("Front(false positives, ")
    table = front.to_frame()
    assert table.columns.tolist() == ["objective", "false positives", "leaves"]
    assert len(table) == len(front) == len(list(front))
    assert table["false positives"].tolist() == [point.value for point in front]
    assert front[0].objective == small.objective
    assert repr(small.range("fpr")).startswith("Range(fpr: 0 to ")
    assert repr(small.fairest("fpr", groups="x0")).startswith("Fairest(fpr: gap ")
