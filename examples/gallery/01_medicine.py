"""
Medicine: at which risk to act
==============================

A tree for breast tumours says "benign" or "malignant". A clinic asks something else:
is the risk high enough for a biopsy? The same tree answers that, at whatever risk the
clinic chooses, and it can say what the choice costs: tumours missed, false alarms, and
how often the answer is certain although measurements are missing.
"""

# %%
# The Wisconsin data come with scikit-learn. The tree learns from one half of the
# patients; everything below is counted on the other half.
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.output.pages import risk_thresholds

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["worst radius", "worst texture", "worst concave points", "worst smoothness"]]
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0)
tree = ol.read(model.fit(X_train, y_train))
print(tree)

# %%
# A leaf that says "benign" can hide a risk. These are the shares of malignant tumours
# among the training patients of each leaf:
leaves = tree.distribution[tree.nodes.feature < 0]
print((leaves[:, tree.classes.index("malignant")] / leaves.sum(axis=1)).round(2))

# %%
# Nobody would send a patient home at a risk of four in ten. So ask: is the risk at
# least 0.1? The answer is a tree again, with the classes True and False, and it has
# the shortest rules like any other.
act = tree.decide_at("malignant", 0.1)
print(ol.canonicalize(act))

# %%
# What does the threshold change? The decision moves only where some leaf has exactly
# that share, so every threshold that matters can be listed: the share of patients
# flagged, the tumours found among them, the false alarms, and the rows that stay
# certain with three in ten values missing.
found = risk_thresholds(tree, X_test, y_test, label="malignant")
columns = [
    "above",
    "probability",
    "rules",
    "flagged",
    "found",
    "false alarms",
    "certain",
]
table = found.table[columns]
print(table.round(2).to_string(index=False))

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name, colour in (("found", "#0072b2"), ("false alarms", "#d55e00")):
    axes.step(table["probability"], table[name], "o-", where="pre", color=colour)
    axes.annotate(name, (1.0, table[name].iloc[-1]), (6, 0), color=colour,
                  textcoords="offset points", va="center")  # fmt: skip
axes.set_xlabel("risk from which on the clinic acts")
axes.set_ylabel("share of malignant tumours,\nand of benign ones")
plt.show()

# %%
# The other half of the choice: how many rules the decision takes, and how many
# patients are certain although three in ten measurements are missing.
found.plot()
plt.show()

# %%
# One patient, whose radius is the only thing that could be measured. The tree's first
# question is about the concave points; the answer is certain without them:
patient = {"worst radius": 18.5}
print(act.explain(patient))
