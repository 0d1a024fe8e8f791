"""Lesson 5: all trees that are almost as good as the best, and how few functions they are.

On the final boards of tic-tac-toe: x has won, or not.
"""

import itertools

import orderless as ol
from orderless import member

X, y = ol.datasets.load("tic_tac_toe")
y = y.map({1: "x won", 0: "x did not win"})

almost = ol.RashomonSet(max_depth=3, regularization=0.01, epsilon=0.02).fit(X, y).trees_
print(f"{almost.n_trees:,} trees have an objective of at most {float(almost.bound):.4f};")
print(f"{almost.n_nontrivial:,} of them have no trivial split;")
print(f"{len(almost.functions()):,} different functions are all that they decide.")
print(f"{almost.on_bound:,} lie exactly on the bound: floats would keep them or not, by luck.\n")

functions = almost.functions()
best = functions[0]
print(f"The best function comes in {best.n_trees:,} orders and disguises. One of them:\n")
print(best.tree)
print("\nTwo more:\n")
for tree in itertools.islice(best.trees(), 1, 3):
    print(tree, "\n")
    assert ol.equivalent(tree, best.tree)

print("How many functions do without a square? Of the", len(almost.functions()))
for square, where in ((4, "the middle"), (0, "a corner"), (1, "an edge")):
    without = almost.where(~member.uses(f"Feat{square}_o"), ~member.uses(f"Feat{square}_x"))
    print(f"  {where:<10} {len(without.functions()):>3}, in {without.n_trees:,} trees")
print("\nAt most six leaves:", f"{almost.where(member.leaves <= 6).n_trees:,} trees")
print("Half as far from the best:", f"{almost.where(member.epsilon <= 0.01).n_trees:,} trees\n")

share = almost.votes(X).ambiguity()
print(f"On {share:.0%} of the boards some near-optimal tree disagrees with the best.")

print("\nBoards of which only the corners are known:")
corners = X.mask([[name[4] not in "0268" for name in X.columns]] * len(X))
one, any_of_them = almost.best_tree.predict(corners), almost.predict(corners)
print(f"  the best tree is certain of {one.notna().mean():.0%} of them,")
print(f"  some tree of the set of {any_of_them.notna().mean():.0%}")
