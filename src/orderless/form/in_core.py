"""The part of a form that the core has: the function's bins, its reasons and its rules.

In:  a ``Tree`` that the core holds.
Out: ``InCore``, what ``CanonicalForm`` has of it; nothing of it is pickled. ``FunctionBins``: of
     all bins into which the tree cuts, those that its function distinguishes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from .. import _core
from ..model import Bins, Tree

__all__ = ["FunctionBins", "InCore"]


class _Unfolded:
    """A part of the bins of a function: made with the others when it is first looked at."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, bins: Any, owner: type) -> Any:
        if bins is None:
            return self
        bins.unfold()
        return bins.__dict__[self.name]


class FunctionBins(Bins):
    """The bins that the function of a tree distinguishes, as a form in the core found them.

    Every part is made when it is asked for: reasons are listed without any of them.
    """

    if not TYPE_CHECKING:
        tree = _Unfolded()
        positions = _Unfolded()
        features = _Unfolded()
        cuts = _Unfolded()
        groups = _Unfolded()
        layout = _Unfolded()
        nodes = _Unfolded()
        _slots = _Unfolded()
        _read = _Unfolded()

    def __init__(self, tree: Tree, form: _core.reasons.Form) -> None:
        self._source = (tree, form)

    def unfold(self) -> None:
        """Make all parts; where every condition of the tree matters, they are the tree's own."""
        tree, form = self._source
        smaller = form.tree()
        own = (
            tree if smaller is None else tree.of_held(tree.space, tree.classes, smaller, tree.task)
        )
        self.__dict__.update(vars(own.bins))

    def __reduce__(self) -> tuple[Any, ...]:
        return _plain_bins, (self.tree,)


def _plain_bins(tree: Tree) -> Bins:
    return tree.bins


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
