"""
Acquisition: what to measure next
=================================

Every measurement costs something: money, time, pain. A tree asks in its own order,
which knows nothing of costs. The cheapest way to the very same decision asks in
another, and stops as soon as nothing that is still unknown could change it.
"""

# %%
# Four measurements; the concave points have to be counted by hand, so they cost ten
# times as much as the mean texture.
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["mean texture", "worst radius", "worst texture", "worst concave points"]]
y = y.map({0: "malignant", 1: "benign"})
model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0).fit(
    X, y
)
tree = ol.read(model)
costs = {
    "mean texture": 1,
    "worst radius": 3,
    "worst texture": 3,
    "worst concave points": 10,
}

# %%
# The cheapest policy on these patients, proven:
policy = ol.cheapest_policy(tree, X, costs)
print(policy)
assert ol.equivalent(policy.to_tree(), tree)
policy.plot()
plt.show()

# %%
# Beside other ways to go about it:
ways = ["naive", "path", "greedy", "q-learning", "optimal"]
spent = {
    way: ol.cheapest_policy(tree, X, costs, method=way).expected_cost for way in ways
}
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
bars = axes.barh(ways, list(spent.values()), color=["#b0b7bf"] * 4 + ["#0072b2"])
axes.bar_label(bars, fmt="%.2f", padding=3)
axes.set_xlim(0, 1.12 * max(spent.values()))
axes.invert_yaxis()
axes.set_xlabel("cost of a decision, on average")
plt.show()

# %%
# A conversation, one question at a time. A value that is unavailable is skipped, and
# the rest is planned anew.
talk = policy.interview()
print(talk)
talk = talk.answer(14.0)
print(talk)
talk = talk.skip()
print(talk)
print(talk.answer(0.1))

# %%
# For a table that is already there, with gaps, ``ask_next`` names one feature per row
# whose value can matter. It is quick, and it is also what the SQL export says.
table = pd.DataFrame(
    [
        {"worst radius": 14.0},
        {"worst radius": 18.0, "mean texture": 20.0},
        {"worst texture": 20.0},
    ],
    columns=list(X),
)
print(
    table.assign(decision=tree.predict(table), ask=tree.ask_next(table)).to_string(
        index=False
    )
)

# %%
# A budget caps what one row may cost; the policy then settles as many rows as any
# policy can.
for budget in (4, 6, 13, 16):
    capped = ol.cheapest_policy(tree, X, costs, budget=budget)
    share, cost = capped.share_determined, capped.expected_cost
    print(f"budget {budget:2}: {share:.0%} decided for {cost:.2f}")
