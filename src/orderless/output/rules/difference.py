"""What changed between two models, as a page.

In:  a ``Difference``.
Out: a page of HTML; every name and label is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..templates import markup, page

if TYPE_CHECKING:
    from ...questions import Difference

__all__ = ["difference_as_page"]


def difference_as_page(difference: Difference, old: str, new: str) -> str:
    """Write the same as a page of its own, with the names of both models.

    Examples
    --------
    >>> from orderless import difference
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> difference_as_page(difference(tree, tree), "a.json", "b.json").startswith("<!doctype html>")
    True
    """
    body = markup(difference.to_html())
    return page("rules/difference_page.html", title=f"{old} and {new}", body=body, old=old, new=new)
