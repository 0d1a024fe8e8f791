"""The distinct functions of a set of trees, each counted once.

In:  a ``Source`` and a ``View``.
Out: ``FunctionSet``: functions with fingerprints and trees, and set operations between folds; all
     at once as arrays (``FunctionTable``). ``Listing``: the functions of one view.
Paper: Section 4, "Ours": equivalent trees are one model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..api import Tree
from ..errors import InvalidData, TooLarge, a_kind
from ..form import fingerprint, hex_digits, read_hex
from ..inputs import generator
from ..model import Label
from .columns import Columns
from .distinct_estimate import DistinctEstimate, estimate_functions
from .engine import Piece
from .flat import FlatTrees, distinct, join
from .halves import positions_below
from .listed import Functions, Source
from .problem import Problem
from .view import View

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DrawnFunction", "FunctionSet", "FunctionTable", "Listing", "RashomonFunction"]

AT_ONCE = 1024
MOST_LOOKED_FOR = 10**14  # trees of a set that is searched for a function that was seen before


class Listing:
    """The functions of one view, found when first asked for, and again after unpickling."""

    def __init__(
        self, source: Source, view: View, semantics: str, limit: int, piece: Piece | None = None
    ) -> None:
        self.source, self.view, self.semantics, self.limit = source, view, semantics, limit
        self.piece = piece

    def __reduce__(self) -> tuple[Any, ...]:
        return Listing, (self.source, self.view, self.semantics, self.limit, self.piece)

    def only(self, piece: Piece) -> Listing:
        """Restrict it to a piece."""
        return Listing(self.source, self.view, self.semantics, self.limit, piece)

    @cached_property
    def functions(self) -> Functions:
        """Those that the source gives, with their errors, leaves and fingerprints."""
        return self.source.functions(self.view, self.semantics, self.limit, self.piece)

    @property
    def n(self) -> int:
        """How many they are, counted without a list where there is none yet."""
        if "functions" in self.__dict__ or self.piece is not None:
            return len(self.functions.errors)
        counted, key = self.source.counted, (self.view, self.semantics)
        if key not in counted or counted[key] > self.limit:
            counted[key] = self.source.count_functions(self.view, self.semantics, self.limit)
        return counted[key]

    @cached_property
    def cost(self) -> NDArray[np.int64]:
        """Objectives of the cheapest trees, in the problem's whole numbers."""
        return self.source.problem.cost(self.functions.errors, self.functions.leaves)

    @cached_property
    def _first_tree(self) -> FlatTrees:
        return self.source.counts(self.view).unrank([0])

    @cached_property
    def first(self) -> int:
        """The position of the function that ``best_tree`` is; -1 if it is in no piece of these."""
        functions = self.functions
        if not len(functions.errors):
            return -1
        equal = (self.cost == self.cost[0]) & (functions.leaves == functions.leaves[0])
        tied = np.flatnonzero(equal)
        if self.piece is None and len(tied) == 1:
            return 0
        problem, points = self.source.problem, functions.fingerprint[tied]
        if self.semantics == "rows":  # the core's own numbers
            points = problem.points(functions.trees(tied), self.semantics)
        best = problem.points(self._first_tree, self.semantics)
        same = tied[(points == best).all(axis=1)].tolist()
        return same[0] if same else -1

    def order(self) -> NDArray[np.int64]:
        """Give the positions of all functions, that of ``best_tree`` first."""
        every = np.arange(len(self.functions.errors))
        if len(every) < 2 or self.first < 1:
            return every
        return np.concatenate([[self.first], np.delete(every, self.first)])

    def cheapest(self, positions: NDArray[np.int64]) -> FlatTrees:
        """Give a cheapest tree of some functions: ``best_tree`` of the one that it is."""
        if positions.tolist() == [self.first]:
            return self._first_tree
        flat = self.functions.trees(positions)
        for at in np.flatnonzero(positions == self.first).tolist():
            flat = join([flat[:at], self._first_tree, flat[at + 1 :]])
        return flat


@dataclass(frozen=True, eq=False)
class RashomonFunction:
    """One function of a set, with all trees that are this function.

    Attributes
    ----------
    fingerprint : str
        As ``orderless.fingerprint`` of any of its trees (of the trees over independent columns, or
        of what they say of the training rows, if functions were asked for in that reading).
    objective : Fraction
        Of its cheapest tree.
    errors : int, or Fraction
        Weight of the training rows that it gets wrong; for regression its loss on them.
    leaves : int
        Fewest leaves of a tree of it.
    n_trees, n_nontrivial : int
        Trees of the set that are this function; those without trivial splits.
    """

    fingerprint: str
    objective: Fraction
    errors: int | Fraction
    leaves: int
    n_trees: int
    n_nontrivial: int
    _listing: Listing = field(repr=False)
    _position: int = field(repr=False)

    @property
    def tree(self) -> Tree:
        """A cheapest tree of it; of the first function of a set its ``best_tree``."""
        flat = self._listing.cheapest(np.array([self._position]))
        (tree,) = self._listing.source.problem.trees(flat)
        return tree

    def trees(self) -> Iterator[Tree]:
        """Go through all trees of the set that are this function, those with few leaves first."""
        start, step = 0, 16
        while start < self.n_trees:
            count = min(step, self.n_trees - start)
            flat = self._listing.functions.trees_of(self._position, start, count)
            yield from self._listing.source.problem.trees(flat)
            start += len(flat)
            step = min(4 * step, AT_ONCE)

    def predict(self, X: Any) -> Any:
        """Give each row's class where it is certain; see ``Tree.predict``."""
        return self.tree.predict(X)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RashomonFunction):
            return NotImplemented
        return self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)


@dataclass(frozen=True, eq=False)
class FunctionTable:
    """All functions of a set at once, without an object for each.

    Sorted by the objective of the cheapest tree, then its leaves; of several that are equal in
    both, that of ``best_tree`` is first, and the others follow by fingerprint.

    Attributes
    ----------
    fingerprint : array of uint64, functions by 2
        As in ``orderless.fingerprint``, whose digits are the two numbers in hexadecimal.
    cost : array of int
        Objective of the cheapest tree, in ``1 / unit``-ths.
    unit : int
    errors : array of int
        Weight that the function gets wrong, in ``1 / weight_scale``-ths.
    weight_scale : int
        1 unless sample weights are not whole.
    leaves : array of int
        Fewest leaves of a tree of the set.
    n_trees, n_nontrivial : array of uint64
        How many trees of the set are this function; how many have no trivial split.
    trees : FlatTrees
        A cheapest tree of each, over ``columns``.
    columns : Columns
        What the columns mean: ``columns.names``, ``columns.space``, ``columns.feature`` (per column
        the position of its feature in the space).
    classes : tuple of labels
    """

    fingerprint: NDArray[np.uint64]
    cost: NDArray[np.int64]
    unit: int
    errors: NDArray[np.int64]
    weight_scale: int
    leaves: NDArray[np.int32]
    n_trees: NDArray[np.uint64]
    n_nontrivial: NDArray[np.uint64]
    trees: FlatTrees
    columns: Columns
    classes: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.cost)

    def __eq__(self, other: object) -> bool:
        """Whether all that they hold is the same."""
        if not isinstance(other, FunctionTable):
            return NotImplemented
        return self._plain == other._plain and all(
            np.array_equal(one, another)
            for one, another in zip(self._arrays, other._arrays, strict=True)
        )

    def __hash__(self) -> int:
        return hash((self._plain[:3], self.fingerprint.tobytes()))

    @property
    def _plain(self) -> tuple[Any, ...]:
        return self.unit, self.weight_scale, self.classes, self.columns

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return (self.fingerprint, self.cost, self.errors, self.leaves, self.n_trees,
                self.n_nontrivial, *self.trees.arrays)  # fmt: skip


Part = tuple[Listing, NDArray[np.int64]]


class FunctionSet:
    """Distinct functions, in order of objective. Made by ``TreeSet.functions``.

    Of several with the smallest objective and equally many leaves, the one of ``best_tree`` is
    first, and its ``tree`` is that tree; the others follow by fingerprint.

    ``a & b``, ``a | b`` and ``a - b`` go by fingerprint: also between sets of different folds,
    thresholds and spaces, where features of one name are one feature. What a function of both
    costs, and how many trees it has, is that of the left one; ``|`` lists the left set first.

    Examples
    --------
    >>> from orderless import RashomonSet
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> found = RashomonSet(max_depth=2, epsilon=0.26).fit(X, [0, 0, 0, 1]).trees_.functions()
    >>> len(found), found[0].n_trees, float(found[0].objective)
    (4, 4, 0.03)
    >>> len(found & found), len(found - found)
    (4, 0)
    """

    def __init__(self, parts: tuple[Part, ...], every: Listing | None = None) -> None:
        self._some, self._every = parts, every

    @classmethod
    def of(cls, listing: Listing) -> FunctionSet:
        """Take all functions of a listing; they are listed when one is asked for."""
        return cls((), listing)

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return self._some if self._every is None else ((self._every, self._every.order()),)

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum([len(positions) for _, positions in self._parts], dtype=np.int64)

    @property
    def fingerprints(self) -> NDArray[np.uint64]:
        """Two numbers per function; ``RashomonFunction.fingerprint`` is their hexadecimal form."""
        return np.concatenate(
            [np.zeros((0, 2), dtype=np.uint64)]
            + [listing.functions.fingerprint[at] for listing, at in self._parts]
        )

    def __len__(self) -> int:
        if self._every is not None:
            return self._every.n
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, which: Any) -> Any:
        """Return a function by its position or fingerprint; a slice is a smaller ``FunctionSet``.

        Of more functions than ``limit``, only those are listed whose fingerprint has the same last
        bits; one that ``choose`` has drawn before is given as it was drawn: as a
        ``DrawnFunction``, whose number of trees is not known.
        """
        if isinstance(which, str) and self._every is not None and self._every.piece is None:
            return _by_fingerprint(self._every, which)
        if isinstance(which, str):
            return self._listed(which)
        if isinstance(which, slice):
            return self.take(np.arange(len(self))[which])
        position, last = int(which), len(self) - 1
        if not -len(self) <= position <= last:
            raise IndexError(f"there is no function {which}: positions go from 0 to {last:,}")
        return next(iter(self.take(np.array([position % len(self)]))))

    def _listed(self, fingerprint: str) -> RashomonFunction:
        """Return the function with a fingerprint among those that are listed."""
        rows = np.flatnonzero((self.fingerprints == read_hex(fingerprint)).all(axis=1)).tolist()
        if not rows:
            raise KeyError(f"none of these functions has the fingerprint {fingerprint}")
        return next(iter(self.take(np.array([rows[0]]))))

    def take(self, positions: NDArray[np.int64]) -> FunctionSet:
        """Choose functions by their positions."""
        start = self._ends - [len(at) for _, at in self._parts]
        part = np.searchsorted(self._ends, positions, side="right")
        cuts = np.flatnonzero(np.diff(part)) + 1
        parts = []
        for some in np.split(positions, cuts):
            if len(some):
                k = int(np.searchsorted(self._ends, some[0], side="right"))
                listing, at = self._parts[k]
                parts.append((listing, at[some - start[k]]))
        return FunctionSet(tuple(parts))

    def __iter__(self) -> Iterator[RashomonFunction]:
        for listing, at in self._parts:
            for position in at.tolist():
                yield _function(listing, position)

    def __contains__(self, tree: object) -> bool:
        """Whether a tree or a function is one of these.

        A model that ``orderless.read`` reads as a tree counts as that tree.
        """
        name = tree.fingerprint if isinstance(tree, RashomonFunction) else fingerprint(tree)
        return bool((self.fingerprints == read_hex(name)).all(axis=1).any())

    def __eq__(self, other: object) -> bool:
        """Whether it is the same set of functions."""
        if not isinstance(other, FunctionSet):
            return NotImplemented
        return len(self) == len(other) and bool(self._in(other).all())

    def __hash__(self) -> int:
        return hash(np.sort(_packed(self.fingerprints)).tobytes())

    @property
    def complete(self) -> bool:
        """Whether none of the sets that they come from is a part of what was asked for."""
        return all(listing.source.incomplete is None for listing, _ in self._parts)

    def __repr__(self) -> str:
        part = "" if self.complete else " of an incomplete set"
        return f"FunctionSet({len(self):,} functions{part})"

    # -- set operations ------------------------------------------------------------------------

    def _in(self, other: FunctionSet) -> NDArray[np.bool_]:
        listings = [listing for listing, _ in (*self._parts, *other._parts)]
        on_rows = all(listing.semantics == "rows" for listing in listings)
        if on_rows and len({id(listing.source) for listing in listings}) > 1:
            raise InvalidData(
                "functions on the training rows of different sets cannot be compared: ask for "
                "functions() by features"
            )
        theirs = set(_packed(other.fingerprints).tolist())
        return np.array([key in theirs for key in _packed(self.fingerprints).tolist()], dtype=bool)

    def __and__(self, other: Any) -> FunctionSet:
        return self.take(np.flatnonzero(self._in(_as_functions(other))))

    def __sub__(self, other: Any) -> FunctionSet:
        return self.take(np.flatnonzero(~self._in(_as_functions(other))))

    def __or__(self, other: Any) -> FunctionSet:
        other = _as_functions(other)
        return FunctionSet((*self._parts, *(other - self)._parts))

    def votes(self, bits: NDArray[np.uint8], n_classes: int) -> NDArray[np.int64]:
        """Count, by complete row of 0/1 columns and class, the functions that give the class."""
        first, which = distinct(bits)
        listing, at = self._parts[0]
        if len(self._parts) == 1 and len(at) == len(listing.functions.errors):  # all of them
            return listing.functions.votes(bits[first], n_classes)[which]
        return self.table().trees.votes(bits[first], n_classes)[which]

    # -- too many to list ----------------------------------------------------------------------

    def sample(self, k: int, *, random_state: Any = None) -> FunctionSet:
        """Draw functions: each is any function with the same chance, one may come twice.

        Of more than ``limit`` they are drawn from a random 2^b-th of all: those whose fingerprint
        has certain last bits.

        Parameters
        ----------
        k : int
        random_state : int, RandomState, Generator or None
        """
        random = generator(random_state)
        some = self if self._every is None else _some_functions(self._every, random)
        if not len(some):
            raise InvalidData("there are no functions here to draw from")
        chosen = positions_below(len(some), k, random)
        return some.take(np.array(sorted(chosen), dtype=np.int64))

    def estimate(
        self, n_samples: int = 4000, *, confidence: float = 0.95, random_state: Any = None
    ) -> DistinctEstimate:
        r"""Estimate how many functions there are, where they are too many to count.

        Parameters
        ----------
        n_samples : int
            How many trees are drawn, 2 or more. Four times as many halve the error.
        confidence : float
            Between 0 and 1.
        random_state : int, RandomState, Generator or None

        Returns
        -------
        DistinctEstimate

        Raises
        ------
        OutOfTime, OutOfMemory
            A limit of the set was reached. There is no estimate from fewer trees: which ones take
            long has to do with how many trees are one function.

        Notes
        -----
        Trees are drawn with equal chances from the n trees without trivial splits. If T trees of
        those are the same function as the one that is drawn, the number of functions is n times
        the expectation of 1 / T; T is counted exactly, by following only those splits whose sides
        can still be the function. The interval is the empirical Bernstein bound of Maurer and
        Pontil (2009, Theorem 4), which holds for every sample size and any distribution between 0
        and 1: a few functions of one tree each among many of thousands do not fool it. Trees with
        trivial splits are drawn, too, where a constraint may hold because of such a split
        (``uses``, ``root``); the error is then larger.

        Cost: of each tree drawn, the orders in which its questions can be asked; about a fifth of a
        millisecond at depth 4. For a list of trees, and with ``monotone``, functions are listed.

        Examples
        --------
        >>> import orderless as ol
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> functions = ol.RashomonSet(max_depth=2).fit(X, y).trees_.functions()
        >>> len(functions)
        295
        >>> got = functions.estimate(2000, random_state=0)
        >>> got.estimate, got.low, got.high
        (298, 293, 304)
        """
        if self._every is None or self._every.piece is not None:
            raise InvalidData("these functions are listed already: len() is their number")
        return estimate_functions(self._every, n_samples, confidence, random_state)

    # -- all at once ---------------------------------------------------------------------------

    def table(self) -> FunctionTable:
        """Give all functions at once, as arrays; linear in their trees' nodes."""
        if len(self._parts) > 1 and len({id(part[0].source) for part in self._parts}) > 1:
            raise InvalidData(
                "these functions come from several sets, whose columns may differ: ask each set "
                "for its table"
            )
        if not self._parts:
            raise InvalidData("there are no functions here, so a table would have no columns")
        listing = self._parts[0][0]
        at = np.concatenate([positions for _, positions in self._parts])
        if any(other is not listing for other, _ in self._parts):
            raise InvalidData("these functions come from several views: ask each for its table")
        functions, problem = listing.functions, listing.source.problem
        return FunctionTable(
            functions.fingerprint[at],
            listing.cost[at],
            problem.unit,
            functions.errors[at],
            problem.weight_scale,
            functions.leaves[at],
            functions.n_trees[at],
            functions.n_nontrivial[at],
            listing.cheapest(at),
            problem.columns,
            problem.classes,
        )

    def to_frame(self) -> pd.DataFrame:
        """Give one row per function: fingerprint, objective, errors, leaves, numbers of trees."""
        import pandas as pd

        names = ["fingerprint", "objective", "errors", "leaves", "n_trees", "n_nontrivial"]
        more = names[2:]
        rows = [(f.fingerprint, float(f.objective), *(getattr(f, n) for n in more)) for f in self]
        return pd.DataFrame(rows, columns=names)


def _packed(points: NDArray[np.uint64]) -> NDArray[Any]:
    """Give one 16-byte key per function."""
    return np.ascontiguousarray(points).view(np.dtype((np.void, 16))).ravel()


def _as_functions(given: Any) -> FunctionSet:
    if isinstance(given, FunctionSet):
        return given
    if hasattr(given, "functions") and isinstance(functions := given.functions(), FunctionSet):
        return functions
    raise TypeError(
        f"cannot compare functions with {a_kind(given)}: give a TreeSet, or its functions()"
    )


def _function(listing: Listing, position: int) -> RashomonFunction:
    functions, problem = listing.functions, listing.source.problem
    return RashomonFunction(
        hex_digits(functions.fingerprint[position]),
        problem.objective(int(listing.cost[position])),
        problem.errors_as_given(int(functions.errors[position])),
        int(functions.leaves[position]),
        int(functions.n_trees[position]),
        int(functions.n_nontrivial[position]),
        listing,
        position,
    )


@dataclass(frozen=True, eq=False)
class DrawnFunction:
    """A function that was looked at in a set of too many to list.

    Attributes
    ----------
    fingerprint : str
    objective : Fraction
        Of the tree that was found.
    errors : int, or Fraction
        Weight of the training rows that it gets wrong.
    leaves : int
        Of the tree that was found.
    tree : Tree
    n_trees : None
        How many trees of the set are this function is not known.
    """

    fingerprint: str
    objective: Fraction
    errors: int | Fraction
    leaves: int
    tree: Tree
    n_trees: None = None

    def predict(self, X: Any) -> Any:
        """Give each row's class where it is certain; see ``Tree.predict``."""
        return self.tree.predict(X)


def seen_before(problem: Problem, flat: FlatTrees, fingerprint: str) -> DrawnFunction:
    """Give a function by a tree of it."""
    errors, leaves = problem.errors_of(flat), flat.n_leaves
    objective = problem.objective(int(problem.cost(errors, leaves)[0]))
    (tree,) = problem.trees(flat)
    wrong = problem.errors_as_given(int(errors[0]))
    return DrawnFunction(fingerprint, objective, wrong, int(leaves[0]), tree)


def _by_fingerprint(listing: Listing, fingerprint: str) -> RashomonFunction | DrawnFunction:
    """Look for a function among all, however many they are."""
    point, source = read_hex(fingerprint), listing.source
    seen = source.seen.get(fingerprint)
    if seen is not None and source.counts(listing.view).n > MOST_LOOKED_FOR:
        return seen_before(source.problem, seen, fingerprint)
    fault: TooLarge | None = None
    for bits in range(0, 21, 4):
        piece = (int(point[0]) & ((1 << bits) - 1), bits) if bits else None
        some = listing if piece is None else listing.only(piece)
        try:
            out: RashomonFunction = FunctionSet((), some)._listed(fingerprint)
        except TooLarge as more:
            fault = more
            continue
        except KeyError:
            fault = None
            break
        return out
    if fault is not None:
        if seen is not None:
            return seen_before(source.problem, seen, fingerprint)
        raise fault
    raise KeyError(f"no function of this set has the fingerprint {fingerprint}")


def _some_functions(listing: Listing, random: np.random.Generator) -> FunctionSet:
    """Return all functions; or, where they pass the limit, a random piece of them."""
    for bits in range(0, 21, 4):
        piece = (int(random.integers(0, 1 << bits)), bits) if bits else None
        some = listing if piece is None else listing.only(piece)
        try:
            functions = FunctionSet(((some, some.order()),))
        except TooLarge:
            continue
        if len(functions) or piece is None:
            return functions
    limit = listing.limit
    raise TooLarge(
        f"no piece of the functions has between 1 and limit={limit:,}: raise limit=", limit
    )
