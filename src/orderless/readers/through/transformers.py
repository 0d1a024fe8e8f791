"""scikit-learn's transformers, column by column.

In:  a fitted transformer and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out: how each of its columns arises from one that went in. Numbers are
     computed by the operations of ``transform``, in the same order and precision, so that the
     conditions are exact.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from inspect import getattr_static
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidSpace, UnreadableModel
from ...inputs import is_unknown
from ...model import Label, Space, plain_label
from .speaking import by_space
from .stage import Block, Encode, Fill, Flag, Pass, Rescale, Wire

__all__ = ["KNOWN", "apply"]

Floats = NDArray[np.float64]
Handler = Callable[[Any, Block, str], Block]

KNOWN = (
    "Pipeline, ColumnTransformer, FeatureUnion, OneHotEncoder, OrdinalEncoder, TargetEncoder, "
    "StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, KBinsDiscretizer, Binarizer, "
    "SimpleImputer, MissingIndicator, selectors (get_support), FunctionTransformer without a "
    "function or with pandas.DataFrame.rename, orderless' binarizers"
)
NO_LABEL = "\0 a label that no encoder has seen"


def apply(transformer: Any, block: Block, step: str) -> Block:
    """Send columns through one transformer that is not made of others."""
    if isinstance(getattr(transformer, "space_", None), Space):
        return by_space(transformer, block, step)
    for kind, handler in _handlers().items():
        # A subclass that transforms in its own way is not known.
        if isinstance(transformer, kind) and getattr_static(
            type(transformer), "transform"
        ) is getattr_static(kind, "transform"):
            return handler(transformer, block, step)
    if callable(getattr(transformer, "get_support", None)):
        return _selected(transformer, block, step)
    raise UnreadableModel(
        f"cannot undo {step}: each column that comes out must come from one that went in, in a "
        f"known way. Known are {KNOWN}. Leave the step out and fit again; or read the tree alone, "
        "without through=, for conditions on the columns that this step makes"
    )


def _handlers() -> dict[type, Handler]:
    from sklearn import impute, preprocessing

    return {
        preprocessing.StandardScaler: _standard,
        preprocessing.MinMaxScaler: _min_max,
        preprocessing.MaxAbsScaler: _max_abs,
        preprocessing.RobustScaler: _robust,
        preprocessing.Binarizer: _binarized,
        preprocessing.KBinsDiscretizer: _bins,
        preprocessing.OneHotEncoder: _one_hot,
        preprocessing.OrdinalEncoder: _ordinal,
        preprocessing.TargetEncoder: _target,
        preprocessing.FunctionTransformer: _function,
        impute.SimpleImputer: _imputed,
        impute.MissingIndicator: _indicated,
    }


# -- numbers ---------------------------------------------------------------------------------------

Arithmetic = Callable[[NDArray[Any], int], None]


def _rescaled(block: Block, step: str, arithmetic: Arithmetic) -> Block:
    """Compute in place in the table's type; ``arithmetic`` gets the numbers and the position."""
    dtype = block.dtype

    def stage(k: int) -> Rescale:
        def function(x: Floats) -> Floats:
            with np.errstate(over="ignore"):
                numbers = x.astype(dtype)
            arithmetic(numbers, k)
            return numbers.astype(np.float64)

        return Rescale(step, function)

    wires = [wire.then(stage(k), dtype) for k, wire in enumerate(block.wires)]
    return Block(wires, block.sparse)


def _standard(scaler: Any, block: Block, step: str) -> Block:
    mean, scale = scaler.mean_ if scaler.with_mean else None, scaler.scale_
    if not block.sparse:  # rounds to the table's type what it learned, unlike the others
        mean = None if mean is None else mean.astype(block.dtype)
        scale = None if scale is None else scale.astype(block.dtype)
    return _rescaled(block, step, _center_and_scale(block, mean, scale))


def _robust(scaler: Any, block: Block, step: str) -> Block:
    center = scaler.center_ if scaler.with_centering else None
    return _rescaled(block, step, _center_and_scale(block, center, scaler.scale_))


def _center_and_scale(block: Block, center: Any, scale: Any) -> Arithmetic:
    # Sparse tables are multiplied by the inverse, dense ones divided.
    factor = 1.0 / scale if block.sparse and scale is not None else None

    def arithmetic(x: NDArray[Any], k: int) -> None:
        if center is not None:
            x -= center[k : k + 1]
        if factor is not None:
            x *= factor[k : k + 1]
        elif scale is not None:
            x /= scale[k : k + 1]

    return arithmetic


def _max_abs(scaler: Any, block: Block, step: str) -> Block:
    scaled = _center_and_scale(block, None, scaler.scale_)
    clip = getattr(scaler, "clip", False)

    def arithmetic(x: NDArray[Any], k: int) -> None:
        scaled(x, k)
        if clip:
            np.clip(x, -1.0, 1.0, out=x)

    return _rescaled(block, step, arithmetic)


def _min_max(scaler: Any, block: Block, step: str) -> Block:
    low, high = np.array(scaler.feature_range, dtype=block.dtype)

    def arithmetic(x: NDArray[Any], k: int) -> None:
        x *= scaler.scale_[k : k + 1]
        x += scaler.min_[k : k + 1]
        if scaler.clip:
            np.clip(x, low, high, out=x)

    return _rescaled(block, step, arithmetic)


def _binarized(binarizer: Any, block: Block, step: str) -> Block:
    dtype = block.dtype

    def function(x: Floats) -> Floats:
        with np.errstate(over="ignore"):
            above: NDArray[Any] = x.astype(dtype) > binarizer.threshold
        return above.astype(np.float64)

    stage = Rescale(step, function, takes_missing=False, two_valued=True)
    return Block([wire.then(stage) for wire in block.wires], block.sparse)


def _bins(discretizer: Any, block: Block, step: str) -> Block:
    dtype = block.dtype if discretizer.dtype is None else np.dtype(discretizer.dtype)

    counts = [max(len(edges) - 1, 1) for edges in discretizer.bin_edges_]
    if counts != discretizer.n_bins_.tolist():
        raise UnreadableModel(
            f"{step} has edges for {counts} bins, and n_bins_ says {discretizer.n_bins_.tolist()}: "
            "it is damaged; fit or save it again"
        )

    def stage(k: int) -> Rescale:
        edges = discretizer.bin_edges_[k][1:-1]

        def function(x: Floats) -> Floats:
            with np.errstate(over="ignore"):
                numbers = x.astype(dtype)
            return np.searchsorted(edges, numbers, side="right").astype(np.float64)

        return Rescale(step, function, takes_missing=False)

    binned = [wire.then(stage(k), dtype) for k, wire in enumerate(block.wires)]
    if discretizer.encode == "ordinal":
        return Block(binned)
    wires = [
        wire.then(Encode(step, {float(i): float(i == k) for i in range(n_bins)}))
        for wire, n_bins in zip(binned, discretizer.n_bins_.tolist(), strict=True)
        for k in range(n_bins)
    ]
    return Block(wires, sparse=discretizer.encode == "onehot")


# -- labels ----------------------------------------------------------------------------------------


def _one_hot(encoder: Any, block: Block, step: str) -> Block:
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(encoder.categories_)
    dropped = [None] * len(rare) if encoder.drop_idx_ is None else encoder.drop_idx_
    widths = [
        len(labels) - (0 if few is None else len(few) - 1) - (drop is not None)
        for labels, few, drop in zip(encoder.categories_, rare, dropped, strict=True)
    ]
    unknown = encoder.handle_unknown != "error"
    return _encoded(encoder, block, step, widths, unknown, sparse=bool(encoder.sparse_output))


def _ordinal(encoder: Any, block: Block, step: str) -> Block:
    unknown = encoder.handle_unknown == "use_encoded_value"
    return _encoded(encoder, block, step, [1] * len(block.wires), unknown)


def _target(encoder: Any, block: Block, step: str) -> Block:
    width = len(encoder.classes_) if encoder.target_type_ == "multiclass" else 1
    return _encoded(encoder, block, step, [width] * len(block.wires), True)


def _encoded(
    encoder: Any, block: Block, step: str, widths: list[int], unknown: bool, sparse: bool = False
) -> Block:
    """Ask the encoder itself what it makes of each of its labels, and of one it does not know."""
    seen, dtype = _asked(encoder, _seen_labels(encoder))
    unseen = None
    if unknown:
        import pandas as pd

        names = getattr(encoder, "feature_names_in_", range(len(widths)))
        row = pd.DataFrame([[NO_LABEL] * len(widths)], columns=list(names), dtype=object)
        unseen, _ = _asked(encoder, row)
    wires: list[Wire] = []
    at = 0
    for wire, labels, width in zip(block.wires, encoder.categories_, widths, strict=True):
        for j in range(at, at + width):
            other = None if unseen is None else float(unseen[0, j])
            stage = _encode(step, labels.tolist(), seen[: len(labels), j].tolist(), other)
            wires.append(wire.then(stage, dtype))
        at += width
    if at != seen.shape[1]:
        raise UnreadableModel(
            f"{step} makes {seen.shape[1]} columns where {at} were expected: this version of "
            "scikit-learn is not known; read the tree without through="
        )
    return Block(wires, sparse)


def _seen_labels(encoder: Any) -> Any:
    """Make a table in which every column runs through its labels."""
    import pandas as pd

    n_rows = max(len(labels) for labels in encoder.categories_)
    names = getattr(encoder, "feature_names_in_", range(len(encoder.categories_)))
    return pd.DataFrame(
        {
            name: pd.Series(
                np.resize(labels, n_rows), dtype=object if labels.dtype.kind in "OUS" else None
            )
            for name, labels in zip(names, encoder.categories_, strict=True)
        }
    )


def _asked(encoder: Any, table: Any) -> tuple[Floats, np.dtype[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about labels that it does not know
        out = encoder.transform(table)
    out = out.toarray() if hasattr(out, "toarray") else np.asarray(out)
    return out.astype(np.float64), out.dtype


def _encode(step: str, labels: list[Any], numbers: list[float], unknown: float | None) -> Encode:
    table: dict[Label, float] = {}
    missing: set[float] = set()
    for label, number in zip(labels, numbers, strict=True):
        if is_unknown(label):
            missing.add(number)
            continue
        try:
            table[plain_label(label)] = number
        except InvalidSpace as fault:
            raise UnreadableModel(f"{step}: {fault}") from fault
    # None and NaN may be two labels; rows do not tell them apart, so then neither is known.
    at_missing = missing.pop() if len(missing) == 1 else None if missing else unknown
    return Encode(step, table, unknown, at_missing)


# -- gaps ------------------------------------------------------------------------------------------


def _imputed(imputer: Any, block: Block, step: str) -> Block:
    only_numbers = imputer.strategy in ("mean", "median")
    statistics = np.asarray(imputer.statistics_)
    wires: list[Wire] = []
    for wire, statistic in zip(block.wires, statistics.tolist(), strict=True):
        if is_unknown(statistic):
            if imputer.keep_empty_features:
                raise UnreadableModel(
                    f"{step} met only missing values in a column and keeps it, without a value to "
                    "fill in: leave the column out and fit again"
                )
            continue  # a column without a value is dropped
        if statistics.dtype != object and only_numbers:
            statistic = float(np.asarray(statistic).astype(block.dtype))
        fill = Fill(step, imputer.missing_values, plain_label(statistic), only_numbers)
        wires.append(wire.then(fill, block.dtype if only_numbers else None))
    if imputer.add_indicator:
        flag = Flag(step, imputer.missing_values)
        wires += [block.wires[k].then(flag, bool) for k in imputer.indicator_.features_.tolist()]
    return Block(wires, block.sparse)


def _indicated(indicator: Any, block: Block, step: str) -> Block:
    flag = Flag(step, indicator.missing_values)
    wires = [block.wires[k].then(flag, bool) for k in indicator.features_.tolist()]
    sparse = indicator.sparse is True or (indicator.sparse == "auto" and block.sparse)
    return Block(wires, sparse)


# -- names and choices --------------------------------------------------------------------


def _function(transformer: Any, block: Block, step: str) -> Block:
    if transformer.func is not None and not _renames(transformer.func, transformer.kw_args or {}):
        raise UnreadableModel(
            f"cannot undo {step}: what its function does to a column is not known. Legal are no "
            "function (func=None), and names: FunctionTransformer(pandas.DataFrame.rename, "
            "kw_args={'columns': {...}}). Apply other functions to the table before, and fit again"
        )
    if transformer.validate:
        return Block([wire.then(Pass(step)) for wire in block.wires], block.sparse)
    return block


def _renames(func: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether it is a method of pandas that does nothing but name columns."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return False
    axis = arguments.get("axis", "columns" if "columns" in arguments else "index")
    legal = {
        pandas.DataFrame.rename: {"columns", "mapper", "axis", "errors"},
        pandas.DataFrame.set_axis: {"labels", "axis"},
        pandas.DataFrame.add_prefix: {"prefix", "axis"},
        pandas.DataFrame.add_suffix: {"suffix", "axis"},
    }
    if func in (pandas.DataFrame.add_prefix, pandas.DataFrame.add_suffix):
        axis = arguments.get("axis") or "columns"
    return func in legal and set(arguments) <= legal[func] and axis in (1, "columns")


def _selected(selector: Any, block: Block, step: str) -> Block:
    from sklearn.utils import get_tags

    wires = [wire for wire, kept in zip(block.wires, selector.get_support(), strict=True) if kept]
    if not get_tags(selector).input_tags.allow_nan:
        wires = [wire.then(Pass(step)) for wire in wires]
    return Block(wires, block.sparse)
