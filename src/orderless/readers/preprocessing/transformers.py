"""scikit-learn's transformers, column by column.

In:  a fitted transformer and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out: how each of its columns arises from one that went in.
"""

from __future__ import annotations

import sys
import warnings
from collections import UserList
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import getattr_static
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidSpace, UnreadableModel
from ...inputs import is_unknown, some_names
from ...model import Condition, Feature, Floats, Label, Space, Values, plain_label
from .stage import Block, Cut, Encode, Fill, Flag, Pass, Rescale, Stage, Wire

__all__ = ["is_passthrough", "send"]

Arithmetic = Callable[[NDArray[Any], int], None]
Handler = Callable[[Any, Block, str], Block]

KNOWN = (
    "Pipeline, ColumnTransformer, FeatureUnion, OneHotEncoder, OrdinalEncoder, TargetEncoder, "
    "StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, KBinsDiscretizer, Binarizer, "
    "SimpleImputer, MissingIndicator, selectors (get_support), FunctionTransformer without a "
    "function or with pandas.DataFrame.rename, orderless' binarizers"
)

Path = tuple[str, ...]
NO_LABEL = "\0 a label that no encoder has seen"


def send(transformer: Any, block: Block, path: Path) -> Block:
    """Send columns through a transformer, whatever it is made of."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import FeatureUnion, Pipeline

    frozen = getattr(sys.modules.get("sklearn.frozen"), "FrozenEstimator", ())
    while isinstance(transformer, frozen):
        transformer = transformer.estimator
    if is_passthrough(transformer):
        return block
    step = _step(transformer, path)
    if isinstance(transformer, Pipeline):
        for name, part in transformer.steps:
            block = send(part, block, (*path, name))
        return block
    if isinstance(transformer, type) or not hasattr(transformer, "transform"):
        raise UnreadableModel(
            f"{step} is not a fitted transformer: preprocessing= takes what the table went through "
            f"before the model. Known transformers are {KNOWN}"
        )
    if isinstance(transformer, FeatureUnion):
        return _united(transformer, block, path)
    _check_fitted(transformer, block, step)
    if isinstance(transformer, ColumnTransformer):
        return _by_columns(transformer, block, path)
    return _apply(transformer, block, step)


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
        pass  # no estimator; _apply says whether it is known
    expected = getattr(transformer, "n_features_in_", len(block.wires))
    if expected != len(block.wires):
        raise UnreadableModel(
            f"{step} was fitted on {expected} columns and gets {len(block.wires)}: give the very "
            "transformers that the model's table went through, in their order"
        )


def _united(union: Any, block: Block, path: Path) -> Block:
    weights = union.transformer_weights or {}
    parts = [
        _weighted(send(part, block, (*path, name)), weights.get(name), repr(name))
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
        if isinstance(selection, UserList):  # of scikit-learn before 1.7, which warns who looks
            selection = selection.data
        chosen = [block.wires[k] for k in _chosen(selection, names, len(block.wires))]
        if not chosen:
            continue  # scikit-learn leaves such a part unfitted
        out = send(part, Block(chosen, block.sparse), (*path, name))
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
    """Return the positions of the columns that a part of a ColumnTransformer gets."""
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


def is_passthrough(transformer: Any) -> bool:
    """Whether a step does nothing."""
    return transformer is None or (isinstance(transformer, str) and transformer == "passthrough")


def _apply(transformer: Any, block: Block, step: str) -> Block:
    """Send columns through one transformer that is not made of others."""
    if isinstance(getattr(transformer, "space_", None), Space):
        return _by_space(transformer, block, step)
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
        f"known way. Known transformers are {KNOWN}. Leave the step out and fit again; or read the "
        "tree alone, without preprocessing=, for conditions on the columns that this step makes"
    )


def _handlers() -> dict[type, Handler]:
    from sklearn import impute, preprocessing

    return {
        preprocessing.StandardScaler: _standard,
        preprocessing.MinMaxScaler: _min_max,
        preprocessing.MaxAbsScaler: _max_abs,
        preprocessing.RobustScaler: _robust,
        preprocessing.Binarizer: _binarized,
        preprocessing.KBinsDiscretizer: _binned,
        preprocessing.OneHotEncoder: _one_hot,
        preprocessing.OrdinalEncoder: _ordinal,
        preprocessing.TargetEncoder: _target,
        preprocessing.FunctionTransformer: _function,
        impute.SimpleImputer: _imputed,
        impute.MissingIndicator: _indicated,
    }


def _function(transformer: Any, block: Block, step: str) -> Block:
    if transformer.func is not None and not _renames(transformer.func, transformer.kw_args or {}):
        raise UnreadableModel(
            f"cannot undo {step}: what its function does to a column is not known. It must be "
            "no function (func=None) or one that renames: FunctionTransformer("
            "pandas.DataFrame.rename, kw_args={'columns': {...}}). Apply other functions to the "
            "table before, and fit again"
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
    renaming = {
        pandas.DataFrame.rename: {"columns", "mapper", "axis", "errors"},
        pandas.DataFrame.set_axis: {"labels", "axis"},
        pandas.DataFrame.add_prefix: {"prefix", "axis"},
        pandas.DataFrame.add_suffix: {"suffix", "axis"},
    }
    if func in (pandas.DataFrame.add_prefix, pandas.DataFrame.add_suffix):
        axis = arguments.get("axis") or "columns"
    return func in renaming and set(arguments) <= renaming[func] and axis in (1, "columns")


def _selected(selector: Any, block: Block, step: str) -> Block:
    from sklearn.utils import get_tags

    wires = [wire for wire, kept in zip(block.wires, selector.get_support(), strict=True) if kept]
    if not get_tags(selector).input_tags.allow_nan:
        wires = [wire.then(Pass(step)) for wire in wires]
    return Block(wires, block.sparse)


# -- encoders: each is asked itself what it makes of each label ------------------------------------


def _one_hot(encoder: Any, block: Block, step: str) -> Block:
    """Return a 0/1 column for each label that is kept."""
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(encoder.categories_)
    dropped = [None] * len(rare) if encoder.drop_idx_ is None else encoder.drop_idx_
    widths = [
        len(labels) - (0 if few is None else len(few) - 1) - (drop is not None)
        for labels, few, drop in zip(encoder.categories_, rare, dropped, strict=True)
    ]
    unknown = encoder.handle_unknown != "error"
    return _encoded(encoder, block, step, widths, unknown, sparse=bool(encoder.sparse_output))


def _ordinal(encoder: Any, block: Block, step: str) -> Block:
    """Return the number of the label."""
    unknown = encoder.handle_unknown == "use_encoded_value"
    return _encoded(encoder, block, step, [1] * len(block.wires), unknown)


def _target(encoder: Any, block: Block, step: str) -> Block:
    """Return what training rows with the label have for a target, on average."""
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
            "scikit-learn is not known; read the tree without preprocessing="
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
        except InvalidSpace as error:
            raise UnreadableModel(f"{step}: {error}") from error
    # None and NaN may be two labels; rows do not tell them apart, so then neither is known.
    at_missing = missing.pop() if len(missing) == 1 else None if missing else unknown
    return Encode(step, table, unknown, at_missing)


# -- scalers, binarizers and bins: computed by the operations of transform, in its precision -------


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
    """Subtract the mean, divide by the standard deviation."""
    mean, scale = scaler.mean_ if scaler.with_mean else None, scaler.scale_
    if not block.sparse and _standard_rounds():
        mean = None if mean is None else mean.astype(block.dtype)
        scale = None if scale is None else scale.astype(block.dtype)
    return _rescaled(block, step, _center_and_scale(block, mean, scale))


@cache
def _standard_rounds() -> bool:
    """Whether StandardScaler rounds to the table's type what it learned, unlike the others.

    Old versions of scikit-learn do not. Whichever is installed is asked: 0.1 is no float32, so
    a little is left of it after the mean was subtracted, unless this was rounded, too.
    """
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit([[0.0], [0.2]])
    return bool(scaler.transform(np.array([[0.1]], dtype=np.float32))[0, 0] == 0)


def _robust(scaler: Any, block: Block, step: str) -> Block:
    """Subtract the median, divide by the range of quantiles."""
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
    """Divide by the largest absolute number."""
    scaled = _center_and_scale(block, None, scaler.scale_)
    clip = getattr(scaler, "clip", False)

    def arithmetic(x: NDArray[Any], k: int) -> None:
        scaled(x, k)
        if clip:
            np.clip(x, -1.0, 1.0, out=x)

    return _rescaled(block, step, arithmetic)


def _min_max(scaler: Any, block: Block, step: str) -> Block:
    """Move to a range, perhaps clipped."""
    low, high = np.array(scaler.feature_range, dtype=block.dtype)

    def arithmetic(x: NDArray[Any], k: int) -> None:
        x *= scaler.scale_[k : k + 1]
        x += scaler.min_[k : k + 1]
        if scaler.clip:
            np.clip(x, low, high, out=x)

    return _rescaled(block, step, arithmetic)


def _binarized(binarizer: Any, block: Block, step: str) -> Block:
    """Return 1 above the threshold, else 0."""
    values: Values = "float32" if block.dtype == np.float32 else "float64"
    # numpy rounds Python's numbers to the type of the table that they are compared with.
    compared = np.result_type(np.empty(0, block.dtype), binarizer.threshold)
    stage = Cut(step, float(compared.type(binarizer.threshold)), (0.0, 1.0), values)
    return Block([wire.then(stage) for wire in block.wires], block.sparse)


def _binned(discretizer: Any, block: Block, step: str) -> Block:
    """Return the number of the bin, or a 0/1 column for each bin."""
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

    wires = [wire.then(stage(k), dtype) for k, wire in enumerate(block.wires)]
    if discretizer.encode == "ordinal":
        return Block(wires)
    one_hot = [
        wire.then(Encode(step, {float(i): float(i == k) for i in range(n_bins)}))
        for wire, n_bins in zip(wires, discretizer.n_bins_.tolist(), strict=True)
        for k in range(n_bins)
    ]
    return Block(one_hot, sparse=discretizer.encode == "onehot")


# -- imputers and indicators -----------------------------------------------------------------------


def _imputed(imputer: Any, block: Block, step: str) -> Block:
    """Fill in a statistic; perhaps add columns that tell what was missing."""
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
    """Read the columns that flag what is missing."""
    flag = Flag(step, indicator.missing_values)
    wires = [block.wires[k].then(flag, bool) for k in indicator.features_.tolist()]
    sparse = indicator.sparse is True or (indicator.sparse == "auto" and block.sparse)
    return Block(wires, sparse)


# -- transformers that know what their columns mean: ours, and any with a space_ -------------------


def _by_space(transformer: Any, block: Block, step: str) -> Block:
    """Read a transformer that knows what its columns mean."""
    from ...inputs import Binarizer  # imports scikit-learn

    if isinstance(transformer, Binarizer):
        return _our_binarizer(transformer, block, step)
    space: Space = transformer.space_
    named = [str(name) for name in getattr(transformer, "feature_names_in_", ())]
    if len(space) != len(block.wires) and not set(space.names) <= set(named):
        raise UnreadableModel(
            f"{step} has a space_ over the features {some_names(space.names)}, which are not the "
            f"{len(block.wires)} columns that go in: give space= of the table that went in"
        )
    wires = []
    for column in space.columns:
        feature = space[column.feature]
        at = named.index(feature.name) if feature.name in named else space.index(feature.name)
        wires.append(block.wires[at].then(_condition(step, feature, column.condition)))
    return Block(wires)


def _condition(step: str, feature: Feature, condition: Condition | None) -> Stage:
    if condition is None and feature.ordered:
        return Rescale(step, np.array, feature.nan, hint=feature)
    if condition is not None and condition.at_most is not None:
        missing = 0.0 if feature.nan else None
        return Cut(step, condition.at_most, (1.0, 0.0), at_missing=missing, hint=feature)
    if condition is None:
        raise UnreadableModel(f"{step} passes the labels of {feature.name!r} on: encode them first")
    among = cast("tuple[Label, ...]", condition.among)
    labels = (False, True) if feature.kind == "boolean" else feature.categories
    return Encode(
        step,
        {label: float(label in among) for label in labels},
        0.0 if feature.other else None,
        0.0 if feature.nan else None,
        hint=feature,
    )


def _our_binarizer(binarizer: Any, block: Block, step: str) -> Block:
    """Read one of our own binarizers: a column that goes in is at most a threshold."""
    features: list[Feature | None] = [None] * len(block.wires)
    if binarizer.space is None:
        features = list(binarizer.space_.features)
    else:
        names = getattr(binarizer, "feature_names_in_", binarizer.space.column_names)
        columns = {column.name: column for column in binarizer.space.columns}
        for k, name in enumerate(names):
            column = columns[str(name)]
            features[k] = binarizer.space[column.feature] if column.condition is None else None

    def stage(k: int, threshold: float) -> Cut:
        feature = features[k]
        rounded = feature is not None and feature.values == "float32"
        values: Values = "float32" if rounded else "float64"
        return Cut(step, threshold, (1.0, 0.0), values, hint=feature)

    return Block([block.wires[k].then(stage(k, t), np.int8) for k, t in binarizer.thresholds_])
