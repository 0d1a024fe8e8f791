"""Distributions of importances over functions, or trees, of many samples.

In:  the tallies of all bootstrap samples.
Out: ``Distribution``, the importances of one feature with their shares; how far two of them differ.
Paper: Section 5.2; Donnelly et al. 2023 define RID.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bootstrap import Tally

__all__ = ["Distribution", "kolmogorov_smirnov", "wasserstein"]

SLACK = 1e-12  # a share is reached although its sum of weights was rounded

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Distribution:
    """Importances with their shares.

    Attributes
    ----------
    values : array
        Ascending, each once; NaN alone for a feature that no tree was offered.
    weights : array
        Beside each value its share; they sum to 1.
    size : float
        How many models of equal weight it is worth (Kish): the square of the sum of their
        weights by the sum of the squares. The number of models where all weigh the same.
    """

    values: Floats
    weights: Floats
    size: float

    @classmethod
    def of(
        cls, tallies: Sequence[Tally], feature: int, *, corrected: bool, pooled: bool
    ) -> Distribution:
        """Put the samples together.

        Parameters
        ----------
        corrected : bool
            Whether functions count once each, or once for each of their trees.
        pooled : bool
            Whether all models weigh the same, or all samples.
        """
        counts = [(t.functions if corrected else t.trees)[feature] for t in tallies]
        totals = [float(t.n_functions if corrected else t.n_trees) for t in tallies]
        n = len(tallies)
        if pooled:
            size = sum(totals)
            shares = [count / size for count in counts]
        else:
            size = n * n / sum(1 / total for total in totals)
            shares = [count / (n * total) for count, total in zip(counts, totals, strict=True)]
        values, which = np.unique(
            np.concatenate([t.values[feature] for t in tallies]), return_inverse=True
        )
        weights = np.zeros(len(values))
        np.add.at(weights, which, np.concatenate(shares))
        there = weights > 0  # with draws for each tree, some values occur in one of the two only
        return cls(values[there], weights[there], size)

    @property
    def shares(self) -> Floats:
        """By value the share of importances up to it; the last is 1 exactly."""
        out = np.cumsum(self.weights)
        out /= out[-1]
        return out

    def cdf(self, k: ArrayLike) -> Any:
        """Return the share of importances up to ``k``: a number, or an array."""
        if np.isnan(self.values[-1]):
            return float("nan") if np.ndim(k) == 0 else np.full(np.shape(k), np.nan)
        steps = np.concatenate([[0.0], self.shares])
        out = steps[np.searchsorted(self.values, np.asarray(k, dtype=np.float64), side="right")]
        return float(out) if np.ndim(k) == 0 else out

    def quantile(self, q: ArrayLike) -> Any:
        """Return the smallest importance up to which there is a share of ``q`` at least."""
        share = np.asarray(q, dtype=np.float64)
        if not ((share >= 0) & (share <= 1)).all():
            raise ValueError(f"q must hold shares from 0 to 1, got {q!r:.80}")
        at = np.searchsorted(self.shares, share - SLACK, side="left")
        out = self.values[np.minimum(at, len(self.values) - 1)]
        return float(out) if np.ndim(q) == 0 else out

    @property
    def mean(self) -> float:
        """The mean importance."""
        return float((self.values * self.weights).sum() / self.weights.sum())

    @property
    def std(self) -> float:
        """The standard deviation."""
        spread = (self.values - self.mean) ** 2
        return float(np.sqrt((spread * self.weights).sum() / self.weights.sum()))


def _steps(one: Distribution, two: Distribution) -> tuple[Floats, Floats]:
    """Return all values of both, and the differences of their cumulative shares there."""
    values = np.union1d(one.values, two.values)
    return values, one.cdf(values) - two.cdf(values)


def wasserstein(one: Distribution, two: Distribution) -> float:
    """Return the 1-Wasserstein distance: the area between the cumulative shares."""
    values, differences = _steps(one, two)
    return float((np.abs(differences[:-1]) * np.diff(values)).sum())


def kolmogorov_smirnov(one: Distribution, two: Distribution) -> tuple[float, float]:
    """Return the largest difference of the cumulative shares, and its p-value.

    The p-value is that of ``scipy.stats.ks_2samp(method="asymp")`` for two samples of the sizes
    ``one.size`` and ``two.size``.
    """
    from scipy.stats import kstwo

    statistic = float(np.abs(_steps(one, two)[1]).max())
    size = max(1.0, np.round(one.size * two.size / (one.size + two.size)))
    return statistic, float(np.clip(kstwo.sf(statistic, size), 0.0, 1.0))
