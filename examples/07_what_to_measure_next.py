"""Lesson 7: the same decision for less.

A tree asks in its own order, which has nothing to do with what the answers cost. The cheapest
policy asks for as little as possible, and decides the same.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["mean texture", "worst radius", "worst texture", "worst concave points"]]
y = y.map({0: "malignant", 1: "benign"})
tree = ol.read(DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0).fit(X, y))
costs = {"mean texture": 1, "worst radius": 3, "worst texture": 3, "worst concave points": 10}

print("What a decision costs on average, over the patients:")
for method in ("naive", "path", "greedy", "optimal"):
    policy = ol.cheapest_policy(tree, X, costs, method=method)
    print(f"  {method:<8} {policy.expected_cost:6.3f}")

print("\nThe cheapest, question by question:\n")
print(policy)
assert policy.optimal

print("\nIt decides as the tree does:", ol.equivalent(policy.to_tree(), tree))

print("\nAt the bedside: nothing is known, then one value after the other.")
known = {}
patient = X.iloc[19]
while not (question := policy.next_feature(known)).determined:
    known[question.feature] = float(patient[question.feature])
    print(f"  ask {question.feature}, for {question.cost:g}: {known[question.feature]:g}")
paid = sum(costs[name] for name in known)
print(f"  {question.decision}, for {paid} instead of {sum(costs.values())}")
assert question.decision == tree.predict([patient])[0]
