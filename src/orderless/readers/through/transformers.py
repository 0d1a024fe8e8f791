"""scikit-learn's transformers, column by column.

In:  a fitted transformer and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out: how each of its columns arises from one that went in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from inspect import getattr_static
from typing import Any

from ...errors import UnreadableModel
from ...model import Space
from . import gaps, labels, numbers
from .by_space import by_space
from .stage import Block, Pass

__all__ = ["KNOWN", "apply"]

Handler = Callable[[Any, Block, str], Block]

KNOWN = (
    "Pipeline, ColumnTransformer, FeatureUnion, OneHotEncoder, OrdinalEncoder, TargetEncoder, "
    "StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, KBinsDiscretizer, Binarizer, "
    "SimpleImputer, MissingIndicator, selectors (get_support), FunctionTransformer without a "
    "function or with pandas.DataFrame.rename, orderless' binarizers"
)


def apply(transformer: Any, block: Block, step: str) -> Block:
    """Send columns through one transformer that is not made of others."""
    if isinstance(getattr(transformer, "space_", None), Space):
        return by_space(transformer, block, step)
    for kind, handler in _handlers().items():
        # A subclass that transforms in its own way is not known.
        if isinstance(transformer, kind) and getattr_static(
            type(transformer), "transform"
        ) is getattr_static(kind, "transform"):
            return handler(transformer, block, step)
    if callable(getattr(transformer, "get_support", None)):
        return _selected(transformer, block, step)
    raise UnreadableModel(
        f"cannot undo {step}: each column that comes out must come from one that went in, in a "
        f"known way. Known transformers are {KNOWN}. Leave the step out and fit again; or read the "
        "tree alone, without through=, for conditions on the columns that this step makes"
    )


def _handlers() -> dict[type, Handler]:
    from sklearn import impute, preprocessing

    return {
        preprocessing.StandardScaler: numbers.standard,
        preprocessing.MinMaxScaler: numbers.min_max,
        preprocessing.MaxAbsScaler: numbers.max_abs,
        preprocessing.RobustScaler: numbers.robust,
        preprocessing.Binarizer: numbers.binarized,
        preprocessing.KBinsDiscretizer: numbers.binned,
        preprocessing.OneHotEncoder: labels.one_hot,
        preprocessing.OrdinalEncoder: labels.ordinal,
        preprocessing.TargetEncoder: labels.target,
        preprocessing.FunctionTransformer: _function,
        impute.SimpleImputer: gaps.imputed,
        impute.MissingIndicator: gaps.indicated,
    }


def _function(transformer: Any, block: Block, step: str) -> Block:
    if transformer.func is not None and not _renames(transformer.func, transformer.kw_args or {}):
        raise UnreadableModel(
            f"cannot undo {step}: what its function does to a column is not known. It must be "
            "no function (func=None) or one that renames: FunctionTransformer("
            "pandas.DataFrame.rename, kw_args={'columns': {...}}). Apply other functions to the "
            "table before, and fit again"
        )
    if transformer.validate:
        return Block([wire.then(Pass(step)) for wire in block.wires], block.sparse)
    return block


def _renames(func: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether it is a method of pandas that does nothing but name columns."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return False
    axis = arguments.get("axis", "columns" if "columns" in arguments else "index")
    renaming = {
        pandas.DataFrame.rename: {"columns", "mapper", "axis", "errors"},
        pandas.DataFrame.set_axis: {"labels", "axis"},
        pandas.DataFrame.add_prefix: {"prefix", "axis"},
        pandas.DataFrame.add_suffix: {"suffix", "axis"},
    }
    if func in (pandas.DataFrame.add_prefix, pandas.DataFrame.add_suffix):
        axis = arguments.get("axis") or "columns"
    return func in renaming and set(arguments) <= renaming[func] and axis in (1, "columns")


def _selected(selector: Any, block: Block, step: str) -> Block:
    from sklearn.utils import get_tags

    wires = [wire for wire, kept in zip(block.wires, selector.get_support(), strict=True) if kept]
    if not get_tags(selector).input_tags.allow_nan:
        wires = [wire.then(Pass(step)) for wire in wires]
    return Block(wires, block.sparse)
