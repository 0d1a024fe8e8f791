"""Choosing a function of a set by what people decide by.

In:  a set of trees, and what its functions are judged by.
Out: a frame, a row per function; the exact ends of measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..errors import InvalidData, InvalidParameter
from ..form import fingerprint, hex_digits
from .choosing import Wanted, chosen_frame
from .conditions import Condition
from .ends import exact_ends
from .first_questions import beginning_with
from .judged import BETTER, Asked, Judged
from .leaf_sums import Quantity
from .measures import Measure, measured_rows, quantity_on, read_measure, reads_leaf_shares
from .row_answers import RowAnswers
from .shown_functions import MOST_SHOWN, LookedAt, looked_at

if TYPE_CHECKING:
    import pandas as pd

    from .tree_set import TreeSet

__all__ = ["Choices", "choose"]

ENDS = ("smallest", "largest", "smallest_function", "largest_function")


class Choices(RowAnswers):
    """The part of ``TreeSet`` that measures what its functions are chosen by."""

    def ends(
        self, X: Any = None, y: Any = None, *, positive: Any = None, measures: Any = ()
    ) -> pd.DataFrame:
        """Give the exact smallest and largest value of measures over all trees of the set.

        Nothing is listed: it works for sets of any size.

        Parameters
        ----------
        X, y, positive, measures
            As of ``choose``.

        Returns
        -------
        pandas.DataFrame
            A row per measure, as ``choose`` calls it: ``smallest`` and ``largest``, exact, and
            ``smallest_function`` and ``largest_function``, the fingerprints of functions that have
            these values. Of the objective and the leaves only the smallest: the largest is that of
            some tree, but of no function's cheapest tree.

        Notes
        -----
        Coverage, questions, cost and agreement are no sums over leaves: their ends are not found
        without listing all functions, and are left out.

        Examples
        --------
        >>> from orderless import RashomonSet
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> found = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
        >>> found.ends()[["smallest", "largest"]]
                     smallest largest
        measure
        objective        3/20    None
        leaves              2    None
        error               0     1/5
        sensitivity       1/2       1
        specificity       2/3       1
        """
        import pandas as pd

        self._not_empty()
        columns = self._measures(X, y, positive, measures)
        found = exact_ends(cast("TreeSet", self), X, y, positive, columns)
        rows: dict[str, dict[str, Any]] = {}
        for end in found:
            which = "largest" if end.largest else "smallest"
            row = rows.setdefault(end.measure, dict.fromkeys(ENDS))
            row |= {which: end.value, f"{which}_function": fingerprint(end.tree)}
        index = pd.Index(list(rows), name="measure")
        return pd.DataFrame(list(rows.values()), index=index, columns=list(ENDS), dtype=object)

    def _with_ends(self, some: LookedAt, X: Any, y: Any, positive: Any, measures: Any) -> LookedAt:
        trees = cast("TreeSet", self)
        columns = self._measures(X, y, positive, measures)
        return some.with_ends(trees, exact_ends(trees, X, y, positive, columns))

    def _asked(
        self, X: Any, y: Any, missing: Any, costs: Any, positive: Any, measures: Any
    ) -> Asked:
        """Read what the functions are judged by."""
        quantities: dict[str, Quantity] = {}
        gaps: set[str] = set()
        larger: set[str] = set()
        for name, measure in self._measures(X, y, positive, measures).items():
            if reads_leaf_shares(measure, self._problem):
                raise InvalidData(
                    f"{measure.title!r} is of trees, not of functions, whose trees have leaves of "
                    "their own: range and pareto_front have it"
                )
            rows = measured_rows(self._problem, measure)
            quantities[name] = quantity_on(measure, rows, self._source, self._view)
            if rows.group is not None:
                gaps.add(name)
            if measure.larger_is_better:
                larger.add(name)
        return Asked(X, y, missing, costs, positive, quantities, frozenset(gaps), frozenset(larger))

    def _measures(self, X: Any, y: Any, positive: Any, measures: Any) -> dict[str, Measure]:
        """Return the further measures by their names, on the rows of X where it has labels."""
        if isinstance(measures, Measure | str):
            measures = [measures]
        if not isinstance(measures, Mapping):
            several = [read_measure(each) for each in measures]
            measures = {each.title: each for each in several}
            if len(measures) < len(several):
                raise InvalidParameter(
                    "two measures have the same name: give a dict of name -> Measure", "measures"
                )
        out: dict[str, Measure] = {}
        for name, each in measures.items():
            if name in BETTER or name == "features":
                raise InvalidParameter(
                    f"measures names {name!r}, which is a column already: choose another name",
                    "measures",
                )
            measure = read_measure(each)
            if measure.X is None and y is not None:
                measure = replace(measure, X=X, y=y)
            if measure.positive is None and not self._has_numbers:
                measure = replace(measure, positive=positive)
            out[str(name)] = measure
        return out


def choose(
    trees: TreeSet,
    X: Any = None,
    y: Any = None,
    *,
    where: Any = (),
    using: Any = (),
    without: Any = (),
    first: str | None = None,
    sort: Any = None,
    weights: Any = None,
    front: Any = (),
    missing: Any = 0.1,
    costs: Any = None,
    positive: Any = None,
    measures: Any = (),
    sample: int | None = None,
    draw: str = "functions",
    random_state: Any = None,
    limit: int = MOST_SHOWN,
) -> pd.DataFrame:
    """Return the functions of a set, each once, with the measures that people decide by.

    Parameters
    ----------
    trees : TreeSet
    X, y : complete rows and their labels (numbers for regression), optional
        Rows that were held out: errors and rates are those on them, where y is given.
        ``agreement``, ``coverage``, ``questions`` and ``cost`` are about the rows of X, and
        the latter two need it. Without X and y the training rows are taken.
    where : str, condition on trees, or list of them
        Conditions that a function must meet, such as ``["leaves <= 6", "sensitivity >= 0.8"]``;
        ``member.uses("age")`` and its like choose among the trees first, as ``trees.where`` does.
    using, without : str or list of str
        Features that a function must, or must not, ask about in its cheapest tree.
        (``trees.where(member.uses("age"))`` keeps functions of which *some* tree asks about it,
        even where the answer changes nothing.)
    first : str, optional
        A feature, or a column, that can be asked first: keep the functions of which some tree
        of the set begins with it. With ``sample`` these are those of the sample, while
        ``where=member.root == "age"`` draws among all of them anew.
    sort : str or list of str
        Measures, the most important first, the better end first; ``"-leaves"`` turns it round.
        By default the smallest objective is first.
    weights : dict of measure -> weight, optional
        Sort by the sum of weight x measure, smallest first, in a column ``score``; a measure
        of which more is better is subtracted.
    front : str or list of str
        Keep the functions that no other beats: none is better in one of these measures and as
        good in all others.
    missing : number, dict of feature -> number, or table with gaps
        For ``coverage``: the probability that a value is missing, of every feature, or by
        feature (0 for those that are not named), independently of each other; or rows with
        gaps, which are taken as they are.
    costs : dict of feature -> cost, optional
        For ``cost``.
    positive : label, optional
        The class that ``sensitivity`` is about; by default the last.
    measures : list of Measure, or dict of name -> Measure
        Further measures, each a column. Names alone will do. Where they have no rows of their
        own they are measured on X and y, if y is given, else on the training rows. In
        ``front``, ``sort`` and ``weights`` the size of a difference between groups counts.
    sample : int, optional
        Look at so many functions, drawn uniformly, instead of all; and beside them at the exact
        ends of measures over the whole set, as ``ends`` gives them. The frame's ``attrs`` say
        so; ``agreement`` and ``overruled`` are then among those that were drawn.
    draw : "functions" or "trees"
        What is drawn uniformly. Functions have to be listed, or a random piece of them; trees
        do not, however many there are, but a function of many trees is then more likely, and
        objective and leaves are those of the tree that was drawn.
    random_state : int, RandomState, Generator or None
    limit : int
        Most functions that are looked at; more are an error.

    Returns
    -------
    pandas.DataFrame
        A row per function, best first.

        objective, error (loss for regression)
            Of its cheapest tree, and on the training rows.
        leaves, n_features, features, n_trees
            Fewest leaves, the features that are asked about, and how many trees of the set are
            this function (NA where that is not known: for ends, and for trees that were drawn).
        end
            With ``sample``: which end of which measures this function is, such as "smallest
            error"; empty for functions that were drawn and are none.
        held_out_error (held_out_loss)
            On X and y: the share of wrong rows (the mean squared, or absolute, error).
        sensitivity, specificity
            For two classes: the share of the rows of the positive class that get it, and of the
            other one that get that; NaN where there are no such rows.
        agreement, overruled
            The share of the other functions that decide as this one, on average over the rows;
            and the share of rows on which more than half of all functions decide otherwise,
            all alike.
        coverage
            The share of rows that are answered for certain when values are ``missing``.
        questions, cost
            What an answer takes on average, with the function's cheapest policy: features asked
            about, and costs.
        fingerprint
            The name by which ``function`` gives it.

    Notes
    -----
    Cost: functions x distinct rows; for ``questions`` and ``cost`` a policy for each function
    that meets the conditions on the other measures; for ``first`` with ``sample``, of each
    function the orders in which its questions can be asked, however many trees there are.

    Examples
    --------
    >>> import orderless as ol
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> rset = ol.RashomonSet(max_depth=2, regularization=0.05, epsilon=0.05)
    >>> table = ol.choose(rset.fit(X, [0, 0, 0, 1, 1]).trees_, sort="coverage")
    >>> table[["error", "leaves", "features", "coverage"]]
       error  leaves    features  coverage
    0    0.0       3      x0, x1    0.8820
    1    0.0       4  x0, x1, x2    0.8586
    """
    texts, on_trees = _conditions(where)
    if on_trees:
        trees = trees.where(*on_trees)
    trees._warn_of_part("choose")
    some = looked_at(trees, sample, draw, random_state, limit)
    if sample is not None:
        some = trees._with_ends(some, X, y, positive, measures)
    asked = trees._asked(X, y, missing, costs, positive, measures)
    judged = Judged(some.table, trees._problem, asked, some.drawn)
    among = None if first is None else beginning_with(trees, some, first)
    frame = chosen_frame(
        judged, Wanted(texts, () if sort is None else sort, weights, front, using, without, among)
    )
    if sample is not None:
        place = {hex_digits(point): i for i, point in enumerate(some.table.fingerprint)}
        names = some.end_texts()
        ends = [names[place[name]] for name in frame["fingerprint"]]
        frame.insert(len(frame.columns) - 1, "end", ends)
        some.remember(trees)
    frame.attrs |= {"functions": some.how, "complete": trees.complete}
    if not trees.complete:
        frame.attrs["incomplete"] = trees.incomplete
    return frame


def _conditions(where: Any) -> tuple[Any, list[Condition]]:
    """Split what is asked of functions, in text, from what is asked of trees."""
    if isinstance(where, Condition):
        return (), [where]
    if not isinstance(where, list | tuple):
        return where, []
    on_trees = [each for each in where if isinstance(each, Condition)]
    return [each for each in where if not isinstance(each, Condition)], on_trees
