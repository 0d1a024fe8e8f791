"""
Credit: which values are missing, and still certain
===================================================

Applications for a loan arrive with gaps. A bank could send all of them back. But a gap
matters only if some value in it would change the decision, and for many applications
none would.
"""

# %%
# Made-up applicants, from a seed: nobody's data. The label follows three of the four
# features, with some noise.
import itertools

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

draw = np.random.default_rng(7)
n = 2000
X = pd.DataFrame(
    {
        "income": draw.gamma(4, 800, n).round(-1),
        "late payments": draw.poisson(0.9, n),
        "years at address": draw.integers(0, 25, n),
        "guarantor": draw.random(n) < 0.25,
    }
)
strength = X["income"] / 1000 - 1.5 * X["late payments"] + 2 * X["guarantor"]
y = np.where(strength + draw.normal(0, 0.5, n) > 1.2, "grant", "refuse")
model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=40, random_state=0).fit(
    X, y
)

# %%
# Say what the features are: payments and years are whole numbers, a guarantor is there
# or not. The rules then read as a person would write them.
space = ol.Space(
    {
        "income": ol.Feature("income", values="float32"),
        "late payments": "integer",
        "years at address": "integer",
        "guarantor": "boolean",
    }
)
tree = ol.read(model, space=space)
form = ol.canonicalize(tree)
print(form)

# %%
# Hide each feature alone, and every pair. How many applicants still get the decision
# that their complete form would have got? No value is filled in anywhere.
names = list(tree.features)
certain = pd.DataFrame(index=names, columns=names, dtype=float)
for one, other in itertools.product(names, names):
    gaps = X.astype("object")
    gaps[[one, other]] = None
    answer = tree.predict(gaps)
    certain.loc[one, other] = answer.notna().mean()
    assert (answer == tree.predict(X))[answer.notna()].all()
print((certain * 100).round().astype(int).to_string())

figure, axes = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
axes.imshow(certain, cmap="Blues", vmin=0, vmax=1)
for (row, column), share in np.ndenumerate(certain.to_numpy()):
    axes.text(column, row, f"{share:.0%}", ha="center", va="center",
              color="white" if share > 0.6 else "black")  # fmt: skip
axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
axes.set_yticks(range(len(names)), names)
axes.set_title("decided although these two are missing\n(on the diagonal: one alone)")
plt.show()

# %%
# What to write back? The explanation names what decides, or what is needed. The first
# applicant has filled in the income only, and that is enough:
applicant = {"income": 4200}
print(tree.explain(applicant))

# %%
# The second need not fill in the whole form, either. One of two things may settle it:
applicant = {"late payments": 1, "years at address": 3}
print(tree.explain(applicant))
print(tree.needed(applicant))

# %%
# How far this goes when more values are missing, beside walking down the tree, and
# beside insisting on every feature that the tree knows:
ol.coverage(tree, X, [0.1, 0.3, 0.5, 0.7], n_repeats=3).plot()
plt.show()
