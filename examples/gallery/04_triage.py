"""
Triage: a score sheet, asked before it is complete
==================================================

Many clinical scores are a sheet of points. CURB-65 for pneumonia has five items, a
point each: confusion, a urea above 7 mmol/l, a respiratory rate of 30 or more, a low
blood pressure, an age of 65 or more. Up to one point is low risk, two is intermediate,
three or more is high. The urea comes from the laboratory and takes an hour. Who has to
wait for it?
"""

# %%
# The sheet, as a person would write it down. (For illustration: do not treat anyone by
# this page.)
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import orderless as ol

items = [
    {"feature": "confusion", "points": 1},
    {"feature": "urea", "above": 7, "points": 1},
    {"feature": "respiratory rate", "at least": 30, "points": 1},
    {"feature": "low blood pressure", "points": 1},
    {"feature": "age", "at least": 65, "points": 1},
]
verdicts = {"low": None, "intermediate": 2, "high": 3}
space = ol.Space(
    {
        "confusion": "boolean",
        "urea": "numeric",
        "respiratory rate": "integer",
        "low blood pressure": "boolean",
        "age": "integer",
    }
)
score = ol.Ensemble.from_points(items, verdicts=verdicts, space=space)
print(score)

# %%
# One patient at the door, 81 and confused. That is two points already, and up to three
# may follow:
patient = {"age": 81, "confusion": True}
print(score.possible([patient])[0])
print(score.explain(patient))

# %%
# One more finding, and neither the laboratory nor the blood pressure matters any
# longer:
patient |= {"respiratory rate": 32}
print(score.explain(patient))

# %%
# Made-up patients, to count. In how many is the verdict certain without the urea?
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
print(f"three verdicts: {score.predict(gaps).notna().mean():.0%} are certain")

# %%
# If the only question is whether the risk is high, that is another decision, and it
# needs less:
severe = ol.Ensemble.from_points(
    items, verdicts={"not high": None, "high": 3}, space=space
)
print(f"high or not:    {severe.predict(gaps).notna().mean():.0%} are certain")

# %%
# The sheet is small enough to be one tree, and a tree has rules: which findings are
# enough?
tree = severe.to_tree()
form = ol.canonicalize(tree)
for label, terms in form.rules.items():
    print(f"{label}: {len(terms)} rules, such as: {terms[0]}")

# %%
# And a cheapest way to go about it. A question costs 1, counting breaths 2, the
# pressure 3, the laboratory 30. The policy is proven cheapest on these patients, and
# stops as soon as the verdict is certain.
costs = {
    "confusion": 1,
    "age": 1,
    "respiratory rate": 2,
    "low blood pressure": 3,
    "urea": 30,
}
policy = ol.cheapest_policy(tree, X, costs)
print(f"all five items: {sum(costs.values())}")
print(f"the policy:     {policy.expected_cost:.2f} on average")
print(policy.next_feature({"age": 81, "confusion": True}))

bought = policy.simulate(X)["purchases"]
shares = {name: np.mean([name in one for one in bought]) for name in costs}
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
bars = axes.barh(list(shares), list(shares.values()), color="#0072b2")
axes.bar_label(bars, [f"{share:.0%}" for share in shares.values()], padding=3)
axes.set_xlim(0, 1.12)
axes.set_xlabel("share of patients for whom the policy asks")
axes.invert_yaxis()
plt.show()
