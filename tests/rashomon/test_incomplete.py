"""Parts of sets that pass a limit: a subset of brute force's set, with bounds that hold."""

import json
import math
import pickle
import warnings
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle_rashomon import depth_of
from rashomon_cases import Case, key
from rashomon_number_cases import NumberCase
from sklearn.base import clone

import orderless as ol
from orderless import _core, member
from orderless.errors import IncompleteSet, InvalidTree, OutOfMemory, OutOfTime
from orderless.rashomon.incomplete import part_of
from orderless.rashomon.number_problem import NumberProblem
from orderless.rashomon.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::orderless.errors.IncompleteSet")


class Work:
    """Stands for a clock: questions of more than so much work fail."""

    def __init__(self, monkeypatch, too_much):
        self.asked = []
        real = Problem.graph

        def graph(problem, memory, seconds, threads=1, optimum=None):
            self.asked.append((problem.rules.max_depth, problem.rules.epsilon))
            if too_much(problem.rules, optimum is not None):
                raise _core.base.TimeUp(0)
            return real(problem, memory, seconds, threads, optimum)

        monkeypatch.setattr(Problem, "graph", graph)


def holds(case, found):
    """What is promised of a part, against every tree that there is."""
    oracle = case.oracle
    whole = Counter(map(case.key, oracle.trees))
    part = Counter(key(tree) for tree in found)
    assert not part - whole  # a subset
    low, high = found.n_trees_bounds
    assert low == found.n_trees == sum(part.values())
    assert low <= len(oracle.trees)
    assert high is None or high >= len(oracle.trees)
    least, best = found.objective_bounds
    assert least <= oracle.optimum <= best == found.objective
    assert found.bound <= oracle.bound or not found.complete
    # Every tree of the part's own question is there.
    rules = found._source.problem.rules
    inside = [
        tree
        for tree in oracle.trees
        if depth_of(tree) <= rules.max_depth and oracle.objectives[tree] <= found.bound
    ]
    assert part == Counter(map(case.key, inside))


def said(found):
    assert found.complete is False
    text = str(found)
    assert "part of a set: " in text
    assert "incomplete: " in text
    assert found.incomplete in text
    view = found.where(member.leaves <= 2)
    assert view.complete is False
    assert "part of a set" in repr(view)


@pytest.mark.parametrize("seed", range(40))
def test_a_smaller_epsilon_is_a_part(seed, monkeypatch):
    """The limit is met at every sixteenth of epsilon."""
    case = Case(seed, 2 + seed % 2, 4)
    for sixteenths in range(16):
        with monkeypatch.context() as patch:
            most = Fraction(str(case.epsilon)) * sixteenths / 16
            Work(patch, lambda rules, known, most=most: rules.epsilon > most)
            if case.epsilon == 0:
                break
            with pytest.raises(OutOfTime, match=r"on_limit='part'"):
                case.fit()
            with pytest.warns(IncompleteSet, match=r"the set is incomplete: time_limit=None did"):
                found = case.fit(on_limit="part")
        rules = found._source.problem.rules
        assert rules.epsilon == most  # the largest within the limit
        assert found.objective_bounds == (case.oracle.optimum, case.oracle.optimum)
        holds(case, found)
        said(found)
        # The same bounds hold for the other counts.
        whole, most = case.fit(), found.n_trees_bounds[1]
        assert found.n_nontrivial <= whole.n_nontrivial <= most
        assert len(found.functions()) <= len(whole.functions()) <= most
        assert len(found.functions("rows")) <= len(whole.functions("rows")) <= most
        assert "of an incomplete set" in repr(found.functions())
        assert found.functions().complete is False


@pytest.mark.parametrize("seed", range(60))
def test_where_the_optimum_is_out_of_reach_a_smaller_depth_is_a_part(seed, monkeypatch):
    case = Case(1000 + seed, 3, 4)
    outcomes = set()
    for depth in range(3):
        # With the optimum known the whole depth is as cheap, or is not.
        for helps in (False, True):
            with monkeypatch.context() as patch:
                Work(patch, lambda r, k, d=depth, h=helps: r.max_depth > d and not (h and k))
                try:
                    found = case.fit(on_limit="part")
                except OutOfTime:
                    outcomes.add("none")
                    continue
            holds(case, found)
            said(found)
            proven = found.objective_bounds[0] == found.objective_bounds[1]
            outcomes.add("proven" if proven else "open")
    assert outcomes


def test_all_outcomes_of_a_smaller_depth_occur(monkeypatch):
    outcomes = Counter()
    for seed in range(200):
        case = Case(2000 + seed, 3, 4)
        with monkeypatch.context() as patch:
            Work(patch, lambda rules, known: rules.max_depth > 1)
            try:
                found = case.fit(on_limit="part")
            except OutOfTime:
                outcomes["none"] += 1
                continue
        holds(case, found)
        low, high = found.objective_bounds
        if low == high:
            outcomes["proven"] += 1
        else:
            outcomes["open"] += 1
            assert "The smallest objective of the whole set is from" in str(found)
    assert min(outcomes[kind] for kind in ("none", "proven", "open")) > 0, outcomes


def test_where_nothing_is_proven_it_is_said(monkeypatch):
    X, y = _table()
    Work(monkeypatch, lambda rules, known: True)
    with pytest.raises(OutOfTime, match="Nor can any tree be proven to be in the set") as fault:
        ol.RashomonSet(on_limit="part").fit(X, y)
    assert "on_limit" not in str(fault.value)
    with pytest.raises(OutOfTime, match=r"or a proven part of the set with on_limit='part'"):
        ol.RashomonSet().fit(X, y)


@pytest.mark.parametrize("seed", range(12))
def test_memory_that_does_not_suffice(seed):
    """The core's own limit, swept from nothing to plenty."""
    case = Case(seed, 3, 5)
    whole = case.fit()
    kinds = Counter()
    for limit in np.unique(np.geomspace(200, 2**21, 60).astype(int)).tolist():
        try:
            complete = case.fit(memory_limit=limit).n_trees
        except OutOfMemory:
            complete = None
        try:
            found = case.fit(memory_limit=limit, on_limit="part")
        except OutOfMemory:
            assert complete is None
            kinds["none"] += 1
            continue
        if complete is not None:  # a whole set wherever there is one without "part"
            assert found.complete
            assert found.n_trees == complete == whole.n_trees
            assert found.n_trees_bounds == (complete, complete)
            assert found.incomplete == ""
            kinds["whole"] += 1
        else:
            holds(case, found)
            said(found)
            kinds["part"] += 1
    assert kinds["none"]
    assert kinds["whole"]


def test_the_part_grows_with_the_memory():
    X, y = _table()
    sizes = []
    for limit in (150_000, 400_000, 1_000_000, 4_000_000):
        found = ol.RashomonSet(4, 0.01, 0.06, memory_limit=limit, on_limit="part").fit(X, y).trees_
        low, high = found.n_trees_bounds
        sizes.append(low)
        assert high >= low
    whole = ol.RashomonSet(4, 0.01, 0.06).fit(X, y).trees_
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 2
    assert (
        not ol.RashomonSet(4, 0.01, 0.06, memory_limit=400_000, on_limit="part")
        .fit(X, y)
        .trees_.complete
    )
    assert whole.n_trees >= sizes[-1]


def _table():
    random = np.random.default_rng(3)
    X = random.integers(0, 2, (200, 12))
    y = (X[:, 0] & X[:, 1]) ^ (random.random(200) < 0.2)
    return X, y.astype(int)


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(0, 15), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_any_limit(seed, depth, sixteenths, most_depth):
    case = Case(seed, depth, 3)
    patch = pytest.MonkeyPatch()
    most = Fraction(str(case.epsilon)) * sixteenths / 16
    try:
        Work(patch, lambda r, k: r.epsilon > most or (r.max_depth > most_depth and not k))
        found = case.fit(on_limit="part")
    except OutOfTime:
        return
    finally:
        patch.undo()
    holds(case, found)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("seed", range(10))
def test_parts_of_sets_of_numbers(seed, loss, monkeypatch):
    case = NumberCase(seed, 2, loss)
    whole, real = case.found, NumberProblem.graph
    for sixteenths in (0, 3, 8, 15):
        most = whole._source.problem.rules.epsilon * sixteenths / 16
        if not most:
            continue

        def graph(problem, *more, most=most):
            if problem.rules.epsilon > most:
                raise MemoryError
            return real(problem, *more)

        with monkeypatch.context() as patch:
            patch.setattr(NumberProblem, "graph", graph)
            rset = clone(case.rset).set_params(on_limit="part")
            found = rset.fit(case.X, case.y, case.weights).trees_
        assert found.incomplete in rset._repr_html_inner().replace("&#x27;", "'")
        assert found.complete is False
        assert found.n_trees == whole.where(member.epsilon <= most).n_trees
        assert found.n_trees <= whole.n_trees <= (found.n_trees_bounds[1] or whole.n_trees)
        assert found.objective_bounds == (whole.objective, whole.objective)


# -- what else is said -----------------------------------------------------------------------------


@pytest.fixture
def part(monkeypatch):
    X, y = _table()
    with monkeypatch.context() as patch:
        Work(patch, lambda rules, known: rules.epsilon > Fraction(1, 100))
        return ol.RashomonSet(3, 0.01, 0.04, on_limit="part", time_limit=1000).fit(X, y).trees_


def test_least_errors_make_the_upper_bound_smaller(part, monkeypatch):
    about = part._source.incomplete
    assert len(about.least_errors) == 3
    without = replace(about, least_errors=()).most_trees
    whole = ol.RashomonSet(3, 0.01, 0.04).fit(*_table()).trees_
    assert whole.n_trees <= about.most_trees < without
    # Where the searches for it pass the limit there is the other bound.
    X, y = _table()
    Work(monkeypatch, lambda r, known: r.epsilon > 0 or r.regularization < Fraction(1, 100))
    found = ol.RashomonSet(3, 0.01, 0.04, on_limit="part", time_limit=1000).fit(X, y).trees_
    assert found._source.incomplete.least_errors == ()
    assert found.n_trees_bounds == (found.n_trees, without)


def test_answers_about_all_trees_say_that_they_are_about_a_part(part):
    X, _ = _table()
    for ask in ("predict", "votes"):
        with pytest.warns(IncompleteSet, match=rf"^{ask} is about the trees of this part alone"):
            getattr(part, ask)(X[:5])
    whole = ol.RashomonSet(3, 0.01, 0.04).fit(X, _).trees_
    outside = whole[whole.n_trees - 1]
    with pytest.warns(IncompleteSet, match="that a tree is not in this set is about the trees of"):
        assert outside not in part
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert part[0] in part
        whole.predict(X)
        assert outside in whole


def test_a_part_goes_through_files(part):
    text = part.to_json()
    again = ol.TreeSet.from_json(text)
    assert again.complete is False
    assert again.incomplete == part.incomplete
    assert again.n_trees_bounds == part.n_trees_bounds
    assert again.objective_bounds == part.objective_bounds
    assert json.loads(again.to_json())["incomplete"] == json.loads(text)["incomplete"]
    content = json.loads(text)
    content["incomplete"]["smaller_regularizations"] = ["0.5"]  # proves nothing
    less = ol.TreeSet.from_json(json.dumps(content))
    assert less.n_trees_bounds[1] > part.n_trees_bounds[1]
    del content["incomplete"]["smaller_regularizations"]  # as files were before
    assert ol.TreeSet.from_json(json.dumps(content)).n_trees_bounds == less.n_trees_bounds
    copy = pickle.loads(pickle.dumps(part))
    assert copy.complete is False
    assert copy.incomplete == part.incomplete
    assert "incomplete" not in json.loads(ol.RashomonSet(2).fit(*_table()).trees_.to_json())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": "0.001"}, "but they are not"),
        ({"max_depth": 2}, "but they are not"),
        ({"max_depth": 21}, "does not say which set"),
        ({"limit": "patience"}, "does not say which set"),
        ({"amount": True}, "does not say which set"),
        ({"limit": "n_trees", "amount": 5}, "does not say which set"),
        ({"epsilon_kind": "other"}, "does not say which set"),
        ({"smaller_regularizations": "1/100"}, "smaller_regularizations"),
    ],
)
def test_files_that_claim_too_much_are_refused(part, change, message):
    content = json.loads(part.to_json())
    content["incomplete"] |= {"limit": "memory_limit", "amount": 1000} | change
    with pytest.raises(InvalidTree, match=message):
        ol.TreeSet.from_json(json.dumps(content))


def test_more_trees_than_can_be_counted(monkeypatch):
    """2^128 trees are a limit like others."""
    X, y = _table()
    real, fault = Problem.graph, _core.base.CountOverflow("more than 2^128 trees")
    fault.bits = 128

    def graph(problem, *more):
        if problem.rules.epsilon > Fraction(1, 100):
            raise fault
        return real(problem, *more)

    monkeypatch.setattr(Problem, "graph", graph)
    found = ol.RashomonSet(3, 0.01, 0.04, on_limit="part").fit(X, y).trees_
    assert found.complete is False
    assert "the trees are too many, or too large, to be counted" in found.incomplete
    again = ol.TreeSet.from_json(found.to_json())
    assert again.incomplete == found.incomplete


@pytest.mark.parametrize("seed", range(12))
def test_a_part_keeps_the_constraints(seed, monkeypatch):
    case = Case(seed, 2, 4)
    constraints = (member.leaves <= 3, member.min_leaf >= 2)
    whole = case.fit(constraints=constraints)
    with monkeypatch.context() as patch:
        most = Fraction(str(case.epsilon)) / 2
        Work(patch, lambda rules, known: rules.epsilon > most)
        if not case.epsilon:
            return
        found = case.fit(on_limit="part", constraints=constraints)
    assert found.complete is False
    assert Counter(map(key, found)) == Counter(map(key, whole.where(member.epsilon <= most)))
    assert found.n_trees_bounds[1] >= whole.n_trees


def test_bad_parameters():
    X, y = _table()
    with pytest.raises(ValueError, match=r"on_limit must be 'raise' or 'part', got 'guess'"):
        ol.RashomonSet(on_limit="guess").fit(X, y)


def test_lists_are_complete():
    X, y = _table()
    whole = ol.RashomonSet(2, 0.01, 0.02).fit(X, y).trees_
    assert whole.complete
    listed = ol.TreeSet.from_trees(whole, X, y)
    assert listed.complete
    assert listed.n_trees_bounds == (listed.n_trees, listed.n_trees)
    assert listed.objective_bounds == (listed.objective, listed.objective)


def test_a_part_that_is_not_proven_is_a_fault(monkeypatch):
    """The last check before a part is given."""
    from orderless.rashomon import incomplete
    from orderless.rashomon.conditions import view_of

    X, y = _table()
    engine = ol.RashomonSet(3, 0.01, 0.04).fit(X, y).trees_._source
    monkeypatch.setattr(incomplete.Incomplete, "holds", lambda self, bound: False)
    with pytest.raises(AssertionError, match="not proven"):
        part_of(engine, OutOfMemory("too much"), view_of, math.inf)
