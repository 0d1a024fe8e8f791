"""The views of a set: which of its trees meet constraints.

In:  a ``Source`` and a ``View``; constraints as people write them.
Out: ``Views``, the part of ``TreeSet`` that gives smaller sets; the same when a set is fitted.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidData, InvalidSpace, named
from ..inputs import exact, exact_number, near, read_costs, some_names
from .members import Members
from .problem import LARGEST, decimal
from .view import Paid, Question, View

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = ["CONSTRAINTS", "Views"]

# What a RashomonSet takes, in the order in which it is looked at.
CONSTRAINTS = (
    "min_leaf", "max_leaves", "must_use", "must_not_use", "at_most_features", "first", "max_cost",
    "monotone",
)  # fmt: skip
KEYS = {"feature", "true", "false"}


class Views(Members):
    """The part of ``TreeSet`` that looks at some of the trees.

    A constraint takes trees away and changes nothing else: the smallest objective and the bound
    stay those of the whole set. Constraints add up: a view of a view meets both.
    """

    @abstractmethod
    def _seen(self, view: View) -> TreeSet:
        """Give the set of another view."""

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
                f"epsilon must be at most this set's {float(self._view.epsilon)}, got "
                f"{float(small)}: a view is a part of the set; fit again with the larger epsilon"
            )
        bound = self._problem.bound_of(self._source.optimum, small)
        return self._seen(self._view._replace(epsilon=small, bound=bound))

    def nontrivial(self) -> TreeSet:
        """Look at the trees without trivial splits: no two leaves of one split have equal label."""
        return self._seen(self._view._replace(trivial=False))

    # -- features ------------------------------------------------------------------------------

    def using(self, *features: Any) -> TreeSet:
        """Look at the trees that ask about all of these features (names, or lists of names)."""
        view = self._view
        for name in _names(features):
            view = view.using(self._columns_of(name))
        return self._seen(view)

    def without(self, *features: Any) -> TreeSet:
        """Look at the trees that ask about none of these features (names, or lists of names)."""
        view = self._view
        for name in _names(features):
            view = view.without(self._columns_of(name))
        return self._seen(view)

    def must_use(self, *features: Any) -> TreeSet:
        """Look at the trees that ask about all of these features (names, or lists of names)."""
        return self.using(*features)

    def must_not_use(self, *features: Any) -> TreeSet:
        """Look at the trees that ask about none of these features (names, or lists of names)."""
        return self.without(*features)

    def at_most_features(self, most: int) -> TreeSet:
        """Look at the trees that ask about at most so many features, however often."""
        return self._seen(self._view.with_features(_whole(most, "at_most_features", 0)))

    def _columns_of(self, name: Any) -> list[int]:
        return self._problem.columns.of_feature(self._feature(name))

    def _feature(self, name: Any) -> str:
        """Read the name of a feature."""
        space = self._problem.columns.space
        if isinstance(name, str) and name not in space:
            raise InvalidSpace(
                f"there is no feature {name!r:.80}{near(name, space.names)}: the features are "
                f"{some_names(space.names)}"
            )
        _ = space.index(name)
        return str(name)

    # -- leaves --------------------------------------------------------------------------------

    def at_most(self, leaves: int) -> TreeSet:
        """Look at the trees with at most so many leaves."""
        return self._seen(self._view.at_most(_whole(leaves, "leaves", 1)))

    def max_leaves(self, leaves: int) -> TreeSet:
        """Look at the trees with at most so many leaves."""
        return self._seen(self._view.at_most(_whole(leaves, "max_leaves", 1)))

    def min_leaf(self, rows: Any) -> TreeSet:
        """Look at the trees whose every leaf has at least so many training rows.

        Parameters
        ----------
        rows : number
            From 1 on: so many rows. Between 0 and 1: that share of all rows. Rows count as much as
            they weigh, as everywhere in the set: one of weight 3 is three rows.
        """
        problem = self._problem
        try:
            least = exact(rows)
        except (TypeError, ValueError):
            least = Fraction(0)
        if least <= 0:
            raise InvalidData(
                f"{named('min_leaf')} must be a number of rows from 1 on, or a share of the rows "
                f"between 0 and 1, got {rows!r:.80}"
            )
        share = least * problem.total_weight if least < 1 else least * problem.weight_scale
        return self._seen(self._view.heavier(math.ceil(share)))

    # -- paths ---------------------------------------------------------------------------------

    def first(self, question: Any) -> TreeSet:
        """Look at the trees that begin with a question, or with several.

        Parameters
        ----------
        question : str or dict
            The name of a column (``columns`` has them; or as trees print it), or of a feature: any
            of its columns. Or a nested dict, as ``orderless.read`` takes it, that ends where
            anything may follow: ``{"feature": "age <= 30", "true": "smoker"}``; "true" is where the
            column is 1.
        """
        questions: list[Question] = []
        self._ask(question, questions)
        return self._seen(self._view.beginning(tuple(questions)))

    def _ask(self, given: Any, questions: list[Question]) -> int:
        """Read a question and what follows; give its place, -1 where anything may come."""
        if given is None:
            return -1
        if not isinstance(given, Mapping):
            given = {"feature": given}
        if set(given) - KEYS or "feature" not in given:
            raise InvalidData(
                f"{named('first')} must be the name of a column or feature, or a dict with the "
                f"keys 'feature', 'true' and 'false' (these two may be left out), got {given!r:.80}"
            )
        own = self._columns_named(given["feature"])
        at = len(questions)
        questions.append(Question(own))
        yes = self._ask(given.get("true"), questions)
        no = self._ask(given.get("false"), questions)
        questions[at] = Question(own, yes, no)
        return at

    def _columns_named(self, name: Any) -> tuple[int, ...]:
        """Give the column of a name, or the columns of a feature."""
        columns = self._problem.columns
        found = [j for j, own in enumerate(columns.names) if own == name]
        if not found and isinstance(name, str) and name in columns.space:
            found = columns.of_feature(name)
        if not found:  # thresholds as trees print them, with fewer digits
            printed = enumerate(columns.printed())
            found = [j for j, own in printed if own == name and columns.one_is_true[j]]
        if not found:
            names = dict.fromkeys((*columns.space.names, *columns.names))
            what = f"which is no column and no feature{near(name, names)}"
            if isinstance(name, str) and name in columns.space:
                what = "a feature that no column is about"
            raise InvalidData(
                f"{named('first')} asks {name!r:.80}, {what}: "
                f"the columns are {some_names(columns.names)}"
            )
        return tuple(found)

    def max_cost(self, most: Any, costs: Any) -> TreeSet:
        """Look at the trees in which no path costs more.

        Parameters
        ----------
        most : number
            What a row may cost at most until it is decided.
        costs : dict of feature -> cost
            Paid once on a path, however often the feature is asked about. Every feature that has a
            column needs a cost, 0 if it costs nothing. Read as the decimals that are written.
        """
        columns = self._problem.columns
        space = columns.space
        names = [space.names[i] for i in np.unique(columns.feature).tolist()]
        given = read_costs(costs, space, names)
        limit = exact_number(most, named("max_cost"))
        scale = math.lcm(limit.denominator, *(cost.denominator for cost in given.values()))
        prices = tuple(int(given.get(name, Fraction(0)) * scale) for name in space.names)
        if sum(prices) >= LARGEST or limit * scale >= LARGEST:
            raise InvalidData(
                f"{named('costs')} and {named('max_cost')} have too many digits together: their "
                "sum in whole numbers would pass 2^62; round them"
            )
        return self._seen(self._view.paying(Paid(prices, int(limit * scale))))

    # -- functions -----------------------------------------------------------------------------

    def monotone(self, directions: Any) -> TreeSet:
        """Look at the trees that are monotone, as functions, in some features.

        Parameters
        ----------
        directions : dict of feature -> +1 or -1
            +1: a row with more of the feature, and all else equal, never gets a lower class, or a
            smaller number. -1: never a higher one. Classes are in their order, and false is less
            than true.

        Notes
        -----
        A property of the whole function, not of a split: every function is looked at, over all
        combinations of values that the space has, not just those of the training rows. So the
        functions have to be few enough to be listed (5 million); more are an error.
        """
        if not isinstance(directions, Mapping) or not directions:
            raise InvalidData(
                f"{named('monotone')} must be a dict of feature -> +1 or -1, such as "
                f"{{'age': +1}}, got {directions!r:.80}"
            )
        space, view = self._problem.columns.space, self._view
        for name, sign in directions.items():
            feature = space[self._feature(name)]
            if not feature.ordered:
                raise InvalidData(
                    f"{named('monotone')} is about features whose values have an order, and "
                    f"{name!r:.80} is categorical"
                )
            if isinstance(sign, bool) or sign not in (1, -1):
                raise InvalidData(
                    f"{named('monotone')} must be +1 (rises) or -1 (falls), got {sign!r:.80} for "
                    f"{name!r:.80}"
                )
            view = view.rising(space.index(feature.name), sign == 1)
        return self._seen(view)

    # -- nothing left --------------------------------------------------------------------------

    @property
    def why_empty(self) -> str:
        """Which constraint leaves no tree, in words; empty if a tree is left."""
        if self.n_trees:
            return ""
        every = list(self._view.one_by_one())
        alone = [named(name) for name, view in every if not self._source.counts(view).n]
        if alone:
            return f"no tree within the bound meets {' or '.join(alone)}"
        if len(every) > 1:
            names = ", ".join(named(name) for name, _ in every)
            return f"some tree within the bound meets each of {names}, but none meets all of them"
        return ""


def _names(features: Iterable[Any]) -> list[str]:
    names: list[str] = []
    for entry in features:
        names += [entry] if isinstance(entry, str) else list(entry)
    if not names:
        raise ValueError("features is empty: name at least one")
    return names


def _whole(given: Any, name: str, least: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        raise ValueError(f"{named(name)} must be a whole number from {least}, got {given!r:.80}")
    return int(given)
