"""What the explorer asks of this machine: counts of all trees, and files of a function.

In:  what the page sends: wishes about features, leaves, objective, the first question; or a
     function and what it should be written as.
Out: counts by views of the compressed set; text of files.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...api import Tree
from ...errors import InvalidData, OutOfTime, TooLarge
from ...form import hex_digits
from .taken import NAMES, written
from .tree_counts import TreeCounts, Wishes

if TYPE_CHECKING:
    from ...rashomon import LookedAt, TreeSet

__all__ = ["Live"]

MOST_DIGITS = 30  # of an objective
MOST_AHEAD = 1_000
PATIENCE = 8.0  # seconds that a question waits for the one before it
PAUSE = 0.002  # seconds after which the work ahead looks whether a question is answered

Answer = tuple[str, bytes]
Ends = tuple[int | None, int | None]
KEYS = {"must", "not", "max_leaves", "max_features", "objective", "first"}


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
        self._counts = TreeCounts(trees)
        self._lock = threading.Lock()
        self._waiting: deque[None] = deque()  # one for each question that is asked right now
        # First questions to be prepared; of too many the oldest are forgotten.
        self._ahead: deque[tuple[str | None, bool]] = deque(maxlen=MOST_AHEAD)
        self._ended = threading.Event()
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
            self._waiting.append(None)
            try:
                if not self._lock.acquire(timeout=PATIENCE):
                    raise OutOfTime("the question before this one is not answered yet")
                try:
                    return answer(given)
                finally:
                    self._lock.release()
            finally:
                self._waiting.pop()

        return one

    # -- counts --------------------------------------------------------------------------------

    def count(self, given: dict[str, Any]) -> Answer:
        """Count the trees that meet the wishes; with ``each``, also by wish about each feature."""
        each = given.pop("each", False) is True
        if set(given) - KEYS:
            raise InvalidData(f"unknown wishes: {sorted(set(given) - KEYS)!r:.80}")
        must, unwanted = (_names(given.get(key, [])) for key in ("must", "not"))
        most, first = given.get("max_features"), given.get("first")
        if first is not None and not isinstance(first, str):
            raise InvalidData(f"'first' must be the name of a feature or column, got {first!r:.80}")
        self._counts.check([*must, *unwanted], most)
        wishes = Wishes(tuple(must), tuple(unwanted), most, first, self._ends(given))
        out: dict[str, Any] = {"trees": str(self._counts.n(wishes))}
        if each:
            out["each"] = {name: self._each(wishes, name) for name in self._counts.names}
        self._ahead.appendleft((first, True))
        return "application/json", json.dumps(out).encode()

    def _each(self, wishes: Wishes, name: str) -> list[str]:
        """Count by the wish about a feature: none, that it is used, that it is not."""
        must, unwanted = (tuple(o for o in wish if o != name) for wish in wishes[:2])
        both = self._counts.n(wishes._replace(must=must, unwanted=unwanted))
        without = self._counts.n(wishes._replace(must=must, unwanted=(*unwanted, name)))
        return [str(n) for n in (both, both - without, without)]

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

    # -- ahead ---------------------------------------------------------------------------------

    @contextmanager
    def working_ahead(self) -> Iterator[None]:
        """Count what may be asked next while nobody asks, until this ends.

        A page that shows all functions asks for no counts.
        """
        if self._some is not None and self._some.all:
            yield
            return
        self._ahead.extend([(None, True), *((name, False) for name in self._counts.names)])
        worker = threading.Thread(target=self._work, daemon=True, name="orderless explorer")
        worker.start()
        try:
            yield
        finally:
            self._ended.set()
            worker.join(PATIENCE)

    def _work(self) -> None:
        """Count step by step; a person's question goes first."""
        while not self._ended.wait(PAUSE):
            if not self._ahead:
                continue
            steps = self._counts.ahead(*self._ahead.popleft())
            with suppress(MemoryError, TooLarge, OutOfTime):  # then it is counted when asked
                while not self._ended.is_set():
                    while self._waiting:
                        time.sleep(PAUSE)
                    with self._lock:
                        if next(steps, True):
                            break

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
