"""The certificate that two trees are the same.

In:  two trees, or models that become trees.
Out: ``Certificate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InvalidData
from ...form import counterexample, equivalent
from ...model import Tree, over_common_space, refuse_facts
from ...readers import read_tree
from .certificate import Certificate, certified_tree, written

__all__ = ["equivalence_certificate"]


def equivalence_certificate(a: Any, b: Any) -> Certificate:
    """Certify that two trees give every possible row the same class.

    Parameters
    ----------
    a, b : Tree, CanonicalForm, or any model that ``read_tree`` knows
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
    >>> import orderless as ol
    >>> x, y = ({"feature": i, "true": {"feature": 1 - i, "true": {"prediction": 1},
    ...          "false": {"prediction": 0}}, "false": {"prediction": 0}} for i in (0, 1))
    >>> ol.equivalence_certificate(x, y).check()
    ('Both trees give every row the same class.',)
    """
    trees = [read_tree(a), read_tree(b)]
    for tree in trees:
        refuse_facts(tree.space, "a certificate")
    if not equivalent(*trees):
        row = counterexample(*trees)
        raise InvalidData(f"the two trees are not the same; they differ for {row!r:.400}")
    shared = over_common_space(trees)
    classes = list(dict.fromkeys(label for tree in shared for label in tree.classes))
    space = shared[0].space
    return Certificate(
        written(
            "same",
            space,
            tuple(classes),
            bins=_all_bins(shared),
            trees=[_with_classes(tree, classes) for tree in shared],
        )
    )


def _with_classes(tree: Tree, classes: list[Any]) -> dict[str, Any]:
    """Give a tree whose leaves have their places among the classes of both."""
    content = certified_tree(tree)
    place = [classes.index(label) for label in tree.classes]
    content["leaf_class"] = [place[c] if c >= 0 else -1 for c in content["leaf_class"]]
    return content


def _all_bins(trees: Sequence[Tree]) -> list[dict[str, Any]]:
    """Give the bins that the conditions of all trees make together."""
    out: dict[str, dict[str, Any]] = {}
    for tree in trees:
        for own in tree.bins.to_list():
            other = out.setdefault(own["feature"], own)
            if "cuts" in own:
                other["cuts"] = sorted({*other["cuts"], *own["cuts"]})
            else:
                parts = ([v for v in a if v in b] for a in other["values"] for b in own["values"])
                other["values"] = [part for part in parts if part]
    return [out[name] for name in sorted(out)]
