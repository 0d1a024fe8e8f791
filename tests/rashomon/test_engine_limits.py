"""The engine's limits: memory, time, Ctrl-C, arrays that do not fit, numbers of 64 and 128 bits."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orderless import _core
from tests.rashomon.test_engine import PLENTY, Case, independent, number, positions, search, view_of


def big() -> tuple[Any, ...]:
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, (400, 40)).astype(np.uint8)
    y = draw.integers(0, 2, 400).astype(np.int32)
    return X, y, np.ones(400, dtype=np.int64), 2


def test_memory_and_time_are_limited():
    with pytest.raises(MemoryError, match="more than the 100000 bytes"):
        _core.rashomon.Graph(*big(), search(4, 100, 100, (1000, 1, False), 100_000, 60.0))
    with pytest.raises(TimeoutError, match="time limit"):
        _core.rashomon.Graph(*big(), search(5, 100, 100, (1000, 1, False), PLENTY, 0.01))
    graph = _core.rashomon.Graph(*big(), search(3, 100, 100, (2500, 1, False)))
    view = view_of(graph.bound, 0, np.ones(40, dtype=np.uint8), [], True)
    with pytest.raises(MemoryError, match="bytes it may use"):
        graph.counts(view, 10_000, 60.0)
    with pytest.raises(MemoryError, match="bytes it may use"):
        graph.functions(view, None, False, 10**9, None, 1_000_000, 60.0)
    with pytest.raises(TimeoutError, match="time limit"):
        graph.functions(view, None, False, 10**9, None, PLENTY, 0.0)


@pytest.mark.parametrize("what", ["graph", "functions"])
def test_ctrl_c_is_heard(what):
    code = (
        "import os, signal, threading, sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/tests']\n"
        "from tests.rashomon.test_engine_limits import PLENTY, _core, big, np, search, view_of\n"
        "depth = 6 if sys.argv[2] == 'graph' else 3\n"
        "def stop():\n"
        "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "if sys.argv[2] == 'graph':\n    stop()\n"
        "try:\n"
        "    wanted = search(depth, 100, 0, (8000, 1, False), PLENTY, 1e9)\n"
        "    graph = _core.rashomon.Graph(*big(), wanted)\n"
        "    stop()\n"
        "    view = view_of(graph.bound, 0, np.ones(40, dtype=np.uint8), [], True)\n"
        "    graph.functions(view, None, False, 10**9, None, PLENTY, 1e9)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parents[2]), what],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert out.stdout.strip() == "heard"


def test_arrays_that_do_not_fit_are_refused():
    graph = _core.rashomon.Graph(*big(), search(2, 100, 100, (100, 1, False)))
    ones = np.ones(40, dtype=np.uint8)
    view = view_of(graph.bound, 0, ones, [], True)
    rows = np.ones((3, 40), dtype=np.uint8)
    few = (*big()[:2], np.ones(3, dtype=np.int64))
    with pytest.raises(ValueError, match="one per row"):
        _core.rashomon.Graph(*few, 2, search(2, 1, 1, (1, 1, False)))
    with pytest.raises(ValueError, match="error_cost"):
        _core.rashomon.Graph(*big(), search(2, 0, 100, (100, 1, False)))
    with pytest.raises(OverflowError, match="62 bits"):
        _core.rashomon.Graph(*big(), search(2, 100, 100, (2**62, 1, True)))
    for bad, message in [
        (view_of(graph.bound + 1, 0, ones, [], True), "at most the graph's"),
        (view_of(graph.bound, 0, ones[:3], [], True), "one entry per column"),
        (view_of(graph.bound, 0, ones, [[0]] * 17, True), "at most 16 groups"),
        (view_of(graph.bound, 0, ones, [[40]], True), "numbers of columns"),
    ]:
        with pytest.raises(ValueError, match=message):
            graph.counts(bad, PLENTY, 60.0)
        with pytest.raises(ValueError, match=message):
            graph.decide(bad, rows, rows, 60.0)
    with pytest.raises(ValueError, match="rows x columns"):
        graph.decide(view, rows, rows[:, :3].copy(), 60.0)
    with pytest.raises(ValueError, match="residue"):
        graph.functions(view, None, False, 10**6, (4, 2), PLENTY, 60.0)
    with pytest.raises(ValueError, match="one condition per column"):
        graph.functions(view, independent(3).measure(2), False, 10**6, None, PLENTY, 60.0)
    with pytest.raises(ValueError, match="that are listed"):
        graph.functions(view, None, False, 10**6, None, PLENTY, 60.0).votes(rows)
    found = graph.functions(view, None, True, 10**6, None, PLENTY, 60.0)
    with pytest.raises(ValueError, match="rows x columns"):
        found.votes(rows[:, :3].copy())
    counts = graph.counts(view, PLENTY, 60.0)
    with pytest.raises(IndexError, match="no such tree"):
        counts.unrank(positions([number(counts.n)]))
    with pytest.raises(ValueError, match="high and low"):
        counts.unrank(np.zeros((1, 3), dtype=np.uint64))


def test_counts_past_64_and_128_bits():
    X = np.array(list(itertools.product((0, 1), repeat=6)), dtype=np.uint8)
    y = (X.sum(axis=1) % 2).astype(np.int32)
    weights = np.ones(64, dtype=np.int64)
    graph = _core.rashomon.Graph(X, y, weights, 2, search(6, 1, 0, (64, 1, False)))
    # All trees over 6 free columns of depth <= 6: a node with k columns left asks any of them.
    n = 1
    for k in range(1, 7):
        n = 1 + k * n * n
    counts = graph.counts(
        view_of(graph.bound, 0, np.ones(6, dtype=np.uint8), [], True), PLENTY, 60.0
    )
    assert number(counts.n) == n > 2**64
    for position in (0, n // 3, n - 1):
        flat = counts.unrank(positions([position]))
        assert number(counts.rank(flat[1], flat[2])) == position
    X = np.array(list(itertools.product((0, 1), repeat=7)), dtype=np.uint8)
    y = (X.sum(axis=1) % 2).astype(np.int32)
    graph = _core.rashomon.Graph(
        X, y, np.ones(128, dtype=np.int64), 2, search(7, 1, 0, (128, 1, False))
    )
    with pytest.raises(OverflowError, match=r"2\^128"):
        graph.counts(view_of(graph.bound, 0, np.ones(7, dtype=np.uint8), [], True), PLENTY, 60.0)


def test_trees_of_one_function_past_64_bits():
    """All trees say the same: they are one function, and are counted exactly or not at all."""

    def all_of(d):
        X = np.array(list(itertools.product((0, 1), repeat=d)), dtype=np.uint8)
        n = len(X)
        one, zero = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int32)
        return _core.rashomon.Graph(X, zero, one, 2, search(d, 1, 0, (n, 1, False)))

    def functions(graph, d, most, listed=True):
        view = view_of(graph.bound, most, np.ones(d, dtype=np.uint8), [], True)
        return graph.functions(view, None, listed, 10, None, PLENTY, 60.0)

    n = 1
    for k in range(1, 6):
        n = 1 + k * n * n
    assert functions(all_of(5), 5, 0).arrays()[3].tolist() == [n]
    graph = all_of(6)
    counts = graph.counts(
        view_of(graph.bound, 0, np.ones(6, dtype=np.uint8), [], True), PLENTY, 60.0
    )
    leaves, _, high, low, *_ = counts.histogram(PLENTY, 60.0)
    by_leaves = [(int(h) << 64) + int(w) for h, w in zip(high, low, strict=True)]
    fits = [m for m in leaves.tolist() if sum(by_leaves[:m]) < 2**64]
    alone = [m for m in leaves.tolist() if max(by_leaves[:m]) < 2**64]
    assert 1 < fits[-1] < alone[-1] < leaves[-1]  # both kinds of overflow are met
    assert functions(graph, 6, fits[-1]).arrays()[3].tolist() == [sum(by_leaves[: fits[-1]])]
    for most in (fits[-1] + 1, alone[-1] + 1, 0):
        with pytest.raises(OverflowError, match=r"2\^64 trees of one function"):
            functions(graph, 6, most)
        assert functions(graph, 6, most, False).n == 1


def test_functions_pass_no_limit():
    case = Case(7)
    view, trees = case.view(0)
    n = len(case.problem.functions("rows", trees))
    counted = case.graph.functions(view, None, False, n, None, PLENTY, 60.0)
    assert counted.n == n
    assert all(len(each) == 0 for each in counted.arrays())
    with pytest.raises(IndexError, match="no such function"):
        counted.trees(np.array([0]))
    with pytest.raises(_core.base.LimitReached) as caught:
        case.graph.functions(view, None, False, n - 1, None, PLENTY, 60.0)
    assert caught.value.met == n
    with pytest.raises(IndexError, match="no such function"):
        counted.trees_of(0, 0, 1)
    with pytest.raises(IndexError, match="no such function"):
        case.graph.functions(view, None, False, n, None, PLENTY, 60.0).trees(np.array([n]))
