"""The canonical form beside peers, on functions of independent bits, where these are at home.

Peers: sympy's simplifier (the paper's), espresso (pyeda), prime implicants over BDDs (dd, OxiDD;
the recursion is ours, they have none), and PyXAI's sufficient reasons of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import orderless as ol
from orderless.errors import OutOfTime

from .data import at_hand, binarized, decisions, fitted, random_boolean
from .figures import OURS, Figure, Panel
from .timing import Failed, Peer, Table, Unfinished, at_least, best_of, now, ratio, seconds, span

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
    axis = {f: i for i, f in enumerate(tree.kernel.used)}
    cells = np.indices((2,) * len(axis)).reshape(len(axis), -1).T
    X = np.zeros((len(cells), len(tree.space)))
    X[:, list(axis)] = cells
    codes = np.asarray(tree.predict(X)).astype(int)
    return codes.reshape((2,) * len(axis)), axis


def compare(tree: ol.Tree, peers: dict[str, Peer], limit: float, stopped: set[str]) -> Measured:
    """Our reasons, our rules of class 1, and what each peer does; answers asserted equal."""
    form = ol.canonicalize(tree, time_limit=limit)
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
    """What a minimizer of one function does, reasons and a smallest cover; here of both classes."""
    _ = ol.canonicalize(tree).rules


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


FEW = 30  # reasons of a small function: wanted is to be ahead of every peer


def _ahead(got: Measured) -> str:
    """Say which peers are quicker on a small function."""
    if got["reasons"] >= FEW:
        return ""
    quicker = [
        TITLES[name]
        for name in TITLES
        if isinstance(got[name], float)
        and got[name] < got["ours" if name in ("sympy_dnf", "espresso") else "ours_reasons"]
    ]
    return f"**missed**: {', '.join(quicker)}" if quicker else "met"


NOTE = (
    "Best of 5. In brackets the ratio to ours: below 1x the peer is quicker. Rules: of class 1, "
    "ours proven minimal, from the tree. Reasons: of both classes; dd and OxiDD have BDDs but no "
    "prime implicants, so the classical recursion (Coudert and Madre) was written on top, in "
    "Python. Asserted: sympy's and espresso's formulas are the same function with no fewer terms "
    "than ours; the BDDs' prime implicants are as many as our reasons. Building the peers' own "
    "expressions, and their start, is not counted. Calls are repeated on the same tree. We begin "
    "again each time: nothing of a form is kept between calls, only the tree and its space are. "
    "sympy begins again too, because its cache is emptied before each call, off the clock; of a "
    "function of one condition, or of one path, it has next to nothing to do. dd and OxiDD find "
    "the nodes of the tree in their tables. Our terms are read when they are looked at; theirs are "
    "sets of columns and values. Espresso minimizes one class, and we prove the rules of both."
)


def minimizers(names: Any, depth: int, quick: bool, seen: list[Measured]) -> Table:
    table = Table(
        f"Peers: depth {depth}, binarized, columns independent",
        ["data set", "columns", "rules", "ours", "sympy's", "sympy", "espresso's", "espresso",
         "reasons", "ours ", "dd", "OxiDD", "ahead of all"],
        [NOTE],
    )  # fmt: skip
    peers = _peers()
    equal = True
    try:
        for name in names:
            tree = fitted(name, depth, "independent")
            got = compare(tree, peers, 5 if quick else 10, set())
            seen.append(got)
            equal = equal and got.get("sympy_dnf terms", got["rules"]) == got["rules"]
            cells = _cells(got, terms=True)
            table.add(name, len(tree.kernel.used), got["rules"], *cells[:5], got["reasons"],
                      *cells[5:], _ahead(got))  # fmt: skip
    finally:
        for peer in peers.values():
            peer.stop()
    assert equal, "sympy has more terms at depth 3"
    return table


def over_depth(quick: bool, figure: Figure, seen: list[Measured]) -> Table:
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
    panel = figure.panel("depth", f"Trees of {name}, columns independent")
    peers, stopped = _peers(), set[str]()
    try:
        for depth in (3, 4) if quick else (2, 3, 4, 5, 6):
            tree = fitted(name, depth, "independent")
            got = compare(tree, peers, 5 if quick else 10, stopped)
            _draw(panel, depth, got)
            seen.append(got)
            cells = _cells(got)
            table.add(
                depth, len(tree.kernel.used), got["rules"], *cells[:3], got["reasons"], *cells[3:]
            )
    finally:
        for peer in peers.values():
            peer.stop()
    return table


def over_features(quick: bool, figure: Figure, seen: list[Measured]) -> Table:
    """Random boolean trees of 32 leaves over more and more columns."""
    table = Table(
        "Peers: growth with features (random trees of 32 leaves over n independent columns)",
        ["n", "used", "rules", "ours", "sympy", "espresso", "reasons", "ours ", "dd", "OxiDD"],
        ["As above; seed 5."],
    )
    panel = figure.panel("features", "Random trees of 32 leaves, boolean")
    peers, stopped = _peers(), set[str]()
    try:
        for n in (6, 8) if quick else (6, 8, 10, 12, 16):
            space = ol.Space.independent([f"x{i}" for i in range(n)])
            tree = random_boolean(np.random.default_rng(5), space, 32)
            got = compare(tree, peers, 5 if quick else 10, stopped)
            _draw(panel, n, got)
            seen.append(got)
            cells = _cells(got)
            table.add(
                n, len(tree.kernel.used), got["rules"], *cells[:3], got["reasons"], *cells[3:]
            )
    finally:
        for peer in peers.values():
            peer.stop()
    return table


def over_leaves(quick: bool, figure: Figure, seen: list[Measured]) -> None:
    """Random boolean trees over 12 columns with more and more leaves, for the figure."""
    panel = figure.panel("leaves", "Random trees over 12 columns, boolean")
    peers, stopped = _peers(), set[str]()
    space, limit = ol.Space.independent([f"x{i}" for i in range(12)]), 5 if quick else 10
    try:
        for n_leaves in (8, 16) if quick else (4, 8, 16, 32, 64, 128, 256):
            now(f"Peers: growth with leaves: {n_leaves}")
            tree = random_boolean(np.random.default_rng(5), space, n_leaves)
            try:
                got = compare(tree, peers, limit, stopped)
            except OutOfTime:  # ours: the smallest cover is not proven
                panel.add(OURS, n_leaves, Unfinished(limit))
                break
            _draw(panel, n_leaves, got)
            seen.append(got)
    finally:
        for peer in peers.values():
            peer.stop()


def _draw(panel: Panel, x: float, got: Measured) -> None:
    panel.add(OURS, x, max(got["ours"], got["ours_reasons"]))
    for name, title in TITLES.items():
        panel.add(title, x, got[name])


def in_short(seen: list[Measured]) -> str:
    """Where we are ahead and where not, of everything that was compared."""
    said = []
    for name, title in TITLES.items():
        ours = "ours" if name in ("sympy_dnf", "espresso") else "ours_reasons"
        for few, which in ((True, "up to 30 reasons"), (False, "more reasons")):
            some = [got for got in seen if (got["reasons"] <= 30) is few]
            ratios = [got[name] / got[ours] for got in some if isinstance(got[name], float)]
            ended = [got for got in some if isinstance(got[name], Unfinished)]
            if ratios:
                said.append(
                    f"- {title}, {which}: {span(ratios)} as long as ours, {len(ratios)} trees"
                )
            if ended:
                said.append(
                    f"- {title}, {which}: {ended[0][name]} in {len(ended)} "
                    f"{'sweep' if len(ended) == 1 else 'sweeps'}"
                )
        other = next((got[name] for got in seen if isinstance(got[name], Failed)), None)
        if other is not None:
            said.append(f"- {title}: {other}")
    return "In short, of this run (below 1 the peer is quicker):\n\n" + "\n".join(said)


def rows(names: Any) -> Table:
    """All sufficient reasons of single rows, beside PyXAI."""
    table = Table(
        "Peers: all sufficient reasons of a row (depth 5, binarized, columns independent)",
        ["data set", "reasons per row", "`explain(row).all_reasons`", "PyXAI", "ratio",
         "target"],
        [
            "Per row, mean of 20 training rows, best of 5. Asserted: the same sets of reasons. "
            "PyXAI asks a SAT solver for one reason after the other; its history is switched off."
        ],
    )  # fmt: skip
    if not hasattr(ol.CanonicalForm, "explain"):
        table.notes = ["`CanonicalForm.explain` is not there yet."]
        return table
    with Peer("pyxai_reasons", "pyxai") as peer:
        for name in names:
            tree = fitted(name, 5, "independent")
            X = binarized(name)[1].to_numpy()
            some = X[np.random.default_rng(0).integers(0, len(X), 20)].tolist()
            form = ol.canonicalize(tree)
            mine = [_signed(form, tree.explain(row).all_reasons) for row in some]
            ours = best_of(
                lambda tree=tree, some=some: [tree.explain(row).all_reasons for row in some], 5
            )
            got = peer(decisions(tree), len(tree.space), some, limit=15)
            passed = got
            if isinstance(got, tuple):
                passed, theirs = got
                assert mine == theirs, name
                passed /= len(some)
            mean = sum(map(len, mine)) / len(mine)
            each = ours / len(some)
            table.add(name, f"{mean:.1f}", seconds(each), seconds(passed), ratio(passed, each),
                      at_least(5, passed, each))  # fmt: skip
    return table


def _signed(form: ol.CanonicalForm, terms: Any) -> list[list[int]]:
    """Terms over boolean features as PyXAI writes them: column numbers from 1, minus for 0."""
    index = form.space.index
    return sorted(
        sorted((index(side.feature.name) + 1) * (1 if side.upper >= 1 else -1) for side in t.sides)
        for t in terms
    )
