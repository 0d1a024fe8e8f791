"""
Justice: the same decisions in another order
============================================

A court is shown a small tree that sorts people by their risk of being arrested again.
"Prior arrests weigh most," says one expert, and points at the importance that the
software printed. "Age weighs most," says another, and points at another tree. Both
trees decide every person alike. What the experts read off them is the order in which
each drawing happens to ask.
"""

# %%
# Made-up people, in the manner of the COMPAS data: the features and their ranges are
# similar, the numbers are drawn from a seed. Nothing here is a finding about real
# people.
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import orderless as ol

draw = np.random.default_rng(8)
n = 1500
X = pd.DataFrame(
    {
        "age": 18 + draw.gamma(2.2, 7, n).astype(int),
        "priors": draw.poisson(draw.gamma(1.0, 3.0, n)),
        "juvenile crimes": draw.poisson(0.15, n),
    }
)
odds = 0.45 * X["priors"] - 0.09 * (X["age"] - 27) + 0.8 * X["juvenile crimes"] - 0.4
y = np.where(draw.random(n) < 1 / (1 + np.exp(-odds)), "high", "low")

# %%
# All near-optimal trees up to depth 3, and among them the function of the best one. It
# is in the set as many trees, in many orders.
space = ol.Space(dict.fromkeys(X, "integer"))
almost = (
    ol.RashomonSet(max_depth=3, regularization=0.01, epsilon=0.01, space=space)
    .fit(X, y)
    .trees_
)
best = almost.functions()[0]
print(f"{almost.n_trees} trees, {len(almost.functions())} functions")
print(f"the best function is {best.n_trees} of these trees")
print(ol.canonicalize(best.tree))

# %%
# Of the trees that *are* this function, and ask no more than they must, take the one
# that gives age the smallest importance and the one that gives it the largest.
fewest = min(tree.n_leaves for tree in best.trees())
trees = [tree for tree in best.trees() if tree.n_leaves == fewest]
trees.sort(key=lambda tree: ol.impurity_importance(tree, X, y)["age"])
least, most = trees[0], trees[-1]
assert ol.equivalent(least, most)
assert (least.predict(X) == most.predict(X)).all()

figure, panels = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for axes, tree in zip(panels, (least, most), strict=True):
    share = ol.impurity_importance(tree, X, y)["age"]
    ol.plot_tree(tree, ax=axes)
    axes.set_title(f"age has {share:.0%} of the importance")
plt.show()

# %%
# Every person gets the same decision from both. So the importance of age is a range,
# not a number; the bar is exact over all trees that decide alike and ask nothing
# redundant, and the mark is their mean.
spread = ol.importance_range(least, X, y)
print(spread)
axes = plt.subplots(figsize=(7, 2.6), layout="constrained")[1]
spread.plot(axes)
plt.show()

# %%
# What does not depend on the order: how many more people would be sorted wrongly if
# age were shuffled. It needs the decisions only, so both trees agree.
for tree in (least, most):
    print(ol.permutation_importance(tree, X, y).round(3).to_dict())
