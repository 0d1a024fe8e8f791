"""What a model says of itself, checked before it is believed.

In:  counts, links and methods, as a library or a file gives them.
Out: nothing, or an error that says what does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidTree, UnreadableModel, a_kind, an

__all__ = [
    "check_links",
    "damaged",
    "is_classifier",
    "refuse_own_predict",
    "unfitted",
]


def check_links(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Refuse children that do not exist, or that do not make a tree below node 0.

    A leaf has the children -1. Gives the nodes that can be reached; the others are not looked at.
    """
    n = len(left)
    reached: dict[int, None] = {}
    todo = [0]
    while todo:
        at = todo.pop()
        if at in reached:
            raise InvalidTree(f"node {at} is the child of two others, or its own descendant")
        reached[at] = None
        if left[at] < 0:
            continue
        for child in (right[at], left[at]):
            if not isinstance(child, int) or not 0 < child < n:
                raise InvalidTree(f"node {at} has the child {child!r:.40}, of {n} nodes")
            todo.append(child)
    return list(reached)


@contextmanager
def damaged(library: str, save: str) -> Iterator[None]:
    """Turn whatever goes wrong in reading a model file into one error; ``save`` is the remedy."""
    try:
        yield
    except (InvalidTree, UnreadableModel):
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as fault:
        raise UnreadableModel(
            f"this {library} model is damaged ({type(fault).__name__}: {fault!s:.120}): save it "
            f"again with {save}"
        ) from fault


def unfitted(model: Any) -> UnreadableModel:
    """Say that a model is not fitted."""
    return UnreadableModel(f"this {type(model).__qualname__} is not fitted: call fit(X, y) first")


def is_classifier(model: Any, classifier: type, base: type) -> bool:
    """Whether it is a library's classifier; its other models, all of a base class, are refused."""
    if isinstance(model, base) and not isinstance(model, classifier):
        use = an(classifier.__name__)
        raise UnreadableModel(f"{a_kind(model)} does not predict classes: use {use}")
    if isinstance(model, classifier):
        refuse_own_predict(model, classifier)
        return True
    return False


def _of_class(kind: type, method: str) -> Any:
    """Give a method as its class, or the nearest above it, states it; None if none does."""
    return next((vars(own)[method] for own in kind.__mro__ if method in vars(own)), None)


def refuse_own_predict(model: Any, *known: type, method: str = "predict") -> None:
    """Refuse a subclass that decides in its own way: its tree does not say what it decides.

    ``known`` are the classes whose ``predict`` the reader stands for.
    """
    stood_for = [_of_class(kind, method) for kind in known]
    if _of_class(type(model), method) not in stood_for:
        usual = [kind for kind in type(model).__mro__ if _of_class(kind, method) in stood_for]
        name = (usual or known)[0].__name__
        raise UnreadableModel(
            f"{a_kind(model)} has its own {method}, so that what it decides is not in its tree: "
            f"give a plain {name}, or build orderless.Tree(...) by hand"
        )
