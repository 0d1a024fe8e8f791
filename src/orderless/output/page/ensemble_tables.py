"""Ensembles as tables over bins, as the page's search reads them.

In:  an ``Ensemble``.
Out: plain data. What is long is written as base64 of little-endian numbers, with every bit: leaves
     are added up in the browser as the library adds them.
"""

from __future__ import annotations

import base64
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model import IN_PAGES, Feature, SumKernel, in_units
from ..code.tables import cuts_of, feature_table

__all__ = ["ensemble_tables"]

BEYOND = 2**51  # no sum in units reaches it


def ensemble_tables(ensemble: SumKernel) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Give the features, sorted by name, and the sum of trees.

    Nodes stand in the order of a walk that takes "holds" first, so only the other way is written:
    ``what`` is the number of a node's condition, or -1 - the row of a leaf's values; equal
    conditions have one number, and equal leaves one row.
    """
    space = ensemble.space
    order = sorted(ensemble.used, key=lambda i: space.features[i].name)
    cuts = {i: cuts_of(ensemble.trees, i) for i in order}
    features = [feature_table(space.features[i], cuts[i]) for i in order]
    conditions, numbers = _conditions(ensemble, order, cuts)
    wide, values, rows = _values(ensemble)
    what, otherwise, roots = _walk(ensemble, numbers, rows)
    whole = ensemble.whole_within(IN_PAGES)
    adding, rule = ensemble.adding, ensemble.rule
    return features, {
        "conditions": conditions,
        "groups": [
            _by_code(feature, own)
            for feature, own in zip(ensemble.bins.features, ensemble.bins.groups, strict=True)
        ],
        "what": _text(what, "<i4"),
        "otherwise": _text(otherwise, "<i4"),
        "roots": roots,
        "scores": np.maximum(ensemble.scores, 0).tolist(),
        "wide": wide,
        "values": _text(values, "<f8"),
        "base": list(adding.base),
        "baseLast": adding.base_last,
        "precision": adding.precision,
        "divisor": adding.divisor,
        "factor": ensemble.factor,
        "link": ensemble.link,
        "rule": rule.kind,
        "cuts": list(rule.cuts),
        "wholeCuts": [_units(cut, whole.exponent) for cut in rule.cuts],
        "window": min(rule.window, sys.float_info.max),
        "either": rule.either,
        "exponent": whole.exponent,
        "slack": whole.slack.tolist(),
    }


def _by_code(feature: Feature, groups: list[tuple[int, ...]]) -> list[int] | None:
    """Give the bin of each category, those that no tree tells apart together; of numbers None."""
    of = {code: b for b, group in enumerate(groups) for code in group}
    return None if feature.ordered else [of[code] for code in range(feature.n_values)]


def _text(numbers: NDArray[Any] | list[int], kind: str) -> str:
    return base64.b64encode(np.asarray(numbers, dtype=kind).tobytes()).decode()


def _units(number: float, exponent: int) -> int:
    """Give how many whole units a number has, rounded down; beyond all sums it does not matter."""
    return max(-BEYOND, min(BEYOND, in_units(number, exponent)))


def _conditions(
    ensemble: SumKernel, order: list[int], cuts: dict[int, NDArray[np.float64]]
) -> tuple[list[list[Any]], list[int]]:
    """Give the conditions that differ, and the number of each node's; -1 at a leaf."""
    nodes, place = ensemble.nodes, {i: k for k, i in enumerate(order)}
    last = np.zeros(len(nodes.feature), dtype=np.int64)
    for i in order:
        at = np.flatnonzero(nodes.feature == i)
        last[at] = np.searchsorted(cuts[i], nodes.threshold[at])
        last[at[np.isneginf(nodes.threshold[at])]] = -1
    seen: dict[Any, int] = {}
    numbers = []
    sets = nodes.set_start.tolist()
    for node, (i, test, nan) in enumerate(
        zip(nodes.feature.tolist(), last.tolist(), nodes.nan_true.tolist(), strict=True)
    ):
        if i < 0:
            numbers.append(-1)
            continue
        key: Any = (place[i], test, bool(nan))
        if not ensemble.space.features[i].ordered:
            codes = nodes.set_values[sets[node] : sets[node + 1]]
            key = (place[i], tuple(sorted(codes.tolist())), False)
        numbers.append(seen.setdefault(key, len(seen)))
    return [[k, list(t) if isinstance(t, tuple) else t, nan] for k, t, nan in seen], numbers


def _values(ensemble: SumKernel) -> tuple[int, NDArray[np.float64], list[int]]:
    """Give how many values a leaf has, all that differ, and which row each leaf has."""
    n_scores = len(ensemble.adding.base)
    single = n_scores == 1 or bool((ensemble.scores >= 0).all())
    every = [
        own[:, [max(int(score), 0)]] if single else own
        for own, score in zip(ensemble.values, ensemble.scores, strict=True)
    ]
    values, rows = np.unique(np.concatenate(every), axis=0, return_inverse=True)
    return 1 if single else n_scores, values, rows.ravel().tolist()


def _walk(
    ensemble: SumKernel, numbers: list[int], rows: list[int]
) -> tuple[list[int], list[int], list[int]]:
    nodes = ensemble.nodes
    yes, no, leaf = nodes.when_true.tolist(), nodes.when_false.tolist(), nodes.leaf_class.tolist()
    what: list[int] = []
    otherwise: list[int] = []
    roots = []
    for root in ensemble.starts.tolist():
        roots.append(len(what))
        todo = [(root, -1)]
        while todo:
            node, above = todo.pop()
            if above >= 0:
                otherwise[above] = len(what)
            if numbers[node] < 0:
                what.append(-1 - rows[leaf[node]])
            else:
                todo += [(no[node], len(what)), (yes[node], -1)]
                what.append(numbers[node])
            otherwise.append(0)
    return what, otherwise, roots
