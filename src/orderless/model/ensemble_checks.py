"""What an ensemble must be: leaves and values, scores and rule fit together.

In:  what a reader, a person or a file hands to ``Ensemble``.
Out: nothing, or an ``InvalidTree`` that says what does not fit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, a_kind
from .arrays import Floats
from .rule import Link, Rule
from .tree import TreeKernel
from .whole_numbers import Adding

__all__ = [
    "check_adding",
    "check_link",
    "check_rule",
    "check_scores",
    "check_trees",
    "check_values",
]

PRECISIONS = ("float64", "float32")
KINDS = ("largest", "cuts", "number")


def check_trees(trees: Sequence[Any]) -> None:
    """Refuse what are not trees over one space."""
    if not trees:
        raise InvalidTree("an ensemble must have at least one tree")
    for tree in trees:
        if not isinstance(tree, TreeKernel):
            raise InvalidTree(f"an ensemble must consist of trees, got {a_kind(tree)}")
        if tree.space != trees[0].space:
            raise InvalidTree(
                "all trees of an ensemble must be over one space: convert them with "
                "tree.over(space)"
            )


def check_adding(adding: Any) -> None:
    """Refuse a way of adding that no library has."""
    if not isinstance(adding, Adding):
        raise InvalidTree(f"adding must be an Adding, got {a_kind(adding)}")
    if adding.precision not in PRECISIONS:
        raise InvalidTree(f"precision must be one of {PRECISIONS}, got {adding.precision!r:.80}")
    if not adding.base or not all(_is_number(number) for number in adding.base):
        raise InvalidTree(
            f"base must be a tuple of finite numbers, one for each score, got {adding.base!r:.80}"
        )
    if not _is_number(adding.divisor) or adding.divisor <= 0:
        raise InvalidTree(f"divisor must be a number above 0, got {adding.divisor!r:.80}")


def check_values(trees: Sequence[TreeKernel], values: Sequence[Floats], adding: Adding) -> None:
    """Refuse values that are not one finite number for each leaf and score."""
    if len(trees) != len(values):
        raise InvalidTree(f"there are {len(trees)} trees, and values of {len(values)}")
    for i, (tree, own) in enumerate(zip(trees, values, strict=True)):
        if len(tree.classes) != len(own):
            raise InvalidTree(
                f"tree {i} numbers {len(tree.classes)} leaves and {len(own)} have values"
            )
    if not all(np.isfinite(own).all() for own in values):
        raise InvalidTree("what leaves add must be finite numbers: fit or save the model again")
    with np.errstate(over="ignore"):
        most = sum(np.abs(own).max(axis=0, initial=0.0) for own in values) + np.abs(adding.base)
    if not (most < np.finfo(adding.precision).max / 2).all():
        raise InvalidTree(
            f"sums of this model can be larger than {adding.precision} holds: what leaves add, and "
            "the base, must be smaller"
        )
    if adding.precision == "float32":
        every = np.concatenate([*(own.ravel() for own in values), np.array(adding.base)])
        with np.errstate(over="ignore"):
            other = every[every.astype(np.float32) != every]
        if len(other):
            raise InvalidTree(
                f"a model that adds float32 has only such numbers, got {other[0]!r}: round what "
                "leaves add, and the base, to float32"
            )


def check_scores(scores: Any, values: Sequence[Floats]) -> NDArray[np.int32]:
    """Give the only score that each tree adds to, -1 for all."""
    if scores is None:
        return np.full(len(values), -1, dtype=np.int32)
    given = np.array(scores)
    n_scores = values[0].shape[1]
    if given.shape != (len(values),) or given.dtype.kind not in "iu":
        raise InvalidTree(f"scores must be a whole number for each tree, got {scores!r:.80}")
    if (given < -1).any() or (given >= n_scores).any():
        raise InvalidTree(
            f"scores must be -1 (all) or 0 to {n_scores - 1}, got {given.min()} to {given.max()}"
        )
    for i, (only, own) in enumerate(zip(given.tolist(), values, strict=True)):
        if only >= 0 and np.delete(own, only, axis=1).any():
            raise InvalidTree(f"tree {i} adds to score {only} only, and has values of others")
    return given.astype(np.int32)


def check_rule(rule: Any, n_scores: int, n_classes: int) -> None:
    """Refuse a rule that does not fit the scores and the classes; 0 classes: numbers."""
    kind = getattr(rule, "kind", None)
    if kind not in KINDS:
        raise InvalidTree(f"the kind of the rule must be one of {KINDS}, got {kind!r:.80}")
    if not _is_number(rule.window) or rule.window < 0:
        raise InvalidTree(
            f"the window of the rule must be a number of at least 0, got {rule.window!r:.80}"
        )
    if not isinstance(rule.either, bool):
        raise InvalidTree(f"either of the rule must be true or false, got {rule.either!r:.80}")
    if (kind == "number") != (n_classes == 0):
        raise InvalidTree(
            "a model of numbers has the rule 'number' and no classes, every other one has classes: "
            f"got {kind!r} and {n_classes} classes"
        )
    _check_cuts(rule, n_scores, n_classes)


def _check_cuts(rule: Rule, n_scores: int, n_classes: int) -> None:
    if rule.kind == "largest" and n_scores != n_classes:
        raise InvalidTree(
            f"the largest of {n_scores} scores is one of as many classes, got {n_classes}"
        )
    if rule.kind != "largest" and n_scores != 1:
        raise InvalidTree(f"the rule {rule.kind!r} is about one score, got {n_scores}")
    if rule.kind != "cuts" and len(rule.cuts):
        raise InvalidTree(f"the rule {rule.kind!r} has no cuts, got {rule.cuts!r:.80}")
    if rule.kind == "cuts":
        if not all(_is_number(cut) for cut in rule.cuts) or any(
            low >= high for low, high in itertools.pairwise(rule.cuts)
        ):
            raise InvalidTree(f"cuts must be finite numbers that rise, got {rule.cuts!r:.80}")
        if len(rule.cuts) + 1 != n_classes:
            raise InvalidTree(
                f"{len(rule.cuts)} cuts make {len(rule.cuts) + 1} classes, got {n_classes}"
            )


def check_link(link: Any, factor: Any) -> None:
    """Refuse a link that is not known."""
    known = get_args(Link)
    if link not in known:
        raise InvalidTree(f"link must be one of {known}, got {link!r:.80}")
    if not _is_number(factor) or factor <= 0:
        raise InvalidTree(f"factor must be a finite number above 0, got {factor!r:.80}")


def _is_number(value: Any) -> bool:
    plain = isinstance(value, int | float | np.integer | np.floating)
    return plain and not isinstance(value, bool) and math.isfinite(value)
