"""
A forest with gaps: certain all the same
========================================

A random forest adds up the opinions of many trees. Nobody reads it, but it can still
be asked whether a missing value matters. For every row there is a proof: either no
values of the gaps change the class, or here are two ways to fill them in that do.
"""

# %%
# Ten measurements of breast tumours, sixty trees. Reading the forest keeps its sums to
# the last bit, so that complete rows get the very class that scikit-learn gives.
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[[name for name in X if name.startswith("worst")]]
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
model = RandomForestClassifier(60, max_depth=5, min_samples_leaf=3, random_state=0)
forest = ol.read(model.fit(X_train, y_train))
assert (forest.predict(X_test) == model.predict(X_test)).all()
print(f"{forest.n_trees} trees, {len(forest.features)} features, {forest.classes}")

# %%
# Hide three in ten measurements of the new patients. Where the forest answers, it is
# the answer that the complete measurements get.
gone = np.random.default_rng(0).random(X_test.shape) < 0.3
hidden = X_test.mask(gone)
answer = forest.predict(hidden)
certain = answer.notna()
assert (answer == model.predict(X_test))[certain].all()
gaps = hidden.isna().any(axis=1)
print(f"{gaps.sum()} of {len(hidden)} patients have a gap")
print(f"{(gaps & certain).sum()} of those are certain")

# %%
# A patient who is not certain. ``witness`` fills the gaps in two ways, and the forest
# itself says that they lead to different classes:
row = hidden[~certain].iloc[0]
one, other = forest.explain(row).witness
for name in row.index[row.isna()]:
    print(f"{name}: {one[name]:g} or {other[name]:g}")
print(model.predict(pd.DataFrame([one, other])[list(X)]))

# %%
# Between which probabilities do these patients lie? Both ends are exact: some values
# of the gaps lead there.
lower, upper, _ = forest.predict_interval(hidden, of="probability")
order = np.argsort(lower["malignant"].to_numpy() + upper["malignant"].to_numpy())
low, high = lower["malignant"].to_numpy()[order], upper["malignant"].to_numpy()[order]
full = model.predict_proba(X_test)[order, list(model.classes_).index("malignant")]
assert (low <= full).all()
assert (full <= high).all()
sure = certain.to_numpy()[order]

figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
place = np.arange(len(order))
for part, colour, word in ((sure, "#0072b2", "certain"), (~sure, "#d55e00", "open")):
    axes.vlines(
        place[part], low[part], high[part], color=colour, linewidth=1.6, label=word
    )
axes.plot(place, full, "k.", markersize=2.5, label="with all values")
axes.axhline(0.5, color="grey", linewidth=0.8)
axes.set_xlabel("patients")
axes.set_ylabel("probability of malignant")
axes.legend(frameon=False)
plt.show()

# %%
# What would settle the open patient?
print(forest.needed(row))
