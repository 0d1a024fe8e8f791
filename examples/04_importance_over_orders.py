"""Lesson 4: which features matter, whatever the order.

The importance that is read off a tree depends on the order in which it asks. Here is how far, over
every tree that decides the same, and what does not depend on it.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["worst radius", "worst texture", "worst concave points"]]
y = y.map({0: "malignant", 1: "benign"})
model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(X, y)

print("What scikit-learn reads off its tree:")
for name, value in zip(X.columns, model.feature_importances_, strict=True):
    print(f"  {name:<22} {value:.3f}")

print("\nThe same over all trees that decide the same and have no redundant split:\n")
found = ol.importance_range(model, X, y)
print(found)

print("\nA tree that decides the same, and asks for the radius last where it can:\n")
costs = {"worst radius": 10, "worst texture": 1, "worst concave points": 1}
other = ol.cheapest_policy(model, X, costs).to_tree()
print(other, "\n")
assert ol.equivalent(other, model)
again = ol.importance_range(other, X, y)
print("its own importances:  ", again.importance.round(3))
print("mean over all orders: ", again.mean.round(3), "(as above)")
assert (again.mean.round(9) == found.mean.round(9)).all()

print("\nWhat depends on the answers only: the accuracy that is lost if a feature is shuffled,")
print("exactly, as the mean over all permutations:\n")
lost = ol.permutation_importance(model, X, y)
print(lost.round(4).to_string())
assert (lost == ol.permutation_importance(other, X, y)).all()
