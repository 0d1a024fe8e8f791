"""The last model of a chain: what makes a class, or a number, of one or more sums.

In:  a ``RegressionModel`` or ``TreeModel`` that takes the outputs of the models before it.
Out: ``Outcome``: which sums are the scores, and how they become a class or a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import UnreadableModel
from ...model import Label, Link, Rule
from ..build import Table, TreeBuilder
from ..pmml.columns import Column
from ..pmml.derived import field_of_column
from ..pmml.document import Element
from ..pmml.models import Model
from ..pmml.trees import nodes_of, said_label
from ..pmml.unfold import Unfolding
from ..pmml.values import label_of, number_of

__all__ = ["Outcome", "last_model"]

LINKS: dict[str, Link] = {"none": "identity", "": "identity", "exp": "exp", "logit": "logistic",
                          "softmax": "logistic"}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """How scores become a class or a number; ``added`` is added to each score before."""

    classes: Sequence[Label] | None
    rule: Rule
    link: Link = "identity"
    factor: float = 1.0
    added: tuple[float, ...] = ()

    def intercepts(self, n: int) -> tuple[float, ...]:
        """Give what is added to each of n scores."""
        return self.added or (0.0,) * n


def last_model(last: Model, outputs: Sequence[str], whole: Model) -> tuple[list[str], Outcome]:
    """Read the last model of a chain; gives the outputs that are its scores, in order."""
    name = last.element.name
    if name == "TreeModel" and last.classifies:
        return _cuts(last, outputs)
    if name != "RegressionModel":
        raise UnreadableModel(
            f"a chain of models ends in a {name!s:.40}, and read are a RegressionModel, and a "
            "TreeModel that asks about one sum"
        )
    method = last.element.get("normalizationMethod")
    tables = list(last.element.all("RegressionTable"))
    if not last.classifies:
        if len(tables) != 1 or method not in LINKS:
            raise UnreadableModel(
                f"a RegressionModel has {len(tables)} tables and normalizationMethod={method!r:.40}"
            )
        used, added, factor = _one(tables[0], outputs)
        return [used], Outcome(None, Rule("number"), LINKS[method], factor, (added,))
    return _classes(tables, method, outputs, whole, single=last.single)


def _classes(
    tables: Sequence[Element], method: str, outputs: Sequence[str], whole: Model, *, single: bool
) -> tuple[list[str], Outcome]:
    labels = [label_of(t.get("targetCategory"), whole.target_type, "a class") for t in tables]
    near = 2.0**-21 if single else 2.0**-50  # of which probabilities may be equal
    if method in ("logit", "softmax") and len(tables) == 2 and not tables[1].children:
        used, added, factor = _one(tables[0], outputs)
        added -= number_of(tables[1].get("intercept", "0"), "intercept")
        if factor != 1.0:
            near /= factor
        rule = Rule("cuts", (0.0,), near, True)
        return [used], Outcome(labels[::-1], rule, "logistic", factor, (added / factor,))
    if method not in ("softmax", "none", "") or len(tables) < 2:
        raise UnreadableModel(
            f"a RegressionModel of {len(tables)} classes has normalizationMethod={method!r:.40}, "
            "and read are softmax and none, and logit of two classes of which the second has no "
            "predictor"
        )
    parts = [_one(table, outputs) for table in tables]
    if len({used for used, _, _ in parts}) != len(parts) or any(f != 1.0 for _, _, f in parts):
        raise UnreadableModel("each class must have one sum of its own, with the coefficient 1")
    if whole.classes is not None and set(labels) == set(whole.classes):
        order = [labels.index(label) for label in whole.classes]
        labels, parts = [labels[k] for k in order], [parts[k] for k in order]
    rule = Rule("largest", window=near if method == "softmax" else 0.0)
    link: Link = "softmax" if method == "softmax" else "identity"
    return [used for used, _, _ in parts], Outcome(
        labels, rule, link, added=tuple(added for _, added, _ in parts)
    )


def _one(table: Element, outputs: Sequence[str]) -> tuple[str, float, float]:
    """Give the only predictor of a table, the intercept and the coefficient."""
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


def _cuts(last: Model, outputs: Sequence[str]) -> tuple[list[str], Outcome]:
    """Read a tree that asks about one sum: classes of intervals."""
    if len(outputs) != 1:
        raise UnreadableModel("a chain ends in a TreeModel, and read is that of one sum")
    column = Column(outputs[0], 0, "float" if last.single else "double")
    own = Model(
        last.element, [column], {column.name: field_of_column(column)}, last.target_type,
        last.classes, last.single,
    )  # fmt: skip
    builder = TreeBuilder(Table(1))
    labels: list[Label] = []
    for node in Unfolding([column]).leaves(builder, nodes_of(own)):
        builder.leaf_number(len(labels))
        labels.append(said_label(None if node is None else node.said, own))
    tree = builder.finish(range(len(labels)))
    bounds = np.unique(tree.at_most[(tree.column >= 0) & np.isfinite(tree.at_most)])
    found = [_label_at(tree, labels, float(low)) for low in (*bounds, np.inf)]
    kept = [k for k in range(len(bounds)) if found[k] != found[k + 1]]
    classes = [*(found[k] for k in kept), found[-1]]
    if len(set(classes)) != len(classes):
        raise UnreadableModel("a chain gives one class for several ranges of its sum")
    return list(outputs), Outcome(classes, Rule("cuts", tuple(float(bounds[k]) for k in kept)))


def _label_at(tree: object, labels: Sequence[Label], number: float) -> Label:
    """Give the class of a number."""
    at = 0
    while tree.column[at] >= 0:  # type: ignore[attr-defined]
        holds = number <= tree.at_most[at]  # type: ignore[attr-defined]
        at = int((tree.when_true if holds else tree.when_false)[at])  # type: ignore[attr-defined]
    return labels[int(tree.leaf_class[at])]  # type: ignore[attr-defined]
