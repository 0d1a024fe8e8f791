"""Predicting rows with unknown values: rows per second, memory, threads, growth.

Peers: scikit-learn's ``predict`` of the same tree, alone and after mean imputation; LightGBM's and
treelite's on complete rows. None of them tells whether the unknown values mattered.
"""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import orderless as ol
from orderless.connect import predict_file

from .figures import OURS, Figure, Panel
from .timing import NOT_INSTALLED, Table, against, best_of, clock, now, ratio, seconds, span

N_FEATURES = 28
DEPTHS = (3, 5, 8, 12)
SHARES = (0.0, 0.1, 0.5)
LEAST = 1.5  # times scikit-learn's speed, up to depth 8
LEAST_DEEP = 2.0  # the same, deeper
MOST_MB = 10  # beyond rows and result


def run(quick: bool) -> Iterator[Table | Figure | str]:
    n = 100_000 if quick else 1_000_000
    ratios: dict[str, list[float]] = {}
    yield _speed(n, ratios)
    yield _peers(n)
    yield _intervals(n)
    yield _needed()
    yield _memory(n)
    yield _growth(10 * n)
    yield _figure(quick)
    said = "; ".join(f"{which} {span(some)}" for which, some in ratios.items())
    yield f"In short, of this run: scikit-learn's `predict` takes, as multiples of ours: {said}."


@cache
def _training() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, N_FEATURES), dtype=np.float32)
    score = X[:, 0] * X[:, 1] + X[:, 2:10].sum(axis=1) / 2 + X[:, 10] * X[:, 11]
    return X, (score + rng.standard_normal(len(X)) > 0.3).astype(int)


@cache
def _model(depth: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(*_training())


def _rows(n: int, share: float) -> Any:
    """Make rows as float32 in C order; values are unknown completely at random."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, N_FEATURES), dtype=np.float32)
    for start in range(0, n, 100_000):
        part = X[start : start + 100_000]
        part[rng.random(part.shape, dtype=np.float32) < share] = np.nan
    return X


def _assert_agree(ours: Any, theirs: Any, share: float) -> None:
    """A peer sends unknown values somewhere: where ours is certain, it must say the same."""
    certain = ~np.ma.getmaskarray(ours)
    assert certain.any()
    assert share > 0 or certain.all()
    assert (ours.data[certain] == theirs[certain]).all()


def _speed(n: int, ratios: dict[str, list[float]]) -> Table:
    table = Table(
        f"`predict` of {n:,} rows x {N_FEATURES} features beside scikit-learn's, one core",
        ["unknown", "type", "order", *(f"depth {depth}" for depth in DEPTHS), "target"],
        [
            "Million rows per second, and in brackets the ratio of scikit-learn's time for its own "
            "tree to ours, in the same run. Best of 5. The trees have "
            + ", ".join(f"{ol.read(_model(depth)).n_leaves:,}" for depth in DEPTHS)
            + f" leaves. Target: at least {LEAST:g}x to depth 8, {LEAST_DEEP:g}x deeper. Asserted: "
            "where our answer is certain, scikit-learn's is the same; without unknown values "
            "everywhere."
        ],
    )
    for share in SHARES:
        base = _rows(n, share)
        for dtype in ("float32", "float64"):
            for order in ("C", "F"):
                X = np.array(base, dtype=dtype, order=order)
                cells, met = [], True
                for depth in DEPTHS:
                    model, tree = _model(depth), ol.read(_model(depth))
                    _assert_agree(tree.predict(X), model.predict(X), share)
                    ours = best_of(lambda tree=tree, X=X: tree.predict(X), 5)
                    theirs = best_of(lambda model=model, X=X: model.predict(X), 5)
                    which = "to depth 8" if depth <= 8 else "at depth 12"
                    which += ", complete rows" if share == 0 else ", some values unknown"
                    ratios.setdefault(which, []).append(theirs / ours)
                    met = met and theirs / ours >= (LEAST if depth <= 8 else LEAST_DEEP)
                    cells.append(f"{n / ours / 1e6:.0f} ({ratio(theirs, ours)})")
                table.add(f"{share:.0%}", dtype, order, *cells, "met" if met else "**missed**")
    return table


@cache
def _regressor(depth: int) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    X, label = _training()
    number = X[:, 0] * X[:, 1] + X[:, 2:10].sum(axis=1) / 2 + label
    return DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, number)


def _intervals(n: int) -> Table:
    table = Table(
        f"`predict_interval` of {n:,} rows beside `predict` of scikit-learn's regressor, one core",
        ["unknown", *(f"depth {depth}" for depth in DEPTHS)],
        [
            "Our time for both ends of every row's interval, and in brackets the ratio of "
            "scikit-learn's time for one number to it, in the same run; float32, C order. Best of "
            "3. Asserted: without unknown values both ends are scikit-learn's number, to the last "
            "bit; with them its number, which sends them somewhere, lies between the ends."
        ],
    )
    for share in (0.0, 0.1, 0.3, 0.5):
        X, cells = _rows(n, share), []
        for depth in DEPTHS:
            model, tree = _regressor(depth), ol.read(_regressor(depth))
            (lower, upper), number = tree.predict_interval(X), model.predict(X)
            assert ((lower <= number) & (number <= upper)).all()
            assert share > 0 or (lower == upper).all()
            ours = best_of(lambda tree=tree, X=X: tree.predict_interval(X), 3)
            theirs = best_of(lambda model=model, X=X: model.predict(X), 3)
            cells.append(f"{seconds(ours)} ({ratio(theirs, ours)})")
        table.add(f"{share:.0%}", *cells)
    return table


def _peers(n: int) -> Table:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    depths = [depth for depth in DEPTHS if depth <= 8]
    table = Table(
        f"Peers: {n:,} rows, float32, C order, one core",
        ["unknown", "peer", *(f"depth {depth}" for depth in depths)],
        [
            "The peer's time, and in brackets its ratio to ours for the same rows and tree. Best "
            "of 3. Mean imputation: scikit-learn's `SimpleImputer` and `predict`; its rows are one "
            "completion each, so it is asserted to give our answer wherever that is certain. "
            "LightGBM grows one tree of its own, which we read; treelite (GTIL) gets a forest of "
            "scikit-learn's tree. Both are asserted to give our answers."
        ],
    )
    for share in (0.1, 0.5):
        X, cells = _rows(n, share), []
        for depth in depths:
            model, tree = _model(depth), ol.read(_model(depth))
            both = make_pipeline(SimpleImputer().fit(_training()[0]), model)
            _assert_agree(tree.predict(X), both.predict(X), share)
            cells.append(_beside(lambda both=both, X=X: both.predict(X), tree, X))
        table.add(f"{share:.0%}", "mean imputation, then scikit-learn", *cells)
    X = _rows(n, 0.0)
    table.add("0%", "LightGBM", *(_lightgbm(depth, X) for depth in depths))
    table.add("0%", "treelite", *(_treelite(depth, X) for depth in depths))
    return table


def _beside(peer: Callable[[], Any], tree: ol.Tree, X: Any) -> str:
    ours = best_of(lambda: tree.predict(X), 5)
    theirs = best_of(peer, 3, budget=5)
    return f"{seconds(theirs)} ({ratio(theirs, ours)})"


def _lightgbm(depth: int, X: Any) -> str:
    try:
        import lightgbm
    except ImportError:
        return NOT_INSTALLED
    options = {
        "objective": "binary", "num_leaves": 2**depth, "max_depth": depth, "num_threads": 1,
        "boost_from_average": False, "verbose": -1, "seed": 0,
    }  # fmt: skip
    data = lightgbm.Dataset(_training()[0], _training()[1])
    model = lightgbm.train(options, data, num_boost_round=1)
    tree = ol.read(model)
    assert ((model.predict(X, num_threads=1) > 0.5) == (tree.predict(X) == 1)).all()
    return _beside(lambda: model.predict(X, num_threads=1), tree, X)


def _treelite(depth: int, X: Any) -> str:
    from sklearn.ensemble import RandomForestClassifier

    try:
        import treelite
    except ImportError:
        return NOT_INSTALLED
    grow = RandomForestClassifier(
        1, max_depth=depth, bootstrap=False, max_features=None, random_state=0
    )
    forest = grow.fit(*_training())
    tree = ol.read(forest.estimators_[0])
    model = treelite.sklearn.import_model(forest)

    def predict() -> Any:
        return treelite.gtil.predict(model, X, nthread=1)

    chance = predict().reshape(len(X), -1)
    assert (chance.argmax(axis=1) == tree.predict(X)).all()
    return _beside(predict, tree, X)


def _needed(n: int = 20_000, leaves: int = 209) -> Table:
    """What each open row still needs, written beside it."""
    import pyarrow as pa
    from pyarrow import parquet
    from sklearn.tree import DecisionTreeClassifier

    table = Table(
        f"`predict_file(needed='smallest')` of {n:,} rows, a tree of {leaves} leaves",
        ["unknown", "open rows", "time", "target"],
        [
            "Parquet to Parquet: classes, and for every row that is not certain the first of the "
            "smallest sets of features that settle it. Best of 3. Asserted: of every 97th open "
            "row, the set that `needed` finds."
        ],
    )
    tree = ol.read(DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
                        .fit(*_training()))  # fmt: skip
    for share in (0.1, 0.3, 0.5):
        X = _rows(n, share)
        columns = {f"x{i}": pa.array(column, from_pandas=True) for i, column in enumerate(X.T)}
        with TemporaryDirectory() as name:
            given, out = Path(name, "in.parquet"), Path(name, "out.parquet")
            parquet.write_table(pa.table(columns), given)
            passed = best_of(
                lambda given=given, out=out: predict_file(tree, given, out, needed="smallest"), 3
            )
            found = parquet.read_table(out)["needed"].to_pylist()
        still = [i for i, needed in enumerate(found) if needed]
        for i in still[::97]:
            assert found[i] == "; ".join(tree.needed(X[i]).settle[0])
        table.add(f"{share:.0%}", len(still), seconds(passed), against(0.5, passed))
    return table


def _memory(n: int) -> Table:
    table = Table(
        f"Memory and threads: {n:,} rows, 10 % unknown, C order",
        ["type", "depth", "beyond rows and result", "target", "scikit-learn", "n_jobs=1",
         "n_jobs=2, busier thread", "gain", "on the wall"],
        [
            "Memory: the most that the process held in memory during the call beyond what it held "
            "before, less the result's bytes (Linux, VmHWM). Threads: processor seconds of one "
            "thread, and of the busier of two, which is what two free cores would take; beside it "
            "the gain on the wall, best of 9, which on a busy machine says little. Asserted: the "
            "same answers with two threads."
        ],
    )  # fmt: skip
    for dtype in ("float32", "float64"):
        X = _rows(n, 0.1).astype(dtype)
        for depth in DEPTHS:
            model, tree = _model(depth), ol.read(_model(depth))
            one, two = tree.predict(X), tree.predict(X, n_jobs=2)
            assert (one.data == two.data).all()
            assert (one.mask == two.mask).all()
            size = one.data.nbytes + one.mask.nbytes
            beyond = _beyond(lambda tree=tree, X=X: tree.predict(X), size)
            theirs = _beyond(lambda model=model, X=X: model.predict(X), one.data.nbytes)
            target = "" if beyond is None else "met" if beyond < MOST_MB else "**missed**"
            (one_busy, one_wall), (two_busy, two_wall) = (
                _threads(lambda tree=tree, X=X, n_jobs=n_jobs: tree.predict(X, n_jobs=n_jobs))
                for n_jobs in (1, 2)
            )
            table.add(dtype, depth, _mb(beyond), f"< {MOST_MB} MB: {target}", _mb(theirs),
                      seconds(one_busy), seconds(two_busy), ratio(one_busy, two_busy),
                      ratio(one_wall, two_wall))  # fmt: skip
    return table


def _mb(size: float | None) -> str:
    return "not measured" if size is None else f"{size:.1f} MB"


def _beyond(work: Callable[[], Any], result: int) -> float | None:
    """Megabytes of memory that a call needs at most, beyond its result; None where Linux is not."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")

    def told(name: str) -> int:
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024

    try:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # what was freed is given back, so that it counts anew
        reset.write_text("5")  # the peak begins anew
        before = told("VmRSS:")
        kept = work()
        peak = told("VmHWM:")
    except (AttributeError, OSError, StopIteration):
        return None
    del kept
    return max(0.0, (peak - before - result) / 1e6)


def _threads(work: Callable[[], Any], n: int = 9) -> tuple[float, float]:
    """Processor seconds of the busier of two threads at most, and wall seconds; best of n."""
    busy, wall = [], []
    for _ in range(n):
        start, all_before, own_before = time.perf_counter(), clock(), time.thread_time()
        work()
        own = time.thread_time() - own_before
        busy.append(max(own, clock() - all_before - own))
        wall.append(time.perf_counter() - start)
    return min(busy), min(wall)


def _growth(most: int) -> Table:
    table = Table(
        f"Growth with rows: float32, C order, 10 % unknown, up to {most:,} rows",
        ["rows", *(f"depth {d}: {what}" for d in (5, 8, 12) for what in ("time", "per row"))],
        ["Best of 5. Linear is: the time per row stays."],
    )
    X = _rows(most, 0.1)
    n = most // 1000
    while n <= most:
        cells = []
        for depth in (5, 8, 12):
            tree = ol.read(_model(depth))
            passed = best_of(lambda tree=tree, n=n: tree.predict(X[:n]), 5, budget=5)
            cells += [seconds(passed), f"{passed / n * 1e9:.1f} ns"]
        table.add(n, *cells)
        n *= 10
    return table


def _figure(quick: bool) -> Figure:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    figure = Figure(
        "missing", "time of predict",
        [
            "float32, C order, 10 % unknown, one core; best of 5. Asserted: where our answer is "
            "certain, scikit-learn's is the same, alone and after mean imputation."
        ],
    )  # fmt: skip

    def measure(panel: Panel, x: int, model: Any, X: Any, train: Any) -> None:
        now(f"growth with {panel.x}: {x:,}")
        tree, full = ol.read(model), make_pipeline(SimpleImputer().fit(train), model)
        said = tree.predict(X)
        panel.add(OURS, x, best_of(lambda: tree.predict(X), 5))
        peers = [("scikit-learn", model)]
        if len(X) <= 10**6:  # imputing copies the rows
            peers.append(("imputation first", full))
        for title, peer in peers:
            _assert_agree(said, peer.predict(X), 0.1)
            panel.add(title, x, best_of(lambda peer=peer: peer.predict(X), 5))

    train, _ = _training()
    rows = figure.panel("rows", "Depth 8, 28 features")
    X = _rows(10**5 if quick else 10**7, 0.1)
    for n in (10**4, 10**5) if quick else (10**3, 10**4, 10**5, 10**6, 10**7):
        measure(rows, n, _model(8), X[:n], train)
    X = X[: 10**5].copy()
    depth = figure.panel("depth", "100,000 rows, 28 features")
    for levels in (2, 4) if quick else (1, 2, 3, 4, 6, 8, 12, 16):
        measure(depth, levels, _model(levels), X, train)
    features = figure.panel("features", "100,000 rows, depth 8")
    rng = np.random.default_rng(2)
    for width in (8, 16) if quick else (4, 8, 16, 32, 64, 128, 256):
        train = rng.standard_normal((20_000, width), dtype=np.float32)
        labels = (train[:, 0] * train[:, 1] + rng.standard_normal(len(train)) > 0).astype(int)
        model = DecisionTreeClassifier(max_depth=8, random_state=0).fit(train, labels)
        X = rng.standard_normal((10**5, width), dtype=np.float32)
        X[rng.random(X.shape, dtype=np.float32) < 0.1] = np.nan
        measure(features, width, model, X, train)
    return figure
