"""Trees that drive formula minimization to exponential time: how our answers grow on them.

Marques-Silva and Ignatiev, "Efficient & Correct Predictive Equivalence for Decision Trees"
(arXiv 2509.17774), show that such trees exist for the method of Quine and McCluskey, on which the
paper's simplification rests, and that equivalence, explanations of a row and predictions with
missing values take polynomial time in the tree. The two families here are ours, one for each way to
blow up: exponentially many prime implicants, and few of them over many columns.

Peer: sympy's simplification to a smallest DNF, as the paper uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import orderless as ol

from .data import one_tree
from .timing import Peer, Table, best_of, now, ratio, seconds

LIMIT = 10.0
MOST = 20_000  # reasons that are listed to count them

Decision = Any  # a class, or (column, where it is 0, where it is 1)


def run(quick: bool) -> Iterator[Table]:
    yield _family(
        "A chain of pairs: if a1 then b1, else if a2 then b2, and so on",
        pairs,
        lambda n: 2**n - 1,
        (2, 4, 8) if quick else (2, 3, 4, 6, 8, 16, 32, 64, 128),
        "Term k of class 1 has b_k, a_k, and for each earlier pair either that a is 0 or that b "
        "is 1: 1 + 2 + 4 + ... reasons, exponentially many in the leaves.",
    )
    yield _family(
        "A chain of columns: 1 where the first column that is 1 has an even number",
        chain,
        None,
        (2, 4, 8) if quick else (4, 6, 8, 10, 12, 16, 32, 64, 128, 256),
        "A truth table of n columns has 2^n rows, however few leaves and reasons there are.",
    )


def pairs(n: int, first: int = 0) -> Decision:
    tree: Decision = 0
    for k in reversed(range(first, n)):
        tree = (2 * k, tree, (2 * k + 1, 0, 1))
    return tree


def chain(n: int, first: int = 0) -> Decision:
    tree: Decision = n % 2
    for k in reversed(range(first, n)):
        tree = (k, tree, 1 - k % 2)
    return tree


def other_order(make: Any, n: int) -> Decision:
    """The same function, with the last of its columns asked first."""
    whole = make(n)
    last = n - 1 if make is chain else 2 * n - 1
    return (last, _given(whole, last, 0), _given(whole, last, 1))


def _given(tree: Decision, column: int, value: int) -> Decision:
    """The tree where a column is known; these trees ask it once, at their end."""
    spine = []
    while (
        not isinstance(tree, int)
        and tree[0] != column
        and not (isinstance(tree[1], int) and not isinstance(tree[2], int) and tree[2][0] == column)
    ):
        spine.append(tree)
        tree = tree[1]
    if not isinstance(tree, int):
        tree = tree[1 + value] if tree[0] == column else (tree[0], tree[1], tree[2][1 + value])
    for asked, _, one in reversed(spine):
        tree = (asked, tree, one)
    return tree


def _read(tree: Decision, n_columns: int) -> ol.Tree:
    def nested(node: Decision) -> dict[str, Any]:
        if isinstance(node, int):
            return {"prediction": node}
        return {"feature": node[0], "true": nested(node[2]), "false": nested(node[1])}

    names = [f"x{i}" for i in range(n_columns)]
    return one_tree(nested(tree), space=ol.Space.independent(names))


def _family(title: str, make: Any, reasons: Any, sizes: tuple[int, ...], note: str) -> Table:
    table = Table(
        title,
        ["n", "columns", "leaves", "reasons of class 1", "equivalent", "a reason of a row",
         "1,000 rows, half unknown", "sympy, smallest DNF", "ratio"],
        [
            f"{note} `equivalent` of the tree and one that asks the last column first; "
            "the first of `explain(row).reasons()` of the row of zeros; `predict`. Best of 3. The "
            "ratio is sympy's time to that of our three answers together. Asserted: the number of "
            f"reasons where there are at most {MOST:,}; plain walks down the tree on 1,000 "
            "complete rows; that sympy's terms decide as the tree."
        ],
    )  # fmt: skip
    rng = np.random.default_rng(0)
    with Peer("sympy_dnf", "sympy") as peer:
        ended = False
        for n in sizes:
            now(f"{title[:20]}: {n}")
            decision, n_columns = make(n), n if make is chain else 2 * n
            tree, other = _read(decision, n_columns), _read(other_order(make, n), n_columns)
            assert ol.equivalent(tree, other)
            X = (rng.random((1000, n_columns)) < 0.3).astype(float)
            assert tree.predict(X).tolist() == [_walk(decision, row) for row in X]
            gaps = np.where(rng.random(X.shape) < 0.5, np.nan, X)
            row = dict.fromkeys(tree.space.names, 0)
            times = [
                best_of(lambda a=tree, b=other: ol.equivalent(a, b), 3),
                best_of(lambda tree=tree, row=row: next(tree.explain(row).reasons()), 3),
                best_of(lambda tree=tree, gaps=gaps: tree.predict(gaps), 3),
            ]
            there = _count(tree, reasons(n) if reasons else None)
            theirs: Any = "left out: it took too long before"
            if not ended:
                theirs = peer(decision, limit=LIMIT)
                ended = not isinstance(theirs, tuple)
                if isinstance(theirs, tuple):
                    _assert_same(decision, theirs[1], X)
                    theirs = theirs[0]
            beside = ratio(theirs, sum(times)) if isinstance(theirs, float) else ""
            said = seconds(theirs) if isinstance(theirs, float) else str(theirs)
            table.add(n, n_columns, tree.n_leaves, there, *map(seconds, times), said, beside)
    return table


def _count(tree: ol.Tree, wanted: int | None) -> str:
    """The number of reasons of class 1, listed if there are few, else by the formula."""
    if wanted is not None and wanted > MOST:
        return f"{wanted:,}" if wanted < 10**9 else f"{wanted:.1e}"
    found = len(ol.canonicalize(tree).reasons[1])
    assert wanted in (None, found), (wanted, found)
    return f"{found:,}"


def _walk(decision: Decision, row: Any) -> int:
    while not isinstance(decision, int):
        decision = decision[2] if row[decision[0]] else decision[1]
    return decision


def _assert_same(decision: Decision, terms: Any, X: Any) -> None:
    for row in X:
        said = any(all(row[f] == v for f, v in term.items()) for term in terms)
        assert said == bool(_walk(decision, row))
