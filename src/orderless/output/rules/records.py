"""Records: an order-free form as plain rows, for JSON and CSV.

In:  a ``Listing``.
Out: one dict per rule or reason.
"""

from __future__ import annotations

from typing import Any

from .listing import Listing

__all__ = ["listing_records"]


def listing_records(listing: Listing) -> list[dict[str, Any]]:
    """Give each rule or reason as a dict, with counts where there are data.

    Examples
    --------
    >>> from orderless import canonicalize
    >>> from orderless.output.rules import list_terms
    >>> form = canonicalize({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    >>> listing_records(list_terms(form))[0]
    {'class': 0, 'text': 'not x0', 'conditions': ['not x0'], 'n_conditions': 1}
    """
    out = []
    for block in listing.blocks:
        for line in block.lines:
            record: dict[str, Any] = {
                "class": block.label,
                "text": str(line.term),
                "conditions": list(line.term.conditions),
                "n_conditions": line.term.n_conditions,
            }
            if line.rows is not None:
                record["rows"] = line.rows
            if line.right is not None:
                record["right"] = line.right
            out.append(record)
    return out
