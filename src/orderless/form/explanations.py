"""Explanations of many rows: the class of each, and its shortest reason.

In:  a ``Form`` and rows.
Out: ``Explanations``: labels and reasons by row; each row's ``Explanation`` when it is asked for.
Paper: Proposition 3.3, row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData, OutOfTime, Undecided, setting
from ..inputs import labels_like, row_at, rows_for
from ..model import (
    Box,
    Budget,
    Label,
    PossibleRows,
    Rows,
    SumKernel,
    TreeKernel,
    in_budget,
    read_seconds,
)
from .explain_row import explain_one
from .reasons import Term

if TYPE_CHECKING:
    from .explain import Explanation
    from .reasons import Form

__all__ = ["Explanations", "explain_rows"]


class Found(NamedTuple):
    """The different places of rows: by row its place; by place its class (or -1) and reason."""

    which: NDArray[np.signedinteger[Any]]
    label: NDArray[np.int32]
    terms: Sequence[Term | None]


class Explanations(Sequence["Explanation"]):
    """Why each of many rows gets its class. Made by ``Model.explain_all``.

    A sequence: ``explanations[i]`` is what ``Model.explain`` gives for row i, made when it
    is asked for.

    Attributes
    ----------
    label : masked array, or a nullable Series when a data frame came in
        The class of each row, masked where it is not determined.
    reasons : sequence of Term or None
        The shortest reason of each row, None where it is not determined. Rows with the same reason
        share one ``Term``.
    """

    def __init__(
        self,
        explain: Callable[[Any], Explanation],
        X: Any,
        model: TreeKernel | SumKernel,
        found: Found,
    ) -> None:
        self._explain, self._X, self._which = explain, X, found.which
        self._space = model.space
        self.label = labels_like(X, model.labels, found.label[found.which])
        self.reasons: Sequence[Term | None] = _Reasons(model.classes, found)

    def __len__(self) -> int:
        return len(self._which)

    @overload
    def __getitem__(self, row: int) -> Explanation: ...
    @overload
    def __getitem__(self, row: slice) -> list[Explanation]: ...
    def __getitem__(self, row: int | slice) -> Explanation | list[Explanation]:
        if isinstance(row, slice):
            return [self[i] for i in range(len(self))[row]]
        at = range(len(self))[row]
        return self._explain(row_at(self._X, self._space, at))

    def to_dict(self) -> dict[str, list[Any]]:
        """Give columns that any data frame takes: label, reason as text, n_conditions.

        Where a row is not determined, all three are None.

        Examples
        --------
        >>> import orderless as ol
        >>> a, b = {"prediction": "a"}, {"prediction": "b"}
        >>> tree = ol.read({"feature": 0, "true": a, "false": b})
        >>> tree.explain_all([[1], [None]]).to_dict()
        {'label': ['a', None], 'reason': ['x0', None], 'n_conditions': [1, None]}
        """
        reasons = self.reasons
        assert isinstance(reasons, _Reasons)
        kinds = [(None, None, None) if term is None else (label, str(term), term.n_conditions)
                 for label, term in reasons.distinct()]  # fmt: skip
        rows = [kinds[k] for k in self._which.tolist()]
        names = ("label", "reason", "n_conditions")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def __repr__(self) -> str:
        n = len(self.reasons.terms) if isinstance(self.reasons, _Reasons) else 0
        return f"Explanations({len(self):,} rows, in {n:,} different places)"


class _Reasons(Sequence["Term | None"]):
    """Reasons by row; a term is made when it is asked for, once."""

    def __init__(self, classes: tuple[Label, ...], found: Found) -> None:
        self._classes, self._found, self.terms = classes, found, found.terms

    def __len__(self) -> int:
        return len(self._found.which)

    @overload
    def __getitem__(self, row: int) -> Term | None: ...
    @overload
    def __getitem__(self, row: slice) -> list[Term | None]: ...
    def __getitem__(self, row: int | slice) -> Term | list[Term | None] | None:
        if isinstance(row, slice):
            return [self[i] for i in range(len(self))[row]]
        k = int(self._found.which[row])
        return self.terms[k] if self._found.label[k] >= 0 else None

    def distinct(self) -> list[tuple[Any, Term | None]]:
        """Give the label and the reason of each different place."""
        codes = self._found.label.tolist()
        return [
            (self._classes[c], term) if c >= 0 else (None, None)
            for c, term in zip(codes, self.terms, strict=True)
        ]


@in_budget
def explain_rows(form: Form, X: Any, time_limit: float | None) -> Explanations:
    """Explain many rows; see ``Model.explain_all``."""
    tree = form.tree
    if tree.task == "regression":
        raise InvalidData(
            "explain_all is about classes, and this tree gives numbers: make classes of them with "
            "tree.discretize(levels), or explain(row) one row at a time"
        )
    budget, rows = Budget.current(), rows_for(tree, X)
    explain = partial(explain_one, form, time_limit=read_seconds(time_limit))
    if tree.space.domain.restricts:
        return Explanations(explain, X, tree, _among_possible(form, X, rows))
    bins = form.bins
    try:
        found = bins.explainer.explain(rows.columns, bins.places, rows.n_rows, budget.left)
    except _core.base.TimeUp as fault:
        raise _out_of_time(budget, fault.met, rows.n_rows) from None
    terms = [Term(box) for box in Box.of_slots(bins, found.reasons)]
    return Explanations(explain, X, tree, Found(found.which, found.label, terms))


def _among_possible(form: Form, X: Any, rows: Rows) -> Found:
    """Explain each different row where facts hold, as ``explain`` does.

    A row that contradicts the facts has no class, and no reason; a warning says so.
    """
    tree, budget = form.tree, Budget.current()
    known = PossibleRows(tree, rows)
    which, first = known.different(tuple(sorted({*tree.used, *tree.connected})))
    label = np.full(len(first), -1, dtype=np.int32)
    terms: list[Term | None] = [None] * len(first)
    for k, at in enumerate(first.tolist()):
        if budget.over:
            raise _out_of_time(budget, int((which < k).sum()), rows.n_rows)
        if known.contradicting[at]:
            continue
        try:
            one = explain_one(form, row_at(X, form.space, at), time_limit=budget.left)
        except Undecided as fault:
            raise _out_of_time(budget, int((which < k).sum()), rows.n_rows) from fault
        if one.label is not None:
            label[k], terms[k] = tree.classes.index(one.label), one.reason
    return Found(which, label, terms)


def _out_of_time(budget: Budget, met: int, n_rows: int) -> OutOfTime:
    return OutOfTime(
        f"{met:,} of {n_rows:,} rows were explained in "
        f"{budget}: raise {setting('time_limit')}, or "
        "give fewer rows at a time"
    )
