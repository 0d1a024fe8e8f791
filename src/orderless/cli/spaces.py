"""Spaces: what the columns are that a model file speaks of.

In:  ``--space FILE``, or ``--infer-kinds`` and data.
Out: ``Space``, for ``load_model``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import InvalidData, InvalidSpace, InvalidTree
from ..model import Column, Feature, Space, Tree, parse
from .cells import frame_for
from .mistakes import Mistake
from .options import DataOptions, FileOptions

__all__ = ["read_space", "with_inferred_kinds"]


def read_space(path: Path) -> Space:
    """Read a space: as it is in the JSON of a tree, or names and their kinds."""
    try:
        given = parse(path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
        if not isinstance(given, dict):
            raise InvalidSpace('expected an object such as {"age": "integer", "ward": ["a", "b"]}')
        given = given.get("space", given) if "format" in given else given
        return Space.from_dict(given) if isinstance(given.get("features"), list) else Space(given)
    except UnicodeDecodeError as fault:
        raise Mistake(f"{path.name} is not UTF-8 text: {fault}") from None
    except (InvalidSpace, InvalidTree, TypeError) as fault:
        raise Mistake(f"{path.name} does not describe a space: {fault}") from fault


def with_inferred_kinds(
    tree: Tree, load: Callable[[Space], Tree], data: DataOptions, files: FileOptions
) -> Tree:
    """Read a tree once more, over the kinds that ``Space.infer`` proposes from the data.

    ``load`` reads the model over a space. One-hot columns become one feature where the model can be
    read so; a tree that is stored over features of its own keeps them.
    """
    try:
        return load(_inferred(tree, data, files, one_hot=True))
    except Mistake:
        return load(_inferred(tree, data, files, one_hot=False))


def _inferred(tree: Tree, data: DataOptions, files: FileOptions, *, one_hot: bool) -> Space:
    """Narrow the tree's own space by what the data say of its columns."""
    import pandas as pd

    from .summary import read_table

    if data.data is None:
        raise Mistake("--infer-kinds judges by the data, which are not given: add --data FILE")
    table = read_table(data, files)
    part, name = table.part, table.name
    frames = []
    for feature in tree.space.names:
        with suppress(InvalidData):  # the table does not have it, or has something else there
            frames.append(frame_for(tree, part, name, (feature,), style=table.style))
    X = pd.concat(frames, axis=1) if frames else pd.DataFrame()
    if X.empty:
        raise Mistake(
            f"{name} has none of the columns of the tree, so nothing can be inferred from it"
        )
    return _narrowed(tree.space, Space.infer(X, one_hot=one_hot))


def _narrowed(own: Space, proposed: Space) -> Space:
    features: dict[str, Feature] = {}
    columns: list[Column] = []
    proposals = {column.name: column for column in proposed.columns}
    for column in own.columns:
        known = own[column.feature]
        new = proposals.get(column.name)
        kind = proposed[new.feature] if new is not None else known
        if new is None or not _narrower(known, column, kind):
            new, kind = column, known
        features[new.feature] = kind
        columns.append(new)
    return Space(list(features.values()), columns)


def _narrower(known: Feature, column: Column, kind: Feature) -> bool:
    """Whether a proposal says more of a column of numbers than the model does."""
    plain = known.kind == "numeric" or (known.kind == "boolean" and kind.kind == "categorical")
    return plain and column.condition is None and (kind.kind != "numeric" or kind.whole)
