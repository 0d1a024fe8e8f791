"""Facts that take long: how many steps they take, and that each question keeps its time limit."""

import itertools

import pytest
from sums import as_ensemble

import orderless as ol
from orderless.errors import OutOfTime, Undecided
from orderless.model import budget
from orderless.model.facts import linear


class Late:
    """A clock that goes on by so much whenever it is looked at."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def monotonic(self):
        self.now += self.step
        return self.now


@pytest.fixture
def pivots(monkeypatch):
    """Count the searches of the simplex method."""
    seen = []
    solved = linear._Tableau.solved

    def counted(self):
        seen.append(1)
        return solved(self)

    monkeypatch.setattr(linear._Tableau, "solved", counted)
    return seen


def names(n):
    return [f"x{i}" for i in range(n)]


@pytest.mark.parametrize("n", [10, 20, 40])
def test_chains_of_whole_numbers_take_few_steps(pivots, n):
    chain = [f"2*{a} <= 3*{b} - 1" for a, b in itertools.pairwise(names(n))]
    ol.Space(dict.fromkeys(names(n), int), facts=chain)
    assert len(pivots) <= 4 * n


@pytest.mark.parametrize("n", [10, 20, 40])
def test_choices_in_a_circle_take_few_steps(pivots, n):
    circle = [*names(n), "x0"]
    facts = [f"{a} < {b} or {a} > {b} + 3" for a, b in itertools.pairwise(circle)]
    bounds = [f"0 <= {x} <= 5" for x in names(n)]
    ol.Space(dict.fromkeys(names(n), int), facts=[*facts, *bounds])
    assert len(pivots) <= 10 * n


def test_facts_that_contradict_each_other_in_a_circle_are_found(pivots):
    n = 30
    circle = [*names(n), "x0"]
    facts = [f"{a} < {b}" for a, b in itertools.pairwise(circle)]
    with pytest.raises(ol.errors.InvalidSpace, match="no row can satisfy these facts together"):
        ol.Space(dict.fromkeys(names(n), float), facts=facts)
    assert len(pivots) <= 4 * n


def tree_with_facts():
    space = ol.Space({"low": float, "high": float, "rash": bool}, facts=["low + 1 <= high"])
    node = {"feature": "high", "relation": "<=", "reference": 3, "true": {"prediction": 0},
            "false": {"prediction": 1}}  # fmt: skip
    return ol.read(node, space=space)


@pytest.mark.parametrize("ask", [
    lambda tree: tree.needed({"low": 1.0}, time_limit=5.0),
    lambda tree: tree.explain({"low": 5.0}, time_limit=5.0),
    lambda tree: ol.canonicalize(tree, time_limit=5.0).reasons,
    lambda tree: tree.redundant_splits(time_limit=5.0),
    lambda tree: ol.prove(tree).never(0),
    lambda tree: ol.prove(tree).monotone("high", -1),
    lambda tree: ol.prove(as_ensemble(tree)).never(0),
    lambda tree: ol.prove(as_ensemble(tree)).monotone("high", -1),
    lambda tree: ol.prove(as_ensemble(tree)).same_as(tree.replace(classes=(1, 0))),
    lambda tree: ol.equivalent(tree, tree.replace(classes=(1, 0))),
    lambda tree: tree.predict({"low": 2.5}),
    lambda tree: tree.possible([{"low": 2.5}]),
    lambda tree: as_ensemble(tree).predict([{"low": 1.5}], time_limit=5.0),
    lambda tree: as_ensemble(tree).explain({"low": 5.0}, time_limit=5.0),
    lambda tree: as_ensemble(tree).needed({"low": 1.5}, time_limit=5.0),
    lambda tree: as_ensemble(tree).ask_next([{"low": 1.5}], time_limit=5.0),
    lambda tree: ol.Space({"a": int, "b": int}, facts=["2*a <= 3*b - 1"]),
])  # fmt: skip
def test_every_question_about_facts_keeps_its_limit(monkeypatch, ask):
    tree = tree_with_facts()
    monkeypatch.setattr(budget, "time", Late(100.0))
    with pytest.raises((Undecided, OutOfTime), match="time_limit") as refused:
        ask(tree)
    assert getattr(refused.value, "why", "time") == "time"


def test_an_explanation_keeps_the_limit_when_it_is_asked_for_changes(monkeypatch):
    why = tree_with_facts().explain({"low": 5.0}, time_limit=5.0)
    monkeypatch.setattr(budget, "time", Late(100.0))
    with pytest.raises(Undecided, match="time_limit"):
        why.changes()


def test_a_limit_inside_of_another_ends_with_the_earlier(monkeypatch):
    slow = Late(0.0)
    monkeypatch.setattr(budget, "time", slow)
    with budget.Budget(10.0), budget.Budget(1000.0) as inner:
        assert (inner.left, inner.share(4), inner.seconds) == (10.0, 2.5, 10.0)
        slow.now += 10
        assert inner.over
        assert inner.share() == budget.LITTLE
        budget.look()  # facts have a little more
        slow.now += budget.FOR_FACTS + 1
        with pytest.raises(Undecided, match="time_limit=10 seconds"):
            budget.look()
    with budget.Budget(5.0), budget.Budget(2.0) as inner:
        assert (inner.left, inner.seconds) == (2.0, 5.0)  # it is the outer one that can be raised


def test_without_a_limit_each_row_has_its_own(monkeypatch):
    slow = Late(0.0)
    monkeypatch.setattr(budget, "time", slow)
    with budget.Budget(None, each=1.0) as whole:
        for _ in range(100):
            with budget.Budget.of_row() as row:
                assert row.left == 1.0
                slow.now += 100
        assert not whole.over


@pytest.mark.parametrize("limit", [-1, float("nan"), True, "60", [1]])
def test_what_is_no_limit_is_refused(limit):
    tree = tree_with_facts()
    for ask in (tree.predict, tree.possible, as_ensemble(tree).status, tree.explain_all):
        with pytest.raises(ol.errors.InvalidParameter, match="seconds"):
            ask([{"low": 1.5}], time_limit=limit)
