"""Impurity importance depends on the order in which a tree asks.

Paper: Section 5.1: AND of two bits, and of ten of twelve bits, over the whole truth table.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol

from . import draw
from .target import Outcome, Setting, Target, beside

__all__ = ["TARGETS", "and_rows"]


def and_rows(dataset_bits: int, relevant: int, seeds: list[int]) -> list[Any]:
    """One piece: trees for the AND of the first bits, each seed's importances and their range."""
    from sklearn.tree import DecisionTreeClassifier

    X = np.array(list(itertools.product([0, 1], repeat=dataset_bits)))
    y = X[:, :relevant].all(axis=1).astype(int)
    space = ol.Space.independent([f"X{i + 1}" for i in range(dataset_bits)])
    models = [DecisionTreeClassifier(random_state=seed).fit(X, y) for seed in seeds]
    trees = [ol.read(model, space=space) for model in models]
    assert all(ol.equivalent(trees[0], tree) for tree in trees)
    ranges = ol.importance_range(trees[0], X, y).table.set_index("feature")
    shuffled = ol.permutation_importance(trees[0], X, y)
    out = []
    for seed, model, tree in zip(seeds, models, trees, strict=True):
        ours = ol.impurity_importance(tree, X, y)
        assert np.allclose(ours, model.feature_importances_)
        for i, name in enumerate(space.names):
            out.append(
                {
                    "seed": seed,
                    "variable": name,
                    "gini": float(model.feature_importances_[i]),
                    "lowest": float(ranges["min"].get(name, 0.0)),
                    "highest": float(ranges["max"].get(name, 0.0)),
                    "mean over orders": float(ranges["mean"].get(name, 0.0)),
                    "permutation": float(np.asarray(shuffled)[i]),
                }
            )
    return out


def figure_gini(setting: Setting) -> Outcome:
    """Two orders of AND: 2/3 and 1/3, or 1/3 and 2/3."""
    piece = {"dataset_bits": 2, "relevant": 2, "seeds": [0, 1, 2]}
    table = pd.DataFrame(setting.work.map(and_rows, [piece], "figure-gini")[0])
    by_seed = table.pivot_table("gini", "seed", "variable")
    orders = by_seed.drop_duplicates().sort_values("X1")
    comparison = pd.DataFrame(
        [
            beside(
                f"Gini importance of {name}, tree that asks {first} first",
                1 / 3 if name == first else 2 / 3,
                ours=float(orders.iloc[row][name]),
                aware=float(orders.iloc[row][name]),
            )
            for row, first in ((0, "X1"), (1, "X2"))
            for name in ("X1", "X2")
        ]
    )
    text = (
        "The same function, learned by the same program with different seeds. Over all equivalent "
        "trees without redundant splits each variable's importance lies between "
        f"{table['lowest'].min():.3f} and {table['highest'].max():.3f}; their mean, and the "
        "permutation importance, do not depend on the order."
    )
    return Outcome({"figure-gini": table}, comparison, text=text, tolerance=1e-9)


def figure_gini_12(setting: Setting) -> Outcome:
    """Ten of twelve bits: three trees, one function, three importances."""
    bits, relevant = (6, 4) if setting.quick else (12, 10)
    piece = {"dataset_bits": bits, "relevant": relevant, "seeds": [0, 1, 2]}
    table = pd.DataFrame(setting.work.map(and_rows, [piece], "figure-gini-12")[0])
    figure, grid = draw.panels(1, 1, width=7.2, height=3.4)
    ax = grid[0, 0]
    names = list(table["variable"].unique())
    for k, (seed, part) in enumerate(table.groupby("seed")):
        ax.bar(np.arange(len(names)) + (k - 1) * 0.27, part["gini"], 0.25,
               color=(draw.BLUE, draw.ORANGE, draw.GREEN)[k], label=f"seed {seed}")  # fmt: skip
    one = table[table["seed"] == 0]
    ax.errorbar(
        np.arange(len(names)), one["mean over orders"],
        [one["mean over orders"] - one["lowest"], one["highest"] - one["mean over orders"]],
        fmt="D", color="black", capsize=4, markersize=4, label="all orders: mean and range",
    )  # fmt: skip
    ax.set(xticks=range(len(names)), xticklabels=names, ylabel="Gini importance")
    figure.legend(loc="outside upper center", frameon=False, ncols=4, fontsize=9)
    used = table[table["mean over orders"] > 0]
    text = (
        f"AND of {relevant} of {bits} bits over the whole truth table. The three trees decide the "
        "same, and each rates the variables in its own way; across the orders a variable's "
        f"importance ranges from {used['lowest'].min():.4f} to {used['highest'].max():.4f}, while "
        f"the mean over all orders is {used['mean over orders'].iloc[0]:.4f} for each that matters."
    )
    return Outcome({"figure-gini-12": table}, None, {"figure-gini-12": figure}, text)


TARGETS = (
    Target("figure-gini", "Two orders, two importances", "Section 5.1", figure_gini),
    Target("figure-gini-12", "Three orders of one function", "Section 5.1", figure_gini_12),
)
