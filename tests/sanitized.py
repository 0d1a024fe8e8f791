"""Every entry of the core, on random trees, in a build that checks itself while it runs.

    make test-sanitized

An index out of range, memory that is used after it was freed, an overflow or a failed assertion of
the standard library ends the process. Answers are compared with each other, not with the oracle:
that is what the other tests do.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SEEDS = 60  # pairs of small trees, for everything
SMALLEST = 250  # trees with idle questions: a use of freed memory was found in 1 of 130
LARGER = 4


def use_core(path: Path) -> None:
    """Let ``orderless`` import this build of its core."""
    spec = importlib.util.spec_from_file_location("orderless._core", path)
    assert spec is not None
    assert spec.loader is not None
    core = importlib.util.module_from_spec(spec)
    sys.modules["orderless._core"] = core
    spec.loader.exec_module(core)


def random_rows(tree: Any, rng: random.Random, n: int, unknown: float) -> list[dict[str, Any]]:
    """Rows with values at, below and above thresholds, some of them unknown."""
    rows = []
    for _ in range(n):
        row: dict[str, Any] = {}
        for feature in tree.space.features:
            if rng.random() < unknown:
                continue
            if not feature.ordered:
                row[feature.name] = rng.choice(feature.categories)
            elif feature.kind == "boolean":
                row[feature.name] = rng.random() < 0.5
            else:
                row[feature.name] = rng.choice([-2, -1, 0, 1, 2, 3, 4])
        rows.append(row)
    return rows


def functions(ol: Any, a: Any, b: Any, rng: random.Random) -> None:
    """What trees decide: equivalence, reasons, rules, the smallest tree."""
    assert ol.equivalent(a, b)
    assert ol.counterexample(a, b) is None
    assert ol.disagreement(a, b) == 0
    assert ol.group_equivalent([a, b]) == [[0, 1]]
    ol.difference(a, ol.read({"prediction": a.classes[0]}, space=a.space))
    for exact in (True, False):
        form = ol.canonicalize(a, exact=exact)
        assert form.rules == ol.canonicalize(b, exact=exact).rules
        assert ol.CanonicalForm.from_json(form.to_json()) == form
    for minimize in ("leaves", "depth", "expected_depth"):
        small, _ = b.minimize(minimize, return_bound=True, limit=2000, time_limit=5.0)
        assert ol.equivalent(small, a)
    rows = random_rows(b, rng, 20, 0.0)
    b.minimize("expected_depth", X=rows, return_bound=True, limit=2000)
    assert set(b.redundant_splits()) <= set(np.flatnonzero(b.nodes.feature >= 0).tolist())


def held_trees(ol: Any, a: Any, b: Any, rng: random.Random) -> None:
    """Trees and numbers as the core holds, writes and reads them."""
    core = importlib.import_module("orderless._core")
    space, n_classes = a.space.held, len(a.classes)
    held, _ = core.tree.hold(space, a.nodes, n_classes)
    again = core.tree.hold_again(space, a.nodes, n_classes)
    (one,) = core.tree.hold_all(space, a.nodes, np.array([0, a.n_nodes]), n_classes)
    for other in (held, again, one):
        assert all(map(np.array_equal, other.arrays(), a.nodes))
    for name in a.nodes._fields:  # damaged: refused, or held, and never read out of range
        array = getattr(a.nodes, name).copy()
        if len(array):
            array[rng.randrange(len(array))] = rng.choice([0, 1, 2, 7, 100])
        core.tree.hold(space, a.nodes._replace(**{name: array}), n_classes)
        core.tree.hold_again(space, a.nodes._replace(**{name: array[:-1]}), n_classes)
    bits = ol.Space.independent("ab")
    columns = (
        np.array([0, 1], np.int32),
        np.zeros(2),
        np.zeros(2, np.uint8),
        np.array([0, 1], np.uint8),
        np.zeros(3, np.int64),
        np.zeros(0, np.int32),
    )
    codes = np.array([rng.randint(-3, 2) for _ in range(9)], np.int32)
    core.tree.hold_bits(bits.held, codes, np.array([3, 9]), columns, 2)
    assert core.bins.cut_tree(a.kernel.held, space) is None or a.kernel.bins.n_slots >= 0
    assert ol.group_equivalent([a, b, a])[0][-1] == 2
    table = np.array([[rng.randrange(2) for _ in range(5)] for _ in range(9)])
    for kind in "?bBhHiIqQfd":
        assert np.array_equal(core.base.zero_one(table.astype(kind)[::-1, ::2]), table[::-1, ::2])
        core.base.two_labels(table[:, 0].astype(kind)[::-2])
    assert ol.Tree.from_json(a.to_json()) == a


def rows_with_unknowns(ol: Any, a: Any, b: Any, rng: random.Random) -> None:
    """What rows with unknown values get."""
    rows = random_rows(a, rng, 80, 0.4)
    said = a.predict(rows)
    assert np.array_equal(np.ma.getmaskarray(said), np.ma.getmaskarray(b.predict(rows, n_jobs=2)))
    assert a.possible(rows) == b.possible(rows)
    a.apply(rows)
    bits = np.packbits(np.arange(60) % 3 > 0, bitorder="little")
    for kind in (np.float32, np.float64):
        to = np.empty(50, dtype=kind)
        importlib.import_module("orderless._core").rows.copy_known(
            np.ones(50, dtype=kind), bits, 10, to
        )
        assert np.array_equal(np.isnan(to), np.arange(10, 60) % 3 == 0)
    still_open = np.flatnonzero(np.ma.getmaskarray(said))
    importlib.import_module("orderless.questions").Settling(a.kernel).sets(
        importlib.import_module("orderless.inputs").rows_for(a.kernel, rows), still_open
    )
    for row in rows[:4]:
        b.needed(row)
        why = b.explain(row)
        str(why)
        list(why.all_reasons)
        list(zip(range(3), why.reasons(), strict=False))
        assert why.relevant is not None
        assert why.necessary is not None
        assert a.predictor()(row) == a.predict([row]).tolist()[0]
    assert len(b.explain_all(rows)) == len(rows)
    numbers = np.full((40, len(a.space.columns)), np.nan)
    a.predict(numbers)
    a.ask_next(rows)
    facts_of_sums(ol, a, rows)


def facts_of_sums(ol: Any, tree: Any, rows: list[dict[str, Any]]) -> None:
    """What rows get from a sum of trees where facts hold: orders between features with numbers."""
    numbers = [f"`{f.name}`" for f in tree.space.features if f.ordered and "`" not in f.name]
    if len(numbers) < 2:
        return
    many = as_ensemble(tree)
    known = many.with_facts([f"{one} <= {other}" for one, other in itertools.pairwise(numbers)])
    possible = [status != "impossible" for status in known.status(rows)]
    some = [row for row, there in zip(rows, possible, strict=True) if there][:20]
    for classes, wider in zip(known.possible(some), many.possible(some), strict=True):
        assert classes
        assert set(classes) <= set(wider)


def importance(ol: Any, a: Any, b: Any, rng: random.Random) -> None:
    """Importance over rows, and its range over all orders of the questions."""
    rows = random_rows(a, rng, 40, 0.0)
    y = [a.classes[rng.randrange(len(a.classes))] for _ in rows]
    for kind in (
        ol.impurity_importance,
        ol.permutation_importance,
        importlib.import_module("orderless.importance").conditional_model_reliance,
    ):
        kind(b, rows, y)
    with contextlib.suppress(ol.errors.TooManyBoxes):
        ol.importance_range(a, rows, y, limit=2000)


def policies(ol: Any, a: Any, b: Any, rng: random.Random) -> None:
    """Which feature to measure next."""
    rows = random_rows(b, rng, 30, 0.0)
    costs = {name: rng.randint(1, 5) for name in b.space.names}
    for method in ("naive", "path", "greedy", "optimal"):
        policy = ol.cheapest_policy(b, rows, costs, method=method)
        policy.costs(rows)
    ol.cheapest_policy(b, rows, costs, method="q-learning", random_state=0)


def sums(ol: Any, a: Any, b: Any, rng: random.Random) -> None:
    """What is said of sums of trees: here of one, which says it of itself, too."""
    ensemble = as_ensemble(b)
    rows = random_rows(b, rng, 6, 0.2)
    said = np.ma.asarray(ensemble.predict(rows))
    assert np.array_equal(np.ma.getmaskarray(said), np.ma.getmaskarray(a.predict(rows)))
    asked = np.ma.getmaskarray(ensemble.ask_next(rows))
    assert np.array_equal(asked, ~np.ma.getmaskarray(said))
    for row in rows:
        why = ensemble.explain(row, time_limit=5.0)
        if why.reason is not None:
            assert len(why.shortest.features) <= len(why.reason.features)


def larger_trees(ol: Any, seed: int) -> None:
    """Trees for which searches need room: everything that grows has to grow while it is used."""
    rng = random.Random(seed)

    def grow(depth: int, box: list[tuple[int, int]]) -> dict[str, Any]:
        wide = [i for i, (low, high) in enumerate(box) if high > low]
        if depth == 0 or not wide:
            return {"prediction": rng.randrange(3)}
        i = rng.choice(wide)
        cut = rng.randrange(*box[i])
        yes = grow(depth - 1, [*box[:i], (box[i][0], cut), *box[i + 1 :]])
        no = grow(depth - 1, [*box[:i], (cut + 1, box[i][1]), *box[i + 1 :]])
        return {"feature": f"x{i}", "relation": "<=", "reference": cut, "true": yes, "false": no}

    names = [f"x{i}" for i in range(4)]
    tree = ol.read(grow(6, [(0, 9)] * 4), space=ol.Space(dict.fromkeys(names, "integer")))
    for minimize in ("leaves", "depth", "expected_depth"):
        small, _ = tree.minimize(minimize, return_bound=True, limit=1000)
        assert ol.equivalent(small, tree)
    form, quick = ol.canonicalize(tree), ol.canonicalize(tree, exact=False)
    assert sum(map(len, form.rules.values())) <= sum(map(len, quick.rules.values()))
    form.to_json()
    tree.redundant_splits()
    rows = [{name: rng.randrange(10) for name in names} for _ in range(40)]
    ol.cheapest_policy(tree, rows, dict.fromkeys(names, 1), limit=5000)


def sets_of_trees(ol: Any, seed: int) -> None:
    """A Rashomon set: counted, listed, sampled, and what its functions agree on."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (40, 4))
    y = (X[:, 0] ^ X[:, 1] | (rng.random(40) < 0.2)).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ol.RashomonSet(max_depth=3, regularization=0.02, epsilon=0.05).fit(X, y).trees_
        assert found.n_trees >= len(found.functions()) >= 1
        estimate = found.functions().estimate(50, random_state=seed)
        assert estimate.low <= estimate.estimate <= estimate.high
        assert len(found.functions()) <= found.n_nontrivial
        table = found.functions().table()
        flat, begins = table.trees, ol.rashomon.first_columns(found, table)
        for has, column in zip(begins, flat.column[flat.offsets[:-1]].tolist(), strict=True):
            assert column < 0 or has[column]
        trees = [tree for _, tree in zip(range(20), found.trees(), strict=False)]
        found.sample(5, random_state=0)
        found.predict(X)
        ol.group_equivalent(trees)
        for loss in ("squared", "absolute"):
            rset = ol.RashomonSet(3, 0.02, 0.3, loss=loss)
            numbers = rset.fit(X, y * 3 + rng.integers(0, 9, len(y)) / 4).trees_
            assert numbers.n_trees >= len(numbers.functions()) >= 1
            assert numbers.counts()["trees"].sum() == numbers.n_trees
            middle = numbers.n_trees // 2
            assert numbers.index(numbers[middle]) == middle
            numbers.predict(np.where(rng.random(X.shape) < 0.3, np.nan, X))
        ol.RashomonImportance(n_bootstraps=2, random_state=0, max_depth=2).fit(X, y)


def as_ensemble(model: Any) -> Any:
    """The same tree as a sum of one; imported late, once the core is the one to look at."""
    from sums import as_ensemble as convert

    return convert(model)


def main(path: Path) -> None:
    """Run everything; any fault ends the process before the last line."""
    use_core(path)
    from equivalents import equivalent_pair

    import orderless as ol
    from orderless import _core

    assert Path(str(_core.__file__)) == path
    parts: list[Callable[..., None]] = [
        functions, held_trees, rows_with_unknowns, importance, policies, sums,
    ]  # fmt: skip
    for seed in range(SEEDS):
        a, b = equivalent_pair(seed, most_leaves=30)
        for part in parts:
            part(ol, a, b, random.Random(seed))
    for seed in range(SMALLEST):
        b = equivalent_pair(seed, most_leaves=300)[1]
        for minimize in ("leaves", "depth"):
            b.minimize(minimize, return_bound=True, limit=300)
    for seed in range(LARGER):
        larger_trees(ol, seed)
        sets_of_trees(ol, seed)
    sys.stdout.write(f"{SEEDS} pairs, {SMALLEST + LARGER} trees, {LARGER} sets: nothing found\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
