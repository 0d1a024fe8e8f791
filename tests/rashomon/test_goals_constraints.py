"""Second goals of constrained sets, against one tree after the other."""

import numpy as np
import pytest
from rashomon_cases import Case

import orderless as ol
from orderless import member
from orderless.errors import InvalidData


def wrong(tree, case, positive):
    """The weight of false positives of a tree on the training rows."""
    said = np.ma.getdata(tree.predict(case.X)).tolist()
    weights = np.ones(len(case.X)) if case.weights is None else case.weights
    return sum(w for s, y, w in zip(said, case.labels, weights, strict=True) if s == positive != y)


def views(case, found):
    names = case.space.names
    yield found.where(member.n_features <= 1)
    yield found.where(member.n_features <= 2, member.uses(names[0]))
    yield found.where(member.min_leaf >= 2)
    yield found.where(member.min_leaf >= 2, member.n_features <= 1)
    yield found.where(member.root == names[-1])
    yield found.where(member.root == names[0], member.leaves <= 3)
    yield found.where(member.path_cost(dict(zip(names, (1, 2, 3, 4, 5), strict=False))) <= 3)
    ordered = [name for name in names if case.space[name].ordered]
    if ordered:
        yield found.where(member.monotone({ordered[0]: 1}))
    yield found.where(member.n_features <= 2, ~member.trivial)


@pytest.mark.parametrize("seed", range(7000, 7040))
def test_ranges_of_constrained_sets(seed):
    case = Case(seed)
    found = case.fit()
    positive = case.classes[-1]
    for number, view in enumerate(views(case, found)):
        if not view:
            with pytest.raises(InvalidData, match="no tree"):
                view.range(ol.Measure("false positives"))
            continue
        measures = [wrong(tree, case, positive) for tree in view]
        ends = view.range(ol.Measure("false positives", positive=positive))
        assert float(ends.smallest) == pytest.approx(min(measures)), number
        assert float(ends.largest) == pytest.approx(max(measures)), number
        for tree, value in (
            (ends.smallest_tree, min(measures)),
            (ends.largest_tree, max(measures)),
        ):
            assert wrong(tree, case, positive) == pytest.approx(value)
            assert tree in view
        # The front: for every objective the least.
        best = {}
        for tree, measure in zip(view, measures, strict=True):
            objective = view.objective_of(tree)
            best[objective] = min(measure, best.get(objective, measure))
        expected, least = [], np.inf
        for objective in sorted(best):
            if best[objective] < least - 1e-9:
                least = best[objective]
                expected.append((objective, least))
        front = view.pareto_front(ol.Measure("false positives", positive=positive))
        shown = [(point.objective, float(point.value)) for point in front]
        assert shown == [(o, pytest.approx(m)) for o, m in expected], number


def test_shares_of_leaves_are_not_those_of_functions():
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    found = (
        ol.RashomonSet(2, 0.01, 0.3).fit(X, [0, 0, 0, 1]).trees_.where(member.monotone({"x0": 1}))
    )
    with pytest.raises(InvalidData, match="monotone is a property of functions"):
        found.range(ol.Measure("squared error"))
