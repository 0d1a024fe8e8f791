"""Reasons and rules of trees on the paper's data sets, and how the cost grows.

Peers are in ``canonical_peers``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

import orderless as ol
from orderless.errors import OutOfTime, TooManyReasons

from . import canonical_peers as peers
from .data import at_hand, fitted, missing_note, random_boolean
from .figures import OURS, Figure, Panel
from .timing import Table, against, best_of, clock, seconds

KINDS = {
    "raw": "raw features",
    "aware": "binarized by threshold guessing (fold 0), columns understood as conditions",
    "independent": "binarized by threshold guessing (fold 0), columns independent",
}
QUICK = ("compas", "wine_quality", "spiral")


def run(quick: bool) -> Iterator[Table | Figure | str]:
    names = [name for name in at_hand() if name in QUICK] if quick else at_hand()
    figure = Figure(
        "canonical", "time of a tree's form",
        [
            "Ours: the longer of all reasons of all classes and the minimal rules of class 1, from "
            "the `Tree`. By reasons: the table of growth with depth, in the core. Sympy and "
            "espresso minimize class 1, dd and OxiDD list the prime implicants of both classes. "
            "Asserted as in the tables of peers. By leaves: at a cross of ours the minimal rules "
            "are not proven, and peers are not tried."
        ],
    )  # fmt: skip
    for kind in KINDS:
        yield on_data(kind, names)
    yield big(quick)
    yield random_functions(quick)
    yield over_depth(quick, figure.panel("reasons", "Trees of six data sets, raw features"))
    seen: list[peers.Measured] = []
    yield peers.minimizers(names, 3, quick, seen)
    yield peers.over_depth(quick, figure, seen)
    yield peers.over_features(quick, figure, seen)
    peers.over_leaves(quick, figure, seen)
    if not quick:  # PyXAI alone takes as long to import as all the rest
        yield peers.rows(names)
    yield figure
    yield peers.in_short(seen)


def measure(tree: ol.Tree, n: int = 5) -> dict[str, Any]:
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
        count = sum(map(len, ol.canonicalize(tree).form._reason_tables))
        for what, work in (
            ("", lambda tree=tree: ol.canonicalize(tree).reasons),
            (" (core)", lambda tree=tree: ol.canonicalize(tree).form._reason_tables),
        ):
            passed = best_of(work, 3, budget=6)
            table.add(name + what, depth, tree.n_leaves, len(tree.kernel.used), count,
                      seconds(passed), seconds(passed / count),
                      against(target, passed))  # fmt: skip
    return table


def random_functions(quick: bool) -> Table:
    """The fewest rules of functions that have no structure."""
    table = Table(
        "Random functions of 12 columns: the fewest rules, proven",
        ["leaves", "reasons", "rules", "quick rules", "at least", "time", "target"],
        [
            "One call of `canonicalize(tree, time_limit=10).rules` each, for both classes; the "
            "limit is for each class. Quick rules: as many as `exact=False` finds, without a "
            "proof, and the bound that it gives. Asserted: the proven number lies between them."
        ],
    )
    space = ol.Space.independent([f"x{i}" for i in range(12)])
    for n_leaves in (200,) if quick else (200, 256, 300, 400):
        tree = random_boolean(np.random.default_rng(n_leaves), space, n_leaves)
        form, quickly = ol.canonicalize(tree, time_limit=10), ol.canonicalize(tree, exact=False)
        n_quick, least = sum(map(len, quickly.rules.values())), sum(quickly.bounds.values())
        n_reasons = sum(map(len, form.reasons.values()))
        start, n_rules, passed = clock(), "", 10.0
        with suppress(OutOfTime):
            found = sum(map(len, ol.canonicalize(tree, time_limit=10).rules.values()))
            n_rules, passed = f"{found:,}", clock() - start
            assert least <= found <= n_quick
        took = seconds(passed) if n_rules else "not proven"
        table.add(n_leaves, n_reasons, n_rules, n_quick, least, took, against(10.0, passed))
    return table


def over_depth(quick: bool, panel: Panel) -> Table:
    found = []
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
                count = sum(map(len, ol.canonicalize(tree, time_limit=limit).form._reason_tables))
            except TooManyReasons:
                cells.append("more than 1,000,000")
                continue
            except OutOfTime:
                cells.append(f"did not finish in {limit} s")
                continue
            passed = best_of(
                lambda tree=tree: ol.canonicalize(tree).form._reason_tables, 3, budget=1
            )
            cells.append(f"{count:,}: {seconds(passed / count)}")
            found.append((count, passed))
        table.add(*cells)
    for count, passed in sorted(found):
        panel.add(OURS, count, passed)
    return table
