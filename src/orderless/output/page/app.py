"""The page to fill in: a model as one HTML file that answers a person's questions.

In:  a tree, a form or an ensemble, and what people read: title, labels, units, costs, examples.
Out: HTML that needs no other file and no network. Its script is that of ``to_javascript``, or the
     search over an ensemble, and what to ask next on top of it; its content security policy allows
     nothing but script and style by their hashes.
Paper: Section 6 (certain predictions with unknown values), Section 7 (what to buy next).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InvalidData, InvalidParameter
from ...inputs import frame_of, is_unknown, read_costs, rows_for, write_whole
from ...model import (
    Feature,
    Space,
    SumKernel,
    TreeKernel,
    class_names as names_of,
    printable,
    read_seconds,
    refuse_facts,
    short_number,
)
from ...readers import read_model
from ..code.javascript import literal, part, script_of
from ..plots.look import GROUNDS, page_colours
from ..templates import markup, render, sealed
from .ensemble_content import Written, label_names, written_ensemble
from .tree_content import written_tree

__all__ = ["field_of", "page_of", "write_page"]

TIME_LIMIT = 0.5  # seconds for each answer, each of which is a call


def write_page(
    model: Any,
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
    tolerance: float | None = None,
    examples: Any = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> str:
    """Write a page on which a person fills in what is known, and reads what is certain.

    The page says at once whether the class is certain, with a reason, or which classes are possible
    and what to ask next; and what would change the answer. Of a regression tree a gauge shows the
    range of the numbers that are possible. It is one file without any request to a
    network, for keyboard and screen reader, phone and paper.

    Parameters
    ----------
    model : Tree, CanonicalForm, Ensemble, or any model that ``orderless.read`` knows
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
    tolerance : float, optional
        For a regression tree: ask only until the numbers that are possible are at most so far
        apart. By default the policy's own, if it has one.
    examples : data frame, list of dicts, or dict of name -> dict, optional
        Rows that a person can fill in by choosing them; unknown values stay open.
    limit : int, optional
        How many leaves there may be: 1,000 for a tree by default, 250,000 for an ensemble (about
        6 MB).
    time_limit : float, optional
        How many seconds the page of an ensemble may work on an answer, each of which is a call of
        its own: 0.5 by default. What is not worked out by then is called undecided.

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
    feature alone; with ``tolerance``, iff some value of it rules out one of two open leaves whose
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
    kernel = read_model(model)
    refuse_facts(kernel.space, "the page", why="what it runs in the browser does not know them")
    shown = _class_names(class_names, kernel)
    written = _written(kernel, shown, policy, tolerance, limit, time_limit)
    features = written.features
    names = [feature["name"] for feature in features]
    rows = _examples(examples, kernel, names)
    texts, measured = _texts(labels, kernel.space, "labels"), _texts(units, kernel.space, "units")
    content: dict[str, Any] = {
        "names": [texts.get(name, printable(name)) for name in names],
        "units": [measured.get(name, "") for name in names],
        "classes": shown,
        "costs": _costs(costs, kernel, names),
        "order": sorted(range(len(names)), key=lambda k: kernel.space.index(names[k])),
        **written.own,
        "examples": [row for _, row in rows],
    }
    page = page_of(
        written,
        content,
        "".join([field_of(one) for one in _described(features, content)] or [field_of(None)]),
        [name for name, _ in rows],
        title=printable(_text("title", title, written.title)),
        description=printable(_text("description", description, "")),
        target_name=printable(_text("target_name", target_name, "")),
    )
    if target is not None:
        write_whole(target, page)
    return page


# -- models -------------------------------------------------------------------------------------


def _written(
    model: TreeKernel | SumKernel,
    shown: list[str],
    policy: Any,
    tolerance: float | None,
    limit: int | None,
    time_limit: float | None,
) -> Written:
    """Give what the page has of a model, whose classes are shown as these names."""
    if isinstance(model, SumKernel):
        if policy is not None:
            raise InvalidParameter(
                "policy is for a page of one tree: the page of an ensemble works out what to ask "
                "next by itself; leave out policy=",
                "policy",
            )
        if tolerance is not None:
            raise InvalidParameter(
                "tolerance is for a page of one tree: the page of an ensemble asks until the "
                "number is certain; leave out tolerance=",
                "tolerance",
            )
        seconds = TIME_LIMIT if time_limit is None else read_seconds(time_limit)
        return written_ensemble(model, shown, limit, seconds)
    if time_limit is not None:
        raise InvalidParameter(
            "time_limit is for a page of an ensemble: a tree is answered at once; leave it out",
            "time_limit",
        )
    return written_tree(model, policy, tolerance, limit)


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


def _class_names(given: Mapping[Any, str] | None, tree: TreeKernel | SumKernel) -> list[str]:
    """Give the classes as people read them; two must not read the same."""
    out = names_of(tree) if isinstance(tree, TreeKernel) else label_names(tree)
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


def _costs(
    given: Mapping[str, float] | None, tree: TreeKernel | SumKernel, names: list[str]
) -> list[float] | None:
    """Give what each feature costs that the tree asks about."""
    if given is None:
        return None
    costs = read_costs(given, tree.space, names)
    return [float(costs[name]) for name in names]


Example = tuple[str, list[list[Any]]]


def _examples(given: Any, tree: TreeKernel | SumKernel, names: Sequence[str]) -> list[Example]:
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
        rows_for(tree, [own])  # its error names the allowed values
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


def page_of(
    written: Written,
    content: Mapping[str, Any],
    fields: str,
    examples: list[str],
    *,
    title: str,
    description: str,
    target_name: str,
) -> str:
    """Put the page together: the model, what its script knows, and the form."""
    script = [written.model, f"const PAGE = {literal(content)};\n",
              *map(part, [*written.files, "page.js"])]  # fmt: skip
    return sealed(
        "page/page.html",
        title=title,
        description=description,
        target_name=target_name,
        fields=markup(fields),
        examples=examples,
        about=written.about,
        fingerprint=written.fingerprint,
        style=_style(),
        script=script_of("\n".join(script)),
    )


def field_of(feature: Mapping[str, Any] | None) -> str:
    """Write the part of the form that asks about a feature; without one, that nothing is asked."""
    return render("page/field.html", f=feature)


def _style() -> str:
    """Give the style sheet: our own file, with the colours of all pages."""
    colours = {ground: markup(page_colours(ground)) for ground in GROUNDS}
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
