"""One space for several trees, so that they can be compared.

In:  trees over different spaces.
Out: the same trees over one space: the features that any of them asks about, by name, each with the
     values that it has in all spaces (docs/decisions/0011).
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from .feature import Feature, Label, shared_feature, value_in
from .space import Space
from .tree import TreeKernel

__all__ = ["over_common_space"]


def over_common_space(trees: list[TreeKernel]) -> list[TreeKernel]:
    """State trees over one space: all features that any of them uses, with the values all allow.

    Its facts are those of all of them, with the features that these are about.
    """
    spaces = list({id(tree.space): tree.space for tree in trees}.values())
    if all(space == spaces[0] for space in spaces[1:]):
        return trees
    _warn_of_made_up_names(spaces)
    used = {name for tree in trees for name in tree.features}
    facts = list(dict.fromkeys(fact for space in spaces for fact in space.facts))
    used |= {space.names[i] for space in spaces for i in space.domain.group_of}
    by_name: dict[str, dict[Feature, None]] = {}
    for space in spaces:
        for feature in space.features:
            if feature.name in used:
                by_name.setdefault(feature.name, {})[feature] = None
    shared = Space([_common(list(features), trees) for features in by_name.values()], facts=facts)
    return [tree.over(shared) for tree in trees]


def _common(features: list[Feature], trees: Sequence[TreeKernel]) -> Feature:
    """Give the feature whose values are those that features of one name have in common."""
    ordered = [feature for feature in features if feature.ordered]
    categorical = [feature for feature in features if not feature.ordered]
    parts = [reduce(shared_feature, part) for part in (ordered, categorical) if part]
    if len(parts) == 2 and parts[1].other:
        return _listed_and_others(parts[0], parts[1], trees)
    return reduce(shared_feature, parts)


def _listed_and_others(numbers: Feature, labels: Feature, trees: Sequence[TreeKernel]) -> Feature:
    """Give the numbers that a categorical feature lists, and one of each kind that it does not.

    Where the categorical feature has other values, every number is a value of both; only whole
    numbers are where its categories are whole numbers, among which a fraction is no value. Numbers
    that are not listed, and lie between the same two thresholds, are alike to all trees: one stands
    for them all.
    """
    if labels.whole_categories and numbers.kind == "numeric":
        numbers = shared_feature(numbers, replace(numbers, values="integer"))
    low, high = numbers.bounds
    listed: list[Label] = [
        label
        for label in labels.categories
        if not isinstance(label, str)
        and (not numbers.whole or (label == int(label) and low < label <= high))
    ]
    cuts = _cuts(numbers, trees)
    others = [_unlisted(numbers, listed, a, b) for a, b in itertools.pairwise([low, *cuts, high])]
    categories = (*listed, *(value for value in others if value is not None))
    nan = numbers.nan and labels.nan
    return Feature(numbers.name, "categorical", categories=categories, nan=nan)


def _cuts(numbers: Feature, trees: Sequence[TreeKernel]) -> list[float]:
    """Give the boundaries that the trees draw among a feature's numbers."""
    low, high = numbers.bounds
    found: set[float] = set()
    for tree in trees:
        if numbers.name in tree.features and tree.space[numbers.name].ordered:
            nodes = tree.feature == tree.space.index(numbers.name)
            found.update(numbers.at_most(tree.row_threshold[nodes]).tolist())
    return sorted(cut for cut in found if low < cut < high)


def _unlisted(numbers: Feature, listed: Sequence[Label], low: float, high: float) -> float | None:
    """Give a number above ``low`` and up to ``high`` that is not listed, if there is one."""
    known = np.array([float(label) for label in listed])
    ends = {*numbers.at_most(known).tolist(), *numbers.at_most(known, strict=True).tolist()}
    parts = [low, *sorted(end for end in ends if low < end < high), high]
    for a, b in [(low, high), *itertools.pairwise(parts)]:
        value: float = value_in(numbers, [], a, b, False, [], rounded=False)
        if value not in listed and math.isfinite(value):
            return value
    return None


def _warn_of_made_up_names(spaces: Sequence[Space]) -> None:
    """Say so when one tree has names and another only has x0, x1, ... for as many columns."""
    made_up = [s for s in spaces if s.names == tuple(f"x{i}" for i in range(len(s)))]
    named = [s for s in spaces if s not in made_up]
    for space in made_up:
        for other in named:
            if len(space) == len(other) > 0 and not set(space.names) & set(other.names):
                warnings.warn(
                    f"features compare by name, and one tree has {other.names[0]!r}, ... where "
                    f"another, fitted without names, has {space.names[0]!r}, ...: if they mean the "
                    "same columns, read the other with feature_names=",
                    UserWarning,
                    stacklevel=4,
                )
                return
