"""Reasons and rules: what a tree decides, free of the order it asks in.

In:  a tree over a space.
Out: ``Form``.
Paper: Algorithms 1, 4 and 5; departures are in docs/decisions.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import (
    TIME_LIMIT,
    Bins,
    Budget,
    Label,
    Space,
    TreeKernel,
    formats as serial,
    read_seconds,
)
from ..readers import read_tree
from .cover import (
    Rules,
    Subject,
    all_reasons,
    find_reasons,
    found_reasons,
    found_rules,
    irredundant_rules,
    smallest_rules,
    terms_of,
)  # fmt: skip
from .equivalence import equivalent
from .fingerprints import fingerprint
from .formats import read_form, write_form
from .function_tree import canonical_tree, with_function_bins
from .in_core import InCore
from .term import Term

__all__ = ["Form", "canonical_form"]

LIMIT = 1_000_000


def canonical_form(
    tree: Any, *, limit: int = LIMIT, time_limit: float | None = TIME_LIMIT, exact: bool = True
) -> Form:
    """Give the order-free form of a tree; see ``orderless.canonicalize``."""
    if isinstance(tree, Form):
        tree = tree.tree
    own = tree if type(tree) is TreeKernel else read_tree(tree)
    return Form(own, limit=limit, time_limit=time_limit, exact=exact)


class Form(InCore):
    """What a tree decides, free of the order in which it asks.

    Made by ``canonicalize``. Rules and reasons are computed when they are first asked for.

    Attributes
    ----------
    tree : TreeKernel
        The tree it came from.
    limit : int
        How many reasons a class may have.
    time_limit : float
        Seconds that computing the reasons, or the rules of one class, may take.
    exact : bool
        Whether rules are proven minimal.
    """

    def __init__(
        self,
        tree: TreeKernel,
        *,
        limit: int = LIMIT,
        time_limit: float | None = TIME_LIMIT,
        exact: bool = True,
    ) -> None:
        if limit < 1:
            raise ValueError(f"limit={limit}: at least one reason must be allowed")
        self.tree = tree
        self.limit = limit
        self.time_limit = read_seconds(time_limit)
        self.exact = exact

    # -- what it is ----------------------------------------------------------------------------

    @property
    def space(self) -> Space:
        """The features, and how the columns of rows describe them."""
        return self.tree.space

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels."""
        return self.tree.classes

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that name the function, the same on every machine."""
        return fingerprint(self.tree)

    @cached_property
    def bins(self) -> Bins:
        """The features, cut into the bins that the function distinguishes.

        With facts, into the bins that the tree does.
        """
        found = self._in_core
        if found is None:
            return self._subject.bins
        return self.tree.bins if found.form.tree() is None else found

    @cached_property
    def _subject(self) -> Subject:
        """What rules and reasons are about: the function, on possible rows."""
        with Budget(self.time_limit):
            if self.tree.possible is not None:
                return Subject.of_possible(self.tree.possible)
        known = self._in_core is not None
        return Subject.of(self.bins if known else with_function_bins(self.tree).bins)

    @cached_property
    def _canonical(self) -> TreeKernel:
        """The tree that depends on the function alone."""
        return canonical_tree(self.tree, time_limit=self.time_limit)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that the decision depends on, sorted."""
        names = {name for terms in self.rules.values() for term in terms for name in term.features}
        return tuple(sorted(names))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Form):
            return NotImplemented
        if self.space.facts or other.space.facts:  # the same on possible rows
            same = frozenset(self.space.facts) == frozenset(other.space.facts)
            return same and equivalent(self.tree, other.tree)
        return self.fingerprint == other.fingerprint and equivalent(self.tree, other.tree)

    def __hash__(self) -> int:
        return hash(frozenset(self.space.facts) or self.fingerprint)

    # -- reasons and rules ---------------------------------------------------------------------

    @cached_property
    def _reason_tables(self) -> list[NDArray[np.uint16]]:
        found = self._in_core
        if found is None:
            return all_reasons(self._subject, self.limit, self.time_limit)
        find_reasons(found, self.limit, self.time_limit)
        return [found.form.table(c) for c in range(len(self.classes))]

    @property
    def reasons(self) -> dict[Label, tuple[Term, ...]]:
        """All sufficient reasons: per class every maximal box on which it is certain.

        The paper's Blake canonical form (its Algorithm 4), for any number of classes and any kinds
        of features. Fewest conditions first.
        """
        known: dict[Label, tuple[Term, ...]] | None = self.__dict__.get("_reasons")
        if known is None:
            known = self.__dict__["_reasons"] = self._all_reasons()
        return known

    def _all_reasons(self) -> dict[Label, tuple[Term, ...]]:
        found, classes = self._in_core, self.tree.classes
        if found is None:
            tables = self._reason_tables
            return {c: terms_of(self.bins, own) for c, own in zip(classes, tables, strict=True)}
        return found_reasons(found, classes, self.limit, self.time_limit)

    @property
    def _rules(self) -> list[Rules]:
        known: list[Rules] | None = self.__dict__.get("_own_rules")
        if known is None:
            known = self.__dict__["_own_rules"] = self._find_rules()
        return known

    def _find_rules(self) -> list[Rules]:
        found = self._in_core
        if self.exact and found is not None:
            find_reasons(found, self.limit, self.time_limit)
            return found_rules(found, self.tree.classes, self.time_limit)
        if self.exact:
            return smallest_rules(self._subject, self._reason_tables, self.time_limit)
        if self._subject.possible is not None:
            return irredundant_rules(self._subject, self.time_limit)
        # Which reasons are grown from the leaves depends on the tree, so it has to be canonical;
        # a smallest cover does not, whatever the leaves.
        return irredundant_rules(Subject.of(self._canonical.bins), self.time_limit)

    @property
    def rules(self) -> dict[Label, tuple[Term, ...]]:
        """The fewest reasons that cover each class (the paper's minimal DNF).

        With ``exact`` proven minimal: fewest rules, then fewest conditions, then first in a fixed
        order. Otherwise none can be left out, and ``bounds`` says how many are needed at least.
        Either way equivalent trees over one space have identical rules, in the same order. With
        facts that does not hold: where ``a = b`` is a fact, rules may be about either. Rules then
        cover the possible rows of a class, and may cover impossible ones too.
        """
        return {c: terms for c, (terms, _) in zip(self.tree.classes, self._rules, strict=True)}

    @property
    def bounds(self) -> dict[Label, int]:
        """Per class a proven lower bound on the number of rules."""
        return {c: own.bound for c, own in zip(self.classes, self._rules, strict=True)}

    # -- words ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        classes = ", ".join(f"{label!r:.40}" for label in self.classes[:8])
        more = f", {len(self.classes) - 8:,} more" if len(self.classes) > 8 else ""
        leaves = "1 leaf" if self.tree.n_leaves == 1 else f"{self.tree.n_leaves:,} leaves"
        return f"Form(of a tree with {leaves}, classes [{classes}{more}])"

    # -- files ---------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write the canonical tree and the rules as versioned JSON (docs/formats).

        Equivalent trees over one space, with the same classes, give the same bytes. Finding the
        canonical tree may take ``time_limit`` seconds, as may the rules of each class. With facts
        the tree is written as it is.
        """
        tree = self._canonical if self.tree.possible is None else self.tree
        return write_form(tree, self.exact, list(self.rules.values()))

    @classmethod
    def from_json(
        cls, text: str | bytes, *, limit: int = serial.LIMIT, time_limit: float | None = TIME_LIMIT
    ) -> Form:
        """Read what ``to_json`` wrote; whether all fits is checked. Anything else is refused.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        time_limit : float
            Seconds that building a tree may take before ``OutOfTime`` is raised: a file of version
            1 has rules only. It is also the form's own ``time_limit``.
        """
        tree, exact = read_form(text, limit=limit, time_limit=time_limit)
        return cls(tree, exact=exact, time_limit=time_limit)
