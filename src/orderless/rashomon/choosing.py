"""Choosing a function of a set: a table of what people decide by, conditions, fronts.

In:  the functions of a view; what is asked about them.
Out: a frame, a row per function, best first.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter, InvalidSpace, a_kind, named
from ..form import hex_digits
from ..inputs import near, some_names
from .judged import BETTER, Judged

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Wanted", "chosen_frame"]

COMPARED = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt,
            ">": operator.gt}  # fmt: skip
CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|==|<|>)\s*(\S+)\s*")

Places = NDArray[np.intp]


class Condition(NamedTuple):
    """What a measure must be."""

    name: str
    holds: Callable[[Any, float], Any]
    number: float


@dataclass(frozen=True)
class Wanted:
    """Which functions are wanted, and in which order.

    Attributes
    ----------
    where : str or sequence of str
        Conditions on measures, such as "leaves <= 6".
    sort : str or sequence of str
        Measures, the most important first; a "-" before a name turns the order round.
    weights : dict of measure -> weight
    front : sequence of str
        Only functions such that no other is better in one of these and as good in the rest.
    using, without : str or sequence of str
        Features that a function must, or must not, ask about.
    among : array of bool, optional
        Which functions are looked at; by default all.
    """

    where: Any = ()
    sort: Any = ()
    weights: Mapping[str, float] | None = None
    front: Any = ()
    using: Any = ()
    without: Any = ()
    among: NDArray[np.bool_] | None = None


def chosen_frame(judged: Judged, wanted: Wanted) -> pd.DataFrame:
    """Give the functions that are wanted, with all measures, best first."""
    conditions = [_condition(text, judged) for text in _texts(wanted.where, "where")]
    front = [_measure(name, judged, "front") for name in _texts(wanted.front, "front")]
    known = _Known(judged)
    at = np.flatnonzero(_by_features(judged, wanted))
    # What is slow to find out is asked only of the functions that are left.
    for slow in (False, True):
        for one in conditions:
            if (one.name in judged.SLOW) == slow:
                at = at[one.holds(known.of(one.name, at), one.number)]
    if front:
        at = at[_undominated(np.stack([_losses(known, name, at) for name in front], axis=1))]
    score = None if wanted.weights is None else _score(known, wanted.weights, at)
    order = _order(known, wanted.sort, at, score)
    at = at[order]
    return _frame(known, at, None if score is None else score[order])


def _by_features(judged: Judged, wanted: Wanted) -> NDArray[np.bool_]:
    """Tell which functions ask about the features that they must, and about none they must not."""
    space = judged.problem.columns.space
    out = np.ones(len(judged), dtype=bool) if wanted.among is None else wanted.among.copy()
    for given, what, used in ((wanted.using, "using", True), (wanted.without, "without", False)):
        for name in [given] if isinstance(given, str) else given or ():
            if name not in space:
                raise InvalidSpace(
                    f"{named(what)} names {name!r:.80}, which is no feature"
                    f"{near(str(name), space.names)}: the features are {some_names(space.names)}"
                )
            out &= judged.features[:, space.index(name)] == used
    return out


class _Known:
    """Measures of functions, each found once."""

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        self._found: dict[str, tuple[Places, NDArray[Any]]] = {}

    def of(self, name: str, at: Places) -> NDArray[Any]:
        """Give a measure of some functions: of those for which it was found, or of fewer."""
        before = self._found.get(name)
        if before is None or not np.isin(at, before[0]).all():
            before = self._found[name] = at, np.asarray(self.judged.measures[name](at))
        return before[1][np.searchsorted(before[0], at)]


def _texts(given: Any, what: str) -> list[str]:
    if given is None:
        return []
    out = [given] if isinstance(given, str) else list(given)
    for text in out:
        if not isinstance(text, str):
            raise TypeError(f"{what} must be text or a list of texts, got {a_kind(text)}")
    return [part for text in out for part in text.split(",")] if what != "where" else out


def _measure(name: str, judged: Judged, what: str) -> str:
    """Check that a measure is there."""
    name = name.strip()
    if name in judged.measures:
        return name
    if name in BETTER:
        raise InvalidParameter(
            f"{named(what)} names {name!r}, which is not known: {judged.why_not(name)}", what
        )
    there = ", ".join(judged.measures)
    raise InvalidParameter(
        f"{named(what)} names {name!r:.80}, which is no measure{near(name, judged.measures)}: "
        f"there are {there}",
        what,
    )


def _condition(text: str, judged: Judged) -> Condition:
    found = CONDITION.fullmatch(text)
    number = None
    if found:
        try:
            number = float(found[3])
        except ValueError:
            number = None
    if found is None or number is None or np.isnan(number):
        raise InvalidParameter(
            f"{named('where')} must be conditions such as 'leaves <= 6' or 'error < 0.2', got "
            f"{text!r:.80}",
            "where",
        )
    return Condition(_measure(found[1], judged, "where"), COMPARED[found[2]], number)


def _losses(known: _Known, name: str, at: Places) -> NDArray[np.float64]:
    """Give a measure so that less is better; of a gap between groups its size."""
    values = known.of(name, at).astype(np.float64)
    if name in known.judged.asked.gaps:
        return np.abs(values)
    return values if known.judged.better(name) <= 0 else -values


def _undominated(losses: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows no other row beats; equal rows stay. Cost: rows x rows of the front."""
    losses = np.where(np.isnan(losses), np.inf, losses)
    order = np.lexsort(losses.T[::-1])
    front = np.zeros((0, losses.shape[1]))
    out = np.zeros(len(losses), dtype=bool)
    for i in order.tolist():
        row = losses[i]
        beaten = (front <= row).all(axis=1) & (front < row).any(axis=1)
        if not beaten.any():
            out[i] = True
            front = np.vstack([front, row])
    return out


def _score(known: _Known, weights: Mapping[str, float], at: Places) -> NDArray[np.float64]:
    if not isinstance(weights, Mapping) or not weights:
        raise TypeError(
            f"weights must be a dict {{measure: weight}}, got {a_kind(weights)}: "
            "measures that are better when larger count against"
        )
    out = np.zeros(len(at))
    for name, weight in weights.items():
        name = _measure(str(name), known.judged, "weights")
        number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not (number and np.isfinite(weight)):
            raise ValueError(f"the weight of {name!r} must be a finite number, got {weight!r:.80}")
        out += float(weight) * _losses(known, name, at)
    return out


def _order(
    known: _Known, sort: Any, at: Places, score: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    """Give the order: by the score, then as asked; of equal ones the better objective is first."""
    keys: list[NDArray[np.float64]] = [] if score is None else [score]
    for text in _texts(sort, "sort"):
        backwards = text.strip().startswith("-")
        name = _measure(text.strip().removeprefix("-"), known.judged, "sort")
        losses = _losses(known, name, at)
        keys.append(-losses if backwards else losses)
    return np.lexsort([at, *reversed(keys)])


def _frame(known: _Known, at: Places, score: NDArray[np.float64] | None) -> pd.DataFrame:
    import pandas as pd

    judged = known.judged
    table = judged.table
    out: dict[str, Any] = {} if score is None else {"score": score}
    ascending = np.sort(at)
    for name in judged.measures:
        out[name] = known.of(name, ascending)[np.searchsorted(ascending, at)]
        if name == "n_features":
            out["features"] = judged.named_features(at)
        if name == "n_trees" and out[name].dtype.kind == "f":  # some are not known
            out[name] = pd.array(out[name], dtype="Int64")
    # Last: a name to refer to, and not what people decide by.
    out["fingerprint"] = [hex_digits(table.fingerprint[i]) for i in at.tolist()]
    return pd.DataFrame(out)
