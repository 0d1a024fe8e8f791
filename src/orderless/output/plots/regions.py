"""Rules as boxes over two features.

In:  a ``CanonicalForm``, or anything that ``canonicalize`` takes, and the names of two features.
Out: matplotlib Axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ...api import CanonicalForm
from ...errors import InvalidData
from ...form import Form, Term, canonical_form
from ...inputs import codes_for, frame_of
from ...model import (
    Feature,
    Side,
    Space,
    TreeBuilder,
    TreeKernel,
    class_names,
    label_text,
    value_in,
)
from ..rules.listing import TERMS
from .look import GREY, INK, WHITE, axes_of, colour, hatch, pale, wrapped

__all__ = ["plot_rules", "slice_of"]

MOST_CELLS = 10_000
SHADE = 0.13


def plot_rules(
    form: Any,
    features: Sequence[str] | None = None,
    *,
    known: Mapping[str, Any] | None = None,
    terms: Literal["rules", "reasons"] = "rules",
    X: Any = None,
    ax: Any = None,
    limit: int = MOST_CELLS,
) -> Any:
    """Draw what a tree decides over two features: its rules, or reasons, as boxes.

    Where the tree also asks about other features, it is cut at the values in ``known``. A point is
    in a box if its class is certain there whatever the features are that are not known; where it
    depends on them, the ground stays white.

    Parameters
    ----------
    form : CanonicalForm, Tree, or any model that ``orderless.read`` knows
    features : two names, optional
        Across and up. May be left out where the answers depend on two features.
    known : dict of feature -> value, optional
        Values of other features.
    terms : "rules" or "reasons"
        Of the cut: the fewest boxes that cover each class, or all maximal ones.
    X : rows, optional
        Drawn as dots; they also say how far the axes of numeric features go.
    ax : matplotlib Axes, optional
        By default those of a new figure.
    limit : int
        Most pairs of bins of the two features.

    Returns
    -------
    matplotlib Axes
        Classes differ in colour and in hatching.

    Notes
    -----
    Asks the tree once for each pair of bins (the paper's Theorem 3.2), and takes the rules of that
    function of two features.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> both = {"feature": 0, "true": {"feature": 1, "true": {"prediction": "yes"},
    ...         "false": {"prediction": "no"}}, "false": {"prediction": "no"}}
    >>> ax = plot_rules(both, ["x0", "x1"])
    >>> ax.get_xlabel(), ax.get_ylabel(), sum(patch.get_fill() for patch in ax.patches)
    ('x0', 'x1', 3)
    """
    form = form.form if isinstance(form, CanonicalForm) else canonical_form(form)
    if terms not in TERMS:
        raise ValueError(f"terms must be one of {TERMS}, got {terms!r}")
    names = _two_names(form, features)
    cut = canonical_form(
        slice_of(form.tree, names, known or {}, limit),
        limit=form.limit,
        time_limit=form.time_limit,
        exact=form.exact,
    )
    found = cut.rules if terms == "rules" else cut.reasons
    own = [(c, term) for c in range(len(form.classes)) for term in found[c]]
    scales = [_Scale(cut.space[name], own, _column(form.space, name, X)) for name in names]
    ax = axes_of(ax, (6.4, 4.8))
    for scale, axis in zip(scales, (ax.xaxis, ax.yaxis), strict=True):
        scale.dress(axis)
    ax.set(xlim=scales[0].ends, ylim=scales[1].ends)
    for c, term in own:
        _draw(ax, c, term, scales)
    if X is not None:
        ax.scatter(*[scale.rows for scale in scales], s=9, color=INK, linewidths=0, alpha=0.55,
                   zorder=4)  # fmt: skip
    depends = len(form.classes) in cut.tree.leaf_class
    rest = [name for name in _asked(form) if name not in (*names, *(known or {}))]
    _legend(ax, form, rest if depends else [])
    if cut.tree.n_leaves == 1:
        _say_constant(ax, form, int(cut.tree.leaf_class[0]), rest)
    return ax


def slice_of(
    tree: TreeKernel, names: tuple[str, str], known: Mapping[str, Any], limit: int
) -> TreeKernel:
    """Give the tree over two features that decides as a tree does when some others are known.

    Its classes are the numbers of the tree's; one more stands for "depends on the others".
    """
    for name in known:
        if name in names:
            raise InvalidData(
                f"known= gives {name!r}, over which the boxes are drawn: leave it out"
            )
    bins = [_Bins(tree, tree.space[name]) for name in names]
    if len(bins[0]) * len(bins[1]) > limit:
        raise InvalidData(
            f"the tree cuts these features into {len(bins[0]):,} and {len(bins[1]):,} intervals, "
            f"more pairs than limit={limit:,}: raise limit=, or draw a smaller tree"
        )
    values = [[part.value(k) for k in range(len(part))] for part in bins]
    rows = [{**known, names[0]: a, names[1]: b} for a in values[0] for b in values[1]]
    codes = codes_for(tree, rows).reshape(len(bins[0]), len(bins[1]))
    return _halved(bins, np.where(codes < 0, len(tree.classes), codes), len(tree.classes))


def _asked(form: Form) -> list[str]:
    """Name the features on which the answers depend; a redundant split may ask for others."""
    own = {feature.name for feature in form.bins.features}
    return [name for name in form.tree.features if name in own]


def _two_names(form: Form, features: Sequence[str] | None) -> tuple[str, str]:
    given = tuple(_asked(form)) if features is None else features
    if isinstance(given, str) or len(given) != 2 or given[0] == given[1]:
        raise InvalidData(
            f"features must be two different names, (across, up), got {given!r}: choose from "
            f"{', '.join(map(repr, form.space.names[:12]))}"
        )
    for name in given:
        _ = form.space.index(name)  # its error names the features
    return given[0], given[1]


class _Bins:
    """The bins of one feature: values between thresholds, or single categories."""

    def __init__(self, tree: TreeKernel, feature: Feature) -> None:
        self.feature = feature
        nodes = tree.feature == tree.space.index(feature.name)
        cuts = np.unique(tree.threshold[nodes])
        self.cuts = cuts[np.isfinite(cuts)]

    def __len__(self) -> int:
        if self.feature.ordered:
            return len(self.cuts) + 1
        return len(self.feature.categories) + self.feature.other

    def value(self, k: int) -> Any:
        """Give a value in a bin."""
        if not self.feature.ordered:
            return value_in(self.feature, [], 0.0, 0.0, False, [k])
        if k < len(self.cuts):
            return float(self.cuts[k])
        return float(self.feature.above(self.cuts[-1])) if len(self.cuts) else 0.0


def _halved(bins: list[_Bins], table: Any, n_classes: int) -> TreeKernel:
    """Make a tree out of a table of classes, by halving the bins."""
    nodes = TreeBuilder()

    def add(box: list[tuple[int, int]], parent: int, side: bool) -> None:
        node = nodes.reserve(parent, side)
        here = table[slice(*box[0]), slice(*box[1])]
        if (here == here[0, 0]).all():
            nodes.leaf(node, int(here[0, 0]))
            return
        which = int(here.shape[0] < here.shape[1])
        start, end = box[which]
        middle = (start + end) // 2
        if bins[which].feature.ordered:
            nodes.split(node, which, limit=float(bins[which].cuts[middle - 1]))
        else:
            nodes.split(node, which, members=range(start, middle))
        for half, holds in (((start, middle), True), ((middle, end), False)):
            add([*box[:which], half, *box[which + 1 :]], node, holds)

    add([(0, len(part)) for part in bins], -1, True)
    features = [
        Feature(f.name, f.kind, f.values, f.categories, f.other)
        for f in (part.feature for part in bins)
    ]
    return TreeKernel(Space(features), range(n_classes + 1), **nodes.arrays())


# -- axes --------------------------------------------------------------------------------------


def _column(space: Space, name: str, X: Any) -> list[Any] | None:
    """Get a feature's values out of rows."""
    if X is None:
        return None
    frame = frame_of(X)
    if frame is not None:
        if name not in frame.columns:
            raise InvalidData(f"the data frame lacks the column {name!r}")
        return list(frame.get_column(name).to_list())
    if isinstance(X, Sequence) and X and isinstance(X[0], Mapping):
        return [row.get(name) for row in X]
    if name not in space.column_names:
        raise InvalidData(f"the rows have no column that holds {name!r}: give a data frame")
    return list(np.asarray(X, dtype=object)[:, space.column_names.index(name)])


class _Scale:
    """One axis: where the values of a feature lie on it."""

    def __init__(
        self, feature: Feature, own: list[tuple[int, Term]], values: list[Any] | None
    ) -> None:
        self.feature = feature
        self.rows = None if values is None else np.array([self._place(v) for v in values])
        if feature.kind == "boolean":
            self.ends = (-0.5, 1.5)
        elif not feature.ordered:
            self.ends = (-0.5, feature.n_values - 0.5)
        else:
            self.ends = self._range(own)

    def _place(self, value: Any) -> float:
        """Give the place of a value; an unknown one has none."""
        if value is None or value != value:
            return math.nan
        if self.feature.ordered:
            return float(value)
        code = self.feature.code(value)
        return math.nan if code is None else float(code)

    def _range(self, own: list[tuple[int, Term]]) -> tuple[float, float]:
        """Go a little beyond all rows, or well beyond all thresholds."""
        known = [
            end
            for _, term in own
            for side in term.sides
            if side.feature.name == self.feature.name
            for end in (side.lower, side.upper)
            if math.isfinite(end)
        ]
        beyond = 0.35
        if self.rows is not None and np.isfinite(self.rows).any():
            known += self.rows[np.isfinite(self.rows)].tolist()
            beyond = 0.05
        if not known:
            return 0.0, 1.0
        low, high = min(known), max(known)
        margin = beyond * (high - low) or max(abs(low) * 0.5, 1.0)
        return low - margin, high + margin

    def dress(self, axis: Any) -> None:
        axis.set_label_text(wrapped(self.feature.name, 50))
        if self.feature.kind == "boolean":
            axis.set_ticks([0, 1], ["false", "true"])
        elif not self.feature.ordered:
            codes = range(self.feature.n_values)
            labels = [wrapped(label_text(self.feature.label(code)), 16) for code in codes]
            axis.set_ticks(list(codes), labels)

    def spans(self, side: Side | None) -> list[tuple[float, float]]:
        """Give the intervals of the axis on which a side holds."""
        if side is None:
            return [self.ends]
        if not self.feature.ordered:
            return _runs(side.codes)
        if self.feature.kind == "boolean":
            return [(-0.5, 0.5)] if side.upper < 1 else [(0.5, 1.5)]
        # A whole number up to 24 is drawn up to 24.5, where the next box begins.
        shift = 0.5 if self.feature.whole else 0.0
        return [(max(side.lower + shift, self.ends[0]), min(side.upper + shift, self.ends[1]))]


def _runs(codes: Sequence[int]) -> list[tuple[float, float]]:
    """Join neighbouring categories."""
    out: list[tuple[float, float]] = []
    for code in sorted(codes):
        if out and out[-1][1] == code - 0.5:
            out[-1] = (out[-1][0], code + 0.5)
        else:
            out.append((code - 0.5, code + 0.5))
    return out


def _draw(ax: Any, c: int, term: Term, scales: list[_Scale]) -> None:
    from matplotlib.patches import Rectangle

    sides = {side.feature.name: side for side in term.sides}
    across, up = (scale.spans(sides.get(scale.feature.name)) for scale in scales)
    line = colour(c)
    # Two patches: in an SVG the transparency of a filled patch would hide its hatch.
    ground: dict[str, Any] = {"facecolor": line, "alpha": SHADE, "linewidth": 0}
    frame: dict[str, Any] = {"fill": False, "linewidth": 1.6, "hatch": hatch(c)}
    for left, right in across:
        for low, high in up:
            for look in (ground, frame):
                place = (left, low), right - left, high - low
                ax.add_patch(Rectangle(*place, edgecolor=line, zorder=2, **look))


def _say_constant(ax: Any, form: Form, c: int, rest: list[str]) -> None:
    """Say in the middle that these two features do not matter here, and what does."""
    if c < len(form.classes):
        text = f"always {class_names(form.tree)[c]}, whatever these two features are"
    else:
        text = f"these two features decide nothing by themselves: it depends on {_some(rest)}"
    ground = {"facecolor": WHITE, "edgecolor": "none", "pad": 4}
    ax.text(0.5, 0.5, wrapped(text, 36), transform=ax.transAxes, ha="center", va="center",
            color=INK, zorder=5, bbox=ground)  # fmt: skip


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _legend(ax: Any, form: Form, rest: list[str]) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(
            label=wrapped(label, 30),
            facecolor=pale(c, SHADE),
            edgecolor=colour(c),
            hatch=hatch(c),
        )
        for c, label in enumerate(class_names(form.tree))
    ]
    if rest:
        label = wrapped(f"depends on {_some(rest)}", 20)
        handles.append(Patch(facecolor=WHITE, edgecolor=GREY, label=label))
    columns = min(len(handles), 4)
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.01), ncols=columns,
              frameon=False, borderaxespad=0, labelcolor=INK)  # fmt: skip
