"""Forests and boosted trees with missing values: what is certain, and what the library says.

Beyond the paper, whose Theorem 3.2 is about one tree. The published numbers beside which ours stand
are those of the prototype that the search was built after.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import orderless as ol
from orderless.errors import DataNotFound
from orderless.inputs import rows_for
from orderless.model import Budget
from orderless.questions import verdicts_of

from . import draw
from .page import table_text
from .target import Outcome, Setting, Target, beside

__all__ = ["TARGETS", "ensemble_rows"]

DATA = ("compas", "wine_quality", "wisconsin", "coupon", "fico", "broward", "tic_tac_toe")
RATES = (0.1, 0.3, 0.5)
KINDS = {"forest": "random forest", "xgboost": "XGBoost", "lightgbm": "LightGBM"}
# Shares of rows in the prototype, at the three rates.
PROTOTYPE = {
    "answered by the sum of the trees' bounds": (0.60, 0.18, 0.04),
    "certain": (0.71, 0.28, 0.07),
    "XGBoost overturned": (0.15, 0.33, 0.41),
    "LightGBM overturned": (0.10, 0.23, 0.34),
    "random forest overturned": (0.05, 0.12, 0.18),
}
TIME_LIMIT = 1.0  # seconds for each row


def _fitted(kind: str, n_trees: int, depth: int | None, X: Any, y: Any) -> Any:
    if kind == "forest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(n_trees, max_depth=depth, random_state=0).fit(X, y)
    if kind == "xgboost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=n_trees, max_depth=depth, n_jobs=1).fit(X, y)
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=n_trees, max_depth=depth or -1, verbose=-1, n_jobs=1, random_state=0
    ).fit(X, y)


def _answers(model: Any, kind: str, gaps: Any, mean: Any) -> NDArray[Any]:
    """Give what people get today: the library's own way with NaN, or means put in their place."""
    return np.asarray(model.predict(gaps.fillna(mean) if kind == "forest" else gaps))


def ensemble_rows(
    name: str, kind: str, n_trees: int, depth: int | None, n_rows: int
) -> list[dict[str, float]]:
    """One piece: one model on one data set, with three shares of the values missing."""
    X, y = ol.datasets.load(name)
    X, y = X.astype(float), np.asarray(y).astype(int)
    X.columns = [f"x{i}" for i in range(X.shape[1])]  # LightGBM takes no signs in names
    order = np.random.RandomState(0).permutation(len(X))
    train, test = order[: int(0.8 * len(X))], order[int(0.8 * len(X)) :][:n_rows]
    model = _fitted(kind, n_trees, depth, X.iloc[train], y[train])
    ensemble = ol.read(model)
    assert isinstance(ensemble, ol.Ensemble)
    mean = X.iloc[train].mean()
    return [{"rate": rate, **_counted(model, ensemble, kind, X.iloc[test], mean, rate)}
            for rate in RATES]  # fmt: skip


def _counted(
    model: Any, ensemble: ol.Ensemble, kind: str, whole: Any, mean: Any, rate: float
) -> dict[str, float]:
    """Let values go missing, and count what is said of the rows."""
    gaps = whole.mask(np.random.RandomState(1).rand(*whole.shape) < rate)
    truth = np.asarray(model.predict(whole))
    start = time.perf_counter()
    with Budget(None, each=TIME_LIMIT):
        found = verdicts_of(ensemble.kernel, rows_for(ensemble.kernel, gaps))
    seconds = time.perf_counter() - start
    sure = found.label >= 0
    if not np.array_equal(ensemble.kernel.labels[found.label[sure]], truth[sure]):
        raise AssertionError(f"{kind}: a certain answer is not that of the true values")
    return {
        "rows": len(whole),
        "bounds": float(np.mean(_settled_by_bounds(ensemble, gaps))),
        "certain": float(np.mean(found.status == 0)),
        "open": float(np.mean(found.status == 1)),
        "undecided": float(np.mean(found.status > 1)),
        "overturned": float(np.mean(_answers(model, kind, gaps, mean) != truth)),
        "ms": 1000 * seconds / len(whole),
    }


def _settled_by_bounds(ensemble: ol.Ensemble, gaps: Any) -> NDArray[np.bool_]:
    """Tell which rows the sum of the trees' bounds decides between two classes."""
    rows = rows_for(ensemble.kernel, gaps)
    base = np.array(ensemble.kernel.adding.base)
    cut = ensemble.kernel.rule.cuts[0] if ensemble.kernel.rule.kind == "cuts" else 0.0
    low = np.full(rows.n_rows, _margin(base[None])[0] - cut)
    high = low.copy()
    for tree, values in zip(ensemble.trees, ensemble.kernel.values, strict=True):
        reached = tree.kernel.reached_leaves(rows_for(tree.kernel, rows)).astype(bool)
        own = _margin(values)[tree.nodes.leaf_class[list(tree.kernel.leaves())]]
        low += np.where(reached, own, np.inf).min(axis=1)
        high += np.where(reached, own, -np.inf).max(axis=1)
    close = 1e-6  # nearer to the cut than rounding: not settled
    return (low > close) | (high < -close)


def _margin(values: NDArray[Any]) -> NDArray[Any]:
    """Give how much more the second of two classes gets; of one score, the score."""
    return values[:, -1] - values[:, 0] if values.shape[1] == 2 else values[:, 0]


def certain_ensembles(setting: Setting) -> Outcome:
    """Count certain, open and overturned rows of forests and boosters."""
    packages = [kind for kind in ("xgboost", "lightgbm") if _missing(kind)]
    if packages:
        return Outcome({}, package=" and ".join(packages))
    here, absent = _at_hand(("wisconsin", "tic_tac_toe") if setting.quick else DATA)
    sizes = [(20, 3)] if setting.quick else [(100, 3), (100, 6), (500, 3), (500, 6)]
    pieces = [
        {"name": name, "kind": kind, "n_trees": n, "depth": depth,
         "n_rows": 50 if setting.quick else 200}
        for name in here for kind in KINDS for n, depth in sizes
    ]  # fmt: skip
    found = setting.work.map(ensemble_rows, pieces, "certain-ensembles")
    table = pd.DataFrame(
        [{**piece, **one} for piece, each in zip(pieces, found, strict=True) for one in each]
    )
    mean = table.groupby("rate")[["bounds", "certain", "open", "undecided"]].mean()
    overturned = table.pivot_table("overturned", "rate", "kind")
    shares = {
        "answered by the sum of the trees' bounds": mean["bounds"],
        "certain": mean["certain"],
        **{f"{KINDS[kind]} overturned": overturned[kind] for kind in ("xgboost", "lightgbm")},
        "random forest overturned": overturned["forest"],
    }
    comparison = pd.DataFrame(
        [
            beside(f"{what}, {rate:.0%} missing", published, math.nan, ours=float(own[rate]))
            for what, own in shares.items()
            for rate, published in zip(RATES, PROTOTYPE[what], strict=True)
        ]
    )
    return Outcome(
        {"certain-ensembles": table},
        comparison,
        {"certain-ensembles": _drawn(table)},
        _text(table, sizes, here),
        reason="the prototype had other models (extra trees, 10 to 500 trees, depth 3 to "
        "unlimited), rows and gaps, which are not known in detail",
        tolerance=0.02,
        absent=absent,
        legend="`published`: the prototype's share of rows. `ours`: the mean over data sets and "
        "models.",
    )


def _missing(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is None


def _at_hand(names: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    here, absent = [], []
    for name in names:
        try:
            ol.datasets.load(name)
            here.append(name)
        except (DataNotFound, OSError):
            absent.append(name)
    return here, tuple(absent)


def _text(table: pd.DataFrame, sizes: list[tuple[int, int]], here: list[str]) -> str:
    shown = table.groupby(["kind", "rate"])[
        ["bounds", "certain", "open", "undecided", "overturned", "ms"]
    ].mean().round(4).reset_index()  # fmt: skip
    models = ", ".join(f"{n} trees of depth {depth}" for n, depth in sizes)
    return (
        f"Random forests, XGBoost and LightGBM ({models}) on {len(here)} data sets, trained on "
        "complete rows; then values of test rows go missing at random. `certain`: every completion "
        "gets one class. `open`: two completions get two classes. `undecided`: neither was proven "
        f"in {TIME_LIMIT:g} s. `bounds`: certain by the sum of the trees' bounds alone, without a "
        "search. `overturned`: what people get today (XGBoost's and LightGBM's own way with NaN, a "
        "forest after means were put in) is not what the model says of the true values. `ms`: time "
        "for each row on one processor, which other work may share. Every certain answer was "
        "checked to be that of the true values.\n\n" + table_text(shown)
    )


def _drawn(table: pd.DataFrame) -> Any:
    """Draw, for each kind of model, the shares at the three rates."""
    figure, grid = draw.panels(1, len(KINDS), width=3.4, height=3.0)
    for ax, (kind, title) in zip(grid[0], KINDS.items(), strict=True):
        mean = table[table["kind"] == kind].groupby("rate")[["certain", "overturned"]].mean()
        at = np.arange(len(mean))
        ax.bar(at - 0.2, mean["certain"], 0.38, color=draw.BLUE, label="certain")
        ax.bar(at + 0.2, mean["overturned"], 0.38, color=draw.VERMILION, hatch="////",
               edgecolor="white", label="today's answer is overturned")  # fmt: skip
        ax.set_xticks(at, [f"{rate:.0%}" for rate in mean.index])
        ax.set(title=title, xlabel="values missing", ylim=(0, 1))
    grid[0][0].set_ylabel("share of rows")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return figure


TARGETS = (
    Target(
        "certain-ensembles", "Forests and boosted trees with missing values", "Beyond the paper",
        certain_ensembles,
    ),
)  # fmt: skip
