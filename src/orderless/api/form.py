"""CanonicalForm: what a tree decides, whatever order it asks in.

In:  a ``Tree``, or any model that is read as one.
Out: ``CanonicalForm``: rules and reasons, as data, text and files.
Paper: Algorithms 1, 4 and 5; departures are in docs/decisions.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Unpack

from ..form import Form, Term, read_form, write_form
from ..model import TIME_LIMIT, Label, Space
from ..output.certificates import Certificate, form_certificate
from ..output.rules import (
    Shown,
    form_as_html,
    form_as_latex,
    form_as_markdown,
    form_as_text,
    form_in_short,
    form_in_short_html,
)
from ..questions import as_one_tree
from .model import LONGEST
from .tree import Tree

__all__ = ["CanonicalForm", "canonicalize"]

LIMIT = 1_000_000


def canonicalize(
    tree: Any, *, limit: int = LIMIT, time_limit: float | None = TIME_LIMIT, exact: bool = True
) -> CanonicalForm:
    """Compute the order-free form of a tree: its shortest rules, and every sufficient reason.

    Parameters
    ----------
    tree : Tree, Ensemble, CanonicalForm, or any model that ``orderless.read`` reads
        An ensemble is read as the one tree that decides the same, which small ensembles have
        (``Ensemble.to_tree``); ``TooLarge`` is raised of others.
    limit : int
        How many reasons a class may have before ``TooManyReasons`` is raised.
    time_limit : float, optional
        Seconds before ``OutOfTime`` is raised, of finding all reasons, or the rules of one class:
        each is a call of its own, made when it is first asked for. None for no limit.
    exact : bool
        Whether rules are proven minimal. If not, they are found without all reasons, quickly for
        trees of any size; none of them can be left out, and ``bounds`` says how far from minimal
        they may be.

    Returns
    -------
    CanonicalForm
        Rules and reasons are computed when they are first asked for.

    Notes
    -----
    The paper's Algorithms 1 and 4, without truth tables: reasons by divide and conquer over the
    tree, rules by covering with lazily found cells. The number of reasons can grow exponentially
    with the leaves; everything else about a tree (equivalence, prediction with unknowns) works
    without them.

    Examples
    --------
    The tree of the paper's second figure has two rules for class 1, and one more reason:

    >>> x3 = {"feature": "x3", "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> x2 = {"feature": "x2", "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> import orderless as ol
    >>> form = ol.canonicalize(ol.read({"feature": "x1", "true": x2, "false": x3},
    ...                            feature_names=["x1", "x2", "x3"]))
    >>> [str(term) for term in form.rules[1]]
    ['not x1 AND x3', 'x1 AND x2']
    >>> [str(term) for term in form.reasons[1]]
    ['not x1 AND x3', 'x2 AND x3', 'x1 AND x2']
    """
    kernel = as_one_tree(tree)
    return CanonicalForm(Form(kernel, limit=limit, time_limit=time_limit, exact=exact))


class CanonicalForm:
    """What a tree decides, whatever order it asks in. Made by ``canonicalize``.

    Rules and reasons are computed when they are first asked for. Two forms are equal if their
    trees decide the same.
    """

    def __init__(self, form: Form) -> None:
        self.form = form

    @cached_property
    def tree(self) -> Tree:
        """The tree it came from."""
        return Tree._of(self.form.tree)

    @property
    def space(self) -> Space:
        """The features, and how the columns of rows describe them."""
        return self.form.space

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels."""
        return self.form.classes

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that the decision depends on, sorted."""
        return self.form.features

    @property
    def fingerprint(self) -> str:
        """32 hex digits that name the function, the same on every machine."""
        return self.form.fingerprint

    @property
    def rules(self) -> dict[Label, tuple[Term, ...]]:
        """The fewest reasons that cover each class (the paper's minimal DNF).

        With ``exact`` proven minimal: fewest rules, then fewest conditions, then first in a fixed
        order. Otherwise none can be left out, and ``bounds`` says how many are needed at least.
        Either way equivalent trees over one space have identical rules, in the same order. With
        facts that does not hold: where ``a = b`` is a fact, rules may be about either. Rules then
        cover the possible rows of a class, and may cover impossible ones too.
        """
        return self.form.rules

    @property
    def reasons(self) -> dict[Label, tuple[Term, ...]]:
        """All sufficient reasons: per class every maximal box on which it is certain.

        The paper's Blake canonical form (its Algorithm 4), for any number of classes and any kinds
        of features. Fewest conditions first.
        """
        return self.form.reasons

    @property
    def bounds(self) -> dict[Label, int]:
        """Per class a proven lower bound on the number of rules."""
        return self.form.bounds

    def predict(self, X: Any, **options: Any) -> Any:
        """Return each row's class, or number, where it is certain; see ``Tree.predict``."""
        return self.tree.predict(X, **options)

    def __eq__(self, other: object) -> bool:
        return self.form == other.form if isinstance(other, CanonicalForm) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.form)

    def __repr__(self) -> str:
        return f"Canonical{self.form!r}"

    def __str__(self) -> str:
        """Write the rules, or in one line why there are none and what to do."""
        return form_in_short(self.form)

    def _repr_html_(self) -> str:
        return form_in_short_html(self.form)

    # -- text and files ------------------------------------------------------------------------

    def to_text(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as aligned text, "IF age <= 25 AND smoker THEN yes".

        Numbers are as short as they can be while they still decide every row the same way.

        Parameters
        ----------
        X : array, data frame, or list of dicts, optional
            Rows; each rule is then shown with how many of them it covers for certain, whatever
            their unknown values are.
        y : array of labels, optional
            The rows' labels; then also how many of the covered rows have the rule's class.
        terms : "rules" or "reasons"
            Reasons are all shown, however many there are.
        about_rows : str
            Which rows X are, in a sentence, such as whether the tree was fitted on them; it is
            written below what the counts are.
        sort : "coverage" or "length", optional
            Within a class, rules that cover the most rows come first, or those with the fewest
            conditions. By default by coverage where X is given, and otherwise in the order of
            ``rules``, which equivalent trees share.
        top : int, optional
            Show at most this many of each class.
        min_rows : int
            Show only those that cover at least this many rows of X; how many are hidden is stated.

        Examples
        --------
        >>> import orderless as ol
        >>> print(ol.canonicalize({"feature": 0, "true": {"prediction": 1},
        ...                     "false": {"prediction": 0}}).to_text())
        2 rules, proven minimal: 1 for 0, 1 for 1.
        <BLANKLINE>
        IF not x0  THEN 0
        <BLANKLINE>
        IF x0      THEN 1
        """
        return form_as_text(self.form, X, y, **shown)

    def to_html(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as an HTML fragment, a table per class; parameters as in ``to_text``."""
        return form_as_html(self.form, X, y, **shown)

    def to_markdown(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as Markdown, a table per class; parameters as in ``to_text``."""
        return form_as_markdown(self.form, X, y, **shown)

    def to_latex(self, X: Any = None, y: Any = None, **shown: Unpack[Shown]) -> str:
        """Write the rules as LaTeX, a list per class, for any engine and without packages.

        Parameters are those of ``to_text``.
        """
        return form_as_latex(self.form, X, y, **shown)

    def certificate(self, *, reasons: int = 1_000) -> Certificate:
        """Certify the rules and reasons: a file that a small independent program checks.

        It states that the rules decide as the tree, that none of them and no reason can be widened,
        and where there are few enough also that the reasons are all that there are, and that fewer
        rules are not enough, with a proof (docs/certificates).

        Parameters
        ----------
        reasons : int
            How many reasons it may list; where there are more, it states none.

        Returns
        -------
        Certificate
            ``not_stated`` says what could not be stated, and why. ``check()`` checks it, ``save``
            writes it.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = {"feature": "snores", "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> form = ol.canonicalize(ol.read(tree, feature_names=["snores"]))
        >>> form.certificate().check()[0]
        'The rules decide as the tree on every row; none can be widened.'
        """
        return form_certificate(self.form, reasons=reasons)

    def to_json(self) -> str:
        """Write the rules and the tree as JSON, which ``CanonicalForm.from_json`` reads."""
        return write_form(self.form)

    @classmethod
    def from_json(
        cls, text: str | bytes, *, limit: int = LONGEST, time_limit: float | None = TIME_LIMIT
    ) -> CanonicalForm:
        """Read what ``to_json`` wrote; its rules are checked against its tree.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        time_limit : float
            Seconds as in ``canonicalize``.
        """
        return cls(read_form(text, limit=limit, time_limit=time_limit))
