"""What the explorer asks of this machine: counts of all trees, and files of a function.

In:  what the page sends: wishes about features, leaves, objective, the first question; or a
     function and what it should be written as.
Out: counts by views of the compressed set; text of files.
"""

from __future__ import annotations

import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData, OutOfTime, TooLarge
from ...form import hex_digits
from ...model import Tree
from .taken import NAMES, written

if TYPE_CHECKING:
    from ...rashomon import LookedAt, TreeSet

__all__ = ["Live"]

MOST_KNOWN = 1_000  # views whose counts are kept
MOST_DIGITS = 30  # of an objective
MOST_MUST = 6  # features that must be used: 2 to the power of so many views
PATIENCE = 8.0  # seconds that a question waits for the one before it

Answer = tuple[str, bytes]
Ends = tuple[int | None, int | None]
KEYS = {"must", "not", "max_leaves", "max_features", "objective", "first"}


@dataclass(frozen=True, eq=False)
class _Cells:
    """Trees by objective, in whole numbers, and leaves."""

    cost: NDArray[np.int64]
    leaves: NDArray[np.int64]
    counts: list[int]

    def count(self, bound: int | None, leaves: int | None) -> int:
        """Count those with at most this objective, and at most so many leaves."""
        inside = np.ones(len(self.counts), dtype=bool)
        if bound is not None:
            inside &= self.cost <= max(-1, min(bound, 2**62))
        if leaves is not None:
            inside &= self.leaves <= min(leaves, 2**62)
        return sum(n for n, own in zip(self.counts, inside.tolist(), strict=True) if own)


class Live:
    """Answers to an explorer that this machine serves.

    Parameters
    ----------
    trees : TreeSet
    token : str
        Which only the page knows.
    X, y : rows and labels, optional
        For the report, which needs both.
    costs : dict, optional
    """

    def __init__(self, trees: TreeSet, token: str, X: Any, y: Any, costs: Any) -> None:
        self._trees, self.token = trees, token
        self._X, self._y, self._costs = X, y, costs
        self._known: OrderedDict[Any, _Cells] = OrderedDict()
        self._lock = threading.Lock()
        self._some: LookedAt | None = None
        self._place: dict[str, int] = {}

    @property
    def takes(self) -> list[str]:
        """What a function can be written as."""
        return [name for name in NAMES if name != "report" or self._y is not None]

    @property
    def answers(self) -> Mapping[str, Callable[[bytes], Answer]]:
        """What is answered, by path."""
        return {"/count": self._asked(self.count), "/take": self._asked(self.take)}

    def see(self, some: LookedAt) -> None:
        """Know the functions that are on the page."""
        self._some = some
        self._place = {hex_digits(point): i for i, point in enumerate(some.table.fingerprint)}

    def _asked(self, answer: Callable[[dict[str, Any]], Answer]) -> Callable[[bytes], Answer]:
        """Read what is sent; answer one at a time, and say in words what is wrong."""

        def one(body: bytes) -> Answer:
            try:
                given = json.loads(body)
            except ValueError as fault:
                raise InvalidData(f"this is not JSON: {fault}") from None
            if not isinstance(given, dict):
                raise InvalidData("this must be an object")
            if not self._lock.acquire(timeout=PATIENCE):
                raise OutOfTime("the question before this one is not answered yet")
            try:
                return answer(given)
            finally:
                self._lock.release()

        return one

    # -- counts --------------------------------------------------------------------------------

    def count(self, given: dict[str, Any]) -> Answer:
        """Count the trees that meet the wishes; with ``each``, also by wish about each feature."""
        each = given.pop("each", False) is True
        if set(given) - KEYS:
            raise InvalidData(f"unknown wishes: {sorted(set(given) - KEYS)!r:.80}")
        must, unwanted = (_names(given.get(key, [])) for key in ("must", "not"))
        if len(must) > MOST_MUST:
            raise TooLarge(f"at most {MOST_MUST} features that must be used are counted", MOST_MUST)
        base, ends = self._base(given), self._ends(given)
        out: dict[str, Any] = {"trees": str(self._n(base, ends, must, unwanted))}
        if each:
            out["each"] = {}
            space = self._trees._problem.columns.space
            for i in sorted(set(self._trees._problem.columns.feature.tolist())):
                name = space.names[i]
                musts, nots = ([o for o in wish if o != name] for wish in (must, unwanted))
                both = self._n(base, ends, musts, nots)
                without = self._n(base, ends, musts, [*nots, name])
                out["each"][name] = [str(n) for n in (both, both - without, without)]
        return "application/json", json.dumps(out).encode()

    def _ends(self, given: Mapping[str, Any]) -> Ends:
        """Give the largest objective, in whole numbers, and the most leaves; None for any."""
        leaves, objective = given.get("max_leaves"), given.get("objective")
        if leaves is not None and (isinstance(leaves, bool) or not isinstance(leaves, int)):
            raise InvalidData(f"max_leaves must be a whole number, got {leaves!r:.80}")
        if objective is None:
            return None, leaves
        if not isinstance(objective, str) or len(objective) > MOST_DIGITS:
            raise InvalidData("objective must be a number, as text")
        try:
            most = Decimal(objective)
        except InvalidOperation:
            most = Decimal("nan")
        if not most.is_finite() or abs(most.adjusted()) > MOST_DIGITS:
            raise InvalidData(f"objective must be a number, got {objective!r:.80}")
        return math.floor(Fraction(most) * self._trees._problem.unit), leaves

    def _base(self, given: Mapping[str, Any]) -> Any:
        """Give the view of what is asked beside features."""
        trees = self._trees
        if given.get("first") is not None:
            trees = trees.first(given["first"])
        if given.get("max_features") is not None:
            trees = trees.at_most_features(given["max_features"])
        return trees._view

    def _n(self, base: Any, ends: Ends, must: list[str], unwanted: list[str]) -> int:
        """Count by inclusion and exclusion: only views without features, which are quick."""
        total = 0
        for k in range(len(must) + 1):
            for some in combinations(must, k):
                cells = self._without(base, frozenset([*unwanted, *some]))
                total += (-1) ** k * cells.count(*ends)
        return total

    def _without(self, base: Any, names: frozenset[str]) -> _Cells:
        """Give the trees that ask about none of some features, by objective and leaves."""
        key = base, names
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        view = base
        for name in sorted(names):
            view = view.without(self._trees._columns_of(name))
        found = self._trees._source.histogram(view)
        counts = found.trees if view.trivial else found.nontrivial
        cost = self._trees._problem.cost(found.errors, found.leaves)
        cells = self._known[key] = _Cells(cost, np.asarray(found.leaves), counts)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return cells

    # -- files ---------------------------------------------------------------------------------

    def take(self, given: dict[str, Any]) -> Answer:
        """Write a function of the page as a file, with a line that says where it comes from."""
        kind, name, origin = (given.get(key) for key in ("as", "function", "origin"))
        if kind not in self.takes:
            raise InvalidData(f"'as' must be one of {', '.join(self.takes)}, got {kind!r:.80}")
        if not isinstance(origin, str) or not isinstance(name, str) or name not in self._place:
            raise InvalidData("'function' must be one of the page, and 'origin' text")
        return written(self._tree(name), kind, origin, self._X, self._y, self._costs)

    def _tree(self, name: str) -> Tree:
        assert self._some is not None
        at = self._place[name]
        (tree,) = self._trees._problem.trees(self._some.table.trees[at : at + 1])
        return tree


def _names(given: Any) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise InvalidData("'must' and 'not' must be lists of names")
    return list(dict.fromkeys(given))
