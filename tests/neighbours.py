"""Rows that sit exactly at the thresholds of a tree, and on the floats beside them."""

import numpy as np

_TINY = float(np.float32(1e-45))  # the smallest float32
_MOST = float(np.finfo(np.float32).max)
_ROUNDS = _MOST * (1 + 2.0**-25)  # the first number that float32 rounds to infinity
# Numbers at which floats are strange.
EDGES = [
    *(0.0, -0.0, 5e-324, -5e-324, 1e-310, -1e-310),
    *(_TINY, -_TINY, _TINY / 2, np.nextafter(_TINY / 2, 1.0), 1e-40, 1e-36, 1e-35, -1e-35),
    *(2.0**24 + 1, 2.0**53, float(2**53 + 1), 2.0**53 + 2, -(2.0**53)),
    *(_MOST, np.nextafter(_MOST, np.inf), np.nextafter(_ROUNDS, 0.0), _ROUNDS, -_ROUNDS),
    *(1e300, np.nextafter(1e300, np.inf), np.nextafter(1e300, 0.0), 1e305, -1e305),
    *(np.finfo(np.float64).max, np.inf, -np.inf, np.nan),
]


def neighbours(threshold):
    """Give a number, and its next float64 and float32 on either side."""
    up, down = np.float32(np.inf), np.float32(-np.inf)
    with np.errstate(over="ignore"):  # beyond the largest float there is infinity
        number, single = np.float64(threshold), np.float32(threshold)
        near = (
            number,
            np.nextafter(number, np.inf),
            np.nextafter(number, -np.inf),
            single,
            np.nextafter(single, up),
            np.nextafter(single, down),
        )
    return [float(x) for x in near]


def at_thresholds(X, cuts, random_state, each=8):
    """Put every (column, threshold), and its neighbours, into rows drawn from X."""
    rng = np.random.default_rng(random_state)
    rows = [np.asarray(X, dtype=np.float64)]
    for column, threshold in cuts:
        for value in neighbours(threshold):
            some = rows[0][rng.integers(0, len(rows[0]), each)].copy()
            some[:, column] = value
            rows.append(some)
    return np.vstack(rows)


def many_rows(tree, X, n=100_000, edges=EDGES, random_state=0):
    """Give n rows like X's for a tree over them: at its thresholds, beside them, at the edges."""
    rng = np.random.default_rng(random_state)
    pairs = {
        (int(f), float(t)) for f, t in zip(tree.nodes.feature, tree.nodes.threshold, strict=True)
    }
    rows = [at_thresholds(X, sorted(pair for pair in pairs if pair[0] >= 0), random_state)]
    for column in range(X.shape[1]):
        some = rows[0][rng.integers(0, len(rows[0]), 8 * len(edges))]
        some[:, column] = np.resize(edges, len(some))
        rows.append(some)
    here = np.vstack(rows)
    wide = rng.normal(size=(n, X.shape[1])) * 10.0 ** rng.integers(-3, 2, (n, 1))
    return np.vstack([here, wide])[: max(n, len(here))]
