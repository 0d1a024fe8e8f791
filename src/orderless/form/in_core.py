"""The part of a form that the core has: the function's bins, its reasons and its rules.

In:  a ``Tree`` that the core holds.
Out: ``InCore``, what ``CanonicalForm`` has of it; nothing of it is pickled.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

from .. import _core
from ..model import FunctionBins, Tree

__all__ = ["InCore"]


class InCore:
    """Parts of ``CanonicalForm`` that are in the core."""

    tree: Tree

    @property
    def _in_core(self) -> _core.reasons.Form | None:
        """Its form in the core; None where facts or categories take more than that."""
        known = self.__dict__.get("_found")  # a cached_property takes longer than the form
        return known[0] if known is not None else self._find()

    def _find(self) -> _core.reasons.Form | None:
        tree = self.tree
        form = None
        if not tree.space.knowing:
            form = _core.reasons.form(tree.held, tree.space.held, len(tree.classes))
        self.__dict__["_found"] = (form,)
        return form

    @property
    def _core_form(self) -> tuple[FunctionBins, _core.reasons.Form]:
        """The bins of the function and its form in the core, for the terms that it has found."""
        return self._form_bins, cast(_core.reasons.Form, self._in_core)

    @cached_property
    def _form_bins(self) -> FunctionBins:
        return FunctionBins(self.tree, cast(_core.reasons.Form, self._in_core))

    def __getstate__(self) -> dict[str, Any]:
        made_again = ("_found", "_form_bins")  # the core has a part of them
        return {name: own for name, own in vars(self).items() if name not in made_again}
