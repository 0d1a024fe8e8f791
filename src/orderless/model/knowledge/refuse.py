"""Questions that do not take facts into account say so; they never leave facts out silently.

In:  a space, and what was asked.
Out: nothing, or an ``InvalidSpace``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidSpace

if TYPE_CHECKING:
    from ..space import Space

__all__ = ["refuse_facts"]


def refuse_facts(space: Space, what: str, *, linear: bool = False, why: str = "") -> None:
    """Refuse a question that has no answer with facts.

    ``linear``: only with facts that compare features with each other. ``why``: what stands in the
    way, as the end of a sentence.
    """
    knowledge = space.knowledge
    if knowledge is None or (linear and not knowledge.linear):
        return
    which = "facts that compare features with each other" if linear else "facts"
    raise InvalidSpace(
        f"{what} does not work with {which} between features yet{why and f' ({why})'}, and does "
        "not leave them out silently: ask it without them, of "
        "tree.with_space(tree.space.without_facts())"
    )
