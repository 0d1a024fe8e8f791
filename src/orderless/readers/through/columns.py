"""The way back through transformers: from the model's columns to the features that went in.

In:  a fitted transformer of scikit-learn, any mix and nesting; what is known of the source table.
Out: for each column that the model was fitted on, how it arises from one source feature; and the
     ``Space`` of the source features. ``over_features`` then finds each condition in the features'
     own units, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import InvalidSpace, UnreadableModel
from ...model import Space, Values
from ..table import Nan, Table
from .column import SourceColumn, space_columns
from .features import resolve, source_feature
from .names import is_passthrough, own_space, source_names
from .stage import Block, Rescale, Wire
from .transformers import KNOWN, apply

__all__ = ["columns_through", "source_columns"]


def source_columns(
    table: Table,
    through: Any,
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
) -> tuple[list[SourceColumn], Space]:
    """Say what the columns of a model's table mean: how they arise, from features of which space.

    Parameters are ``read_tree``'s.
    """
    if through is not None:
        # A library that has no way with NaN cannot have learned one.
        known = nan if table.learns_nan else "unknown"
        return columns_through(through, space, feature_names, known, table.values)
    if space is None:
        space = table.default_space(feature_names, nan)
    elif feature_names is not None and tuple(feature_names) != space.column_names:
        raise InvalidSpace(
            "the space names its columns already: leave feature_names out, or make them equal"
        )
    return space_columns(space), space


def columns_through(
    transformer: Any,
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
    values: Values = "float64",
) -> tuple[list[SourceColumn], Space]:
    """Say how the columns that come out of a transformer arise from the features that went in.

    Parameters
    ----------
    transformer : fitted transformer
        A ``Pipeline``, ``ColumnTransformer``, ``FeatureUnion``, or a single transformer.
    space : Space, optional
        Of the table that went in: its columns are the transformer's input. Without it, what goes
        into an encoder is categorical with the encoder's labels, everything else numeric.
    feature_names : sequence of str, optional
        Names of the columns that went in, where the transformer has none.
    nan : "unknown" or "value"
        Whether a missing value is unknown, or a value of its own wherever the transformers take
        it. A given space says so itself.
    values : "float64" or "float32"
        How the model rounds numbers before it compares. A feature that reaches it unchanged then
        has these values, as if there were no transformer.

    Returns
    -------
    columns : list of SourceColumn
    space : Space

    Notes
    -----
    Exact for tables of float64 (or of integers, booleans, text). On a table that is float32
    throughout scikit-learn scales in float32, which is another function.
    """
    names = source_names(transformer, space, feature_names)
    if space is None:
        space = own_space(transformer, names)
    wires = _send(transformer, Block([Wire(i) for i in range(len(names))]), ()).wires
    if space is None:
        by_source: list[list[Wire]] = [[] for _ in names]
        for wire in wires:
            by_source[wire.source].append(wire)
        space = Space(
            [source_feature(*pair, nan, values) for pair in zip(names, by_source, strict=True)]
        )
        starts = space_columns(space)
    else:
        position = {name: i for i, name in enumerate(space.column_names)}
        columns = space_columns(space)
        starts = [columns[position[name]] for name in names]
    return [resolve(wire, starts[wire.source], space) for wire in wires], space


# -- transformers made of transformers -------------------------------------------------------------

Path = tuple[str, ...]


def _send(transformer: Any, block: Block, path: Path) -> Block:
    """Send columns through a transformer, whatever it is made of."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import FeatureUnion, Pipeline

    if is_passthrough(transformer):
        return block
    step = _step(transformer, path)
    if isinstance(transformer, Pipeline):
        for name, part in transformer.steps:
            block = _send(part, block, (*path, name))
        return block
    if isinstance(transformer, type) or not hasattr(transformer, "transform"):
        raise UnreadableModel(
            f"{step} is not a fitted transformer: through= takes what the table went through "
            f"before the model. Known transformers are {KNOWN}"
        )
    if isinstance(transformer, FeatureUnion):
        return _united(transformer, block, path)
    _check_fitted(transformer, block, step)
    if isinstance(transformer, ColumnTransformer):
        return _by_columns(transformer, block, path)
    return apply(transformer, block, step)


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
        pass  # no estimator; apply() says whether it is known
    expected = getattr(transformer, "n_features_in_", len(block.wires))
    if expected != len(block.wires):
        raise UnreadableModel(
            f"{step} was fitted on {expected} columns and gets {len(block.wires)}: give the very "
            "transformers that the model's table went through, in their order"
        )


def _united(union: Any, block: Block, path: Path) -> Block:
    weights = union.transformer_weights or {}
    parts = [
        _weighted(_send(part, block, (*path, name)), weights.get(name), repr(name))
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
        chosen = [block.wires[k] for k in _chosen(selection, names, len(block.wires))]
        if not chosen:
            continue  # scikit-learn leaves such a part unfitted
        out = _send(part, Block(chosen, block.sparse), (*path, name))
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
