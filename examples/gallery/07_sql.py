"""
SQL: certain answers where the rows are
=======================================

Rows live in a database, and NULL is its word for unknown. A tree writes itself as one
expression that gives the class where it is certain and NULL where it is not: nothing
to install beside the database, nothing to fetch. Here in SQLite, which comes with
Python.
"""

# %%
# A table of patients with gaps. The tree was fitted on complete ones.
import sqlite3

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["worst radius", "worst texture", "worst concave points"]]
y = y.map({0: "malignant", 1: "benign"})
model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(
    X, y
)
tree = ol.read(model)
hidden = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)

base = sqlite3.connect(":memory:")
hidden.to_sql("patients", base, index=False)
rows, gaps = base.execute(
    'SELECT count(*), sum("worst radius" IS NULL) FROM patients'
).fetchone()
print(f"{rows} patients, {gaps} of them without a radius")

# %%
# The tree as an expression. SQLite does not promise to read decimals to the last bit,
# so the thresholds are written as fractions of whole numbers: the database cuts
# exactly where the tree does.
print(tree.to_sql(dialect="sqlite"))

# %%
# With ``table=`` it is a whole query; ``needed="next"`` adds a column that says what
# to measure next where the class is open.
query = tree.to_sql(dialect="sqlite", table="patients", needed="next")

# %%
# Run it, and count by answer:
counts = base.execute(
    "SELECT coalesce(prediction, 'open: ' || needed) AS answer, count(*) "
    f"FROM ({query}) GROUP BY answer ORDER BY answer"
).fetchall()
for answer, count in counts:
    print(f"{count:4}  {answer}")

figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
axes.barh(
    [answer for answer, _ in counts], [count for _, count in counts], color="#0072b2"
)
axes.invert_yaxis()
axes.set_xlabel("patients")
plt.show()

# %%
# It is what ``predict`` says, row by row:
ours = [None if label is pd.NA else label for label in tree.predict(hidden)]
theirs = [row[-2] for row in base.execute(query)]
base.close()
assert ours == theirs
print("the database and predict agree on all", len(theirs), "rows")
