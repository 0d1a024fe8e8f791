"""PMML's trees and rule sets, and segments of which the first that fits is asked.

In:  the text of a PMML file.
Out: ``ColumnTree``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any

import numpy as np

from ...errors import UnreadableModel
from ...model import Label
from ..build import ColumnTree, Table, TreeBuilder
from ..checks import damaged
from .document import Element, parsed
from .models import MODELS, Model, model_of
from .predicates import Predicate, all_of, predicate_of
from .unfold import Node, Strategy, Unfolding
from .values import label_of, number_of

__all__ = ["Said", "column_tree", "from_text", "knows_text", "nodes_of", "rescaled", "said_label"]

STRATEGIES = ("none", "nullPrediction", "lastPrediction", "defaultChild", "weightedConfidence",
              "aggregateNodes")  # fmt: skip
SAVE = "the program that wrote it, as PMML 4.0 to 4.4"


@dataclass(frozen=True)
class Said:
    """What a node predicts: the text of its score, and records by class."""

    score: str | None
    records: Sequence[tuple[str, str, str | None]] = ()  # value, recordCount, probability


def knows_text(text: str) -> bool:
    """Whether a text is XML."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def from_text(text: str) -> ColumnTree:
    """Read the one tree of a PMML file."""
    with damaged("PMML", save=SAVE):
        model = model_of(parsed(text))
        if model.is_sum:
            n = len(list(model.segments()))
            raise UnreadableModel(
                f"this PMML file adds up what {n:,} models say, and one tree is needed: "
                "orderless.read(...) reads all of it"
            )
        return column_tree(model)


def column_tree(model: Model) -> ColumnTree:
    """Read a model that is one tree."""
    unfolding = Unfolding(model.columns)
    root = nodes_of(model)
    builder = TreeBuilder(Table(len(model.columns)))
    said = [n.said for n in _below(root) if not n.children]
    shares = model.classes is not None and all(one is not None and one.records for one in said)
    for node in unfolding.leaves(builder, root):
        if model.element.get("functionName") == "regression":
            builder.leaf_of_number(0.0 if node is None else _number(model, node))
        elif node is None:
            builder.leaf_number(0)
        else:
            rows = records_of(node.said, model) if shares else None
            builder.leaf(said_label(node.said, model), rows)
    tree = builder.finish(model.classes)
    tree = replace(tree, table=model.table(unfolding))
    return replace(tree, precision="float32") if model.single else tree


def _number(model: Model, node: Node) -> float:
    number = number_of(said_text(node.said), "a score", "float" if model.single else "double")
    return rescaled(model.element, number, model.single)


def said_text(said: Said | None) -> str:
    """Give the score of a node; without one, the class of most records."""
    if said is not None and said.score is not None:
        return said.score
    if said is None or not said.records:
        raise UnreadableModel("a leaf has no score")
    counts = [number_of(count, "recordCount") for _, count, _ in said.records]
    return said.records[int(np.argmax(counts))][0]


def said_label(said: Said | None, model: Model) -> Label:
    """Give the class that a node predicts."""
    return label_of(said_text(said), model.target_type, "a score")


def records_of(said: Said, model: Model) -> list[float]:
    """Give the records of a leaf by class, or their probabilities."""
    assert model.classes is not None
    out = [0.0] * len(model.classes)
    place = {(type(label), label): i for i, label in enumerate(model.classes)}
    for value, count, probability in said.records:
        label = label_of(value, model.target_type, "a value of a ScoreDistribution")
        at = place.get((type(label), label))
        if at is None:
            raise UnreadableModel(f"a ScoreDistribution is of {value!r:.60}, which is not a class")
        given = [p for _, _, p in said.records]
        own = count if None in given or probability is None else probability
        number = number_of(own, "recordCount")
        if number < 0:
            raise UnreadableModel(f"a recordCount is {own!r:.40} and must not be below 0")
        out[at] = number
    return out


def rescaled(element: Element, number: float, single: bool = False) -> float:
    """Apply what ``Targets`` says of a predicted number, in its order."""
    targets = element.first("Targets")
    target = None if targets is None else targets.first("Target")
    if target is None:
        return number
    round_ = np.float32 if single else np.float64
    low, high = target.attributes.get("min"), target.attributes.get("max")
    if low is not None:
        number = max(number, number_of(low, "min"))
    if high is not None:
        number = min(number, number_of(high, "max"))
    with np.errstate(over="ignore"):
        out = round_(number) * round_(number_of(target.get("rescaleFactor", "1"), "rescaleFactor"))
        out = out + round_(number_of(target.get("rescaleConstant", "0"), "rescaleConstant"))
    cast: dict[str, Callable[[Any], Any]] = {
        "": float, "round": lambda x: floor(x + 0.5), "ceiling": ceil, "floor": floor,
    }  # fmt: skip
    how = target.get("castInteger")
    if how not in cast:
        raise UnreadableModel(f"castInteger is {how!r:.40}: it must be round, ceiling or floor")
    return float(cast[how](float(out)))


# -- nodes ----------------------------------------------------------------------------------------


def nodes_of(model: Model) -> Node:
    """Give the nodes of a tree, a rule set, or segments of which the first that fits is asked."""
    if model.element.name == "RuleSetModel":
        return _rule_nodes(model)
    if model.element.name == "MiningModel":
        return _segment_nodes(model)
    return _tree_nodes(model)


def _tree_nodes(model: Model) -> Node:
    element = model.element
    strategy = Strategy(
        element.get("missingValueStrategy", "none"),
        element.get("noTrueChildStrategy") == "returnLastPrediction",
    )
    if strategy.missing not in STRATEGIES:
        raise UnreadableModel(
            f"missingValueStrategy is {strategy.missing!r:.40}: it must be one of "
            f"{', '.join(STRATEGIES)}"
        )
    top = element.first("Node")
    if top is None:
        raise UnreadableModel("a TreeModel has no Node")
    root = _node(model, top, strategy)
    todo = [(top, root)]
    while todo:
        given, node = todo.pop()
        ids = {}
        for child in given.all("Node"):
            own = _node(model, child, strategy)
            node.children.append(own)
            ids[child.get("id")] = own
            todo.append((child, own))
        node.default = ids.get(given.get("defaultChild")) if given.get("defaultChild") else None
    return root


def _node(model: Model, given: Element, strategy: Strategy) -> Node:
    if given.first("Regression", "DecisionTree", "TreeModel") is not None:
        raise UnreadableModel("a node of the tree holds another model: only scores are read")
    records = tuple(
        (one.get("value"), one.get("recordCount", "0"), one.attributes.get("probability"))
        for one in given.all("ScoreDistribution")
    )
    score = given.attributes.get("score")
    said = Said(score, records) if score is not None or records else None
    return Node(predicate_of(given, model.fields), said, strategy)


def _rule_nodes(model: Model) -> Node:
    rule_set = model.element.first("RuleSet")
    method = None if rule_set is None else rule_set.first("RuleSelectionMethod")
    if rule_set is None or method is None or method.get("criterion") != "firstHit":
        criterion = "" if method is None else method.get("criterion")
        raise UnreadableModel(
            f"the rules of this file are selected by {criterion!r:.40}, and read are those of "
            "'firstHit'"
        )
    default = rule_set.attributes.get("defaultScore")
    root = Node(True, None if default is None else Said(default), Strategy("none", True))
    todo: list[tuple[Element, tuple[Predicate, ...]]] = [(rule_set, ())]
    flat: list[Node] = []
    while todo:
        given, above = todo.pop()
        if given.name == "SimpleRule":
            own = all_of((*above, predicate_of(given, model.fields)))
            flat.append(Node(own, Said(given.get("score")), Strategy()))
            continue
        if given.name == "CompoundRule":
            if len(above) > 50:
                raise UnreadableModel("rules nest deeper than 50")
            above = (*above, predicate_of(given, model.fields))
        todo += [(one, above) for one in reversed(list(given.all("SimpleRule", "CompoundRule")))]
    root.children = flat
    return root


def _segment_nodes(model: Model) -> Node:
    """Give the segments of a model that asks the first that fits."""
    root = Node(True, None, Strategy())
    for segment, own in model.segments():
        node = Node(predicate_of(segment, model.fields), None, Strategy())
        if own.is_sum or own.element.name not in MODELS:
            raise UnreadableModel(
                f"a segment of which the first that fits is asked holds a {own.element.name}, and "
                "read are trees and rule sets"
            )
        inner = nodes_of(own)
        if own.element.first("Targets") is not None:
            raise UnreadableModel("a segment rescales what it predicts, which is not read")
        node.children.append(inner)
        root.children.append(node)
    return root


def _below(root: Node) -> list[Node]:
    out, todo = [], [root]
    while todo:
        node = todo.pop()
        out.append(node)
        todo += node.children
    return out
