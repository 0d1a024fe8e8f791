"""The decision that is taken: a probability at which to say yes, or levels that cut numbers.

In:  ``--at``, ``--cut`` and ``--decisions``, and the tree of a model.
Out: ``Decision``: a ``Tree`` of what is decided, and labels that say the same of rows.
"""

from __future__ import annotations

import csv
import math
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidTree
from ..inputs import near, some_names
from ..model import Label, TreeKernel, label_text, printable, short_number
from .mistakes import Mistake

if TYPE_CHECKING:
    from .models import Source
    from .options import ModelOptions

__all__ = [
    "Decision", "check_numbers", "decision_of", "label_of", "refuse_tolerance", "risk_class",
]  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """What is decided of every row: nothing else than the tree says, or at a probability or levels.

    ``at`` is a class, as it was written, and its probability.
    """

    at: tuple[str, float] | None = None
    levels: tuple[float, ...] = ()
    names: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.at is not None or bool(self.levels)

    def of(self, tree: TreeKernel, name: str) -> TreeKernel:
        """Give the tree of the decision; ``name`` is where the tree comes from."""
        if self.at is not None:
            return self._at(tree, name, *self.at)
        return self._cut(tree, name) if self.levels else tree

    def _at(self, tree: TreeKernel, name: str, wanted: str, probability: float) -> TreeKernel:
        if tree.task == "regression":
            raise Mistake(
                f"--at is for classes, and {name} has {tree.classes_text}: decide at a level with "
                f"--cut {short_number(_middle(tree))}"
            )
        label = risk_class(wanted, tree, name, f"--at {wanted:.80}={probability:g}")
        try:
            tree = tree.decide_at(label, probability)
        except InvalidTree as fault:
            raise Mistake(f"--at: {name}: {fault}") from fault
        return tree.replace(classes=self.names) if self.names else tree

    def _cut(self, tree: TreeKernel, name: str) -> TreeKernel:
        try:
            numbers = tree.numbers
        except InvalidTree:
            first = tree.classes[-1]
            raise Mistake(
                f"--cut is for numbers, and {name} has the classes "
                f"{some_names(map(label_text, tree.classes), most=8)}: decide at a probability "
                f"with --at {label_text(first):.40}=0.2"
            ) from None
        try:
            return tree.discretize(self.levels, self.names or None)
        except InvalidTree as fault:
            hint = "" if len(numbers) > 1 else " (the tree says this number of every row)"
            raise Mistake(f"--cut: {name}: {fault}{hint}") from fault

    def of_part(self, tree: TreeKernel, whole: TreeKernel) -> TreeKernel:
        """Give the same of a tree that was fitted on some of the rows: it need not meet all levels.

        ``whole`` is the tree of the decision, which knows all classes.
        """
        if self.at is not None:
            wanted, probability = self.at
            there = label_of(wanted, tree.classes) is not None
            yes = self.of(tree, "").leaf_class if there else np.full(tree.n_nodes, probability <= 0)
        elif self.levels:
            yes = np.searchsorted(self.levels, tree.numbers)[tree.leaf_class]
        else:
            return tree
        return tree.replace(
            classes=whole.classes,
            leaf_class=np.where(tree.feature < 0, yes, -1),
            distribution=None,
            task="classification",
        )

    def labels(self, tree: TreeKernel, y: list[Any]) -> list[Any]:
        """Give what is decided of rows whose true labels are known.

        ``tree`` is the one before the decision. What is none of its classes, or no number, stays as
        it is.
        """
        if not self:
            return y
        decided = self.of(tree, "the tree").classes
        if self.at is not None:
            wanted = label_of(self.at[0], tree.classes)
            known: dict[Any, Any] = {c: decided[int(c == wanted)] for c in tree.classes}
            return [known.get(label, label) for label in y]
        return [self._cut_label(label, decided) for label in y]

    def _cut_label(self, label: Any, decided: tuple[Label, ...]) -> Any:
        number = _number(label) if isinstance(label, str) and label not in decided else label
        if number is None or isinstance(number, bool | str) or math.isnan(number):
            return label
        return decided[int(np.searchsorted(self.levels, number))]

    def words(self, tree: TreeKernel) -> str:
        """Say which decision that is; ``tree`` is the one of the decision."""
        if self.at is not None:
            no, yes = (label_text(label) for label in tree.classes)
            wanted, probability = self.at
            return (
                f"{yes} where the share of {printable(wanted)} among the training rows of a leaf "
                f"is at least {short_number(probability)}, else {no}"
            )
        text = [short_number(level) for level in self.levels]
        between = [f"above {a} to {b}" for a, b in pairwise(text)]
        spans = [f"at most {text[0]}", *between, f"above {text[-1]}"]
        names = [label_text(label) for label in tree.classes]
        if names == spans:
            return f"the number is {', '.join(spans[:-1])}, or {spans[-1]}"
        return ", ".join(f"{name}: {span}" for name, span in zip(names, spans, strict=True))


def decision_of(at: str | None, cut: str | None, decisions: str | None) -> Decision:
    """Read the options.

    Examples
    --------
    >>> decision_of("a=b=0.2", None, None).at
    ('a=b', 0.2)
    >>> decision_of(None, "10,20", "low,middle,high").names
    ('low', 'middle', 'high')
    """
    if at is not None and cut is not None:
        raise Mistake(
            "give one of --at and --cut, not both: --at is for classes, --cut is for numbers"
        )
    if at is None and cut is None:
        if decisions is not None:
            raise Mistake("--decisions names what --at or --cut decides, and neither is given")
        return Decision()
    levels = () if cut is None else _read_levels(cut)
    names = _read_names(decisions, len(levels) + 1 if levels else 2)
    return Decision(None if at is None else _read_at(at), levels, names)


def _read_at(text: str) -> tuple[str, float]:
    label, sign, number = text.rpartition("=")
    if not sign or not label.strip():
        raise Mistake(f"--at takes CLASS=PROBABILITY, such as --at malignant=0.2, got {text!r:.80}")
    probability = _number(number)
    if probability is None or not 0 <= probability <= 1:
        percent = _number(number.strip().removesuffix("%"))
        hint = ""
        if percent is not None and 0 <= percent <= 100:
            hint = f"; for {short_number(percent)}% write {percent / 100:.6g}"
        raise Mistake(f"--at: the probability must be from 0 to 1, got {number!r:.80}{hint}")
    return label.strip(), probability


def _read_levels(text: str) -> tuple[float, ...]:
    out = []
    for part in text.split(","):
        level = _number(part)
        if level is None:
            raise Mistake(
                f"--cut takes numbers with commas between (and a point in them), such as --cut "
                f"10,20.5; got {text!r:.80}"
            )
        out.append(level)
    for low, high in pairwise(out):
        if low >= high:
            raise Mistake(
                f"--cut: levels must rise, and {short_number(high)} comes after "
                f"{short_number(low)}; decimals are written with a point"
            )
    return tuple(out)


def _read_names(text: str | None, many: int) -> tuple[str, ...]:
    if text is None:
        return ()
    try:
        names = next(csv.reader([text], strict=True, skipinitialspace=True), [])
    except csv.Error as fault:
        raise Mistake(
            f"--decisions {text!r:.80} is not a list with commas between ({fault})"
        ) from None
    names = [name.strip() for name in names]
    if len(names) != many or not all(names) or len(set(names)) != many:
        raise Mistake(
            f"--decisions takes {many} different names with commas between, the lowest first; got "
            f"{text!r:.80}"
        )
    return tuple(names)


def _number(text: str) -> float | None:
    """Read a finite number; None if it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def refuse_tolerance(tolerance: float | None, model: ModelOptions) -> None:
    """Refuse a width of numbers beside options that make classes of them."""
    for option, given in (("--at", model.at), ("--cut", model.cut)):
        if tolerance is not None and given is not None:
            raise Mistake(f"--tolerance is for numbers, and {option} decides on classes: give one")


def check_numbers(tolerance: float | None, source: Source) -> None:
    """Refuse a width for classes that are no numbers."""
    model = source.model
    if tolerance is None or model.task == "regression":
        return
    if isinstance(model, TreeKernel):
        with suppress(InvalidTree):
            _ = model.numbers
            return
    classes = some_names(map(label_text, model.classes), most=8)
    raise Mistake(
        f"--tolerance is for numbers, and {source.name} decides between {classes}: leave it out"
    )


def risk_class(wanted: str, tree: TreeKernel, name: str, option: str = "--risk-of") -> Label:
    """Find a class whose risk the leaves of a tree know; ``name`` is where the tree comes from."""
    if tree.task == "regression":
        raise Mistake(f"{option} is for classes, and {name} has {tree.classes_text}: leave it out")
    label = label_of(wanted, tree.classes)
    if label is None:
        there = [label_text(one) for one in tree.classes]
        raise Mistake(
            f"{option.split()[0]}: {name} has no class {wanted!r:.80}{near(wanted, there)}; its "
            f"classes are {some_names(there, most=8)}"
        )
    if tree.distribution is None:
        raise Mistake(
            f"{option} needs the training rows of each leaf, which {name} does not have: give a "
            "scikit-learn model (skops), JSON that was exported from one, or --data to fit a tree "
            "on"
        )
    return label


def label_of(text: str, classes: tuple[Label, ...]) -> Label | None:
    """Find a class by how it is written: True is also true, and 1.0 is also 1.

    Examples
    --------
    >>> label_of("1", (0, 1)), label_of("true", (False, True)), label_of("x", ("a", "b"))
    (1, True, None)
    """
    for label in classes:
        if text == str(label) or (isinstance(label, bool) and text.lower() == str(label).lower()):
            return label
    number = _number(text)
    for label in classes:
        if number is not None and not isinstance(label, str | bool) and label == number:
            return label
    return None


def _middle(tree: TreeKernel) -> float:
    """Give a level that cuts the numbers of a tree, or the only one of them, rounded."""
    low, high = float(tree.numbers[0]), float(tree.numbers[-1])
    with np.errstate(all="ignore"):
        middle = low / 2 + high / 2
        rounded = float(f"{middle:.3g}")
    return rounded if low <= rounded < high else low
