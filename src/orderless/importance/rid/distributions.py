"""Distributions of importances: what a fitted ``RashomonImportance`` can be asked.

In:  the tallies of all bootstrap samples.
Out: ``Distribution``, the importances of one feature with their shares; ``Distributions``, those of
     all features, with every function counted once or once for each of its trees, and how far the
     two are apart.
Paper: Section 5.2; Donnelly et al. 2023 define RID.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from ...inputs import some_names
from .bootstrap import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NEVER_OFFERED", "Distribution", "Distributions"]

NEVER_OFFERED = "never offered"  # what is said of a feature that no tree could ask about

QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
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
        """Give the share of importances up to ``k``: a number, or an array."""
        if np.isnan(self.values[-1]):
            return float("nan") if np.ndim(k) == 0 else np.full(np.shape(k), np.nan)
        steps = np.concatenate([[0.0], self.shares])
        out = steps[np.searchsorted(self.values, np.asarray(k, dtype=np.float64), side="right")]
        return float(out) if np.ndim(k) == 0 else out

    def quantile(self, q: ArrayLike) -> Any:
        """Give the smallest importance up to which there is a share of ``q`` at least."""
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
    """Give all values of both, and the differences of their cumulative shares there."""
    values = np.union1d(one.values, two.values)
    return values, one.cdf(values) - two.cdf(values)


def _wasserstein(one: Distribution, two: Distribution) -> float:
    """Give the 1-Wasserstein distance: the area between the cumulative shares."""
    values, apart = _steps(one, two)
    return float((np.abs(apart[:-1]) * np.diff(values)).sum())


def _kolmogorov_smirnov(one: Distribution, two: Distribution) -> tuple[float, float]:
    """Give the largest difference of the cumulative shares, and its p-value.

    The p-value is that of ``scipy.stats.ks_2samp(method="asymp")`` for two samples of the sizes
    ``one.size`` and ``two.size``.
    """
    from scipy.stats import kstwo

    statistic = float(np.abs(_steps(one, two)[1]).max())
    size = max(1.0, np.round(one.size * two.size / (one.size + two.size)))
    return statistic, float(np.clip(kstwo.sf(statistic, size), 0.0, 1.0))


class Distributions:
    """The part of ``RashomonImportance`` that is there after ``fit``."""

    correct_equivalence: bool
    pooled: bool
    features_: tuple[str, ...]
    offered_: NDArray[np.bool_]
    n_functions_: NDArray[np.int64]
    n_trees_: NDArray[np.int64]
    _tallies_: tuple[Tally, ...]

    @property
    def _tallies(self) -> tuple[Tally, ...]:
        if "_tallies_" not in self.__dict__:
            raise NotFittedError("this RashomonImportance is not fitted: call fit(X, y) first")
        return self._tallies_

    def __sklearn_is_fitted__(self) -> bool:
        return "_tallies_" in self.__dict__

    def _position(self, feature: Any) -> int:
        names = self.features_
        if isinstance(feature, int | np.integer) and not isinstance(feature, bool):
            if 0 <= feature < len(names):
                return int(feature)
        elif feature in names:
            return names.index(feature)
        raise ValueError(
            f"feature must be one of {some_names(names)}, or a position, got {feature!r:.80}"
        )

    def _distribution(
        self, feature: Any, correct_equivalence: bool | None = None, pooled: bool | None = None
    ) -> Distribution:
        tallies = self._tallies
        corrected = self.correct_equivalence if correct_equivalence is None else correct_equivalence
        pooled = self.pooled if pooled is None else pooled
        position = self._position(feature)
        out = Distribution.of(tallies, position, corrected=corrected, pooled=pooled)
        if not self.offered_[position]:
            return Distribution(np.array([np.nan]), np.ones(1), out.size)
        return out

    def distribution(
        self, feature: Any, *, correct_equivalence: bool | None = None, pooled: bool | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the importances that a feature has, and their shares.

        Parameters
        ----------
        feature : str or int
            One of ``features_``, or its position.
        correct_equivalence, pooled : bool, optional
            By default as the estimator was made; no refitting is needed.

        Returns
        -------
        values : array
            Ascending, each once. NaN alone for a feature that no tree was offered (``offered_``):
            nothing is known about it, and so all other answers about it are NaN.
        weights : array
            Their shares, which sum to 1.
        """
        own = self._distribution(feature, correct_equivalence, pooled)
        return own.values, own.weights

    def cdf(
        self,
        feature: Any,
        k: ArrayLike,
        *,
        correct_equivalence: bool | None = None,
        pooled: bool | None = None,
    ) -> Any:
        """Give the share of models to which a feature has an importance of ``k`` at most.

        A number, or an array for an array. The other parameters are those of ``distribution``.
        """
        return self._distribution(feature, correct_equivalence, pooled).cdf(k)

    def quantile(
        self,
        feature: Any,
        q: ArrayLike,
        *,
        correct_equivalence: bool | None = None,
        pooled: bool | None = None,
    ) -> Any:
        """Give the smallest importance k with ``cdf(feature, k) >= q``.

        A number, or an array for an array. The other parameters are those of ``distribution``.
        """
        return self._distribution(feature, correct_equivalence, pooled).quantile(q)

    def summary(
        self, *, correct_equivalence: bool | None = None, pooled: bool | None = None
    ) -> pd.DataFrame:
        """Give one row per feature, the most important on average first.

        Parameters are those of ``distribution``.

        Returns
        -------
        pandas.DataFrame
            ``feature``, ``mean``, ``std``, ``min``, ``q05``, ``q25``, ``median``, ``q75``, ``q95``,
            ``max``, ``positive``, the share of models that are worse without the feature, and
            ``note``: "never offered" where no tree could ask about the feature, whose numbers are
            NaN and which comes last; else empty.
        """
        import pandas as pd

        lines = []
        for name in self._names():
            own = self._distribution(name, correct_equivalence, pooled)
            lines.append(
                {
                    "feature": name,
                    "mean": own.mean,
                    "std": own.std,
                    "min": own.values[0],
                    **{word: own.quantile(q) for word, q in QUANTILES.items()},
                    "max": own.values[-1],
                    "positive": 1 - own.cdf(0.0),
                    "note": "" if self.offered_[self._position(name)] else NEVER_OFFERED,
                }
            )
        table = pd.DataFrame(lines)
        return table.sort_values("mean", ascending=False, kind="stable", ignore_index=True)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        table = self.summary()
        there = table[table["note"] == ""][["feature", "mean", "q05", "median", "q95"]]
        unit = "function" if self.correct_equivalence else "tree"
        lines = [
            f"importance over {len(self._tallies):,} bootstrap samples, each {unit} counted once",
            there.to_string(index=False, float_format="{:.3f}".format),
        ]
        if missing := table["feature"][table["note"] != ""].tolist():
            lines.append(f"{NEVER_OFFERED} to any tree, importance unknown: {some_names(missing)}")
        return "\n".join(lines)

    def _names(self) -> tuple[str, ...]:
        self._tallies  # noqa: B018 (says that it is not fitted)
        return self.features_

    def take(self, samples: ArrayLike) -> Self:
        """Give the same, of some of the bootstrap samples only; nothing is fitted again.

        Answers of different samples say how far RID itself depends on chance.

        Parameters
        ----------
        samples : sequence of int, or mask
            Which samples, from 0; each may come several times.
        """
        tallies = self._tallies
        which = np.asarray(samples)
        chosen = np.arange(len(tallies))[which] if which.size else which
        if not chosen.size:
            raise ValueError("samples is empty: give at least one")
        out = copy(self)
        out._tallies_ = tuple(tallies[number] for number in chosen.tolist())
        out.n_functions_, out.n_trees_ = self.n_functions_[chosen], self.n_trees_[chosen]
        return out

    def shift(self, *, pooled: bool | None = None) -> pd.DataFrame:
        """Tell how far the distributions with and without the correction are apart.

        ``pooled`` is that of ``distribution``.

        Returns
        -------
        pandas.DataFrame
            A row per feature, in the order of ``features_``: ``feature``; ``ks``, the
            Kolmogorov-Smirnov statistic (largest difference of the shares); ``p``, its two-sample
            p-value; ``wasserstein``, the 1-Wasserstein distance; ``n_functions`` and ``n_trees``,
            how many functions and trees all bootstraps have together; ``effective_functions`` and
            ``effective_trees``, the sizes of the two samples that the test takes, which need not
            be whole numbers. The three distances are NaN where no tree was offered the feature.

        Notes
        -----
        Pooled, the samples are all functions and all trees of all bootstraps, as in the paper, and
        p is that of ``scipy.stats.ks_2samp(method="asymp")``, of which the lists are never made.
        Otherwise models have different weights, and the effective sizes are those of as many equal
        ones (Kish). Either way the test takes models as if they were drawn independently, which
        those of one Rashomon set are not, and small shifts become significant with many
        bootstraps: the statistic and the distance say more.
        """
        import pandas as pd

        names = self._names()
        totals = sum(self.n_functions_.tolist()), sum(self.n_trees_.tolist())
        lines = []
        for name in names:
            one, two = (self._distribution(name, corrected, pooled) for corrected in (True, False))
            ks = p = distance = float("nan")
            if self.offered_[self._position(name)]:
                ks, p = _kolmogorov_smirnov(one, two)
                distance = _wasserstein(one, two)
            lines.append((name, ks, p, distance, *totals, one.size, two.size))
        columns = [
            "feature", "ks", "p", "wasserstein", "n_functions", "n_trees", "effective_functions",
            "effective_trees",
        ]  # fmt: skip
        return pd.DataFrame(lines, columns=columns)
