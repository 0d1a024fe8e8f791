"""Lesson 3: missing values.

Many rows are already decided although values are missing. Which ones does not depend on how anybody
would fill the gaps.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["worst radius", "worst texture", "worst concave points"]]
y = y.map({0: "malignant", 1: "benign"})
clf = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(X, y)
tree = ol.read(clf)

hidden = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
gaps = hidden.isna().any(axis=1)
answer = tree.predict(hidden)
print(f"{gaps.sum()} of {len(X)} rows have a gap")
print(f"{(gaps & answer.notna()).sum()} of those are certain all the same")

print("\nA certain answer is what the tree says of the complete row, always:")
certain = answer.notna()
print("same:", bool((answer[certain] == clf.predict(X)[certain]).all()))

print("\nSo every way to fill the gaps agrees there, and only there is it safe:")
for how in ("mean", "median", "most_frequent"):
    filled = SimpleImputer(strategy=how).set_output(transform="pandas").fit(X).transform(hidden)
    guess = clf.predict(filled)
    there = (guess[certain] == answer[certain]).mean()
    wrong = (guess[~certain] != clf.predict(X)[~certain]).mean()
    print(f"  {how:<14} {there:.0%} the same where certain, {wrong:.0%} wrong elsewhere")

print("\nWhat would settle a row that is open?")
row = hidden[~certain].iloc[0]
print(tree.space.names, row.tolist())
print(tree.explain(row))

print("\nNaN can also be a value that a tree has learned:")
doses = np.array([[1.0], [2.0], [np.nan], [np.nan], [5.0], [6.0]])
learned = DecisionTreeClassifier(random_state=0).fit(doses, ["low"] * 4 + ["high"] * 2)
for nan in ("unknown", "value"):
    read = ol.read(learned, feature_names=["dose"], nan=nan)
    question = str(read).splitlines()[0]
    print(f"  nan={nan!r}: {question} A row with NaN: {read.predict([[np.nan]])}")
