"""The main job in one go: what a tree decides, free of the order in which it asks.

Run by `make demo`; uses data that ships with scikit-learn. A folder may be given for the pages:
`python examples/demo.py FOLDER`.
"""

import sys
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.estimators import judge

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo")
folder.mkdir(parents=True, exist_ok=True)


def step(text):
    print(f"\n\033[1m{text}\033[0m\n" if sys.stdout.isatty() else f"\n{text}\n{'-' * len(text)}\n")


step("1. A decision tree for 569 tumours (Wisconsin): benign or malignant?")
X, y = ol.datasets.load("wisconsin")
y = y.map({0: "benign", 1: "malignant"})
model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)
tree = ol.read(model)
print(tree)

step("2. What it decides, without an order")
form = ol.canonicalize(tree)
print(form.to_text(X, y))
small = tree.minimize()
assert ol.equivalent(tree, small)
print(f"\nSome splits make no difference: {small.n_leaves} leaves do what {tree.n_leaves} did.")

step("3. Why does this patient get that answer?")
patient = X.iloc[19].to_dict()
print(", ".join(f"{name} = {patient[name]:g}" for name in tree.features) + ":\n")
print(tree.explain(patient))

step("4. What if some values are missing?")
first = tree.space.names[tree.nodes.feature[0]]
known = {name: value for name, value in patient.items() if name != first}
print(f"Without {first}, which the tree asks first: {form.predict([known])[0]}, certainly.")
share = ol.coverage(tree, X, [0.3], n_repeats=3).table
answered = share.groupby("way")["answered"].mean()
print(
    f"With 3 of 10 values missing, {answered['determined']:.0%} of all patients have a certain "
    f"answer; walking down the tree finds it for {answered['path']:.0%}."
)

step("5. At which risk should we act? (Judged on the rows that the tree was fitted on)")
costs = {name: 5 if "concav" in name else 1 for name in X}  # counting concave points is laborious
for risk in (0.5, 0.2):
    act = tree.decide_at("malignant", risk)
    found = judge(act, X, y == "malignant")
    policy = ol.cheapest_policy(act, X, costs)
    print(
        f"At {risk:.0%}: {found.sensitivity[True]:.1%} of the malignant tumours are found, "
        f"{found.specificity[True]:.1%} of the benign ones left alone; "
        f"an answer costs {policy.expected_cost:.2f}."
    )
print("\nWhen to act at a risk of 20% or more:\n")
for rule in ol.canonicalize(act).rules[True]:
    print(f"  {rule}")

step("6. The same for people who would rather look: two pages, each one file")
which = {"1": "Mean", "2": "Error of", "3": "Worst"}  # radius1, radius2, radius3
labels = {name: f"{which[name[-1]]} {name[:-1].replace('_', ' ')}" for name in X}
page = folder / "page.html"
ol.write_page(
    tree, page, title="Benign or malignant?", costs=costs, labels=labels,
    policy=ol.cheapest_policy(tree, X, costs),
    description="A decision tree of depth 4 for the Wisconsin data.",
)  # fmt: skip
report = ol.report(tree, X, y, costs, title="A tree for the Wisconsin data").save(
    folder / "report.html"
)
print(f"report: {report.resolve()}\n        all that can be said about the tree")
print(f"page:   {page.resolve()}\n        to fill in, in any order")
