"""PMML: trees, rules of which the first that fits is asked, and sums of trees.

In:  the text of a PMML file.
Out: ``ColumnModel``. Sums are added in the order of the segments, in float64, or in float32 where
     the file asks for it (``x-mathContext``).

A file does not tell how an engine rounds, nor what it does with equal scores: where a factor is
applied to a sum, or a probability is taken of it, scores that are as close as that can matter are
within rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from ...errors import UnreadableModel
from ...model import Adding, Label, Link, Rule
from ..builder import ColumnModel, ModelBuilder
from ..checks import damaged
from .columns import (
    NUMBERS,
    Column,
    columns_of,
    data_type_of,
    label_of,
    number_of,
    table_of,
    target_of,
)
from .document import Element, parsed
from .fields import Field, derived_field, field_of_column
from .predicates import NAMES, predicate_of, words_of
from .unfold import Node, Strategy, Unfolding

__all__ = ["from_text", "knows_text"]

MODELS = ("TreeModel", "RuleSetModel", "MiningModel")
MAX_NESTED = 8  # models in models
STRATEGIES = ("none", "nullPrediction", "lastPrediction", "defaultChild", "weightedConfidence",
              "aggregateNodes")  # fmt: skip
SUMS = ("sum", "weightedSum", "x-weightedSum", "average", "weightedAverage")
VOTES = ("majorityVote", "weightedMajorityVote")
LINKS: dict[str, Link] = {"none": "identity", "": "identity", "exp": "exp", "logit": "logistic",
                          "softmax": "logistic"}  # fmt: skip
SAVE = "the program that wrote it, as PMML 4.0 to 4.4"


def knows_text(text: str) -> bool:
    """Whether a text is XML."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def from_text(text: str) -> ColumnModel:
    """Read a PMML file."""
    with damaged("PMML", save=SAVE):
        return _Reader(_model_of(parsed(text))).read()


# -- the model of a file, and those within it ------------------------------------------------------


@dataclass(frozen=True)
class _Model:
    """A model of a file.

    Attributes
    ----------
    element : of the model
    columns : that the file takes
    fields : by name, what its predicates can ask about
    target_type : the type of what is predicted
    classes : None if it predicts numbers, or if the file does not list them
    """

    element: Element
    columns: list[Column]
    fields: dict[str, Field]
    target_type: str
    classes: list[Label] | None
    depth: int = 0

    @property
    def name(self) -> str:
        """The kind of the model."""
        return self.element.name

    @property
    def single(self) -> bool:
        """Whether it computes in float32."""
        context = self.element.get("mathContext")
        return self.element.get("x-mathContext", context) == "float"

    @property
    def precision(self) -> Literal["float32", "float64"]:
        """The type in which it computes."""
        return "float32" if self.single else "float64"

    @property
    def round(self) -> Callable[[Any], Any]:
        """Round a number to the precision in which it computes."""
        return np.float32 if self.single else np.float64

    @property
    def classifies(self) -> bool:
        """Whether it predicts classes."""
        return self.element.get("functionName") == "classification"

    @cached_property
    def class_positions(self) -> dict[tuple[type, Label], int]:
        """The position of each class, by type and value."""
        return {(type(label), label): i for i, label in enumerate(self.classes or ())}

    @property
    def method(self) -> str:
        """How a model of segments puts together what they predict; empty for others."""
        segmentation = self.element.first("Segmentation")
        return "" if segmentation is None else segmentation.get("multipleModelMethod")

    @property
    def is_sum(self) -> bool:
        """Whether it puts together what several models predict."""
        return self.name == "MiningModel" and self.method != "selectFirst"

    def target(self) -> Element | None:
        """Return what ``Targets`` says of the predicted number."""
        targets = self.element.first("Targets")
        return None if targets is None else targets.first("Target")

    def number(self, text: str, what: str) -> float:
        """Read a number in the precision in which it computes."""
        return number_of(text, what, "float" if self.single else "double")

    def segments(self) -> Iterator[tuple[Element, _Model]]:
        """Go through the segments, each with the model in it."""
        segmentation = self.element.first("Segmentation")
        if segmentation is None:
            raise UnreadableModel("a MiningModel has no Segmentation")
        for segment in segmentation.all("Segment"):
            inner = next((one for one in segment.children if one.first("MiningSchema")), None)
            if inner is None:
                raise UnreadableModel("a Segment holds no model")
            yield segment, self._within(inner)

    def summands(self) -> Iterator[tuple[Element, _Model]]:
        """Go through the segments of a sum, each of which is asked about every row."""
        for segment, model in self.segments():
            if predicate_of(segment, model.fields) is not True:
                raise UnreadableModel(
                    "a segment is asked only of some rows, so that what the model predicts is not "
                    "a sum over all of its trees: only segments with the predicate True are read"
                )
            yield segment, model

    def _within(self, element: Element) -> _Model:
        if self.depth >= MAX_NESTED:
            raise UnreadableModel(f"models nest deeper than {MAX_NESTED}")
        schema = element.first("MiningSchema")
        for field in () if schema is None else schema.all("MiningField"):
            for name in ("missingValueReplacement", "outliers"):
                if field.get(name) not in ("", "asIs"):
                    raise UnreadableModel(
                        f"a model within the file has {name} for {field.get('name')!r:.60}, and "
                        "read is only that of the outermost model"
                    )
        _check(element)
        fields = _with_derived(element.first("LocalTransformations"), self.fields)
        return replace(self, element=element, fields=fields, depth=self.depth + 1)


def _model_of(root: Element) -> _Model:
    """Return the model of a document, which must be one of trees or rules."""
    dictionary = root.first("DataDictionary")
    if dictionary is None:
        raise UnreadableModel("this PMML file has no DataDictionary")
    models = [child for child in root.children if child.first("MiningSchema") is not None]
    if len(models) != 1:
        raise UnreadableModel(f"this PMML file holds {len(models)} models and must hold one")
    (element,) = models
    if element.name not in MODELS:
        raise UnreadableModel(
            f"this PMML file holds a {element.name!s:.40}, and read are {', '.join(MODELS)}"
        )
    _check(element)
    schema = element.first("MiningSchema")
    assert schema is not None
    columns = columns_of(dictionary, schema)
    _collect_labels(root, columns)
    fields = {column.name: field_of_column(column) for column in columns}
    fields = _with_derived(root.first("TransformationDictionary"), fields)
    fields = _with_derived(element.first("LocalTransformations"), fields)
    return _Model(element, columns, fields, *_target(element, target_of(dictionary, schema)))


def _check(element: Element) -> None:
    if element.get("isScorable") == "false":
        raise UnreadableModel("the file says that its model is not to be used (isScorable='false')")
    if element.get("functionName") not in ("classification", "regression"):
        raise UnreadableModel(
            f"functionName is {element.get('functionName')!r:.40}: it must be classification or "
            "regression"
        )


def _target(element: Element, target: Element | None) -> tuple[str, list[Label] | None]:
    regression = element.get("functionName") == "regression"
    if target is None:
        return "double" if regression else "string", None
    data_type = data_type_of(target)
    if regression:
        if data_type not in NUMBERS:
            raise UnreadableModel(f"numbers are predicted, and the target has type {data_type!r}")
        return data_type, None
    texts = [v.get("value") for v in target.all("Value") if v.get("property", "valid") == "valid"]
    labels = list(dict.fromkeys(label_of(text, data_type, "a class") for text in texts))
    return data_type, labels or None


def _with_derived(element: Element | None, fields: dict[str, Field]) -> dict[str, Field]:
    """Add derived fields, each of which may be made of those before it."""
    out = dict(fields)
    for derived in () if element is None else element.all("DerivedField"):
        out[derived.get("name")] = derived_field(derived, out)
    return out


def _collect_labels(root: Element, columns: list[Column]) -> None:
    """Take labels of columns that do not list theirs from what predicates ask about."""
    undeclared = {c.name: c for c in columns if c.labels is not None and not c.declared}
    todo = [root] if undeclared else []
    while todo:
        element = todo.pop()
        todo += element.children
        column = undeclared.get(element.get("field"))
        if column is None:
            continue
        array = element.first("Array")
        if array is not None:
            for word in words_of(array.text):
                column.code(word)
        elif element.name in (*NAMES, "NormDiscrete") and "value" in element.attributes:
            column.code(element.get("value"))
    for column in undeclared.values():
        column.declared = True


# -- nodes -----------------------------------------------------------------------------------------


class _Score(NamedTuple):
    """What a node predicts: the text of its score, and records by class."""

    text: str | None
    records: Sequence[tuple[str, str, str | None]] = ()  # value, recordCount, probability


def _nodes_of(model: _Model) -> Node:
    """Return the nodes of a tree, of rules, or of segments of which the first that fits counts."""
    if model.name == "RuleSetModel":
        return _rule_nodes(model)
    if model.name == "MiningModel":
        return _segment_nodes(model)
    return _tree_nodes(model)


def _tree_nodes(model: _Model) -> Node:
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
        parent, node = todo.pop()
        by_id = {}
        for child in parent.all("Node"):
            below = by_id[child.get("id")] = _node(model, child, strategy)
            node.children.append(below)
            todo.append((child, below))
        default = parent.get("defaultChild")
        node.default = by_id.get(default) if default else None
    return root


def _node(model: _Model, element: Element, strategy: Strategy) -> Node:
    if element.first("Regression", "DecisionTree", "TreeModel") is not None:
        raise UnreadableModel("a node of the tree holds another model: only scores are read")
    records = tuple(
        (one.get("value"), one.get("recordCount", "0"), one.attributes.get("probability"))
        for one in element.all("ScoreDistribution")
    )
    text = element.attributes.get("score")
    score = _Score(text, records) if text is not None or records else None
    return Node(predicate_of(element, model.fields), score, strategy)


def _rule_nodes(model: _Model) -> Node:
    """Read rules one after the other, as ``Tree.to_pmml`` writes them."""
    rule_set = model.element.first("RuleSet")
    method = None if rule_set is None else rule_set.first("RuleSelectionMethod")
    if rule_set is None or method is None or method.get("criterion") != "firstHit":
        criterion = "" if method is None else method.get("criterion")
        raise UnreadableModel(
            f"the rules of this file are selected by {criterion!r:.40}, and read are those of "
            "'firstHit'"
        )
    if rule_set.first("CompoundRule") is not None:
        raise UnreadableModel("a RuleSet has a CompoundRule, and read are SimpleRules")
    default = rule_set.attributes.get("defaultScore")
    root = Node(True, None if default is None else _Score(default), Strategy("none", True))
    root.children = [
        Node(predicate_of(rule, model.fields), _Score(rule.get("score")), Strategy())
        for rule in rule_set.all("SimpleRule")
    ]
    return root


def _segment_nodes(model: _Model) -> Node:
    """Read segments of which the first that fits is asked."""
    root = Node(True, None, Strategy())
    for segment, inner in model.segments():
        if inner.is_sum or inner.name not in MODELS:
            raise UnreadableModel(
                f"a segment of which the first that fits is asked holds a {inner.name}, and "
                "read are trees and rule sets"
            )
        if inner.element.first("Targets") is not None:
            raise UnreadableModel("a segment rescales what it predicts, which is not read")
        node = Node(predicate_of(segment, model.fields), None, Strategy())
        node.children.append(_nodes_of(inner))
        root.children.append(node)
    return root


def _has_records(root: Node) -> bool:
    """Whether every leaf has records by class."""
    todo = [root]
    while todo:
        node = todo.pop()
        if not node.children and (node.score is None or not node.score.records):
            return False
        todo += node.children
    return True


# -- what a leaf predicts --------------------------------------------------------------------------


def _text_of(score: _Score | None) -> str:
    """Return the score of a node; without one, the class of most records."""
    if score is not None and score.text is not None:
        return score.text
    if score is None or not score.records:
        raise UnreadableModel("a leaf has no score")
    counts = [number_of(count, "recordCount") for _, count, _ in score.records]
    return score.records[int(np.argmax(counts))][0]


def _label(node: Node, model: _Model) -> Label:
    return label_of(_text_of(node.score), model.target_type, "a score")


def _class_of(label: Label, model: _Model, what: str) -> int:
    """Return the position of a class."""
    position = model.class_positions.get((type(label), label))
    if position is None:
        raise UnreadableModel(f"{what} {label!r:.60}, which is not a class")
    return position


def _number(node: Node | None, model: _Model) -> float:
    """Return the number of a leaf, with what ``Targets`` makes of it, in its order."""
    if node is None:
        return 0.0
    number = model.number(_text_of(node.score), "a score")
    target = model.target()
    if target is None:
        return number
    low, high = target.attributes.get("min"), target.attributes.get("max")
    if low is not None:
        number = max(number, number_of(low, "min"))
    if high is not None:
        number = min(number, number_of(high, "max"))
    factor = number_of(target.get("rescaleFactor", "1"), "rescaleFactor")
    constant = number_of(target.get("rescaleConstant", "0"), "rescaleConstant")
    with np.errstate(over="ignore"):
        out = model.round(number) * model.round(factor) + model.round(constant)
    casts: dict[str, Callable[[float], float]] = {
        "": float, "round": lambda x: math.floor(x + 0.5), "ceiling": math.ceil,
        "floor": math.floor,
    }  # fmt: skip
    how = target.get("castInteger")
    if how not in casts:
        raise UnreadableModel(f"castInteger is {how!r:.40}: it must be round, ceiling or floor")
    return float(casts[how](float(out)))


def _records(node: Node, model: _Model) -> tuple[list[float], bool]:
    """Return the records of a leaf by class, or their probabilities, and which of the two."""
    assert model.classes is not None
    assert node.score is not None
    out = [0.0] * len(model.classes)
    records = node.score.records
    are_shares = bool(records) and all(share is not None for _, _, share in records)
    for value, count, share in records:
        label = label_of(value, model.target_type, "a value of a ScoreDistribution")
        text = share if are_shares and share is not None else count
        number = number_of(text, "recordCount")
        if number < 0:
            raise UnreadableModel(f"a recordCount is {text!r:.40} and must not be below 0")
        out[_class_of(label, model, "a ScoreDistribution is of")] = number
    return out, are_shares


def _shares(node: Node, model: _Model) -> list[float]:
    """Return the probabilities of a leaf: its records, divided by their sum in order."""
    records, are_shares = _records(node, model)
    if are_shares:
        return records
    total = model.round(0)
    for count in records:
        total = total + model.round(count)
    if not total > 0:
        raise UnreadableModel("a leaf of a tree that is averaged has no ScoreDistribution")
    return [float(model.round(count) / total) for count in records]


# -- one tree, and sums ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcome:
    """How scores become a class or a number; ``added`` is added to each score before."""

    classes: Sequence[Label] | None
    rule: Rule
    link: Link = "identity"
    factor: float = 1.0
    added: tuple[float, ...] = ()


class _Total(NamedTuple):
    """What is added to a sum of trees at last, and what then divides it.

    ``inexact``: a factor was applied to each leaf that an engine applies to the sum.
    """

    constant: float = 0.0
    divisor: float = 1.0
    inexact: bool = False


class _Reader:
    """Hands the trees of one file to the builder."""

    def __init__(self, model: _Model) -> None:
        self.model = model
        self.unfolding = Unfolding(model.columns)
        self.builder = ModelBuilder(table_of(model.columns))
        self.largest: list[float] = []  # that a leaf adds, by tree

    def read(self) -> ColumnModel:
        """Read the model of the file."""
        model = self.model
        if not model.is_sum:
            return self._one_tree()
        if model.method == "modelChain":
            return self._chain()
        if model.classifies:
            return self._classes()
        return self._sums([self._total(model, None)], _Outcome(None, Rule("number")))

    def _finish(self, *arguments: Any, **options: Any) -> ColumnModel:
        """Let the builder finish, over columns of which all is known now."""
        for column in self.unfolding.without_other:
            self.model.columns[column].other = False
        self.builder.table = table_of(self.model.columns, self.unfolding.nan_refused)
        return self.builder.finish(*arguments, **options)

    def _leaves(self, model: _Model, score: int | None = None) -> Iterator[Node | None]:
        return self.unfolding.leaves(self.builder, _nodes_of(model), score)

    def _one_tree(self) -> ColumnModel:
        model, builder = self.model, self.builder
        if not model.classifies:
            for node in self._leaves(model):
                builder.leaf_adds(_number(node, model))
            return self._finish(adding=Adding(model.precision), rule=Rule("number"))
        root = _nodes_of(model)
        with_rows = model.classes is not None and _has_records(root)
        for node in self.unfolding.leaves(builder, root):
            if node is None:
                builder.leaf_number(0)
            else:
                rows = _records(node, model)[0] if with_rows else None
                builder.leaf(_label(node, model), rows)
        return self._finish(model.classes)

    def _classes(self) -> ColumnModel:
        """Read votes, or averages of probabilities."""
        model, method = self.model, self.model.method
        if method not in (*VOTES, "average", "weightedAverage"):
            raise UnreadableModel(
                f"what the segments predict is put together by {method!r:.40}, and of classes read "
                f"are {', '.join(VOTES)}, average and weightedAverage"
            )
        if model.classes is None:
            raise UnreadableModel("the data dictionary does not list the classes of the target")
        n, weights = len(model.classes), []
        for segment, tree in model.summands():
            if tree.name != "TreeModel" or not tree.classifies:
                raise UnreadableModel(
                    f"a {tree.name!s:.40} is among what is averaged: read are trees of classes"
                )
            weights.append(_weight(segment) if method.startswith("weighted") else 1.0)
            for node in self._leaves(tree):
                shares = [0.0] * n
                if node is not None and method in VOTES:
                    shares[_class_of(_label(node, tree), tree, "a leaf predicts")] = 1.0
                elif node is not None:
                    shares = _shares(node, tree)
                self.builder.leaf_adds(*(share * weights[-1] for share in shares))
        divisor = math.fsum(weights) if method.endswith("verage") else 1.0
        adding = Adding(model.precision, (0.0,) * n, divisor=divisor)
        return self._finish(model.classes, adding, Rule("largest"))

    def _chain(self) -> ColumnModel:
        """Read sums whose results go into a last model."""
        *firsts, (_, last) = list(self.model.summands())
        outputs = [_output(model) for _, model in firsts]
        names, outcome = _last_model(last, outputs, self.model)
        if self.model.element.first("Targets") is not None:
            raise UnreadableModel("a chain of models rescales what it predicts, which is not read")
        models = dict(zip(outputs, (model for _, model in firsts), strict=True))
        several = len(names) > 1
        totals = [self._total(models[name], k if several else None) for k, name in enumerate(names)]
        return self._sums(totals, outcome)

    def _total(self, model: _Model, score: int | None) -> _Total:
        """Read a sum or average of numbers, or one tree of numbers."""
        if model.classifies:
            raise UnreadableModel("a sum is of numbers, and one of its models predicts classes")
        if model.name != "MiningModel":
            self._tree_of_numbers(model, score, float)
            return _Total()
        if model.method not in SUMS:
            raise UnreadableModel(
                f"what the segments predict is put together by {model.method!r:.40}, and of "
                f"numbers read are {', '.join(SUMS)}"
            )
        factor, constant = _target_of_sum(model)
        weights = []
        for segment, tree in model.summands():
            if tree.name != "TreeModel" or tree.classifies:
                raise UnreadableModel(
                    f"a sum has a {tree.name!s:.40} among its segments: read are trees of numbers"
                )
            weight = _weight(segment) if "eighted" in model.method else 1.0
            weights.append(weight)

            def scaled(number: float, tree: _Model = tree, weight: float = weight) -> float:
                own = float(tree.round(number) * tree.round(weight))
                return own if factor == 1.0 else float(model.round(own * factor))

            self._tree_of_numbers(tree, score, scaled)
        divisor = math.fsum(weights) if model.method.endswith("verage") else 1.0
        return _Total(constant, divisor, math.frexp(factor)[0] != 0.5)

    def _tree_of_numbers(
        self, model: _Model, score: int | None, scaled: Callable[[float], float]
    ) -> None:
        largest = 0.0
        for node in self._leaves(model, score):
            number = scaled(_number(node, model))
            largest = max(largest, abs(number))
            self.builder.leaf_adds(number)
        self.largest.append(largest)

    def _sums(self, totals: Sequence[_Total], outcome: _Outcome) -> ColumnModel:
        """Put sums together, one for each score."""
        if len({total.divisor for total in totals}) != 1:
            raise UnreadableModel("the scores are averages over different numbers of trees")
        added = outcome.added or (0.0,) * len(totals)
        base = [total.constant + more for total, more in zip(totals, added, strict=True)]
        inexact = any(total.inexact for total in totals)
        divisor = totals[0].divisor
        if divisor != 1.0 and any(base):
            base, inexact = [constant * divisor for constant in base], True
        adding = Adding(
            self.model.precision,
            tuple(float(self.model.round(constant)) for constant in base),
            base_last=not inexact,
            divisor=divisor,
        )
        rule = outcome.rule._replace(
            cuts=tuple(cut * divisor for cut in outcome.rule.cuts),
            window=outcome.rule.window * divisor,
        )
        if inexact:  # by how much a factor on each leaf differs from one on the sum, in two sums
            top = sum(self.largest) + max(map(abs, adding.base))
            near = 4 * (len(self.largest) + 8) * 2.0 ** -(24 if self.model.single else 53) * top
            rule = rule._replace(window=rule.window + near, either=True)
        return self._finish(outcome.classes, adding, rule, outcome.link, outcome.factor)


def _weight(segment: Element) -> float:
    weight = number_of(segment.get("weight", "1"), "the weight of a segment")
    if weight < 0:
        raise UnreadableModel(f"a segment has the weight {weight!r}, and weights are from 0 on")
    return weight


def _output(model: _Model) -> str:
    """Return the name under which a model of a chain passes its number on."""
    output = model.element.first("Output")
    fields = [] if output is None else list(output.all("OutputField"))
    if len(fields) != 1 or fields[0].get("feature", "predictedValue") != "predictedValue":
        raise UnreadableModel(
            f"a model of a chain has {len(fields)} outputs, and must pass its number on as one"
        )
    if fields[0].children:
        raise UnreadableModel(
            f"the output {fields[0].get('name')!r:.60} is made by "
            f"{fields[0].children[0].name!s:.40}, which is not known here"
        )
    return fields[0].get("name")


def _target_of_sum(model: _Model) -> tuple[float, float]:
    """Return what ``Targets`` makes of a sum: a factor and a constant."""
    target = model.target()
    if target is None:
        return 1.0, 0.0
    for name in ("castInteger", "min", "max"):
        if name in target.attributes:
            raise UnreadableModel(
                f"Targets has {name} for a sum of trees, which is a function of the sum, and not "
                "a sum: write the file without it"
            )
    factor = model.number(target.get("rescaleFactor", "1"), "rescaleFactor")
    if not factor > 0:
        raise UnreadableModel(f"rescaleFactor is {factor!r} and must be above 0")
    return factor, model.number(target.get("rescaleConstant", "0"), "rescaleConstant")


# -- the last model of a chain ---------------------------------------------------------------------


def _last_model(
    last: _Model, outputs: Sequence[str], model: _Model
) -> tuple[Sequence[str], _Outcome]:
    """Read the last model of a chain; returns the outputs that are its scores, in order."""
    if last.name == "TreeModel" and last.classifies:
        return outputs, _cuts(last, outputs)
    if last.name != "RegressionModel":
        raise UnreadableModel(
            f"a chain of models ends in a {last.name!s:.40}, and read are a RegressionModel, and a "
            "TreeModel that asks about one sum"
        )
    method = last.element.get("normalizationMethod")
    tables = list(last.element.all("RegressionTable"))
    if last.classifies:
        return _classes_of(last, tables, method, outputs, model)
    if len(tables) != 1 or method not in LINKS:
        raise UnreadableModel(
            f"a RegressionModel has {len(tables)} tables and normalizationMethod={method!r:.40}"
        )
    name, added, factor = _predictor(tables[0], outputs)
    return [name], _Outcome(None, Rule("number"), LINKS[method], factor, (added,))


def _classes_of(
    last: _Model, tables: Sequence[Element], method: str, outputs: Sequence[str], model: _Model
) -> tuple[Sequence[str], _Outcome]:
    labels = [label_of(t.get("targetCategory"), model.target_type, "a class") for t in tables]
    near = 2.0**-21 if last.single else 2.0**-50  # of which probabilities may be equal
    if method in ("logit", "softmax") and len(tables) == 2 and not tables[1].children:
        name, added, factor = _predictor(tables[0], outputs)
        added -= number_of(tables[1].get("intercept", "0"), "intercept")
        if factor != 1.0:
            near /= factor
        rule = Rule("cuts", (0.0,), near, True)
        return [name], _Outcome(labels[::-1], rule, "logistic", factor, (added / factor,))
    if method not in ("softmax", "none", "") or len(tables) < 2:
        raise UnreadableModel(
            f"a RegressionModel of {len(tables)} classes has normalizationMethod={method!r:.40}, "
            "and read are softmax and none, and logit of two classes of which the second has no "
            "predictor"
        )
    predictors = [_predictor(table, outputs) for table in tables]
    if len({name for name, _, _ in predictors}) != len(predictors) or any(
        factor != 1.0 for _, _, factor in predictors
    ):
        raise UnreadableModel("each class must have one sum of its own, with the coefficient 1")
    if model.classes is not None and set(labels) == set(model.classes):
        order = [labels.index(label) for label in model.classes]
        labels, predictors = [labels[k] for k in order], [predictors[k] for k in order]
    rule = Rule("largest", window=near if method == "softmax" else 0.0)
    link: Link = "softmax" if method == "softmax" else "identity"
    added_by_class = tuple(added for _, added, _ in predictors)
    return [name for name, _, _ in predictors], _Outcome(labels, rule, link, added=added_by_class)


def _predictor(table: Element, outputs: Sequence[str]) -> tuple[str, float, float]:
    """Return the only predictor of a table, the intercept and the coefficient."""
    predictors = table.children
    if len(predictors) != 1 or predictors[0].name != "NumericPredictor":
        raise UnreadableModel(
            f"a RegressionTable has {len(predictors)} predictors, and must have the output of one "
            "model of the chain"
        )
    (only,) = predictors
    if only.get("name") not in outputs or only.get("exponent", "1") not in ("1", "1.0"):
        raise UnreadableModel(
            f"a RegressionTable has the predictor {only.get('name')!r:.60}, which is not an output "
            "of the chain, or has an exponent"
        )
    coefficient = number_of(only.get("coefficient", "1"), "coefficient")
    if not coefficient > 0:
        raise UnreadableModel(f"a coefficient is {coefficient!r} and must be above 0")
    intercept = number_of(table.get("intercept", "0"), "intercept")
    return only.get("name"), intercept, coefficient


def _cuts(last: _Model, outputs: Sequence[str]) -> _Outcome:
    """Read a tree that asks about one sum: classes of intervals."""
    if len(outputs) != 1:
        raise UnreadableModel("a chain ends in a TreeModel, and read is that of one sum")
    column = Column(outputs[0], 0, "float" if last.single else "double")
    model = replace(last, columns=[column], fields={column.name: field_of_column(column)})
    builder = ModelBuilder(table_of([column]))
    labels: list[Label] = []
    for node in Unfolding([column]).leaves(builder, _nodes_of(model)):
        if node is None:
            raise UnreadableModel("a leaf has no score")
        builder.leaf_number(len(labels))
        labels.append(_label(node, model))
    (tree,) = builder.finish(range(len(labels))).trees
    bounds = np.unique(tree.at_most[(tree.column >= 0) & np.isfinite(tree.at_most)])
    classes: list[Label] = []
    cuts: list[float] = []
    for low, bound in zip((-np.inf, *bounds), (*bounds, np.inf), strict=True):
        i = 0
        while tree.column[i] >= 0:
            i = int((tree.when_true if bound <= tree.at_most[i] else tree.when_false)[i])
        label = labels[int(tree.leaf_class[i])]
        if not classes or label != classes[-1]:
            cuts += [float(low)] if classes else []
            classes.append(label)
    if len(set(classes)) != len(classes):
        raise UnreadableModel("a chain gives one class for several ranges of its sum")
    return _Outcome(classes, Rule("cuts", tuple(cuts)))
