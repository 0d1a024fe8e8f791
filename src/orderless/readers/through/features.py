"""The features that go into transformers: of which kind they are, and what becomes of them.

In:  the ``Wire``s that start at a source column.
Out: its ``Feature``; and, for each wire, the ``SourceColumn`` that the model gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import UnreadableModel
from ...inputs import is_unknown
from ...model import Feature, Label, Space, Values, plain_label
from ..table import Nan
from .column import SourceColumn
from .stage import Cell, Encode, Fill, Flag, Other, Pass, Refused, Rescale, Wire, as_number

__all__ = ["resolve", "source_feature"]


def source_feature(name: str, wires: Sequence[Wire], nan: Nan, values: Values) -> Feature:
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


def resolve(wire: Wire, start: SourceColumn, space: Space) -> SourceColumn:
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
