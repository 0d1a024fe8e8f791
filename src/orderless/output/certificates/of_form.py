"""The certificate of a form: its rules and reasons, and that fewer rules are not enough.

In:  a ``CanonicalForm``.
Out: ``Certificate``. It is about the tree that the form was made of, not about a tree of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InvalidParameter, OutOfTime, TooManyReasons, setting
from ...model import Bins, Box, refuse_facts
from .certificate import Certificate, certified_tree, written
from .fewest import lower_bound

if TYPE_CHECKING:
    from ...form import CanonicalForm, Term

__all__ = ["form_certificate"]

COMPLETE = 120  # reasons of a class of which all pairs are compared
CONSIDERED = 20_000  # reasons among which a proof of the number of rules is looked for


def form_certificate(form: CanonicalForm, *, reasons: int = 1_000) -> Certificate:
    """Certify a form; see ``CanonicalForm.certificate``."""
    if isinstance(reasons, bool) or not isinstance(reasons, int) or reasons < 0:
        raise InvalidParameter(
            f"{setting('reasons', reasons)}: give a whole number, 0 or more", "reasons"
        )
    tree, bins = form.tree, form.tree.bins
    refuse_facts(tree.space, "a certificate")
    found, why = _reasons(form)
    left_out: list[str] = [] if found else [f"Reasons are not stated: {why}."]
    total = sum(map(len, found or ()))
    listed = found is not None and total <= reasons
    if found and not listed:
        left_out.append(f"Reasons are not stated: there are {total:,}, more than {reasons:,}.")
    complete = [listed and len(own) <= COMPLETE for own in found or [()] * len(form.classes)]
    fewest: list[Any] = []
    for c, (label, rules) in enumerate(form.rules.items()):
        proof = _fewest(bins, c, len(rules), found, complete[c])
        fewest.append(proof)
        if proof is None or proof["bound"] < len(rules):
            left_out.append(f"That {label!r:.80} needs all of its {len(rules):,} rules.")
        if listed and not complete[c]:
            left_out.append(f"That the reasons of {label!r:.80} are all that there are.")
    text = written(
        "form", tree.space, form.classes, bins=bins.to_list(), tree=certified_tree(tree),
        rules=[[term.to_dict() for term in own] for own in form.rules.values()],
        reasons=[[t.to_dict() for t in own] for own in found or ()] if listed else None,
        complete=complete if listed else None,
        fewest=fewest,
    )  # fmt: skip
    return Certificate(text, tuple(left_out))


def _reasons(form: CanonicalForm) -> tuple[list[Sequence[Term]] | None, str]:
    """Give the reasons of each class; None where there are too many, and why."""
    if not form.exact:
        return None, "the form was made with exact=False"
    try:
        return list(form.reasons.values()), ""
    except (TooManyReasons, OutOfTime) as fault:
        return None, str(fault).partition(":")[0]


def _fewest(
    bins: Bins, c: int, n_rules: int, found: list[Sequence[Term]] | None, complete: bool
) -> dict[str, Any] | None:
    """Prove that a class needs so many rules; None where no proof was found."""
    if n_rules == 0:
        return {"bound": 0, "proof": {"cells": []}}
    if found is None or len(found[c]) > CONSIDERED:
        return None
    boxes = [Box.of_sides(bins, term.sides).bits for term in found[c]]
    return lower_bound(bins, c, n_rules, boxes, branching=complete)
