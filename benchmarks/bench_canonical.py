"""Reasons and rules of trees on the paper's data sets, growth, and peers.

Peers: sympy's simplifier (the paper's), espresso (pyeda), prime implicants over BDDs (dd, OxiDD;
the recursion is ours, they have none), and PyXAI's sufficient reasons of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import orderless as ol
from orderless.errors import OutOfTime, TooManyReasons

from .data import at_hand, binarized, decisions, fitted, missing_note
from .timing import Failed, Peer, Table, Unfinished, against, best_of, ratio, seconds

KINDS = {
    "raw": "raw features",
    "aware": "binarized by threshold guessing (fold 0), columns understood as conditions",
    "independent": "binarized by threshold guessing (fold 0), columns independent",
}
QUICK = ("compas", "wine_quality", "spiral")
TITLES = {
    "sympy_dnf": "sympy",
    "espresso": "espresso",
    "dd_reasons": "dd",
    "oxidd_reasons": "OxiDD",
}
PACKAGES = {
    "sympy_dnf": "sympy",
    "espresso": "pyeda",
    "dd_reasons": "dd",
    "oxidd_reasons": "oxidd",
}
Measured = dict[str, Any]


def run(quick: bool) -> Iterator[Table]:
    names = [name for name in at_hand() if name in QUICK] if quick else at_hand()
    for kind in KINDS:
        yield on_data(kind, names)
    yield big(quick)
    yield over_depth(quick)
    yield minimizers(names, 3, quick)
    yield over_depth_peers(quick)
    yield over_features(quick)
    if not quick:  # PyXAI alone takes as long to import as all the rest
        yield rows(names)


def measure(tree: ol.Tree, n: int = 5) -> Measured:
    """Sizes, and seconds of all reasons, and of reasons and rules, each from the tree."""
    form = ol.canonicalize(tree)
    return {
        "reasons": sum(len(terms) for terms in form.reasons.values()),
        "rules": sum(len(terms) for terms in form.rules.values()),
        "reasons_s": best_of(lambda: ol.canonicalize(tree).reasons, n),
        "both_s": best_of(lambda: _both(tree), n),
    }


def _both(tree: ol.Tree) -> None:
    form = ol.canonicalize(tree)
    _ = form.reasons, form.rules


def on_data(kind: str, names: Any) -> Table:
    table = Table(
        f"Trees of depth 3 and 5, {KINDS[kind]}",
        ["data set", "d3 leaves", "reasons", "time", "rules", "with rules", "d5 leaves", "reasons ",
         "time ", "rules ", "with rules ", "targets"],
        [
            "Best of 5, from the `Tree`: all reasons of all classes; then reasons and proven "
            "minimal rules. Targets: depth 3 both < 5 ms; depth 5 reasons < 10 ms, both < 0.5 s "
            "(COMPAS and Wine < 50 ms).",
            *missing_note(),
        ],
    )  # fmt: skip
    for name in names:
        cells: list[Any] = [name]
        missed = []
        for depth in (3, 5):
            tree = fitted(name, depth, kind)
            got = measure(tree)
            cells += [tree.n_leaves, got["reasons"], seconds(got["reasons_s"]), got["rules"],
                      seconds(got["both_s"])]  # fmt: skip
            small = name in ("compas", "wine_quality")
            most = 0.005 if depth == 3 else 0.05 if small else 0.5
            if got["both_s"] > most:
                missed.append(f"depth {depth} with rules")
            if depth == 5 and got["reasons_s"] > 0.01:
                missed.append("depth 5 reasons")
        table.add(*cells, f"**missed**: {', '.join(missed)}" if missed else "met")
    return table


def big(quick: bool) -> Table:
    """The trees with many reasons."""
    table = Table(
        "Many reasons, raw features",
        ["data set", "depth", "leaves", "features", "reasons", "time", "per reason", "target"],
        ["Best of 3. All reasons of all classes as `Term`s; \"core\": without making `Term`s."],
    )  # fmt: skip
    for name, depth, target in (("wine_quality", 7, 0.2), ("coupon", 6, 0.5), ("broward", 7, 3.0)):
        if name not in at_hand() or (quick and name != "wine_quality"):
            continue
        tree = fitted(name, depth, "raw")
        count = sum(map(len, ol.canonicalize(tree)._reason_tables))
        for what, work in (
            ("", lambda tree=tree: ol.canonicalize(tree).reasons),
            (" (core)", lambda tree=tree: ol.canonicalize(tree)._reason_tables),
        ):
            passed = best_of(work, 3, budget=6)
            table.add(name + what, depth, tree.n_leaves, len(tree.used), count, seconds(passed),
                      seconds(passed / count), against(target, passed))  # fmt: skip
    return table


def over_depth(quick: bool) -> Table:
    limit = 5 if quick else 15
    depths = range(3, 7 if quick else 9)
    table = Table(
        "Growth with depth, raw features: reasons, and time per reason",
        ["data set", *(f"depth {d}" for d in depths)],
        [
            "Best of 3, in the core. Stopped at a million reasons of a class, or after "
            f"{limit} s on the wall."
        ],
    )
    for name in ("compas", "wine_quality", "fico", "coupon", "broward", "wisconsin"):
        if name not in at_hand() or (quick and name not in QUICK):
            continue
        cells: list[str] = [name]
        for depth in depths:
            if len(cells) > 1 and not cells[-1][:1].isdigit():
                cells.append("")
                continue
            tree = fitted(name, depth, "raw")
            try:
                count = sum(map(len, ol.canonicalize(tree, time_limit=limit)._reason_tables))
            except TooManyReasons:
                cells.append("more than 1,000,000")
                continue
            except OutOfTime:
                cells.append(f"did not finish in {limit} s")
                continue
            passed = best_of(lambda tree=tree: ol.canonicalize(tree)._reason_tables, 3, budget=1)
            cells.append(f"{count:,}: {seconds(passed / count)}")
        table.add(*cells)
    return table


def holds(terms: list[dict[int, int]], table: np.ndarray, axis: dict[int, int]) -> bool:
    """Whether terms say exactly where a truth table is 1."""
    said = np.zeros(table.shape, dtype=bool)
    for term in terms:
        at: list[Any] = [slice(None)] * table.ndim
        for feature, value in term.items():
            at[axis[feature]] = value
        said[tuple(at)] = True
    return bool((said == (table == 1)).all())


def truth(tree: ol.Tree) -> tuple[np.ndarray, dict[int, int]]:
    """The truth table of a boolean tree, one axis per feature it asks about."""
    axis = {f: i for i, f in enumerate(tree.used)}
    cells = np.indices((2,) * len(axis)).reshape(len(axis), -1).T
    X = np.zeros((len(cells), len(tree.space)))
    X[:, list(axis)] = cells
    codes = np.asarray(tree.predict(X)).astype(int)
    return codes.reshape((2,) * len(axis)), axis


def compare(tree: ol.Tree, peers: dict[str, Peer], limit: float, stopped: set[str]) -> Measured:
    """Our reasons, our rules of class 1, and what each peer does; answers asserted equal."""
    form = ol.canonicalize(tree)
    counts = [len(form.reasons[c]) for c in form.classes]
    rules = len(form.rules[1])
    table, axis = truth(tree)
    both = best_of(lambda: _rules_of_one(tree), 5, budget=1)
    alone = best_of(lambda: ol.canonicalize(tree).reasons, 5, budget=1)
    out: Measured = {"rules": rules, "reasons": sum(counts), "ours": both, "ours_reasons": alone}
    for name, peer in peers.items():
        if name in stopped:
            out[name] = ""
            continue
        got = peer(decisions(tree), limit=limit)
        out[name] = got
        if isinstance(got, Unfinished):
            stopped.add(name)
        if isinstance(got, Failed | Unfinished):
            continue
        out[name], answer = got
        if name in ("sympy_dnf", "espresso"):
            assert holds(answer, table, axis), (name, "says another function")
            assert len(answer) >= rules, (name, len(answer), rules)
            out[f"{name} terms"] = len(answer)
        else:
            assert answer == counts, (name, answer, counts)
    return out


def _rules_of_one(tree: ol.Tree) -> None:
    """What a minimizer of one function does: reasons, and the smallest cover of class 1."""
    ol.canonicalize(tree)._smallest(1)


def _peers() -> dict[str, Peer]:
    return {name: Peer(name, package) for name, package in PACKAGES.items()}


def _cells(got: Measured, *, terms: bool = False) -> list[str]:
    """Ours and the peers', as times with ratios: rules beside rules, reasons beside reasons."""
    cells = [seconds(got["ours"])]
    for name in ("sympy_dnf", "espresso"):
        if terms:
            cells.append(str(got.get(f"{name} terms", "")))
        cells.append(_with_ratio(got[name], got["ours"]))
    cells.append(seconds(got["ours_reasons"]))
    cells += [
        _with_ratio(got[name], got["ours_reasons"]) for name in ("dd_reasons", "oxidd_reasons")
    ]
    return cells


def _with_ratio(theirs: Any, ours: float) -> str:
    share = ratio(theirs, ours)
    return f"{seconds(theirs)} ({share})" if share else seconds(theirs)


NOTE = (
    "Best of 5. In brackets the ratio to ours: below 1x the peer is quicker. Rules: of class 1, "
    "ours proven minimal, from the tree. Reasons: of both classes; dd and OxiDD have BDDs but no "
    "prime implicants, so the classical recursion (Coudert and Madre) was written on top, in "
    "Python. Asserted: sympy's and espresso's formulas are the same function with no fewer terms "
    "than ours; the BDDs' prime implicants are as many as our reasons. Building the peers' own "
    "expressions, and their start, is not counted."
)


def minimizers(names: Any, depth: int, quick: bool) -> Table:
    table = Table(
        f"Peers: depth {depth}, binarized, columns independent",
        ["data set", "columns", "rules", "ours", "sympy's", "sympy", "espresso's", "espresso",
         "reasons", "ours ", "dd", "OxiDD"],
        [NOTE],
    )  # fmt: skip
    peers = _peers()
    equal = True
    try:
        for name in names:
            tree = fitted(name, depth, "independent")
            got = compare(tree, peers, 5 if quick else 10, set())
            equal = equal and got.get("sympy_dnf terms", got["rules"]) == got["rules"]
            cells = _cells(got, terms=True)
            table.add(name, len(tree.used), got["rules"], *cells[:5], got["reasons"], *cells[5:])
    finally:
        for peer in peers.values():
            peer.stop()
    assert equal, "sympy has more terms at depth 3"
    return table


def over_depth_peers(quick: bool) -> Table:
    name = "wine_quality" if "wine_quality" in at_hand() else "wisconsin"
    table = Table(
        f"Peers: growth with depth ({name}, binarized, columns independent)",
        [
            "depth",
            "columns",
            "rules",
            "ours",
            "sympy",
            "espresso",
            "reasons",
            "ours ",
            "dd",
            "OxiDD",
        ],
        ["As above. An empty cell: not tried, because it did not finish at a smaller size."],
    )
    peers, stopped = _peers(), set[str]()
    try:
        for depth in (3, 4) if quick else (2, 3, 4, 5, 6):
            tree = fitted(name, depth, "independent")
            got = compare(tree, peers, 5 if quick else 10, stopped)
            cells = _cells(got)
            table.add(depth, len(tree.used), got["rules"], *cells[:3], got["reasons"], *cells[3:])
    finally:
        for peer in peers.values():
            peer.stop()
    return table


def over_features(quick: bool) -> Table:
    """Random boolean trees of 32 leaves over more and more columns."""
    table = Table(
        "Peers: growth with features (random trees of 32 leaves over n independent columns)",
        ["n", "used", "rules", "ours", "sympy", "espresso", "reasons", "ours ", "dd", "OxiDD"],
        ["As above; seed 5."],
    )
    peers, stopped = _peers(), set[str]()
    try:
        for n in (6, 8) if quick else (6, 8, 10, 12, 16):
            space = ol.Space.independent([f"x{i}" for i in range(n)])
            tree = _random_boolean(np.random.default_rng(5), space, 32)
            got = compare(tree, peers, 5 if quick else 10, stopped)
            cells = _cells(got)
            table.add(n, len(tree.used), got["rules"], *cells[:3], got["reasons"], *cells[3:])
    finally:
        for peer in peers.values():
            peer.stop()
    return table


def _random_boolean(rng: np.random.Generator, space: ol.Space, n_leaves: int) -> ol.Tree:
    """Split leaves with the fewest questions first, on any column not asked yet above."""
    size = 2 * n_leaves - 1
    arrays = {name: np.full(size, -1) for name in ("feature", "when_true", "when_false")}
    leaf_class = rng.integers(0, 2, size)
    above: list[tuple[int, ...]] = [()]
    for node in range(n_leaves - 1):
        free = [f for f in range(len(space)) if f not in above[node]]
        f = int(rng.choice(free))
        arrays["feature"][node] = f
        arrays["when_true"][node], arrays["when_false"][node] = len(above), len(above) + 1
        above += [(*above[node], f)] * 2
    for node in range(n_leaves - 1, size, 2):  # leaves side by side differ
        if node + 1 < size:
            leaf_class[node + 1] = 1 - leaf_class[node]
    return ol.Tree(space, [0, 1], **arrays, threshold=np.zeros(size), leaf_class=leaf_class)


def rows(names: Any) -> Table:
    """All sufficient reasons of single rows, beside PyXAI."""
    table = Table(
        "Peers: all sufficient reasons of a row (depth 5, binarized, columns independent)",
        ["data set", "reasons per row", "`explain(row).all_reasons`", "PyXAI", "ratio"],
        [
            "Per row, mean of 20 training rows, best of 5. Asserted: the same sets of reasons. "
            "PyXAI asks a SAT solver for one reason after the other; its history is switched off."
        ],
    )
    if not hasattr(ol.CanonicalForm, "explain"):
        table.notes = ["`CanonicalForm.explain` is not there yet."]
        return table
    with Peer("pyxai_reasons", "pyxai") as peer:
        for name in names:
            tree = fitted(name, 5, "independent")
            X = binarized(name)[1].to_numpy()
            some = X[np.random.default_rng(0).integers(0, len(X), 20)].tolist()
            form = ol.canonicalize(tree)
            mine = [_signed(form, form.explain(row).all_reasons) for row in some]
            ours = best_of(
                lambda form=form, some=some: [form.explain(row).all_reasons for row in some], 5
            )
            got = peer(decisions(tree), len(tree.space), some, limit=15)
            passed = got
            if isinstance(got, tuple):
                passed, theirs = got
                assert mine == theirs, name
                passed /= len(some)
            mean = sum(map(len, mine)) / len(mine)
            table.add(name, f"{mean:.1f}", seconds(ours / len(some)), seconds(passed),
                      ratio(passed, ours / len(some)))  # fmt: skip
    return table


def _signed(form: ol.CanonicalForm, terms: Any) -> list[list[int]]:
    """Terms over boolean features as PyXAI writes them: column numbers from 1, minus for 0."""
    index = form.space.index
    return sorted(
        sorted((index(side.feature.name) + 1) * (1 if side.upper >= 1 else -1) for side in t.sides)
        for t in terms
    )
