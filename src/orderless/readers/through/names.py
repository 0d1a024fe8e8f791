"""The names of the columns that went into a transformer.

In:  a fitted transformer of scikit-learn; a space, names, if the caller gives them.
Out: the names, once everybody means the same columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InvalidSpace, UnreadableModel, a_kind
from ...model import Space
from ..checks import whole_number
from ..table import numbered_names

__all__ = ["is_passthrough", "own_space", "source_names"]


def source_names(
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
    return None if is_passthrough(transformer) else transformer


def _learned(transformer: Any, attribute: str) -> Any:
    from sklearn.pipeline import FeatureUnion

    first = _first(transformer)
    found = getattr(first, attribute, None)
    if found is None and isinstance(first, FeatureUnion):
        parts = (_learned(part, attribute) for _, part in first.transformer_list if part != "drop")
        found = next((part for part in parts if part is not None), None)
    return found


def own_space(transformer: Any, names: Sequence[str]) -> Space | None:
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


def is_passthrough(transformer: Any) -> bool:
    """Whether a step does nothing."""
    return transformer is None or (isinstance(transformer, str) and transformer == "passthrough")
