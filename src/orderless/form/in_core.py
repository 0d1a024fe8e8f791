"""The part of a form that the core has: the function's bins, its reasons and its rules.

In:  a ``Tree`` that the core holds.
Out: ``InCore``, what ``Form`` has of it; nothing of it is pickled.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from ..model import FunctionBins, TreeKernel

__all__ = ["InCore"]


class InCore:
    """Parts of ``Form`` that are in the core."""

    tree: TreeKernel

    @property
    def _in_core(self) -> FunctionBins | None:
        """The bins of the function, and its form in the core.

        None where facts or categories take more than that. Terms refer to these, not to the form
        that has the terms: it would stay in memory until cycles are collected.
        """
        own = self.__dict__  # quicker than a cached_property
        return own["_found"] if "_found" in own else self._find()

    def _find(self) -> FunctionBins | None:
        tree = self.tree
        space, found = tree.space, None
        if not space.facts:
            form = _core.reasons.form(tree.held, space.held, len(tree.classes))
            if form is not None:
                found = FunctionBins(tree, form)
        self.__dict__["_found"] = found
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: own for name, own in vars(self).items() if name != "_found"}
