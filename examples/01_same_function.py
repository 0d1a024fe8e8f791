"""Lesson 1: trees that look different and are one function.

Twenty trees are grown on the same data with different seeds. Their first questions differ, and so
do the importances that scikit-learn reads off them. They are one function all the same.
"""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

# A patient is treated if four checks are all passed. Every combination occurs equally often.
checks = ["fever", "cough", "contact", "x-ray"]
X = np.array([[i >> k & 1 for k in range(4)] for i in range(16)])
y = np.where(X.all(axis=1), "treat", "wait")

models = [DecisionTreeClassifier(random_state=seed).fit(X, y) for seed in range(20)]
trees = [ol.read(model, space=ol.Space.independent(checks)) for model in models]

print("Two of the twenty trees:\n")
first = trees[0]
other = next(tree for tree in trees if tree.nodes.feature[0] != first.nodes.feature[0])
print(first, other, sep="\n\n")

print("\nDifferent drawings:  ", len({str(tree) for tree in trees}))
print("Different functions: ", len(ol.group_equivalent(trees)))
print("Fingerprint:         ", first.fingerprint)
assert ol.equivalent(first, other)

print("\nImportance of the fever, as scikit-learn reads it off the tree:")
shares = sorted(model.feature_importances_[0] for model in models)
print(f"from {shares[0]:.0%} to {shares[-1]:.0%}, for one and the same function")

print("\nA tree that was fitted without the x-ray is another function. A row that shows it:")
fewer = DecisionTreeClassifier(random_state=0).fit(X[:, :3], y)
smaller = ol.read(fewer, space=ol.Space.independent(checks[:3]))
row = ol.counterexample(first, smaller)
assert row is not None
print({name: bool(value) for name, value in row.items()})
known = {name: row[name] for name in checks[:3]}
print("with x-ray:", first.predict([row])[0], "  without:", smaller.predict([known])[0])
print(f"they differ on {ol.disagreement(first, smaller):.1%} of all possible patients")
