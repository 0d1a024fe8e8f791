"""TreeSet: near-optimal trees that are counted, ranked, sampled and looked at, but never all built.

In:  a ``Source`` (the core's graph, or a list) and a ``View`` of it.
Out: numbers, ``Tree``s one by one, ``FunctionSet``, smaller ``TreeSet``s, answers on rows.
Paper: Sections 4 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, TooLarge
from ..inputs import generator, some_names
from ..model import Label, Tree, short_count
from ..readers import read_tree
from .engine import Counts, Histogram, Source
from .functions import FunctionSet, FunctionTable
from .listing import Listing
from .problem import Problem, decimal
from .row_answers import LIMIT, RowAnswers
from .sampling import positions_below
from .view import View

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TreeSet"]

SEMANTICS = ("aware", "independent", "rows")
AT_ONCE = 4096


class TreeSet(RowAnswers):
    """A set of near-optimal trees: a ``RashomonSet``, a view of one, or a list of trees.

    ``len(trees)`` is their number (``n_trees`` where that passes 2^63), ``trees[i]`` the tree at a
    position in order of objective, ``tree in trees`` whether it is one of them; iterating makes
    one tree after the other. Nothing is built that is not asked for.
    """

    _source_: Source
    _view_: View
    _distinct_: dict[str, int]  # how many functions, by semantics, where that was asked already

    @classmethod
    def _of(cls, source: Source, view: View) -> TreeSet:
        out = TreeSet.__new__(TreeSet)
        out._source_, out._view_, out._distinct_ = source, view, {}
        return out

    # What a RashomonSet has only after fit.

    @property
    def _source(self) -> Source:
        return self._source_

    @property
    def _view(self) -> View:
        return self._view_

    @property
    def _problem(self) -> Problem:
        return self._source.problem

    @property
    def _counts(self) -> Counts:
        return self._source.counts(self._view)

    # -- numbers -------------------------------------------------------------------------------

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return self._counts.n

    @property
    def n_nontrivial(self) -> int:
        """How many of them have no split of two leaves with equal label."""
        return sum(self._counts.histogram().nontrivial)

    @property
    def n_distinct(self) -> int:
        """How many different functions they are, as the set reads its columns.

        Functions of the features where the set knows them (``aware``), else of the columns. For
        more than 5 million use ``count_distinct`` with a larger ``limit``.
        """
        return self.count_distinct()

    @property
    def n_distinct_independent(self) -> int:
        """How many functions of the columns, taken as unrelated to each other (the paper's)."""
        return self.count_distinct("independent")

    @property
    def n_distinct_aware(self) -> int:
        """How many functions of the features."""
        return self.count_distinct("aware")

    @property
    def n_distinct_rows(self) -> int:
        """How many ways to label the training rows."""
        return self.count_distinct("rows")

    def count_distinct(self, semantics: str | None = None, *, limit: int = LIMIT) -> int:
        """Count the different functions.

        Parameters
        ----------
        semantics : "aware", "independent" or "rows"
            Functions of the features; of the columns, each unrelated to the others (the paper's);
            or only what is said of the training rows. By default as the set reads its columns.
        limit : int
            Give up, with ``TooLarge``, beyond so many.

        Notes
        -----
        Sub-functions are multiplied, not trees: cost grows with the functions found, about 1 to 6
        products each.
        """
        measure = self._semantics(semantics)
        known = self._distinct_.get(measure)
        if known is None or known > limit:
            known = self._source.count_functions(self._view, measure, limit)
            self._distinct_[measure] = known
        return known

    def _semantics(self, given: str | None) -> str:
        own = "aware" if self._problem.aware else "independent"
        if given is None:
            return own
        if given not in SEMANTICS:
            raise ValueError(f"semantics={given!r}: legal are {', '.join(map(repr, SEMANTICS))}")
        # Columns that stand alone are the features.
        return own if given == "aware" else given

    @property
    def objective(self) -> Fraction:
        """The smallest objective of all trees: share of errors + regularization x leaves.

        Of the whole set: a view keeps it.
        """
        return self._problem.objective(self._source.optimum)

    @property
    def bound(self) -> Fraction:
        """The largest objective that is still in."""
        return self._problem.exact_bound(self._source.optimum, self._view.epsilon)

    @property
    def on_bound(self) -> int:
        """How many trees have exactly the largest objective that is still in.

        These are what arithmetic in floats gets wrong.
        """
        found, bound = self._counts.histogram(), self.bound
        cost = self._problem.cost(found.errors, found.leaves.astype(np.int64))
        return sum(
            n
            for n, c in zip(found.trees, cost.tolist(), strict=True)
            if self._problem.objective(c) == bound
        )

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels, sorted."""
        return self._problem.classes

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the 0/1 columns that trees split on."""
        return self._problem.meaning.names

    @property
    def left_out(self) -> tuple[str, ...]:
        """The features that no tree can ask about, because no column of them divides the rows.

        A number for which the binarizer found no threshold, or a feature that is constant. That no
        tree uses such a feature says nothing about it. Empty for a list of trees.
        """
        return self._source.left_out

    def histogram(self) -> pd.DataFrame:
        """Count the trees by objective.

        Returns
        -------
        pandas.DataFrame
            A row per number of leaves and errors that occurs, best first: ``objective``,
            ``leaves``, ``errors`` (weight of wrong training rows), ``trees``, ``nontrivial``.
        """
        import pandas as pd

        found = self._counts.histogram()
        cost = self._problem.cost(found.errors, found.leaves.astype(np.int64))
        small = max(found.trees, default=0) < 2**63
        kind: Any = np.int64 if small else object
        return pd.DataFrame(
            {
                "objective": [float(self._problem.objective(c)) for c in cost.tolist()],
                "leaves": found.leaves,
                "errors": self._errors(found),
                "trees": np.array(found.trees, dtype=kind),
                "nontrivial": np.array(found.nontrivial, dtype=kind),
            }
        )

    def _errors(self, found: Histogram) -> NDArray[Any]:
        if self._problem.weight_scale == 1:
            return found.errors
        return found.errors / self._problem.weight_scale

    def __len__(self) -> int:
        if self.n_trees >= 2**63:
            raise OverflowError(
                f"there are {self.n_trees:,} trees, and Python's len() ends at 2^63: use n_trees"
            )
        return self.n_trees

    def __bool__(self) -> bool:
        return self.n_trees > 0

    def __repr__(self) -> str:
        return f"TreeSet({self._found()})"

    def __str__(self) -> str:
        return "\n".join(filter(None, [repr(self), self._without_columns()]))

    def _found(self) -> str:
        """Say how many trees there are, how many functions if they were counted, and how good."""
        known = self._distinct_.get(self._semantics(None))
        counts = [f"{short_count(self.n_trees)} tree{'' if self.n_trees == 1 else 's'}"]
        if known is not None:
            counts.append(f"{short_count(known)} function{'' if known == 1 else 's'}")
        low, high = float(self.objective), float(self.bound)
        return f"{', '.join(counts)}, objectives {low:.4g} to {high:.4g}"

    def _without_columns(self) -> str:
        """Say which features were left out; nothing if none was."""
        names = self.left_out
        if not names:
            return ""
        some = "feature is" if len(names) == 1 else "features are"
        return f"{len(names):,} {some} left out (constant, or no threshold): {some_names(names, 4)}"

    # -- trees ---------------------------------------------------------------------------------

    def _build(self, positions: list[int]) -> Iterator[Tree]:
        flat = self._counts.unrank(positions)
        return self._problem.meaning.trees(flat, self._problem.classes)

    def trees(self, start: int = 0) -> Iterator[Tree]:
        """Go through the trees in order of objective, then leaves, then a fixed order; lazily.

        Parameters
        ----------
        start : int
            Position of the first.
        """
        if start < 0:
            raise ValueError(f"start={start}: legal are positions from 0")
        return self._trees(range(start, self.n_trees))

    def _trees(self, positions: range) -> Iterator[Tree]:
        done, step = 0, 16
        n = _length(positions)
        while done < n:
            some = [positions.start + positions.step * i for i in range(done, min(done + step, n))]
            yield from self._build(some)
            done += len(some)
            step = min(4 * step, AT_ONCE)

    def __iter__(self) -> Iterator[Tree]:
        return self.trees()

    def __getitem__(self, which: Any) -> Any:
        """Give the tree at a position, or a list of trees for a slice."""
        n = self.n_trees
        if isinstance(which, slice):
            return list(self._trees(range(*which.indices(n))))
        if isinstance(which, bool) or not hasattr(which, "__index__"):
            raise TypeError(f"positions are whole numbers or slices, got {which!r:.80}")
        position = which.__index__()
        if not -n <= position < n:
            raise IndexError(f"tree {position:,} of {n:,}")
        return next(self._build([position % n]))

    def rank(self, tree: Any) -> int | None:
        """Give the position of a tree in the order of ``trees()``, None if it is not in.

        Where several columns tell the same condition, several positions hold the same tree; this is
        one of them.

        Parameters
        ----------
        tree : Tree, or any model that ``read_tree`` knows
        """
        flat = self._problem.meaning.flatten(read_tree(tree), self.classes)
        return None if flat is None else self._counts.rank(flat)

    def __contains__(self, tree: object) -> bool:
        """Whether a tree is one of these, node by node (not just an equivalent one)."""
        return self.rank(tree) is not None

    @property
    def best_tree(self) -> Tree:
        """A tree with the smallest objective: the first of ``trees()``, and of ``functions()``.

        Of several the one with the fewest leaves, then the first in a fixed order of the columns.
        """
        self._not_empty()
        return next(self._build([0]))

    def _not_empty(self) -> None:
        if not self.n_trees:
            raise InvalidData("there is no tree in this view: ask for less at once")

    def sample(self, k: int, *, random_state: Any = None) -> list[Tree]:
        """Draw trees: each is any tree of the set with the same chance, one may come twice.

        Parameters
        ----------
        k : int
        random_state : int, RandomState, Generator or None
        """
        self._not_empty()
        return list(self._build(positions_below(self.n_trees, k, generator(random_state))))

    # -- views ---------------------------------------------------------------------------------

    def within(self, epsilon: Any) -> TreeSet:
        """Look at the trees within a smaller epsilon of the optimum, of the same kind.

        Parameters
        ----------
        epsilon : number
            At most the set's own. Read as the decimal that is written.
        """
        small = decimal(epsilon, "epsilon")
        if small > self._view.epsilon:
            raise ValueError(
                f"epsilon={float(small)} is larger than this set's {float(self._view.epsilon)}: a "
                "view is a part of the set; fit again with the larger epsilon"
            )
        bound = self._problem.bound_of(self._source.optimum, small)
        return self._of(self._source, replace(self._view, epsilon=small, bound=bound))

    def using(self, *features: Any) -> TreeSet:
        """Look at the trees that ask about all of these features (names, or lists of names)."""
        view = self._view
        for name in _names(features):
            view = view.using(self._problem.meaning.columns_of(name))
        return self._of(self._source, view)

    def without(self, *features: Any) -> TreeSet:
        """Look at the trees that ask about none of these features (names, or lists of names)."""
        view = self._view
        for name in _names(features):
            view = view.without(self._problem.meaning.columns_of(name))
        return self._of(self._source, view)

    def at_most(self, leaves: int) -> TreeSet:
        """Look at the trees with at most so many leaves."""
        if isinstance(leaves, bool) or not isinstance(leaves, int | np.integer) or leaves < 1:
            raise ValueError(f"leaves={leaves!r}: legal are whole numbers from 1")
        return self._of(self._source, self._view.at_most(int(leaves)))

    def nontrivial(self) -> TreeSet:
        """Look at the trees without trivial splits: no two leaves of one split have equal label."""
        return self._of(self._source, replace(self._view, trivial=False))

    # -- functions -----------------------------------------------------------------------------

    def functions(self, *, limit: int = LIMIT, semantics: str | None = None) -> FunctionSet:
        """Give the different functions, in order of their cheapest tree's objective.

        The first is the function of ``best_tree``.

        Parameters
        ----------
        limit : int
            Give up, with ``TooLarge``, beyond so many.
        semantics : "aware", "independent" or "rows"
            See ``count_distinct``.

        Returns
        -------
        FunctionSet
        """
        return FunctionSet.of(Listing(self._source, self._view, self._semantics(semantics), limit))

    def function_table(self, *, limit: int = LIMIT, semantics: str | None = None) -> FunctionTable:
        """Give the different functions as arrays, without an object for each."""
        return self.functions(limit=limit, semantics=semantics).table()

    def sample_functions(
        self, k: int, *, random_state: Any = None, limit: int = LIMIT
    ) -> FunctionSet:
        """Draw functions: each is any function with the same chance, one may come twice.

        Parameters
        ----------
        k : int
        random_state : int, RandomState, Generator or None
        limit : int
            Most functions that are listed at once. Of more than that, they are drawn from a random
            2^b-th of all: those whose fingerprint has given last bits.
        """
        self._not_empty()
        random = generator(random_state)
        found = self._some_functions(random, limit)
        chosen = positions_below(len(found), k, random)
        return found.take(np.array(sorted(chosen), dtype=np.int64))

    def _some_functions(self, random: np.random.Generator, limit: int) -> FunctionSet:
        """Give all functions; or, where they pass the limit, a random piece of them."""
        measure = self._semantics(None)
        piece = None
        for bits in range(0, 21, 4):
            if bits:
                piece = (int(random.integers(0, 1 << bits)), bits)
            try:
                found = FunctionSet.of(Listing(self._source, self._view, measure, limit, piece))
            except TooLarge:
                continue
            if len(found):
                return found
        raise TooLarge(
            f"no piece of the functions has between 1 and limit={limit:,}: raise limit=", limit
        )

    def __and__(self, other: Any) -> FunctionSet:
        return self.functions().__and__(other)

    def __or__(self, other: Any) -> FunctionSet:
        return self.functions().__or__(other)

    def __sub__(self, other: Any) -> FunctionSet:
        return self.functions().__sub__(other)

    # -- pictures and files --------------------------------------------------------------------

    def plot_objectives(self, ax: Any = None) -> Any:
        """Draw how many trees have which objective; see ``orderless.output.plots.rashomon``."""
        from ..output.plots import plot_objectives

        return plot_objectives(self, ax)

    def plot_sizes(self, ax: Any = None) -> Any:
        """Draw how many trees there are, and how many functions in each reading."""
        from ..output.plots import plot_sizes

        return plot_sizes(self, ax)

    def plot_map(self, ax: Any = None, *, most: int = 1000, random_state: Any = 0) -> Any:
        """Place the functions by how much they disagree on the training rows."""
        from ..output.plots import plot_map

        return plot_map(self, ax, most=most, random_state=random_state)

    def differences(self, exact: TreeSet, *, limit: int = 1_000_000) -> Any:
        """Say which trees this set and an exact one do not share, and why; see ``Differences``."""
        from .differences import differences

        return differences(self, exact, limit)

    def to_json(self) -> str:
        """Write it as versioned JSON: the problem and the numbers, not the trees (docs/formats)."""
        from .formats import to_json

        return to_json(self)


def _length(positions: range) -> int:
    """Give the length of a range, which may pass what ``len`` can say."""
    start, stop, step = positions.start, positions.stop, positions.step
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)


def _names(features: Iterable[Any]) -> list[str]:
    names: list[str] = []
    for entry in features:
        names += [entry] if isinstance(entry, str) else list(entry)
    if not names:
        raise ValueError("name at least one feature")
    return names
