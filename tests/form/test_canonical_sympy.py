"""The paper simplifies with sympy: our rules, with independent columns, are as few as its terms."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

sympy = pytest.importorskip("sympy", reason="sympy is in requirements/test.txt")


def formula(tree, label):
    """The leaves of a class, as an OR of the ANDs on their paths."""
    symbols = [sympy.Symbol(f"b{i}") for i in range(len(tree.space))]

    def below(node):
        if tree.nodes.feature[node] < 0:
            return sympy.true if tree.classes[tree.nodes.leaf_class[node]] == label else sympy.false
        bit = symbols[tree.nodes.feature[node]]
        is_false, is_true = below(tree.nodes.when_true[node]), below(tree.nodes.when_false[node])
        return sympy.Or(sympy.And(sympy.Not(bit), is_false), sympy.And(bit, is_true))

    return below(0)


def n_terms(expression):
    if expression == sympy.false:
        return 0
    return len(expression.args) if isinstance(expression, sympy.Or) else 1


@pytest.mark.parametrize("name", ["wisconsin", "tic_tac_toe", "spiral", "iris_setosa",
                                  "iris_versicolor", "iris_virginica"])  # fmt: skip
def test_as_many_rules_as_sympy_finds_terms(name):
    X, y = ol.datasets.load(name)
    binarizer = ol.Binarizer().fit(X, y)
    columns = binarizer.transform(X)
    clf = DecisionTreeClassifier(max_depth=3, random_state=0).fit(columns, y)
    tree = ol.read(clf, space=ol.Space.independent(binarizer.get_feature_names_out()))
    form = ol.canonicalize(tree)
    for label in form.classes:
        simple = sympy.simplify_logic(formula(tree, label), form="dnf", force=True)
        assert n_terms(simple) == len(form.rules[label])


def test_random_functions():
    rng = np.random.default_rng(0)
    X = np.array([[i >> k & 1 for k in range(4)] for i in range(16)])
    for _ in range(40):
        y = rng.integers(0, 2, 16)
        if y.min() == y.max():
            continue
        tree = ol.read(DecisionTreeClassifier(random_state=0).fit(X, y),
                            space=ol.Space.independent(["b0", "b1", "b2", "b3"]))  # fmt: skip
        form = ol.canonicalize(tree)
        for label in (0, 1):
            simple = sympy.simplify_logic(formula(tree, label), form="dnf", force=True)
            # sympy's choice among the prime implicants is not always the smallest.
            assert len(form.rules[label]) <= n_terms(simple)
