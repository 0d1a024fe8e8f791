"""Equivalence of trees and ensembles: yes, no with a row, or undecided.

In:  trees, ensembles, or models that are read as such.
Out: whether they are the same function, a row on which they differ, the share on which they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InvalidData, InvalidTree, Undecided
from ..form import (
    adjusted_row,
    counterexample as counterexample_of_trees,
    disagreement as disagreement_of_trees,
    equivalent as equivalent_trees,
)
from ..inputs import row_at, rows_for
from ..model import (
    TIME_LIMIT,
    Budget,
    Label,
    Side,
    SumKernel,
    TreeKernel,
    any_value,
    as_sum,
    in_budget,
    over_common_space,
    value_at_most,
    value_in,
)
from ..questions.boxes import Cells, slices, undecided
from ..questions.joint import Joint, with_trees
from ..questions.regions import box_in, region_trees
from ..questions.rows import answer_of, predict
from ..questions.splitting import share_of_difference
from ..questions.summands import add_the_same, add_the_same_way
from ..readers import read_model

__all__ = ["Compared", "counterexample", "disagreement", "equivalent"]

TRIED = 4096  # random cells that are looked at first
SEED = 18


@in_budget
def equivalent(a: Any, b: Any, *, time_limit: float | None = TIME_LIMIT) -> bool:
    """Tell whether two trees, or ensembles of trees, give every row the same class, or number.

    Features compare by name, classes by label; a class that no leaf predicts does not matter.
    Where a feature has other kinds of values in the two spaces (float32 in one and integer in the
    other, say), they are compared on the values that it has in both; a number that a categorical
    feature does not list is one of its other values (docs/decisions/0011).

    Parameters
    ----------
    a, b : Tree, CanonicalForm, Ensemble, or any model that ``read`` knows
    time_limit : float
        Seconds in all, where one of them is an ensemble.

    Raises
    ------
    Undecided
        If one of them is an ensemble, and neither a proof nor a row was found in time.

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
        return equivalent_trees(a, b)
    return Compared(a, b, time_limit).difference() is None


@in_budget
def counterexample(
    a: Any, b: Any, X: Any = None, *, time_limit: float | None = TIME_LIMIT
) -> dict[str, Any] | None:
    """Give a row to which two trees, or ensembles, say different things; None if there is none.

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
        Seconds in all, where one of them is an ensemble.

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
    a, b = read_model(a), read_model(b)
    if isinstance(a, TreeKernel) and isinstance(b, TreeKernel):
        return counterexample_of_trees(a, b, X)
    compared = Compared(a, b, time_limit)
    if X is not None and (real := compared.row_among(X)) is not None:
        return real
    cell = compared.difference()
    return None if cell is None else compared.row_in(cell)


@in_budget
def disagreement(
    a: Any, b: Any, X: Any = None, *, limit: int = 100_000, time_limit: float | None = TIME_LIMIT
) -> float:
    """Give the share of rows, or of the space, on which two trees, or ensembles, differ.

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
        Seconds in all, where one of them is an ensemble.

    Raises
    ------
    Undecided
        If one of them is an ensemble, and the share of the space was not found; ``proven`` has the
        two ends between which it lies.

    Examples
    --------
    >>> both = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
    ...         "false": {"prediction": 0}}, "false": {"prediction": 0}}
    >>> one = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> disagreement(both, one)
    0.25
    """
    a, b = read_model(a), read_model(b)
    if isinstance(a, TreeKernel) and isinstance(b, TreeKernel):
        return disagreement_of_trees(a, b, X)
    compared = Compared(a, b, time_limit)
    if X is not None:
        return compared.share_of(X)
    joint = compared.joint
    return share_of_difference(
        joint.one, joint.other, compared.differ_by_code, joint.possible, limit, compared.left()
    )


class Compared:
    """Two ensembles, as they came and over one space; compared everywhere, or in a region."""

    def __init__(
        self, a: Any, b: Any, time_limit: float | None, region: Mapping[str, Side] | None = None
    ) -> None:
        self.budget = Budget(time_limit)
        self.given = as_sum(read_model(a)), as_sum(read_model(b))
        one, other = self.given
        if one.task != other.task:
            raise InvalidTree(
                "a model of classes and one of numbers cannot be compared: cut the numbers with "
                "discretize([level]) first"
            )
        trees = over_common_space([*one.trees, *other.trees])
        ends = region_trees(trees[0].space, (region or {}).values())
        self.joint = Joint(
            with_trees(one.replace(trees=trees[: one.n_trees]), ends),
            with_trees(other.replace(trees=trees[one.n_trees :]), ends),
        )
        self.region = region or {}
        self.box = box_in(self.joint.one, self.region)
        numbers: dict[Label, int] = {}
        self.codes = [
            np.array([numbers.setdefault(c, len(numbers)) for c in e.classes], dtype=np.int64)
            for e in self.given
        ]

    def left(self, searches: int = 1) -> float:
        """Give the seconds that each of so many searches may still take."""
        return self.budget.share(searches)

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

    def differ(self, cells: Cells) -> np.ndarray:
        """Tell in which cells the two differ, by their own arithmetic, for certain."""
        cells = np.ascontiguousarray(cells)
        one, other = (e.summed.evaluate(cells, 1) for e in (self.joint.one, self.joint.other))
        if self.given[0].task == "regression":
            numbers = [e.numbers_of(v.sums) for e, v in zip(self.given, (one, other), strict=True)]
            return np.asarray(numbers[0] != numbers[1])
        known = (one.label >= 0) & (other.label >= 0)
        return np.asarray(known & self.differ_by_code(one.label, other.label))

    def differ_by_code(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Tell which places of classes, of the one and of the other, are different classes."""
        return np.asarray(self.codes[0][one] != self.codes[1][other])

    def difference(self) -> Cells | None:
        """Give a cell in which the two differ; None if there is none."""
        if self.is_same:
            return None
        if not self.joint.possible.any_in(self.box):
            return None  # no possible row is in the region
        found = self._tried()
        if found is not None:
            return found
        if self.given[0].task == "regression":
            return self._different_numbers()
        not_found: list[tuple[Label, Label]] = []
        classes = [e.classes for e in self.given]
        pairs = [
            (a, b)
            for a in range(len(classes[0]))
            for b in range(len(classes[1]))
            if self.codes[0][a] != self.codes[1][b]
        ]
        for surely in (True, False):
            for i, (a, b) in enumerate(pairs):
                if (classes[0][a], classes[1][b]) in not_found:
                    continue
                seconds = self.left(len(pairs) - i)
                code, cell = self.joint.search(a, b, seconds, surely=surely, box=self.box)
                if code == 1 and self.differ(cell[None])[0]:
                    return cell
                if code == 2 and surely:
                    not_found.append((classes[0][a], classes[1][b]))
        if not_found:
            raise undecided(
                2, "it is not known whether the two are the same function", self.budget,
                same_but_for=not_found,
            )  # fmt: skip
        return None

    def _tried(self) -> Cells | None:
        """Look at random cells: most models that differ do so on many."""
        inside = [np.flatnonzero(self.box[at]) for at in slices(self.joint.one.bins)]
        random = np.random.default_rng(SEED)
        drawn = (own[random.integers(len(own), size=TRIED)] for own in inside)
        cells = np.stack([np.zeros(TRIED, dtype=np.int64), *drawn], axis=1)[:, 1:].astype(np.int32)
        differ = np.flatnonzero(self.differ(cells) & self.joint.possible.possible(cells))
        return cells[differ[0]] if len(differ) else None

    def _different_numbers(self) -> Cells | None:
        """Give a cell in which two models of numbers differ; None if their sums never do."""
        one, other = self.given
        same_way = (one.adding.divisor, one.link, one.factor) == (
            other.adding.divisor,
            other.link,
            other.factor,
        )
        if same_way:
            ends = self.joint.ends_of_difference(self.left(), self.box)
            for cell in (ends.low_cell, ends.high_cell):
                if self.differ(cell)[0]:
                    return np.asarray(cell[0])
            if ends.lower[0] == 0 == ends.upper[0]:
                if not self.joint.loses_bits(self.left(), self.box):
                    return None
                raise Undecided(
                    "the sums of the two differ by less than whole numbers of 50 bits can tell, "
                    "and no row was found on which they differ",
                    "rounding",
                )
            raise undecided(
                2 if not ends.exact[0] else 3,
                "it is not known whether the two always give the same number", self.budget,
                difference=(float(ends.lower[0]), float(ends.upper[0])),
            )  # fmt: skip
        raise Undecided(
            "the two models make numbers of their sums in different ways, and no row was found "
            "on which they differ",
            "room",
        )

    def largest_difference(self) -> float | None:
        """Give what no two numbers of the models differ by more, by their own arithmetic.

        None if they make numbers of sums in different ways.
        """
        one, other = self.given
        if (one.adding.divisor, one.link, one.factor) != (
            other.adding.divisor, other.link, other.factor
        ) or one.link != "identity":  # fmt: skip
            return None
        ends = self.joint.ends_of_difference(self.left(), self.box)
        unit = 2.0**self.joint.exponent
        apart = max(abs(float(ends.lower[0])), abs(float(ends.upper[0]))) * unit
        hidden = (one.n_trees + other.n_trees + 2) * unit  # in the coarser unit
        for ensemble in self.given:
            hidden += float(ensemble.whole.slack[0]) * 2.0**ensemble.whole.exponent
        return (apart + hidden) / one.adding.divisor * one.factor * (1 + 2.0**-20)

    # -- rows ------------------------------------------------------------------------------------

    def row_in(self, cell: Cells) -> dict[str, Any]:
        """Give a row in a cell, with a value for every feature of both."""
        bins = self.joint.one.bins
        place = {feature.name: k for k, feature in enumerate(bins.features)}
        row: dict[str, Any] = {}
        for feature in (f for e in self.given for f in e.space.features):
            if feature.name in row:
                continue
            k = place.get(feature.name)
            if k is None:
                row[feature.name] = any_value(feature)
                continue
            side, own = bins.side(k, 1 << int(cell[k])), bins.features[k]
            alike = own.name not in self.region and all(
                e.space[own.name].values == own.values for e in self.given
                if own.name in e.features)  # fmt: skip
            row[own.name] = value_in(own, bins.cuts[k].tolist(), side.lower, side.upper, side.nan,
                                     list(side.codes), rounded=alike)  # fmt: skip
        knowledge = self.joint.one.space.domain
        sides = {f.name: bins.side(k, 1 << int(cell[k])) for k, f in enumerate(bins.features)}
        row = adjusted_row(knowledge, row, sides)
        says = [self._says(ensemble, row) for ensemble in self.given]
        if says[0] == says[1]:
            raise AssertionError(
                f"the row {row} does not separate {self.given[0]!r} from the other"
            )
        return row

    def _says(self, ensemble: SumKernel, row: dict[str, Any]) -> Any:
        return answer_of(ensemble, row)

    def row_among(self, X: Any) -> dict[str, Any] | None:
        """Give the first of some rows on which the two certainly differ."""
        lists = [self._answers(ensemble, X) for ensemble in self.given]
        for i, (one, other) in enumerate(zip(*lists, strict=True)):
            if one is not None and other is not None and one != other:
                return {**row_at(X, self.given[0].space, i), **row_at(X, self.given[1].space, i)}
        return None

    def share_of(self, X: Any) -> float:
        """Give the share of some complete rows on which the two differ."""
        lists = []
        for ensemble in self.given:
            answers = self._answers(ensemble, X)
            if None in answers:
                raise InvalidData(
                    f"row {answers.index(None)} has unknown values and its class is not certain: "
                    "give complete rows"
                )
            lists.append(answers)
        if not lists[0]:
            raise InvalidData("there are no rows to compare the models on")
        return float(np.mean([one != other for one, other in zip(*lists, strict=True)]))

    def _answers(self, ensemble: SumKernel, X: Any) -> list[Any]:
        """Give what is certain of each row, None where nothing is."""
        found = predict(ensemble, rows_for(ensemble, X))
        return list(found.tolist())


def _cuts(ensemble: SumKernel) -> tuple[float, ...]:
    """Give the cuts of a rule as the sums of the library see them."""
    cuts = np.array(ensemble.rule.cuts)
    if ensemble.adding.precision == "float32":
        cuts = value_at_most(cuts, "float32")
    return tuple(cuts.tolist())
