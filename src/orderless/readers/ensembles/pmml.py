"""PMML's sums of trees: votes, averages, sums, and chains that end in a regression.

In:  the text of a PMML file.
Out: ``ColumnEnsemble``; None where the file holds one tree. Sums are added in the order of the
     segments, in float64, or in float32 where the file says so (``x-mathContext``).

A file does not say how an engine rounds, nor what it does with equal scores: where a factor is
applied to a sum, or a probability is taken of it, scores that are as close as that can matter are
within rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import UnreadableModel
from ...model import Adding, Floats, Rule
from ..build import ColumnTree, Table, TreeBuilder
from ..checks import damaged
from ..pmml.document import Element, parsed
from ..pmml.models import Model, model_of
from ..pmml.predicates import predicate_of
from ..pmml.trees import SAVE, knows_text, nodes_of, records_of, rescaled, said_label, said_text
from ..pmml.unfold import Unfolding
from ..pmml.values import number_of
from .build import ColumnEnsemble
from .pmml_last import Outcome, last_model
from .rounding import check_room

__all__ = ["from_text", "knows_text"]

SUMS = ("sum", "weightedSum", "x-weightedSum", "average", "weightedAverage")
VOTES = ("majorityVote", "weightedMajorityVote")


class Total(NamedTuple):
    """Trees that are added up: what their leaves add, what is added after, what divides.

    ``inexact``: a factor was applied to each leaf that an engine applies to the sum.
    """

    trees: list[ColumnTree]
    values: list[Floats]
    constant: float = 0.0
    divisor: float = 1.0
    inexact: bool = False


def from_text(text: str) -> ColumnEnsemble | None:
    """Read a PMML file of several trees; None if it holds one."""
    with damaged("PMML", save=SAVE):
        model = model_of(parsed(text))
        if not model.is_sum:
            return None
        reader = _Reader(model)
        if model.method == "modelChain":
            return reader.chain()
        if model.classifies:
            return reader.classes()
        return reader.ensemble([reader.total(model)], Outcome(None, Rule("number")))


class _Reader:
    """The trees of one file, over one table."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.unfolding = Unfolding(model.columns)

    def chain(self) -> ColumnEnsemble:
        """Read sums whose results go into a last model."""
        totals: dict[str, Total] = {}
        *firsts, (segment, last) = list(self.model.segments())
        for one, model in firsts:
            _always(one, model)
            totals[_output(model)] = self.total(model)
        _always(segment, last)
        names, outcome = last_model(last, list(totals), self.model)
        if self.model.element.first("Targets") is not None:
            raise UnreadableModel("a chain of models rescales what it predicts, which is not read")
        return self.ensemble([totals[name] for name in names], outcome)

    def total(self, model: Model, weight: float = 1.0) -> Total:
        """Read a sum or average of numbers, or one tree of numbers."""
        if model.classifies:
            raise UnreadableModel("a sum is of numbers, and one of its models predicts classes")
        if model.element.name != "MiningModel":
            tree, values = self._numbers(model, weight)
            return Total([tree], [values])
        if model.method not in SUMS:
            raise UnreadableModel(
                f"what the segments say is put together by {model.method!r:.40}, and of numbers "
                f"read are {', '.join(SUMS)}"
            )
        trees: list[ColumnTree] = []
        leaves: list[Floats] = []
        weights: list[float] = []
        for segment, own in model.segments():
            _always(segment, own)
            if own.element.name != "TreeModel" or own.classifies:
                raise UnreadableModel(
                    f"a sum has a {own.element.name!s:.40} among its segments: read are trees of "
                    "numbers"
                )
            weights.append(_weight(segment) if "eighted" in model.method else 1.0)
            tree, leaf = self._numbers(own, weights[-1])
            trees.append(tree)
            leaves.append(leaf)
        divisor = math.fsum(weights) if model.method.endswith("verage") else 1.0
        return _targeted(model, Total(trees, leaves, divisor=divisor))

    def classes(self) -> ColumnEnsemble:
        """Read votes, or averages of probabilities."""
        model, method = self.model, self.model.method
        if method not in (*VOTES, "average", "weightedAverage"):
            raise UnreadableModel(
                f"what the segments say is put together by {method!r:.40}, and of classes read are "
                f"{', '.join(VOTES)}, average and weightedAverage"
            )
        if model.classes is None:
            raise UnreadableModel("the data dictionary does not list the classes of the target")
        trees, values, weights = [], [], []
        for segment, own in model.segments():
            _always(segment, own)
            if own.element.name != "TreeModel" or not own.classifies:
                raise UnreadableModel(
                    f"a {own.element.name!s:.40} is among what is averaged: read are trees of "
                    "classes"
                )
            weights.append(_weight(segment) if method.startswith("weighted") else 1.0)
            tree, leaf = self._shares(own, votes=method in VOTES)
            trees.append(tree)
            values.append(leaf * weights[-1])
        divisor = math.fsum(weights) if method.endswith("verage") else 1.0
        n = len(model.classes)
        adding = Adding("float32" if model.single else "float64", (0.0,) * n, divisor=divisor)
        check_room(values, adding)
        return ColumnEnsemble(
            self._over_one_table(trees), values, model.classes, adding, Rule("largest")
        )

    def ensemble(self, totals: Sequence[Total], outcome: Outcome) -> ColumnEnsemble:
        """Put sums together, one for each score."""
        n = len(totals)
        if len({total.divisor for total in totals}) != 1:
            raise UnreadableModel("the scores are averages over different numbers of trees")
        trees = [tree for total in totals for tree in total.trees]
        values, scores = [], []
        for k, total in enumerate(totals):
            for own in total.values:
                spread = np.zeros((len(own), n))
                spread[:, k] = own
                values.append(spread)
                scores.append(k)
        constants = [
            total.constant + more for total, more in zip(totals, outcome.intercepts(n), strict=True)
        ]
        inexact = any(total.inexact for total in totals)
        divisor = totals[0].divisor
        if divisor != 1.0 and any(constants):
            constants, inexact = [c * divisor for c in constants], True
        adding = Adding(
            "float32" if self.model.single else "float64",
            tuple(np.float32(c).item() if self.model.single else c for c in constants),
            base_last=not inexact,
            divisor=divisor,
        )
        check_room(values, adding)
        rule = outcome.rule._replace(
            cuts=tuple(cut * divisor for cut in outcome.rule.cuts),
            window=outcome.rule.window * divisor,
        )
        if inexact:
            rule = rule._replace(window=rule.window + _window(values, adding), either=True)
        return ColumnEnsemble(
            self._over_one_table(trees), values, outcome.classes, adding, rule, outcome.link,
            outcome.factor, scores if n > 1 else None,
        )  # fmt: skip

    def _numbers(self, model: Model, weight: float) -> tuple[ColumnTree, Floats]:
        """Read a tree of numbers, with the numbers of its leaves."""
        kind, round_ = ("float", np.float32) if model.single else ("double", np.float64)
        numbers: list[float] = []
        builder = TreeBuilder(Table(len(model.columns)))
        for node in self.unfolding.leaves(builder, nodes_of(model)):
            builder.leaf_number(len(numbers))
            number = 0.0
            if node is not None:
                number = number_of(said_text(node.said), "a score", kind)
                number = rescaled(model.element, number, model.single)
            numbers.append(float(round_(number) * round_(weight)))
        return builder.finish(range(len(numbers))), np.array(numbers)

    def _shares(self, model: Model, *, votes: bool) -> tuple[ColumnTree, Floats]:
        """Read a tree of classes, with the votes or the probabilities of its leaves."""
        assert model.classes is not None
        place = {(type(label), label): i for i, label in enumerate(model.classes)}
        shares: list[list[float]] = []
        builder = TreeBuilder(Table(len(model.columns)))
        for node in self.unfolding.leaves(builder, nodes_of(model)):
            builder.leaf_number(len(shares))
            own = [0.0] * len(place)
            if node is not None and votes:
                label = said_label(node.said, model)
                at = place.get((type(label), label))
                if at is None:
                    raise UnreadableModel(f"a leaf predicts {label!r:.60}, which is not a class")
                own[at] = 1.0
            elif node is not None:
                own = records_of(node.said, model)
                given = [probability for _, _, probability in node.said.records]
                if not given or None in given:
                    own = _probabilities(own, model.single)
            shares.append(own)
        return builder.finish(range(len(shares))), np.array(shares)

    def _over_one_table(self, trees: Sequence[ColumnTree]) -> list[ColumnTree]:
        table = self.model.table(self.unfolding)
        return [replace(tree, table=table) for tree in trees]


def _probabilities(records: Sequence[float], single: bool) -> list[float]:
    """Divide records by their sum, which is added up in order."""
    round_ = np.float32 if single else np.float64
    total = round_(0)
    for count in records:
        total = total + round_(count)
    if not total > 0:
        raise UnreadableModel("a leaf of a tree that is averaged has no ScoreDistribution")
    return [float(round_(count) / total) for count in records]


def _always(segment: Element, model: Model) -> None:
    if predicate_of(segment, model.fields) is not True:
        raise UnreadableModel(
            "a segment is asked only of some rows, so that what the model says is not a sum over "
            "all of its trees: only segments with the predicate True are read"
        )


def _weight(segment: Element) -> float:
    weight = number_of(segment.get("weight", "1"), "the weight of a segment")
    if weight < 0:
        raise UnreadableModel(f"a segment has the weight {weight!r}, and weights are from 0 on")
    return weight


def _output(model: Model) -> str:
    """Give the name under which a model of a chain passes its number on."""
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


def _targeted(model: Model, total: Total) -> Total:
    """Apply what ``Targets`` says of a sum: a factor and a constant."""
    targets = model.element.first("Targets")
    target = None if targets is None else targets.first("Target")
    if target is None:
        return total
    for name in ("castInteger", "min", "max"):
        if name in target.attributes:
            raise UnreadableModel(
                f"Targets has {name} for a sum of trees, which is a function of the sum, and not "
                "a sum: write the file without it"
            )
    kind = "float" if model.single else "double"
    factor = number_of(target.get("rescaleFactor", "1"), "rescaleFactor", kind)
    constant = number_of(target.get("rescaleConstant", "0"), "rescaleConstant", kind)
    if not factor > 0:
        raise UnreadableModel(f"rescaleFactor is {factor!r} and must be above 0")
    if factor == 1.0:
        return total._replace(constant=constant)
    values = [_rounded(own * factor, model.single) for own in total.values]
    exact = math.frexp(factor)[0] == 0.5
    return total._replace(values=values, constant=constant, inexact=not exact)


def _rounded(values: Floats, single: bool) -> Floats:
    return values.astype(np.float32).astype(np.float64) if single else values


def _window(values: Sequence[Floats], adding: Adding) -> float:
    """Bound by how much a factor on each leaf differs from one on the sum, in two sums."""
    top = sum(float(np.abs(own).max(initial=0.0)) for own in values)
    top += max(map(abs, adding.base))
    digits = 24 if adding.precision == "float32" else 53
    return 4 * (len(values) + 8) * 2.0**-digits * top
