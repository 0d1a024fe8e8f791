"""Forms in files: a canonical tree with its rules, as versioned JSON (docs/formats).

In:  a ``Form``; or text that somebody wrote.
Out: text; or a ``Form``, after checking that its rules fit its tree.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidSpace, InvalidTree
from ..model import TIME_LIMIT, Bins, Box, Side, Space, TreeKernel, formats as serial
from .fingerprints import fingerprint_points, hex_digits
from .reasons import Form, Subject

__all__ = ["FORM_FORMAT", "read_form", "write_form"]

FORM_FORMAT = "orderless-form"
VERSION = 2
KNOWING = 3  # with facts in the space, which an older orderless would not heed
CHECKED = 100  # times 10,000 boxes that are compared to see that rules leave nothing out


def write_form(form: Form) -> str:
    """Write the canonical tree and the rules as versioned JSON (docs/formats).

    Equivalent trees over one space, with the same classes, give the same bytes. Finding the
    canonical tree may take the form's ``time_limit``, as may the rules of each class. With facts
    the tree is written as it is.
    """
    tree = form.canonical if form.tree.possible is None else form.tree
    content = tree.written()
    space, classes = content.pop("space"), content.pop("classes")
    return serial.dump(
        FORM_FORMAT,
        KNOWING if tree.space.facts else VERSION,
        {
            "space": space,
            "classes": classes,
            "fingerprint": hex_digits(fingerprint_points([tree])[0]),
            "exact": form.exact,
            "rules": [[term.to_dict() for term in terms] for terms in form.rules.values()],
            "tree": content,
        },
    )


def read_form(
    text: str | bytes, *, limit: int = serial.LIMIT, time_limit: float | None = TIME_LIMIT
) -> Form:
    """Read what ``write_form`` wrote; whether all fits is checked. Anything else is refused.

    Parameters
    ----------
    limit : int
        Longest text, in characters, that is looked at.
    time_limit : float
        Of the form.
    """
    content = serial.load(text, FORM_FORMAT, (VERSION, KNOWING), limit=limit)
    with serial.Reading("a form"):
        tree, exact = _read(content)
    if hex_digits(fingerprint_points([tree])[0]) != content.get("fingerprint"):
        raise InvalidTree("the file does not describe the function whose fingerprint it states")
    return Form(tree, exact=exact, time_limit=time_limit)


def _read(content: dict[str, Any]) -> tuple[TreeKernel, bool]:
    space = serial.take(content, "space", dict)
    classes = serial.take(content, "classes", list)
    exact: bool = serial.take(content, "exact", bool)
    rules = serial.take(content, "rules", list)
    nodes = serial.take(content, "tree", dict)
    tree = TreeKernel.from_dict({**nodes, "space": space, "classes": classes})
    _check_rules(tree, rules)
    return tree, exact


def _read_sides(space: Space, term: Any) -> list[Side]:
    """Read a term as ``Term.to_dict`` writes it."""
    try:
        return [_read_side(space, given) for given in term]
    except (InvalidSpace, TypeError) as fault:
        raise InvalidTree(f"these are not rules: {fault}") from fault


def _read_side(space: Space, given: Any) -> Side:
    if not isinstance(given, dict) or not isinstance(given.get("feature"), str):
        raise InvalidTree(f"a condition must be a dict with a feature's name, got {given!r:.80}")
    return Side.from_dict(space[given["feature"]], given)


def _check_rules(tree: TreeKernel, rules: list[Any]) -> None:
    """Refuse rules that the tree contradicts."""
    n_classes = len(tree.classes)
    if len(rules) != n_classes:
        raise InvalidTree(f"there are {n_classes} classes and rules for {len(rules)}")
    possible = tree.possible
    subject = Subject.of(tree.bins) if possible is None else Subject.of_possible(possible)
    bins = subject.bins
    reader = _RuleReader(bins, tree.space)
    for c, written in enumerate(rules):
        table = reader.table(written)
        try:
            fault = _core.reasons.cover_fault(
                subject.nodes[c], bins.layout, n_classes, c, subject.leaves[c], table, CHECKED
            )
        except _core.base.TimeUp:
            continue  # too many boxes to check
        if fault:
            what = (
                "hold where the tree gives another class" if fault == 1 else "leave some rows out"
            )
            raise InvalidTree(f"the rules of class {tree.classes[c]!r:.80} {what}")


class _RuleReader:
    """Reads rules as boxes over bins. Few of their conditions are different: each is read once."""

    def __init__(self, bins: Bins, space: Space) -> None:
        self.bins, self.space = bins, space
        self.place = {feature.name: k for k, feature in enumerate(bins.features)}
        self.whole: list[int] = Box.of_sides(bins, []).slots.tolist()
        self.known: dict[tuple[Any, ...], tuple[slice, list[int]]] = {}

    def table(self, written: Any) -> NDArray[np.uint16]:
        """Give the rules of a class."""
        if not isinstance(written, list):
            raise InvalidTree(f"the rules of a class must be a list, got {written!r:.80}")
        rows = [self._row(term) for term in written]
        return np.array(rows, dtype=np.uint16).reshape(len(rows), len(self.whole))

    def _row(self, term: Any) -> list[int]:
        row = self.whole.copy()
        conditions: Any = term if isinstance(term, list) else _read_sides(self.space, term)
        for given in conditions:
            try:
                at, slots = self.known[tuple(given.items())]
            except (AttributeError, KeyError, TypeError):  # another one, or categories
                at, slots = self._read(given)
            row[at] = slots
        return row

    def _read(self, given: Any) -> tuple[slice, list[int]]:
        """Give where a condition stands in a box, and what stands there."""
        (side,) = _read_sides(self.space, [given])
        if side.is_whole:
            return slice(0, 0), []
        k = self.place.get(side.feature.name, -1)
        bits = None if k < 0 else self.bins.bits_of(k, side)
        if bits is None:
            bits = Box.of_sides(self.bins, [side]).bits[k]  # says why there is no such box
        found = self.bins.slots_of(k), self.bins.slots(k, bits)
        with contextlib.suppress(TypeError):  # a list of categories
            self.known[tuple(given.items())] = found
        return found
