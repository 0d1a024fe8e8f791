"""What an ``Ensemble`` says of complete rows, computed slowly: tree by tree, as libraries add."""

import numpy as np

from orderless.api import wrap
from orderless.errors import InvalidTree
from orderless.inputs import codes_for, rows_for
from orderless.model import Adding, Rule, SumKernel, TreeKernel
from orderless.readers import opened, read_model
from orderless.readers.dispatch import column_model, knows_score, sum_over_features
from orderless.readers.wrappers import unwrap
from tests.neighbours import neighbours


def read_sum(model, *, preprocessing=None, space=None, feature_names=None, nan="unknown"):
    """Read a model as a sum of trees, also where it is one tree."""
    options = {"space": space, "feature_names": feature_names, "nan": nan}
    kernel, inner = None, opened(model)
    if not isinstance(inner, TreeKernel | SumKernel | dict) and not knows_score(inner):
        wrapped = unwrap(inner, preprocessing)
        columns = column_model(wrapped, space, feature_names)
        if columns.values is not None and not wrapped.targets:
            kernel = sum_over_features(columns, wrapped.preprocessing, *options.values())
    if kernel is None:
        kernel = read_model(model, preprocessing=preprocessing, **options)
    return wrap(kernel if isinstance(kernel, SumKernel) else of_one_tree(kernel))


def of_one_tree(tree):
    """Make a sum of one tree, by the numbers or the shares of its leaves."""
    leaves = np.flatnonzero(tree.feature < 0)
    which = tree.leaf_class[leaves]
    number = np.full(tree.n_nodes, -1)
    number[leaves] = np.arange(len(leaves))
    plain = tree.replace(
        classes=range(len(leaves)), leaf_class=number, distribution=None, task="classification"
    )
    if tree.task == "regression":
        return SumKernel([plain], [tree.numbers[which]], adding=Adding(), rule=Rule("number"))
    shares = tree.shares[leaves]
    if not np.array_equal(shares.argmax(axis=1), which):
        at = int(np.flatnonzero(shares.argmax(axis=1) != which)[0])
        raise InvalidTree(
            f"leaf {at} predicts {tree.classes[which[at]]!r}, which is not the first class of the "
            f"largest share among its training rows ({shares[at].tolist()}), so that the tree does "
            "not decide by its shares: use the tree itself"
        )
    base = (0.0,) * len(tree.classes)
    return SumKernel(
        [plain], [shares], classes=tree.classes, adding=Adding(base=base), rule=Rule("largest")
    )


def added(ensemble, X):
    """Give rows x scores: the sums in the library's order and precision, not divided."""
    rows, adding = rows_for(ensemble.kernel, X), ensemble.kernel.adding
    kind = np.float32 if adding.precision == "float32" else np.float64
    base = np.array(adding.base, dtype=kind)
    sums = np.zeros((rows.n_rows, len(base)), dtype=kind)
    if not adding.base_last:
        sums += base
    for tree, values, score in zip(
        ensemble.trees, ensemble.kernel.values, ensemble.kernel.scores.tolist(), strict=True
    ):
        leaf = codes_for(tree.kernel, rows)
        assert (leaf >= 0).all(), "a row is not complete"
        which = slice(None) if score < 0 else [score]
        sums[:, which] += values.astype(kind)[leaf][:, which]
    if adding.base_last:
        sums += base
    return sums


def divided(ensemble, X):
    """Give rows x scores, divided where the library divides."""
    sums = added(ensemble, X)
    return sums / sums.dtype.type(ensemble.kernel.adding.divisor)


def labels(ensemble, X):
    """Give the class of each row, by the ensemble's rule."""
    return labels_of(ensemble, added(ensemble, X))


def labels_of(ensemble, sums):
    """Give the class of undivided sums."""
    if ensemble.kernel.rule.kind == "largest":
        at = (sums / sums.dtype.type(ensemble.kernel.adding.divisor)).argmax(axis=1)
    else:
        assert ensemble.kernel.rule.kind == "cuts"
        at = (sums[:, :1] > np.array(ensemble.kernel.rule.cuts)).sum(axis=1)
    return ensemble.kernel.labels[at]


def within_window(ensemble, sums):
    """Say of which rows the rule leaves the class open: another score is near the largest."""
    exact = sums.astype(np.float64)
    below = exact.max(axis=1, keepdims=True) - exact
    return ((below > 0) & (below <= ensemble.kernel.rule.window)).any(axis=1)


def probabilities(ensemble, X):
    """Give rows x classes, through the link; equal to the library's up to rounding."""
    scores = divided(ensemble, X).astype(np.float64) * ensemble.kernel.factor
    if ensemble.kernel.link == "logistic":
        share = 1 / (1 + np.exp(-scores[:, 0]))
        return np.column_stack([1 - share, share])
    if ensemble.kernel.link == "softmax":
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        return share / share.sum(axis=1, keepdims=True)
    assert ensemble.kernel.link == "identity"
    return scores


def hard_rows(ensemble, X, n=100_000, edges=(), cuts=(), random_state=0):
    """Give n rows like X's, many of them with a number at a threshold, or beside it.

    Features are X's columns. ``cuts`` are more pairs of column and threshold, ``edges`` numbers
    that any column may have.
    """
    rng = np.random.default_rng(random_state)
    X = np.asarray(X, dtype=np.float64)
    out = X[rng.integers(0, len(X), n)]
    pairs = set(cuts)
    for tree in ensemble.trees:
        inner = tree.nodes.feature >= 0
        for numbers in (tree.nodes.threshold, tree.kernel.row_threshold):
            pairs |= set(
                zip(tree.nodes.feature[inner].tolist(), numbers[inner].tolist(), strict=True)
            )
    pairs = sorted(pair for pair in pairs if np.isfinite(pair[1]))
    hits = [(j, near) for j, cut in pairs for near in neighbours(cut)]
    hits += [(j, edge) for j in range(X.shape[1]) for edge in edges]
    column, number = (np.array(part) for part in zip(*hits, strict=True))
    for _ in range(2):  # two columns of a row
        some = rng.integers(0, len(hits), n)
        if n > len(hits):
            some[: len(hits)] = np.arange(len(hits))
        rng.shuffle(some)
        at = np.flatnonzero(rng.random(n) < 0.9)
        out[at, column[some[at]].astype(int)] = number[some[at]]
    return out
