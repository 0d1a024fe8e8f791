"""RashomonImportance: how important a feature is over all near-optimal models of many samples.

In:  complete rows and labels.
Out: ``RashomonImportance``: by feature a distribution of importances, with every function counted
     once, or once for each of its trees; and how far the two are apart.
Paper: Section 5.2; docs/decisions/0007.
"""

from __future__ import annotations

import hashlib
from copy import copy
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from ...inputs import generator
from ...model import Space
from ...rashomon import (
    LIMIT,
    MEMORY,
    RashomonSet,
    Table,
    decimal,
    merge,
    read_labels,
    read_table,
)
from ..permutation import BY
from .bootstrap import Bootstraps, Tally
from .checkpoint import Checkpoint
from .distribution import Distribution, kolmogorov_smirnov, wasserstein
from .functionwise import KINDS, PER_TREE
from .running import in_parallel, watched

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RashomonImportance"]

SEMANTICS = ("aware", "independent")
QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}


class RashomonImportance(BaseEstimator):  # type: ignore[misc]
    r"""The Rashomon importance distribution (RID), each function counted once.

    Many models explain a data set about equally well, and each sample of the same world has others.
    RID asks all of them: for each bootstrap sample it takes *all* near-optimal trees and the
    importance of each feature to each of them. The share of importances up to k is

    .. math:: P(\text{importance of } j \le k) = \frac{1}{B} \sum_{b=1}^{B}
        \frac{|\{f \in R_b : \phi_j(f) \le k\}|}{|R_b|}.

    :math:`R_b` is meant to be a set of functions. A list of trees holds functions that can be
    written as many trees many times over, and so favours their features. Here every function
    counts once; without the correction it counts once for each of its trees. Both come from the
    same fit, and no list of trees is made for either.

    Parameters
    ----------
    n_bootstraps : int
        Samples of as many rows as there are, drawn with replacement.
    max_depth, regularization, epsilon
        Of the Rashomon sets, see ``RashomonSet``; the defaults are the paper's. Trees with trivial
        splits are left out.
    correct_equivalence : bool
        What the answers are by default: each function once, or each tree once.
    semantics : "aware" or "independent", optional
        When two trees are one function: if they say the same of all values of the features, or of
        all 0/1 columns, each taken as unrelated to the others (the paper's). By default "aware",
        and "independent" where ``by="column"``. Alike where every column is its own feature.
    importance : "permutation", "permutation-sampled", "permutation-per-tree" or "conditional"
        The accuracy on the sample that is lost when a feature's values are handed to other rows:
        the expectation over all permutations; the mean over ``n_repeats`` permutations, the same
        for all functions of the sample; the mean over ``n_repeats`` permutations that are drawn
        anew for every function and for every tree, as a program does that goes through a list of
        trees (the paper's; two trees that are one function then differ by chance); or the
        expectation over all permutations among rows that agree on the columns of all other
        features.
    by : "feature" or "column"
        What is permuted: all columns of a feature together, or each 0/1 column by itself. Single
        columns of one feature make rows that contradict themselves, of which equivalent trees need
        not say the same, so "column" goes with semantics "independent".
    pooled : bool
        What the answers are by default: whether all models of all samples weigh the same, as in the
        authors' program, so that a sample with many models has more say; or all samples (RID).
    binarizer, space
        What makes 0/1 columns of numbers, and what the columns mean; see ``RashomonSet``.
    n_repeats : int
        For "permutation-sampled" and "permutation-per-tree".
    n_jobs : int, optional
        Of joblib. Threads, unless ``joblib.parallel_config`` names another backend, such as "dask"
        or "ray". The results do not depend on it.
    random_state : int, RandomState, Generator or None
        Every sample has a seed of its own out of it.
    checkpoint : path, optional
        A file that keeps the samples that are done, written about every second, when the work ends
        and when it is interrupted. If it is there, ``fit`` goes on where it was; n_bootstraps may
        then be larger, and random_state None. One of other data or parameters, a cut or a changed
        one is refused.
    limit : int
        Most functions in one sample; with "permutation-per-tree" most trees.
    memory_limit : int
        Most bytes that a Rashomon set, or its functions, may take.

    Attributes
    ----------
    features_ : tuple of str
        What importances are of: all features that came in, or all 0/1 columns.
    n_functions_, n_trees_ : array
        By bootstrap sample how many functions, and trees without trivial splits, are near-optimal.
    classes_ : array
    seed_ : int
        What all samples were drawn from.
    binarizer_ : the fitted binarizer, of the numbers in the table, or None
    left_out_ : tuple of str
        Features that no tree can ask about: constant ones, and numbers for which the binarizer
        found no threshold. Their importance is 0 for that reason, which says nothing about them.
    n_features_in_ : int
    feature_names_in_ : array
        Where X has names.

    Notes
    -----
    Features are binarized once, on all rows, and the 0/1 columns are then resampled, as RID's own
    program does: thresholds are the same in all samples.

    The importance of a function and the number of its trees are all that is needed, so the cost is
    that of listing the distinct functions of each sample, and (exact permutations) a sum over the
    leaves of one tree of each.

    References
    ----------
    Donnelly, Katta, Rudin and Browne, "The Rashomon importance distribution: getting RID of
    unstable, single model-based variable importance", NeurIPS 2023.

    Examples
    --------
    >>> import orderless as ol
    >>> X, y = ol.datasets.load("iris_versicolor")
    >>> found = ol.RashomonImportance(n_bootstraps=20, random_state=0).fit(X, y)
    >>> found.summary()[["feature", "mean", "q05", "median", "q95"]].round(3)
            feature   mean    q05  median    q95
    0  petal length  0.351  0.284   0.337  0.436
    1   petal width  0.148  0.000   0.116  0.316
    2  sepal length  0.000  0.000   0.000  0.000
    3   sepal width  0.000  0.000   0.000  0.000
    """

    def __init__(
        self,
        n_bootstraps: int = 100,
        max_depth: int = 3,
        regularization: Any = 0.02,
        epsilon: Any = 0.02,
        *,
        correct_equivalence: bool = True,
        semantics: str | None = None,
        importance: str = "permutation",
        by: str = "feature",
        pooled: bool = False,
        binarizer: Any = "threshold-guess",
        space: Space | None = None,
        n_repeats: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        checkpoint: Any = None,
        limit: int = LIMIT,
        memory_limit: int = MEMORY,
    ) -> None:
        self.n_bootstraps = n_bootstraps
        self.max_depth = max_depth
        self.regularization = regularization
        self.epsilon = epsilon
        self.correct_equivalence = correct_equivalence
        self.semantics = semantics
        self.importance = importance
        self.by = by
        self.pooled = pooled
        self.binarizer = binarizer
        self.space = space
        self.n_repeats = n_repeats
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.limit = limit
        self.memory_limit = memory_limit

    def fit(self, X: Any, y: Any) -> Self:
        """Find the near-optimal functions of every sample, and their importances.

        Parameters
        ----------
        X : array or data frame
            Complete rows: 0/1 columns, numbers that go through the binarizer, or text.
        y : labels
            Of any type, two classes or more.

        Returns
        -------
        self
        """
        self._check()
        classes, codes = read_labels(y, X)
        table = read_table(X, codes, self.space, self.binarizer)
        semantics = self.semantics or ("aware" if self.by == "feature" else "independent")
        names, group = self._groups(table, semantics)
        rules = (int(self.max_depth), decimal(self.regularization, "regularization"),
                 decimal(self.epsilon, "epsilon"))  # fmt: skip
        seed, file = _seed(self.random_state), None
        if self.checkpoint is not None:
            about = self._about(*rules, semantics, _data_hash(table, codes, classes))
            file = Checkpoint(self.checkpoint, about, seed, len(names))
            seed = file.seed
        if seed is None:
            seed = _drawn(np.random.default_rng())
        work = Bootstraps(
            *merge(table.bits, codes, np.ones(len(codes), dtype=np.int64)),
            classes, table.meaning, table.aware, group, len(names), *rules, semantics,
            self.importance, int(self.n_repeats), seed, int(self.limit), int(self.memory_limit),
        )  # fmt: skip
        tallies = self._run(work, file)
        self._tallies_ = tallies
        self.features_ = names
        self.n_functions_ = np.array([tally.n_functions for tally in tallies])
        self.n_trees_ = np.array([tally.n_trees for tally in tallies])
        self.classes_ = np.array(classes)
        self.seed_ = seed
        self.binarizer_ = table.binarizer
        self.left_out_ = table.meaning.left_out(table.bits)
        self.n_features_in_ = len(table.meaning.space.columns)
        if hasattr(X, "columns") and all(isinstance(name, str) for name in X.columns):
            self.feature_names_in_ = np.array(list(X.columns), dtype=object)
        return self

    def _run(self, work: Bootstraps, file: Checkpoint | None) -> tuple[Tally, ...]:
        done: dict[int, Tally] = {}
        numbers = range(int(self.n_bootstraps))
        if file is not None:
            file.start(work.seed)
            done = {number: file.tallies[number] for number in numbers if number in file.tallies}
        todo = [number for number in numbers if number not in done]
        try:
            with watched("bootstraps", len(numbers), len(done)) as advance:
                for number, tally in in_parallel(work, todo, self.n_jobs):
                    done[number] = tally
                    if file is not None:
                        file.add(number, tally)
                    advance()
        finally:
            if file is not None and todo:
                file.save()
        return tuple(done[number] for number in numbers)

    # -- what goes in --------------------------------------------------------------------------

    def _check(self) -> None:
        RashomonSet(self.max_depth, memory_limit=self.memory_limit)._check()
        for name in ("n_bootstraps", "n_repeats", "limit"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
                raise ValueError(f"{name}={given!r:.80}: legal are whole numbers from 1")
        for name, legal in (("importance", KINDS), ("by", BY), ("semantics", (*SEMANTICS, None))):
            if getattr(self, name) not in legal:
                raise ValueError(f"{name}={getattr(self, name)!r:.80}: legal are {legal}")

    def _groups(self, table: Table, semantics: str) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """Give what importances are of, and by column to which of them it belongs."""
        own = table.meaning.feature
        if self.by == "feature":
            return table.meaning.space.names, own
        if semantics == "aware" and len(set(own.tolist())) < len(own):
            raise ValueError(
                "by='column' with semantics='aware': single columns of one feature make rows that "
                "contradict themselves, of which equivalent trees need not say the same; take "
                "by='feature', or semantics='independent'"
            )
        return table.meaning.names, np.arange(len(own), dtype=np.int32)

    def _about(
        self, depth: int, regularization: Fraction, epsilon: Fraction, semantics: str, data: str
    ) -> dict[str, Any]:
        """Say all that a sample depends on, but the seed."""
        out: dict[str, Any] = {
            "max_depth": depth,
            "regularization": str(regularization),
            "epsilon": str(epsilon),
            "semantics": semantics,
            "importance": self.importance,
            "by": self.by,
            "data": data,
        }
        if self.importance in ("permutation-sampled", PER_TREE):
            out["n_repeats"] = int(self.n_repeats)
        return out

    # -- what comes out ------------------------------------------------------------------------

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
        shown = ", ".join(map(repr, names[:12])) + (", ..." if len(names) > 12 else "")
        raise ValueError(f"no feature {feature!r:.80}: there are {shown}, or their positions")

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
            raise ValueError("samples is empty: name at least one")
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

    def plot(
        self, kind: str = "box", features: Any = None, ax: Any = None, *, pooled: bool | None = None
    ) -> Any:
        """Draw the distributions, with and without the correction side by side.

        Parameters
        ----------
        kind : "box", "cdf" or "violin"
            Boxes show quartiles, median and the middle 90 %, a dot the mean. "cdf" shows the share
            of models up to each importance. The two halves of a violin show how dense importances
            are.
        features : list of str or int, optional
            By default those of some importance, the most important on average first; of many the
            first 12 (for "cdf" 3).
        ax : matplotlib Axes, optional
            By default those of a new figure.
        pooled : bool, optional
            See ``distribution``.

        Returns
        -------
        matplotlib Axes
        """
        from ...output.plots import draw

        return draw(self, kind, features, ax, pooled)


def _seed(given: Any) -> int | None:
    """Give the number that all samples are drawn from; None for any."""
    random = generator(given)  # refuses what is none
    if given is None:
        return None
    if isinstance(given, int | np.integer):
        return int(given)
    return _drawn(random)


def _drawn(random: np.random.Generator) -> int:
    return int.from_bytes(random.bytes(16), "little")


def _data_hash(table: Table, codes: NDArray[np.int32], classes: tuple[Any, ...]) -> str:
    """Give digits that are the same for the same columns, meanings and labels only."""
    means = table.meaning
    out = hashlib.sha256()
    words = (means.names, means.space.names, classes, table.bits.shape)
    out.update(repr(words).encode())
    for array in (table.bits, codes, means.feature, means.threshold, means.one_is_true,
                  means.set_start, means.set_values):  # fmt: skip
        out.update(np.ascontiguousarray(array).tobytes())
    return out.hexdigest()
