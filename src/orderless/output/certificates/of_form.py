"""The certificate of a form: its rules and reasons, and that fewer rules are not enough.

In:  a ``CanonicalForm``.
Out: ``Certificate``. It is about the tree that the form was made of, not about a tree of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InvalidParameter, OutOfTime, TooManyReasons, setting
from ...model import Bins, Box, refuse_facts
from .cells import Cells, names_of
from .certificate import NO_FACTS, Certificate, written
from .fewest import Proof, lower_bound

if TYPE_CHECKING:
    from ...form import Form, Term

__all__ = ["form_certificate"]

COMPLETE = 120  # reasons of a class of which all pairs are compared
CONSIDERED = 20_000  # reasons among which a proof of the number of rules is looked for


def form_certificate(form: Form, *, reasons: int = 1_000) -> Certificate:
    """Certify a form; see ``CanonicalForm.certificate``."""
    if isinstance(reasons, bool) or not isinstance(reasons, int) or reasons < 0:
        raise InvalidParameter(
            f"{setting('reasons', reasons)}: give a whole number, 0 or more", "reasons"
        )
    tree, bins = form.tree, form.tree.bins
    refuse_facts(tree.space, "a certificate", why=NO_FACTS)
    found, why = _reasons(form)
    left_out: list[str] = [] if found else [f"Reasons are not stated: {why}."]
    total = sum(map(len, found or ()))
    listed = found is not None and total <= reasons
    if found and not listed:
        left_out.append(f"Reasons are not stated: there are {total:,}, more than {reasons:,}.")
    cells, labels = Cells(bins), names_of(form.classes)
    stated: dict[str, Any] = {}
    for c, (label, rules) in enumerate(form.rules.items()):
        own = None if found is None else _boxes(bins, found[c])
        complete = own is not None and listed and len(own) <= COMPLETE
        bound, proof = _fewest(bins, c, len(rules), own, complete)
        if bound < len(rules):
            left_out.append(f"That {label!r:.80} needs all of its {len(rules):,} rules.")
        if listed and not complete:
            left_out.append(f"That the reasons of {label!r:.80} are all that there are.")
        stated[labels[c]] = {
            "rules": cells.boxes(_boxes(bins, rules)),
            "reasons": cells.boxes(own) if own is not None and listed else [],
            "complete": complete,
            "bound": bound,
            "proof": proof,
        }
    text = written("form", labels, cells, [cells.tree(tree, labels)], stated)
    return Certificate(text, tuple(left_out))


def _boxes(bins: Bins, terms: Sequence[Term]) -> list[tuple[int, ...]]:
    """Give terms as boxes."""
    return [Box.of_sides(bins, term.sides).bits for term in terms]


def _reasons(form: Form) -> tuple[list[Sequence[Term]] | None, str]:
    """Give the reasons of each class; None where there are too many, and why."""
    if not form.exact:
        return None, "the form was made with exact=False"
    try:
        return list(form.reasons.values()), ""
    except (TooManyReasons, OutOfTime) as fault:
        return None, str(fault).partition(":")[0]


def _fewest(
    bins: Bins, c: int, n_rules: int, reasons: list[tuple[int, ...]] | None, complete: bool
) -> tuple[int, Proof]:
    """Prove that a class needs so many rules, or fewer; 0 needs no proof."""
    if n_rules == 0 or reasons is None or len(reasons) > CONSIDERED:
        return 0, [[], []]
    return lower_bound(bins, c, n_rules, reasons, branching=complete)
