"""Lesson 8: the tree goes to the rows.

A tree is written as SQL and decides where the rows are, here in SQLite, which comes with Python.
NULL is what we call unknown: the query gives the class where it is certain, NULL where it is not.
"""

import sqlite3

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["worst radius", "worst texture", "worst concave points"]]
X = (X * [10, 10, 1000]).round()  # whole numbers make short conditions
X.columns = ["radius", "texture", "points"]
y = y.map({0: "malignant", 1: "benign"})
model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
tree = ol.read(model, space=ol.Space(dict.fromkeys(X.columns, "integer")))
form = ol.canonicalize(tree)

print("The reasons, as an expression:\n")
print(tree.to_sql(dialect="sqlite"))

hidden = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
base = sqlite3.connect(":memory:")
hidden.to_sql("patients", base, index=False)

print("\nThree patients, with what to ask next where the class is not certain:\n")
query = tree.to_sql(dialect="sqlite", table="patients", needed="next")
found = base.execute(query).fetchall()
for row in found[:3]:
    print("  ", row)

names = [column[0] for column in base.execute(query).description]
classes = [row[names.index("prediction")] for row in found]
ours = tree.predict(hidden.to_numpy()).tolist()  # None where it is masked
assert classes == ours
certain = sum(label is not None for label in classes)
print(f"\nThe database says what predict says, of all {len(ours)} patients;")
print(f"{certain} of them have a certain answer, although values are missing.")
base.close()
