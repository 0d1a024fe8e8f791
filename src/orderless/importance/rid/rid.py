"""RashomonImportance: how important a feature is over all near-optimal models of many samples.

In:  complete rows and labels.
Out: ``RashomonImportance``: by feature a distribution of importances, with every function counted
     once, or once for each of its trees; and how far the two are apart.
Paper: Section 5.2; docs/decisions/0007.
"""

from __future__ import annotations

import warnings
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from ...errors import NeverOffered
from ...inputs import counted, generator, names_of, some_names
from ...model import Space
from ...rashomon import LIMIT, MEMORY, Resampled
from ..permutation import BY
from .bootstrap import KINDS, PER_TREE, Bootstraps, Custom, Tally, in_parallel
from .checkpoint import Checkpoint
from .distributions import Distribution, kolmogorov_smirnov, wasserstein

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NEVER_OFFERED", "RashomonImportance"]

NEVER_OFFERED = "never offered"  # what is said of a feature that no tree could ask about
QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}

SEMANTICS = ("aware", "independent")


class RashomonImportance(BaseEstimator):  # type: ignore[misc]
    r"""The Rashomon importance distribution (RID), each function counted once.

    Many models explain a data set about equally well, and another sample would have others.
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
    importance : str, or function
        "permutation", "permutation-sampled", "permutation-per-tree" or "conditional":
        The accuracy on the sample that is lost when a feature's values are handed to other rows:
        the expectation over all permutations; the mean over ``n_repeats`` permutations, the same
        for all functions of the sample; the mean over ``n_repeats`` permutations that are drawn
        anew for every function and for every tree, as a program does that goes through a list of
        trees (the paper's; two trees that are one function then differ by chance); or the
        expectation over all permutations among rows that agree on the columns of all other
        features. A function is called for each near-optimal function of each sample, as
        ``importance(tree, X, y)``, with a tree that is the function, the 0/1 columns of the
        sample's rows and their labels; it returns a number for each of ``features_``, and must
        depend on what the tree decides only (``ol.permutation_importance`` is one).
    by : "feature" or "column"
        What is permuted: all columns of a feature together, or each 0/1 column by itself. Single
        columns of one feature make rows that contradict themselves, of which equivalent trees need
        not say the same, so "column" goes with semantics "independent".
    pooled : bool
        What the answers are by default: whether all models of all samples weigh the same, as in the
        authors' program, so that a sample with many models has more say; or all samples (RID).
    loss, decimals
        Whether trees predict classes ("errors") or numbers, and how numbers are judged; see
        ``RashomonSet``. Of numbers an importance is the mean squared (or absolute) error on the
        sample that is added, in the units of y (squared).
    thresholds, space
        Where numbers are cut ("all": between each two neighbouring values), and what the columns
        mean; see ``RashomonSet``.
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
        What has an importance: all features of X, or all 0/1 columns.
    n_functions_, n_trees_ : array
        By bootstrap sample how many functions, and trees without trivial splits, are near-optimal.
    classes_ : array
        For classification.
    seed_ : int
        What all samples were drawn from.
    binarizer_ : the fitted binarizer, of the numbers in the table, or None
    offered_ : array of bool
        By one of ``features_`` whether some tree could ask about it. Of the others nothing is
        known: their importance is NaN, not 0, and ``fit`` warns of them.
    left_out_ : tuple of str
        Features that no tree can ask about: constant ones, and numbers for which the binarizer
        found no threshold (``thresholds="all"``, or a number of quantiles, offers these).
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
    >>> found = ol.RashomonImportance(n_bootstraps=20, thresholds=5, random_state=0).fit(X, y)
    >>> found.summary()[["feature", "mean", "q05", "median", "q95"]].round(3)
            feature   mean    q05  median    q95
    0   petal width  0.318  0.121   0.321  0.489
    1  petal length  0.201  0.000   0.238  0.380
    2  sepal length  0.030  0.000   0.000  0.168
    3   sepal width  0.007  0.000   0.000  0.052
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
        importance: str | Custom = "permutation",
        by: str = "feature",
        pooled: bool = False,
        loss: str = "errors",
        decimals: int | None = None,
        thresholds: Any = "guess",
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
        self.loss = loss
        self.decimals = decimals
        self.thresholds = thresholds
        self.space = space
        self.n_repeats = n_repeats
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.limit = limit
        self.memory_limit = memory_limit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Find the near-optimal functions of every sample, and their importances.

        X and y are those of ``RashomonSet.fit``. scikit-learn's ``check_estimator`` passes.
        """
        self._check()
        data = Resampled.read(self, X, y)
        semantics = self.semantics or ("aware" if self.by == "feature" else "independent")
        names, group = self._groups(data, semantics)
        seed, file = _seed(self.random_state), None
        if self.checkpoint is not None:
            file = Checkpoint(self.checkpoint, self._about(data, semantics), seed, len(names))
            seed = file.seed
        if seed is None:
            seed = _drawn(np.random.default_rng())
        work = Bootstraps(
            data, group, len(names), semantics=semantics, importance=self.importance,
            n_repeats=int(self.n_repeats), limit=int(self.limit), seed=seed,
        )  # fmt: skip
        self.offered_ = _offered(data, group, len(names))
        self._tallies_ = tallies = self._run(work, file)
        self.features_ = names
        self.n_functions_ = np.array([tally.n_functions for tally in tallies])
        self.n_trees_ = np.array([tally.n_trees for tally in tallies])
        if data.problem.task == "classification":
            self.classes_ = np.array(data.problem.classes)
        self.seed_ = seed
        self.binarizer_ = data.table.binarizer
        self.left_out_ = data.problem.left_out
        self.n_features_in_ = len(data.columns.space.columns)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if (columns := names_of(X)) is not None:
            self.feature_names_in_ = columns
        self._warn_of_features_never_offered()
        return self

    def _warn_of_features_never_offered(self) -> None:
        missing = [
            name for name, there in zip(self.features_, self.offered_, strict=True) if not there
        ]
        if missing:
            warnings.warn(
                f"{len(missing):,} of {len(self.features_):,} {self.by}s were never offered to any "
                f"tree, because they are constant or the binarizer found no threshold for them: "
                f"{some_names(missing)}. Their importance is NaN, not 0; thresholds='all', or a "
                "number of quantiles, offers every number that varies",
                NeverOffered,
                stacklevel=3,
            )

    def _run(self, work: Bootstraps, file: Checkpoint | None) -> tuple[Tally, ...]:
        done: dict[int, Tally] = {}
        numbers = range(int(self.n_bootstraps))
        if file is not None:
            file.start(work.seed)
            done = {number: file.tallies[number] for number in numbers if number in file.tallies}
        todo = [number for number in numbers if number not in done]
        try:
            with counted("bootstraps", len(numbers), len(done)) as advance:
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
        for name in ("n_bootstraps", "n_repeats", "limit"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
                raise ValueError(f"{name} must be a whole number from 1, got {given!r:.80}")
        if callable(self.importance) and self.checkpoint is not None:
            raise ValueError(
                "checkpoint cannot be used with a function as importance, because a file cannot "
                "tell whether the function is still the same: leave checkpoint out"
            )
        for name, allowed in (("importance", KINDS), ("by", BY), ("semantics", (*SEMANTICS, None))):
            if name == "importance" and callable(self.importance):
                continue
            if getattr(self, name) not in allowed:
                words = ", ".join(map(repr, allowed))
                raise ValueError(f"{name} must be one of {words}, got {getattr(self, name)!r:.80}")

    def _groups(self, data: Resampled, semantics: str) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """Return what importances are of, and by column to which of them it belongs."""
        own = data.columns.feature
        if self.by == "feature":
            return data.columns.space.names, own
        if semantics == "aware" and len(set(own.tolist())) < len(own):
            raise ValueError(
                "by='column' with semantics='aware': single columns of one feature make rows that "
                "contradict themselves, of which equivalent trees need not say the same; take "
                "by='feature', or semantics='independent'"
            )
        return data.columns.names, np.arange(len(own), dtype=np.int32)

    def _about(self, data: Resampled, semantics: str) -> dict[str, Any]:
        """Say all that a sample depends on, but the seed."""
        out: dict[str, Any] = {
            "max_depth": data.rules.max_depth,
            "regularization": str(data.rules.regularization),
            "epsilon": str(data.rules.epsilon),
            "semantics": semantics,
            "importance": self.importance,
            "by": self.by,
            "data": data.digest,
        }
        if self.importance in ("permutation-sampled", PER_TREE):
            out["n_repeats"] = int(self.n_repeats)
        return out

    # -- what can be asked once it is fitted ---------------------------------------------------

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
        """Return the importances that a feature has, and their shares.

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
        result = self._distribution(feature, correct_equivalence, pooled)
        return result.values, result.weights

    def cdf(
        self,
        feature: Any,
        k: ArrayLike,
        *,
        correct_equivalence: bool | None = None,
        pooled: bool | None = None,
    ) -> Any:
        """Return the share of models to which a feature has an importance of ``k`` at most.

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
        """Return the smallest importance k with ``cdf(feature, k) >= q``.

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
            spread = self._distribution(name, correct_equivalence, pooled)
            lines.append(
                {
                    "feature": name,
                    "mean": spread.mean,
                    "std": spread.std,
                    "min": spread.values[0],
                    **{word: spread.quantile(q) for word, q in QUANTILES.items()},
                    "max": spread.values[-1],
                    "positive": 1 - spread.cdf(0.0),
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
        """Return the same, of some of the bootstrap samples only; nothing is fitted again.

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
                ks, p = kolmogorov_smirnov(one, two)
                distance = wasserstein(one, two)
            lines.append((name, ks, p, distance, *totals, one.size, two.size))
        columns = [
            "feature", "ks", "p", "wasserstein", "n_functions", "n_trees", "effective_functions",
            "effective_trees",
        ]  # fmt: skip
        return pd.DataFrame(lines, columns=columns)

    def plot(
        self, kind: str = "box", features: Any = None, ax: Any = None, *, pooled: bool | None = None
    ) -> Any:
        """Draw the distributions, with and without the correction side by side; give the Axes.

        Parameters
        ----------
        kind : "box", "cdf" or "violin"
            Boxes show quartiles, median and the middle 90%, a dot the mean. "cdf" shows the share
            of models up to each importance. The two halves of a violin show how dense importances
            are.
        features : list of str or int, optional
            By default those of some importance, the most important on average first; of many the
            first 12 (for "cdf" 3). Features that no tree was offered are named, not drawn.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        pooled : bool, optional
            See ``distribution``.
        """
        from ...output.plots import draw_distributions

        return draw_distributions(self, kind, features, ax, pooled)


def _offered(data: Resampled, group: NDArray[np.int32], n_groups: int) -> NDArray[np.bool_]:
    """Tell, by what has an importance, whether one of its columns divides the rows."""
    bits = data.problem.bits
    varies = bits.any(axis=0) & ~bits.all(axis=0)
    out = np.zeros(n_groups, dtype=bool)
    out[group[varies]] = True
    return out


def _seed(given: Any) -> int | None:
    """Return the number that all samples are drawn from; None for any."""
    random = generator(given)  # refuses what is none
    if given is None:
        return None
    if isinstance(given, int | np.integer):
        return int(given)
    return _drawn(random)


def _drawn(random: np.random.Generator) -> int:
    return int.from_bytes(random.bytes(16), "little")
