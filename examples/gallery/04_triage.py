"""
Triage: a score sheet as a tree
===============================

Many clinical scores are a sheet of points. CURB-65 for pneumonia has five items, a
point each: confusion, a urea above 7 mmol/l, a respiratory rate of 30 or more, a low
blood pressure, an age of 65 or more. Up to one point is low risk, two is intermediate,
three or more is high. The urea comes from the laboratory and takes an hour. For how
many patients does anybody have to wait for it?
"""

# %%
# A score is a tree whose leaves are sums. Written down as nested questions, every
# order of the items gives the same function.
import itertools

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import orderless as ol

space = ol.Space(
    {
        "confusion": "boolean",
        "urea": "numeric",
        "respiratory rate": "integer",
        "low blood pressure": "boolean",
        "age": "integer",
    }
)
items = [
    {"feature": "confusion", "relation": "==", "reference": 1},
    {"feature": "urea", "relation": ">", "reference": 7},
    {"feature": "respiratory rate", "relation": ">=", "reference": 30},
    {"feature": "low blood pressure", "relation": "==", "reference": 1},
    {"feature": "age", "relation": ">=", "reference": 65},
]


def sheet(left, points=0):
    if not left:
        return {"prediction": points}
    item, *rest = left
    return {**item, "true": sheet(rest, points + 1), "false": sheet(rest, points)}


score = ol.read_tree({"task": "regression", **sheet(items)}, space=space)
print(score.n_leaves, "leaves; points:", score.numbers.astype(int))

# %%
# The decision is not the sum but the group that it falls into. The shortest rules of
# the groups are the score sheet, read backwards: which findings are enough?
groups = score.cut([1, 2], labels=["low", "intermediate", "high"])
form = ol.canonicalize(groups)
for label, terms in form.rules.items():
    print(f"{label}: {len(terms)} rules, the first is {terms[0]}")

# %%
# One patient at the door. With two items known, the points lie between two bounds,
# both of which can be reached. One more finding, and neither the laboratory nor the
# blood pressure matters any longer.
patient = {"age": 81, "confusion": True}
low, high = score.predict_interval([patient])
print(f"between {low[0]:.0f} and {high[0]:.0f} points")
print(form.explain(patient))
patient |= {"respiratory rate": 32}
print(form.explain(patient))

# %%
# Made-up patients, to count. In how many is the group certain without the urea?
draw = np.random.default_rng(0)
n = 3000
X = pd.DataFrame(
    {
        "confusion": draw.random(n) < 0.15,
        "urea": draw.gamma(4, 1.6, n).round(1),
        "respiratory rate": draw.normal(23, 5, n).round().clip(8, 60).astype(int),
        "low blood pressure": draw.random(n) < 0.15,
        "age": draw.normal(68, 15, n).round().clip(18, 100).astype(int),
    }
)
gaps = X.assign(urea=np.nan)
print(f"{groups.predict(gaps).notna().mean():.0%} are certain without the urea")

# %%
# If the only question is whether the risk is high, that is another decision, and it
# needs less:
severe = score.cut([2], labels=["not high", "high"])
print(f"{severe.predict(gaps).notna().mean():.0%} are certain without the urea")

# %%
# What to ask in which order? A question costs 1, counting breaths 2, the pressure 3,
# the laboratory 30. The cheapest policy is proven cheapest on these patients, and it
# stops as soon as the group is certain.
costs = {
    "confusion": 1,
    "age": 1,
    "respiratory rate": 2,
    "low blood pressure": 3,
    "urea": 30,
}
policy = ol.cheapest_policy(groups, X, costs)
print(f"all five items: {sum(costs.values())}")
print(f"the policy:     {policy.expected_cost:.2f} on average")
print(policy.next_feature({"age": 81, "confusion": True}))

bought = policy.simulate(X)["purchases"]
shares = {name: np.mean([name in one for one in bought]) for name in costs}
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
axes.barh(list(shares), list(shares.values()), color="#0072b2")
for place, share in enumerate(shares.values()):
    axes.text(share + 0.01, place, f"{share:.0%}", va="center")
axes.set_xlim(0, 1.12)
axes.set_xlabel("share of patients for whom the policy asks")
axes.invert_yaxis()
plt.show()

# %%
# And the sheet really has no order: whichever way the items are sorted, it is one
# function.
shuffled = [list(order) for order in itertools.permutations(items)][::17]
trees = [
    ol.read_tree({"task": "regression", **sheet(order)}, space=space)
    for order in shuffled
]
print(len(trees), "orders,", len(ol.group_equivalent(trees)), "function")
