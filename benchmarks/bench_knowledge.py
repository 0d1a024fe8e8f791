"""Facts between features: how their answers grow with facts, features and thresholds.

Peers: none that takes facts between features. Beside each time stands the one without facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.inputs import discover

from .data import one_tree
from .timing import Table, best_of, now, seconds


def run(quick: bool) -> Iterator[Table]:
    yield rows_with_facts(quick)
    yield many_trees(quick)
    yield questions(quick)
    yield forms(quick)
    yield tables(quick)


def data(n: int, pairs: int) -> Any:
    """Pairs of numbers, each with a first that is at most the second."""
    rng = np.random.default_rng(0)
    low = rng.integers(0, 50, size=(n, pairs))
    high = low + rng.integers(0, 50, size=(n, pairs))
    X = np.stack([low, high], axis=2).reshape(n, 2 * pairs).astype(float)
    y = (X[:, 1::2].sum(axis=1) + rng.normal(0, 20, n) > 50 * pairs).astype(int)
    return X, y


def tree_and_facts(pairs: int, leaves: int) -> tuple[ol.Tree, list[str], Any]:
    X, y = data(4_000, pairs)
    names = [f"{end}{k}" for k in range(pairs) for end in ("low", "high")]
    model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    tree = one_tree(model, space=ol.Space(dict.fromkeys(names, "integer")))
    return tree, [f"low{k} <= high{k}" for k in range(pairs)], X


def rows_with_facts(quick: bool) -> Table:
    """Rows with gaps: certain answers."""
    table = Table(
        "Rows with 3 of 10 values missing: growth with facts",
        ["facts", "features", "rows", "without facts", "with facts", "certain", "with facts"],
        ["A tree of 32 leaves; one order between each pair of features. Best of 3. Asserted: what "
         "is certain without facts stays as it is."],
    )  # fmt: skip
    for pairs in (2, 4) if quick else (2, 4, 8, 16):
        now(f"facts: {pairs}")
        tree, facts, X = tree_and_facts(pairs, 32)
        n = 200 if quick else 1_000
        gaps = X[:n].copy()
        gaps[np.random.default_rng(1).random(gaps.shape) < 0.3] = np.nan
        knowing = tree.with_facts(facts)
        plain, known = tree.predict(gaps), knowing.predict(gaps)
        assert (known[~plain.mask] == plain[~plain.mask]).all()
        assert not known.mask[~plain.mask].any()
        times = [best_of(lambda t=t, gaps=gaps: t.predict(gaps), 3) for t in (tree, knowing)]
        shares = [f"{(~one.mask).mean():.1%}" for one in (plain, known)]
        table.add(pairs, 2 * pairs, n, *map(seconds, times), *shares)
    return table


def many_trees(quick: bool) -> Table:
    """Rows with gaps of a forest: certain answers."""
    table = Table(
        "Forests with 4 facts, rows with 3 of 10 values missing: growth with trees",
        ["trees", "rows", "without facts", "with facts", "certain", "with facts"],
        ["Trees of 16 leaves over 8 features; one order between each pair. One call each, in "
         "which nothing is out of time. Asserted: what is certain without facts stays as it is."],
    )  # fmt: skip
    X, y = data(4_000, 4)
    space = ol.Space(dict.fromkeys((f"{end}{k}" for k in range(4) for end in ("low", "high")), int))
    for trees in (5, 20) if quick else (5, 20, 80):
        now(f"trees: {trees}")
        forest = RandomForestClassifier(trees, max_leaf_nodes=16, random_state=0).fit(X, y)
        model = ol.read(forest, space=space)
        knowing = model.with_facts([f"low{k} <= high{k}" for k in range(4)])
        n = 100 if quick else 300
        gaps = X[:n].copy()
        gaps[np.random.default_rng(1).random(gaps.shape) < 0.3] = np.nan
        plain, known = (one.status(gaps, time_limit=10.0) for one in (model, knowing))
        assert not {"undecided", "impossible"} & {*plain.tolist(), *known.tolist()}
        assert (known[plain == "certain"] == "certain").all()
        times = [
            best_of(lambda one=one, gaps=gaps: one.status(gaps, time_limit=10.0), 1)
            for one in (model, knowing)
        ]
        shares = [f"{(one == 'certain').mean():.1%}" for one in (plain, known)]
        table.add(trees, n, *map(seconds, times), *shares)
    return table


def questions(quick: bool) -> Table:
    """What to ask: smallest sets, and policies."""
    table = Table(
        "What to ask, with facts: growth with leaves",
        ["leaves", "needed, without", "with 2 facts", "policy, without", "with 2 facts",
         "cost", "with facts"],
        ["Four features, one order between each pair; `needed` of a row of which the last "
         "value is known; policies over 200 rows, each feature costs 1. One call each. Asserted: "
         "a policy with facts costs no more."],
    )  # fmt: skip
    for leaves in (4, 8) if quick else (4, 8, 16):
        now(f"questions: {leaves}")
        tree, facts, X = tree_and_facts(2, leaves)
        pair = tree, tree.with_facts(facts)
        row = {"high1": float(np.median(X[:, 3]))}
        asked = [best_of(lambda one=one, row=row: one.needed(row), 1) for one in pair]
        costs = dict.fromkeys(tree.space.names, 1)
        some = X[:200]
        found = [ol.cheapest_policy(one, some, costs).expected_cost for one in pair]
        assert found[1] <= found[0]
        times = [
            best_of(lambda one=one, some=some, costs=costs: ol.cheapest_policy(one, some, costs), 1)
            for one in pair
        ]
        table.add(leaves, *map(seconds, asked), *map(seconds, times), *(f"{c:.3g}" for c in found))
    return table


def forms(quick: bool) -> Table:
    """Rules, and comparing two trees: growth with leaves."""
    table = Table(
        "Rules and equivalence with 4 facts: growth with leaves",
        ["leaves", "rules, without", "rules, with", "fewest rules", "with facts", "equivalent"],
        ["Rules of both classes, proven minimal. `equivalent` compares with a tree of "
         "one leaf more, under facts. One call each, nothing remembered."],
    )  # fmt: skip
    for leaves in (4, 8) if quick else (4, 8, 12, 16):
        now(f"leaves: {leaves}")
        tree, facts, _ = tree_and_facts(4, leaves)
        knowing = tree.with_facts(facts)
        other = tree_and_facts(4, leaves + 1)[0].with_facts(facts)
        rules = [
            sum(len(own) for own in ol.canonicalize(one).rules.values()) for one in (tree, knowing)
        ]
        times = [
            best_of(lambda one=one: ol.canonicalize(one.replace()).rules, 1)
            for one in (tree, knowing)
        ]
        same = best_of(lambda a=knowing, b=other: ol.equivalent(a, b), 1)
        table.add(leaves, *map(seconds, times), *rules, seconds(same))
    return table


def tables(quick: bool) -> Table:
    """``discover``: growth with columns and rows."""
    table = Table(
        "discover: growth with columns and rows",
        ["columns", "rows", "time", "facts"],
        ["Pairs of whole numbers with an order. Asserted: every order that was planted is found."],
    )
    for pairs, n in ((4, 1_000),) if quick else ((4, 1_000), (16, 1_000), (16, 10_000)):
        now(f"columns: {2 * pairs}")
        X, _ = data(n, pairs)
        names = [f"{end}{k}" for k in range(pairs) for end in ("low", "high")]
        space = ol.Space(dict.fromkeys(names, "integer"))
        found = discover(X, space=space)
        texts = {one.fact.text for one in found}
        assert {f"low{k} <= high{k}" for k in range(pairs)} <= texts
        time = best_of(lambda X=X, space=space: discover(X, space=space), 1)
        table.add(2 * pairs, n, seconds(time), len(found))
    return table
