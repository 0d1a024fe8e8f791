"""What changed between two models, as an HTML fragment.

In:  a ``Difference``.
Out: a ``<div>`` that needs no style sheet and no script; every name and label is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model import pieces
from ..templates import fragment, markup, render

if TYPE_CHECKING:
    from ...form import Difference

__all__ = ["difference_as_html", "difference_as_page"]


def difference_as_html(difference: Difference) -> str:
    """Write the regions that changed, a list of rules for each pair of answers.

    Examples
    --------
    >>> from orderless import difference
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> difference_as_html(difference(tree, tree)).count("<li>")
    0
    """
    names = difference.names
    shifts = [
        {
            "title": difference.title(shift, names),
            "rules": [
                [list(pieces(side, len(term))) for side in term.sides] for term in shift.rules or ()
            ],
            "known": shift.rules is not None,
            "rows": len(shift.at),
            "example": "" if shift.rules is not None or shift.at else shift.example_text,
        }
        for shift in difference.shifts
    ]
    counted = difference.n_rows is not None
    return fragment("rules/difference.html", head=difference.head(), shifts=shifts, counted=counted)


def difference_as_page(difference: Difference, old: str, new: str) -> str:
    """Write the same as a page of its own, with the names of both models.

    Examples
    --------
    >>> from orderless import difference
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> difference_as_page(difference(tree, tree), "a.json", "b.json").startswith("<!doctype html>")
    True
    """
    body = markup(difference_as_html(difference))
    return render("rules/difference_page.html", body=body, old=old, new=new)
