"""The distributions of all features: what a fitted ``RashomonImportance`` can be asked.

In:  the tallies of all bootstrap samples.
Out: shares, quantiles, tables and pictures, with every function counted once or once for each of
     its trees; and how far the two are apart.
Paper: Section 5.2.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from ...inputs import some_names
from .bootstrap import Tally
from .distribution import Distribution, kolmogorov_smirnov, wasserstein

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Distributions"]

QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}


class Distributions:
    """The part of ``RashomonImportance`` that is there after ``fit``."""

    correct_equivalence: bool
    pooled: bool
    features_: tuple[str, ...]
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
        return Distribution.of(
            tallies,
            self._position(feature),
            corrected=self.correct_equivalence if correct_equivalence is None
            else correct_equivalence,
            pooled=self.pooled if pooled is None else pooled,
        )  # fmt: skip

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
            Ascending, each once.
        weights : array
            Their shares, which sum to 1.
        """
        found = self._distribution(feature, correct_equivalence, pooled)
        return found.values, found.weights

    def cdf(
        self,
        feature: Any,
        k: ArrayLike,
        *,
        correct_equivalence: bool | None = None,
        pooled: bool | None = None,
    ) -> Any:
        """Give the share of models to which a feature has an importance of ``k`` at most.

        Parameters
        ----------
        feature : str or int
        k : number or array
        correct_equivalence, pooled : bool, optional
            See ``distribution``.

        Returns
        -------
        float, or array for an array
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

        Parameters
        ----------
        feature : str or int
        q : share or array of shares
        correct_equivalence, pooled : bool, optional
            See ``distribution``.

        Returns
        -------
        float, or array for an array
        """
        return self._distribution(feature, correct_equivalence, pooled).quantile(q)

    def summary(
        self, *, correct_equivalence: bool | None = None, pooled: bool | None = None
    ) -> pd.DataFrame:
        """Give one row per feature, the most important on average first.

        Parameters
        ----------
        correct_equivalence, pooled : bool, optional
            See ``distribution``.

        Returns
        -------
        pandas.DataFrame
            ``feature``, ``mean``, ``std``, ``min``, ``q05``, ``q25``, ``median``, ``q75``, ``q95``,
            ``max``, and ``positive``, the share of models that lose accuracy without the feature.
        """
        import pandas as pd

        lines = []
        for name in self._names():
            found = self._distribution(name, correct_equivalence, pooled)
            lines.append(
                {
                    "feature": name,
                    "mean": found.mean,
                    "std": found.std,
                    "min": found.values[0],
                    **{word: found.quantile(q) for word, q in QUANTILES.items()},
                    "max": found.values[-1],
                    "positive": 1 - found.cdf(0.0),
                }
            )
        table = pd.DataFrame(lines)
        return table.sort_values("mean", ascending=False, kind="stable", ignore_index=True)

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

        Parameters
        ----------
        pooled : bool, optional
            See ``distribution``.

        Returns
        -------
        pandas.DataFrame
            A row per feature, in the order of ``features_``: ``feature``; ``ks``, the
            Kolmogorov-Smirnov statistic (largest difference of the shares); ``p``, its two-sample
            p-value; ``wasserstein``, the 1-Wasserstein distance; ``n_functions`` and ``n_trees``,
            the sizes of the two samples that the test takes.

        Notes
        -----
        Pooled, the samples are all functions and all trees of all bootstraps, as in the paper, and
        p is that of ``scipy.stats.ks_2samp(method="asymp")``, of which the lists are never made.
        Otherwise models have different weights, and the sizes are those of as many equal ones
        (Kish's effective sizes). Either way the test takes models as if they were drawn
        independently, which those of one Rashomon set are not, and small shifts become significant
        with many bootstraps: the statistic and the distance say more.
        """
        import pandas as pd

        lines = []
        for name in self._names():
            one, two = (self._distribution(name, corrected, pooled) for corrected in (True, False))
            ks, p = kolmogorov_smirnov(one, two)
            lines.append((name, ks, p, wasserstein(one, two), one.size, two.size))
        columns = ["feature", "ks", "p", "wasserstein", "n_functions", "n_trees"]
        return pd.DataFrame(lines, columns=columns)
