"""Decision tables and lists of rules that people wrote: read as a tree, and checked.

In:  rules as CSV (docs/formats).
Out: ``Tree``; ``RuleCheck``: rules that contradict each other, rows that no rule covers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .api import Tree, wrap
from .model import FeatureSpec, Label, Space, Task
from .readers import Gap, Overlap, RuleCheck, check_rules, read_rules

__all__ = ["Gap", "Overlap", "RuleCheck", "check", "read"]

LIMIT = 100_000

check = check_rules


def read(
    source: str | Path,
    *,
    hit: str | None = None,
    output: str | None = None,
    default: Label | None = None,
    space: Space | Mapping[str, FeatureSpec] | None = None,
    ignore: Sequence[str] = (),
    delimiter: str = ",",
    task: Task = "classification",
    limit: int = LIMIT,
) -> Tree:
    r"""Read a decision table, or a list of rules, as a tree.

    Parameters
    ----------
    source : path of a CSV file, or its text
        A header, and a rule per line. Of a decision table every column is a feature, and the last
        the output. Cells are ``<= 30``, ``> 5``, ``= 3``, ``!= a``, ranges with or without their
        ends (``[18..25)``; ``20-30`` has both), lists ``a, b`` (any of them), ``not a, b`` (none of
        them); an empty cell or ``-`` asks nothing; text in quotes is text whatever it looks like. A
        list of rules has one column, named ``if``, and the output: ``age <= 30 and ward in {a, b}``
        (``and``, ``or``, ``not``, ``between``, ``else``).
    hit : "unique", "first" or "any" (or "U", "F", "A"), optional
        Which rules may hold together: none (the default), all, of which the first decides, or those
        that say the same. A table may say it itself in the first cell of the header (``hit U``);
        the first column then only numbers the rules, as one does that is named ``#``.
    output : str, optional
        The column of the outputs, by default the last.
    default : label, optional
        What is decided where no rule holds. Without it such rows are an error.
    space : Space, or dict of kinds, optional
        What the features are; a dict may name some of them. Otherwise a feature that is compared
        with true or false is boolean, with text categorical (and may have other values than those
        that rules name), with numbers numeric.
    ignore : sequence of str
        Columns to leave out: remarks, sources.
    delimiter : str
    task : "classification" or "regression"
        Whether outputs that are numbers are names of classes, or numbers to compute with.
    limit : int
        Regions into which the rules may cut the space, and nodes of the tree.

    Returns
    -------
    Tree

    Raises
    ------
    InvalidRules
        If rules overlap against the hit policy, or leave gaps: with an example row each, and all
        of it in ``fault.check``, as ``check`` gives it.
    InvalidTree
        For a cell, a line or a header that cannot be read; the message names the line.
    TooLarge
        If there are more regions than ``limit``.

    Notes
    -----
    Exact: the space is split at the ends that the rules have, until in each part it is clear which
    rules hold. The number of parts can grow exponentially with the features. Rules that never
    decide (of "first") are a warning.

    Examples
    --------
    >>> tree = read('''age,ward,decision
    ... < 18,-,refer
    ... >= 18,a,treat
    ... >= 18,not a,refer
    ... ''')
    >>> print(tree)
    age < 18?
      yes: refer
      no:  ward = a?
        yes: treat
        no:  refer
    >>> read("age,decision\n<= 30,a\n> 20,b\n")
    Traceback (most recent call last):
        ...
    orderless.errors.InvalidRules: these rules do not give every row one output: lines 2 and 3 say a
    and b where 20 < age <= 30, for example age = 25; correct them, or choose hit='first'
    """
    return wrap(
        read_rules(
            source,
            hit=hit,
            output=output,
            default=default,
            space=space,
            ignore=ignore,
            delimiter=delimiter,
            task=task,
            limit=limit,
        )
    )
