"""Forests and boosted trees: is the answer of a row with unknown values already certain?

Peers: Veritas, which finds the largest score over a box; the sum of the trees' bounds, which needs
no search; each library's own ``predict`` of complete rows. PyXAI gives no answer to this question;
its reasons of complete rows stand beside ours (``ensembles_pyxai``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

import orderless as ol
from orderless.questions.boxes import box_of
from orderless.questions.sum_row import Sufficient

from .data import at_hand
from .ensembles_models import boxes_of, fitted, grown, split, with_gaps
from .ensembles_pyxai import beside_pyxai
from .figures import OURS, Figure, Panel
from .timing import Failed, Peer, Table, Unfinished, best_of, clock, now, ratio, seconds

DATA = ("compas", "wine_quality", "wisconsin", "coupon", "fico", "broward", "tic_tac_toe")
SHARES = (0.1, 0.3, 0.5)
MODELS = (
    *(("forest", n, depth) for n in (100, 500) for depth in (3, 5, 8, None)),
    *((kind, n, depth) for kind in ("XGBoost", "LightGBM") for n in (100, 500) for depth in (3, 6)),
)
LIMIT = 1.0  # seconds for a row
FEW = 30  # features; the design says 25, Wisconsin has 30


def run(quick: bool) -> Iterator[Table | Figure | str]:
    data = tuple(name for name in DATA if name in at_hand())[: 2 if quick else None]
    models = (("forest", 100, 5), ("XGBoost", 100, 6)) if quick else MODELS
    yield _reasons(data, 5 if quick else 50)
    yield _decided(data, models, 20 if quick else 100)
    yield _intervals(data, 5 if quick else 24, 100 if quick else 500)
    yield _complete(10_000 if quick else 100_000, quick)
    yield _beside_veritas(data[:1] if quick else data, 3 if quick else 10)
    yield _figure(quick)
    yield beside_pyxai(data[:1] if quick else data[:4], 5 if quick else 20, 11 if quick else 25)


# -- how many rows are decided, and how quickly --------------------------------------------------


def _decided(data: Any, models: Any, n_rows: int) -> Table:
    table = Table(
        f"Rows decided: {', '.join(data)}; {n_rows} rows each with 10, 30 and 50 % unknown",
        ["model", "trees", "depth", "rows", "certain", "by bounds", "median", "99 %", "longest",
         "within 100 ms", "undecided", "target"],
        [
            "Processor time of one row on one core; an ensemble's first call, which gets it ready, "
            "is left out. By bounds: certain by the sum of each tree's least and greatest leaf "
            "alone, of every tenth row. Targets: a median below 1 ms for 100 trees; of all rows "
            f"99.9 % within 100 ms, and none undecided after {LIMIT:g} s but 1 in 1,000. Asserted, "
            "of every tenth row: two witnesses of an open one, as rows, get different classes from "
            "the library itself, and a row that the bounds settle gets their class."
        ],
    )  # fmt: skip
    late = left = total = 0
    for kind, n, depth in models:
        times: list[float] = []
        status: list[int] = []
        settled: list[bool] = []
        for name in data:
            model, ensemble = fitted(name, kind, n, depth)
            bounds = _Bounds(ensemble)
            ensemble.kernel.summed.decide(boxes_of(ensemble, split(name)[2][:1]), LIMIT, 1)
            for share in SHARES:
                X = with_gaps(split(name)[2][:n_rows], share)
                for i, box in enumerate(boxes_of(ensemble, X)):
                    start = clock()
                    found = ensemble.kernel.summed.decide(box[None], LIMIT, 1)
                    times.append(clock() - start)
                    status.append(int(found.status[0]))
                    if i % 10:
                        continue
                    label = bounds.label(box)
                    settled.append(label is not None)
                    assert label in (None, int(found.label[0]))
                    if found.status[0] == 1:
                        _assert_differ(model, ensemble, X[i : i + 1])
        fitted.cache_clear()
        undecided = sum(code > 1 for code in status)
        median = float(np.median(times))
        slow = sum(passed > 0.1 for passed in times)
        late, left, total = late + slow, left + undecided, total + len(times)
        verdict = "" if n > 100 else "met" if median < 1e-3 else "**missed**"
        table.add(
            kind, n, "unlimited" if depth is None else depth, len(times),
            f"{np.mean(np.array(status) == 0):.0%}", f"{np.mean(settled):.0%}",
            seconds(median), seconds(float(np.quantile(times, 0.99))), seconds(max(times)),
            f"{1 - slow / len(times):.2%}", undecided, verdict,
        )  # fmt: skip
    met = late <= total / 1000 and left <= total / 1000
    table.add(
        "all", "", "", total, "", "", "", "", "", f"{1 - late / total:.3%}", left,
        "met" if met else "**missed**",
    )  # fmt: skip
    return table


def _assert_differ(model: Any, ensemble: Any, row: Any) -> None:
    pair = ensemble.explain(row).witness
    rows = np.array([list(one.values()) for one in pair], dtype=np.float32)
    labels = model.predict(rows)
    assert labels[0] != labels[1]


class _Bounds:
    """The sum of the trees' bounds, without any search."""

    def __init__(self, ensemble: Any) -> None:
        whole = ensemble.kernel.whole
        weights = np.array([-1, 1]) if ensemble.n_scores == 2 else np.ones(1, dtype=np.int64)
        self.values = (whole.values * weights).sum(axis=1).tolist()
        self.base = int((whole.base * weights).sum())
        self.slack = int(np.abs(whole.slack * weights).sum())
        self.starts = np.cumsum([0, *ensemble.kernel.bins.widths])
        self.roots = ensemble.kernel.starts.tolist()
        self.nodes = [array.tolist() for array in ensemble.kernel.bins.nodes[:6]]

    def label(self, box: Any) -> int | None:
        """The class; None where the bounds leave several."""
        sides = [np.flatnonzero(box[a:b]) for a, b in pairwise(self.starts)]
        first, last = [int(side[0]) for side in sides], [int(side[-1]) for side in sides]
        feature, cut, _, yes, no, leaf = self.nodes
        least = most = self.base
        for root in self.roots:
            met = set()
            steps = [root]
            while steps:
                node = steps.pop()
                f = feature[node]
                if f < 0:
                    met.add(self.values[leaf[node]])
                    continue
                if first[f] <= cut[node]:
                    steps.append(yes[node])
                if last[f] > cut[node]:
                    steps.append(no[node])
            least, most = least + min(met), most + max(met)
        if least - self.slack > 0:
            return 1
        return 0 if most + self.slack < 0 else None


# -- reasons -------------------------------------------------------------------------------------


def _reasons(data: Any, n_rows: int) -> Table:
    table = Table(
        f"One minimal reason of a complete row, as intervals: {n_rows} rows each, 100 trees",
        ["data", "features", "model", "features of a reason", "median", "99 %", "longest",
         "share of bins", "target"],
        [
            "Processor time of `ens.explain(row).reason` on one core without reading the row. "
            "Share of bins: how wide the sides are, the mean over the features of a reason. "
            f"Target: a median below 10 ms up to {FEW} features, below 100 ms above. Asserted of "
            "every tenth row: the box of the reason is certain, and without any one of its "
            "features it is not."
        ],
    )  # fmt: skip
    for name in data:
        X = split(name)[2][:n_rows]
        for kind, depth in (("forest", 5), ("XGBoost", 6), ("LightGBM", 6)):
            _, ensemble = fitted(name, kind, 100, depth)
            labels = ensemble.kernel.summed.decide(boxes_of(ensemble, X), LIMIT, 1).label.tolist()
            times, sizes, widths = [], [], []
            for i, (box, label) in enumerate(zip(boxes_of(ensemble, X), labels, strict=True)):
                start = clock()
                search = Sufficient(ensemble, box, label, 1000)
                sides = search.one().box.bits
                times.append(clock() - start)
                own = [k for k, side in enumerate(sides) if side != search.full[k]]
                sizes.append(len(own))
                widths += [sides[k].bit_count() / ensemble.kernel.bins.widths[k] for k in own]
                if i % 10 == 0:
                    _assert_minimal(search, sides, own)
            median = float(np.median(times))
            met = median < (0.01 if X.shape[1] <= FEW else 0.1)
            table.add(
                name, X.shape[1], f"{kind}, depth {depth}", f"{np.median(sizes):g}",
                seconds(median), seconds(float(np.quantile(times, 0.99))), seconds(max(times)),
                f"{np.mean(widths):.0%}", "met" if met else "**missed**",
            )  # fmt: skip
    return table


def _assert_minimal(search: Sufficient, sides: Any, own: list[int]) -> None:
    every = sum(1 << k for k in own)
    assert search.certain(box_of(search.bins, sides))
    for k in own:
        assert not search.certain(search.keeping(every & ~(1 << k)))


# -- intervals -----------------------------------------------------------------------------------


def _intervals(data: Any, n_rows: int, n_trees: int) -> Table:
    table = Table(
        f"Both ends of the score in 0.5 s: XGBoost, {n_trees} trees of depth 6, 30 % unknown",
        ["data", "rows", "proven", "median", "longest"],
        ["Processor time of one row on one core, both ends. Target: 95 % of all rows."],
    )
    proven: list[bool] = []
    for name in data:
        _, ensemble = fitted(name, "XGBoost", n_trees, 6)
        times, own = [], []
        for box in boxes_of(ensemble, with_gaps(split(name)[2][:n_rows], 0.3)):
            start = clock()
            ends = ensemble.kernel.summed.extremes(box[None], np.ones(1, dtype=np.int64), 0.5, 1)
            times.append(clock() - start)
            own.append(bool(ends.low == ends.found_low) and bool(ends.high == ends.found_high))
        proven += own
        table.add(
            name, len(own), f"{np.mean(own):.0%}", seconds(float(np.median(times))),
            seconds(max(times)),
        )  # fmt: skip
    met = "met" if np.mean(proven) >= 0.95 else "**missed**"
    table.add("all", len(proven), f"{np.mean(proven):.1%}: {met}", "", "")
    return table


# -- many rows -----------------------------------------------------------------------------------


def _complete(n: int, quick: bool) -> Table:
    table = Table(
        f"{n:,} rows of fico: `predict` beside the library's own, one core",
        ["model", "trees", "depth", "complete: ours", "library's", "ratio", "10 % unknown: ours",
         "per row"],
        [
            "Best of 3; float32 in C order, in random order. Target: complete rows no slower than "
            "the library's own `predict`. Asserted: complete rows get the library's classes."
        ],
    )  # fmt: skip
    name = "fico" if "fico" in at_hand() else at_hand()[0]
    some = split(name)[2]
    X = some[np.random.default_rng(2).integers(len(some), size=n)]
    gaps = with_gaps(X, 0.1)[: n // 5]
    for kind, n_trees, depth in (("forest", 100, 8), ("XGBoost", 100, 6), ("LightGBM", 100, 6))[
        : 1 if quick else 3
    ]:
        model, ensemble = fitted(name, kind, n_trees, depth)
        assert (ensemble.predict(X) == model.predict(X)).all()
        ours = best_of(lambda ensemble=ensemble: ensemble.predict(X), 3)
        theirs = best_of(lambda model=model: model.predict(X), 3)
        searched = best_of(lambda ensemble=ensemble: ensemble.predict(gaps), 1)
        table.add(
            kind, n_trees, depth, seconds(ours), seconds(theirs), ratio(theirs, ours),
            seconds(searched * 5), seconds(searched / len(gaps)),
        )  # fmt: skip
    return table


# -- peers ---------------------------------------------------------------------------------------


def _beside_veritas(data: Any, n_rows: int) -> Table:
    table = Table(
        f"The largest score beside Veritas: XGBoost, 100 trees of depth 6, {n_rows} rows each",
        ["data", "unknown", "ours: proven", "time", "Veritas: proven", "time", "ratio"],
        [
            "At most 1 s for a row. Asserted: where both are proven, they are equal but for the "
            "library's rounding."
        ],
    )
    with Peer("veritas_extremes", "veritas") as peer:
        for name in data:
            model, ensemble = fitted(name, "XGBoost", 100, 6)
            for share in SHARES:
                X = with_gaps(split(name)[2][:n_rows], share)
                ours, most = _largest(ensemble, X)
                theirs = peer(model, X, 1.0, limit=3 * n_rows)
                if isinstance(theirs, Failed | Unfinished):
                    table.add(
                        name, f"{share:.0%}", f"{_proven(most)} of {len(most)}", seconds(ours),
                        str(theirs), "", "",
                    )  # fmt: skip
                    continue
                passed, found = theirs
                for own, other in zip(most, found, strict=True):
                    assert own is None or other is None or abs(own - other) < 1e-3
                table.add(
                    name, f"{share:.0%}", f"{_proven(most)} of {len(most)}", seconds(ours),
                    f"{_proven(found)} of {len(found)}", seconds(passed), ratio(passed, ours),
                )  # fmt: skip
    return table


def _proven(most: list[float | None]) -> int:
    return sum(one is not None for one in most)


def _largest(ensemble: Any, X: Any) -> tuple[float, list[float | None]]:
    """Seconds for the largest score (and the least) of all rows; None where it is not proven."""
    unit = 2.0**ensemble.kernel.whole.exponent
    boxes = boxes_of(ensemble, X)
    start = clock()
    ends = ensemble.kernel.summed.extremes(boxes, np.ones(1, dtype=np.int64), 1.0, 1)
    passed = clock() - start
    return passed, [
        float(high) * unit if high == found else None
        for high, found in zip(ends.high, ends.found_high, strict=True)
    ]


# -- growth --------------------------------------------------------------------------------------


def _figure(quick: bool) -> Figure:
    figure = Figure(
        "ensembles", "time of a row",
        [
            "XGBoost on random data, 5 rows, the mean of their times for the largest score (ours: "
            "both ends); 100 trees of depth 6, 20 features, 6 of them unknown, but for what grows."
        ],
    )  # fmt: skip
    grid: dict[str, tuple[str, Any]] = {
        "trees": ("Depth 6, 6 of 20 features unknown", (30, 100, 300, 1000)),
        "depth": ("100 trees, 6 of 20 features unknown", (2, 3, 4, 6, 8)),
        "features": ("100 trees, 3 of 10 features unknown", (10, 20, 50, 100)),
        "unknowns": ("100 trees of depth 6, 20 features", (2, 4, 6, 8, 10)),
    }
    with Peer("veritas_extremes", "veritas") as peer:
        for x, (what, sizes) in grid.items():
            panel = figure.panel(x, what)
            for size in sizes[:2] if quick else sizes:
                _grow(panel, peer, size)
    return figure


def _grow(panel: Panel, peer: Peer, size: int) -> None:
    now(f"growth with {panel.x}: {size:,}")
    sizes = {"trees": 100, "depth": 6, "features": 20, "unknowns": 6, panel.x: size}
    if panel.x == "features":
        sizes["unknowns"] = size * 3 // 10
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, sizes["features"]), dtype=np.float32)
    y = (X[:, 0] * X[:, 1] + X[:, 2:8].sum(axis=1) + rng.standard_normal(len(X)) > 0).astype(int)
    model = grown("XGBoost", sizes["trees"], sizes["depth"], X, y)
    rows = X[:5].copy()
    for row in rows:
        row[rng.permutation(sizes["features"])[: sizes["unknowns"]]] = np.nan
    ours, most = _largest(ol.read(model), rows)
    panel.add(OURS, size, ours / len(rows))
    theirs = peer(model, rows, 1.0, limit=60)
    if isinstance(theirs, tuple):
        passed, found = theirs
        if None in found:
            panel.add("Veritas", size, Unfinished(1.0))
        else:
            panel.add("Veritas", size, passed / len(rows))
        for own, other in zip(most, found, strict=True):
            assert own is None or other is None or abs(own - other) < 1e-3
    else:
        panel.add("Veritas", size, theirs)
