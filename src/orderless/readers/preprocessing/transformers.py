"""scikit-learn's transformers, column by column.

In:  a fitted transformer and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out: how each of its columns arises from one that went in.
"""

from __future__ import annotations

import sys
import warnings
from collections import UserList
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import getattr_static
from typing import Any

import numpy as np

from ...errors import InvalidSpace, UnreadableModel
from ...inputs import is_unknown
from ...model import Floats, Label, Space, plain_label
from . import gaps, numbers
from .by_space import by_space
from .stage import Block, Encode, Pass, Rescale, Wire

__all__ = ["is_passthrough", "send"]

Handler = Callable[[Any, Block, str], Block]

KNOWN = (
    "Pipeline, ColumnTransformer, FeatureUnion, OneHotEncoder, OrdinalEncoder, TargetEncoder, "
    "StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, KBinsDiscretizer, Binarizer, "
    "SimpleImputer, MissingIndicator, selectors (get_support), FunctionTransformer without a "
    "function or with pandas.DataFrame.rename, orderless' binarizers"
)

Path = tuple[str, ...]
NO_LABEL = "\0 a label that no encoder has seen"


def send(transformer: Any, block: Block, path: Path) -> Block:
    """Send columns through a transformer, whatever it is made of."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import FeatureUnion, Pipeline

    if is_passthrough(transformer):
        return block
    step = _step(transformer, path)
    if isinstance(transformer, Pipeline):
        for name, part in transformer.steps:
            block = send(part, block, (*path, name))
        return block
    if isinstance(transformer, type) or not hasattr(transformer, "transform"):
        raise UnreadableModel(
            f"{step} is not a fitted transformer: preprocessing= takes what the table went through "
            f"before the model. Known transformers are {KNOWN}"
        )
    if isinstance(transformer, FeatureUnion):
        return _united(transformer, block, path)
    _check_fitted(transformer, block, step)
    if isinstance(transformer, ColumnTransformer):
        return _by_columns(transformer, block, path)
    return _apply(transformer, block, step)


def _step(transformer: Any, path: Path) -> str:
    """Name a step for an error message: 'prepare' > 'scale' (StandardScaler)."""
    kind = type(transformer).__qualname__
    return f"{' > '.join(repr(name) for name in path)} ({kind})" if path else f"the {kind}"


def _check_fitted(transformer: Any, block: Block, step: str) -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(transformer)
    except NotFittedError:
        raise UnreadableModel(
            f"{step} is not fitted: fit it, and the model on what it makes, before reading"
        ) from None
    except TypeError:
        pass  # no estimator; _apply says whether it is known
    expected = getattr(transformer, "n_features_in_", len(block.wires))
    if expected != len(block.wires):
        raise UnreadableModel(
            f"{step} was fitted on {expected} columns and gets {len(block.wires)}: give the very "
            "transformers that the model's table went through, in their order"
        )


def _united(union: Any, block: Block, path: Path) -> Block:
    weights = union.transformer_weights or {}
    parts = [
        _weighted(send(part, block, (*path, name)), weights.get(name), repr(name))
        for name, part in union.transformer_list
        if not (isinstance(part, str) and part == "drop")
    ]
    return _joined(parts, any(part.sparse for part in parts))


def _by_columns(transformer: Any, block: Block, path: Path) -> Block:
    names = [str(name) for name in getattr(transformer, "feature_names_in_", ())]
    weights = transformer.transformer_weights or {}
    parts: list[Block] = []
    for name, part, selection in transformer.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        if isinstance(selection, UserList):  # of scikit-learn before 1.7, which warns who looks
            selection = selection.data
        chosen = [block.wires[k] for k in _chosen(selection, names, len(block.wires))]
        if not chosen:
            continue  # scikit-learn leaves such a part unfitted
        out = send(part, Block(chosen, block.sparse), (*path, name))
        parts.append(_weighted(out, weights.get(name), repr(name)))
    return _joined(parts, bool(getattr(transformer, "sparse_output_", False)))


def _joined(parts: Iterable[Block], sparse: bool) -> Block:
    """Put tables side by side. In numpy they then are of one type."""
    wires = [wire for part in parts for wire in part.wires]
    dtype = Block(wires).dtype
    return Block([replace(wire, dtype=dtype) for wire in wires], sparse)


def _weighted(block: Block, weight: float | None, step: str) -> Block:
    if weight is None:
        return block
    dtype, factor = block.dtype, weight
    stage = Rescale(step, lambda x: (x.astype(dtype) * factor).astype(np.float64))
    return Block([wire.then(stage, dtype) for wire in block.wires], block.sparse)


def _chosen(selection: Any, names: Sequence[str], n: int) -> list[int]:
    """Give the positions of the columns that a part of a ColumnTransformer gets."""
    if isinstance(selection, slice):
        if isinstance(selection.start, str) or isinstance(selection.stop, str):
            start = 0 if selection.start is None else names.index(selection.start)
            stop = n if selection.stop is None else names.index(selection.stop) + 1
            return list(range(start, stop))
        return list(range(n))[selection]
    if isinstance(selection, str | int | np.integer):
        selection = [selection]
    keys = list(selection)
    if keys and all(isinstance(key, bool | np.bool_) for key in keys):
        return np.flatnonzero(keys).tolist()
    return [names.index(key) if isinstance(key, str) else range(n)[key] for key in keys]


def is_passthrough(transformer: Any) -> bool:
    """Whether a step does nothing."""
    return transformer is None or (isinstance(transformer, str) and transformer == "passthrough")


def _apply(transformer: Any, block: Block, step: str) -> Block:
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
        "tree alone, without preprocessing=, for conditions on the columns that this step makes"
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
        preprocessing.OneHotEncoder: one_hot,
        preprocessing.OrdinalEncoder: ordinal,
        preprocessing.TargetEncoder: target,
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


# -- encoders: each is asked itself what it makes of each label ------------------------------------


def one_hot(encoder: Any, block: Block, step: str) -> Block:
    """Give a 0/1 column for each label that is kept."""
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(encoder.categories_)
    dropped = [None] * len(rare) if encoder.drop_idx_ is None else encoder.drop_idx_
    widths = [
        len(labels) - (0 if few is None else len(few) - 1) - (drop is not None)
        for labels, few, drop in zip(encoder.categories_, rare, dropped, strict=True)
    ]
    unknown = encoder.handle_unknown != "error"
    return _encoded(encoder, block, step, widths, unknown, sparse=bool(encoder.sparse_output))


def ordinal(encoder: Any, block: Block, step: str) -> Block:
    """Give the number of the label."""
    unknown = encoder.handle_unknown == "use_encoded_value"
    return _encoded(encoder, block, step, [1] * len(block.wires), unknown)


def target(encoder: Any, block: Block, step: str) -> Block:
    """Give what training rows with the label have for a target, on average."""
    width = len(encoder.classes_) if encoder.target_type_ == "multiclass" else 1
    return _encoded(encoder, block, step, [width] * len(block.wires), True)


def _encoded(
    encoder: Any, block: Block, step: str, widths: list[int], unknown: bool, sparse: bool = False
) -> Block:
    """Ask the encoder itself what it makes of each of its labels, and of one it does not know."""
    seen, dtype = _asked(encoder, _seen_labels(encoder))
    unseen = None
    if unknown:
        import pandas as pd

        names = getattr(encoder, "feature_names_in_", range(len(widths)))
        row = pd.DataFrame([[NO_LABEL] * len(widths)], columns=list(names), dtype=object)
        unseen, _ = _asked(encoder, row)
    wires: list[Wire] = []
    at = 0
    for wire, labels, width in zip(block.wires, encoder.categories_, widths, strict=True):
        for j in range(at, at + width):
            other = None if unseen is None else float(unseen[0, j])
            stage = _encode(step, labels.tolist(), seen[: len(labels), j].tolist(), other)
            wires.append(wire.then(stage, dtype))
        at += width
    if at != seen.shape[1]:
        raise UnreadableModel(
            f"{step} makes {seen.shape[1]} columns where {at} were expected: this version of "
            "scikit-learn is not known; read the tree without preprocessing="
        )
    return Block(wires, sparse)


def _seen_labels(encoder: Any) -> Any:
    """Make a table in which every column runs through its labels."""
    import pandas as pd

    n_rows = max(len(labels) for labels in encoder.categories_)
    names = getattr(encoder, "feature_names_in_", range(len(encoder.categories_)))
    return pd.DataFrame(
        {
            name: pd.Series(
                np.resize(labels, n_rows), dtype=object if labels.dtype.kind in "OUS" else None
            )
            for name, labels in zip(names, encoder.categories_, strict=True)
        }
    )


def _asked(encoder: Any, table: Any) -> tuple[Floats, np.dtype[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about labels that it does not know
        out = encoder.transform(table)
    out = out.toarray() if hasattr(out, "toarray") else np.asarray(out)
    return out.astype(np.float64), out.dtype


def _encode(step: str, labels: list[Any], numbers: list[float], unknown: float | None) -> Encode:
    table: dict[Label, float] = {}
    missing: set[float] = set()
    for label, number in zip(labels, numbers, strict=True):
        if is_unknown(label):
            missing.add(number)
            continue
        try:
            table[plain_label(label)] = number
        except InvalidSpace as fault:
            raise UnreadableModel(f"{step}: {fault}") from fault
    # None and NaN may be two labels; rows do not tell them apart, so then neither is known.
    at_missing = missing.pop() if len(missing) == 1 else None if missing else unknown
    return Encode(step, table, unknown, at_missing)
