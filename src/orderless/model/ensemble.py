"""SumKernel: the one internal form of every model that adds up trees.

In:  trees over one space whose leaves are numbered, and what each leaf adds; from a reader or by
     hand; how the library adds, and how scores become a class or a number.
Out: ``SumKernel``: immutable, checked once; what rooms compute with. Sums in integers of a common
     unit, and how far the library's sums can be from them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidTree, a_kind
from . import formats as serial
from .arrays import Flags, Floats, Nodes
from .bins import Bins
from .bisect import last_before_change
from .facts.language import Fact
from .feature import Label
from .numbers import (
    around_labels,
    level_labels,
    place_of,
    read_levels,
    read_probability,
    row_boundary,
)
from .space import Space
from .tree import Task, TreeKernel, labels_array, read_classes

if TYPE_CHECKING:
    from .._core.ensembles import RowBins, Sum
    from .facts.cells import FactTrees

__all__ = [
    "ENSEMBLE_FORMAT",
    "IN_PAGES",
    "Adding",
    "Link",
    "Rule",
    "SumKernel",
    "Whole",
    "in_units",
]

ROOM = 60  # bits that all leaves together may take
IN_PAGES = 50  # in scripts: differences of two sums, and of bounds, stay below 2^53
WITH_FACTS = 54  # where facts hold; sums that are exact take no more than 53
DIGITS = {"float64": 53, "float32": 24}
BEYOND = 2**61  # no two sums are as far from each other; twice as much still fits int64
LEAST = -1074  # the exponent of the smallest float64


class Adding(NamedTuple):
    """How the library adds up what the leaves say: in which order, and how it rounds.

    Attributes
    ----------
    precision : in which every sum is kept; leaves and base are numbers of this precision
    base : per score where the sum begins
    base_last : the sum begins at 0, and the base is added after the last tree
    divisor : by which the sum is divided in the end, which rounds it once more; 1 where it is not
    """

    precision: Literal["float64", "float32"] = "float64"
    base: tuple[float, ...] = (0.0,)
    base_last: bool = False
    divisor: float = 1.0


class Whole(NamedTuple):
    """What leaves add, as multiples of ``2 ** exponent``.

    Attributes
    ----------
    exponent : of the unit
    values : all leaves, one tree after the other, x scores
    base : per score
    slack : per score how far, in units, the library's sum can be from the sum of these, and by how
        much two sums can differ that are equal once they are divided; 0: its sums are exact
    """

    exponent: int
    values: NDArray[np.int64]
    base: NDArray[np.int64]
    slack: NDArray[np.int64]


def whole_numbers(values: Sequence[Floats], adding: Adding, bits: int = ROOM) -> Whole:
    """Choose the unit, and say what rounding can hide.

    Where all numbers are multiples of a unit so large that the library adds them without rounding
    (shares of 0 and 1, points), the slack is 0. Otherwise it bounds the sum of what each addition
    can round, what rounding to the unit adds, and what the division can make equal: two quotients
    round to one number only if the sums differ by at most 2^-52 of the larger.

    Examples
    --------
    >>> whole = whole_numbers([np.array([[0.5], [1.0]]), np.array([[0.25]])], Adding())
    >>> whole.exponent, whole.values.ravel().tolist(), whole.slack.tolist()
    (-2, [2, 4, 1], [0])
    """
    base = np.array(adding.base, dtype=np.float64)
    every = np.concatenate([*values, base[None, :]])
    largest = [np.abs(own).max(axis=0, initial=0.0) for own in values]
    order = [*largest, np.abs(base)] if adding.base_last else [np.abs(base), *largest]
    partial = np.cumsum(order, axis=0)  # the largest that each partial sum can be
    top = float(partial[-1].max())
    if top == 0.0:
        zeros = np.zeros(every.shape, dtype=np.int64)
        return Whole(0, zeros[:-1], zeros[-1], np.zeros(len(base), dtype=np.int64))
    finest = _finest(every)
    digits = DIGITS[adding.precision]
    room = math.frexp(top)[1]  # top < 2 ** room
    merges = math.frexp(adding.divisor)[0] != 0.5  # dividing by a power of two rounds nothing
    if room - finest <= min(digits - merges, bits):
        scaled = np.ldexp(every, -finest).astype(np.int64)
        return Whole(finest, scaled[:-1], scaled[-1], np.zeros(len(base), dtype=np.int64))
    exponent = max(room - bits, LEAST)
    scaled = np.rint(np.ldexp(every, -exponent)).astype(np.int64)
    # One half unit in the last place for each addition, and for the division.
    additions = partial[1:].sum(axis=0) + merges * partial[-1]
    rounding = additions * 2.0**-digits * (1 + 2.0**-10)
    slack = np.ceil(np.ldexp(rounding, -exponent)) + len(order)
    return Whole(exponent, scaled[:-1], scaled[-1], slack.astype(np.int64))


def in_units(number: float, exponent: int) -> int:
    """Give a number in units of ``2 ** exponent``, rounded down, and not beyond what sums reach.

    Examples
    --------
    >>> in_units(0.75, -1), in_units(-0.75, -1), in_units(1e300, -1) == 2**61
    (1, -2, True)
    """
    numerator, denominator = float(number).as_integer_ratio()
    scaled = numerator * 2**-exponent if exponent < 0 else numerator
    whole = scaled // (denominator if exponent < 0 else denominator * 2**exponent)
    return max(-BEYOND, min(BEYOND, whole))


def _finest(numbers: Floats) -> int:
    """Give the largest exponent of a power of two of which all numbers are multiples."""
    some = np.unique(np.abs(numbers))
    mantissa, exponent = np.frexp(some[some > 0])
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    zeros = np.log2((whole & -whole).astype(np.float64)).astype(np.int64)  # a power of two: exact
    return int((exponent - 53 + zeros).min())


Link = Literal["identity", "logistic", "softmax", "exp"]


class Rule(NamedTuple):
    """How scores become a class, or a number.

    Attributes
    ----------
    kind : "largest": the class whose score is largest after it is divided, of equals the first.
        "cuts": of one score, the class whose number is how many cuts the score is above. "number":
        the score itself
    cuts : rising, compared with the undivided sum as the library keeps it
    window : sums that are this close, or closer, may be told apart or not: the library rounds again
        before it compares (a softmax), which keeps their order, or makes them equal
    either : of sums that close the later may even be put first: it is the sums themselves that the
        library rounds in another way (an average of averages)
    """

    kind: Literal["largest", "cuts", "number"]
    cuts: tuple[float, ...] = ()
    window: float = 0.0
    either: bool = False

    def window_in_units(self, exponent: int) -> int:
        """Give the window in units of ``2 ** exponent``, in which sums are whole numbers.

        Two of them are within the window if they are within the whole number below it. From a cut,
        which need not be whole, it is counted how far the whole numbers around it that are within
        the window are from the one below it.

        Examples
        --------
        >>> Rule("largest", window=0.1).window_in_units(0)
        0
        >>> Rule("cuts", (2.5,), window=0.1).window_in_units(0)
        0
        >>> Rule("cuts", (2.5, 3.0), window=0.1).window_in_units(0)
        1
        """
        near = in_units(self.window, exponent)
        if self.kind != "cuts" or self.window == 0:
            return near
        unit, window = Fraction(2) ** exponent, Fraction(self.window)
        for cut in map(Fraction, self.cuts):
            below = cut // unit
            near = max(near, (cut + window) // unit - below, below + 1 + (window - cut) // unit)
        return min(near, BEYOND)


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


ENSEMBLE_FORMAT = "orderless-ensemble"
VERSION = 1
KNOWING = 2  # with facts, which an older version would leave out without a word


def tree_in(entry: Any, space: Any) -> TreeKernel:
    """Read a tree, whose classes are the numbers of its values."""
    if not isinstance(entry, Mapping):
        raise InvalidTree(f"'trees' must be a list of objects, got {entry!r:.80}")
    n_values = len(serial.take(entry, "values", list))
    return TreeKernel.from_dict({**entry, "space": space, "classes": list(range(n_values))})


def refuse_more(what: str, entries: Mapping[str, Any], known: tuple[str, ...]) -> None:
    other = [name for name in entries if name not in known]
    if other:
        raise InvalidTree(f"{what!r} has the entry {other[0]!r:.80}; known are {list(known)}")


class SumKernel:
    """Trees whose leaves are added up; parameters are those of ``orderless.Ensemble``."""

    excluded: FactTrees | None = None  # what facts exclude, in an ensemble made for possible rows

    def __init__(
        self,
        trees: Sequence[TreeKernel],
        values: Sequence[ArrayLike],
        *,
        scores: Sequence[int] | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        adding: Adding,
        rule: Rule,
        link: Link = "identity",
        factor: float = 1.0,
    ) -> None:
        trees = tuple(trees)
        check_trees(trees)
        check_adding(adding)
        self.trees: tuple[TreeKernel, ...] = tuple(
            tree if tree.distribution is None else tree.replace(distribution=None) for tree in trees
        )
        self.space: Space = trees[0].space
        n_scores = len(adding.base)
        try:
            self.values: tuple[Floats, ...] = tuple(
                np.array(own, dtype=np.float64).reshape(-1, n_scores) for own in values
            )
        except (TypeError, ValueError) as fault:
            raise InvalidTree(
                f"values must be, for each tree, numbers of leaves x {n_scores} scores: {fault}"
            ) from fault
        check_values(trees, self.values, adding)
        self.scores = check_scores(scores, self.values)
        self.task: Task = "classification" if classes is not None else "regression"
        self.classes: tuple[Label, ...] = (
            () if classes is None else read_classes(classes, "classification")
        )
        check_rule(rule, n_scores, len(self.classes))
        check_link(link, factor)
        self.adding, self.rule, self.link, self.factor = adding, rule, link, float(factor)
        self._freeze()

    def replace(self, **changes: Any) -> SumKernel:
        """Make an ensemble that differs in some of the parameters that ``Ensemble`` takes."""
        own: dict[str, Any] = {
            "trees": self.trees,
            "values": self.values,
            "scores": self.scores,
            "classes": self.classes or None,
            "adding": self.adding,
            "rule": self.rule,
            "link": self.link,
            "factor": self.factor,
        }
        return SumKernel(**{**own, **changes})

    # -- the same names as a tree has, for all nodes one tree after the other --------------------

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """Where each tree begins among all nodes: its root."""
        return np.cumsum([0, *(tree.n_nodes for tree in self.trees)])[:-1].astype(np.int32)

    @cached_property
    def nodes(self) -> Nodes:
        """All nodes, one tree after the other; a leaf's class is its place among all values."""
        parts = [tree.nodes for tree in self.trees]
        first = np.cumsum([0, *(len(own) for own in self.values)])[:-1].tolist()

        def shifted(name: str, by: Sequence[int]) -> NDArray[Any]:
            arrays = (getattr(part, name) for part in parts)
            return np.concatenate(
                [np.where(a >= 0, a + b, -1) for a, b in zip(arrays, by, strict=True)]
            ).astype(np.int32)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        starts = self.starts.tolist()
        ends = np.cumsum([0, *(len(part.set_values) for part in parts)]).tolist()
        set_start = [part.set_start[:-1] + at for part, at in zip(parts, ends, strict=False)]
        return Nodes(
            joined("feature"),
            joined("threshold"),
            joined("nan_true"),
            shifted("when_true", starts),
            shifted("when_false", starts),
            shifted("leaf_class", first),
            np.concatenate([*set_start, [ends[-1]]]).astype(np.int64),
            joined("set_values"),
        )

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Positions of the features that it asks about."""
        return tuple(sorted({i for tree in self.trees for i in tree.used}))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Their names, in the order of the space."""
        return tuple(self.space.features[i].name for i in self.used)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Give the classes as an array, for results."""
        return labels_array(self.classes)

    @cached_property
    def bins(self) -> Bins:
        """The conditions of all trees cut each feature into bins."""
        return Bins(self)

    @cached_property
    def connected(self) -> tuple[int, ...]:
        """Positions of the features that facts are about: rows are read with them."""
        return tuple(sorted(self.space.domain.group_of))

    @cached_property
    def whole(self) -> Whole:
        """What leaves add, in whole numbers of a common unit, and what rounding can hide."""
        # What facts exclude is worth less than all sums, which takes some more bits.
        return whole_numbers(self.values, self.adding, WITH_FACTS if self.connected else ROOM)

    def whole_within(self, bits: int) -> Whole:
        """Give the same in a unit so coarse that no sum takes more than so many bits."""
        return whole_numbers(self.values, self.adding, bits)

    @cached_property
    def summed(self) -> Sum:
        """The same over bins, for the core: made once, asked many times."""
        return self._summed(self.whole)

    @cached_property
    def summed_as_in_pages(self) -> Sum:
        """The same in the unit of the page's script, for what has to have the same numbers."""
        return self._summed(self.whole_within(IN_PAGES))

    def cuts_in_units(self, exponent: int) -> list[int]:
        """Return the cuts rounded down to units of ``2 ** exponent``.

        A sum in such units is above a cut if it is above the cut rounded down.
        """
        return [in_units(cut, exponent) for cut in self.rule.cuts]

    def _summed(self, whole: Whole) -> Sum:
        adding, rule = self.adding, self.rule
        cuts = self.cuts_in_units(whole.exponent)
        return _core.ensembles.Sum(
            self.bins.nodes,
            self.bins.layout,
            self.starts,
            self.scores,
            np.concatenate(self.values),
            whole.values,
            np.array(adding.base, dtype=np.float64),
            whole.base,
            whole.slack,
            adding.precision == "float32",
            adding.base_last,
            float(adding.divisor),
            ("largest", "cuts", "number").index(rule.kind),
            np.array(rule.cuts, dtype=np.float64),
            np.array(cuts, dtype=np.int64),
            rule.window,
            rule.window_in_units(whole.exponent),
            rule.either,
            len(self.classes),
        )

    @cached_property
    def row_bins(self) -> RowBins:
        """How the values of rows fall into its bins, for the core."""
        bins, cuts, of_value = self.bins, [], []
        for feature, own, groups in zip(bins.features, bins.cuts, bins.groups, strict=True):
            codes = np.zeros(0 if feature.ordered else feature.n_values, dtype=np.int32)
            for b, group in enumerate(groups):
                codes[list(group)] = b
            cuts.append(np.ascontiguousarray(row_boundary(own, feature.values)))
            of_value.append(codes)
        positions = np.array(bins.positions, dtype=np.int32)
        return _core.ensembles.RowBins(self.summed, positions, cuts, of_value)

    # -- numbers and probabilities: what the library divides, stretches and links -----------------

    def divided(self, sums: Floats) -> Floats:
        """Divide sums as the library does, in its own precision."""
        adding = self.adding
        if adding.divisor == 1:
            return sums
        if adding.precision == "float32":
            return (sums.astype(np.float32) / np.float32(adding.divisor)).astype(np.float64)
        return sums / adding.divisor

    def linked(self, scores: Floats) -> Floats:
        """Return what the link makes of divided scores of which there is one for each row."""
        if self.link in ("identity", "softmax"):
            return scores * self.factor if self.factor != 1 else scores
        stretched = scores * self.factor
        with np.errstate(over="ignore", under="ignore"):
            if self.link == "exp":
                return np.exp(stretched)
            if self.adding.precision == "float64":
                from scipy.special import expit  # rounds as the libraries do, unlike numpy's exp

                return np.asarray(expit(stretched))
            single = np.float32(1)  # as XGBoost computes it
            powers = np.exp(-stretched).astype(np.float32)
            return (single / (single + powers)).astype(np.float64)

    def opposite(self, second: Floats) -> Floats:
        """Return the probability of the first of two classes, of that of the second."""
        if self.adding.precision == "float64":
            return 1 - second
        return (np.float32(1) - second.astype(np.float32)).astype(np.float64)

    def numbers_of(self, sums: Floats) -> Floats:
        """Return the numbers that a model of numbers makes of its sums (rows x 1)."""
        return self.linked(self.divided(sums[:, 0]))

    def probabilities(self, sums: Floats) -> Floats:
        """Return rows x classes: the probabilities that a classifier makes of its sums."""
        scores = self.divided(sums)
        if self.rule.kind == "cuts":
            second = self.linked(scores[:, 0])
            return np.stack([self.opposite(second), second], axis=1)
        if self.link == "identity":
            return self.linked(scores)
        stretched = scores * self.factor
        powers = np.exp(stretched - stretched.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def refuse_no_probabilities(self) -> None:
        """Refuse a model whose scores are no probabilities, nor become such."""
        if self.task == "regression":
            raise InvalidTree(
                "this model says numbers, not classes, so it has no probabilities: use "
                "predict_interval(X)"
            )
        if self.rule.kind == "cuts":
            if self.link == "logistic" and len(self.classes) == 2:
                return
        elif self.link == "softmax" or self._sums_to_one():
            return
        raise InvalidTree(
            "the scores of this model are no probabilities, nor does it make such of them: "
            "predict_interval(X, of='score') returns the scores"
        )

    def _sums_to_one(self) -> bool:
        """Whether all scores are at least 0, and add up to 1, whatever the leaves."""
        if self.link != "identity" or min(self.adding.base) < 0:
            return False
        total = sum(self.adding.base)
        for values in self.values:
            each = values.sum(axis=1)
            if (values < 0).any() or np.ptp(each) > 1e-6 * max(1.0, abs(each[0])):
                return False
            total += each[0]
        return bool(abs(total / self.adding.divisor * self.factor - 1) < 1e-6)

    # -- classes of numbers ----------------------------------------------------------------------

    def discretize(self, levels: Sequence[float], labels: Sequence[Any] | None = None) -> SumKernel:
        """Return into which interval the number falls, as classes; see ``Model.discretize``."""
        if self.task != "regression":
            raise InvalidTree(
                "only a model of numbers can be cut at levels, and this one says classes"
            )
        cuts = read_levels(levels)
        names = level_labels(cuts, labels)
        sums = [self._largest_sum(level) for level in cuts]
        if any(low >= high for low, high in itertools.pairwise(sums)):
            raise InvalidTree(
                f"the levels {cuts!r:.80} are so close that the model has no number between two "
                "of them"
            )
        return self._with_cuts(sums, names)

    def around(self, lower: float, upper: float) -> SumKernel:
        """Return three classes: below an interval, inside it ("10 to 14"), above it."""
        below = float(np.nextafter(lower, -np.inf))
        cuts = [self._largest_sum(below), self._largest_sum(upper)]
        return self._with_cuts(cuts, around_labels(lower, upper))

    def between(self, lower: float, upper: float) -> SumKernel | None:
        """Return classes of which class 1 is a number above one bound, up to the other.

        None if the model makes no such number of any sum. A bound may be infinite.
        """
        cuts = [self._largest_sum(bound) for bound in (lower, upper)]
        inside = cuts[0] < cuts[1]
        return self._with_cuts(cuts, ["below", "inside", "above"]) if inside else None

    def decide_at(self, label: Any, probability: float) -> SumKernel:
        """Return whether the probability is at least this; see ``Model.decide_at``."""
        index, level = place_of(self.classes, label), read_probability(probability)
        self.refuse_no_probabilities()
        if self.link == "softmax":
            raise InvalidTree(
                "the probabilities of this model come from a softmax of several scores, so that a "
                "cut-off is not a cut of one sum: ask predict_interval(X, of='probability')"
            )
        score = self._score_of(index)
        if self.rule.kind == "cuts":  # the first class is the more likely, the lower the sum is
            sign = 1.0 if index else -1.0

            def below(sums: Floats) -> Flags:
                return np.asarray(self.probabilities(sign * sums[:, None])[:, index] < level)

        else:

            def below(sums: Floats) -> Flags:
                return np.asarray(score.numbers_of(sums[:, None]) < level)

        return score._with_cuts([score._last_sum(below)], [False, True])

    def _score_of(self, index: int) -> SumKernel:
        """Return the model of numbers whose sum rises with the probability of a class."""
        if self.rule.kind == "cuts":
            sign = 1.0 if index else -1.0
            base, trees = sign * self.adding.base[0], self.trees
            values = [sign * own for own in self.values]
        else:
            base = self.adding.base[index]
            added = [t for t, score in enumerate(self.scores.tolist()) if score in (-1, index)]
            trees = tuple(self.trees[t] for t in added)
            values = [self.values[t][:, index : index + 1] for t in added]
        return SumKernel(
            trees,
            values,
            adding=self.adding._replace(base=(base,)),
            rule=Rule("number"),
            link=self.link,
            factor=self.factor,
        )

    def _with_cuts(self, cuts: Sequence[float], labels: Sequence[Any]) -> SumKernel:
        rule = Rule("cuts", cuts=tuple(cuts), window=self.rule.window)
        return self.replace(classes=labels, rule=rule, link="identity")

    def _largest_sum(self, level: float) -> float:
        """Return the largest sum of which the library makes a number of at most the level."""
        return self._last_sum(lambda sums: np.asarray(self.numbers_of(sums[:, None]) <= level))

    def _last_sum(self, holds: Callable[[Floats], Flags]) -> float:
        """Return the largest sum for which something holds that holds up to some sum.

        What the library makes of sums rises with them.
        """
        largest = sum(np.abs(values).max(initial=0.0) for values in self.values)
        reach = float(abs(self.adding.base[0]) + largest)
        low, high = -2 * reach - 1.0, 2 * reach + 1.0
        (last,), (at_low,), (always,) = last_before_change(
            lambda sums, _: holds(np.clip(sums, low, high)), 1
        )
        if always:
            return high if at_low else low
        return float(last)

    # -- what it is ------------------------------------------------------------------------------

    def over(self, space: Space) -> SumKernel:
        """Convert to another space that has its features, by name; see ``Ensemble.with_space``."""
        if space == self.space:
            return self
        return self.replace(trees=[tree.over(space) for tree in self.trees])

    def with_facts(self, facts: Iterable[Fact | str]) -> SumKernel:
        """Return the same sum over its space with more facts."""
        return self.over(self.space.with_facts(facts))

    @property
    def n_trees(self) -> int:
        """How many trees it has."""
        return len(self.trees)

    @property
    def n_scores(self) -> int:
        """How many scores its leaves add to."""
        return len(self.adding.base)

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        return [*self.values, self.scores]

    def _freeze(self) -> None:
        for array in self._arrays:
            array.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Give what it is made of; what it can compute again is not pickled."""
        made_again = {name for kind in type(self).__mro__ for name, member in vars(kind).items()
                      if isinstance(member, cached_property)}  # fmt: skip
        return {name: value for name, value in vars(self).items() if name not in made_again}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()  # copied and unpickled arrays can be written to

    def __eq__(self, other: object) -> bool:
        """Whether it is the same ensemble, tree by tree (``equivalent`` compares functions)."""
        if not isinstance(other, SumKernel):
            return NotImplemented
        return (
            self.trees == other.trees
            and self.classes == other.classes
            and [type(c) for c in self.classes] == [type(c) for c in other.classes]
            and (self.adding, self.rule, self.link, self.factor)
            == (other.adding, other.rule, other.link, other.factor)
            and all(map(np.array_equal, self._arrays, other._arrays))
        )

    def __hash__(self) -> int:
        return hash((self.trees, self.classes, self.rule, self.link))

    @property
    def _gives(self) -> str:
        return f"classes {list(self.classes)!s:.80}" if self.classes else "numbers"

    def __repr__(self) -> str:
        return (
            f"Ensemble({_counted(self.n_trees, 'tree')}, features {list(self.features)!s:.200}, "
            f"{self._gives})"
        )

    def __str__(self) -> str:
        """Say in a few lines what it consists of."""
        leaves = sum(tree.n_leaves for tree in self.trees)
        depth = max(tree.depth for tree in self.trees)
        how = {
            "largest": "the class of the largest score",
            "cuts": "the class of the interval that the score falls into",
            "number": "the score is the number",
        }[self.rule.kind]
        exact = "without rounding" if not self.whole.slack.any() else f"in {self.adding.precision}"
        return (
            f"{_counted(self.n_trees, 'tree')} with {_counted(leaves, 'leaf')}, at most {depth} "
            f"deep, over {_counted(len(self.used), 'feature')}: {list(self.features)!s:.200}\n"
            f"{self._gives}; {_counted(self.n_scores, 'score')}, added {exact}; {how}"
        )

    # -- files -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        own = self
        trees = []
        for tree, values, score in zip(own.trees, own.values, own.scores.tolist(), strict=True):
            content = tree.to_dict()
            del content["space"], content["classes"]
            entry = {**content, "values": values.tolist()}
            trees.append(entry if score < 0 else {**entry, "score": score})
        adding, rule = own.adding, own.rule
        return {
            "space": own.space.to_dict(),
            "classes": list(own.classes) or None,
            "adding": {**adding._asdict(), "base": list(adding.base)},
            "rule": {**rule._asdict(), "cuts": list(rule.cuts)},
            "link": own.link,
            "factor": own.factor,
            "trees": trees,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> SumKernel:
        """Read what ``to_dict`` gave. Anything else is an ``InvalidTree`` that says why."""
        with serial.Reading("an ensemble"):
            adding = dict(serial.take(content, "adding", dict))
            rule = dict(serial.take(content, "rule", dict))
            refuse_more("adding", adding, Adding._fields)
            refuse_more("rule", rule, Rule._fields)
            space = serial.take(content, "space", dict)
            entries = serial.take(content, "trees", list)
            trees = [tree_in(entry, space) for entry in entries]
            classes = content.get("classes")
            last = serial.take({"base_last": False, **adding}, "base_last", bool)
            return cls(
                trees,
                [serial.numbers(entry, "values", 2) for entry in entries],
                scores=[serial.take({"score": -1, **entry}, "score", int) for entry in entries],
                classes=None if classes is None else serial.take(content, "classes", list),
                adding=Adding(
                    **{**adding, "base": tuple(serial.numbers(adding, "base")), "base_last": last}
                ),
                rule=Rule(**{**rule, "cuts": tuple(serial.numbers({"cuts": [], **rule}, "cuts"))}),
                link=serial.take(content, "link", str),
                factor=content.get("factor", 1.0),
            )

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats); ``from_json`` gives back an equal one."""
        version = KNOWING if self.space.facts else VERSION
        return serial.dump(ENSEMBLE_FORMAT, version, self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = serial.LIMIT) -> SumKernel:
        """Read what ``to_json`` wrote. Anything else is an ``InvalidTree`` that says why.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        return cls.from_dict(serial.load(text, ENSEMBLE_FORMAT, (VERSION, KNOWING), limit=limit))


def _counted(n: int, noun: str) -> str:
    many = {"leaf": "leaves"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else many}"
