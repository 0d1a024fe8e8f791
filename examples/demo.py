"""The main job in one minute: two trees that look different and are not, and what they decide.

Run by `make demo`; uses data that ships with scikit-learn.
"""

import itertools

from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = ol.datasets.load("wisconsin")
y = y.map({0: "benign", 1: "malignant"})

print("1. A tree, and its mirror image that asks in another order")
print("-----------------------------------------------------------")
clf = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(X, y)
tree = ol.read_tree(clf)
print(tree)


def ask_first(tree, feature):
    """Rebuild a tree so that it asks about one feature first: all of its thresholds, in order."""
    at = tree.space.index(feature)
    cuts = sorted({float(t) for t, f in zip(tree.threshold, tree.feature, strict=True) if f == at})

    def below(node, low, high):
        if tree.feature[node] < 0:
            return {"prediction": tree.classes[tree.leaf_class[node]]}
        threshold = float(tree.threshold[node])
        if tree.feature[node] == at:  # known already: follow the right side
            return below(tree.when_true[node] if high <= threshold else tree.when_false[node],
                         low, high)  # fmt: skip
        return {
            "feature": tree.space.names[tree.feature[node]], "relation": "<=",
            "reference": threshold, "true": below(tree.when_true[node], low, high),
            "false": below(tree.when_false[node], low, high),
        }  # fmt: skip

    edges = [float("-inf"), *cuts, float("inf")]
    copy = below(0, edges[-2], edges[-1])
    for low, high in reversed(list(itertools.pairwise(edges[:-1]))):
        copy = {"feature": feature, "relation": "<=", "reference": high,
                "true": below(0, low, high), "false": copy}  # fmt: skip
    return ol.read_tree(copy, space=tree.space)


last = (
    tree.features[-1]
    if tree.features[-1] != tree.space.names[tree.feature[0]]
    else tree.features[0]
)
mirror = ask_first(tree, last)
print(f"\nThe same, asking {last!r} first:\n")
print(mirror)

print("\n2. Are they the same function?")
print("------------------------------")
print("equivalent: ", ol.equivalent(tree, mirror))
print("fingerprint:", ol.fingerprint(tree))
print("fingerprint:", ol.fingerprint(mirror))

print("\n3. A third tree is another function: here is a row that shows it")
print("----------------------------------------------------------------")
other = DecisionTreeClassifier(max_depth=2, min_samples_leaf=10, random_state=0).fit(X, y)
row = ol.counterexample(tree, other)
used = sorted({*tree.features, *ol.read_tree(other).features})
print("equivalent: ", ol.equivalent(tree, other))
print("row:        ", {name: row[name] for name in used}, "and anything else")
print(
    "first says: ", tree.predict([row])[0], "   third says:", ol.read_tree(other).predict([row])[0]
)
print(f"they differ on {ol.disagreement(tree, other, X):.1%} of the {len(X)} patients")

print("\n4. What the tree decides, free of the order in which it asks")
print("------------------------------------------------------------")
form = ol.canonicalize(tree)
print(form.to_text(X, y))
print("\nThe rules cover every patient. There are more reasons, each enough by itself:\n")
print(form.to_text(X, y, terms="reasons"))

print("\n5. Why this patient? And what if some values are missing?")
print("----------------------------------------------------------")
patient = X.iloc[19].to_dict()
print(form.explain(patient))
for unknown in (["radius3"], ["radius3", "concave_points3"], ["texture3", "concave_points3"]):
    known = {name: value for name, value in patient.items() if name not in unknown}
    answer = form.predict([known])
    said = "not certain" if answer.mask[0] else f"still certain: {answer[0]}"
    print(f"without {' and '.join(unknown)}: {said}")
