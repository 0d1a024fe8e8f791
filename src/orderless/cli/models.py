"""Models: the tree that a command works on.

In:  ``ModelOptions`` and ``DataOptions``.
Out: ``Source``: a ``Tree``, and rows with labels if there are some.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..canonical import CanonicalForm, canonicalize
from ..errors import InvalidSpace, InvalidTree, UnreadableModel
from ..formfile import FORMAT as FORM
from ..readers import read_tree
from ..tree import Tree
from ..words import printable
from .mistakes import Mistake, some
from .options import DataOptions, FileOptions, LimitOptions, ModelOptions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Source", "form_of", "load_model", "source_of"]

PICKLES = (".pkl", ".pickle", ".joblib", ".p")
# What a skops file may hold beyond skops' own list of harmless types.
TRUSTED = frozenset(
    {
        "sklearn.tree._tree.Tree",
        "orderless.binarize.QuantileBinarizer",
        "orderless.binarize.ThresholdGuessBinarizer",
        "orderless.space.Column",
        "orderless.space.Condition",
        "orderless.space.Feature",
        "orderless.space.Space",
    }
)


@dataclass(frozen=True)
class Source:
    """A tree, what it is called, and rows with their labels if data were given."""

    tree: Tree
    name: str
    X: pd.DataFrame | None = None
    y: list[Any] | None = None
    rows_from: str | None = None
    fitted: bool = False

    @property
    def about_rows(self) -> str:
        """Say whether the rows are those that the tree was fitted on; empty without rows."""
        if self.X is None:
            return ""
        rows, tree = printable(str(self.rows_from)), printable(self.name)
        if self.fitted:
            return (
                f"The tree was fitted on these rows ({rows}): on new rows it is usually "
                "right less often."
            )
        return (
            f"The tree is from {tree}, the rows are from {rows}: if it was fitted "
            "on them, it is usually right less often on new rows."
        )

    @property
    def rows_record(self) -> dict[str, Any] | None:
        """The same for JSON; whether a tree of a file was fitted on them is not known: null."""
        if self.X is None:
            return None
        return {
            "from": self.rows_from,
            "number": len(self.X),
            "tree_fitted_on_them": True if self.fitted else None,
        }


def source_of(
    model: ModelOptions, data: DataOptions, files: FileOptions, *, complete: bool = False
) -> Source:
    """Read the tree of a file, or fit one on the data.

    With ``complete``, rows with gaps are refused, or left out on request.
    """
    if data.data is None and data.target is not None:
        raise Mistake("--target names a column of --data, which is not given")
    if model.model is not None:
        _refuse_fitting(data, model.model, () if not complete else ("drop_incomplete",))
        tree = load_model(model.model, allow_pickle=model.allow_pickle)
        if data.data is None:
            return Source(tree, model.model.name)
        from .training import complete_rows_for, rows_for

        if complete:
            tree, X, y = complete_rows_for(tree, data, files)
        else:
            X, y = rows_for(tree, data, files)
        return Source(tree, model.model.name, X, y, Path(data.data).name)
    if data.data is None:
        raise Mistake(
            "there is no tree: give a model file, or data to fit one on "
            "(--data patients.csv --target diagnosis)"
        )
    from .training import fit

    fitted = fit(data, files)
    return Source(fitted.tree, fitted.name, fitted.X, fitted.y, fitted.name, fitted=True)


def _refuse_fitting(data: DataOptions, model: Path, legal: tuple[str, ...]) -> None:
    """Refuse options that would do nothing, since nothing is fitted."""
    for field in fields(data):
        if field.name in ("data", "target", *legal):
            continue
        if getattr(data, field.name) != field.default:
            option = "--" + field.name.replace("_", "-")
            raise Mistake(
                f"{option} is for fitting a tree, and this one comes from {model.name}: leave out "
                "one of the two"
            )


def form_of(tree: Tree, limits: LimitOptions) -> CanonicalForm:
    """Give the order-free form, under the limits that were given."""
    return canonicalize(tree, limit=limits.limit, time_limit=limits.time_limit, exact=limits.exact)


def load_model(path: Path, *, allow_pickle: bool = False) -> Tree:
    """Read a tree out of a file: JSON, skops, and pickle if that is allowed."""
    if path.is_dir():
        raise Mistake(f"{path} is a folder: give a JSON or skops file")
    with path.open("rb") as handle:
        head = handle.read(64)
    if not head:
        raise Mistake(f"{path.name} is empty: give a tree as JSON, or a skops file")
    try:
        if head.startswith(b"PK\x03\x04"):
            return read_tree(_from_skops(path))
        if head.startswith(b"\x80") or path.suffix.lower() in PICKLES:
            return read_tree(_from_pickle(path, allow_pickle))
        return _from_json(path)
    except (InvalidTree, InvalidSpace, UnreadableModel) as fault:
        raise Mistake(f"{path.name}: {fault}") from fault


def _from_json(path: Path) -> Tree:
    content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if not content.lstrip().startswith(b"{"):
        raise Mistake(
            f"{path.name} is neither JSON nor a skops file: write a tree with tree.to_json() or "
            "skops.io.dump(model, file); to fit one on a table, give it as --data"
        )
    if f'"{FORM}"'.encode() in content[:200]:
        return CanonicalForm.from_json(content).tree
    try:
        return read_tree(content.decode("utf-8"))
    except UnicodeDecodeError as fault:
        raise Mistake(f"{path.name} is not UTF-8 text: {fault}") from None


def _from_skops(path: Path) -> Any:
    try:
        import skops.io
    except ImportError:
        raise Mistake(
            f"{path.name} looks like a skops file, and reading those needs skops: "
            "pip install 'orderless[skops]'"
        ) from None
    try:
        strange = sorted(set(skops.io.get_untrusted_types(file=path)) - TRUSTED)
    except Exception as fault:  # a zip file of another kind, or a broken one
        raise Mistake(f"{path.name} is not a complete skops file: {fault}") from None
    if strange:
        raise Mistake(
            f"{path.name} holds {some(strange)}, which is not part of a decision tree of "
            "scikit-learn or of orderless, and is not loaded: save the tree alone, or its pipeline"
        )
    import sklearn.tree  # noqa: F401  the reader looks whether the library is loaded

    return skops.io.load(path, trusted=sorted(TRUSTED))


def _from_pickle(path: Path, allowed: bool) -> Any:
    if not allowed:
        raise Mistake(
            f"{path.name} is a pickle, and a pickle runs whatever code its author put into it the "
            "moment it is opened: if you made it yourself, add --allow-pickle; safer is to save "
            "the model with skops.io.dump, or as JSON with orderless.read_tree(model).to_json()"
        )
    import joblib

    try:
        return joblib.load(path)
    except Exception as fault:  # anything can happen in there
        raise Mistake(f"{path.name} cannot be opened: {type(fault).__name__}: {fault}") from fault
