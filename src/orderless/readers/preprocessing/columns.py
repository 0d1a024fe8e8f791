"""The way back through transformers: from the model's columns to the features that went in.

In:  a fitted transformer of scikit-learn, any mix and nesting; what is known of the source table.
Out: for each column that the model was fitted on, how it arises from one source feature; and the
     ``Space`` of the source features. ``over_features`` then finds each condition in the features'
     own units, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...errors import InvalidSpace, UnreadableModel, a_kind
from ...inputs import is_unknown, some_names
from ...model import Column, Feature, Label, Space, Values, plain_label
from ..builder import REMEMBERED, Nan, Table, numbered_names, whole_number
from .stage import (
    Before,
    Block,
    Cell,
    Cut,
    Encode,
    Fill,
    Flag,
    Other,
    Pass,
    Refused,
    Rescale,
    SourceColumn,
    Steps,
    Wire,
    as_number,
)
from .transformers import is_passthrough, send

__all__ = ["columns_through", "source_columns", "space_columns"]


def source_columns(
    table: Table,
    preprocessing: Any,
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
) -> tuple[Sequence[SourceColumn], Space]:
    """Return what the columns of a model's table are: how they arise, from features of which space.

    Parameters are those of ``orderless.read``.
    """
    if nan == "value" and table.nan_refused:
        raise UnreadableModel(
            f"a missing value cannot be read as a value here: {table.nan_refused}; leave "
            "nan='value' out, and missing values are unknown"
        )
    if table.before is not None:
        if preprocessing is not None:
            raise UnreadableModel(
                "this model prepares its columns itself, and is not read through further "
                "transformers: leave preprocessing= out, and its features are the columns that it "
                "takes"
            )
        return _columns_of_model(table.before, space, feature_names, nan)
    if preprocessing is not None:
        # A library that has no way with NaN cannot have learned one.
        known = nan if table.learns_nan else "unknown"
        return columns_through(preprocessing, space, feature_names, known, table.values)
    if space is None:
        space = table.default_space(feature_names, nan)
    elif feature_names is not None and tuple(feature_names) != space.column_names:
        raise InvalidSpace(
            "the space names its columns already: leave feature_names out, or make them equal"
        )
    return space_columns(space), space


def space_columns(space: Space) -> list[SourceColumn]:
    """Read the columns of a space: values of features, or 0/1 for conditions on them."""
    if len(space.columns) > REMEMBERED:
        return [_space_column(space, column) for column in space.columns]
    return list(_columns_of(space))


@lru_cache(maxsize=32)
def _columns_of(space: Space) -> tuple[SourceColumn, ...]:
    return tuple(_space_column(space, column) for column in space.columns)


def _space_column(space: Space, column: Column) -> SourceColumn:
    i = space.index(column.feature)
    feature = space.features[i]
    condition = column.condition
    if condition is None:
        if feature.ordered:
            return SourceColumn(i)
        labels: tuple[Any, ...] = tuple(feature.label(code) for code in range(feature.n_values))
        return SourceColumn(i, table=labels)
    if condition.at_most is not None:
        top = float(feature.at_most(condition.at_most))
        return SourceColumn(i, steps=Steps((top,), (1.0, 0.0)), at_missing=0.0)
    among = condition.among or ()
    if feature.ordered:  # boolean
        return SourceColumn(i, steps=Steps((0.0,), (float(False in among), float(True in among))))
    inside = [code < len(feature.categories) and feature.categories[code] in among
              for code in range(feature.n_values)]  # fmt: skip
    return SourceColumn(i, table=tuple(float(flag) for flag in inside))


def columns_through(
    transformer: Any,
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
    values: Values = "float64",
) -> tuple[Sequence[SourceColumn], Space]:
    """Return how the columns that come out of a transformer arise from the features that went in.

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
    wires = send(transformer, Block([Wire(i) for i in range(len(names))]), ()).wires
    if space is not None:
        return list(_Resolved(wires, names, space)), space  # whether all of it fits
    pairs = zip(names, _by_source(wires, len(names)), strict=True)
    space = Space([_feature(*pair, nan, values) for pair in pairs])
    return _Resolved(wires, names, space), space


def _columns_of_model(
    before: Before, space: Space | None, feature_names: Sequence[str] | None, nan: Nan
) -> tuple[Sequence[SourceColumn], Space]:
    """Do the same for what a model itself does to the columns that it takes."""
    n = len(before.values)
    names = before.names if feature_names is None else [str(name) for name in feature_names]
    if space is not None:
        if feature_names is not None or len(space.column_names) != n:
            raise InvalidSpace(
                f"the model takes {n} columns and the space has {len(space.column_names)}: "
                "describe the columns that it takes, in their order, and leave feature_names out"
            )
        return list(_Resolved(before.wires, space.column_names, space)), space
    names = numbered_names(n) if names is None else names
    if len(names) != n:
        raise InvalidSpace(f"feature_names has {len(names)} names, but the model takes {n} columns")
    features = []
    for at, (name, wires) in enumerate(zip(names, _by_source(before.wires, n), strict=True)):
        feature = _feature(name, wires, nan, before.values[at])
        ordered = feature.ordered and feature.kind != "boolean"
        features.append(replace(feature, values=before.values[at]) if ordered else feature)
    space = Space(features)
    return list(_Resolved(before.wires, names, space)), space


def _by_source(wires: Sequence[Wire], n: int) -> list[list[Wire]]:
    out: list[list[Wire]] = [[] for _ in range(n)]
    for wire in wires:
        out[wire.source].append(wire)
    return out


class _Resolved(Sequence[SourceColumn]):
    """Wires, applied to columns of these names: each when it is first looked at."""

    def __init__(self, wires: Sequence[Wire], names: Sequence[str], space: Space) -> None:
        position = {name: i for i, name in enumerate(space.column_names)}
        columns = space_columns(space)
        self.starts = [columns[position[name]] for name in names]
        self.wires, self.space = wires, space
        self._done: dict[int, SourceColumn] = {}

    def __len__(self) -> int:
        return len(self.wires)

    def __getitem__(self, j: Any) -> Any:
        if j not in self._done:
            wire = self.wires[j]
            self._done[j] = _resolve(wire, self.starts[wire.source], self.space)
        return self._done[j]


# -- names ---------------------------------------------------------------------------------------


def _source_names(
    transformer: Any, space: Space | None, feature_names: Sequence[str] | None
) -> list[str]:
    """Name the columns that went in, and check that all who name them agree."""
    known = _learned(transformer, "feature_names_in_")
    count = _learned(transformer, "n_features_in_")
    given = None if feature_names is None else [str(name) for name in feature_names]
    names = given if known is None else [str(name) for name in known]
    if names is None and space is not None:
        names = list(space.column_names)
    if names is None and count is not None:
        first = _first(transformer)
        named = getattr(first, "space_", None) if getattr(first, "space", None) is None else None
        names = numbered_names(whole_number(count, "n_features_in_"))
        if isinstance(named, Space) and len(named) == count:
            names = list(named.names)
    if names is None and not hasattr(transformer, "transform"):
        raise UnreadableModel(
            f"preprocessing must be a fitted transformer, got {a_kind(transformer)}, which has no "
            "transform: give the one that made the model's table"
        )
    if names is None:
        raise UnreadableModel(
            f"{a_kind(transformer)} does not say how many columns went in; is it fitted? "
            "Fit it, or give feature_names= or space= of the table that went in"
        )
    if count is not None and len(names) != count:
        what = "feature_names" if given is not None else "the space"
        raise InvalidSpace(
            f"{what} has {len(names)} columns, but the {type(transformer).__qualname__} was fitted "
            f"on {count}: name the columns of the table that went in, before any transformer"
        )
    if given is not None and given != names:
        raise InvalidSpace(
            f"feature_names are {some_names(given)}, but the {type(transformer).__qualname__} was "
            f"fitted on columns named {some_names(names)}: leave feature_names out, or make them "
            "equal"
        )
    if space is not None and set(names) != set(space.column_names):
        differing = sorted(set(names) ^ set(space.column_names))
        raise InvalidSpace(
            f"the space has the columns {some_names(space.column_names)}, the table that went in "
            f"has {some_names(names)}: they differ in {some_names(differing, 6)}. Describe the "
            "table that went in, with columns= where its columns are not the features"
        )
    return names


def _first(transformer: Any) -> Any:
    """Return what the table meets first in a pipeline; None where nothing is done to it."""
    from sklearn.pipeline import Pipeline

    if isinstance(transformer, Pipeline):
        firsts = (_first(step) for _, step in transformer.steps)
        return next((first for first in firsts if first is not None), None)
    return None if is_passthrough(transformer) else transformer


def _learned(transformer: Any, attribute: str) -> Any:
    from sklearn.pipeline import FeatureUnion

    first = _first(transformer)
    value = getattr(first, attribute, None)
    if value is None and isinstance(first, FeatureUnion):
        parts = (_learned(part, attribute) for _, part in first.transformer_list if part != "drop")
        value = next((part for part in parts if part is not None), None)
    return value


def _own_space(transformer: Any, names: Sequence[str]) -> Space | None:
    """Return the space that a binarizer at the front was given, for the columns that went in."""
    space = getattr(_first(transformer), "space", None)
    if not isinstance(space, Space):
        return None
    columns = {column.name: column for column in space.columns}
    if not set(names) <= set(columns):
        return None
    kept = [columns[name] for name in names]
    used = {column.feature for column in kept}
    return Space([feature for feature in space.features if feature.name in used], kept)


# -- features ------------------------------------------------------------------------------------


def _feature(name: str, wires: Sequence[Wire], nan: Nan, values: Values) -> Feature:
    """Return what kind of feature goes into these wires, of which it is the source."""
    missing = nan == "value" and bool(wires) and _take(wires, None)
    demands = [wire.demand for wire in wires if not isinstance(wire.demand, Flag)]
    knowing = Rescale | Cut | Encode
    hints = {demand.hint if isinstance(demand, knowing) else None for demand in demands}
    hint = hints.pop() if len(hints) == 1 else None
    if hint is not None:
        return replace(hint, name=name, nan=missing)
    encoders = [demand for demand in demands if isinstance(demand, Encode)]
    if not encoders:
        as_they_are = bool(wires) and not any(
            isinstance(stage, Rescale | Cut) for wire in wires for stage in wire.stages
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
    """Return all labels that matter: those of the encoders, and what stands for missing."""
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
            f"{feature!r} does not fit the transformers: {fault}. Declare it with space= as it "
            "goes in, with the values that the transformers accept"
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
