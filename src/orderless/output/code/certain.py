"""When a class is certain, and what to ask: formulas of a tree or of its reasons.

In:  a ``Tree`` or ``CanonicalForm``, and the columns that say something about its features.
Out: per class a formula (``formula.py``) that holds iff the row has the class whatever its unknown
     values are; and the next question as nested choices.
Paper: Theorem 3.2 (reasons are complete); the formulas from the tree are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...errors import InvalidTree
from ...form import Form, Term
from ...model import Label, Side, TreeKernel
from ...questions import heights
from .formula import Formula, Source, every, some

__all__ = [
    "Ask",
    "asks_next",
    "certain_by_reasons",
    "certain_by_tree",
    "excluded_leaves",
    "halves",
    "question",
]

NESTED = 12  # conditions on a path that are nested in a formula; SQLite's parser takes about 20
MOST_DEPTH = 150  # of choices that are nested in a question


def asks_next(needed: str | None) -> bool:
    """Whether the feature to ask next is wanted (``needed="next"``) and not the class (None)."""
    if needed not in (None, "next"):
        raise ValueError(
            f"needed must be 'next' or None, got {needed!r:.80}: smallest sets of features are "
            "found by tree.needed(row) and by predict_file(needed='smallest')"
        )
    return needed is not None


def certain_by_reasons(form: Form, known: Mapping[int, Source]) -> list[tuple[Label, Formula]]:
    """Give, per class that occurs, the formula of all its reasons."""
    index = form.space.index

    def one(term: Term) -> Formula:
        return every(known[index(side.feature.name)].certainly(side) for side in term.sides)

    return [(label, some(one(term) for term in terms))
            for label, terms in form.reasons.items() if terms]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Node:
    """What is known of a node: what excludes each side, and when each class is certain below."""

    without_yes: Formula
    without_no: Formula
    certain: dict[int, Formula]


def certain_by_tree(tree: TreeKernel, known: Mapping[int, Source]) -> list[tuple[Label, Formula]]:
    """Give, per class that occurs, a formula that is linear in the nodes.

    All leaves that can be reached have the class: at each node, the "yes" side is excluded or all
    is well below it, and so is the "no" side. For deep trees, flat and not nested: every leaf of
    another class is excluded; the length is leaves x features of a path then.
    """
    if tree.depth > NESTED:
        return _flat(tree, known)
    root = _nodes(tree, known)[0]
    return [(tree.classes[c], formula) for c, formula in sorted(root.certain.items())]


def _flat(tree: TreeKernel, known: Mapping[int, Source]) -> list[tuple[Label, Formula]]:
    without: dict[int, list[Formula]] = {}
    for leaf, excluded in excluded_leaves(tree, known):
        without.setdefault(leaf, []).append(excluded)
    return [
        (tree.classes[c], every(f for other in sorted(without) if other != c
                                for f in without[other]))
        for c in sorted(without)
    ]  # fmt: skip


def excluded_leaves(tree: TreeKernel, known: Mapping[int, Source]) -> Iterator[tuple[int, Formula]]:
    """Yield each leaf's class, and the formula that holds iff no completion reaches the leaf."""
    todo: list[tuple[int, dict[int, Side]]] = [(0, {})]
    while todo:
        node, path = todo.pop()
        i = int(tree.feature[node])
        if i < 0:
            excluded = some(known[k].excludes(side) for k, side in sorted(path.items()))
            yield int(tree.leaf_class[node]), excluded
            continue
        yes, no = halves(tree, node, path.get(i) or Side.whole(tree.space.features[i]))
        todo += [(int(tree.when_false[node]), {**path, i: no}),
                 (int(tree.when_true[node]), {**path, i: yes})]  # fmt: skip


def halves(tree: TreeKernel, node: int, here: Side) -> tuple[Side, Side]:
    """Give what a node's condition leaves of a side, and what its opposite does."""
    if here.feature.ordered:
        cut, nan = float(tree.threshold[node]), bool(tree.nan_true[node])
        return (replace(here, upper=min(cut, here.upper), nan=here.nan and nan),
                replace(here, lower=max(cut, here.lower), nan=here.nan and not nan))  # fmt: skip
    own = set(tree.set_of(node).tolist())
    return (replace(here, codes=tuple(code for code in here.codes if code in own)),
            replace(here, codes=tuple(code for code in here.codes if code not in own)))  # fmt: skip


def _nodes(tree: TreeKernel, known: Mapping[int, Source]) -> dict[int, _Node]:
    left: dict[int, tuple[Formula, Formula]] = {}
    order: list[tuple[int, dict[int, Side]]] = [(0, {})]  # and what is left of features there
    for node, path in order:  # grows during the loop: parents before children
        i = int(tree.feature[node])
        if i < 0:
            continue
        yes, no = int(tree.when_true[node]), int(tree.when_false[node])
        feature, source = tree.space.features[i], known[i]
        yes_side, no_side = halves(tree, node, path.get(i) or Side.whole(feature))
        if source.indicators and (feature.nan or not feature.ordered):  # rows may know it in part
            left[node] = (source.excludes(yes_side), source.excludes(no_side))
        elif feature.ordered:  # the path already gives the other end
            cut, nan = float(tree.threshold[node]), feature.nan and bool(tree.nan_true[node])
            above = Side(feature, cut, math.inf, feature.nan and not nan)
            left[node] = (source.certainly(above),
                          source.certainly(Side(feature, -math.inf, cut, nan)))  # fmt: skip
        else:
            left[node] = (source.certainly(no_side), source.certainly(yes_side))
        order += [(yes, {**path, i: yes_side}), (no, {**path, i: no_side})]
    out: dict[int, _Node] = {}
    for node, _ in reversed(order):
        if tree.feature[node] < 0:
            out[node] = _Node(False, False, {int(tree.leaf_class[node]): True})
            continue
        without_yes, without_no = left[node]
        if_yes = out[int(tree.when_true[node])].certain
        if_no = out[int(tree.when_false[node])].certain
        certain = {}
        for c in {**if_yes, **if_no}:
            if c not in if_no:  # then that side must be excluded
                certain[c] = every([without_no, if_yes[c]])
            elif c not in if_yes:
                certain[c] = every([without_yes, if_no[c]])
            else:
                certain[c] = every([some([without_yes, if_yes[c]]),
                                    some([without_no, if_no[c]])])  # fmt: skip
        out[node] = _Node(without_yes, without_no, certain)
    return out


# -- what to ask ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """A question for rows that are not determined: ``orderless.questions.asking`` as an expression.

    If ``gone`` holds: what ``then`` says. Otherwise, if ``kept`` does not hold and ``settled``
    does: the feature. Otherwise: what ``otherwise`` says.
    """

    feature: str
    gone: Formula = False
    then: Ask | None = None
    kept: Formula = False
    settled: Formula = True
    otherwise: Ask | None = None


def question(tree: TreeKernel, known: Mapping[int, Source]) -> Ask | None:
    """Give the feature to ask next as nested choices, None for a tree that asks nothing."""
    if tree.depth > MOST_DEPTH:
        raise InvalidTree(
            f"the tree has depth {tree.depth:,}; choices that nest deeper than {MOST_DEPTH} are "
            "refused by most databases: leave out needed='next', make a flatter tree that decides "
            "the same with tree.minimize('depth'), or use ask_next"
        )
    nodes = _nodes(tree, known)
    height = heights(tree)
    asks: dict[int, Ask | None] = {}
    for node in sorted(nodes, key=lambda node: height[node]):  # children before parents
        if tree.feature[node] < 0:
            asks[node] = None
            continue
        name = tree.space.features[tree.feature[node]].name
        own = nodes[node]
        yes, no = int(tree.when_true[node]), int(tree.when_false[node])
        sides = [(yes, own.without_yes), (no, own.without_no)]
        if height[yes] > height[no]:
            sides.reverse()
        (first, without_first), (second, without_second) = sides
        if height[second] == 0:  # two leaves
            asks[node] = Ask(name)
        elif height[first] == 0:  # one leaf: the other side must be possible
            asks[node] = Ask(name, without_first, asks[second])
        else:
            settled = some([*nodes[first].certain.values(), *nodes[second].certain.values()])
            asks[node] = Ask(name, without_first, asks[second], without_second, settled,
                             asks[first])  # fmt: skip
    return asks[0]
