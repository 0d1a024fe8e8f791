"""Judging: how a tree does on labelled rows, whether it says classes or numbers.

In:  a tree, rows, and what is true of them.
Out: ``Judged`` or ``JudgedNumbers``; as text, Markdown, or what JSON can hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..estimators import deviation, judge, pooled, pooled_deviation
from ..model import SumKernel, TreeKernel
from ..output.pages import (
    Judged,
    JudgedNumbers,
    deviation_as_markdown,
    deviation_as_text,
    quality_as_markdown,
    quality_as_text,
)

__all__ = ["AnyJudged", "judged_markdown", "judged_on", "judged_text", "pooled_folds"]

AnyJudged = Judged | JudgedNumbers


def judged_on(
    what: str, tree: TreeKernel | SumKernel, X: Any, y: Sequence[Any], note: str = ""
) -> AnyJudged:
    """Judge a model on rows; ``what`` says which rows these are."""
    if tree.task == "regression":
        return JudgedNumbers(what, deviation(tree, X, y), note)
    return Judged(what, judge(tree, X, y), note)


def pooled_folds(what: str, parts: Sequence[AnyJudged], note: str) -> AnyJudged:
    """Put folds together."""
    if isinstance(parts[0], JudgedNumbers):
        numbers = [cast(JudgedNumbers, part).quality for part in parts]
        errors = tuple(one.absolute for one in numbers if one.absolute is not None)
        return JudgedNumbers(what, pooled_deviation(numbers), note, errors)
    classes = [cast(Judged, part).quality for part in parts]
    accuracies = tuple(one.accuracy for one in classes if one.accuracy is not None)
    return Judged(what, pooled(classes), note, accuracies)


def judged_text(judged: Sequence[AnyJudged]) -> str:
    """Write a block per set of rows."""
    if isinstance(judged[0], JudgedNumbers):
        return deviation_as_text(cast("Sequence[JudgedNumbers]", judged))
    return quality_as_text(cast("Sequence[Judged]", judged))


def judged_markdown(judged: Sequence[AnyJudged]) -> str:
    """Write a table or a paragraph per set of rows."""
    if isinstance(judged[0], JudgedNumbers):
        return deviation_as_markdown(cast("Sequence[JudgedNumbers]", judged))
    return quality_as_markdown(cast("Sequence[Judged]", judged))
