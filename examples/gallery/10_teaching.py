"""
Teaching: two trees, one function
=================================

A first lesson. Two trees look different, ask in a different order and name another
feature as the most important. They are one function: no row tells them apart.
"""

# %%
# Someone should be treated if a test is positive and there are symptoms.
from matplotlib import pyplot as plt

import orderless as ol

space = ol.Space({"test": "boolean", "symptoms": "boolean"})


def ask(first, second):
    yes = {
        "feature": second,
        "true": {"prediction": "treat"},
        "false": {"prediction": "wait"},
    }
    no = {"prediction": "wait"}
    return ol.read({"feature": first, "true": yes, "false": no}, space=space)


one, two = ask("test", "symptoms"), ask("symptoms", "test")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
ol.plot_tree(one, ax=left)
ol.plot_tree(two, ax=right)
plt.show()

# %%
# Are they the same? The answer is a proof, not a sample: every pair of leaves that
# have a row in common is compared. The fingerprint names the function, so it is the
# same for both, on every machine.
print(ol.equivalent(one, two))
print(one.fingerprint)
print(two.fingerprint)

# %%
# What they decide, without an order:
form = ol.canonicalize(one)
print(form)
assert form == ol.canonicalize(two)

# %%
# **Exercise 1.** The symptoms are known, the test is not back. What does each tree say
# if it is walked from its root, and what is certain?
row = {"symptoms": False}
print("walking the first tree: ", ol.baselines.predict_path(one, [row]))
print("walking the second tree:", ol.baselines.predict_path(two, [row]))
print("certain:                ", one.predict([row]))
print(one.explain(row))

# %%
# **Exercise 2.** Four people, one for each combination. Which feature is more
# important? Each tree gives the larger share to the question that it asks last,
# because that is where the classes part.
X = [[0, 0], [0, 1], [1, 0], [1, 1]]
y = ["wait", "wait", "wait", "treat"]
for name, tree in (("first", one), ("second", two)):
    share = ol.impurity_importance(tree, X, y)
    print(f"{name} tree: test {share[0]:.2f}, symptoms {share[1]:.2f}")

# %%
# Over all orders, both have a half. That is what the function says; the rest was the
# order.
print(ol.importance_range(one, X, y))

# %%
# **Exercise 3.** Change one leaf. Now the trees differ, and the row that shows it is
# found without trying them all:
other = ol.read(
    {
        "feature": "test",
        "true": {"prediction": "treat"},
        "false": {"prediction": "wait"},
    },
    space=space,
)
print(ol.equivalent(one, other))
print(ol.counterexample(one, other))
print(f"{ol.disagreement(one, other):.0%} of all possible people")
