"""Which functions of a set a person looks at: all of them, or some that were drawn and the ends.

In:  a set of trees; how many are looked at, and how they are drawn.
Out: ``LookedAt``: a ``FunctionTable``, which of its functions were drawn, which are exact ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter, OutOfMemory, OutOfTime, TooLarge, named, setting
from ..form import hex_digits
from ..inputs import generator
from .ends import End
from .flat import FlatTrees, join
from .functions import FunctionTable
from .view import LIMIT

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = [
    "DRAWS",
    "MOST_SHOWN",
    "LookedAt",
    "drawn_instead",
    "looked_at",
]

DRAWS = ("functions", "trees")
MOST_TREES = 10**14  # of which functions are drawn; beyond it their pieces are too many to list
MOST_SHOWN = 20_000  # functions that a person looks at
SHOWN_INSTEAD = 2000  # functions that are drawn where all are too many


@dataclass(frozen=True, eq=False)
class LookedAt:
    """The functions that are looked at.

    Attributes
    ----------
    table : FunctionTable
        ``n_trees`` is 0 where it is not known.
    drawn : array of bool
        False for functions that are there as exact ends only.
    how : str
        How they were chosen, in words.
    all : bool
        Whether they are all functions of the set.
    call : str
        The arguments of ``choose`` that draw them.
    ends : tuple of End
    at : tuple of int
        The place of each end in the table.
    """

    table: FunctionTable
    drawn: NDArray[np.bool_]
    how: str
    all: bool = True
    call: str = ""
    ends: tuple[End, ...] = ()
    at: tuple[int, ...] = ()

    def with_ends(self, trees: TreeSet, ends: Sequence[End]) -> LookedAt:
        """Add the functions of exact ends that are not there yet."""
        flat = [trees._problem.columns.flatten(end.tree.kernel, self.table.classes) for end in ends]
        more = _table(trees, join([one for one in flat if one is not None]))
        both = _joined(self.table, more)
        order = np.lexsort((both.leaves, both.cost))  # the best first, and of each function
        both = _some(both, order)
        _, first, which = np.unique(
            both.fingerprint, axis=0, return_index=True, return_inverse=True
        )
        kept = np.sort(first)
        place = np.searchsorted(kept, first[which.ravel()])  # of each among those that are kept
        drawn, n_trees = np.zeros(len(kept), dtype=bool), np.zeros(len(kept), dtype=np.uint64)
        np.logical_or.at(drawn, place, (order < len(self.table)))
        np.maximum.at(n_trees, place, both.n_trees)
        at = place[np.argsort(order)[len(self.table) :]].tolist()
        table = replace(_some(both, kept), n_trees=n_trees)
        return replace(self, table=table, drawn=drawn, ends=tuple(ends), at=tuple(at))

    def remember(self, trees: TreeSet) -> None:
        """Keep the trees where ``function`` finds them when there are too many to list."""
        names = [hex_digits(point) for point in self.table.fingerprint]
        trees._source.seen = {name: self.table.trees[i : i + 1] for i, name in enumerate(names)}

    def end_texts(self) -> list[str]:
        """Say of each function which ends it is; empty for most."""
        out: list[list[str]] = [[] for _ in range(len(self.table))]
        for end, at in zip(self.ends, self.at, strict=True):
            out[at].append(end.text)
        return [", ".join(texts) for texts in out]


def looked_at(
    trees: TreeSet, sample: int | None, draw: str, random_state: Any, limit: int
) -> LookedAt:
    """Give all functions, or some that are drawn, each once."""
    if draw not in DRAWS:
        raise InvalidParameter(
            f"{named('draw')} must be 'functions' or 'trees', got {draw!r:.80}", "draw"
        )
    if sample is not None and draw == "trees":
        return _drawn_trees(trees, sample, random_state)
    try:
        functions = trees._voters(sample, random_state, limit)
        table = functions.table()
    except TooLarge as fault:
        raise TooLarge(
            f"{fault}; or draw some: {setting('sample', min(limit, 1000))}", fault.met
        ) from fault
    if sample is None:
        return LookedAt(table, np.ones(len(table), dtype=bool), "all")
    _, first = np.unique(functions.fingerprints, axis=0, return_index=True)
    table = functions.take(np.sort(first)).table()
    many = "1 function" if len(table) == 1 else f"{len(table):,} functions"
    how = f"{many}, drawn uniformly from all functions"
    call = f"sample={sample}" + ("" if limit == MOST_SHOWN else f", limit={limit}")
    return LookedAt(table, np.ones(len(table), dtype=bool), how, all=False, call=call)


def drawn_instead(trees: TreeSet, random_state: Any, limit: int) -> LookedAt:
    """Give all functions; or, where they are more than the limit, some that are drawn."""
    try:
        return looked_at(trees, None, "functions", random_state, limit)
    except (TooLarge, OutOfMemory, OutOfTime):
        some = min(limit, SHOWN_INSTEAD)
    if trees.n_trees <= MOST_TREES:
        try:
            return looked_at(trees, some, "functions", random_state, LIMIT)
        except (TooLarge, OutOfMemory, OutOfTime):
            pass
    return _drawn_trees(trees, some, random_state)


def _drawn_trees(trees: TreeSet, sample: int, random_state: Any) -> LookedAt:
    """Draw trees, and give the functions that they are: of each the cheapest that was drawn."""
    positions = sorted(trees._drawn_positions(_several(sample), generator(random_state)))
    table = _table(trees, trees._counts.unrank(positions))  # the cheapest is first
    _, first = np.unique(table.fingerprint, axis=0, return_index=True)
    table = _some(table, np.sort(first))
    how = (
        f"{len(table):,} functions of {sample:,} trees that were drawn uniformly from all trees, "
        "so that functions with more trees are more likely; objective and leaves are those of the "
        "tree that was drawn"
    )
    call = f'sample={sample}, draw="trees"'
    return LookedAt(table, np.ones(len(table), dtype=bool), how, all=False, call=call)


def _several(sample: Any) -> int:
    if isinstance(sample, bool) or not isinstance(sample, int | np.integer) or sample < 1:
        raise ValueError(f"sample must be a whole number from 1, got {sample!r:.80}")
    return int(sample)


def _table(trees: TreeSet, flat: FlatTrees) -> FunctionTable:
    """Give the functions of some trees; how many trees they have is not known."""
    problem = trees._problem
    errors, leaves = problem.errors_of(flat), flat.n_leaves
    none = np.zeros(len(flat), dtype=np.uint64)
    return FunctionTable(
        fingerprint=problem.points(flat, problem.semantics()),
        cost=problem.cost(errors, leaves),
        unit=problem.unit,
        errors=errors,
        weight_scale=problem.weight_scale,
        leaves=leaves,
        n_trees=none,
        n_nontrivial=none,
        trees=flat,
        columns=problem.columns,
        classes=problem.classes,
    )


PER_FUNCTION = ("fingerprint", "cost", "errors", "leaves", "n_trees", "n_nontrivial")


def _some(table: FunctionTable, at: NDArray[np.intp]) -> FunctionTable:
    arrays: dict[str, Any] = {name: getattr(table, name)[at] for name in PER_FUNCTION}
    return replace(table, trees=table.trees[at], **arrays)


def _joined(first: FunctionTable, second: FunctionTable) -> FunctionTable:
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in PER_FUNCTION
    }
    return replace(first, trees=join([first.trees, second.trees]), **arrays)
