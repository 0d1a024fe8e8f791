"""Rashomon sets by peers: 0/1 columns as a data frame, labels 0/1.

Out: (seconds, (trees, peak bytes))."""

from __future__ import annotations

from typing import Any

from ..timing import clock
from .functions import best


def _measured(work: Any, warm: Any) -> tuple[float, tuple[int, int]]:
    """Memory of the first call: what the process held at most above what it held before."""
    from pathlib import Path

    def held(key: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))

    warm()  # what a first call loads is not counted
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = held("VmRSS")
    start = clock()
    trees = work()
    passed = clock() - start
    peak = max(0, held("VmHWM") - before)
    if passed < 0.5:  # else once is enough
        passed, _ = best(work, 25)
    return passed, (trees, peak)


def _few() -> Any:
    """A small table, so that a first call loads what it needs."""
    import pandas as pd

    rows = [[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(40)]
    columns = pd.DataFrame(rows, columns=["c0", "c1", "c2"])
    return columns, (columns["c0"] & columns["c1"]).rename("y")


def treefarms_set(
    columns: Any, y: Any = None, depth: int = 3, epsilon: float = 0.02, leaf: float = 0.01
) -> Any:
    """TreeFARMS' own fit: every tree within epsilon, trivial ones too."""
    from treefarms import TREEFARMS

    if columns is None:
        return None
    plain = columns.set_axis([f"c{j}" for j in range(columns.shape[1])], axis=1)
    settings = {
        "regularization": leaf, "rashomon_bound_adder": epsilon, "rashomon_bound_multiplier": 0,
        "depth_budget": depth + 1, "rashomon_ignore_trivial_extensions": False,
    }  # fmt: skip
    return _measured(
        lambda: int(TREEFARMS(settings).fit(plain, y).model_set.model_count),
        lambda: TREEFARMS(settings).fit(*_few()),
    )


def praxis_set(columns: Any, y: Any = None, leaf: int = 0, bound: int = 0, depth: int = 3) -> Any:
    """PRAXIS: an approximation. A leaf costs whole rows, and so does the worst tree allowed."""
    from praxis import PRAXIS

    if columns is None:
        return None
    table, labels = columns.to_numpy(), y.to_numpy()

    def work() -> int:
        model = PRAXIS()
        model.fit(table, labels, lambda_reg=leaf / len(labels), depth_budget=depth,
                  root_budget=bound, majority_leaf_only=True)  # fmt: skip
        return int(model.count_trees())

    return _measured(work, lambda: PRAXIS().fit(*(part.to_numpy() for part in _few())))


def arborenum_set(
    columns: Any, y: Any = None, leaf: int = 0, bound: int = 0, depth: int = 3
) -> Any:
    """ArborEnum, made exact by looking ahead to the last level but one; costs as for PRAXIS."""
    from arborenum import ArborEnum

    if columns is None:
        return None
    return _arborenum(ArborEnum.fit_binarized, columns, y, leaf, bound, depth, {})


def arborenum_features(X: Any, y: Any = None, leaf: int = 0, bound: int = 0, depth: int = 3) -> Any:
    """ArborEnum on the features themselves, every cut point; exact, and costs, as above."""
    from arborenum import ArborEnum

    if X is None:
        return None
    return _arborenum(ArborEnum.fit, X, y, leaf, bound, depth, {"proxy_mode": "continuous"})


def _arborenum(
    fit: Any, X: Any, y: Any, leaf: int, bound: int, depth: int, options: dict[str, Any]
) -> tuple[float, tuple[int, int]]:
    from arborenum import ArborEnum

    table, labels = X.to_numpy(), y.to_numpy()

    def work() -> int:
        model = ArborEnum()
        fit(
            model, table, labels, lambda_reg=leaf / len(labels), depth_budget=depth,
            root_budget=bound, lookahead_k=max(1, depth - 1), majority_leaf_only=True, **options,
        )  # fmt: skip
        return int(model.count_trees())

    few = [part.to_numpy() for part in _few()]
    return _measured(work, lambda: ArborEnum().fit_binarized(*few).count_trees())


def orderless_set(
    columns: Any, y: Any = None, depth: int = 3, epsilon: float = 0.02, leaf: Any = 0.01
) -> Any:
    """Ours, in a process of its own, too."""
    from orderless import RashomonSet

    if columns is None:
        return None
    passed, (trees, peak) = _measured(
        lambda: RashomonSet(depth, leaf, epsilon).fit(columns, y).trees_.n_trees,
        lambda: RashomonSet().fit(*_few()).trees_.n_trees,
    )
    # What fits into memory that the process has already shows in no peak: the core's own count.
    found = RashomonSet(depth, leaf, epsilon).fit(columns, y).trees_
    held = found._source.graph.bytes + found._counts.core.bytes
    return passed, (trees, max(peak, held))


def streed_numbers(columns: Any, y: Any = None, depth: int = 3, leaf: float = 0.01) -> Any:
    """STreeD's own fit: one tree of numbers with the smallest objective, ours in its words."""
    import warnings

    from pystreed import STreeDRegressor

    if columns is None:
        return None
    table, numbers = columns.to_numpy(), y.to_numpy().astype(float)
    model = STreeDRegressor(max_depth=depth, cost_complexity=leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = clock()
        model.fit(table, numbers)
        passed = clock() - start
        apart = float(((numbers - model.predict(table)) ** 2).sum())
    whole = float(((numbers - numbers.mean()) ** 2).sum())
    return passed, apart / whole + leaf * int(model.get_n_leaves())


def streed_classes(columns: Any, y: Any = None, depth: int = 3, leaf: float = 0.01) -> Any:
    """STreeD's own fit: one tree of classes with the smallest objective, ours in its words."""
    from pystreed import STreeDClassifier

    if columns is None:
        return None
    table, labels = columns.to_numpy(), y.to_numpy()
    model = STreeDClassifier("cost-complex-accuracy", max_depth=depth, cost_complexity=leaf)
    start = clock()
    model.fit(table, labels)
    passed = clock() - start
    wrong = int((model.predict(table) != labels).sum())
    # It charges for splits, we for leaves, of which there is one more.
    return passed, wrong / len(labels) + leaf * int(model.get_n_leaves())


def treefarms_rid(
    bits: Any, y: Any = None, group: Any = None, regularization: float = 0, epsilon: float = 0
) -> Any:
    """TreeFARMS' set without trivial extensions, and every tree's permutation importances.

    Gives the seconds of the search, and (trees, seconds of the importances, mean by feature).
    """
    import numpy as np
    import pandas as pd
    from treefarms import TREEFARMS

    if bits is None:
        return None
    table = pd.DataFrame(bits, columns=[f"c{j}" for j in range(bits.shape[1])])
    options = {
        "regularization": regularization,
        "rashomon_bound_adder": epsilon,
        "rashomon_bound_multiplier": 0,
        "depth_budget": 4,
        "rashomon_ignore_trivial_extensions": True,
    }
    start = clock()
    model = TREEFARMS(options).fit(table, pd.Series(y, name="class"))
    searching = clock() - start

    def decide(node: Any, cells: Any) -> Any:
        if "prediction" in node:
            return np.full(len(cells), int(node["prediction"]))
        out = np.empty(len(cells), dtype=int)
        one = cells[:, int(node["feature"])] == 1
        out[one], out[~one] = decide(node["true"], cells[one]), decide(node["false"], cells[~one])
        return out

    def asked(node: Any) -> set[int]:
        if "prediction" in node:
            return set()
        return {int(node["feature"])} | asked(node["true"]) | asked(node["false"])

    start = clock()
    random = np.random.default_rng(0)
    n_trees = model.model_set.model_count
    means = np.zeros(int(group.max()) + 1)
    for i in range(n_trees):
        source = model.model_set[i].source
        right = (decide(source, bits) == y).mean()
        for feature in {int(group[column]) for column in asked(source)}:
            own = np.flatnonzero(group == feature)
            for _ in range(5):
                permuted = bits.copy()
                permuted[:, own] = bits[np.ix_(random.permutation(len(bits)), own)]
                means[feature] += (right - (decide(source, permuted) == y).mean()) / 5 / n_trees
    return searching, (n_trees, clock() - start, means.tolist())
