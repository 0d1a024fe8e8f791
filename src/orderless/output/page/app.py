"""The page to fill in: a tree as one HTML file that answers a person's questions.

In:  a tree or form, and what people read: title, labels, units, costs, examples.
Out: HTML that needs no other file and no network. Its script is that of ``to_javascript``, and what
     to ask next on top of it; its content security policy allows nothing but the two by their
     hashes.
Paper: Section 6 (certain predictions with unknown values), Section 7 (what to buy next).
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InvalidData, InvalidTree
from ...form import CanonicalForm, equivalent, fingerprint
from ...inputs import frame_of, is_unknown, read_costs, write_whole
from ...missing import counts_rows
from ...model import (
    Feature,
    Space,
    Tree,
    class_names as names_of,
    printable,
    read_within,
    short_number,
)
from ...readers import read_tree
from ..code.javascript import literal, model_text, part, script_of
from ..code.tables import tree_tables
from ..plots.look import FORM, page_colours
from ..templates import markup, render

__all__ = ["write_page"]

LIMIT = 1_000


def write_page(
    tree: Any,
    target: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    description: str = "",
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    target_name: str = "",
    class_names: Mapping[Any, str] | None = None,
    costs: Mapping[str, float] | None = None,
    policy: Any = None,
    within: float | None = None,
    examples: Any = None,
    limit: int = LIMIT,
) -> str:
    """Write a page on which a person fills in what is known, and reads what is certain.

    The page says at once whether the class is certain, with a reason, or which classes are possible
    and what to ask next; and what would change the answer. Of a regression tree a gauge shows the
    range of the numbers that are possible. It is one file without any request to a
    network, for keyboard and screen reader, phone and paper.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    target : path, optional
        File to write; complete or not at all.
    title, description : str
        What stands at the top.
    labels, units : dict of feature -> str, optional
        What people call the features, and the units they are measured in.
    target_name : str
        What the tree decides, such as "Diagnosis"; it stands above the answer.
    class_names : dict of class label -> str, optional
        What people call the classes.
    costs : dict of feature -> number, optional
        What it costs to find out a feature; shown, and taken into account in what to ask next.
        0 or more, for every feature that the tree asks about: one without a cost is an error.
    policy : object with ``to_tree()`` (a ``Policy``), or an equivalent tree, optional
        What to ask next is the first of its questions that is open and matters.
    within : float, optional
        For a regression tree: ask only until the numbers that are possible are at most so far
        apart. By default the policy's own, if it has one.
    examples : data frame, list of dicts, or dict of name -> dict, optional
        Rows that a person can fill in by choosing them; unknown values stay open.
    limit : int
        How many leaves a tree may have.

    Returns
    -------
    str
        The page.

    Notes
    -----
    Without a policy the page asks the feature that leaves the fewest leaves open on average, among
    the features that can make a difference: leaves weigh one more than their training rows (or
    one each, where the tree does not count them), and a leaf's rows are spread evenly over its bins
    of the feature. With costs it asks where the fall per cost is greatest.

    A feature can make a difference iff two open leaves of different classes are disjoint in that
    feature alone; with ``within``, iff some value of it rules out one of two open leaves whose
    numbers are farther apart.
    The page compares all pairs after each input, so large trees are refused:
    ``to_javascript`` has no limit.

    Examples
    --------
    >>> leaf = {"true": {"prediction": "ill"}, "false": {"prediction": "well"}}
    >>> page = write_page({"feature": 0, **leaf}, title="Flu?", labels={"x0": "Fever"})
    >>> page.count("<h1>"), "http" in page.replace("http-equiv", "")
    (1, False)
    """
    form = tree if isinstance(tree, CanonicalForm) else None
    tree = read_tree(tree)
    if tree.n_leaves > limit:
        raise InvalidTree(
            f"this tree has {tree.n_leaves:,} leaves and a page is written for at most "
            f"limit={limit:,}: give smallest_tree(tree), use to_javascript(), or raise limit="
        )
    width = _width(within, policy, tree)
    asked = [] if policy is None else [_policy_tree(policy, tree)]
    features, (nodes, *policies) = tree_tables(tree, *asked)
    names = [feature["name"] for feature in features]
    order = sorted(range(len(names)), key=lambda k: tree.space.index(names[k]))
    rows = _examples(examples, tree, names)
    shown, measured = _texts(labels, tree.space, "labels"), _texts(units, tree.space, "units")
    content: dict[str, Any] = {
        "names": [shown.get(name, printable(name)) for name in names],
        "units": [measured.get(name, "") for name in names],
        "classes": _class_names(class_names, tree),
        "costs": _costs(costs, tree, names),
        "order": order,
        "weights": _weights(tree),
        "policy": policies[0] if policies else None,
        "examples": [row for _, row in rows],
    }
    files = ["engine.js", "advice.js", "scale.js", "page.js"]
    if tree.task == "regression":
        content |= {"numbers": tree.numbers.tolist()} | ({} if width is None else {"within": width})
        files[1:1] = ["interval.js", "gauge.js"]
    parts = [model_text(tree, features, nodes), f"const PAGE = {literal(content)};\n",
             *map(part, files)]  # fmt: skip
    page = _render(
        title=printable(_text("title", title, "What does the tree decide?")),
        description=printable(_text("description", description, "")),
        target_name=printable(_text("target_name", target_name, "")),
        features=_described(features, content),
        examples=[name for name, _ in rows],
        fingerprint=fingerprint(tree) if form is None else form.fingerprint,
        style=_style(),
        script=script_of("\n".join(parts)),
    )
    if target is not None:
        write_whole(target, page)
    return page


# -- what is given ------------------------------------------------------------------------------


def _text(name: str, given: Any, default: str) -> str:
    if given is None:
        return default
    if not isinstance(given, str):
        raise TypeError(f"{name} must be text, got {given!r:.80}")
    return given


def _texts(given: Mapping[str, str] | None, space: Space, name: str) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a dict of feature -> text, got {given!r:.80}")
    for feature, text in given.items():
        _ = space.index(feature)  # its error names the features
        _text(f"{name}[{feature!r}]", text, "")
    return {feature: printable(text) for feature, text in given.items()}


def _class_names(given: Mapping[Any, str] | None, tree: Tree) -> list[str]:
    """Give the classes as people read them; two must not read the same."""
    out = names_of(tree)
    if given is None:
        return out
    if not isinstance(given, Mapping):
        raise TypeError(f"class_names must be a dict of class label -> text, got {given!r:.80}")
    for label, text in given.items():
        if label not in tree.classes:
            known = ", ".join(map(repr, tree.classes[:12]))
            raise InvalidData(f"class_names: no class {label!r:.80}; the classes are {known}")
        out[tree.classes.index(label)] = printable(_text(f"class_names[{label!r}]", text, ""))
    if len(set(out)) < len(out):
        twice = next(text for text in out if out.count(text) > 1)
        raise InvalidData(f"class_names: two classes would both be called {twice!r:.80}")
    return out


def _costs(given: Mapping[str, float] | None, tree: Tree, names: list[str]) -> list[float] | None:
    """Give what each feature costs that the tree asks about."""
    if given is None:
        return None
    costs = read_costs(given, tree.space, names)
    return [float(costs[name]) for name in names]


def _width(given: Any, policy: Any, tree: Tree) -> float | None:
    """Give how wide an interval may be: as it is given, or that of the policy."""
    own = getattr(policy, "within", None)
    if given is None:
        return None if own is None else float(own)
    width = read_within(given)
    if tree.task != "regression":
        raise InvalidTree(
            "within is for trees that predict numbers, and this one has "
            f"{tree.classes_text[:200]}: leave it out"
        )
    if own is not None and width != own:
        raise InvalidData(
            f"the policy was made for within={own:g}, and the page is to have within={width:g}: "
            "leave out within=, or make the policy with cheapest_policy(tree, X, costs, within=...)"
        )
    return width


def _policy_tree(policy: Any, tree: Tree) -> Tree:
    """Give the policy as a tree over the space of the tree that it belongs to."""
    to_tree = getattr(policy, "to_tree", None)
    own = read_tree(to_tree() if callable(to_tree) else policy).over(tree.space)
    # A policy for a width ends with intervals: its own tree has midpoints at its leaves.
    near = getattr(policy, "within", None) is not None
    if not equivalent(read_tree(policy.tree).over(tree.space) if near else own, tree):
        raise InvalidTree(
            "the policy does not decide the same as the tree: give the policy made for it, "
            "cheapest_policy(tree, X, costs)"
        )
    return own


def _weights(tree: Tree) -> list[float]:
    """Give per node one more than its training rows, where the tree counts them; else 1."""
    if tree.distribution is None:
        return [1] * tree.n_nodes
    counts = tree.distribution.sum(axis=1)
    leaves = tree.feature < 0
    if (counts < 0).any() or not counts_rows(tree):
        return [1] * tree.n_nodes
    return [float(n) for n in np.where(leaves, counts + 1, 0)]


Example = tuple[str, list[list[Any]]]


def _examples(given: Any, tree: Tree, names: Sequence[str]) -> list[Example]:
    """Give named rows as pairs of feature and what is filled in."""
    if given is None:
        return []
    frame = frame_of(given)
    if frame is not None:
        there = [name for name in frame.columns if name in tree.space]
        given = list(frame.select(there).iter_rows(named=True))
    if isinstance(given, Mapping):
        titled = list(given.items())
    elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
        titled = [(f"Example {k + 1}", row) for k, row in enumerate(given)]
    else:
        raise InvalidData(
            f"examples must be a data frame, a list of dicts, or a dict of name -> dict, got "
            f"{given!r:.80}"
        )
    out = []
    for title, row in titled:
        if not isinstance(row, Mapping):
            raise InvalidData(
                f"the example {title!r} must be a dict of feature -> value, got {row!r:.80}"
            )
        own = {name: value for name, value in row.items() if not is_unknown(value)}
        for name in own:
            _ = tree.space.index(name)  # its error names the features
        tree.predict([own])  # its error names the allowed values
        filled = [
            [k, _filled(tree.space[name], own[name])] for k, name in enumerate(names) if name in own
        ]
        out.append((printable(str(title)), filled))
    return out


def _filled(feature: Feature, value: Any) -> Any:
    """Give what the form needs to fill in a value."""
    if not feature.ordered:
        return feature.code(value.item() if isinstance(value, np.generic) else value)
    number = float(value)
    return int(number) if feature.kind == "boolean" else short_number(number)


# -- what is written -----------------------------------------------------------------------------


def _style() -> str:
    """Give the style sheet: our own file, with the colours of ``FORM``."""
    apart = {"light": "\n  ", "dark": "\n    ", "paper": " "}
    colours = {at: markup(page_colours(FORM, at, between)) for at, between in apart.items()}
    return f"{render('page/page.css', **colours)}\n"


def _described(
    features: Sequence[Mapping[str, Any]], content: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Give what the form shows of each feature, in the order of the space."""
    costs = content["costs"] or [0.0] * len(features)
    return [
        {
            **features[at],
            "at": at,
            "label": content["names"][at],
            "unit": content["units"][at],
            "cost": short_number(costs[at]) if costs[at] else "",
        }
        for at in content["order"]
    ]


def _render(*, style: str, script: str, **content: Any) -> str:
    allowed = {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    page = render(
        "page/page.html",
        policy="; ".join(f"{key} {value}" for key, value in allowed.items()),
        style=markup(style),  # our own file
        script=markup(script),  # our own file, and literals without "<"
        **content,
    )
    return f"{page}\n"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
