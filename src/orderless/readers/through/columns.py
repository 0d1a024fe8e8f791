"""The way back through transformers: from the model's columns to the features that went in.

In:  a fitted transformer of scikit-learn, any mix and nesting; what is known of the source table.
Out: for each column that the model was fitted on, how it arises from one source feature; and the
     ``Space`` of the source features. ``build`` then finds each condition in the features' own
     units, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import InvalidSpace, UnreadableModel, a_kind
from ...inputs import is_unknown
from ...model import Feature, Label, Space, Values, plain_label
from ..checks import numbered_names, whole_number
from ..source import Nan, SourceColumn, space_columns
from .stage import Block, Cell, Encode, Fill, Flag, Other, Pass, Refused, Rescale, Wire, as_number
from .transformers import KNOWN, apply

__all__ = ["columns_through"]


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
    names = _source_names(transformer, space, feature_names)
    if space is None:
        space = _own_space(transformer, names)
    wires = _send(transformer, Block([Wire(i) for i in range(len(names))]), ()).wires
    if space is None:
        space = Space([_feature(name, _of(wires, i), nan, values) for i, name in enumerate(names)])
        starts = space_columns(space)
    else:
        position = {name: i for i, name in enumerate(space.column_names)}
        columns = space_columns(space)
        starts = [columns[position[name]] for name in names]
    return [_resolve(wire, starts[wire.source], space) for wire in wires], space


# -- names -----------------------------------------------------------------------------------------


def _source_names(
    transformer: Any, space: Space | None, feature_names: Sequence[str] | None
) -> list[str]:
    """Name the columns that went in, and check that everybody means the same ones."""
    known = _learned(transformer, "feature_names_in_")
    count = _learned(transformer, "n_features_in_")
    given = None if feature_names is None else [str(name) for name in feature_names]
    names = given if known is None else [str(name) for name in known]
    if names is None and space is not None:
        names = list(space.column_names)
    if names is None and count is not None:
        own = _first(transformer)
        named = getattr(own, "space_", None) if getattr(own, "space", None) is None else None
        names = numbered_names(whole_number(count, "n_features_in_"))
        if isinstance(named, Space) and len(named) == count:
            names = list(named.names)
    if names is None and not hasattr(transformer, "transform"):
        raise UnreadableModel(
            f"through= is {a_kind(transformer)}, which has no transform: give the fitted "
            "transformer that made the model's table"
        )
    if names is None:
        raise UnreadableModel(
            f"{a_kind(transformer)} does not say how many columns went in; is it fitted? "
            "Fit it, or give feature_names= or space= of the table that went in"
        )
    if count is not None and len(names) != count:
        what = "feature_names" if given is not None else "the space"
        raise InvalidSpace(
            f"{what} names {len(names)} columns, the {type(transformer).__qualname__} was fitted "
            f"on {count}: name the columns of the table that went in, before any transformer"
        )
    if given is not None and given != names:
        raise InvalidSpace(
            f"feature_names are {given[:12]}, but the {type(transformer).__qualname__} was fitted "
            f"on columns named {names[:12]}: leave feature_names out, or make them equal"
        )
    if space is not None and set(names) != set(space.column_names):
        absent = sorted(set(names) ^ set(space.column_names))
        raise InvalidSpace(
            f"the space has the columns {list(space.column_names)[:12]}, the table that went in "
            f"{names[:12]}: they differ in {absent[:6]}. Describe the table that went in, with "
            "columns= where its columns are not the features"
        )
    return names


def _first(transformer: Any) -> Any:
    """Give what the table meets first in a pipeline; None where nothing is done to it."""
    from sklearn.pipeline import Pipeline

    if isinstance(transformer, Pipeline):
        firsts = (_first(step) for _, step in transformer.steps)
        return next((first for first in firsts if first is not None), None)
    return None if _is_passthrough(transformer) else transformer


def _learned(transformer: Any, attribute: str) -> Any:
    from sklearn.pipeline import FeatureUnion

    first = _first(transformer)
    found = getattr(first, attribute, None)
    if found is None and isinstance(first, FeatureUnion):
        parts = (_learned(part, attribute) for _, part in first.transformer_list if part != "drop")
        found = next((part for part in parts if part is not None), None)
    return found


def _own_space(transformer: Any, names: Sequence[str]) -> Space | None:
    """Give the space that a binarizer at the front was told, of the columns that went in."""
    told = getattr(_first(transformer), "space", None)
    if not isinstance(told, Space):
        return None
    columns = {column.name: column for column in told.columns}
    if not set(names) <= set(columns):
        return None
    kept = [columns[name] for name in names]
    spoken_of = {column.feature for column in kept}
    return Space([feature for feature in told.features if feature.name in spoken_of], kept)


# -- transformers made of transformers -------------------------------------------------------------

Path = tuple[str, ...]


def _send(transformer: Any, block: Block, path: Path) -> Block:
    """Send columns through a transformer, whatever it is made of."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import FeatureUnion, Pipeline

    if _is_passthrough(transformer):
        return block
    step = _step(transformer, path)
    if isinstance(transformer, Pipeline):
        for name, part in transformer.steps:
            block = _send(part, block, (*path, name))
        return block
    if isinstance(transformer, type) or not hasattr(transformer, "transform"):
        raise UnreadableModel(
            f"{step} is not a fitted transformer: through= takes what the table went through "
            f"before the model. Known are {KNOWN}"
        )
    if isinstance(transformer, FeatureUnion):
        return _united(transformer, block, path)
    _check_fitted(transformer, block, step)
    if isinstance(transformer, ColumnTransformer):
        return _by_columns(transformer, block, path)
    return apply(transformer, block, step)


def _is_passthrough(transformer: Any) -> bool:
    return transformer is None or (isinstance(transformer, str) and transformer == "passthrough")


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


# -- features --------------------------------------------------------------------------------------


def _of(wires: Sequence[Wire], source: int) -> list[Wire]:
    return [wire for wire in wires if wire.source == source]


def _feature(name: str, wires: Sequence[Wire], nan: Nan, values: Values) -> Feature:
    """Say what kind of feature goes into these wires, of which it is the source."""
    missing = nan == "value" and bool(wires) and _take(wires, None)
    demands = [wire.demand for wire in wires if not isinstance(wire.demand, Flag)]
    hints = {demand.hint if isinstance(demand, Rescale | Encode) else None for demand in demands}
    hint = hints.pop() if len(hints) == 1 else None
    if hint is not None:
        return replace(hint, name=name, nan=missing)
    encoders = [demand for demand in demands if isinstance(demand, Encode)]
    if not encoders:
        as_they_are = bool(wires) and not any(
            isinstance(stage, Rescale) for wire in wires for stage in wire.stages
        )
        return Feature(name, values=values if as_they_are else "float64", nan=missing)
    if len(encoders) < len(demands):
        number = next(demand for demand in demands if not isinstance(demand, Encode))
        for encoder in encoders:
            text = [label for label in encoder.table if isinstance(label, str)]
            if text:
                user = "the model itself" if number is None else number.step
                raise UnreadableModel(
                    f"{name!r} is used as a category, with labels like {text[0]!r}, by "
                    f"{encoder.step} and as a number by {user}: encode it everywhere, or nowhere"
                )
        return Feature(name, nan=missing)
    labels = [label for label in _candidates(wires, encoders) if _take(wires, label)]
    if not labels:
        raise UnreadableModel(
            f"{name!r} has no label that {encoders[0].step} takes: it was only missing in "
            "training; leave it out and fit again"
        )
    other = _take(wires, Other.OTHER)
    return Feature(name, "categorical", categories=tuple(labels), other=other, nan=missing)


def _candidates(wires: Sequence[Wire], encoders: Sequence[Encode]) -> list[Label]:
    """Give all labels that are told apart: those of the encoders, and what stands for missing."""
    labels = [label for encoder in encoders for label in encoder.table]
    for wire in wires:
        for stage in wire.stages:
            if isinstance(stage, Fill | Flag) and not is_unknown(stage.placeholder):
                labels.append(plain_label(stage.placeholder))
            elif not isinstance(stage, Fill | Pass):
                break
    return list(dict.fromkeys(labels))


def _take(wires: Sequence[Wire], cell: Cell) -> bool:
    """Whether all transformers take a value."""
    return all(wire.takes(cell) for wire in wires)


def _resolve(wire: Wire, start: SourceColumn, space: Space) -> SourceColumn:
    """Apply a wire to all values of its feature. ``start`` is what the source column holds."""
    assert start.feature is not None  # a space's columns are never constant
    feature = space.features[start.feature]
    try:
        if start.table is None:
            return wire.on_numbers(start, feature.nan)
        cells = [*start.table]
        if start.table == tuple(feature.label(code) for code in range(feature.n_values)):
            _check_other(wire, feature)
            cells[len(feature.categories) :] = [Other.OTHER] * feature.other + [None] * feature.nan
        numbers = (wire.on_cell(cell) for cell in cells)
        return replace(start, table=tuple(as_number(number) for number in numbers))
    except Refused as fault:
        raise UnreadableModel(
            f"{feature!r} does not fit the transformers: {fault}. Declare it as what goes in, with "
            "space=, and with the values that the transformers take"
        ) from None


def _check_other(wire: Wire, feature: Feature) -> None:
    """Refuse "other" where an encoder tells values apart that the space does not list."""
    encoder = wire.demand
    if not feature.other or not isinstance(encoder, Encode) or encoder.unknown is None:
        return
    for label, number in encoder.table.items():
        if number != encoder.unknown and label not in feature.categories:
            raise Refused(
                f"{encoder.step} knows the label {label!r}, which is among the feature's other "
                "values: list it"
            )
