"""TreeSet: near-optimal trees that are counted, ranked, sampled and looked at, but never all built.

In:  a ``Source`` (the core's graph, or a list) and conditions on its trees; or trees, or a file.
Out: numbers, ``Tree``s one by one, ``FunctionSet``, smaller ``TreeSet``s, answers on rows.
Paper: Sections 4 and 6.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidData
from ..inputs import some_names
from ..model import Space, short_count
from ..readers import read_tree, read_trees
from .choices import Choices
from .differences import Differences, differences
from .engine import MEMORY, check_limits
from .functions import FunctionSet
from .listed import Judging, Listed, listed_set
from .measures import Measure
from .nearest import Nearest, nearest
from .ranges import Front, Range, front_of, range_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TreeSet"]

SECONDS = 60.0  # for what comes from a file


class TreeSet(Choices):
    """A set of near-optimal trees: the ``trees_`` of a ``RashomonSet``, some of them, or a list.

    ``len(trees)`` is their number (``n_trees`` where that passes 2^63), ``trees[i]`` the tree at a
    position in order of objective, ``tree in trees`` whether it is one of them; iterating makes
    one tree after the other. Nothing is built that is not asked for.

    Made by ``RashomonSet(...).fit(X, y).trees_``, ``TreeSet.from_trees``,
    ``TreeSet.from_treefarms`` and ``TreeSet.from_json``.
    """

    # -- from elsewhere --------------------------------------------------------------------------

    @staticmethod
    def from_trees(
        trees: Any,
        X: Any,
        y: Any,
        *,
        regularization: Any = 0.01,
        epsilon: Any = None,
        sample_weight: Any = None,
        loss: str | None = None,
        decimals: int | None = None,
        preprocessing: Any = None,
        space: Space | None = None,
    ) -> TreeSet:
        """Take a list of trees as a set: the same interface, over just these trees.

        Parameters
        ----------
        trees : iterable of Tree or of models, or a TreeFARMS or PRAXIS set
            Models are those that ``orderless.read`` reads. Equal ones count once; the set says how
            many were given (``print``).
        X, y : rows and labels, or numbers where the trees predict numbers
            The training data: complete rows, with the columns of the trees' space.
        regularization : number
            What a leaf costs.
        epsilon : number, optional
            How far from the best tree of the list the bound is; every tree of the list is in
            whatever it says. By default the distance of the worst.
        sample_weight : array of numbers from 0, optional
        loss, decimals
            For trees that predict numbers, as of ``RashomonSet``. What leaves predict is rounded to
            the set's decimals, which ``print`` names, so that every loss is exact: for squared loss
            a mean in floats becomes the number that the leaf has in a ``RashomonSet`` of the same
            rows.
        preprocessing, space
            As in ``orderless.read``.

        Returns
        -------
        TreeSet

        Examples
        --------
        >>> from orderless import Space, TreeSet
        >>> leaf, other = {"prediction": 0}, {"prediction": 1}
        >>> split = {"feature": "a", "true": other, "false": leaf}
        >>> found = TreeSet.from_trees([leaf, split, split], [[0, 1], [1, 1]], [0, 1],
        ...                            space=Space({"a": "boolean", "b": "boolean"}))
        >>> found
        TreeSet(2 trees (3 were given: equal ones count once), objectives 0.02 to 0.51)
        """
        members = read_trees(trees, preprocessing=preprocessing, space=space)
        given = Judging(regularization, epsilon, sample_weight, loss, decimals)
        return TreeSet(listed_set(members, X, y, given))

    @staticmethod
    def from_treefarms(
        model: Any,
        X: Any,
        y: Any,
        *,
        regularization: Any = 0.01,
        epsilon: Any = 0.02,
        sample_weight: Any = None,
        preprocessing: Any = None,
        space: Space | None = None,
    ) -> TreeSet:
        """Take the trees that TreeFARMS found; ``from_trees`` with its parameters.

        ``.differences(exact)`` then says which trees an exact set has and TreeFARMS has not, and
        the other way round.

        Parameters
        ----------
        model : fitted TREEFARMS
        X, y : rows and labels
            What it was fitted on (with ``preprocessing``, what went into the binarizer).
        regularization, epsilon : number
            Its ``regularization`` and ``rashomon_bound_adder``.
        """
        return TreeSet.from_trees(
            model, X, y, regularization=regularization, epsilon=epsilon,
            sample_weight=sample_weight, preprocessing=preprocessing, space=space,
        )  # fmt: skip

    @staticmethod
    def from_json(
        text: str | bytes,
        *,
        limit: int | None = None,
        memory_limit: int = MEMORY,
        time_limit: float | None = SECONDS,
    ) -> TreeSet:
        """Read what ``to_json`` wrote: the set is found again, and its numbers are checked.

        Parameters
        ----------
        limit : int, optional
            Longest text, in characters, that is looked at.
        memory_limit, time_limit
            As of ``RashomonSet``; ``time_limit`` is for finding the set, too. A small file can hold
            a problem that takes hours, so these limits are yours; those that the set was made with
            are not used.

        Raises
        ------
        InvalidTree
            The text is not such a file, or its numbers are not those of its problem.
        OutOfMemory, OutOfTime
            The set passes the limits.
        """
        from .formats import from_json

        check_limits(memory_limit=memory_limit, time_limit=time_limit)
        return TreeSet(*from_json(text, limit, memory_limit, time_limit))

    # -- numbers -------------------------------------------------------------------------------

    @property
    def objective(self) -> Fraction:
        """The smallest objective of all trees: share of errors + regularization x leaves.

        For regression: loss / loss of the best constant + regularization x leaves.
        Of the full set: ``where`` keeps it.
        """
        return self._problem.objective(self._source.optimum)

    @property
    def bound(self) -> Fraction:
        """The largest objective that is still in."""
        bound = self._problem.exact_bound(self._source.optimum, self._problem.rules.epsilon)
        return bound if self._view.limit is None else min(bound, self._view.limit)

    @property
    def on_bound(self) -> int:
        """How many trees have exactly the largest objective that is still in.

        These are what arithmetic in floats gets wrong.
        """
        cost = self.bound * self._problem.unit
        return self._counts.n_at(int(cost)) if cost.denominator == 1 else 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the 0/1 columns that trees split on."""
        return self._problem.columns.names

    @property
    def left_out(self) -> tuple[str, ...]:
        """The features that no tree can ask about, because no column of them divides the rows.

        A number for which the binarizer found no threshold, or a feature that is constant. That no
        tree uses such a feature says nothing about it. Empty for a list of trees.
        """
        return self._source.left_out

    def counts(self) -> pd.DataFrame:
        """Count the trees by objective.

        Returns
        -------
        pandas.DataFrame
            A row per number of leaves and errors that occurs, best first: ``objective``,
            ``leaves``, ``errors`` (weight of wrong training rows), ``trees``, ``nontrivial``. For
            regression ``loss`` instead of ``errors``.
        """
        import pandas as pd

        counts = self._counts.histogram()
        cost = self._problem.cost(counts.errors, counts.leaves)
        small = max(counts.trees, default=0) < 2**63
        kind: Any = np.int64 if small else object
        return pd.DataFrame(
            {
                "objective": [float(self._problem.objective(c)) for c in cost.tolist()],
                "leaves": counts.leaves,
                self._problem.error_name: self._problem.shown_errors(counts.errors),
                "trees": np.array(counts.trees, dtype=kind),
                "nontrivial": np.array(counts.nontrivial, dtype=kind),
            }
        )

    def __repr__(self) -> str:
        return f"TreeSet({self._found()})"

    def __str__(self) -> str:
        return "\n".join(filter(None, [repr(self), *self._further()]))

    def _further(self) -> list[str]:
        """Say what else there is to know of the set, in lines that may be empty."""
        return [self.incomplete, self.why_empty, self._in_numbers(), self._without_columns()]

    def _found(self) -> str:
        """Say how many trees there are, how many functions if they were counted, and how good."""
        known = self._source.counted.get((self._view, self._problem.semantics()))
        part = "" if self.complete else "part of a set: "
        counts = [f"{part}{short_count(self.n_trees)} tree{'' if self.n_trees == 1 else 's'}"]
        source = self._source
        if isinstance(source, Listed) and source.n_repeated and self.n_trees == len(source.flat):
            given = self.n_trees + source.n_repeated
            counts[0] += f" ({given:,} were given: equal ones count once)"
        if known is not None:
            counts.append(f"{short_count(known)} function{'' if known == 1 else 's'}")
        low, high = float(self.objective), float(self.bound)
        return f"{', '.join(counts)}, objectives {low:.4g} to {high:.4g}"

    def _in_numbers(self) -> str:
        """Say how exact the numbers of the leaves are; nothing of classes."""
        target = self._problem.table.target
        return "" if target is None else f"{target.loss} loss, {target.text}"

    def _without_columns(self) -> str:
        """Say which features were left out; nothing if none was."""
        names = self.left_out
        if not names:
            return ""
        some = "feature is" if len(names) == 1 else "features are"
        return f"{len(names):,} {some} left out (constant, or no threshold): {some_names(names, 4)}"

    def objective_of(self, tree: Any) -> Fraction:
        """Give the objective of any tree over the set's columns, in the set or not.

        Parameters
        ----------
        tree : Tree, or any model that ``orderless.read`` reads as a tree
            Each of its conditions must be a column of the set. What leaves predict is rounded to
            the set's decimals where it is numbers.
        """
        own = read_tree(tree)
        problem = self._problem
        if own.task != problem.task:
            raise InvalidData(
                f"the tree is of task={own.task!r}, and the set is of task={problem.task!r}"
            )
        flat = problem.columns.flatten(own, own.classes)
        if flat is None:
            raise InvalidData(
                "a condition of the tree is not a column of the set, or one of its features is not "
                "a feature of the set: columns has the names of those that there are"
            )
        return problem.objective_of(flat, own.classes)

    # -- measures ------------------------------------------------------------------------------

    def range(self, measure: Measure | str) -> Range:
        """Find the smallest and the largest measure over all trees, and a tree for each.

        Exact, and without listing trees: dynamic programming over the compressed set.

        Parameters
        ----------
        measure : Measure, or the name of one on the training rows

        Returns
        -------
        Range

        Notes
        -----
        A tree without a ratio (no row is predicted positive, so there is no precision) is left out.
        Ratios are found by Dinkelbach's parametric search, each step of it an exact range. Other
        rows than the training rows are followed along every path: two paths that lead to the same
        training rows may part other rows differently.

        Examples
        --------
        >>> from orderless import Measure, RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> trees = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
        >>> trees.range(Measure("false positives"))
        Range(false positives: 0 to 1)
        >>> trees.range(Measure("precision")).smallest
        Fraction(2, 3)
        """
        self._not_empty()
        self._warn_of_part("range")
        return range_of(self, measure)

    def pareto_front(self, measure: Measure | str, *, goal: str | None = None) -> Front:
        """Find the exact trade-off between the objective and a measure, with a tree per point.

        Parameters
        ----------
        measure : Measure, or the name of one on the training rows
        goal : "smallest" or "largest", optional
            Which is better. By default what ``measure.larger_is_better`` tells.

        Returns
        -------
        Front
            Points by rising objective; each measures better than all before.

        Examples
        --------
        >>> from orderless import Measure, RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> trees = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
        >>> [(float(p.objective), p.value) for p in trees.pareto_front(Measure("false negatives"))]
        [(0.15, 0)]
        """
        self._not_empty()
        self._warn_of_part("pareto_front")
        return front_of(self, measure, goal)

    def nearest(self, measure: Measure | str, to: Any = 0, *, limit: int = 64) -> Nearest:
        """Find the tree whose measure is nearest to a number: between groups, the fairest one.

        Parameters
        ----------
        measure : Measure, or the name of one on the training rows
            With ``groups`` the difference of a rate between two groups; or any count, rate, cost
            or loss. Not a ratio.
        to : number
            Read as the decimal that is written.
        limit : int
            Most values that are told apart for any subset of rows. Where there are more, the answer
            is a tree with a small gap and a proven bound: see ``Nearest.proven``.

        Returns
        -------
        Nearest

        Notes
        -----
        The smallest distance from a number is not a sum over leaves: the values that each subset of
        rows can contribute are listed with their cheapest subtrees, first few and then more,
        neighbours put together as intervals, until the bound is met or ``limit`` is. Then the sides
        of the cheapest first questions are put together anew, aiming at the number. No gap is
        smaller than the smallest that whole numbers of rows between their bounds allow; pairs of
        such numbers that are nearer than the tree are looked for one by one.

        Examples
        --------
        >>> from orderless import Measure, RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> trees = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
        >>> trees.nearest(Measure("positive rate", groups="x0"))
        Nearest(positive rate: gap 0.1667)
        >>> trees.nearest(Measure("positives"), to=3).tree.predict(X).tolist()
        [0, 0, 1, 1, 1]
        """
        self._not_empty()
        self._warn_of_part("nearest")
        return nearest(self, measure, to, limit)

    # -- functions -----------------------------------------------------------------------------

    def __and__(self, other: Any) -> FunctionSet:
        return self.functions().__and__(other)

    def __or__(self, other: Any) -> FunctionSet:
        return self.functions().__or__(other)

    def __sub__(self, other: Any) -> FunctionSet:
        return self.functions().__sub__(other)

    # -- files -------------------------------------------------------------------------------------

    def differences(self, exact: TreeSet, *, limit: int = 1_000_000) -> Differences:
        """Say which trees this set and an exact one do not share, and why; see ``Differences``."""
        for each in (self, exact):
            each._warn_of_part("differences")
        return differences(self, exact, limit)

    def to_json(self) -> str:
        """Write it as versioned JSON: the problem and the numbers, not the trees (docs/formats)."""
        from .formats import to_json

        return to_json(self._source, self._conditions)
