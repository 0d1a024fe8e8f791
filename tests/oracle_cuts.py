"""Trees of depth 3 over every cut point of a table, counted after a first question by sorted rows.

Shares no algorithm with the package: no bound, no memory, no graph. Both sides of the first cut are
cut in every way, both sides of that in every way again, and the errors of all last cuts come from
running sums of the rows in order of each feature. Two classes. Cost: rows x features x cuts.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class SortedRows:
    """The rows by their places among the values of each feature."""

    def __init__(self, X: Any, y: Any, error: int, leaf: int, bound: int) -> None:
        table = np.asarray(X, dtype=float)
        self.y = np.unique(np.asarray(y), return_inverse=True)[1]
        self.error, self.leaf, self.bound = error, leaf, bound
        self.values = [np.unique(column) for column in table.T]
        sizes = [len(values) for values in self.values]
        self.start = np.concatenate([[0], np.cumsum(sizes)])
        self.place = np.stack(
            [np.searchsorted(v, c) + s for v, c, s in
             zip(self.values, table.T, self.start, strict=False)], axis=1,
        )  # fmt: skip
        # The largest value of a feature is no cut.
        self.is_cut = np.ones(self.start[-1], dtype=bool)
        self.is_cut[self.start[1:] - 1] = False
        self.before = np.repeat(self.start[:-1], sizes)
        # No more errors than these fit beside two leaves.
        self.most = max(0, (bound - 2 * leaf) // error)

    def at_most(self, rows: Any) -> Any:
        """How many of some rows are at most at each cut."""
        counts = np.bincount(self.place[rows].ravel(), minlength=self.start[-1])
        sums = np.concatenate([[0], np.cumsum(counts)])
        return (sums[1:] - sums[self.before])[self.is_cut]

    def histogram(self, rows: Any, depth: int) -> Any:
        """Count trees by leaves and errors: a table [leaves, errors]."""
        out = np.zeros((2**depth + 1, self.most + 1), dtype=object)
        ones = int(self.y[rows].sum())
        wrong = min(ones, len(rows) - ones)
        if wrong <= self.most:
            out[1, wrong] += 1
        if depth == 0 or len(rows) < 2:
            return out
        n = self.at_most(rows)
        parts = (n > 0) & (n < len(rows))
        if depth == 1:
            n1 = self.at_most(rows[self.y[rows] == 1])[parts]
            n = n[parts]
            errors = np.minimum(n1, n - n1) + np.minimum(ones - n1, len(rows) - n - (ones - n1))
            counts = np.bincount(errors, minlength=self.most + 1)[: self.most + 1]
            out[2] += counts.astype(object)
            return out
        features = np.repeat(np.arange(len(self.values)), [len(v) - 1 for v in self.values])
        # Cuts of one feature with as many rows below part these rows alike.
        alike = np.unique(np.stack([features[parts], n[parts]]), axis=1, return_counts=True)
        for (feature, below), times in zip(alike[0].T, alike[1], strict=True):
            order = rows[np.argsort(self.place[rows, feature], kind="stable")]
            out += times * self.joined(
                self.histogram(order[:below], depth - 1), self.histogram(order[below:], depth - 1)
            )
        return out

    def joined(self, a: Any, b: Any) -> Any:
        """Count the pairs by what both have together."""
        out = np.zeros((len(a) + len(b) - 1, self.most + 1), dtype=object)
        for i, j in zip(*np.nonzero(a), strict=True):
            for k, m in zip(*np.nonzero(b), strict=True):
                if j + m <= self.most and self.fits(i + k, j + m):
                    out[i + k, j + m] += a[i, j] * b[k, m]
        return out

    def fits(self, leaves: int, errors: int) -> bool:
        return bool(self.error * errors + self.leaf * leaves <= self.bound)

    def after(self, feature: int, threshold: float, depth: int) -> int:
        """Count the trees that ask first whether a feature is at most a threshold."""
        place = np.searchsorted(self.values[feature], threshold, side="right") - 1
        yes = self.place[:, feature] <= place + self.start[feature]
        sides = [self.histogram(np.flatnonzero(side), depth - 1) for side in (yes, ~yes)]
        whole = self.joined(*sides)
        return int(sum(whole[i, j] for i, j in zip(*np.nonzero(whole), strict=True)))
