"""What the peers do, each called in a process of its own (``timing.Peer``).

In:  boolean functions as nested (feature, when 0, when 1) with classes 0 and 1 at the leaves;
     None: only import what is needed.
Out: (seconds, answer). Conversion into the peer's own objects is not in the seconds.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .timing import best_of, clock

Decision = Any


def _best(work: Any, n: int = 5, before: Any = None) -> tuple[float, Any]:
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
    passed, simple = _best(
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
    passed, (simple,) = _best(lambda: espresso_exprs(expression))
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

    return _best(count)


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

    return _best(count)


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
    return _best(lambda: _grouped(build, trees))


def oxidd_groups(trees: list[Decision]) -> Any:
    """As ``dd_groups``, on OxiDD's BDDs."""
    if trees is None:
        import oxidd.bdd  # noqa: F401

        return None
    features = set().union(*map(_features, trees))
    _, build, _ = _oxidd_builder(features)
    return _best(lambda: _grouped(build, trees))


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
    return _best(lambda: _grouped(_table, trees))


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
    return _best(lambda: [_same_table(a, b) for a, b in pairwise(trees)])


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

    return _best(group)


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

    passed, found = _best(explain)
    return passed, [sorted(sorted(reason) for reason in each) for each in found]


# -- Rashomon sets: 0/1 columns as a data frame, labels 0/1; (seconds, (trees, peak bytes)) --------


def _measured(work: Any, warm: Any) -> tuple[float, tuple[int, int]]:
    """Memory of the first call: what the process held at most above what it held before."""
    from pathlib import Path

    def held(key: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))

    warm()  # what a first call loads is not counted
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = held("VmRSS")
    start = clock()
    trees = work()
    passed = clock() - start
    peak = max(0, held("VmHWM") - before)
    if passed < 0.5:  # else once is enough
        passed, _ = _best(work, 25)
    return passed, (trees, peak)


def _few() -> Any:
    """A small table, so that a first call loads what it needs."""
    import pandas as pd

    rows = [[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(40)]
    columns = pd.DataFrame(rows, columns=["c0", "c1", "c2"])
    return columns, (columns["c0"] & columns["c1"]).rename("y")


def treefarms_set(
    columns: Any, y: Any = None, depth: int = 3, epsilon: float = 0.02, leaf: float = 0.01
) -> Any:
    """TreeFARMS' own fit: every tree within epsilon, trivial ones too."""
    from treefarms import TREEFARMS

    if columns is None:
        return None
    plain = columns.set_axis([f"c{j}" for j in range(columns.shape[1])], axis=1)
    settings = {
        "regularization": leaf, "rashomon_bound_adder": epsilon, "rashomon_bound_multiplier": 0,
        "depth_budget": depth + 1, "rashomon_ignore_trivial_extensions": False,
    }  # fmt: skip
    return _measured(
        lambda: int(TREEFARMS(settings).fit(plain, y).model_set.model_count),
        lambda: TREEFARMS(settings).fit(*_few()),
    )


def praxis_set(columns: Any, y: Any = None, leaf: int = 0, bound: int = 0, depth: int = 3) -> Any:
    """PRAXIS: an approximation. A leaf costs whole rows, and so does the worst tree allowed."""
    from praxis import PRAXIS

    if columns is None:
        return None
    table, labels = columns.to_numpy(), y.to_numpy()

    def work() -> int:
        model = PRAXIS()
        model.fit(table, labels, lambda_reg=leaf / len(labels), depth_budget=depth,
                  root_budget=bound, majority_leaf_only=True)  # fmt: skip
        return int(model.count_trees())

    return _measured(work, lambda: PRAXIS().fit(*(part.to_numpy() for part in _few())))


def arborenum_set(
    columns: Any, y: Any = None, leaf: int = 0, bound: int = 0, depth: int = 3
) -> Any:
    """ArborEnum, made exact by looking ahead to the last level but one; costs as for PRAXIS."""
    from arborenum import ArborEnum

    if columns is None:
        return None
    return _arborenum(ArborEnum.fit_binarized, columns, y, leaf, bound, depth, {})


def arborenum_features(X: Any, y: Any = None, leaf: int = 0, bound: int = 0, depth: int = 3) -> Any:
    """ArborEnum on the features themselves, every cut point; exact, and costs, as above."""
    from arborenum import ArborEnum

    if X is None:
        return None
    return _arborenum(ArborEnum.fit, X, y, leaf, bound, depth, {"proxy_mode": "continuous"})


def _arborenum(
    fit: Any, X: Any, y: Any, leaf: int, bound: int, depth: int, options: dict[str, Any]
) -> tuple[float, tuple[int, int]]:
    from arborenum import ArborEnum

    table, labels = X.to_numpy(), y.to_numpy()

    def work() -> int:
        model = ArborEnum()
        fit(
            model, table, labels, lambda_reg=leaf / len(labels), depth_budget=depth,
            root_budget=bound, lookahead_k=max(1, depth - 1), majority_leaf_only=True, **options,
        )  # fmt: skip
        return int(model.count_trees())

    few = [part.to_numpy() for part in _few()]
    return _measured(work, lambda: ArborEnum().fit_binarized(*few).count_trees())


def orderless_set(
    columns: Any, y: Any = None, depth: int = 3, epsilon: float = 0.02, leaf: Any = 0.01
) -> Any:
    """Ours, in a process of its own, too."""
    from orderless import RashomonSet

    if columns is None:
        return None
    passed, (trees, peak) = _measured(
        lambda: RashomonSet(depth, leaf, epsilon).fit(columns, y).n_trees,
        lambda: RashomonSet().fit(*_few()).n_trees,
    )
    # What fits into memory that the process has already shows in no peak: the core's own count.
    found = RashomonSet(depth, leaf, epsilon).fit(columns, y)
    held = found._source.graph.bytes + found._counts.core.bytes
    return passed, (trees, max(peak, held))


def streed_numbers(columns: Any, y: Any = None, depth: int = 3, leaf: float = 0.01) -> Any:
    """STreeD's own fit: one tree of numbers with the smallest objective, ours in its words."""
    import warnings

    from pystreed import STreeDRegressor

    if columns is None:
        return None
    table, numbers = columns.to_numpy(), y.to_numpy().astype(float)
    model = STreeDRegressor(max_depth=depth, cost_complexity=leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = clock()
        model.fit(table, numbers)
        passed = clock() - start
        apart = float(((numbers - model.predict(table)) ** 2).sum())
    whole = float(((numbers - numbers.mean()) ** 2).sum())
    return passed, apart / whole + leaf * int(model.get_n_leaves())


def streed_classes(columns: Any, y: Any = None, depth: int = 3, leaf: float = 0.01) -> Any:
    """STreeD's own fit: one tree of classes with the smallest objective, ours in its words."""
    from pystreed import STreeDClassifier

    if columns is None:
        return None
    table, labels = columns.to_numpy(), y.to_numpy()
    model = STreeDClassifier("cost-complex-accuracy", max_depth=depth, cost_complexity=leaf)
    start = clock()
    model.fit(table, labels)
    passed = clock() - start
    wrong = int((model.predict(table) != labels).sum())
    # It charges for splits, we for leaves, of which there is one more.
    return passed, wrong / len(labels) + leaf * int(model.get_n_leaves())


def treefarms_rid(
    bits: Any, y: Any = None, group: Any = None, regularization: float = 0, epsilon: float = 0
) -> Any:
    """TreeFARMS' set without trivial extensions, and every tree's permutation importances.

    Gives the seconds of the search, and (trees, seconds of the importances, mean by feature).
    """
    import numpy as np
    import pandas as pd
    from treefarms import TREEFARMS

    if bits is None:
        return None
    table = pd.DataFrame(bits, columns=[f"c{j}" for j in range(bits.shape[1])])
    options = {
        "regularization": regularization,
        "rashomon_bound_adder": epsilon,
        "rashomon_bound_multiplier": 0,
        "depth_budget": 4,
        "rashomon_ignore_trivial_extensions": True,
    }
    start = clock()
    model = TREEFARMS(options).fit(table, pd.Series(y, name="class"))
    searching = clock() - start

    def decide(node: Any, cells: Any) -> Any:
        if "prediction" in node:
            return np.full(len(cells), int(node["prediction"]))
        out = np.empty(len(cells), dtype=int)
        one = cells[:, int(node["feature"])] == 1
        out[one], out[~one] = decide(node["true"], cells[one]), decide(node["false"], cells[~one])
        return out

    def asked(node: Any) -> set[int]:
        if "prediction" in node:
            return set()
        return {int(node["feature"])} | asked(node["true"]) | asked(node["false"])

    start = clock()
    random = np.random.default_rng(0)
    n_trees = model.model_set.model_count
    means = np.zeros(int(group.max()) + 1)
    for i in range(n_trees):
        source = model.model_set[i].source
        right = (decide(source, bits) == y).mean()
        for feature in {int(group[column]) for column in asked(source)}:
            own = np.flatnonzero(group == feature)
            for _ in range(5):
                permuted = bits.copy()
                permuted[:, own] = bits[np.ix_(random.permutation(len(bits)), own)]
                means[feature] += (right - (decide(source, permuted) == y).mean()) / 5 / n_trees
    return searching, (n_trees, clock() - start, means.tolist())


def veritas_extremes(model: Any, rows: Any = None, limit: float = 1.0) -> Any:
    """The largest score of a booster over rows with unknown values, each in at most ``limit``
    seconds: the score, or None where it is not proven.
    """
    import numpy as np
    import veritas

    if model is None:
        return None
    trees = veritas.get_addtree(model, silent=True)
    most: list[float | None] = []
    passed = 0.0
    for row in rows:
        box = [
            veritas.Interval()
            if np.isnan(value)
            else veritas.Interval(float(value), float(np.nextafter(value, np.float32(np.inf))))
            for value in row
        ]
        search = veritas.Config(veritas.HeuristicType.MAX_OUTPUT).get_search(trees, box)
        start = clock()
        search.step_for(limit, 100)
        passed += clock() - start
        done = search.is_optimal()
        most.append(float(search.get_solution(0).output) if done else None)
    return passed, most


def _children() -> float:
    """Processor seconds of programs that were started, and have ended."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pyxai_many(kind: str | None, trees: Any = (), n_features: int = 0, rows: Any = ()) -> Any:
    """One reason of each row by PyXAI: "sufficient" or "majoritary" of a majority vote,
    "tree-specific" of a sum with two classes, which is above 0 or not.

    Trees are nested (feature, threshold, otherwise, above); a value above the threshold, for sums
    one that is not below it, goes the last way. Gives conditions (feature, threshold, above).
    """
    import sys

    sys.argv = sys.argv[:1]  # PyXAI reads the command line when it is imported
    from pyxai import Builder, Explaining

    if kind is None:
        return None
    summed = kind == "tree-specific"
    how = Builder.GE if summed else Builder.GT

    def node(below: Any) -> Any:
        if not isinstance(below, tuple):
            return below
        feature, threshold, low, high = below
        return Builder.DecisionNode(
            feature + 1, operator=how, threshold=threshold, left=node(low), right=node(high)
        )

    names = [f"x{i}" for i in range(n_features)]
    roots = [node(tree) if isinstance(tree, tuple) else Builder.LeafNode(tree) for tree in trees]
    made = [Builder.DecisionTree(n_features, root, feature_names=names) for root in roots]
    if summed:
        model = Builder.BoostedTrees(made, n_classes=2, feature_names=names)
    else:
        model = Builder.RandomForest(made, n_classes=2, feature_names=names)
    # Without its theory it takes x > 1 and x > 2 for independent of each other.
    explainer = Explaining.initialize(model, features_type={"numerical": names})
    explainer._visualisation._do_history = False
    ask = {
        "sufficient": lambda: explainer.sufficient_reason(time_limit=5),
        "majoritary": lambda: explainer.majoritary_reason(n=1, seed=1),
        "tree-specific": lambda: explainer.tree_specific_reason(seed=1),
    }[kind]
    passed = 0.0
    found: list[Any] = []
    for row in rows:
        explainer.set_instance(row)
        start, outside = clock(), _children()
        reason = ask()
        passed += clock() - start + _children() - outside  # its solver is a program of its own
        if reason is None:
            found.append(None)
            continue
        conditions = []
        for literal in reason:
            feature, _, threshold = model.map_id_binaries_to_features[abs(literal)]
            conditions.append((feature - 1, float(threshold), literal > 0))
        found.append((int(explainer.target_prediction), conditions))
    return passed, found
