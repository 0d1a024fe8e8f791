"""Bootstrap samples: their near-optimal functions, and how these spread over importances.

In:  the data as distinct rows, with the rules of their Rashomon sets; a seed.
Out: a ``Tally`` for each: by feature, how many functions and how many trees have each importance
     (the accuracy that is lost, or the error of numbers that is added); ``in_parallel`` makes
     many, here or on a cluster.
Paper: Section 5.2, which averages over five permutations ("permutation-sampled").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...api import Tree
from ...errors import InvalidData, TooLarge
from ...model import Label, distinct_rows
from ...rashomon import FlatTrees, Resampled, Target
from ..permutation import askers, permuted_errors, sampled_losses
from .drawn import drawn_losses
from .losses import drawn_number_losses, number_importances

__all__ = ["KINDS", "PER_TREE", "Bootstraps", "Sample", "Tally", "in_parallel"]

PER_TREE = "permutation-per-tree"  # in drawn.py: not a property of the function alone
KINDS = ("permutation", "permutation-sampled", PER_TREE, "conditional")
DIGITS = 12  # of conditional importances: beyond them, floats depend on the order of adding
AHEAD = 4  # samples per worker that are sent together where results cannot come one by one

T = TypeVar("T")
Custom = Callable[[Tree, NDArray[np.uint8], NDArray[Any]], ArrayLike]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct rows of 0/1 columns, with what is permuted together.

    Attributes
    ----------
    bits : array of 0/1, rows x columns
    y : array of int
        By row the number of its class.
    weight : array of int
        By row; a row of weight w is w rows.
    n_classes : int
    group : array of int
        By column the number of the feature with which it is permuted.
    n_groups : int
    target : Target, where rows have numbers
        ``y`` is then what it calls their labels.
    """

    bits: NDArray[np.uint8]
    y: NDArray[np.int32]
    weight: NDArray[np.int64]
    n_classes: int
    group: NDArray[np.int32]
    n_groups: int
    target: Target | None = None


@dataclass(frozen=True, eq=False)
class Tally:
    """How the near-optimal functions of one sample spread over importances.

    Attributes
    ----------
    n_functions : int
    n_trees : int
        Trees without trivial splits.
    values : tuple of arrays
        By feature the importances that occur, ascending.
    functions, trees : tuple of arrays
        By feature, beside each value, how many functions, and how many of their trees, have it.
    """

    n_functions: int
    n_trees: int
    values: tuple[NDArray[np.float64], ...]
    functions: tuple[NDArray[np.float64], ...]
    trees: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, table: NDArray[np.float64], n_trees: NDArray[np.uint64]) -> Tally:
        """Count a table of functions x features, each function with its number of trees."""
        weight = n_trees.astype(np.float64)
        nothing = (np.zeros(1), np.array([float(len(table))]), weight.sum(keepdims=True))
        matter = set(np.flatnonzero(table.any(axis=0)).tolist())
        columns = []
        for feature, column in enumerate(np.ascontiguousarray(table.T)):
            if feature not in matter:  # most, mostly
                columns.append(nothing)
                continue
            values, which = np.unique(column, return_inverse=True)
            columns.append(
                (values, np.bincount(which).astype(np.float64), np.bincount(which, weight))
            )
        return cls(len(table), sum(n_trees.tolist()), *zip(*columns, strict=True))

    @classmethod
    def of_draws(
        cls, trees: FlatTrees, sample: Sample, n_trees: NDArray[np.uint64], n_repeats: int,
        random: np.random.Generator,
    ) -> Tally:  # fmt: skip
        """Draw permutations for every function once, and again for each of its trees."""
        sizes = n_trees.astype(np.int64)
        n_functions, total = len(trees), int(sizes.sum())
        lost: dict[int, tuple[list[Any], list[Any]]] = {}
        # One draw for the function itself, then one for each of its trees.
        draws = drawn_losses if sample.target is None else drawn_number_losses
        for group, functions, losses in draws(trees, sample, 1 + sizes, n_repeats, random):
            first = np.diff(functions, prepend=-1) != 0
            parts = lost.setdefault(group, ([], []))
            parts[0].append(losses[first])
            parts[1].append(losses[~first])
        nothing = (np.zeros(1), np.array([float(n_functions)]), np.array([float(total)]))
        columns = [nothing] * sample.n_groups
        for group, both in lost.items():
            drawn = [np.concatenate(part) for part in both]
            values = np.unique(np.concatenate([*drawn, np.zeros(1)]))
            counts = [
                np.bincount(np.searchsorted(values, part), minlength=len(values)).astype(float)
                for part in drawn
            ]
            for count, part, size in zip(counts, drawn, (n_functions, total), strict=True):
                count[np.searchsorted(values, 0.0)] += size - len(part)
            columns[group] = (values, counts[0], counts[1])
        return cls(n_functions, total, *zip(*columns, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers for JSON, by feature [values, functions, trees]."""
        parts = zip(self.values, self.functions, self.trees, strict=True)
        return {
            "functions": self.n_functions,
            "trees": self.n_trees,
            "importances": [[part.tolist() for part in feature] for feature in parts],
        }

    @classmethod
    def from_dict(cls, given: Any, n_features: int) -> Tally:
        """Read what ``to_dict`` gave; refuse what does not fit together."""
        try:
            columns = [
                tuple(np.array(part, dtype=np.float64) for part in feature)
                for feature in given["importances"]
            ]
            out = cls(int(given["functions"]), int(given["trees"]), *zip(*columns, strict=True))
        except (KeyError, TypeError, ValueError) as fault:
            raise InvalidData(f"these are not the counts of a bootstrap: {fault!r:.80}") from None
        good = len(out.values) == n_features and all(
            len(values) == len(functions) == len(trees)
            and functions.sum() == out.n_functions
            and np.isclose(trees.sum(), out.n_trees)
            for values, functions, trees in zip(out.values, out.functions, out.trees, strict=True)
        )
        if not good:
            raise InvalidData("the counts of a bootstrap do not add up")
        return out


@dataclass(frozen=True, eq=False)
class Bootstraps:
    """All bootstrap samples of a data set, each drawn from a seed of its own.

    Attributes
    ----------
    data : Resampled
    group : array of int
        By 0/1 column what it is permuted with.
    n_groups : int
    semantics : str
        When two trees are one function.
    importance : str, or function
        What is asked of each function.
    n_repeats : int
        For sampled permutations.
    limit : int
        Most functions in a sample.
    seed : int
    """

    data: Resampled
    group: NDArray[np.int32]
    n_groups: int
    semantics: str
    importance: str | Custom
    n_repeats: int
    limit: int
    seed: int

    def random(self, number: int) -> np.random.Generator:
        """Return the generator of one sample, whatever the others draw."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))

    def __call__(self, number: int) -> Tally:
        """Find the near-optimal functions of one sample, and count their importances."""
        data, random = self.data, self.random(number)
        problem = data.sample(data.draw(random))
        functions = data.functions(problem, self.semantics, self.limit)
        sample = Sample(
            problem.table.bits, problem.table.labels, problem.amounts,
            len(problem.classes), self.group, self.n_groups, problem.table.target,
        )  # fmt: skip
        if self.importance == PER_TREE:
            if (total := sum(functions.n_nontrivial.tolist())) > self.limit:
                raise TooLarge(
                    f"a sample has {total:,} near-optimal trees, more than limit={self.limit:,}, "
                    f"and importance={PER_TREE!r} draws permutations for each: raise limit=, or "
                    "take importance='permutation-sampled'",
                    total,
                )
            return Tally.of_draws(
                functions.trees, sample, functions.n_nontrivial, self.n_repeats, random
            )
        if callable(self.importance):
            table = self._custom(self.importance, problem.trees(functions.trees), sample)
        else:
            table = _importances(self.importance, functions.trees, sample, self.n_repeats, random)
        return Tally.of(table, functions.n_nontrivial)

    def _custom(self, importance: Custom, trees: Iterable[Tree], sample: Sample) -> Floats:
        """Ask a function for the importances of each tree, by functions x features."""
        rows = np.repeat(np.arange(len(sample.y)), sample.weight)
        X, y = sample.bits[rows], _answers(sample, self.data.problem.classes)[rows]
        table = []
        for tree in trees:
            values = np.asarray(importance(tree, X, y), dtype=np.float64)
            if values.shape != (self.n_groups,) or not np.isfinite(values).all():
                raise InvalidData(
                    f"importance={importance!r:.80} must return {self.n_groups} finite numbers, "
                    f"one for each of features_, got {values!r:.200}"
                )
            table.append(values)
        return np.stack(table)


def in_parallel(
    work: Callable[[int], T], numbers: Sequence[int], n_jobs: int | None
) -> Iterator[tuple[int, T]]:
    """Return (number, result) in order, through joblib.

    Threads unless ``joblib.parallel_config`` says otherwise: the core works without Python's lock.
    """
    import joblib
    from joblib.parallel import get_active_backend

    call = joblib.delayed(work)
    if getattr(get_active_backend()[0], "supports_return_generator", False):
        parallel = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        yield from zip(numbers, parallel(call(number) for number in numbers), strict=True)
        return
    rest = iter(numbers)  # Ray, and processes of multiprocessing
    with joblib.Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        step = AHEAD * max(1, int(joblib.effective_n_jobs(n_jobs)))
        while some := list(islice(rest, step)):
            yield from zip(some, parallel(call(number) for number in some), strict=True)


def _answers(sample: Sample, classes: tuple[Label, ...]) -> NDArray[Any]:
    """Return the class, or the number, of each row."""
    if sample.target is None:
        return np.array(classes)[sample.y]
    numbers, fine = sample.target.numbers, sample.target.fine
    index, which = np.unique(sample.y.astype(np.int64) * fine, return_inverse=True)
    return np.array([numbers[i] for i in index.tolist()])[which]


# -- importances of many functions at once ---------------------------------------------------------


def _importances(
    kind: str, trees: FlatTrees, sample: Sample, n_repeats: int, random: np.random.Generator
) -> Floats:
    """Return the accuracy that each function loses without each feature, or the error that it adds.

    Parameters
    ----------
    kind : one of ``KINDS``, but ``PER_TREE``
        "permutation": the expectation over all permutations; "permutation-sampled": the mean over
        ``n_repeats``, the same for all functions; "conditional": the expectation over all
        permutations among rows that agree on the columns of all other features.
    """
    if sample.target is not None:
        return number_importances(kind, trees, sample, n_repeats, random)
    if kind == "conditional":
        return _conditional(trees, sample)
    if kind == "permutation-sampled":
        return sampled_losses(
            trees, sample.bits, sample.y, sample.weight, sample.group,
            n_groups=sample.n_groups, n_repeats=n_repeats, random=random,
        )  # fmt: skip
    excess, _, total = permuted_errors(
        trees, sample.bits, sample.y, sample.weight, sample.group,
        n_classes=sample.n_classes, n_groups=sample.n_groups,
    )  # fmt: skip
    return np.asarray(excess / float(total * total))


def _conditional(trees: FlatTrees, sample: Sample) -> Floats:
    r"""Return what is lost within strata.

    In a stratum of n rows, Y of class c, a row that is given class c is right in the share Y / n of
    all permutations. So a function loses the sum over rows of (1 if right, else 0) - Y / n.
    """
    n_rows = len(sample.y)
    right = np.zeros((n_rows, sample.n_classes))
    right[np.arange(n_rows), sample.y] = 1.0
    out = np.zeros((len(trees), sample.n_groups))
    for group, own in enumerate(askers(trees, sample.group, sample.n_groups)):
        if not len(own):
            continue
        _, stratum = distinct_rows(sample.bits[:, sample.group != group] == 1)
        size = np.bincount(stratum, sample.weight)
        share = np.stack(
            [np.bincount(stratum, sample.weight * column) / size for column in right.T], axis=1
        )
        lost = sample.weight[:, None] * (right - share[stratum])
        for part, labels in trees[own].says_in_parts(sample.bits):
            out[own[part], group] = lost[np.arange(n_rows)[None, :], labels].sum(axis=1)
    rounded: Any = np.round(out / sample.weight.sum(), DIGITS) + 0.0
    return np.asarray(rounded, dtype=np.float64)
