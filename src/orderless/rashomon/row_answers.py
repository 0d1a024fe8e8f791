"""What a whole set of trees can be asked about rows.

In:  a set of trees, rows.
Out: the methods ``predict``, ``predict_proba``, ``multiplicity``, ``ambiguity``, ``discrepancy`` of
     ``TreeSet``.
Paper: Section 6.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import Label
from . import answers
from .answers import Sampled
from .engine import Source
from .functions import FunctionSet
from .view import View

__all__ = ["LIMIT", "RowAnswers"]

LIMIT = 5_000_000  # functions that are listed unless more are asked for


class RowAnswers(ABC):
    """The part of ``TreeSet`` that is about rows."""

    @property
    @abstractmethod
    def _source(self) -> Source: ...

    @property
    @abstractmethod
    def _view(self) -> View: ...

    @property
    @abstractmethod
    def classes(self) -> tuple[Label, ...]:
        """The class labels, sorted."""

    @abstractmethod
    def functions(self, *, limit: int = LIMIT, semantics: str | None = None) -> FunctionSet:
        """Give the different functions."""

    @abstractmethod
    def sample_functions(
        self, k: int, *, random_state: Any = None, limit: int = LIMIT
    ) -> FunctionSet:
        """Draw functions."""

    @abstractmethod
    def _not_empty(self) -> None: ...

    def predict(self, X: Any, *, limit: int = LIMIT) -> Any:
        """Give each row the class of the best tree that is determined on it.

        A row with unknowns is determined by a tree if every completion gets the same class there.
        The smallest objective decides; of several classes at the same objective, the first.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            NaN, None, NA and null are unknown.
        limit : int
            Most functions that are tried, where trees have to be tried one by one: for a list of
            trees, and for rows of which a categorical feature is known in part.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
            Masked where no tree is determined.

        Notes
        -----
        The paper's Section 6. No tree is enumerated: dynamic programming over the compressed set,
        cost distinct rows x edges.
        """
        self._not_empty()
        return answers.predict(self._source, self._view, X, limit)

    def _voters(self, sample: int | None, random_state: Any, limit: int) -> FunctionSet:
        self._not_empty()
        if sample is None:
            return self.functions(limit=limit)
        if isinstance(sample, bool) or not isinstance(sample, int | np.integer) or sample < 1:
            raise ValueError(f"sample={sample!r}: legal are whole numbers from 1, and None for all")
        return self.sample_functions(sample, random_state=random_state, limit=limit)

    def multiplicity(
        self, X: Any, *, sample: int | None = None, random_state: Any = None, limit: int = LIMIT
    ) -> Any:
        """Count, for each row, the functions that give it each class.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.
        sample : int, optional
            Ask only so many functions, drawn uniformly. The answer is then a ``Sampled``.
        random_state : int, RandomState, Generator or None
        limit : int
            Most functions; more are an error.

        Returns
        -------
        array of int, rows by classes (``classes`` has their order), or Sampled of it
        """
        voters = self._voters(sample, random_state, limit)
        bits = answers.complete_rows(self._source.problem.meaning, X)
        counts = voters.votes(bits, len(self.classes))
        return counts if sample is None else Sampled(counts, len(voters))

    def predict_proba(
        self, X: Any, *, sample: int | None = None, random_state: Any = None, limit: int = LIMIT
    ) -> Any:
        """Give, for each row, the share of the distinct functions that give it each class.

        A vote, each function counted once: not a probability of the class. Parameters are those of
        ``multiplicity``.
        """
        counts = self.multiplicity(X, sample=sample, random_state=random_state, limit=limit)
        if sample is None:
            return counts / counts.sum(axis=1, keepdims=True)
        share = counts.value / counts.n_functions
        error = np.sqrt(share * (1 - share) / counts.n_functions)
        return Sampled(share, counts.n_functions, error)

    def ambiguity(self, X: Any, y: Any = None, *, limit: int = LIMIT) -> float:
        """Give the share of rows on which some function differs from the best one.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.
        y : labels, optional
            With labels: the share of rows for which some function is right and some is wrong,
            which is the same where there are two classes.
        limit : int
            Most functions; more are an error.
        """
        counts = self.multiplicity(X, limit=limit)
        self._some(counts)
        if y is None:
            return float(np.mean((counts > 0).sum(axis=1) > 1))
        labels = {label: i for i, label in enumerate(self.classes)}
        codes = [labels.get(label) for label in np.asarray(y).tolist()]
        if len(codes) != len(counts):
            raise InvalidData(f"X has {len(counts)} rows and y has {len(codes)} labels")
        total = counts.sum(axis=1)
        right = np.array(
            [0 if c is None else row[c] for c, row in zip(codes, counts.tolist(), strict=True)]
        )
        return float(np.mean((right > 0) & (right < total)))

    def discrepancy(self, X: Any, *, limit: int = LIMIT) -> float:
        """Give the largest share of rows on which one function differs from the best one."""
        trees = self._voters(None, None, limit).table().trees
        bits = answers.complete_rows(self._source.problem.meaning, X)
        self._some(bits)
        return float(answers.differing(trees, trees[:1], bits).max())

    def _some(self, rows: NDArray[Any]) -> None:
        if not len(rows):
            raise InvalidData("there are no rows")
