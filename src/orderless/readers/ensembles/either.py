"""One tree or many: whichever a model is.

In:  any model, or file, that a reader knows.
Out: a ``TreeKernel`` if it is one tree, else a ``SumKernel``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import UnreadableModel
from ...model import Space, SumKernel, TreeKernel
from ..build import Nan
from ..dispatch import opened, read_tree
from .dispatch import is_known, read_ensemble
from .score import knows_score

__all__ = ["read_model"]


def read_model(
    model: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> TreeKernel | SumKernel:
    """Read one tree as a ``TreeKernel``, and what adds up several as a ``SumKernel``.

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesRegressor
    >>> forest = ExtraTreesRegressor(2, random_state=0).fit([[1], [2]], [1.0, 3.0])
    >>> type(read_model(forest)).__name__, type(read_model(forest.estimators_[0])).__name__
    ('SumKernel', 'TreeKernel')
    """
    model = opened(model)
    if isinstance(model, SumKernel):
        return read_ensemble(model, space=space)
    if knows_score(model):
        return read_ensemble(
            model, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
        )
    try:
        return read_tree(
            model, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
        )
    except UnreadableModel:
        if not is_known(model):
            raise
    return read_ensemble(
        model, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
    )
