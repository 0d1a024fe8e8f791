"""How many functions a set holds, where they are too many to list: an estimate.

In:  a set of trees, which are drawn; of each, how many trees of the set are the same function.
Out: ``DistinctEstimate``: an estimate with an interval that holds with a stated confidence.
Paper: Section 4 counts by listing; this goes on where lists end.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData
from ..inputs import generator
from .engine import Engine
from .flat import FlatTrees
from .halves import positions_below, wide
from .narrowed import core_view
from .view import LIMIT, View

if TYPE_CHECKING:
    from .functions import Listing

__all__ = ["DistinctEstimate", "estimate_functions"]

AT_ONCE = 1000  # trees that are looked at in one call of the core


class DistinctEstimate(NamedTuple):
    """How many different functions there are, by drawing trees. Of ``FunctionSet.estimate``.

    Attributes
    ----------
    estimate : int
        Unbiased up to rounding.
    low, high : int
        The number lies between them with at least this ``confidence``, over the draw.
    confidence : float
        1.0 where nothing was drawn, because the functions were listed.
    sampled : int
        How many trees were drawn.
    """

    estimate: int
    low: int
    high: int
    confidence: float
    sampled: int


def estimate_functions(
    listing: Listing, n_samples: Any, confidence: Any, random_state: Any
) -> DistinctEstimate:
    """Estimate how many functions a listing would hold; see ``FunctionSet.estimate``."""
    n_samples, confidence = _checked(n_samples, confidence)
    engine, view, semantics = listing.source, listing.view, listing.semantics
    if semantics == "rows":
        raise InvalidData(
            "ways to label the training rows cannot be estimated: "
            "len(functions('rows')) counts them"
        )
    n_trees = engine.counts(view).n
    if not isinstance(engine, Engine) or view.monotone or not n_trees:
        n = engine.count_functions(view, semantics, max(LIMIT, n_trees))
        return DistinctEstimate(n, n, n, 1.0, 0)
    drawn_from = view if view.required or view.first else view._replace(trivial=False)
    n = engine.counts(drawn_from).n
    positions = positions_below(n, n_samples, generator(random_state))
    shares = 1.0 / _trees_alike(engine, drawn_from, semantics, positions)
    mean, error = float(shares.mean()), _error(shares, confidence)
    low = max(1, math.ceil(n * max(mean - error, 0.0) * (1 - 1e-12)))
    high = max(low, min(n, math.floor(n * min(mean + error, 1.0) * (1 + 1e-12))))
    estimate = min(max(round(n * mean), 1), n)
    return DistinctEstimate(estimate, low, high, confidence, n_samples)


def _checked(n_samples: Any, confidence: Any) -> tuple[int, float]:
    whole_number = isinstance(n_samples, int | np.integer) and not isinstance(n_samples, bool)
    if not whole_number or n_samples < 2:
        raise ValueError(f"n_samples must be a whole number from 2, got {n_samples!r:.80}")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise ValueError(f"confidence must be a number, such as 0.95, got {confidence!r:.80}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, such as 0.95, got {confidence!r}")
    return int(n_samples), float(confidence)


def _error(shares: NDArray[np.float64], confidence: float) -> float:
    """Give how far the mean of numbers from 0 to 1 is from their expectation, to either side.

    Theorem 4 of "Empirical Bernstein Bounds and Sample Variance Penalization" (Maurer and Pontil,
    2009), used for both sides.
    """
    n = len(shares)
    often = math.log(4 / (1 - confidence))
    return math.sqrt(2 * float(shares.var(ddof=1)) * often / n) + 7 * often / (3 * (n - 1))


def _trees_alike(
    engine: Engine, view: View, semantics: str, positions: list[int]
) -> NDArray[np.float64]:
    """Count, for trees at some positions of a view, the trees that are the same function."""
    graph, counts = engine.graph_for(view), engine.counts(view)
    measure = engine.problem.fingerprint_weights(semantics, graph)
    assert measure is not None
    wanted = core_view(engine.problem.columns, graph, view, engine.base)
    out: list[int] = []
    with engine.caps("the estimate of the number of functions"):
        for start in range(0, len(positions), AT_ONCE):
            flat: FlatTrees = counts.unrank(positions[start : start + AT_ONCE])
            halves = _core.rashomon.trees_alike(
                graph, wanted, measure, flat.offsets, flat.column, flat.label,
                engine.memory_limit, engine.seconds,
            ).reshape(-1, 2)  # fmt: skip
            out += wide(halves[:, 0], halves[:, 1])
    return np.array([float(n) for n in out])
