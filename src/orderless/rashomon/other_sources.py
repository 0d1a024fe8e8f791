"""Sets that come from elsewhere: lists of trees, other programs, files.

In:  trees or a file, and the training data.
Out: ``OtherSources``, the part of ``RashomonSet`` that gives them as ``TreeSet``s.
"""

from __future__ import annotations

from typing import Any

from ..model import Space
from ..readers import read_trees
from .engine import check_limits
from .listed import Judging, listed_set
from .tree_set import TreeSet

__all__ = ["MEMORY", "OtherSources"]

MEMORY = 4 * 1024**3
SECONDS = 60.0  # for what comes from a file


class OtherSources:
    """The part of ``RashomonSet`` that does not fit."""

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
        >>> from orderless import RashomonSet
        >>> leaf, other = {"prediction": 0}, {"prediction": 1}
        >>> split = {"feature": "a", "true": other, "false": leaf}
        >>> found = RashomonSet.from_trees([leaf, split, split], [[0, 1], [1, 1]], [0, 1],
        ...                                space=Space({"a": "boolean", "b": "boolean"}))
        >>> found
        TreeSet(2 trees (3 were given: equal ones count once), objectives 0.02 to 0.51)
        """
        members = read_trees(trees, preprocessing=preprocessing, space=space)
        given = Judging(regularization, epsilon, sample_weight, loss, decimals)
        return TreeSet._of(*listed_set(members, X, y, given))

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
        return OtherSources.from_trees(
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
        return TreeSet._of(*from_json(text, limit, memory_limit, time_limit))
