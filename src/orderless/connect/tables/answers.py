"""What a model says of the rows of a table, part by part.

In:  a tree or an ensemble, an open table, and ``Part``s of it.
Out: the new columns, each as its different values (``Coded``); categories that the tree does not
     know, counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from ...errors import InvalidData, OutOfTime, TooManyReasons, Undecided, setting
from ...inputs import EXACT, NOT_GIVEN, CellStyle, arrow_floats, read_codes, read_columns
from ...model import CODE, CoreColumn, Rows, SumKernel, TreeKernel
from ...questions import (
    CERTAIN,
    IMPOSSIBLE,
    OPEN,
    Settling,
    asked_features,
    needed_for,
    number_bounds,
    predict,
    verdicts_of,
)
from .cells import Unseen, parser_of, read_cells, wanted_columns
from .part import Coded, Part
from .table import TableFile

__all__ = ["Answers"]


class Answers:
    """Reads parts of a table, and says what the new columns are."""

    def __init__(
        self,
        tree: TreeKernel | SumKernel,
        table: TableFile,
        needed: str | None,
        *,
        interval: bool,
        tolerance: float | None,
        refuse_unseen: bool,
        n_jobs: int,
    ) -> None:
        self.tree, self.table, self.style, self.n_jobs = tree, table.name, table.style, n_jobs
        self.interval, self.tolerance, self.refuse_unseen = interval, tolerance, refuse_unseen
        self.counts = np.zeros(len(tree.classes), dtype=np.int64)  # of rows, by class
        self.n_certain = 0
        self.n_narrow = 0  # rows with an interval that is as narrow as asked for
        self.n_undecided = 0  # neither certain nor open, of many trees
        self.unseen: dict[str, Unseen] = {}
        wanted = wanted_columns(tree, table.columns, table.name)
        self.parsers = {name: parser_of(tree.space, name, table.style) for name in wanted}
        self.codes: dict[str, int] = {}  # columns that alone say the category of a feature
        self.rounds: set[str] = set()  # columns of numbers that the tree rounds to float32
        by_name = {column.name: column.feature for column in tree.space.columns}
        for name in wanted:
            i = tree.space.index(by_name.get(name, name))
            feature = tree.space.features[i]
            if self.parsers[name].numeric:
                self.rounds |= {name} if feature.values == "float32" else set()
            elif sum(by_name.get(other, other) == feature.name for other in wanted) == 1:
                self.codes[name] = i
        self.needed = needed
        self.settling = None
        if isinstance(tree, TreeKernel) and needed == "smallest":
            self.settling = Settling(tree, tolerance=tolerance)

    def of(self, part: Part) -> list[Coded]:
        """Give the new columns."""
        rows = self._rows(part)
        codes, truth = self._decided(rows)
        self.counts += np.bincount(codes[codes >= 0], minlength=len(self.counts))
        self.n_certain += int((truth == 0).sum())
        self.n_undecided += int((truth == 2).sum())
        labels = Coded(list(self.tree.classes), codes, [str(label) for label in self.tree.classes])
        open_rows, out = truth != 0, [labels]
        if self.interval:
            out, wide = self._numbers(rows)
            if self.tolerance is not None:
                open_rows &= wide
        out.append(Coded([True, False, None], truth, ["yes", "no", "undecided"]))
        at = np.flatnonzero(open_rows)
        index = np.full(len(codes), -1, dtype=np.int64)
        if self.needed == "smallest":
            sets, index[at] = self._smallest(rows, at)
            out.append(Coded(sets, index, ["; ".join(one) for one in sets]))
        elif self.needed == "next":
            index[at] = self._next(rows, at)
            asked = list(self.tree.space.names)
            out.append(Coded([(name,) for name in asked], index, asked))
        return out

    def _decided(self, rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Give by row its class, -1 for none; and 0 if it is certain, 1 if open, 2 if undecided."""
        found = verdicts_of(self.tree, rows, self.n_jobs)
        late = (found.status > OPEN) & (found.status != IMPOSSIBLE)
        return found.label, np.where(late, 2, found.status != CERTAIN).astype(np.int8)

    def _next(self, rows: Rows, at: NDArray[np.intp]) -> NDArray[Any]:
        """Give the feature to ask next, by its position."""
        tolerance = self.tolerance if isinstance(self.tree, TreeKernel) else None
        return asked_features(self.tree, rows, at, tolerance=tolerance, n_jobs=self.n_jobs)

    def _numbers(self, rows: Rows) -> tuple[list[Coded], NDArray[np.bool_]]:
        """Give the number, or the midpoint of a narrow interval, and the ends of the interval.

        Also where it is too wide.
        """
        lower, upper, _ = number_bounds(self.tree, rows, self.n_jobs)
        middle = predict(
            self.tree,
            rows,
            tolerance=self.tolerance or 0,
            n_jobs=self.n_jobs,
        )
        mask = np.ma.getmaskarray(middle)
        self.n_narrow += int((~mask).sum())
        columns = [_coded_numbers(np.ma.getdata(middle), mask), _coded_numbers(lower),
                   _coded_numbers(upper)]  # fmt: skip
        return columns, mask

    def _smallest(self, rows: Rows, at: NDArray[np.intp]) -> tuple[list[Any], NDArray[np.intp]]:
        """Give sets of names, and for each of these rows which of them it needs."""
        try:
            if self.settling is not None:
                return self.settling.sets(rows, at)
            assert isinstance(self.tree, SumKernel)
            number: dict[tuple[str, ...], int] = {}
            out = np.zeros(len(at), dtype=np.intp)
            for k, i in enumerate(at):
                settle = needed_for(self.tree, rows.take(np.array([i])), time_limit=60.0).settle
                out[k] = number.setdefault(settle[0], len(number)) if settle else -1
            return list(number), out
        except (TooManyReasons, OutOfTime, Undecided) as fault:
            long = f"too long to find ({fault})"
            if self.settling is not None:
                long = f"more than {self.settling.limit:,} steps to find"
            raise TooManyReasons(
                f"which smallest set of features settles a row of {self.table} takes {long}: "
                f"choose {setting('needed', 'next')} (one feature to ask) or "
                f"{setting('needed', None)}",
                getattr(fault, "met", 0),
            ) from None

    # -- reading ----------------------------------------------------------------------------------

    def _rows(self, part: Part) -> Rows:
        """Read a part: columns of numbers at once, all others by their different cells.

        Whether numbers are what their features allow is checked by ``read_columns``. Only where
        it refuses some, every cell is looked at, to say which one, and in which row.
        """
        columns: dict[str, NDArray[Any]] = {}
        coded_features: dict[int, NDArray[np.int32]] = {}
        quick: list[str] = []
        for name, parser in self.parsers.items():
            if not parser.numeric:
                known = self._known(part, name)
                if name in self.codes:
                    coded_features[self.codes[name]] = self._codes(name, known)
                else:
                    columns[name] = _objects(known.values)[known.index]
                continue
            values = _numbers(part.columns[name], name, self.style, name in self.rounds)
            if values is not None:
                quick.append(name)
            columns[name] = self._parsed(part, name) if values is None else values
        connected = self.tree.connected if isinstance(self.tree, TreeKernel) else ()
        left = [i for i in {*self.tree.used, *connected} if i not in coded_features]
        try:
            rows = read_columns(columns.get, part.n_rows, self.tree.space, left)
        except InvalidData as fault:
            for name in quick:
                self._parsed(part, name)
            if fault.row is None:
                raise
            where = f"row {part.first + fault.row:,} of {self.table}"
            raise InvalidData(str(fault).replace(f"row {fault.row}", where, 1)) from None
        for i, codes in coded_features.items():
            rows.columns[i] = CoreColumn(CODE, codes)
        return rows

    def _parsed(self, part: Part, name: str) -> NDArray[np.float64]:
        """Read a column of numbers cell by cell."""
        known = self._known(part, name)
        numbers: NDArray[np.float64] = np.array(known.values, dtype=np.float64)[known.index]
        return numbers

    def _codes(self, name: str, known: Coded) -> NDArray[np.int32]:
        feature = self.tree.space.features[self.codes[name]]
        any_value = np.array([value is NOT_GIVEN for value in known.values], dtype=bool)
        codes = read_codes(feature, _objects(known.values))
        by_row: NDArray[np.int32] = np.where(any_value, np.int32(-1), codes)[known.index]
        return by_row

    def _known(self, part: Part, name: str) -> Coded:
        unseen = None if self.refuse_unseen else self.unseen
        return read_cells(
            part.columns[name], self.parsers[name], name, self.table, part.first, unseen
        )


def _coded_numbers(column: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> Coded:
    numbers, index = np.unique(column, return_inverse=True)
    values = numbers.tolist()
    index = index.reshape(len(column))
    return Coded(
        values, index if mask is None else np.where(mask, -1, index), list(map(str, values))
    )


def _objects(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _numbers(column: Any, name: str, style: CellStyle, rounds: bool) -> NDArray[Any] | None:
    """Read a column of pyarrow as numbers at once; None where one of them needs a closer look."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        if not style.plain_numbers:
            return None
        gap = compute.is_in(column, value_set=pa.array(["", "NA", "NaN", "nan"], type=kind))
        try:
            column = compute.if_else(gap, pa.scalar(None, kind), column).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    elif pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    if column.type not in (pa.float32(), pa.float64()):
        column = column.cast(pa.float64(), safe=False)  # as Python rounds them
    out = arrow_floats(column)
    assert out is not None
    if not (rounds or pa.types.is_floating(kind)) and bool((np.abs(out) >= EXACT).any()):
        return None
    if gaps := style.missing_numbers(name):
        out = np.where(np.isin(out, list(gaps)), np.nan, out)
    return out
