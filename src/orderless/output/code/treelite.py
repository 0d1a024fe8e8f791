"""What a tree or an ensemble decides, as a model of treelite.

In:  a ``Tree`` or an ``Ensemble``.
Out: ``treelite.Model``. Columns are the features of the space, in order, as numbers; its classes
     are 0, 1, ... in the order of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidSpace, InvalidTree
from ...inputs import import_optional
from .onnx import floats_of
from .onnx_ensemble import leaf_values, parts_with_base
from .onnx_graph import Floats, codes_of
from .onnx_trees import asks
from .plain import plain

if TYPE_CHECKING:
    from ...model import Ensemble, Tree

__all__ = ["ensemble_as_treelite", "tree_as_treelite"]


def tree_as_treelite(tree: Tree, floats: Floats | None = None) -> Any:
    """Give a model of treelite that decides as the tree; see ``Tree.to_treelite``."""
    tree = plain(tree, "to_treelite")
    precision = floats_of(tree, floats, tree.used)
    if tree.task == "regression":
        numbers = np.array(tree.classes, dtype=np.float64)
        if precision == "float32" and (numbers.astype(np.float32) != numbers).any():
            precision = "float64"
        build = _Builder(tree, precision, 1, task="kRegressor")
        build.add(tree, [numbers[[c]] if c >= 0 else None for c in tree.leaf_class.tolist()], 0)
        return build.done("identity")
    n = max(len(tree.classes), 2)
    build = _Builder(tree, precision, n, task="kMultiClf", vectors=True)
    shares = np.eye(n)
    build.add(tree, [shares[c] if c >= 0 else None for c in tree.leaf_class.tolist()], -1)
    return build.done("identity_multiclass")


def ensemble_as_treelite(ensemble: Ensemble) -> Any:
    """Give a model of treelite with the sums of an ensemble; see ``Ensemble.to_treelite``."""
    ensemble = plain(ensemble, "to_treelite")
    adding, rule = ensemble.adding, ensemble.rule
    average = adding.divisor != 1
    if average and (adding.divisor != ensemble.n_trees or any(adding.base)):
        raise InvalidTree(
            f"this model divides its sum by {adding.divisor:g}, and treelite only by the number of "
            "trees, before a base is added"
        )
    if rule.kind == "number" and (ensemble.link != "identity" or ensemble.factor != 1):
        raise InvalidTree(
            f"this model gives the function {ensemble.link!r} of a sum, which treelite rounds in "
            "its own way, so that it cannot have it exactly"
        )
    if rule.kind == "cuts" and (len(rule.cuts) != 1 or not 0 <= rule.cuts[0] < 1e-6):
        raise InvalidTree(
            f"this model cuts its score at {list(rule.cuts)!s:.80}, and treelite has two classes, "
            "which part at 0"
        )
    n = ensemble.n_scores
    task = {"largest": "kMultiClf", "cuts": "kBinaryClf", "number": "kRegressor"}[rule.kind]
    vectors = average and n > 1
    build = _Builder(ensemble.trees[0], adding.precision, n, task=task, vectors=vectors,
                     average=average)  # fmt: skip
    if vectors or average:
        for tree, own in zip(ensemble.trees, ensemble.values, strict=True):
            by_node = leaf_values(tree, own)
            build.add(tree, list(by_node), -1 if vectors else 0)
    else:
        for tree, values, k in parts_with_base(ensemble):
            build.add(tree, [np.array([v]) for v in values.tolist()], k)
    after = {"kMultiClf": "identity_multiclass", "kBinaryClf": "sigmoid", "kRegressor": "identity"}
    return build.done(after[task])


class _Builder:
    """Collects trees, and hands them to treelite's builder in the end, which wants their number."""

    def __init__(
        self, like: Tree, floats: Floats, n: int, *, task: str, vectors: bool = False,
        average: bool = False,
    ) -> None:  # fmt: skip
        self._library = import_optional("treelite", needed_for="writing a model of treelite")
        self.space, self.floats, self.n = like.space, floats, n
        self.task, self.vectors, self.average = task, vectors, average
        self._trees: list[tuple[Tree, list[Any], int]] = []
        for feature in like.space.features:
            codes = codes_of(feature)
            if codes is not None and (isinstance(feature.categories[0], str) or min(codes) < 0):
                raise InvalidSpace(
                    f"the feature {feature.name!r} has the categories "
                    f"{list(feature.categories)!s:.80}, and those of treelite are whole numbers "
                    "from 0 on: encode them first"
                )

    def add(self, tree: Tree, values: list[Any], score: int) -> None:
        """Add a tree: per node what a leaf says, and to which score; -1: to all."""
        self._trees.append((tree, values, score))

    def done(self, postprocessor: str) -> Any:
        """Give the model."""
        from treelite import model_builder as own

        shape = (1, self.n) if self.vectors else (1, 1)
        builder: Any = own.ModelBuilder(
            threshold_type=self.floats,
            leaf_output_type=self.floats,
            metadata=own.Metadata(len(self.space), self.task, self.average, 1, [self.n], shape),
            tree_annotation=own.TreeAnnotation(
                len(self._trees), [0] * len(self._trees), [score for *_, score in self._trees]
            ),
            postprocessor=own.PostProcessorFunc(postprocessor),
            base_scores=[0.0] * self.n,
        )
        for tree, values, _ in self._trees:
            builder.start_tree()
            tests = asks(tree, self.floats)
            for node in range(tree.n_nodes):
                builder.start_node(node)
                if node not in tests:
                    value = values[node]
                    builder.leaf(value.tolist() if self.vectors else float(value[0]))
                else:
                    self._test(builder, tests[node])
                builder.end_node()
            builder.end_tree()
        return builder.commit()

    def _test(self, builder: Any, test: Any) -> None:
        sides = {"left_child_key": test.true, "right_child_key": test.false}
        if test.members is not None:
            builder.categorical_test(
                test.column, default_left=test.nan_true, category_list=test.members,
                category_list_right_child=False, **sides,
            )  # fmt: skip
        else:
            builder.numerical_test(
                test.column, test.number, default_left=test.nan_true, opname="<=", **sides
            )
