"""
Choosing a model among equals
=============================

Many trees are almost as good as the best one. A solver returns one of them, by luck.
Here all of them are counted, reduced to the functions that they are, each once, and
the choice is made by what matters at the bedside: which measurements it needs, how it
does on new patients, and how often it can answer when some are missing.
"""

# %%
# Breast tumours again, one half to learn from and one half to judge by.
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import orderless as ol
from orderless import member

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
almost = (
    ol.RashomonSet(max_depth=3, regularization=0.02, epsilon=0.02)
    .fit(X_train, y_train)
    .trees_
)
print(f"{almost.n_trees} trees, {len(almost.functions())} functions")

# %%
# Most of these trees are the same functions again. The counts go from trees to
# functions; the map places functions that disagree on more patients farther apart.
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
ol.plots.plot_sizes(almost, left)
ol.plots.plot_map(almost, right)
plt.show()

# %%
# Judge every function once. ``coverage`` lets three in ten measurements go missing and
# counts the patients who still get a certain answer.
rows = []
for function in almost.functions():
    tree = function.tree
    covered = ol.coverage(tree, X_test, [0.3], n_repeats=1).table
    certain = covered.loc[covered["way"] == "determined", "answered"].mean()
    rows.append(
        {
            "trees": function.n_trees,
            "features": ", ".join(sorted(tree.features)),
            "n": len(tree.features),
            "right": float((tree.predict(X_test) == y_test).mean()),
            "certain": float(certain),
        }
    )
table = pd.DataFrame(rows)
print(f"{len(table)} functions")

# %%
# None is best in everything. Those on the dashed line are beaten by no other in both.
front = table.sort_values(["right", "certain"], ascending=False)
front = front[front["certain"] > front["certain"].cummax().shift(fill_value=-1)]
figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
for n, marker in zip(sorted(table["n"].unique()), "o^sDv", strict=False):
    part = table[table["n"] == n]
    axes.scatter(part["certain"], part["right"], s=18, marker=marker, alpha=0.6,
                 label=f"{n} measurement{'s' if n > 1 else ''}")  # fmt: skip
axes.plot(front["certain"], front["right"], "k--", linewidth=1)
axes.set_xlabel("share of new patients certain with 3 in 10 values missing")
axes.set_ylabel("share of new patients right")
axes.legend(frameon=False)
plt.show()
print(front[["right", "certain", "features"]].round(3).to_string(index=False))

# %%
# A choice can also be a rule: nothing that has to be counted under a microscope. Views
# ask the whole set, without fitting anything again.
counted = [name for name in X if "concav" in name]
rest = almost.where(*(~member.uses(name) for name in counted))
print(f"{rest.n_trees:,} trees, {len(rest.functions()):,} functions do without them")
if rest.n_trees:
    print(ol.canonicalize(rest.best_tree))
