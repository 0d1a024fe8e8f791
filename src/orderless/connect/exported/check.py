"""Exports, proven: whether an artifact decides every row as the model that it was made from.

In:  a model, and an artifact of any format that is read.
Out: ``ExportCheck``: proven, or the row on which the two differ and what the artifact's own engine
     says of it.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...errors import InvalidParameter, UnreadableModel
from ...inputs import column_value
from ...model import (
    TIME_LIMIT,
    Label,
    SumKernel,
    TreeKernel,
    any_value,
    in_budget,
    label_text,
    printable,
    short_number,
)
from ...questions import ModelPair, answer_of, counterexample, plain_row
from ...readers import Nan, extra_results, opened, read_model, required_columns
from .alike import made_up, widened, without_missing
from .engines import run_artifact, run_results, run_source
from .unknowns import Difference, TooMany, difference_of_unknowns

__all__ = ["ExportCheck", "check_export"]

LISTED = 8
ROUNDED = (
    "Sums are compared without rounding: a row that is nearer to a tie than the libraries round "
    "may still differ."
)
INCOMPLETE = (
    "Rows that lack a value were not compared: the artifact says that they are not complete, "
    "and that its answer means nothing."
)


@dataclass(frozen=True, eq=False, repr=False)
class ExportCheck:
    """Whether an artifact decides as its source; true if that is proven.

    Attributes
    ----------
    proven : bool
        Whether both give every row the same answer; otherwise they differ on ``row``.
    row : dict or None
        A row, by feature, on which they differ.
    source, artifact : label or number, or a tuple of them
        What the source and the artifact say of it, as they are read. Where a result other than the
        answer differs: the possible classes, or the least and the largest number.
    result : str
        "answer", or the name of the result of an ONNX model that differs: "possible", "lower" or
        "upper", for rows with unknown values, which are None in ``row``.
    engine : str
        The artifact's own engine, with its version.
    engine_answer : label, number or None
        What the engine says of the row; None if it was not asked, ``engine_note`` says why.
    source_answer : label, number or None
        What the source's own library says of the row, where the source is a live model.
    largest_difference : float or None
        For numbers: what no two of them differ by more, proven; None if it was not found.
    missing : bool
        Whether missing values were among what was compared.
    notes : tuple of str
        What was assumed.
    """

    proven: bool
    row: dict[str, Any] | None = None
    source: Label | tuple[Label, ...] | None = None
    artifact: Label | tuple[Label, ...] | None = None
    engine: str = ""
    engine_answer: Label | tuple[Label, ...] | None = None
    engine_note: str = ""
    source_answer: Label | tuple[Label, ...] | None = None
    largest_difference: float | None = None
    missing: bool = False
    notes: tuple[str, ...] = ()
    result: str = "answer"

    def __bool__(self) -> bool:
        return self.proven

    @property
    def verdict(self) -> str:
        """Say who is right about the row, by the engine's own answer."""
        if self.row is None or self.engine_answer is None:
            why = f" ({self.engine_note})" if self.engine_note else ""
            return "" if self.row is None else f"The artifact's own engine was not asked{why}."
        said = f"{self.engine} itself says {_shown(self.engine_answer)}"
        if _same(self.engine_answer, self.artifact):
            return f"{said}: the artifact decides this row differently from its source."
        if _same(self.engine_answer, self.source):
            return f"{said}, as the source does: the artifact was read wrongly here; report this."
        return f"{said}, which is neither; the artifact was read wrongly here; report this."

    def __str__(self) -> str:
        with_gaps = "missing values included" if self.missing else "complete rows"
        if self.proven:
            if self.largest_difference:
                head = f"Proven: no number differs by more than {self.largest_difference:.3g}"
            else:
                head = "Proven: the artifact decides every row as its source"
            lines = [f"{head} ({with_gaps})."]
        else:
            row = self.row or {}
            some = ", ".join(f"{printable(n)} = {_shown(v)}" for n, v in list(row.items())[:LISTED])
            more = ", ..." if len(row) > LISTED else ""
            where = "" if self.result == "answer" else f" in the result {self.result!r}"
            lines = [
                f"Different{where}: with {some}{more} the source says {_shown(self.source)} and "
                f"the artifact {_shown(self.artifact)}.",
                self.verdict,
            ]
            if self.source_answer is not None and not _same(self.source_answer, self.source):
                lines.append(
                    f"The source's own library says {_shown(self.source_answer)}: it was read "
                    "wrongly here; report this."
                )
            if self.largest_difference is not None:
                lines.append(f"No number differs by more than {self.largest_difference:.3g}.")
        return "\n".join([*lines, *(n for n in self.notes if self.proven or n != ROUNDED)])

    def __repr__(self) -> str:
        return f"ExportCheck({'proven' if self.proven else 'different'})"

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in str(self).splitlines())
        return f'<div class="orderless-proof">{lines}</div>'

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "proven": self.proven,
            "row": None if self.row is None else plain_row(self.row),
            "result": self.result,
            "source": _plain(self.source),
            "artifact": _plain(self.artifact),
            "engine": self.engine or None,
            "engine_answer": _plain(self.engine_answer),
            "source_answer": _plain(self.source_answer),
            "largest_difference": self.largest_difference,
            "missing": self.missing,
            "text": str(self),
        }


@in_budget
def check_export(
    model: Any,
    artifact: Any,
    *,
    floats: Literal["float64", "float32"] = "float64",
    missing: bool = True,
    tolerance: float = 0.0,
    time_limit: float | None = TIME_LIMIT,
) -> ExportCheck:
    """Prove that an export decides every row as the model that it was made from.

    The artifact is read back and compared with the model for every row there can be, missing values
    included where both have learned what to do with them. Where they differ, the artifact's own
    engine (onnxruntime, JPMML) is run on the row that was found. What an ONNX model of
    ``Tree.to_onnx`` says of rows with unknown values is proven, too, for all patterns of gaps.

    Parameters
    ----------
    model : Tree, Ensemble, or any model or file that ``read`` knows
    artifact : the same
        Bytes or the path of a file, ``onnx.ModelProto``, a model of another library. Features
        compare by name, or by place where the artifact has no names.
    floats : "float64" or "float32"
        Which numbers rows hold. A model that takes float64 and an artifact that takes float32 can
        agree on all float32 and differ on a float64 that is rounded across a threshold.
    missing : bool
        Whether rows with missing values are compared, where both models say what they do with
        them; otherwise complete rows only.
    tolerance : float
        For numbers: by how much they may differ and still count as the same.
    time_limit : float
        Seconds in all, where one of them is an ensemble.

    Returns
    -------
    ExportCheck
        True if it is proven.

    Raises
    ------
    Undecided
        If neither a proof nor a row was found in time.

    Notes
    -----
    For two trees cost grows with pairs of leaves that meet; for ensembles see ``equivalent``, whose
    yes is about sums without rounding. Where both add the same trees in the same order and
    precision, the yes is about every bit.

    Where an artifact of ours says of a row that it is not ``complete``, its answer means nothing
    and is not compared.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = ol.read({"feature": "age", "relation": "<=", "reference": 25,
    ...     "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}},
    ...     feature_names=["age"])
    >>> print(ol.check_export(tree, tree.to_json()))
    Proven: the artifact decides every row as its source (complete rows).
    >>> print(ol.check_export(tree, tree.to_json().replace("25.0", "24.0")))
    Different: with age = 25 the source says refuse and the artifact grant.
    The artifact's own engine was not asked (it is not a live model of a library).
    """
    if floats not in ("float64", "float32"):
        raise InvalidParameter(
            f"floats must be 'float64' or 'float32', got {floats!r:.80}", "floats"
        )
    if not tolerance >= 0 or math.isinf(tolerance):
        raise InvalidParameter(
            f"tolerance must be a number of at least 0, got {tolerance!r:.80}", "tolerance"
        )
    artifact = opened(artifact)
    nan: Nan = "value" if missing else "unknown"
    gaps = missing
    source = read_model(model, nan=nan)
    read, notes = _read(artifact, source, nan)
    required = {read.space.columns[i].feature for i in required_columns(artifact)}
    if missing and required:
        source, read = without_missing(source, required), without_missing(read, required)
        notes = (*notes, INCOMPLETE)
    one, other = _alike(source, read, floats)
    asked = {*one.features, *other.features}
    missing = any(
        f.nan and f.name in asked and f.name in other.space and other.space[f.name].nan
        for f in one.space.features
    )
    if _rounds(one, other):
        notes = (*notes, ROUNDED)
    row = counterexample(one, other, time_limit=time_limit)
    if row is None:
        proven = ExportCheck(True, missing=missing, notes=notes)
        return _with_unknowns(proven, one, other, artifact, gaps, floats)
    largest = None
    if source.task == "regression":
        largest = ModelPair(one, other).sums().largest_difference()
    if largest is not None and largest <= tolerance:
        proven = ExportCheck(True, largest_difference=largest, missing=missing, notes=notes)
        return _with_unknowns(proven, one, other, artifact, gaps, floats)
    run = run_artifact(artifact, _columns(read, row))
    live = run_source(model, _columns(source, row))
    return ExportCheck(
        proven=False,
        row=row,
        source=_says(one, row),
        artifact=_says(other, row),
        engine=run.engine,
        engine_answer=run.answer,
        engine_note=run.why,
        source_answer=live.answer,
        largest_difference=largest,
        missing=missing,
        notes=notes,
    )


def _rounds(one: TreeKernel | SumKernel, other: TreeKernel | SumKernel) -> bool:
    """Whether sums that are the same may come out differently, as the libraries round."""
    if not any(isinstance(m, SumKernel) and m.whole.slack.any() for m in (one, other)):
        return False
    return not ModelPair(one, other).sums().is_same_to_the_bit


def _read(
    artifact: Any, source: TreeKernel | SumKernel, nan: Nan
) -> tuple[TreeKernel | SumKernel, tuple[str, ...]]:
    """Read an artifact, with the names and labels of its source where it has none of its own."""
    notes = []
    try:
        read = read_model(artifact, nan=nan)
    except UnreadableModel:  # PMML that gives no prediction where values are missing, for one
        if nan == "unknown":
            raise
        nan = "unknown"
        read = read_model(artifact, nan=nan)
        notes.append(
            "The artifact does not give every row with missing values a prediction: complete rows "
            "were compared."
        )
    names = source.space.column_names
    if made_up(read.space) and not made_up(source.space) and len(names) == len(read.space):
        read = read_model(artifact, nan=nan, feature_names=list(names))
        notes.append("The artifact has no names of columns: they were compared by place.")
    return read, tuple(notes)


def _with_unknowns(
    proven: ExportCheck,
    source: TreeKernel | SumKernel,
    read: TreeKernel | SumKernel,
    artifact: Any,
    gaps: bool,
    floats: str,
) -> ExportCheck:
    """Compare the results of an ONNX model that are about rows with unknown values, too."""
    extra = extra_results(artifact)
    if not extra:
        return proven
    named = f"The extra results {' and '.join(map(repr, extra))}"
    said = "were not compared: they are not made as to_onnx makes them."
    if source.space.domain.restricts:
        said = "were not compared: they know nothing of the facts of the source."
    elif isinstance(read, TreeKernel):
        try:
            found = difference_of_unknowns(
                source, read, artifact, gaps=gaps, single=floats == "float32",
                near=bool(proven.largest_difference),
            )  # fmt: skip
        except TooMany:
            found, said = False, "were not compared: that would take too long."
        if isinstance(found, Difference):
            return _different_unknowns(proven, found, read, artifact)
        if found:
            rows = "every row with unknown values" if gaps else "complete rows"
            said = f"were compared, too, and are right for {rows}."
    return replace(proven, notes=(*proven.notes, f"{named} {said}"))


def _different_unknowns(
    proven: ExportCheck, found: Difference, read: TreeKernel, artifact: Any
) -> ExportCheck:
    """Ask the engine about a row with unknown values."""
    row = {name: found.row.get(name, any_value(read.space[name])) for name in read.space.names}
    for feature in read.space.features:
        if row[feature.name] is None and "" in feature.categories:
            row[feature.name] = "(unknown)"  # as to_onnx has it where "" is a category
    run = run_results(artifact, row, found.result, read.classes)
    return replace(
        proven,
        proven=False,
        row=found.row,
        source=found.source,
        artifact=found.artifact,
        engine=run.engine,
        engine_answer=run.answer,
        engine_note=run.why,
        result=found.result,
    )


def _alike(
    source: TreeKernel | SumKernel, read: TreeKernel | SumKernel, floats: str
) -> tuple[TreeKernel | SumKernel, TreeKernel | SumKernel]:
    """Let both take the rows of the source: float64, where only one of them rounds to float32."""
    if floats == "float32":
        return source, read
    apart = [f.name for f in source.space.features
             if f.name in read.space and f.ordered and read.space[f.name].ordered
             and f.values != read.space[f.name].values]  # fmt: skip
    return widened(source, apart), widened(read, apart)


def _columns(model: TreeKernel | SumKernel, row: dict[str, Any]) -> dict[str, Any]:
    space = model.space
    return {c.name: column_value(space, c, row[c.feature]) for c in space.columns}


def _says(model: TreeKernel | SumKernel, row: dict[str, Any]) -> Label:
    answer: Label = answer_of(model, row)
    return answer


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and a != a and b != b)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return " or ".join(map(_shown, value)) or "nothing"
    if value is None:
        return "missing"
    if isinstance(value, float):
        return "missing" if math.isnan(value) else short_number(value)
    return label_text(value) if isinstance(value, str) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)
