"""What changed between two models, of which each is a tree or an ensemble.

In:  two models, and rows if there are some.
Out: ``Difference``; its regions where both are, or become, one tree.
"""

from __future__ import annotations

from typing import Any

from ..errors import InvalidTree, OutOfTime, TooLarge, Undecided
from ..form import Both, Difference, Shift, changed_rows, tree_difference
from ..inputs import rows_for
from ..model import TIME_LIMIT, Label, SumKernel, TreeKernel, in_budget
from ..questions.rows import answer_of, predict
from ..questions.splitting import tree_of_ensemble
from ..readers import read_model
from .compare import counterexample

__all__ = ["difference"]

RULES_LIMIT = 1_000_000
LEAVES = 1_000


@in_budget
def difference(
    old: Any,
    new: Any,
    X: Any = None,
    *,
    exact: bool = True,
    limit: int = RULES_LIMIT,
    leaves: int = LEAVES,
    time_limit: float | None = TIME_LIMIT,
) -> Difference:
    """Account exactly for the change from one model to another: where they differ, and how.

    Parameters
    ----------
    old, new : Tree, CanonicalForm, Ensemble, or any model that a reader knows
        Features compare by name, answers by label, as for ``equivalent``: models over different
        spaces are compared on the values that each feature has in both.
    X : rows, optional
        Rows that both models can take; the account then also says which of them change.
    exact : bool
        Whether the rules are proven to be the fewest. Where that takes more than ``limit`` reasons
        or the time limit, they are not, and ``Difference.exact`` says so.
    limit : int
        How many reasons are listed to find the fewest rules.
    leaves : int
        How many leaves an ensemble may take as one tree. Where it takes more there are no rules;
        ``Difference.note`` says so, and there is still an example row.
    time_limit : float
        Seconds that finding the rules may take in all: half of it the fewest, the rest any of which
        none can be left out. For ensembles, seconds of each search besides.

    Returns
    -------
    Difference
        True if the models differ.

    Raises
    ------
    Undecided
        If an ensemble does not become one tree, and neither a row on which the two differ nor a
        proof that there is none was found.

    Notes
    -----
    Both trees are asked one after the other, and the pairs of answers are the classes of a tree
    whose rules are found as those of ``canonicalize``. So the rules of one change may overlap, and
    those of two changes never do. Cost: pairs of leaves that meet, and the rules.

    Examples
    --------
    >>> from orderless import Space, read
    >>> old = {"feature": "age", "relation": "<=", "reference": 25,
    ...        "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}
    >>> space = Space({"age": int, "income": int})
    >>> new = {"feature": "income", "relation": "<=", "reference": 20, "true": old,
    ...        "false": {"prediction": "grant"}}
    >>> before, after = (read(tree, space=space) for tree in (old, new))
    >>> print(difference(before, after, [[23, 10], [23, 30], [40, 30]]))
    The models differ on 25 % of the space.
    Of the 3 rows 1 changes.
    <BLANKLINE>
    refuse -> grant:
      age <= 25 AND income > 20
      1 of the rows, counted from 0: 1
    """
    models = [read_model(old), read_model(new)]
    if models[0].task != models[1].task:
        raise InvalidTree(
            "a model of classes and one of numbers cannot be compared: cut the numbers with "
            "discretize([level]) first"
        )
    trees = []
    for model in models:
        try:
            trees.append(
                model
                if isinstance(model, TreeKernel)
                else tree_of_ensemble(model, leaves, time_limit, "leaves")
            )
        except (TooLarge, OutOfTime, Undecided) as fault:
            return _without_rules(models, X, time_limit, str(fault))
    if X is not None and any(isinstance(model, SumKernel) for model in models):
        found = tree_difference(trees[0], trees[1], limit=limit, time_limit=time_limit, exact=exact)
        return _with_rows(found, models, X)
    return tree_difference(trees[0], trees[1], X, limit=limit, time_limit=time_limit, exact=exact)


def _with_rows(found: Difference, models: list[Any], X: Any) -> Difference:
    """Add what the models themselves say of rows."""
    met = _met(models, X)
    return Difference(
        found.same,
        changed_rows(met, found.shifts),
        found.task,
        found.share_of_space,
        found.training,
        len(met),
        sum(a is None or b is None for a, b in met),
        found.exact,
        found.note,
    )


def _without_rules(models: list[Any], X: Any, time_limit: float | None, why: str) -> Difference:
    """Say what is known of two models that do not become trees: whether they differ, and rows."""
    met = None if X is None else _met(models, X)
    shifts = changed_rows(met or [], ())
    row = counterexample(*models, time_limit=time_limit) if not shifts else None
    if row is not None:
        says = [answer_of(model, row) for model in models]
        shifts = (Shift(says[0], says[1], None, row),)
    n_open = sum(a is None or b is None for a, b in met or [])
    note = "" if not shifts else f"There are no rules of the regions: {why}."
    rows = None if met is None else len(met)
    return Difference(not shifts, shifts, models[0].task, None, None, rows, n_open, True, note)


def _met(models: list[Any], X: Any) -> list[tuple[Label | None, Label | None]]:
    lists = []
    for model, rows in zip(models, X if isinstance(X, Both) else (X, X), strict=True):
        own = rows_for(model, rows)
        lists.append(predict(model, own).tolist())
    return list(zip(*lists, strict=True))
