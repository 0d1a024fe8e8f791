"""
Fairness: a range over all good models
======================================

"The model treats both groups alike" is a sentence about one model. A near-optimal set
holds many, with the same quality. If some of them treat the groups alike and others do
not, then the difference is not forced by the data: it is a choice, and somebody should
make it knowingly.
"""

# %%
# Made-up applicants from a seed. The group is not shown to any model; its members have
# shorter employment on average, and the label depends on income, debts and employment.
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import orderless as ol
from orderless import member

draw = np.random.default_rng(11)
n = 1200
group = np.where(draw.random(n) < 0.4, "B", "A")
X = pd.DataFrame(
    {
        "income": draw.gamma(5, 7, n).round() - 4 * (group == "B"),
        "debts": draw.gamma(2, 4, n).round(),
        "years employed": np.maximum(
            0, draw.normal(8, 4, n) - 3 * (group == "B")
        ).round(),
    }
)
strength = X["income"] / 10 - X["debts"] / 5 + X["years employed"] / 6
y = np.where(strength + draw.normal(0, 1.0, n) > 3.0, "grant", "refuse")

# %%
# Every near-optimal tree of at most depth 3, as functions.
space = ol.Space(dict.fromkeys(X, "integer"))
almost = (
    ol.RashomonSet(max_depth=3, regularization=0.01, epsilon=0.01, space=space)
    .fit(X, y)
    .trees_
)
print(f"{almost.n_trees} trees, {len(almost.functions())} functions")

# %%
# For each function: how many of group A and of group B are granted, and how many
# decisions are right. Each function counts once, however many trees it is.
grants, right = [], []
for function in almost.functions():
    granted = np.asarray(function.predict(X)) == "grant"
    grants.append([granted[group == one].mean() for one in "AB"])
    right.append(float((granted == (y == "grant")).mean()))
gap = np.subtract(*np.transpose(grants))
low, high = gap.argmin(), gap.argmax()
print(f"{len(gap)} functions, {min(right):.1%} to {max(right):.1%} right")
for word, at in (("smallest", low), ("largest", high)):
    a, b = grants[at]
    print(f"{word} gap: {a:.0%} of A and {b:.0%} of B granted, {right[at]:.1%} right")

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.scatter(gap * 100, np.array(right) * 100, s=16, alpha=0.5, color="#0072b2")
axes.scatter(
    gap[0] * 100,
    right[0] * 100,
    s=140,
    marker="*",
    color="#d55e00",
    label="the best objective",
)
axes.set_xlabel("A granted more often than B, in percentage points")
axes.set_ylabel("decisions right, %")
axes.legend(frameon=False)
plt.show()

# %%
# Who is affected? These applicants get another answer from some function that is as
# good. ``ambiguity()`` is their share, by group:
for one in "AB":
    share = almost.votes(X[group == one]).ambiguity()
    print(f"{one}: {share:.0%} of decisions depend on the choice")

# %%
# Which features does a good model need? ``without`` asks the whole set.
for name in X:
    left = almost.where(~member.uses(name))
    n, n_left = len(almost.functions()), len(left.functions())
    print(f"without {name}: {n_left} of {n} functions")

# %%
# And how much does each matter, over all of them and over bootstrap samples of the
# applicants? The box is what near-optimal functions say, each counted once.
worth = ol.RashomonImportance(
    n_bootstraps=20,
    max_depth=3,
    regularization=0.01,
    epsilon=0.01,
    space=space,
    random_state=0,
).fit(X, y)
worth.plot()
plt.show()

# %%
# The rules of the function with the smallest gap, to be discussed by people:
print(ol.canonicalize(almost.functions()[int(low)].tree))
