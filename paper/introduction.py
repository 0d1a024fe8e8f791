"""The two examples of the introduction and the method: AND in two orders; DNF against BCF.

Paper: Figures 1 and 2.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

import orderless as ol

from .target import Outcome, Setting, Target, beside

__all__ = ["TARGETS"]


def _leaf(label: int) -> dict[str, Any]:
    return {"prediction": label}


def _split(feature: str, true: Any, false: Any) -> dict[str, Any]:
    return {"feature": feature, "true": true, "false": false}


def figure_and(setting: Setting) -> Outcome:
    """Show that two trees that ask about X1 and X2 in different orders decide the same."""
    del setting  # nothing to make smaller
    space = ol.Space.independent(["X1", "X2"])
    orders = {
        "X1 first": _split("X1", _split("X2", _leaf(1), _leaf(0)), _leaf(0)),
        "X2 first": _split("X2", _split("X1", _leaf(1), _leaf(0)), _leaf(0)),
    }
    trees = [ol.read(tree, space=space) for tree in orders.values()]
    form = ol.canonicalize(trees[0])
    row = [{"X1": None, "X2": 0}]
    table = pd.DataFrame(
        {
            "tree": list(orders),
            "rules for 1": [" or ".join(map(str, ol.canonicalize(t).rules[1])) for t in trees],
            "fingerprint": [ol.canonicalize(t).fingerprint for t in trees],
            "path, X1 missing and X2 = 0": [
                _said(ol.baselines.predict_path(t, row)) for t in trees
            ],
            "determined, X1 missing and X2 = 0": [_said(t.predict(row)) for t in trees],
        }
    )
    comparison = _compare(
        {
            "number of functions": (1, len(ol.group_equivalent(trees))),
            "rules for 1": (1, len(form.rules[1])),
            "conditions of the rule": (2, len(form.rules[1][0].conditions)),
        }
    )
    text = (
        "The trees ask in different orders and decide the same: `X1 and X2`. With X1 missing and "
        "X2 = 0 the path through the first is unknown, yet the answer is certain."
    )
    return Outcome({"figure-and": table}, comparison, text=text, tolerance=0)


def figure_dnf_bcf(setting: Setting) -> Outcome:
    """Show a tree with two rules and three reasons."""
    del setting
    space = ol.Space.independent(["X1", "X2", "X3"])
    tree = ol.read(
        _split("X1", _split("X2", _leaf(1), _leaf(0)), _split("X3", _leaf(1), _leaf(0))),
        space=space,
    )
    form = ol.canonicalize(tree)
    table = pd.DataFrame(
        [
            {"form": form_name, "class": label, "term": str(term)}
            for form_name, terms in (("DNF", form.rules), ("BCF", form.reasons))
            for label in terms
            for term in terms[label]
        ]
    )
    comparison = _compare(
        {
            "terms of the DNF for 1": (2, len(form.rules[1])),
            "terms of the BCF for 1": (3, len(form.reasons[1])),
            "conditions in the BCF for 1": (6, sum(len(t.conditions) for t in form.reasons[1])),
        }
    )
    text = (
        "`(X1 and X2) or (not X1 and X3)` covers class 1; `X2 and X3` is a third reason, which "
        "holds whatever X1 is."
    )
    return Outcome({"figure-dnf-bcf": table}, comparison, text=text, tolerance=0)


def _said(labels: Any) -> str:
    return "not determined" if labels.mask.all() else str(labels[0])


def _compare(numbers: dict[str, tuple[int, int]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            beside(what, published, ours=ours, aware=ours)
            for what, (published, ours) in numbers.items()
        ]
    )


TARGETS = (
    Target("figure-and", "One function, two orders", "Figure 1, introduction", figure_and),
    Target("figure-dnf-bcf", "Rules against reasons", "Figure 2, Section 3", figure_dnf_bcf),
)
