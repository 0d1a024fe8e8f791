"""The bins of a function: those that it distinguishes, of all into which its tree cuts.

In:  a ``Tree``, and what the core found out about its function.
Out: ``FunctionBins``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .bins import Bins

if TYPE_CHECKING:
    from .tree import TreeKernel

__all__ = ["FunctionBins"]


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

    def __init__(self, tree: TreeKernel, form: _core.reasons.Form) -> None:
        self.source, self.form = tree, form

    def unfold(self) -> None:
        """Make all parts; where every condition of the tree matters, they are the tree's own."""
        tree, form = self.source, self.form
        smaller = form.tree()
        own = tree
        if smaller is not None:
            own = tree.of_held(tree.space, tree.classes, smaller, tree.task)
        self.__dict__.update(vars(own.bins))

    def __reduce__(self) -> tuple[Any, ...]:
        return _plain_bins, (self.tree,)


def _plain_bins(tree: TreeKernel) -> Bins:
    return tree.bins
