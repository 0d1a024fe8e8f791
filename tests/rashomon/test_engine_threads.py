"""Several threads find the same set, to the bit, and let themselves be stopped."""

import signal
import threading
import time

import numpy as np
import pytest
from rashomon_cases import Case

import orderless as ol
from orderless.errors import OutOfMemory, OutOfTime


def table(n_rows, n_columns, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n_rows, n_columns)) < random.uniform(0.1, 0.9, n_columns)
    y = (X[:, 0] & X[:, 1]) | X[:, 2] ^ (random.random(n_rows) < 0.2)
    return X.astype(np.uint8), y.astype(int)


def same(one, other):
    a, b = one._source.graph, other._source.graph
    assert (a.optimum, a.bound, a.n_nodes, a.n_edges) == (b.optimum, b.bound, b.n_nodes, b.n_edges)
    assert one.n_trees == other.n_trees
    assert one.counts().equals(other.counts())
    some = sorted(np.random.default_rng(1).integers(0, one.n_trees, 20).tolist())
    for position in some:
        assert one[position].to_json() == other[position].to_json()


@pytest.mark.parametrize("n_jobs", [2, 3, 8, -1, None])
@pytest.mark.parametrize(("rows", "columns", "depth"), [(3000, 30, 4), (500, 14, 5), (300, 60, 3)])
def test_the_set_is_the_same(n_jobs, rows, columns, depth):
    X, y = table(rows, columns)
    one = ol.RashomonSet(depth, 0.01, 0.02).fit(X, y).trees_
    same(one, ol.RashomonSet(depth, 0.01, 0.02, n_jobs=n_jobs).fit(X, y).trees_)


@pytest.mark.parametrize("seed", range(20))
def test_small_problems(seed):
    case = Case(seed, 3, 4)
    same(case.fit(), case.fit(n_jobs=3))


def test_several_classes_and_numbers():
    X, y = table(2000, 16)
    classes = y + 2 * X[:, 4]
    same(ol.RashomonSet(4, 0.02, 0.03).fit(X, classes).trees_,
         ol.RashomonSet(4, 0.02, 0.03, n_jobs=3).fit(X, classes).trees_)  # fmt: skip
    numbers = y + X[:, 4] * 0.5
    one, other = (
        ol.RashomonSet(3, 0.02, 0.03, loss="squared", n_jobs=n).fit(X, numbers).trees_
        for n in (1, 3)
    )
    assert one.n_trees == other.n_trees
    assert one.objective == other.objective


def test_without_sets_of_four():
    """Little memory has no room for them: column by column the set is the same."""
    X, y = table(3000, 30)
    little = ol.RashomonSet(4, 0.01, 0.02, memory_limit=2_500_000).fit(X, y).trees_
    same(ol.RashomonSet(4, 0.01, 0.02).fit(X, y).trees_, little)


def test_limits_hold_on_every_thread():
    X, y = table(3000, 30)
    with pytest.raises(OutOfMemory):
        ol.RashomonSet(5, 0.001, 0.05, n_jobs=3, memory_limit=3_000_000).fit(X, y)
    with pytest.raises(OutOfTime):
        ol.RashomonSet(6, 0.0001, 0.05, n_jobs=3, time_limit=0.001).fit(X, y)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to one thread here")
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_it_can_be_interrupted(n_jobs):
    X, y = table(20_000, 40)
    main = threading.main_thread().ident

    def interrupt():
        time.sleep(0.3)
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        ol.RashomonSet(8, 0.00001, 0.05, n_jobs=n_jobs, time_limit=300).fit(X, y)
    thread.join()


@pytest.mark.parametrize("bad", [0, -2, 1.5, True, "all"])
def test_bad_numbers_of_jobs(bad):
    X, y = table(30, 4)
    with pytest.raises(ValueError, match="n_jobs must be None, a whole number from 1, or -1"):
        ol.RashomonSet(n_jobs=bad).fit(X, y)
