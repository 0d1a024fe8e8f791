"""Sums of an ensemble, added up in the library's order and precision: slow, plain and in numpy.

What a library's own margins are compared with. It shares nothing with the core: every tree is asked
by itself for the leaf of each row, and what the leaves add is added one tree after the other.
"""

import numpy as np
from neighbours import EDGES, at_thresholds


def leaves(ensemble, rows):
    """Give the leaf of every tree, rows x trees; every row must reach one."""
    read = ensemble.read(rows)
    reached = [tree.decide(read) for tree in ensemble.trees]
    assert all((leaf >= 0).all() for leaf in reached)
    return np.stack(reached, axis=1)


def sums(ensemble, rows):
    """Add up, as the library does, without the division in the end."""
    adding = ensemble.adding
    kind = np.dtype(adding.precision)
    at = leaves(ensemble, rows)
    base = np.array(adding.base).astype(kind)
    assert (base == adding.base).all()
    total = np.zeros((len(at), len(base)), dtype=kind)
    if not adding.base_last:
        total += base
    for values, leaf, score in zip(ensemble.values, at.T, ensemble.scores, strict=True):
        own = values.astype(kind)
        assert (own == values).all()
        columns = slice(None) if score < 0 else slice(score, score + 1)
        assert score < 0 or (np.delete(values, score, axis=1) == 0).all()
        total[:, columns] += own[leaf][:, columns]
    if adding.base_last:
        total += base
    return total


def labels(ensemble, total):
    """Give the place of the class by undivided sums; -1: closer than the window."""
    rule = ensemble.rule
    if rule.kind == "cuts":
        return (total > np.array(rule.cuts)).sum(axis=1)
    divided = total / total.dtype.type(ensemble.adding.divisor)
    first = divided.argmax(axis=1)
    if not rule.window:
        return first
    exact = total.astype(np.float64)
    below = exact[np.arange(len(exact)), first][:, None] - exact
    close = (below <= rule.window) & (below > 0)
    return np.where(close.any(axis=1), -1, first)


def many_rows(ensemble, X, n, edges=EDGES, random_state=0, most_cuts=400):
    """Give n rows like X's: at thresholds of the trees, beside them, at the edges of floats."""
    rng = np.random.default_rng(random_state)
    nodes = ensemble.nodes
    asked = (nodes.feature >= 0) & np.isfinite(nodes.threshold)
    pairs = sorted(set(zip(nodes.feature[asked].tolist(), nodes.threshold[asked], strict=True)))
    pairs = [pairs[i] for i in rng.permutation(len(pairs))[:most_cuts]]
    near = at_thresholds(X, pairs, random_state)
    for column in range(X.shape[1]):
        some = rng.integers(0, len(near), 4 * len(edges))
        extra = near[some]
        extra[:, column] = np.resize(edges, len(extra))
        near = np.vstack([near, extra])
    wide = X[rng.integers(0, len(X), n)] + rng.normal(size=(n, X.shape[1])) * 0.1
    mixed = np.stack([near[rng.integers(0, len(near), n), j] for j in range(X.shape[1])], axis=1)
    out = np.vstack([near, np.where(rng.random((n, 1)) < 0.5, wide, mixed)])
    return out[: max(n, len(near))]
