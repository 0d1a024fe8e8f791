"""Lesson 2: what a tree decides, as rules and as reasons.

A tree for breast tumours is turned into rules that no longer depend on the order in which it asks;
then one patient is explained.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["worst radius", "worst texture", "worst concave points"]]
y = y.map({0: "malignant", 1: "benign"})
tree = ol.read(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))

print("The tree asks in one order:\n")
print(tree)

form = ol.canonicalize(tree)
print("\nThe rules have no order. They are the fewest that there can be:\n")
print(form.to_text(X, y))

print("\nThe reasons are all ways to be certain. Two of them are in no rule:\n")
for label, terms in form.reasons.items():
    for term in terms:
        print(f"  {label:<10} {'' if term in form.rules[label] else '(new) '}{term}")

print("\nOne patient:\n")
patient = X.iloc[19]
why = tree.explain(patient)
print(why)
print("\nAll reasons for this patient:")
for term in why.all_reasons:
    print("  ", term)
print("In all of them: ", ", ".join(why.necessary) or "nothing")
print("In some of them:", ", ".join(why.relevant))

print("\nIf the texture costs 5 to measure, the radius 1 and the concave points 2:")
costs = {"worst texture": 5, "worst radius": 1, "worst concave points": 2}
print("  ", why.cheapest(costs))
