"""Displays as scikit-learn has them: computed once, drawn as often as one likes.

In:  a fitted estimator or a tree, and rows.
Out: ``CoverageDisplay``, ``RulesDisplay``, ``RashomonDisplay``, each with ``from_estimator``,
     ``plot`` and, once drawn, ``ax_`` and ``figure_``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from sklearn.utils.validation import check_is_fitted

from ...api import CanonicalForm, canonicalize
from ...estimators import Coverage, coverage
from ...rashomon import RashomonSet, TreeSet
from .rashomon import plot_map, plot_objectives, plot_sizes
from .regions import plot_rules

__all__ = ["CoverageDisplay", "RashomonDisplay", "RulesDisplay"]

KINDS = {"objectives": plot_objectives, "sizes": plot_sizes, "map": plot_map}


class _Display:
    """Remembers where it was drawn."""

    ax_: Any
    figure_: Any

    def _drawn(self, ax: Any) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


class CoverageDisplay(_Display):
    """The share of rows that are still answered while values go missing.

    Parameters
    ----------
    coverage : Coverage
        What ``orderless.coverage`` found; ``from_estimator`` computes it.

    Attributes
    ----------
    coverage : Coverage
        The numbers are in ``coverage.table``.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Examples
    --------
    >>> import matplotlib
    >>> import orderless as ol
    >>> matplotlib.use("agg")
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = ol.datasets.load("wisconsin")
    >>> model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    >>> display = CoverageDisplay.from_estimator(model, X, y, missing_rates=(0.0, 0.5))
    >>> display.ax_.get_ylabel()
    'share of rows answered'
    """

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        ax: Any = None,
        by: Literal["rate", "width"] | None = None,
        **options: Any,
    ) -> Self:
        """Let values of X go missing, and draw what is still answered.

        Parameters
        ----------
        estimator : Tree, CanonicalForm, or any model that ``orderless.read`` knows
        X : array or data frame
            Rows that are complete in what the tree asks about.
        y : labels or numbers, optional
            For the accuracy, or the absolute error, in ``coverage.table``.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        by : "rate" or "width", optional
            As of ``Coverage.plot``.
        **options
            As of ``orderless.coverage``: ``missing_rates``, ``level``, ``mechanism``,
            ``n_repeats``, ``random_state``, ``space``.

        Returns
        -------
        CoverageDisplay
        """
        return cls(coverage(estimator, X, y=y, **options)).plot(ax, by=by)

    def plot(self, ax: Any = None, *, by: Literal["rate", "width"] | None = None) -> Self:
        """Draw it, by default on a new figure; give the display."""
        return self._drawn(self.coverage.plot(ax, by=by))


class RulesDisplay(_Display):
    """What a tree decides over two features, as boxes.

    Parameters
    ----------
    form : CanonicalForm
        What the tree decides; ``from_estimator`` computes it.

    Attributes
    ----------
    form : CanonicalForm
        The terms are in ``form.rules`` and ``form.reasons``.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Examples
    --------
    >>> import matplotlib
    >>> import orderless as ol
    >>> matplotlib.use("agg")
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = ol.datasets.load("spiral")
    >>> model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y)
    >>> display = RulesDisplay.from_estimator(model, X)
    >>> sorted(display.form.rules)
    [0.0, 1.0]
    """

    def __init__(self, form: CanonicalForm) -> None:
        self.form = form

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        features: Sequence[str] | None = None,
        known: Mapping[str, Any] | None = None,
        terms: Literal["rules", "reasons"] = "rules",
        ax: Any = None,
    ) -> Self:
        """Read a tree, and draw its rules over two features.

        Parameters
        ----------
        estimator : Tree, CanonicalForm, or any model that ``orderless.read`` knows
        X : array or data frame, optional
            Rows, drawn as dots.
        features : two names, optional
            Across and up. May be left out where the tree asks about two features.
        known : dict of feature -> value, optional
            Values of other features.
        terms : "rules" or "reasons"
            The fewest boxes that cover each class, or all maximal ones.
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        RulesDisplay
        """
        form = estimator if isinstance(estimator, CanonicalForm) else canonicalize(estimator)
        return cls(form).plot(ax, X=X, features=features, known=known, terms=terms)

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw it, by default on a new figure; ``options`` as of ``orderless.plot_rules``."""
        return self._drawn(plot_rules(self.form, ax=ax, **options))


class RashomonDisplay(_Display):
    """All near-optimal trees in one picture.

    Parameters
    ----------
    trees : TreeSet

    Attributes
    ----------
    trees : TreeSet
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Examples
    --------
    >>> import matplotlib
    >>> import orderless as ol
    >>> matplotlib.use("agg")
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5
    >>> rset = ol.RashomonSet(max_depth=2, epsilon=0.3).fit(X, [0, 0, 0, 1] * 5)
    >>> RashomonDisplay.from_estimator(rset).ax_.get_xlabel()
    'objective'
    """

    def __init__(self, trees: TreeSet) -> None:
        self.trees = trees

    @classmethod
    def from_estimator(
        cls,
        estimator: RashomonSet,
        *,
        kind: Literal["objectives", "sizes", "map"] = "objectives",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw a fitted set.

        Parameters
        ----------
        estimator : fitted RashomonSet
        kind : "objectives", "sizes" or "map"
            How many trees have which objective, how many trees and functions there are, or
            functions by how often they differ.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **options
            Of a map: ``most`` and ``random_state``.

        Returns
        -------
        RashomonDisplay
        """
        if not isinstance(estimator, RashomonSet):
            came = type(estimator).__qualname__
            raise TypeError(f"from_estimator takes a fitted RashomonSet, got {came}")
        check_is_fitted(estimator)
        return cls(estimator.trees_).plot(ax, kind=kind, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: Literal["objectives", "sizes", "map"] = "objectives",
        **options: Any,
    ) -> Self:
        """Draw it, by default on a new figure; give the display."""
        if not isinstance(self.trees, TreeSet):
            came = type(self.trees).__qualname__
            raise TypeError(f"a RashomonDisplay takes a TreeSet, got {came}")
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r:.80}")
        if options and kind != "map":
            raise TypeError(f"only kind='map' takes {', '.join(options)}")
        return self._drawn(KINDS[kind](self.trees, ax, **options))
