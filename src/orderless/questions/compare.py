"""Comparison: whether two models are the same function, on which rows they differ, and on how many.

In:  trees, sums of trees, or models that are read as such.
Out: yes or no, or ``Undecided``; a row on which they differ; the share on which they do; groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidTree, Undecided
from ..form import (
    cuts_by_feature,
    first_difference,
    rounded_alike,
    same_trees,
    share_of_trees,
    tree_groups,
)
from ..inputs import read_region, row_at, rows_for
from ..model import (
    TIME_LIMIT,
    Budget,
    Feature,
    Flags,
    Label,
    Side,
    Space,
    SumKernel,
    TreeKernel,
    adjusted_row,
    as_sum,
    example_row,
    in_budget,
    is_possible,
    over_common_space,
    value_at_most,
)
from ..readers import read_model
from .boxes import Cells, slices, undecided
from .joint import Joint
from .regions import box_in, region_trees, sides_of_cell, with_trees
from .rows import answer_of, predict
from .splitting import share_of_difference
from .summands import add_the_same, add_the_same_way

__all__ = [
    "ModelPair",
    "RowsOfBoth",
    "SumPair",
    "counterexample",
    "disagreement",
    "equivalent",
    "group_equivalent",
]

MAX_TRIED = 4096  # random cells that are looked at first
MAX_CHECKED = 64  # of those that differ, how many the facts are asked about
SEED = 18

Kernel = TreeKernel | SumKernel
Codes = NDArray[np.int32]
Box = dict[str, Side]
Row = dict[str, Any]


@in_budget
def equivalent(a: Any, b: Any, *, time_limit: float | None = TIME_LIMIT) -> bool:
    """Return whether two trees, or ensembles of trees, give every row the same class, or number.

    Features compare by name, classes by label; a class that no leaf predicts does not matter.
    Where a feature has other kinds of values in the two spaces (float32 in one and integer in the
    other, say), they are compared on the values that it has in both; a number that a categorical
    feature does not list is one of its other values (docs/decisions/0011).

    Parameters
    ----------
    a, b : Tree, CanonicalForm, Ensemble, or any model that ``read`` knows
    time_limit : float
        Seconds in all.

    Raises
    ------
    Undecided
        If neither a proof nor a row was found in time.

    Notes
    -----
    For two trees the paper's Theorem 3.4: different fingerprints are a no; equal ones are certified
    exactly: any two leaves whose boxes meet must agree. Cost: pairs of leaves that meet.

    Two ensembles that add up the same trees are the same: that is seen tree by tree, whatever the
    order, and whether a tree adds to several scores or there is one for each. Else a row is sought
    that one puts into a class and the other into another, by an exact search over the trees of both
    in which trees that both have are one tree. A no comes with a row that was put through both
    (``counterexample``). A yes is about sums without rounding: rows whose sum is nearer to a tie
    than the libraries round may still differ (docs/decisions/0018).

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> mirror = {"feature": 1, "true": tree, "false": tree}
    >>> equivalent(tree, mirror)
    True
    """
    a, b = read_model(a), read_model(b)
    if isinstance(a, TreeKernel) and isinstance(b, TreeKernel):
        return same_trees(a, b)  # by fingerprint: a no takes no search
    return ModelPair(a, b).difference() is None


@in_budget
def counterexample(
    a: Any, b: Any, X: Any = None, *, time_limit: float | None = TIME_LIMIT
) -> dict[str, Any] | None:
    """Find a row to which two trees, or ensembles, give different answers; None if there is none.

    The row has a value for every feature of both spaces, and has been put through ``predict`` of
    both. Numbers are short and near the thresholds, but no real row may be like it; with rows X it
    is one of these, if they differ on one of them.

    Parameters
    ----------
    a, b : Tree, CanonicalForm, Ensemble, or any model that ``read`` knows
    X : rows, optional
        The first of these on which they certainly differ is given, as it is; where there is none, a
        row is made up as without X. Rows may hold a float64 that only one of them rounds to
        float32, so that it differs although they are equivalent.
    time_limit : float
        Seconds in all.

    Raises
    ------
    Undecided
        As from ``equivalent``.

    Examples
    --------
    >>> young = {"feature": "age", "relation": "<=", "reference": 24.5,
    ...          "true": {"prediction": "no"}, "false": {"prediction": "yes"}}
    >>> younger = {**young, "reference": 20.5}
    >>> from orderless import read
    >>> one, other = (read(tree, feature_names=["age"]) for tree in (young, younger))
    >>> counterexample(one, other)
    {'age': 22.0}
    >>> counterexample(one, other, [[18.0], [23.5], [24.0]])
    {'age': 23.5}
    """
    pair = ModelPair(read_model(a), read_model(b))
    if X is not None and (real := pair.row_among(X)) is not None:
        return real
    box = pair.difference()
    return None if box is None else pair.row(box)[0]


@in_budget
def disagreement(
    a: Any, b: Any, X: Any = None, *, limit: int = 100_000, time_limit: float | None = TIME_LIMIT
) -> float:
    """Compute the share of rows, or of the space, on which two trees, or ensembles, differ.

    Parameters
    ----------
    a, b : Tree, CanonicalForm, Ensemble, or any model that ``read`` knows
    X : rows, optional
        Complete rows that both can take. Without it, the share of the space if features are
        independent, a numeric feature falls into each interval between thresholds of the two with
        the same probability, and a categorical one has each of its values (every category, "other"
        and missing) with the same probability, whether or not a tree distinguishes them.
    limit : int
        Boxes into which the space may be cut, where one of them is an ensemble.
    time_limit : float
        Seconds in all.

    Raises
    ------
    Undecided
        If the share of the space was not found in time; where one of them is an ensemble,
        ``proven`` has the two ends between which it lies.

    Examples
    --------
    >>> both = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
    ...         "false": {"prediction": 0}}, "false": {"prediction": 0}}
    >>> one = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> disagreement(both, one)
    0.25
    """
    pair = ModelPair(read_model(a), read_model(b))
    if X is not None:
        return pair.share_among(X)
    if pair.trees is not None:
        return share_of_trees(*pair.trees)
    sums = pair.sums()
    joint = sums.joint
    return share_of_difference(
        joint.one, joint.other, sums.differ_by_code, joint.cells, limit, Budget.current().share()
    )


@in_budget
def group_equivalent(
    models: Iterable[Any], *, time_limit: float | None = TIME_LIMIT
) -> list[list[int]]:
    """Group models that are the same function; return the positions in each group.

    Parameters
    ----------
    models : iterable of Tree, CanonicalForm, Ensemble, or any models that ``read`` knows
        Also over different spaces, read through different binarizers; trees are compared on the
        values that each feature has in all of them, as by ``equivalent``.
    time_limit : float
        Seconds in all.

    Returns
    -------
    list of list of int
        Groups in the order of their first members.

    Notes
    -----
    Trees by fingerprint: linear in all leaves together. A wrong answer has a chance of about
    (number of trees)^2 x degree / 2^123. Where one is an ensemble, each model is compared with the
    first of every group, as by ``equivalent``.

    Examples
    --------
    >>> import orderless as ol
    >>> a = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> b = {"feature": 0, "true": {"prediction": 0}, "false": {"prediction": 1}}
    >>> ol.group_equivalent([a, b, a])
    [[0, 2], [1]]
    """
    kernels = [m if isinstance(m, TreeKernel) else read_model(m) for m in models]
    trees = [kernel for kernel in kernels if isinstance(kernel, TreeKernel)]
    if len(trees) == len(kernels):
        return tree_groups(trees)
    groups: list[list[int]] = []
    for i, kernel in enumerate(kernels):
        same = (own for own in groups if equivalent(kernels[own[0]], kernel, time_limit=None))
        group = next(same, None)
        if group is None:
            groups.append([i])
        else:
            group.append(i)
    return groups


class RowsOfBoth(tuple[Any, Any]):
    """The same rows, as each of two models reads them."""

    __slots__ = ()


class ModelPair:
    """Two models, as they came and over the values that both have.

    Attributes
    ----------
    trees : pair of TreeKernel, or None
        Over their common space, if both are trees: these are compared leaf by leaf, of any size
        within time. Else both are sums, a tree is one of itself, and a difference is searched.
    """

    def __init__(self, a: Kernel, b: Kernel) -> None:
        self.models = (a, b)
        self.trees: tuple[TreeKernel, TreeKernel] | None = None
        if isinstance(a, TreeKernel) and isinstance(b, TreeKernel):
            one, other = over_common_space([a, b])
            self.trees = one, other
        self.every_tree: Sequence[TreeKernel] = self.trees or self._summed[1]
        self.space = self.every_tree[0].space

    @cached_property
    def _summed(self) -> tuple[tuple[SumKernel, SumKernel], list[TreeKernel]]:
        """Both as sums, and the trees of both over their common space."""
        one, other = map(as_sum, self.models)
        if one.task != other.task:
            raise InvalidTree(
                "a model of classes and one of numbers cannot be compared: cut the numbers with "
                "discretize([level]) first"
            )
        return (one, other), over_common_space([*one.trees, *other.trees])

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that one of them asks about."""
        return tuple({name: None for model in self.models for name in model.features})

    def region(self, where: Mapping[str, Any] | None) -> Box:
        """Read conditions on features of either model."""
        if not isinstance(where, Mapping):
            return read_region(where, self.space)
        features: dict[str, Feature] = {
            f.name: f for space in (*(m.space for m in self.models), self.space)
            for f in space.features
        }  # fmt: skip
        return read_region(where, Space(features.values()))

    def sums(self, region: Mapping[str, Side] | None = None) -> SumPair:
        """Return both as sums of trees over their common space, to be searched in a region."""
        inside = {n: side for n, side in (region or {}).items() if n in self.space}
        ends = region_trees(self.space, inside.values())
        sums, trees = self._summed
        n = sums[0].n_trees
        one, other = (
            with_trees(kernel.replace(trees=part), ends)
            for kernel, part in zip(sums, (trees[:n], trees[n:]), strict=True)
        )
        return SumPair(sums, Joint(one, other), inside)

    def difference(self, region: Mapping[str, Side] | None = None) -> Box | None:
        """Find a box with a possible row in which they differ; None if there is none."""
        if self.trees is not None:
            return first_difference(*self.trees, region or None)
        sums = self.sums(region)
        cell = sums.difference()
        if cell is None:
            return None
        return {**(region or {}), **sides_of_cell(sums.joint.one.bins, cell)}

    # -- rows ------------------------------------------------------------------------------------

    def row(
        self, box: Mapping[str, Side], region: Mapping[str, Side] | None = None
    ) -> tuple[Row, tuple[Any, Any]]:
        """Return a possible row in a box on which they differ, and their answers.

        Numbers of the features of a region are inside it without rounding.
        """
        features = {f.name: f for model in reversed(self.models) for f in model.space.features}
        names = dict.fromkeys(name for model in self.models for name in model.space.names)
        rounded = {
            name for name, side in box.items()
            if name not in (region or {}) and rounded_alike(side.feature, self.models)
        }  # fmt: skip
        cuts = cuts_by_feature(self.every_tree)
        row = example_row([features[name] for name in names], box, cuts, rounded)
        row = dict(adjusted_row(self.space.domain, row, box))
        before, after = (answer_of(model, row) for model in self.models)
        for model, answer in zip(self.models, (before, after), strict=True):
            if answer is None:
                raise AssertionError(f"the row {row} is not complete for {model!r}")
        if before == after:
            raise AssertionError(
                f"the row {row} does not separate {self.models[0]!r} from {self.models[1]!r}"
            )
        return row, (before, after)

    def answers(self, X: Any) -> list[tuple[Label | None, Label | None]]:
        """Return what each says of every row; None where its answer is not certain."""
        tables = X if isinstance(X, RowsOfBoth) else (X, X)
        lists = [
            predict(model, rows_for(model, rows)).tolist()
            for model, rows in zip(self.models, tables, strict=True)
        ]
        return list(zip(*lists, strict=True))

    def row_among(self, X: Any) -> Row | None:
        """Return the first of some rows on which they certainly differ."""
        for i, (one, other) in enumerate(self.answers(X)):
            if one is not None and other is not None and one != other:
                return {**row_at(X, self.models[0].space, i), **row_at(X, self.models[1].space, i)}
        return None

    def share_among(self, X: Any) -> float:
        """Return the share of some complete rows on which they differ."""
        answers = self.answers(X)
        for i, both in enumerate(answers):
            if None in both:
                raise InvalidData(
                    f"row {i} has unknown values and its answer is not certain: give complete rows"
                )
        if not answers:
            raise InvalidData("there are no rows to compare the models on")
        return sum(one != other for one, other in answers) / len(answers)


class SumPair:
    """Two sums of trees, as they came (``models``) and over one space (``joint``), in a region."""

    def __init__(
        self, models: tuple[SumKernel, SumKernel], joint: Joint, region: Mapping[str, Side]
    ) -> None:
        self.models, self.joint, self.region = models, joint, region
        self.box = box_in(joint.one, region)
        numbers: dict[Label, int] = {}
        self.codes = [
            np.array([numbers.setdefault(c, len(numbers)) for c in e.classes], dtype=np.int64)
            for e in models
        ]

    @property
    def is_same(self) -> bool:
        """Whether both add up the same trees, in whatever order, and decide alike."""
        one, other = self.joint.given
        if one.task == "regression":
            linked = [(e.adding.divisor, e.link, e.factor) for e in (one, other)]
            if linked[0] != linked[1]:
                return False
            reordered = one.adding == other.adding and add_the_same(one, other)
            return reordered or add_the_same_way(one, other)
        rules = [(e.classes, e.rule.kind, _cuts(e)) for e in (one, other)]
        return rules[0] == rules[1] and add_the_same(one, other)

    @property
    def is_same_to_the_bit(self) -> bool:
        """Whether even their sums are the same, in the arithmetic of the libraries."""
        one, other = self.joint.given
        if one.task == "regression" and (one.link, one.factor) != (other.link, other.factor):
            return False
        rules = [
            (e.classes, e.rule._replace(cuts=_cuts(e)), e.adding.divisor) for e in (one, other)
        ]
        return rules[0] == rules[1] and add_the_same_way(one, other)

    # -- cells -----------------------------------------------------------------------------------

    def differ(self, cells: Cells) -> Flags:
        """Return in which cells the two differ, by their own arithmetic, for certain."""
        cells = np.ascontiguousarray(cells)
        one, other = (e.summed.evaluate(cells, 1) for e in (self.joint.one, self.joint.other))
        if self.models[0].task == "regression":
            numbers = [e.numbers_of(v.sums) for e, v in zip(self.models, (one, other), strict=True)]
            return np.asarray(numbers[0] != numbers[1])
        known = (one.label >= 0) & (other.label >= 0)
        return np.asarray(known & self.differ_by_code(one.label, other.label))

    def differ_by_code(self, one: Codes, other: Codes) -> Flags:
        """Return which places of classes, of the one and of the other, are different classes."""
        return np.asarray(self.codes[0][one] != self.codes[1][other])

    def difference(self) -> Cells | None:
        """Find a cell in which the two differ; None if there is none."""
        if self.is_same:
            return None
        if not is_possible(self.joint.one.space.domain, self.region):
            return None  # no possible row is in the region
        drawn = self._tried()
        if drawn is not None:
            return drawn
        if self.models[0].task == "regression":
            return self._different_numbers()
        undecided_pairs: list[tuple[Label, Label]] = []
        classes = [e.classes for e in self.models]
        pairs = [
            (a, b)
            for a in range(len(classes[0]))
            for b in range(len(classes[1]))
            if self.codes[0][a] != self.codes[1][b]
        ]
        for surely in (True, False):
            for i, (a, b) in enumerate(pairs):
                if (classes[0][a], classes[1][b]) in undecided_pairs:
                    continue
                seconds = Budget.current().share(len(pairs) - i)
                code, cell = self.joint.search(a, b, seconds, surely=surely, box=self.box)
                if code == 1 and self.differ(cell[None])[0]:
                    return cell
                if code == 2 and surely:
                    undecided_pairs.append((classes[0][a], classes[1][b]))
        if undecided_pairs:
            raise undecided(
                2, "could not decide whether the two are the same function", Budget.current(),
                same_but_for=undecided_pairs,
            )  # fmt: skip
        return None

    def _tried(self) -> Cells | None:
        """Look at random cells: most models that differ do so on many."""
        bins = [np.flatnonzero(self.box[at]) for at in slices(self.joint.one.bins)]
        random = np.random.default_rng(SEED)
        cells = np.zeros((MAX_TRIED, len(bins)), dtype=np.int32)
        for k, inside in enumerate(bins):
            cells[:, k] = inside[random.integers(len(inside), size=MAX_TRIED)]
        differing = cells[self.differ(cells)]
        if not self.joint.one.space.domain.restricts:
            return differing[0] if len(differing) else None
        return next((cell for cell in differing[:MAX_CHECKED] if self.joint.possible(cell)), None)

    def _different_numbers(self) -> Cells | None:
        """Find a cell in which two models of numbers differ; None if their sums never do."""
        one, other = self.models
        same_way = (one.adding.divisor, one.link, one.factor) == (
            other.adding.divisor,
            other.link,
            other.factor,
        )
        if same_way:
            ends = self.joint.ends_of_difference(Budget.current().share(), self.box)
            if ends is None:
                return None
            for cell in (ends.low_cell, ends.high_cell):
                if self.differ(cell)[0]:
                    return np.asarray(cell[0])
            if ends.lower[0] == 0 == ends.upper[0]:
                if not self.joint.loses_bits(Budget.current().share(), self.box):
                    return None
                raise Undecided(
                    "the sums of the two differ by less than whole numbers of 50 bits can tell, "
                    "and no row was found on which they differ",
                    "rounding",
                )
            raise undecided(
                2 if not ends.exact[0] else 3,
                "could not decide whether the two always give the same number", Budget.current(),
                difference=(float(ends.lower[0]), float(ends.upper[0])),
            )  # fmt: skip
        raise Undecided(
            "the two models make numbers of their sums in different ways, and no row was found "
            "on which they differ",
            "room",
        )

    def largest_difference(self) -> float | None:
        """Compute what no two numbers of the models differ by more, by their own arithmetic.

        None if they make numbers of sums in different ways.
        """
        one, other = self.models
        if (one.adding.divisor, one.link, one.factor) != (
            other.adding.divisor, other.link, other.factor
        ) or one.link != "identity":  # fmt: skip
            return None
        ends = self.joint.ends_of_difference(Budget.current().share(), self.box)
        if ends is None:
            return 0.0
        unit = 2.0**self.joint.exponent
        largest = max(abs(float(ends.lower[0])), abs(float(ends.upper[0]))) * unit
        hidden = (one.n_trees + other.n_trees + 2) * unit  # in the coarser unit
        for ensemble in self.models:
            hidden += float(ensemble.whole.slack[0]) * 2.0**ensemble.whole.exponent
        return (largest + hidden) / one.adding.divisor * one.factor * (1 + 2.0**-20)


def _cuts(ensemble: SumKernel) -> tuple[float, ...]:
    """Return the cuts of a rule as the sums of the library see them."""
    cuts = np.array(ensemble.rule.cuts)
    if ensemble.adding.precision == "float32":
        cuts = value_at_most(cuts, "float32")
    return tuple(cuts.tolist())
