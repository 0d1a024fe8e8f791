"""Rows that sit exactly at the thresholds of a tree, and on the floats beside them."""

import numpy as np


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
