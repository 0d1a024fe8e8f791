"""What is predicted: classes, or numbers in whole steps.

In:  y, one label or number per row, as people write them; the weight of each row.
Out: the classes; or ``Target``: the rows' numbers in whole units and ``Numbers``, all that a leaf
     can predict, each a decimal, so that every loss is a whole number (docs/decisions/0017).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, setting
from ..inputs import exact, is_unknown, numbered_classes, shown
from ..model import Label

__all__ = [
    "LOSSES",
    "MOST",
    "MOST_DECIMALS",
    "MOST_LABEL",
    "Loss",
    "Numbers",
    "Target",
    "distinct_numbers",
    "read_labels",
    "read_numbers",
    "rounded",
]

Loss = Literal["squared", "absolute"]
LOSSES = ("squared", "absolute")

MOST = 2**51  # of losses, in whole units: doubles compute with them exactly
ROOMY = 2**48  # losses up to here leave room for the digits of regularization and epsilon
MOST_LABEL = 2**30
MOST_DECIMALS = 300
MOST_CLASSES = 100


class Numbers(Sequence[float]):
    """All numbers that a leaf can predict, rising; made one by one, when they are asked for.

    Parameters
    ----------
    decimals : int
        The numbers are multiples of 10^-decimals.
    low : int
        The smallest, in such steps.
    n : int
        How many there are, one after the other.
    chosen : array of int, optional
        Only these, as steps from the smallest.
    """

    def __init__(
        self, decimals: int, low: int, n: int, chosen: NDArray[np.int64] | None = None
    ) -> None:
        self.decimals, self.low, self.n = decimals, low, n
        self.chosen = chosen

    def __len__(self) -> int:
        return self.n if self.chosen is None else len(self.chosen)

    def exact(self, place: int) -> Fraction:
        """Give a number as the decimal that it is."""
        steps = place if self.chosen is None else int(self.chosen[place])
        return (self.low + steps) / Fraction(10) ** self.decimals

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> list[float]: ...
    def __getitem__(self, place: int | slice) -> float | list[float]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(f"there are {len(self)} numbers, and none at {place}")
        return float(self.exact(place % len(self)))

    def find(self, number: Any) -> int | None:
        """Give the place of a number; None where no leaf can predict it."""
        if isinstance(number, str) or not math.isfinite(number):
            return None
        steps = round(Fraction(number) * Fraction(10) ** self.decimals) - self.low
        if self.chosen is None:
            place = steps
        else:
            place = int(np.searchsorted(self.chosen, np.clip(steps, 0, self.n)))
        there = 0 <= place < len(self) and self[place] == number
        return place if there else None

    def nearest(self, number: Fraction) -> int:
        """Give the place of a number that, rounded to the decimals, is one of these."""
        steps = rounded(number, self.decimals) - self.low
        return steps if self.chosen is None else int(np.searchsorted(self.chosen, steps))

    def __repr__(self) -> str:
        if not len(self):
            return "Numbers()"
        return f"Numbers({self[0]} to {self[-1]}, {len(self):,} of them)"


@dataclass(frozen=True, eq=False)
class Target:
    """The numbers of the rows, in whole units, and those of the leaves.

    Attributes
    ----------
    loss : "squared" or "absolute"
    numbers : Numbers
        What leaves can predict. Absolute: the numbers of the rows. Of a list of trees, in either
        loss: the numbers of the rows and of the trees.
    fine : int
        How many steps of the leaves' numbers make a unit of the rows'. 1 where numbers are chosen.
    decimals : int
        Of the leaves' numbers.
    """

    loss: Loss
    numbers: Numbers
    fine: int = 1

    @property
    def decimals(self) -> int:
        """Of the numbers that leaves predict."""
        return self.numbers.decimals

    @property
    def largest_label(self) -> int:
        """The largest label of a row."""
        return self.largest if self.numbers.chosen is None else len(self.numbers) - 1

    def fits(self, weight: int) -> bool:
        """Whether the losses of rows that weigh so much fit."""
        return _fits(self.numbers.n, weight, self.loss, MOST)

    @property
    def largest(self) -> int:
        """The largest number of a row, in units above the smallest."""
        return (self.numbers.n - 1) // self.fine

    def of_label(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """Give what leaves predict, in steps above the smallest number."""
        chosen = self.numbers.chosen
        return labels.astype(np.int64) if chosen is None else chosen[labels]

    def of_row(self, y: NDArray[Any]) -> NDArray[np.int64]:
        """Give the numbers of rows in the same steps."""
        return y.astype(np.int64) * self.fine if self.numbers.chosen is None else self.of_label(y)

    def losses(self, labels: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
        """Give the loss of each row, in whole numbers."""
        apart = self.of_label(labels) - self.of_row(y)
        return apart * apart if self.loss == "squared" else np.abs(apart)

    @property
    def per_one(self) -> Fraction:
        """How many of these whole numbers a loss of 1 is."""
        return Fraction(10) ** (self.decimals * (2 if self.loss == "squared" else 1))

    def constant_loss(self, y: NDArray[Any], weights: NDArray[np.int64]) -> int:
        """Give the loss of the best leaf that all rows reach, in whole numbers."""
        steps, total = self.of_row(y), int(weights.sum())
        if self.loss == "squared":
            best = (2 * int(steps @ weights) + total) // (2 * total)
            return int((steps - best) ** 2 @ weights)
        order = np.argsort(steps, kind="stable")
        best = int(steps[order][np.searchsorted(2 * np.cumsum(weights[order]), total)])
        return int(np.abs(steps - best) @ weights)

    @property
    def text(self) -> str:
        """How exact the numbers are, in words."""
        d = self.decimals
        if d < 0:
            return f"numbers to the nearest {10**-d:,}"
        return f"numbers to {d} decimal{'' if d == 1 else 's'}"


def read_labels(y: Any, X: Any = None) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Give the classes, two or more, and the number of each row's; X has as many rows."""
    classes, labels = numbered_classes(y, X)
    if len(classes) < 2:
        raise InvalidData(
            f"y has {f'only 1 class, {classes[0]!r}' if classes else 'no labels'}: near-optimal "
            "trees need at least two classes"
        )
    if len(classes) > MOST_CLASSES:
        raise InvalidData(
            f"y has {len(classes):,} different labels, {classes[0]!r:.40} for one: if that is a "
            f"measurement, cut it into at most {MOST_CLASSES} classes first, or fit trees of "
            "numbers: RashomonSet and RashomonImportance take loss='squared' and 'absolute'"
        )
    return classes, labels


def read_numbers(
    values: list[Fraction],
    which: NDArray[np.intp],
    weights: NDArray[np.int64],
    loss: Loss,
    decimals: Any,
    said: Sequence[Fraction] = (),
) -> tuple[Target, NDArray[np.int32]]:
    """Take numbers, and which of them each row has, as a target; give each row's label too.

    A label is, for squared loss, the row's number in whole units above the smallest; for absolute
    loss, and where trees have ``said`` numbers of their own, its place among the numbers.
    """
    seen = np.zeros(len(values), dtype=bool)
    seen[which[weights > 0]] = True
    used = [value for value, there in zip(values, seen.tolist(), strict=True) if there]
    own = max(map(_decimals_of, used)) if any(used) else 0
    fits = _fitting([*used, *said], int(weights.sum()), loss)
    most = _largest_decimals(fits, MOST)
    if decimals is not None:
        d = _given(decimals)
        if d > most:
            raise InvalidData(
                f"{setting('decimals', d)} would make losses pass 2^51 in whole numbers: for these "
                f"numbers and weights it must be at most {most}"
            )
        own = min(own, d)
    else:
        if own > most:
            own = _largest_decimals(fits, ROOMY)
            _warn_rounded(used, own)
        d = (
            own
            if loss == "absolute" and not said
            else max(own, min(_largest_decimals(fits, ROOMY), _told(used)))
        )
        if used == used[:1] and not said:
            d = own
    if said:
        return _with_said(values, which, seen, loss, d, own, said)
    steps = [rounded(value, own) for value in values]
    low = min(step for step, there in zip(steps, seen.tolist(), strict=True) if there)
    high = max(step for step, there in zip(steps, seen.tolist(), strict=True) if there)
    # Rows of no weight are nowhere looked at, and need some number.
    units = np.array([min(max(step, low), high) - low for step in steps], dtype=np.int64)
    if loss == "squared":
        fine = 10 ** (d - own)
        numbers = Numbers(d, low * fine, (high - low) * fine + 1)
        return Target(loss, numbers, fine), units[which].astype(np.int32)
    chosen = np.unique(units[seen])
    numbers = Numbers(own, low, high - low + 1, chosen)
    places = np.clip(np.searchsorted(chosen, units), 0, len(chosen) - 1)
    return Target(loss, numbers), places[which].astype(np.int32)


def _with_said(
    values: list[Fraction], which: NDArray[np.intp], seen: NDArray[np.bool_], loss: Loss,
    decimals: int, own: int, said: Sequence[Fraction],
) -> tuple[Target, NDArray[np.int32]]:  # fmt: skip
    """Give the numbers of the rows and of trees as a target; labels are places among both."""
    fine = 10 ** (decimals - own)
    steps = [rounded(value, own) * fine for value in values]
    told = [rounded(value, decimals) for value in said]
    weighed = [step for step, there in zip(steps, seen.tolist(), strict=True) if there]
    used = sorted({*told, *weighed})
    place = {step: i for i, step in enumerate(used)}
    chosen = np.array([step - used[0] for step in used], dtype=np.int64)
    numbers = Numbers(decimals, used[0], used[-1] - used[0] + 1, chosen)
    labels = np.array([place.get(step, 0) for step in steps], dtype=np.int32)
    return Target(loss, numbers), labels[which]


def distinct_numbers(y: Any, X: Any = None) -> tuple[list[Fraction], NDArray[np.intp]]:
    """Give the different numbers, exactly, and which of them each row has; X has as many rows."""
    if getattr(y, "ndim", 1) == 2 and getattr(y, "shape", (0, 0))[1] == 1:
        y = y.iloc[:, 0] if hasattr(y, "iloc") else np.asarray(y)[:, 0]
    values = y.to_list() if hasattr(y, "to_list") else np.asarray(y, dtype=object).tolist()
    if not isinstance(values, list) or any(isinstance(value, list) for value in values):
        raise InvalidData("y must hold one number per row, in one dimension")
    if not values:
        raise InvalidData("y has no numbers: give one per row")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X) if isinstance(X, Sized) else None
    if n_rows is not None and n_rows != len(values):
        raise InvalidData(f"X has {n_rows} rows and y has {len(values)} numbers")
    place: dict[Fraction, int] = {}
    known: dict[Any, int] = {}
    which = np.empty(len(values), dtype=np.intp)
    for row, value in enumerate(values):
        if not isinstance(value, str) and value in known:
            which[row] = known[value]
            continue
        number = _number(value, row)
        which[row] = known[value] = place.setdefault(number, len(place))
    return list(place), which


def _number(value: Any, row: int) -> Fraction:
    if isinstance(value, bool | np.bool_):
        return Fraction(int(value))
    if is_unknown(value):
        raise InvalidData(f"y has {value!r} in row {row}: every row needs a number")
    try:
        return exact(value, text=False)
    except (TypeError, ValueError):
        raise InvalidData(
            f"y has {shown(value)} in row {row}, and trees of numbers need finite numbers: give "
            "those, or, for labels, RashomonSet and RashomonImportance loss='errors'"
        ) from None


def _decimals_of(number: Fraction) -> int:
    """Give how many decimals write a number; a whole number of thousands has -3."""
    rest, digits = number.denominator, [0, 0]
    for i, prime in enumerate((2, 5)):
        while rest % prime == 0:
            rest //= prime
            digits[i] += 1
    if rest != 1:
        return MOST_DECIMALS
    if number.denominator != 1:
        return max(digits)
    text = str(number.numerator)
    return len(text.rstrip("0")) - len(text) if number else -MOST_DECIMALS


def _fitting(used: list[Fraction], weight: int, loss: Loss) -> Callable[[int, int], bool]:
    """Tell whether losses in steps of 10^-decimals stay within so much."""
    spread = max(used) - min(used)

    def fits(decimals: int, most: int) -> bool:
        steps = math.ceil(spread * Fraction(10) ** decimals) + 1
        return _fits(steps, weight, loss, most)

    return fits


def _fits(steps: int, weight: int, loss: Loss, most: int) -> bool:
    if loss == "absolute":
        return weight * steps <= most
    half = steps // 2 + 1
    return weight * half * half <= most and steps <= MOST_LABEL and weight * steps <= most // 2


def _largest_decimals(fits: Callable[[int, int], bool], most: int) -> int:
    """Give the finest steps whose losses fit."""
    low, high = -MOST_DECIMALS - 20, MOST_DECIMALS
    if not fits(low, most):
        raise InvalidData(
            "sample_weight has too many digits: losses in whole numbers would pass 2^51; round the "
            "weights, for example np.round(sample_weight, 3)"
        )
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle, most) else (low, middle - 1)
    return low


def _told(used: list[Fraction]) -> int:
    """Give the finest steps that floats tell apart, as large as these numbers are."""
    gap = math.ulp(max(abs(float(number)) for number in used))
    return max(-MOST_DECIMALS, min(MOST_DECIMALS, math.floor(-math.log10(4 * gap))))


def rounded(number: Fraction, decimals: int) -> int:
    """Give the nearest multiple of 10^-decimals, in such steps; of two the larger."""
    return math.floor(number * Fraction(10) ** decimals + Fraction(1, 2))


def _warn_rounded(used: list[Fraction], decimals: int) -> None:
    step = Fraction(10) ** -decimals
    change = max(abs(number - rounded(number, decimals) * step) for number in used)
    warnings.warn(
        f"y has more decimals than exact sums of losses have room for: it is rounded to {decimals} "
        f"decimals, which changes a number by {float(change):.2g} at most; give "
        f"{setting('decimals', decimals)}, or round y before, to say so yourself",
        UserWarning,
        stacklevel=2,
    )


def _given(decimals: Any) -> int:
    whole = isinstance(decimals, int | np.integer) and not isinstance(decimals, bool)
    if not (whole and -MOST_DECIMALS <= decimals <= MOST_DECIMALS):
        raise ValueError(
            f"decimals must be a whole number from {-MOST_DECIMALS} to {MOST_DECIMALS}, or None, "
            f"got {decimals!r:.80}"
        )
    return int(decimals)
