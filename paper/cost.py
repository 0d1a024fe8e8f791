"""Costs: what an answer costs under each policy.

Paper: Section 7 and its appendix: 50 bootstraps, integer costs from 1 to 10, two quantile cuts per
feature; a greedy baseline; Q-learning's hyper-parameters; cost-sensitive trees by STreeD. Beside
them stands the exact optimum, which the paper did not compute.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import orderless as ol

from . import draw
from .page import table_text
from .protocol import APPENDIX, MAIN, QUICK, at_hand, chosen, loaded, published_name
from .published import reference
from .target import Outcome, Setting, Target, beside, variant

__all__ = ["TARGETS", "cost_rows", "learning_rows"]

POLICIES = ("naive", "path", "q-learning", "greedy", "optimal")
PRINTED = {"naive": "Naive", "path": "Path Based", "q-learning": "Optimized", "greedy": "Greedy"}
BOOTSTRAPS = 50
EPISODES = 10_000
WEIGHTS = (0.0001, 0.001, 0.01)

Bill = Callable[..., dict[str, Any]]


def _bootstrap(dataset: str, bootstrap: int, release: bool) -> tuple[Any, ...]:
    """Draw training rows with replacement; give them and those that were not drawn, binarized.

    As in the release: columns with two values dropped, classes balanced, one median cut, taken over
    all rows.
    """
    random = np.random.RandomState(bootstrap)
    X, y = loaded(dataset)
    if release:
        wide = X.loc[:, X.nunique() > 2]
        X = wide if wide.shape[1] else X
        least = y.value_counts().min()
        kept = np.sort(
            np.concatenate(
                [random.choice(np.flatnonzero(y == c), least, replace=False) for c in (0, 1)]
            )
        )
        X, y = X.iloc[kept].reset_index(drop=True), y.iloc[kept].reset_index(drop=True)
    drawn = random.randint(len(X), size=len(X))
    rest = np.setdiff1d(np.arange(len(X)), drawn)
    binarizer = ol.Binarizer([0.5]) if release else ol.Binarizer((0.33, 0.66))
    binarizer.set_output(transform="pandas").fit(X if release else X.iloc[drawn])
    train = binarizer.transform(X.iloc[drawn].reset_index(drop=True))
    test = binarizer.transform(X.iloc[rest].reset_index(drop=True))
    high = 10 if release else 11  # the release draws 1 to 9, once for all bootstraps
    costs = np.random.RandomState(0 if release else bootstrap).randint(1, high, X.shape[1])
    by_name = dict(zip(map(str, X.columns), costs.tolist(), strict=True))
    return binarizer.space_, train, y.iloc[drawn].reset_index(drop=True), test, by_name


def _bills(
    dataset: str, bootstrap: int, max_depth: int, release: bool, streed_weight: float | None
) -> Iterator[tuple[str, Bill]]:
    """Fit the tree; give, for both semantics, a function that pays under a policy.

    A policy sees only the columns of the tree's features, so equal rows are counted, not repeated.
    """
    space, train, y, test, costs = _bootstrap(dataset, bootstrap, release)
    if streed_weight is None:
        from sklearn.tree import DecisionTreeClassifier

        model = DecisionTreeClassifier(max_depth=max_depth, random_state=bootstrap).fit(train, y)
    else:
        model = _streed(train, y, space, costs, max_depth, streed_weight)
    aware = ol.read(model, space=space)
    bits = ol.read(model, space=ol.Space.independent(space.column_names))
    groups: dict[str, list[str]] = {}
    for column in space.columns:
        groups.setdefault(column.feature, []).append(column.name)
    used = np.array([column.feature in aware.features for column in space.columns])
    rows, weight = _counted(train.to_numpy(), used)
    paid_rows, paid_weight = _counted((test if len(test) else train).to_numpy(), used)
    prices = {name: float(costs[name]) for name in groups}
    together = {f"{name} (bought)": names for name, names in groups.items()}
    priced = {f"{name} (bought)": price for name, price in prices.items()}

    def bill(tree: Any, prices: Any, groups: Any, method: Any, **extra: Any) -> dict[str, Any]:
        with warnings.catch_warnings():  # the page says how many were not proven
            warnings.filterwarnings("ignore", "the cheapest policy was not proven")
            policy = ol.cheapest_policy(
                tree, rows, prices, groups=groups, sample_weight=weight, method=method, **extra
            )
        return {
            "policy": method,
            "cost": float(np.average(policy.costs(paid_rows), weights=paid_weight)),
            "training": float(policy.expected_cost),
            "proven": bool(policy.optimal),
        }

    yield "aware", partial(bill, aware, prices, None)
    yield "independent", partial(bill, bits, priced, together)


def _counted(rows: NDArray[Any], used: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give rows that differ in the columns used, and how often each occurs."""
    bits = np.packbits(rows[:, used].astype(bool), axis=1)
    _, first, counts = np.unique(bits, axis=0, return_index=True, return_counts=True)
    return rows[first], counts


def cost_rows(
    dataset: str,
    bootstrap: int,
    max_depth: int,
    release: bool,
    streed_weight: float | None = None,
) -> list[Any]:
    """One piece: mean costs of one tree on the rows that the bootstrap left out."""
    learning = {"n_episodes": EPISODES, "random_state": bootstrap}
    # The search is limited by states, not by seconds: a busy machine gives the same result.
    search = {"limit": 1_000_000, "time_limit": 300}
    extra = {"q-learning": learning, "optimal": search}
    return [
        {"semantics": semantics, **bill(method, **extra.get(method, {}))}
        for semantics, bill in _bills(dataset, bootstrap, max_depth, release, streed_weight)
        for method in POLICIES
    ]


def learning_rows(dataset: str, bootstrap: int, grid: list[dict[str, float]]) -> list[Any]:
    """One piece: as ``cost_rows``, of one tree by Q-learning with each set of parameters."""
    learning = {"n_episodes": EPISODES, "random_state": bootstrap}
    return [
        {"semantics": semantics, **options, **bill("q-learning", **learning, **options)}
        for semantics, bill in _bills(dataset, bootstrap, 3, False, None)
        for options in grid
    ]


def _streed(
    train: pd.DataFrame, y: pd.Series, space: Any, costs: dict[str, int], depth: int, weight: float
) -> Any:
    """Fit STreeD's tree for errors + weight x cost; a feature is paid for once on a path."""
    import pystreed
    from pystreed.data import CostSpecifier, FeatureCostSpecifier

    owners = [column.feature for column in space.columns]
    groups = []
    for name in dict.fromkeys(owners):
        own = [i for i, owner in enumerate(owners) if owner == name]
        assert own == list(range(own[0], own[-1] + 1))
        groups.append(FeatureCostSpecifier(weight * costs[name], 0.0, name, own[0], own[-1]))
    model = pystreed.STreeDCostSensitiveClassifier(max_depth=depth, time_limit=60)
    wrong = [[0.0, 1.0], [1.0, 0.0]]
    return model.fit(train.to_numpy(dtype=int), y.to_numpy(), CostSpecifier(wrong, groups))


def _make(
    setting: Setting,
    *,
    file: str,
    datasets: Sequence[str],
    depths: Sequence[int] = (3,),
    release: bool = False,
) -> Outcome:
    names, absent = chosen(datasets, quick=setting.quick)
    pieces: list[dict[str, Any]] = [
        {"dataset": name, "bootstrap": b, "max_depth": depth, "release": way}
        for name in names
        for depth in depths
        for way in ((False, True) if release else (False,))
        for b in range(2 if setting.quick else BOOTSTRAPS)
    ]
    table = setting.work.table(cost_rows, pieces, file)
    comparison = _compare(table) if len(depths) == 1 else None
    text = (
        "Mean cost on the rows that the bootstrap left out; bars: mean over the trees, lines: "
        "their standard deviation (not an error of the mean). Naive buys all features of the "
        "tree, path those on the row's path, greedy buys the cheapest unknown feature until the "
        "answer is certain, q-learning is the paper's, optimal is exact on the training rows.\n\n"
        + table_text(_wide(table))
        + f"\n\n{_order(table)}"
    )
    reason = (
        "the paper gives neither its costs nor its splits, and the released program prepares the "
        "data in another way (one median cut, balanced classes, binary columns dropped, one draw "
        "of costs), so that the levels cannot agree, but the order of the policies can"
    )
    figure = draw.costs(table[table["max_depth"] == max(depths)])
    return Outcome({file: table}, comparison, {file: figure}, text, reason, 0.5, absent)


def _wide(table: pd.DataFrame) -> pd.DataFrame:
    several = [k for k in ("max_depth", "release", "semantics") if table[k].nunique() > 1]
    keys = ["dataset", *several]
    wide = table.pivot_table("cost", keys, "policy").reset_index()
    return wide[[*keys, *(p for p in POLICIES if p in wide)]]


def _order(table: pd.DataFrame) -> str:
    """Say whether optimal is never above another policy, and how often it is proven."""
    training: Any = table.pivot_table(
        "training", ["dataset", "bootstrap", "max_depth", "release", "semantics"], "policy"
    )
    above = {
        policy: int((training["optimal"] > training[policy] + 1e-9).sum())
        for policy in training.columns
    }
    worse = ", ".join(f"{policy} ({n} times)" for policy, n in above.items() if n)
    proven = int(table[table["policy"] == "optimal"]["proven"].sum())
    where = f"above {worse}" if worse else "never above another policy"
    return (
        f"On the training rows optimal is {where}; "
        f"it is proven optimal for {proven:,} of {len(training):,} trees and semantics."
    )


def _compare(table: pd.DataFrame) -> pd.DataFrame | None:
    """Put our means beside the bars of the paper, if the file is at hand."""
    mean: Any = table.groupby(["dataset", "release", "semantics", "policy"])["cost"].mean()
    known = reference("cost_per_policy_digitized.csv")
    if known is None:
        return None
    bars = known.set_index(["dataset", "policy"])
    release = bool(table["release"].any())
    out = []
    for name in table["dataset"].unique():
        for policy, printed in PRINTED.items():
            if (published_name(name), printed) in bars.index:
                bar: Any = bars.loc[(published_name(name), printed)]
                out.append(
                    beside(
                        f"{published_name(name)}: {policy}",
                        bar["mean_cost"],
                        (bar["errbar_high"] - bar["errbar_low"]) / 2,
                        ours=mean[name, release, "independent", policy],
                        aware=mean[name, release, "aware", policy],
                    )
                )
    return pd.DataFrame(out)


def figure_hyperparameters(setting: Setting) -> Outcome:
    """Run Q-learning with three values of each of its parameters."""
    names, absent = at_hand(QUICK[:1] if setting.quick else MAIN)
    grid = [
        {"alpha": alpha, "gamma": gamma, "exploration": exploration}
        for alpha in ((0.1,) if setting.quick else (0.05, 0.1, 0.2))
        for gamma in ((0.9, 1.0) if setting.quick else (0.8, 0.9, 1.0))
        for exploration in ((0.5,) if setting.quick else (0.25, 0.5, 0.75))
    ]
    trees = [
        {"dataset": name, "bootstrap": b}
        for name in names
        for b in range(2 if setting.quick else BOOTSTRAPS)
    ]
    file = "figure-cost-hyperparameters"
    pieces = [{**tree, "grid": grid} for tree in trees]
    table = setting.work.table(learning_rows, pieces, file).drop(columns="grid")
    best = [{**tree, "max_depth": 3, "release": False} for tree in trees]  # as in figure-cost
    exact = setting.work.table(cost_rows, best, file)
    exact = exact[exact["policy"] == "optimal"]
    keys = ["dataset", "semantics"]
    wide = table.pivot_table("cost", [*keys, "alpha", "exploration"], "gamma").reset_index()
    wide.columns = [c if isinstance(c, str) else f"gamma {c:g}" for c in wide.columns]
    wide = wide.merge(exact.groupby(keys)["cost"].mean().rename("optimal").reset_index(), on=keys)
    text = (
        "Mean cost on the rows that the bootstrap left out. With gamma below 1 each further "
        "question is itself penalized, so the learner asks few questions rather than cheap ones; "
        "gamma 1 is the undiscounted cost.\n\n" + table_text(wide)
    )
    return Outcome(
        {file: table}, None, {file: draw.hyperparameters(table, exact)}, text, absent=absent
    )


def figure_streed(setting: Setting) -> Outcome:
    """Evaluate trees that STreeD made for a cost, under each policy."""
    file = "figure-cost-streed"
    if find_spec("pystreed") is None:
        return Outcome({}, package="pystreed")
    names, absent = at_hand(QUICK[1:] if setting.quick else (*MAIN, *APPENDIX))
    pieces: list[dict[str, Any]] = [
        {
            "dataset": name, "bootstrap": b, "max_depth": 3, "release": False,
            "streed_weight": weight,
        }
        for name in names
        for weight in (WEIGHTS[1:3] if setting.quick else WEIGHTS)
        for b in range(2 if setting.quick else BOOTSTRAPS)
    ]  # fmt: skip
    table = setting.work.table(cost_rows, pieces, file)
    aware = table[table["semantics"] == "aware"]
    wide = aware.pivot_table("cost", ["dataset", "streed_weight"], "policy").reset_index()
    wide = wide[["dataset", "streed_weight", *POLICIES]]
    cheaper = float((wide["optimal"] < wide["path"] - 1e-9).mean())
    text = (
        "Trees of depth 3 that STreeD made optimal for errors + weight x cost of their paths, "
        f"{pieces[-1]['bootstrap'] + 1} bootstraps. Even such a tree can be evaluated more cheaply "
        f"than along its paths: in {cheaper:.0%} of the lines below, optimal is below path.\n\n"
        + table_text(wide)
    )
    return Outcome({file: table}, None, {file: draw.streed(aware)}, text, absent=absent)


TARGETS = (
    variant(_make, "figure-cost", "What an answer costs", "Section 7", datasets=MAIN, release=True),
    variant(
        _make, "figure-cost-greedy", "What an answer costs: all data sets, with greedy", "Appendix",
        datasets=(*MAIN, *APPENDIX), release=True,
    ),
    variant(
        _make, "figure-cost-depths", "What an answer costs: depth 3 to 5", "beyond the paper",
        datasets=MAIN, depths=(3, 4, 5),
    ),
    Target(
        "figure-cost-hyperparameters", "Q-learning's parameters", "Appendix",
        figure_hyperparameters,
    ),
    Target("figure-cost-streed", "Cost-sensitive trees by STreeD", "Appendix", figure_streed),
)  # fmt: skip
