"""PMML of sums of trees.

In:  an ``Ensemble``.
Out: text of PMML 4.4: segments that are added up in the order of the trees, in the same precision.
     What PMML's arithmetic does not give to the last bit is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import UnreadableModel
from ...model import Feature, SumKernel, TreeKernel
from .plain import plain
from .pmml import tree_model
from .pmml_parts import (
    dictionary,
    document,
    element,
    label_word,
    schema,
    target_name,
)

__all__ = ["ensemble_as_pmml"]

SCORE = "score"
LINKS = {"exp": "exp", "logistic": "logit", "identity": "none"}


def ensemble_as_pmml(ensemble: SumKernel) -> str:
    """Write PMML; see ``Ensemble.to_pmml``."""
    ensemble = plain(ensemble, "to_pmml")
    features = [ensemble.space.features[i] for i in ensemble.used]
    target = target_name(ensemble.space.names)
    head = dictionary(features, target, ensemble.classes or None)
    return document(head, _Writer(ensemble, features, target).model())


class _Writer:
    """One ensemble, and the names in its file."""

    def __init__(self, ensemble: SumKernel, features: Sequence[Feature], target: str) -> None:
        self.ensemble, self.features, self.target = ensemble, features, target
        self.single = ensemble.adding.precision == "float32"
        self.context = {"x-mathContext": "float" if self.single else None}
        taken = {*ensemble.space.names, target}
        self.score = SCORE
        while any(name.startswith(self.score) for name in taken):
            self.score += "_"

    def model(self) -> Iterator[str]:
        """Write the model."""
        own = self.ensemble
        kind, link = own.rule.kind, own.link
        if kind == "number" and link == "identity" and own.factor == 1.0:
            return self._sum(0, self.target, output=None)
        if kind == "number":
            return self._chain([0], self._regression([(None, 0)], LINKS[link]))
        if kind == "cuts":
            return self._chain([0], self._cuts(), divided=False)
        if self._averages():
            return self._average()
        scores = list(range(own.n_scores))
        method = "softmax" if link == "softmax" and own.factor == 1.0 else "none"
        pairs = list(zip(own.classes, scores, strict=True))
        return self._chain(scores, self._regression(pairs, method))

    # -- sums -------------------------------------------------------------------------------------

    def _sum(
        self, score: int, target: str | None, output: str | None, *, divided: bool = True
    ) -> Iterator[str]:
        """Write what is added up to one score."""
        own, adding = self.ensemble, self.ensemble.adding
        base = adding.base[score]
        parts = [
            self._numbers(tree, values[:, score])
            for tree, values, only in zip(own.trees, own.values, own.scores, strict=True)
            if only in (-1, score)
        ]
        method = "sum"
        if divided and adding.divisor != 1.0:
            if adding.divisor != len(parts) or base != 0.0:
                raise UnreadableModel(
                    f"this model divides sums of {len(parts)} trees by {adding.divisor!r} in the "
                    "end, and PMML divides by their number alone: make one tree of it with "
                    "to_tree() and write that"
                )
            method = "average"
        more = []
        if base != 0.0 and adding.base_last:
            constant = element("Target", rescaleConstant=repr(base))
            more = [element("Targets", constant)]
        elif base != 0.0:
            parts = [self._constant(base), *parts]
        if output is not None:
            field = element("OutputField", name=output, optype="continuous",
                            dataType="float" if self.single else "double",
                            feature="predictedValue", isFinalResult="false")  # fmt: skip
            more = [element("Output", field), *more]
        return element(
            "MiningModel",
            schema(self.features, target),
            *more,
            self._segmentation(method, parts),
            functionName="regression",
            **self.context,
        )

    def _numbers(self, tree: TreeKernel, values: np.ndarray) -> Iterator[str]:
        def leaf(node: int) -> tuple[str, list[str]]:
            return repr(float(values[tree.leaf_class[node]])), []

        return tree_model(tree, None, leaf, numbers=True, single=self.single)

    def _constant(self, number: float) -> Iterator[str]:
        """Write where a sum begins: a tree that asks nothing."""
        return element(
            "TreeModel",
            schema(self.features[:1], None),
            element("Node", element("True"), score=repr(float(number))),
            functionName="regression",
            **self.context,
        )

    def _segmentation(self, method: str, parts: Sequence[Iterator[str]]) -> Iterator[str]:
        segments = [
            element("Segment", element("True"), part, id=str(k + 1)) for k, part in enumerate(parts)
        ]
        return element(
            "Segmentation",
            *segments,
            multipleModelMethod=method,
            missingPredictionTreatment="returnMissing",
        )

    # -- what becomes of sums ---------------------------------------------------------------------

    def _chain(
        self, scores: Sequence[int], last: Iterator[str], *, divided: bool = True
    ) -> Iterator[str]:
        sums = [self._sum(k, None, self._name(k), divided=divided) for k in scores]
        return element(
            "MiningModel",
            schema(self.features, self.target),
            self._segmentation("modelChain", [*sums, last]),
            functionName="classification" if self.ensemble.classes else "regression",
            **self.context,
        )

    def _name(self, score: int) -> str:
        return self.score if self.ensemble.n_scores == 1 else f"{self.score}{score}"

    def _last_schema(self, scores: Sequence[int]) -> Iterator[str]:
        fields = [element("MiningField", name=self._name(k)) for k in scores]
        target = element("MiningField", name=self.target, usageType="target")
        return element("MiningSchema", *fields, target)

    def _regression(self, pairs: Sequence[tuple[object, int]], method: str) -> Iterator[str]:
        """Write what makes a number of one score, or the class of the largest."""
        tables = []
        for label, k in pairs:
            predictor = element(
                "NumericPredictor",
                name=self._name(k),
                coefficient=repr(self.ensemble.factor if label is None else 1.0),
            )
            category = None if label is None else label_word(label)  # type: ignore[arg-type]
            tables.append(
                element("RegressionTable", predictor, intercept="0.0", targetCategory=category)
            )
        return element(
            "RegressionModel",
            self._last_schema([k for _, k in pairs]),
            *tables,
            functionName="regression" if pairs[0][0] is None else "classification",
            normalizationMethod=method,
            **self.context,
        )

    def _cuts(self) -> Iterator[str]:
        """Write the classes of ranges of the score: whatever is at most a cut, and the rest."""
        own = self.ensemble
        nodes = []
        for k, label in enumerate(own.classes):
            condition = element("True")
            if k < len(own.rule.cuts):
                cut = repr(own.rule.cuts[k])
                condition = element(
                    "SimplePredicate", field=self._name(0), operator="lessOrEqual", value=cut
                )
            nodes.append(element("Node", condition, score=label_word(label)))
        return element(
            "TreeModel",
            self._last_schema([0]),
            element("Node", element("True"), *nodes),
            functionName="classification",
            missingValueStrategy="nullPrediction",
            splitCharacteristic="multiSplit",
            **self.context,
        )

    # -- averages of shares -----------------------------------------------------------------------

    def _averages(self) -> bool:
        """Whether it is an average of shares of classes, as forests are."""
        own, adding = self.ensemble, self.ensemble.adding
        if (own.scores >= 0).any() or any(adding.base) or own.link != "identity" or self.single:
            return False
        if adding.divisor != own.n_trees and own.whole.slack.any():
            return False
        return all((v >= 0).all() and (np.abs(v.sum(axis=1) - 1) < 1e-9).all() for v in own.values)

    def _average(self) -> Iterator[str]:
        own = self.ensemble
        parts = [self._shares(t, v) for t, v in zip(own.trees, own.values, strict=True)]
        return element(
            "MiningModel",
            schema(self.features, self.target),
            self._segmentation("average", parts),
            functionName="classification",
        )

    def _shares(self, tree: TreeKernel, values: np.ndarray) -> Iterator[str]:
        def leaf(node: int) -> tuple[str, list[str]]:
            own = values[tree.leaf_class[node]].tolist()
            lines = [
                line
                for label, share in zip(self.ensemble.classes, own, strict=True)
                for line in element(
                    "ScoreDistribution",
                    value=label_word(label),
                    recordCount=repr(share),
                    probability=repr(share),
                )
            ]
            return label_word(self.ensemble.classes[int(np.argmax(own))]), lines

        return tree_model(tree, None, leaf, numbers=False)
