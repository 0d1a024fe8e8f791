"""Models: the tree that a command works on, and what the columns are that it speaks of.

In:  ``ModelOptions`` and ``RowsOptions``.
Out: ``Source``: a ``TreeKernel`` of the decision that is taken, or a ``SumKernel``, and rows with
     labels if there are some.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidData, InvalidSpace, InvalidTree, UnreadableModel
from ..form import FORM_FORMAT as FORM, Form, canonical_form, read_form
from ..inputs import read_file
from ..model import Column, Feature, Space, SumKernel, TreeKernel, parse, printable
from ..readers import Nan, Origin, is_xml, knows_onnx, knows_ubj, origin_of, read_model
from .decision import Decision, decision_of
from .fact_file import with_known
from .mistakes import Mistake
from .options import FileOptions, LimitOptions, ModelOptions, ReadOptions, RowsOptions, TableOptions

if TYPE_CHECKING:
    import pandas as pd

    from .judging import AnyJudged

__all__ = [
    "Source",
    "form_of",
    "load_model",
    "loader",
    "loader_of",
    "one_tree",
    "read_space",
    "source_of",
    "source_with_rows",
    "with_inferred_kinds",
]

PICKLES = (".pkl", ".pickle", ".joblib", ".p")


@dataclass(frozen=True)
class Source:
    """A model, what it is called, and rows with their labels if data were given."""

    model: TreeKernel | SumKernel
    name: str
    X: pd.DataFrame | None = None
    y: list[Any] | None = None
    rows_from: str | None = None
    fitted: bool = False
    held_out: tuple[AnyJudged, ...] = ()
    notes: tuple[str, ...] = ()  # how the rows were read that the tree was fitted on
    decision: str = ""  # of what the tree said, in words
    file: Path | None = None  # that the model was read from
    allow_pickle: bool = False

    @property
    def made_by(self) -> Origin | None:
        """Which library made the model; its file is read once more, which a pipe cannot be."""
        if self.file is None or str(self.file) == "-":
            return None
        return _origin(self.file, self.allow_pickle)

    @property
    def tree(self) -> TreeKernel:
        """The model, which must be one tree."""
        return one_tree(self.model, self.name)

    @property
    def ensemble(self) -> SumKernel | None:
        """The model, if it adds up several trees."""
        return self.model if isinstance(self.model, SumKernel) else None

    @property
    def about_rows(self) -> str:
        """Say whether the rows are those that the tree was fitted on; empty without rows."""
        if self.X is None:
            return ""
        rows, tree = printable(str(self.rows_from)), printable(self.name)
        less = "right less often" if self.model.task == "classification" else "further off"
        if self.fitted:
            return f"The tree was fitted on these rows ({rows}): on new rows it is usually {less}."
        what = "tree" if isinstance(self.model, TreeKernel) else "model"
        text = (
            f"The {what} is from {tree}, the rows are from {rows}: if it was fitted "
            f"on them, it is usually {less} on new rows."
        )
        return " ".join([text, *(f"{printable(note)}." for note in self.notes)])

    @property
    def judged(self) -> tuple[AnyJudged, ...]:
        """How the tree does on its rows, and on those that were held out."""
        if self.X is None or self.y is None:
            return ()
        from .judging import judged_on

        rows = "training rows" if self.fitted else f"rows of {self.rows_from}"
        return (judged_on(rows, self.model, self.X, self.y), *self.held_out)

    @property
    def rows_record(self) -> dict[str, Any] | None:
        """The same for JSON; whether a tree of a file was fitted on them is not known: null."""
        if self.X is None:
            return None
        record = {
            "from": self.rows_from,
            "number": len(self.X),
            "tree_fitted_on_them": True if self.fitted else None,
        }
        return {**record, "notes": list(self.notes)} if self.fitted else record

    def decided(self, decision: Decision, *, quiet: bool) -> Source:
        """Give the same with the tree and the labels of a decision, and say which it is."""
        if not decision:
            return self
        from .table import say

        tree = decision.of(self.tree, self.name)
        y = None if self.y is None else decision.labels(self.tree, self.y)
        words = decision.words(tree)
        say([words], quiet=quiet, what="Decision")
        return replace(self, model=tree, y=y, decision=words)


def loader(
    read: ReadOptions, facts: Path | None = None
) -> Callable[[Path], TreeKernel | SumKernel]:
    """Give what reads a model file, and makes of it the decision that is taken."""
    decision = decision_of(read.at, read.cut, read.decisions)
    known = None if read.space is None else read_space(read.space)

    def load(path: Path) -> TreeKernel | SumKernel:
        found = load_model(path, allow_pickle=read.allow_pickle, space=known)
        found = with_known(found, path.name, facts)
        return decision.of(one_tree(found, path.name), path.name) if decision else found

    return load


def source_of(
    model: ModelOptions,
    rows: RowsOptions | TableOptions,
    files: FileOptions,
    *,
    complete: bool = False,
) -> Source:
    """Read the model of a file, and rows for it; it says what is decided by --at or --cut.

    With ``complete``, rows with gaps are left out.
    """
    decision = decision_of(model.at, model.cut, model.decisions)
    if rows.data is None and rows.target is not None:
        raise Mistake("--target names a column of --data, which is not given")
    read = with_known(loader_of(model.model, model)(), model.model.name, model.facts)
    if decision:
        one_tree(read, model.model.name)  # a decision relabels leaves
    source = source_with_rows(
        read, model.model, rows, files, complete=complete, allow_pickle=model.allow_pickle
    )
    return source.decided(decision, quiet=rows.quiet)


def source_with_rows(
    model: TreeKernel | SumKernel,
    path: Path,
    rows: RowsOptions | TableOptions,
    files: FileOptions,
    *,
    complete: bool = False,
    allow_pickle: bool = False,
) -> Source:
    """Give a model of a file with rows for it, if there are some."""
    source = Source(model, name_of(path), file=path, allow_pickle=allow_pickle)
    if rows.data is None:
        return source
    from .rows import complete_rows_for, labelled_rows

    source = replace(source, rows_from=Path(rows.data).name)
    if not complete:
        X, y = labelled_rows(model, rows, files)
        return replace(source, X=X, y=y)
    model, X, y, note = complete_rows_for(model, rows, files)
    return replace(source, model=model, X=X, y=y, notes=(note,) if note else ())


def name_of(path: Path) -> str:
    """Give the name of a model's file, for messages."""
    return "standard input" if str(path) == "-" else path.name


def one_tree(model: TreeKernel | SumKernel, name: str) -> TreeKernel:
    """Refuse what adds up several trees."""
    if isinstance(model, SumKernel):
        raise Mistake(
            f"{name} holds a sum of {len(model.trees):,} trees, and this works on one tree: "
            "predict, explain --row and report take such models"
        )
    return model


def loader_of(path: Path, read: ReadOptions) -> Callable[..., TreeKernel | SumKernel]:
    """Give what reads a model file, over the space of the options or over another one."""
    space = None if read.space is None else read_space(read.space)
    return partial(load_model, path, allow_pickle=read.allow_pickle, space=space)


def form_of(tree: TreeKernel, limits: LimitOptions) -> Form:
    """Give the order-free form, under the limits that were given."""
    return canonical_form(
        tree, limit=limits.limit, time_limit=limits.time_limit, exact=limits.exact
    )


def load_model(
    path: Path, *, allow_pickle: bool = False, space: Space | None = None, nan: Nan = "unknown"
) -> TreeKernel | SumKernel:
    """Read a model out of a file: JSON, skops, PMML, LightGBM's text, ONNX, pickle if allowed.

    ``space`` says what the columns of the table are that the model was fitted on; ``nan`` is that
    of ``orderless.read``.
    """
    if str(path) == "-":
        return _load_standard_input(allow_pickle=allow_pickle, space=space, nan=nan)
    if path.is_dir() and (path / "metadata").is_dir():  # Spark saves models as folders
        return _read_foreign(path, path, space, nan)
    if path.is_dir():
        raise Mistake(f"{path} is a folder: give a JSON or skops file")
    head = read_file(path, first=256)
    if not head:
        raise Mistake(f"{path.name} is empty: give a tree as JSON, or a skops file")
    try:
        if head.startswith(b"PK\x03\x04"):
            from .skopsfile import load_skops

            return _read_foreign(load_skops(path), path, space, nan)
        if head.startswith(b"\x80") or path.suffix.lower() in PICKLES:
            return _read_foreign(_from_pickle(path, allow_pickle), path, space, nan)
        if head.startswith(b"CBM1"):
            return read_model(path, space=space, nan=nan)  # its message says how to save it instead
        if knows_onnx(head) or is_xml(head):  # before it is read: it may be large
            return read_model(path, space=space, nan=nan)
        return _from_text(path, space, nan)
    except (InvalidTree, InvalidSpace, UnreadableModel) as fault:
        name = "" if repr(path.name) in str(fault) else f"{path.name}: "
        raise Mistake(f"{name}{fault}") from fault


def _load_standard_input(**options: Any) -> TreeKernel | SumKernel:
    """Read a model from a pipe, by way of a file: some formats are read by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "standard input"
        path.write_bytes(sys.stdin.buffer.read())
        return load_model(path, **options)


def _origin(path: Path, allow_pickle: bool) -> Origin:
    """Say which library made the model of a file that has been read before."""
    if path.is_dir():
        return origin_of(path)
    with path.open("rb") as handle:
        head = handle.read(64)
    if head.startswith(b"PK\x03\x04"):
        from .skopsfile import load_skops

        return origin_of(load_skops(path))
    if head.startswith(b"\x80") or path.suffix.lower() in PICKLES:
        return origin_of(_from_pickle(path, allow_pickle))
    return origin_of(path)


def _read_foreign(model: Any, path: Path, space: Space | None, nan: Nan) -> TreeKernel | SumKernel:
    """Read a model whose attributes came out of a file, so that any of them may be anything."""
    try:
        return read_model(model, space=space, nan=nan)
    except (InvalidTree, InvalidSpace, UnreadableModel, MemoryError):
        raise
    except Exception as fault:
        raise Mistake(
            f"{path.name} holds a damaged {type(model).__qualname__} ({type(fault).__name__}: "
            f"{fault!s:.200}): fit or save it again"
        ) from fault


def _from_text(path: Path, space: Space | None, nan: Nan) -> TreeKernel | SumKernel:
    content = read_file(path).removeprefix(b"\xef\xbb\xbf")
    if knows_ubj(content):
        return read_model(path, space=space, nan=nan)
    if not content.lstrip().startswith(b"{") and not content.startswith(b"tree\n"):
        raise Mistake(
            f"{path.name} is neither JSON nor a skops file nor PMML: write a tree with "
            "tree.to_json() or skops.io.dump(model, file); orderless fit makes one of a table"
        )
    if f'"{FORM}"'.encode() in content[:200]:
        tree = read_form(content).tree
        return tree if space is None else tree.over(space)
    try:
        return read_model(content.decode("utf-8"), space=space, nan=nan)
    except UnicodeDecodeError as fault:
        raise Mistake(f"{path.name} is not UTF-8 text: {fault}") from None


def _from_pickle(path: Path, allowed: bool) -> Any:
    if not allowed:
        raise Mistake(
            f"{path.name} is a pickle, and a pickle runs whatever code its author put into it the "
            "moment it is opened: if you made it yourself, add --allow-pickle; safer is to save "
            "the model with skops.io.dump, or as JSON with orderless.read(model).to_json()"
        )
    import joblib

    try:
        return joblib.load(path)
    except Exception as fault:  # anything can happen in there
        raise Mistake(f"{path.name} cannot be opened: {type(fault).__name__}: {fault}") from fault


# -- spaces ----------------------------------------------------------------------------------------


def read_space(path: Path) -> Space:
    """Read a space: as it is in the JSON of a tree, or names and their kinds."""
    try:
        given = parse(read_file(path).removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
        if not isinstance(given, dict):
            raise InvalidSpace('expected an object such as {"age": "integer", "ward": ["a", "b"]}')
        given = given.get("space", given) if "format" in given else given
        return Space.from_dict(given) if isinstance(given.get("features"), list) else Space(given)
    except UnicodeDecodeError as fault:
        raise Mistake(f"{path.name} is not UTF-8 text: {fault}") from None
    except (InvalidSpace, InvalidTree, TypeError) as fault:
        raise Mistake(f"{path.name} does not describe a space: {fault}") from fault


def with_inferred_kinds(
    load: Callable[..., TreeKernel | SumKernel], data: TableOptions, files: FileOptions
) -> TreeKernel | SumKernel:
    """Read a model once more, over the kinds that ``Space.infer`` proposes from the data.

    ``load`` reads the model over a space. One-hot columns become one feature where the model can be
    read so; a tree that is stored over features of its own keeps them.
    """
    model = load()
    try:
        return load(space=_inferred(model, data, files, one_hot=True))
    except Mistake:
        return load(space=_inferred(model, data, files, one_hot=False))


def _inferred(
    tree: TreeKernel | SumKernel, data: TableOptions, files: FileOptions, *, one_hot: bool
) -> Space:
    """Narrow the tree's own space by what the data say of its columns."""
    import pandas as pd

    from .rows import frame_for
    from .summary import read_table

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
    return Space(list(features.values()), columns, facts=own.facts)


def _narrower(known: Feature, column: Column, kind: Feature) -> bool:
    """Whether a proposal says more of a column of numbers than the model does."""
    plain = known.kind == "numeric" or (known.kind == "boolean" and kind.kind == "categorical")
    return plain and column.condition is None and (kind.kind != "numeric" or kind.whole)
