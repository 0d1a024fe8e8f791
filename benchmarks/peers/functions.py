"""Boolean functions by peers: nested (feature, when 0, when 1), with classes 0 and 1 at leaves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..timing import best_of, clock

Decision = Any


def best(work: Any, n: int = 5, before: Any = None) -> tuple[float, Any]:
    """The quickest of ``n`` calls, fewer when they are slow; and what it gave.

    Short calls are put together, as ours are; not if something is to be done before each of them,
    which is not timed.
    """
    answers: list[Any] = []

    def once() -> None:
        answers[:] = [work()]

    if before is None:
        return best_of(once, n, budget=0.5), answers[0]
    times: list[float] = []
    while len(times) < n and sum(times) <= 0.5:
        before()
        start = clock()
        once()
        times.append(clock() - start)
    return min(times), answers[0]


def _paths(tree: Decision, label: int, known: tuple[tuple[int, int], ...] = ()) -> Any:
    """Go through the paths to leaves of a class, as (feature, value) pairs."""
    if isinstance(tree, int):
        if tree == label:
            yield known
        return
    feature, zero, one = tree
    yield from _paths(zero, label, (*known, (feature, 0)))
    yield from _paths(one, label, (*known, (feature, 1)))


def sympy_dnf(tree: Decision) -> Any:
    """simplify_logic(form="dnf", force=True) of the paths to class 1, as the paper does."""
    from sympy import Symbol
    from sympy.core.cache import clear_cache
    from sympy.logic.boolalg import And, Not, Or, simplify_logic

    if tree is None:
        return None
    paths = [
        And(*(Symbol(f"x{f}") if v else Not(Symbol(f"x{f}")) for f, v in path))
        for path in _paths(tree, 1)
    ]
    expression = Or(*paths)
    # Its cache would give the answer of the call before: each call sees the expression first.
    passed, simple = best(
        lambda: simplify_logic(expression, form="dnf", force=True), 20, before=clear_cache
    )
    terms = simple.args if isinstance(simple, Or) else (simple,)
    if not simple.free_symbols:
        return passed, [{}] if simple else []
    split = [term.args if isinstance(term, And) else (term,) for term in terms]
    return passed, [
        {int(str(x).lstrip("~x")): int(x.is_Symbol) for x in literals} for literals in split
    ]


def espresso(tree: Decision) -> Any:
    """espresso_exprs of the paths to class 1."""
    from pyeda.boolalg.minimization import espresso_exprs
    from pyeda.inter import And, Or, exprvar

    if tree is None:
        return None
    paths = [
        And(*(exprvar("x", f) if v else ~exprvar("x", f) for f, v in path))
        for path in _paths(tree, 1)
    ]
    expression = Or(*paths).to_dnf()
    if expression.is_zero() or expression.is_one():
        return 0.0, [{}] if expression.is_one() else []
    passed, (simple,) = best(lambda: espresso_exprs(expression))
    column = {v.uniqid: v.indices[0] for v in simple.support}
    return passed, [
        {column[abs(x.uniqid)]: int(x.uniqid > 0) for x in term} for term in simple.cover
    ]


def _primes(f: Any, split: Any, true: Any, false: Any, memo: dict[Any, Any]) -> frozenset[Any]:
    """All prime implicants by the classical recursion over a BDD (Coudert and Madre).

    primes(f) = primes(f0 f1), and those of f0 and of f1 that are not among them, with a literal.
    """
    if f == false:
        return frozenset()
    if f == true:
        return frozenset([frozenset()])
    if f not in memo:
        var, zero, one = split(f)
        both = _primes(zero & one, split, true, false, memo)
        only_zero = _primes(zero, split, true, false, memo) - both
        only_one = _primes(one, split, true, false, memo) - both
        memo[f] = (
            both
            | frozenset(term | {(var, 0)} for term in only_zero)
            | frozenset(term | {(var, 1)} for term in only_one)
        )
    return memo[f]


def _features(tree: Decision) -> set[int]:
    return set() if isinstance(tree, int) else {tree[0]} | _features(tree[1]) | _features(tree[2])


def _dd_manager() -> Any:
    try:
        from dd import cudd as library
    except ImportError:
        from dd import autoref as library
    return library.BDD()


def _dd_builder(features: Any) -> Any:
    bdd = _dd_manager()
    names = {f: f"x{f}" for f in sorted(features)}
    bdd.declare(*names.values())
    variables = {f: bdd.var(name) for f, name in names.items()}

    def build(tree: Decision) -> Any:
        if isinstance(tree, int):
            return bdd.true if tree else bdd.false
        return bdd.ite(variables[tree[0]], build(tree[2]), build(tree[1]))

    return bdd, build


def dd_reasons(tree: Decision) -> Any:
    """A BDD of each class by dd, and all its prime implicants (dd has no function for these)."""
    if tree is None:
        _dd_manager()
        return None
    bdd, build = _dd_builder(_features(tree))

    def split(f: Any) -> Any:
        name = bdd.var_at_level(f.level)
        return int(name[1:]), bdd.let({name: False}, f), bdd.let({name: True}, f)

    def count() -> list[int]:
        one = build(tree)
        memo: dict[Any, Any] = {}
        return [len(_primes(f, split, bdd.true, bdd.false, memo)) for f in (~one, one)]

    return best(count)


def _oxidd_builder(features: Any) -> Any:
    from oxidd.bdd import BDDManager

    manager = BDDManager(1 << 20, 1 << 18, 1)
    variables = dict(
        zip(sorted(features), map(manager.var, manager.add_vars(len(features))), strict=True)
    )
    true, false = manager.true(), manager.false()

    def build(tree: Decision) -> Any:
        if isinstance(tree, int):
            return true if tree else false
        return variables[tree[0]].ite(build(tree[2]), build(tree[1]))

    return manager, build, sorted(features)


def oxidd_reasons(tree: Decision) -> Any:
    """As ``dd_reasons``, on OxiDD's BDDs."""
    if tree is None:
        import oxidd.bdd  # noqa: F401

        return None
    manager, build, names = _oxidd_builder(_features(tree))

    def split(f: Any) -> Any:
        one, zero = f.cofactors()
        return names[f.node_var()], zero, one

    def count() -> list[int]:
        one = build(tree)
        true, false = manager.true(), manager.false()
        memo: dict[Any, Any] = {}
        return [len(_primes(f, split, true, false, memo)) for f in (~one, one)]

    return best(count)


def _grouped(key: Any, trees: list[Decision]) -> list[list[int]]:
    groups: dict[Any, list[int]] = {}
    for i, tree in enumerate(trees):
        groups.setdefault(key(tree), []).append(i)
    return list(groups.values())


def dd_groups(trees: list[Decision]) -> Any:
    """One manager, one canonical node per tree: which trees are the same."""
    if trees is None:
        _dd_manager()
        return None
    features = set().union(*map(_features, trees))
    _, build = _dd_builder(features)
    return best(lambda: _grouped(build, trees))


def oxidd_groups(trees: list[Decision]) -> Any:
    """As ``dd_groups``, on OxiDD's BDDs."""
    if trees is None:
        import oxidd.bdd  # noqa: F401

        return None
    features = set().union(*map(_features, trees))
    _, build, _ = _oxidd_builder(features)
    return best(lambda: _grouped(build, trees))


def _table(tree: Decision) -> Any:
    """The truth table of a tree over its own columns, without those that do not matter."""
    import numpy as np

    features = sorted(_features(tree))
    axis = {f: i for i, f in enumerate(features)}

    def fill(node: Decision) -> Any:
        if isinstance(node, int):
            return np.uint8(node)
        zero, one = fill(node[1]), fill(node[2])
        shape = [1] * len(features)
        shape[axis[node[0]]] = 2
        return np.where(np.arange(2).reshape(shape) == 1, one, zero)

    table = np.broadcast_to(fill(tree), (2,) * len(features))
    for f in reversed(features):
        zero, one = np.take(table, 0, axis[f]), np.take(table, 1, axis[f])
        if np.array_equal(zero, one):
            table = zero
            features.remove(f)
    return tuple(features), table.tobytes()


def table_groups(trees: list[Decision]) -> Any:
    """Truth tables with numpy, hashed: what one writes without any library for logic."""
    import numpy  # noqa: F401

    if trees is None:
        return None
    return best(lambda: _grouped(_table, trees))


def _same_table(a: Decision, b: Decision) -> bool:
    """Whether two trees agree on all assignments of the columns of both."""
    import numpy as np

    features = sorted(_features(a) | _features(b))
    rows = dict(zip(features, np.indices((2,) * len(features)), strict=True))

    def decide(tree: Decision) -> Any:
        if isinstance(tree, int):
            return np.uint8(tree)
        return np.where(rows[tree[0]] == 1, decide(tree[2]), decide(tree[1]))

    return bool(np.all(decide(a) == decide(b)))


def table_pairs(trees: list[Decision]) -> Any:
    """Consecutive trees, compared by their truth tables."""
    import numpy  # noqa: F401

    if trees is None:
        return None
    return best(lambda: [_same_table(a, b) for a, b in pairwise(trees)])


def pair_groups(trees: list[Decision]) -> Any:
    """Each tree beside one of each group so far, by truth tables."""
    import numpy  # noqa: F401

    if trees is None:
        return None

    def group() -> list[list[int]]:
        groups: list[list[int]] = []
        for i, tree in enumerate(trees):
            own = next((g for g in groups if _same_table(trees[g[0]], tree)), None)
            if own is None:
                groups.append([i])
            else:
                own.append(i)
        return groups

    return best(group)


def pyxai_reasons(tree: Decision, n_features: int = 0, rows: Any = ()) -> Any:
    """All sufficient reasons of each row by PyXAI (a SAT solver), as sets of signed columns."""
    import sys

    sys.argv = sys.argv[:1]  # PyXAI reads the command line when it is imported
    from pyxai import Builder, Explaining

    if tree is None:
        return None

    def node(below: Decision) -> Any:
        if isinstance(below, int):
            return below
        feature, zero, one = below
        return Builder.DecisionNode(
            feature + 1, operator=Builder.EQ, threshold=1, left=node(zero), right=node(one)
        )

    model = Builder.DecisionTree(
        n_features, node(tree), force_features_equal_to_binaries=True,
        feature_names=[f"x{i}" for i in range(n_features)],
    )  # fmt: skip
    explainer = Explaining.initialize(model)
    explainer._visualisation._do_history = False  # its notes for drawing cost more than the reasons

    def explain() -> list[Any]:
        found = []
        for row in rows:
            explainer.set_instance(row)
            reasons = explainer.sufficient_reason(n=Explaining.ALL)
            found.append(reasons if isinstance(reasons[0], tuple) else (reasons,))
        return found

    passed, found = best(explain)
    return passed, [sorted(sorted(reason) for reason in each) for each in found]
