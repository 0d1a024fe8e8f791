"""PMML: what a tree decides, as a file that engines of other makers run.

In:  a ``CanonicalForm`` or ``Tree``.
Out: text of PMML 4.4. All reasons as rules, of which a missing value fires none that needs it: rows
     with gaps get their class where it is certain. Or a tree, for complete rows.
Paper: Theorem 3.2: a row is determined iff it meets a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...errors import TooManyReasons
from ...form import Form
from ...model import Feature, Side, TreeKernel
from .certain import halves
from .plain import plain
from .pmml_parts import (
    close,
    dictionary,
    document,
    element,
    label_word,
    opening,
    predicate,
    schema,
    target_name,
)

__all__ = ["as_pmml", "tree_model", "used_features"]

LIMIT = 20_000  # reasons that are written as rules

LeafLines = Callable[[int], tuple[str | None, list[str]]]


def as_pmml(tree: TreeKernel, *, complete: bool = False, limit: int = LIMIT) -> str:
    """Write PMML; see ``Tree.to_pmml``."""
    tree = plain(tree, "to_pmml")
    features = used_features(tree)
    numbers = tree.task == "regression"
    target = target_name(tree.space.names)
    head = dictionary(features, target, None if numbers else tree.classes)
    if numbers or complete:
        return document(head, tree_model(tree, target, _leaf(tree), numbers=numbers))
    return document(head, _rules(_limited(tree, limit), features, target))


def used_features(tree: TreeKernel) -> list[Feature]:
    """Give the features that a tree asks about."""
    return [tree.space.features[i] for i in tree.used]


def _limited(tree: TreeKernel, limit: int) -> Form:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ValueError(f"limit must be a whole number of at least 1, got {limit!r:.40}")
    form = Form(tree, limit=limit)
    try:
        count = sum(len(terms) for terms in form.reasons.values())
    except TooManyReasons as fault:
        raise _too_many(limit, fault.met) from None
    if count > limit:
        raise _too_many(limit, count)
    return form


def _too_many(limit: int, met: int) -> TooManyReasons:
    return TooManyReasons(
        f"there are more than limit={limit:,} sufficient reasons, each of which is a rule of the "
        "file: raise limit, or write the tree itself with complete=True, which gives no answer "
        "where a value on the way is missing",
        met,
    )


def _rules(form: Form, features: list[Feature], target: str) -> Iterator[str]:
    rules: list[list[str]] = []
    for label, terms in form.reasons.items():
        for term in terms:
            sides = [list(predicate(side)) for side in term.sides]
            if len(sides) > 1:
                sides = [list(element("CompoundPredicate", *sides, booleanOperator="and"))]
            own = sides[0] if sides else list(element("True"))
            number = str(len(rules) + 1)
            rules.append(list(element("SimpleRule", own, id=number, score=label_word(label))))
    return element(
        "RuleSetModel",
        schema(features, target),
        element("RuleSet", element("RuleSelectionMethod", criterion="firstHit"), *rules),
        functionName="classification",
        algorithmName="orderless: all sufficient reasons",
    )


def _leaf(tree: TreeKernel) -> LeafLines:
    """Give what is written of each leaf."""

    def lines(node: int) -> tuple[str | None, list[str]]:
        score = label_word(tree.classes[tree.leaf_class[node]])
        if tree.distribution is None or tree.task == "regression":
            return score, []
        records = tree.distribution[node].tolist()
        return score, [
            line
            for label, count in zip(tree.classes, records, strict=True)
            for line in element(
                "ScoreDistribution", value=label_word(label), recordCount=repr(count)
            )
        ]

    return lines


def tree_model(
    tree: TreeKernel, target: str | None, leaf: LeafLines, *, numbers: bool, single: bool = False
) -> Iterator[str]:
    """Write a tree; where a value on the way is missing, nothing is predicted.

    Both children state their condition, so that an engine that takes no notice of
    ``missingValueStrategy`` finds none to go to. Without recursion, so depth is no problem.
    """
    yield opening(
        "TreeModel",
        functionName="regression" if numbers else "classification",
        missingValueStrategy="nullPrediction",
        noTrueChildStrategy="returnNullPrediction",
        splitCharacteristic="binarySplit",
        **{"x-mathContext": "float" if single else None},
    )
    yield from schema(used_features(tree), target)
    todo: list[tuple[int, list[str]] | None] = [(0, list(element("True")))]
    while todo:
        entry = todo.pop()
        if entry is None:
            yield close("Node")
            continue
        node, condition = entry
        if tree.feature[node] < 0:
            score, more = leaf(node)
            yield from element("Node", condition, more, id=str(node), score=score)
            continue
        yield opening("Node", id=str(node))
        yield from condition
        whole = Side.whole(tree.space.features[tree.feature[node]])
        yes, no = (list(predicate(side)) for side in halves(tree, node, whole))
        todo += [None, (int(tree.when_false[node]), no), (int(tree.when_true[node]), yes)]
    yield close("TreeModel")
