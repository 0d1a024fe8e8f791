"""Kernel: what the rooms ask of a model, be it a tree or a sum of trees.

In:  a ``TreeKernel``, or a ``SumKernel``.
Out: ``Kernel``, the protocol that both satisfy; ``as_sum``: a tree as a sum of one, for what is
     written for sums only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from .bins import Bins
from .ensemble import Adding, Rule, SumKernel
from .facts.language import Fact
from .feature import Label
from .space import Space
from .tree import Task, TreeKernel

__all__ = ["Kernel", "as_sum"]


class Kernel(Protocol):
    """A function from rows to answers, over a space: one tree, or a sum of trees."""

    @property
    def space(self) -> Space:
        """The features, how columns describe them, and the facts."""

    @property
    def classes(self) -> tuple[Label, ...]:
        """What it can answer; empty for sums of numbers."""

    @property
    def task(self) -> Task:
        """Whether it tells classes from each other, or gives numbers."""

    @property
    def labels(self) -> NDArray[Any]:
        """The classes as an array, for results."""

    @property
    def trees(self) -> tuple[TreeKernel, ...]:
        """The trees that it consists of; one, or those that are added up."""

    @property
    def used(self) -> tuple[int, ...]:
        """Positions of the features that it asks about."""

    @property
    def features(self) -> tuple[str, ...]:
        """Their names, in the order of the space."""

    @property
    def connected(self) -> tuple[int, ...]:
        """Positions of the features that facts are about: rows are read with them."""

    @property
    def bins(self) -> Bins:
        """Its conditions over the bins into which they cut each feature."""

    def over(self, space: Space) -> Self:
        """Convert to another space that has its features, by name."""

    def with_facts(self, facts: Iterable[Fact | str]) -> Self:
        """Return the same function over its space with more facts."""

    def discretize(self, levels: Sequence[float], labels: Sequence[Any] | None = None) -> Self:
        """Return into which interval between levels the number falls, as classes."""

    def around(self, lower: float, upper: float) -> Self:
        """Return three classes: below an interval, inside it ("10 to 14"), above it."""

    def decide_at(self, label: Any, probability: float) -> Self:
        """Return whether the probability of a class is at least this: False or True."""

    def to_dict(self) -> Mapping[str, Any]:
        """Return what JSON needs to write it (docs/formats)."""

    def to_json(self) -> str:
        """Write it as versioned JSON."""


def as_sum(kernel: Kernel) -> SumKernel:
    """Return a tree as a sum of one: each leaf votes for its class, or adds its number.

    A sum of trees is returned as it is.
    """
    if isinstance(kernel, SumKernel):
        return kernel
    assert isinstance(kernel, TreeKernel)
    leaves = kernel.feature < 0
    which = kernel.leaf_class[leaves]
    plain = kernel.replace(
        classes=range(kernel.n_leaves),
        leaf_class=kernel.numbered_leaves.leaf_class,
        distribution=None,
        task="classification",
    )
    if kernel.task == "regression":
        numbers = kernel.numbers[which]
        return SumKernel([plain], [numbers], adding=Adding(), rule=Rule("number"))
    n = len(kernel.classes)
    return SumKernel(
        [plain],
        [np.eye(n)[which]],
        classes=kernel.classes,
        adding=Adding(base=(0.0,) * n),
        rule=Rule("largest"),
    )
