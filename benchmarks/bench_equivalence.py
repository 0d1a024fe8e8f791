"""Are two trees the same function: fingerprints, grouping, and one certified answer.

Peers: truth tables with numpy, BDDs (dd, OxiDD), and comparing predictions, which is not exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import orderless as ol

from .data import binarized, complete_tree, decisions, random_boolean, random_tree
from .figures import OURS, Figure, Panel
from .timing import (
    NOT_INSTALLED,
    Peer,
    Table,
    against,
    at_least,
    best_of,
    clock,
    now,
    quiet,
    ratio,
    seconds,
)

N_FEATURES = 20
TREEFARMS = {"trees": 59_768, "independent": 12_065, "aware": 11_040}  # Wisconsin, fold 0
GROUPERS = (
    ("truth table per tree, without idle columns, hashed (numpy)", "table_groups", "numpy"),
    ("BDD, one canonical node per tree (dd)", "dd_groups", "dd"),
    ("BDD, one canonical node per tree (OxiDD)", "oxidd_groups", "oxidd"),
)  # fmt: skip
DRAWN = {
    "truth tables": ("table_groups", "numpy"),
    "pairs of tables": ("pair_groups", "numpy"),
    "dd": ("dd_groups", "dd"),
    "OxiDD": ("oxidd_groups", "oxidd"),
}


def run(quick: bool) -> Iterator[Table | Figure]:
    yield fingerprints(quick)
    yield growth(quick)
    yield pairs(quick)
    yield from rashomon(quick)
    yield figure(quick)


def figure(quick: bool) -> Figure:
    """Grouping by leaves, features and trees, beside every peer until it takes 10 s."""
    out = Figure(
        "equivalence", "time to group",
        [
            "`group_equivalent`, boolean trees. By leaves: two complete trees of the same "
            "function of n columns, that ask in opposite order. By features and trees: random "
            "trees. Truth tables: one per tree, hashed (numpy); pairs: each tree beside one of "
            "every group so far. Asserted: the same groups. Best of 5, a peer is ended after 10 s."
        ],
    )  # fmt: skip
    rng = np.random.default_rng(4)
    leaves = out.panel("leaves", "Two equal trees, opposite order")
    cases = []
    for n in (4, 6) if quick else (3, 4, 6, 8, 10, 12):
        space, values = _bits(n), rng.integers(0, 2, 2**n)
        orders = list(range(n)), list(reversed(range(n)))
        cases.append((2**n, [complete_tree(values, order, space) for order in orders]))
    _measured(leaves, cases)
    features = out.panel("features", "100 random trees of 32 leaves")
    _measured(features, [
        (n, [random_boolean(rng, _bits(n), 32) for _ in range(100)])
        for n in ((6, 8) if quick else (6, 8, 12, 16, 32, 64, 128))
    ])  # fmt: skip
    trees = out.panel("trees", "Random trees of 8 leaves, 10 columns")
    some = [random_boolean(rng, _bits(10), 8) for _ in range(200 if quick else 5000)]
    _measured(trees, [
        (n, (some * (n // len(some) + 1))[:n])
        for n in ((10, 100) if quick else (10, 100, 1000, 10_000, 100_000))
    ])  # fmt: skip
    return out


def _bits(n: int) -> ol.Space:
    return ol.Space.independent([f"x{i}" for i in range(n)])


def _measured(panel: Panel, cases: list[tuple[int, list[ol.Tree]]]) -> None:
    peers = {title: Peer(*peer) for title, peer in DRAWN.items()}
    try:
        for x, trees in cases:
            now(f"growth with {panel.x}: {x:,}")
            nested = [decisions(tree) for tree in trees]
            expected = ol.group_equivalent(trees)
            panel.add(OURS, x, best_of(lambda trees=trees: ol.group_equivalent(trees), 5))
            for title, peer in peers.items():
                if title in panel.stopped:
                    continue
                got = peer(nested, limit=10)
                panel.add(title, x, got)
                assert not isinstance(got, tuple) or sorted(got[1]) == sorted(expected), title
    finally:
        for peer in peers.values():
            peer.stop()


def fingerprints(quick: bool) -> Table:
    """Leaves per second, from trees in memory."""
    rng = np.random.default_rng(0)
    space = ol.Space.numeric([f"x{i}" for i in range(N_FEATURES)])
    table = Table(
        "Fingerprints of random trees over 20 numeric features",
        ["trees", "leaves each", "one by one", "leaves/s", "in one call", "leaves/s ", "target"],
        [
            "One by one: `tree.fingerprint`. In one call: `group_equivalent(trees)`, which also "
            "groups; the target is judged on it. Best of 5. Asserted: all fingerprints differ."
        ],
    )
    for n_leaves, n_trees in ((8, 5000), (64, 1000), (1000, 60), (10_000, 6)):
        n_trees = max(2, n_trees // 10) if quick else n_trees
        trees = [random_tree(rng, space, n_leaves) for _ in range(n_trees)]
        assert len({tree.fingerprint for tree in trees}) == n_trees
        assert ol.group_equivalent(trees) == [[i] for i in range(n_trees)]
        single = best_of(lambda trees=trees: [tree.fingerprint for tree in trees], 5)
        together = best_of(lambda trees=trees: ol.group_equivalent(trees), 5)
        leaves = n_leaves * n_trees
        speed = leaves / together
        met = "met" if speed >= 1e6 else "**missed**"
        table.add(n_trees, n_leaves, seconds(single), f"{leaves / single:,.0f}", seconds(together),
                  f"{speed:,.0f}", f">= 1,000,000: {met}")  # fmt: skip
    return table


def growth(quick: bool) -> Table:
    """Time per tree, from a thousand trees to a million."""
    rng = np.random.default_rng(1)
    space = ol.Space.numeric([f"x{i}" for i in range(N_FEATURES)])
    distinct = [random_tree(rng, space, 8) for _ in range(1000 if quick else 20_000)]
    table = Table(
        "Grouping n random trees of 8 leaves: growth with n",
        ["trees", "time", "per tree", "to n / 10"],
        [
            f"{len(distinct):,} different `Tree` objects; beyond that the list repeats them, and "
            "every entry is fingerprinted. Best of 3. Asserted: every group is the repeats of one "
            "tree."
        ],
    )
    before = 0.0
    for n in (10**3, 10**4) if quick else (10**3, 10**4, 10**5, 10**6):
        trees = (distinct * (n // len(distinct) + 1))[:n]
        groups = ol.group_equivalent(trees)
        assert len(groups) == min(n, len(distinct))
        assert all(i % len(distinct) == group[0] for group in groups for i in group)
        passed = best_of(lambda trees=trees: ol.group_equivalent(trees), 3, budget=12)
        table.add(n, seconds(passed), seconds(passed / n), ratio(passed, before) if before else "")
        before = passed
    return table


@cache
def treefarms_model() -> Any:
    """All near-optimal trees of Wisconsin, fold 0, as in the paper; and the seconds it took."""
    import treefarms

    _, columns, y = binarized("wisconsin")
    options = {
        "regularization": 0.01,
        "rashomon_bound_adder": 0.02,
        "rashomon_bound_multiplier": 0,
        "depth_budget": 4,
        "rashomon_ignore_trivial_extensions": False,
    }
    start = clock()
    with quiet():
        model = treefarms.TREEFARMS(options).fit(columns, y.rename("class"))
    return model, clock() - start


def _not_trivial(tree: ol.Tree) -> bool:
    """Whether no last split has two equal leaves."""
    inner = tree.nodes.feature >= 0
    yes, no = tree.nodes.when_true[inner], tree.nodes.when_false[inner]
    leaves = (tree.nodes.feature[yes] < 0) & (tree.nodes.feature[no] < 0)
    return not (leaves & (tree.nodes.leaf_class[yes] == tree.nodes.leaf_class[no])).any()


def rashomon(quick: bool) -> Iterator[Table]:
    """The near-optimal trees of Wisconsin, read and grouped, beside peers on a sample."""
    table = Table(
        "The 59,768 trees of Wisconsin, fold 0 (TreeFARMS, with trivial extensions, 24 columns)",
        ["step", "time", "per tree", "target"],
    )
    try:
        model, passed = treefarms_model()
    except ImportError:
        table.add("TreeFARMS", NOT_INSTALLED, "", "")
        yield table
        return
    table.add("TreeFARMS' own search (not ours)", seconds(passed), "", "")
    binarizer, columns, _ = binarized("wisconsin")
    space = ol.Space.independent(columns.columns)
    counts = {}
    spaces = {"independent": space} if quick else {"independent": space, "aware": binarizer.space_}
    for name, over in spaces.items():
        read = float("inf")
        for _ in range(1 if quick else 2):
            start = clock()
            trees = ol.read_many(model, space=over)
            read = min(read, clock() - start)
        assert len(trees) == TREEFARMS["trees"]
        known = ol.group_equivalent(filter(_not_trivial, trees))
        assert len(known) == TREEFARMS[name], (name, len(known))
        group = best_of(lambda trees=trees: ol.group_equivalent(trees), 2 if quick else 5)
        counts[name] = len(ol.group_equivalent(trees))
        table.add(f"reading, {name}", seconds(read), seconds(read / len(trees)),
                  against(8e-6 * len(trees), read))  # fmt: skip
        table.add(f"grouping, {name}", seconds(group), seconds(group / len(trees)),
                  against(1.0, group))  # fmt: skip
        if name == "independent":
            all_trees = trees
    table.notes = [
        f"Best of {2 if quick else 5}; reading best of {1 if quick else 2}. Distinct functions: "
        + ", ".join(f"{count:,} ({name})" for name, count in counts.items())
        + ". Asserted: the trees without trivial extensions are as many functions as known for the "
        "paper's protocol (12,065 independent, 11,040 aware)."
    ]
    yield table
    yield groupers(all_trees, quick)


def groupers(trees: list[ol.Tree], quick: bool) -> Table:
    n = 500 if quick else 5000
    sample = [trees[i] for i in np.random.default_rng(2).permutation(len(trees))[:n]]
    nested = [decisions(tree) for tree in sample]
    expected = ol.group_equivalent(sample)
    ours = best_of(lambda: ol.group_equivalent(sample), 7)
    limit = 10 if quick else 30
    table = Table(
        f"Grouping a sample of {n:,} of these trees: peers",
        ["method", "time", "per tree", "ratio", "ahead"],
        [
            "Best of 7, peers best of up to 5. Asserted: the same groups. Peers get the trees as "
            "nested tuples, made before the clock starts; we get our `Tree`s. The last row "
            "compares neighbours in the sample only, and says what all pairs would take."
        ],
    )
    table.add("orderless `group_equivalent`", seconds(ours), seconds(ours / n), "1x", "")
    for title, function, packages in GROUPERS:
        with Peer(function, packages) as peer:
            got = peer(nested, limit=limit)
        passed = got
        if isinstance(got, tuple):
            passed, groups = got
            assert sorted(groups) == sorted(expected), title
        each = seconds(passed / n) if isinstance(passed, float) else ""
        table.add(title, seconds(passed), each, ratio(passed, ours), at_least(1, passed, ours))
    few = nested[: 101 if quick else 501]
    with Peer("table_pairs", "numpy") as peer:
        got = peer(few, limit=limit)
    assert isinstance(got, tuple), got
    passed, same = got
    of = {i: k for k, group in enumerate(expected) for i in group}
    assert same == [of[i] == of[i + 1] for i in range(len(few) - 1)]
    every = passed / len(same) * n * (n - 1) / 2
    table.add("pairwise truth tables (numpy), estimated for all pairs", seconds(every),
              seconds(every / n), ratio(every, ours), "")  # fmt: skip
    return table


def pairs(quick: bool) -> Table:
    """One answer, certified: two trees of about a thousand leaves."""
    table = Table(
        "`equivalent` of two trees of 1,000 leaves",
        ["trees", "same?", "time", "target", "peer", "time ", "ratio"],
        [
            "Best of 7. Comparing predictions on random rows is what people do. It is not exact: "
            "it can show that trees differ, never that they are the same."
        ],
    )
    rng = np.random.default_rng(3)
    space = ol.Space.independent([f"x{i}" for i in range(10)])
    values = rng.integers(0, 2, 1024)
    a = complete_tree(values, list(range(10)), space)
    b = complete_tree(values, list(reversed(range(10))), space)
    cells = np.array([[i >> f & 1 for f in range(10)] for i in range(1024)], dtype=float)
    assert ol.equivalent(a, b)
    assert not ol.equivalent(
        a, complete_tree(values ^ (np.arange(1024) == 700), list(range(10)), space)
    )
    ours = best_of(lambda: ol.equivalent(a, b))
    with Peer("dd_groups", "dd") as peer:
        got = peer([decisions(a), decisions(b)], limit=20)
    passed = got
    if isinstance(got, tuple):
        passed, groups = got
        assert groups == [[0, 1]]
    title, met = "1,024 leaves over 10 booleans, other order", against(0.01, ours)
    table.add(title, "yes", seconds(ours), met, "BDDs of both (dd), exact", seconds(passed),
              ratio(passed, ours))  # fmt: skip
    grid = best_of(lambda: (a.predict(cells) == b.predict(cells)).all())
    assert (a.predict(cells) == b.predict(cells)).all()
    table.add(title, "yes", seconds(ours), met, "our `predict` on all 1,024 rows, exact",
              seconds(grid), ratio(grid, ours))  # fmt: skip
    _fitted_pairs(table, rng, quick)
    return table


def _fitted_pairs(table: Table, rng: np.random.Generator, quick: bool) -> None:
    """A tree that scikit-learn fitted, against itself in another order and with a leaf changed."""
    from sklearn.tree import DecisionTreeClassifier

    X = rng.normal(size=(20_000, N_FEATURES))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) > 0).astype(int)
    model = DecisionTreeClassifier(max_leaf_nodes=1000, random_state=0).fit(X, y)
    c = ol.read(model)
    first = int(np.argmax(c.feature == 5))  # ask this condition before all others
    d = _asked_first(c, first)
    e = _one_leaf_flipped(c)
    rows = rng.normal(size=(10_000 if quick else 100_000, N_FEATURES))
    theirs = best_of(lambda: (model.predict(rows) == model.predict(rows)).all(), 3)
    for other, same in ((d, True), (e, False)):
        assert ol.equivalent(c, other) is same
        agree = bool((c.predict(rows) == other.predict(rows)).all())
        ours = best_of(lambda other=other: ol.equivalent(c, other))
        table.add(
            f"scikit-learn, {c.n_leaves:,} and {other.n_leaves:,} leaves"
            + (", other order" if same else ", one tiny leaf differs"),
            "yes" if same else "no",
            seconds(ours),
            against(0.01, ours),
            f"scikit-learn `predict` twice on {len(rows):,} random rows, not exact: "
            + ("no difference seen" if agree else "difference seen"),
            seconds(theirs),
            ratio(theirs, ours),
        )


def _arrays(tree: ol.Tree) -> dict[str, np.ndarray]:
    names = ("feature", "threshold", "when_true", "when_false", "leaf_class")
    return {name: getattr(tree, name).copy() for name in names}


def _asked_first(tree: ol.Tree, node: int) -> ol.Tree:
    """The same function, asking a condition of the tree first; both sides are then pruned."""
    one = _arrays(tree)
    n = tree.n_nodes
    both = {name: np.concatenate([array[:1], array, array]) for name, array in one.items()}
    inner = both["feature"] >= 0
    for name in ("when_true", "when_false"):
        both[name][1 : n + 1] += 1
        both[name][n + 1 :] += n + 1
        both[name][~inner] = -1
    both["feature"][0], both["threshold"][0] = tree.nodes.feature[node], tree.nodes.threshold[node]
    both["when_true"][0], both["when_false"][0], both["leaf_class"][0] = 1, n + 1, -1
    return ol.Tree(tree.space, tree.classes, **both)


def _one_leaf_flipped(tree: ol.Tree) -> ol.Tree:
    """Another function: the leaf with the fewest training rows has the other class."""
    arrays = _arrays(tree)
    assert tree.distribution is not None
    size = np.where(tree.nodes.feature < 0, tree.distribution.sum(axis=1), np.inf)
    leaf = int(np.argmin(size))
    arrays["leaf_class"][leaf] = 1 - arrays["leaf_class"][leaf]
    return ol.Tree(tree.space, tree.classes, **arrays)
