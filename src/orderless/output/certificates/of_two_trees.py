"""The certificate that two trees are the same.

In:  two trees, or models that become trees.
Out: ``Certificate``.
"""

from __future__ import annotations

from typing import Any

from ...errors import InvalidData
from ...model import over_common_space, refuse_facts
from ...questions import counterexample, equivalent
from ...readers import read_tree
from .cells import Cells, names_of
from .certificate import NO_FACTS, Certificate, written

__all__ = ["equivalence_certificate"]


def equivalence_certificate(a: Any, b: Any) -> Certificate:
    """Certify that two trees give every possible row the same class.

    Parameters
    ----------
    a, b : Tree, CanonicalForm, or any model that ``orderless.read`` knows
        Over different spaces, they are compared on the values that each feature has in both.

    Returns
    -------
    Certificate

    Raises
    ------
    InvalidData
        If they are not the same; the message has a row on which they differ.

    Notes
    -----
    The certificate needs nothing but the two trees: the checker looks at all pairs of leaves that
    meet.

    Examples
    --------
    >>> from orderless.output.certificates import equivalence_certificate
    >>> x, y = ({"feature": i, "true": {"feature": 1 - i, "true": {"prediction": 1},
    ...          "false": {"prediction": 0}}, "false": {"prediction": 0}} for i in (0, 1))
    >>> equivalence_certificate(x, y).check()
    ('Both trees give every row the same class.',)
    """
    trees = [read_tree(a), read_tree(b)]
    for tree in trees:
        refuse_facts(tree.space, "a certificate", why=NO_FACTS)
    if not equivalent(*trees):
        row = counterexample(*trees)
        raise InvalidData(f"the two trees are not the same; they differ for {row!r:.400}")
    shared = over_common_space(trees)
    classes = list(dict.fromkeys(label for tree in shared for label in tree.classes))
    cells, labels = Cells(*(tree.bins for tree in shared)), names_of(classes)
    by_label = dict(zip(classes, labels, strict=True))
    both = [cells.tree(tree, [by_label[label] for label in tree.classes]) for tree in shared]
    return Certificate(written("same", labels, cells, both, {}))
