"""What goes into a set: tables, labels, weights, decimals; and what is refused."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidSpace, OutOfMemory, OutOfTime, TooLarge

X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]])
Y = ["n", "n", "n", "y", "y", "n"]


def fit(table=X, y=Y, weight=None, **options):
    return estimator(table, y, weight, **options).trees_


def estimator(table, y, weight=None, **options):
    return ol.RashomonSet(**{"max_depth": 2, "epsilon": 0.2, **options}).fit(table, y, weight)


def test_tables_of_all_kinds_give_one_set():
    named = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    known = fit()
    for table in (X.tolist(), X.astype(bool), X.astype(float), X.astype(np.int8), named,
                  X.astype(np.uint8), X.astype(np.uint64), X.astype(np.float32),
                  np.asfortranarray(X), named.astype(bool), named.astype(float),
                  named.astype({"x1": float}), named.astype({"x1": bool}),
                  pl.DataFrame(X, schema=["x0", "x1", "x2"]), named.astype("Int64"),
                  np.ma.masked_array(X)):  # fmt: skip
        found = fit(table)
        assert (found.n_trees, len(found.functions())) == (known.n_trees, len(known.functions()))
        assert [str(tree) for tree in found] == [str(tree) for tree in known]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 0, 0, 1, 1, 0], (0, 1)),
        ([False, False, False, True, True, False], (False, True)),
        ([-1, -1, -1, 0, 0, -1], (-1, 0)),
        ([-1, -1, -1, 1, 1, -1], (-1, 1)),
        (np.array([127, 127, 127, 128, 128, 127], dtype=np.uint8), (127, 128)),
        (np.array([-128, -128, -128, 127, 127, -128], dtype=np.int8), (-128, 127)),
        (pd.Series([2**63 - 1] * 3 + [2**63] * 2 + [2**63 - 1]), (2**63 - 1, 2**63)),
        (pd.Series([0, 0, 0, 1, 1, 0], dtype="Int64"), (0, 1)),
        (pd.DataFrame({"y": [0, 0, 0, 1, 1, 0]}), (0, 1)),
        ([1.5, 1.5, 1.5, 2.0, 2.0, 1.5], (1.5, 2.0)),
        (pd.Series(list("nnnyyn")), ("n", "y")),
        (pd.Categorical(list("nnnyyn")), ("n", "y")),
        (pl.Series(list("nnnyyn")), ("n", "y")),
        (np.array(list("nnnyyn"))[:, None], ("n", "y")),
    ],
)
def test_labels_of_all_kinds(labels, classes):
    found = fit(y=labels)
    assert found.classes == classes
    assert [type(c) for c in found.classes] == [type(c) for c in classes]
    assert found.n_trees == fit().n_trees
    assert set(found.predict(X).tolist()) == set(classes)


def test_numbers_are_the_decimals_that_are_written():
    known = fit(regularization=0.05, epsilon=0.1)
    assert known.objective.denominator in (1, 2, 3, 5, 10, 15, 20, 30, 60)
    for one, two in ((Fraction(1, 20), Fraction(1, 10)), (Decimal("0.05"), "0.1"),
                     (np.float64(0.05), np.float32(0.1))):  # fmt: skip
        again = fit(regularization=one, epsilon=two)
        assert (again.n_trees, again.bound) == (known.n_trees, known.bound)
    # A third has no decimal: the fraction and the float are different bounds.
    assert fit(epsilon=Fraction(1, 3)).bound != fit(epsilon=1 / 3).bound


def test_a_tree_on_the_bound_is_in():
    """Three leaves at 0.1 are 0.30000000000000004 in floats; here they are 3/10."""
    found = fit(regularization=0.1, epsilon=0.1)
    assert found.bound == Fraction(4, 10)
    assert found.on_bound > 0
    assert (
        found.on_bound
        == found.n_trees - found.where(member.epsilon <= Fraction(999999, 10**7)).n_trees
    )
    assert fit(regularization=0.1, epsilon=0.0999999).n_trees == found.n_trees - found.on_bound


def test_weights_are_repeated_rows():
    weights = np.array([2, 1, 3, 1, 0, 2])
    many = fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    for scale in (1, 0.1, 0.25, 1.5):
        found = fit(weight=weights * scale if scale != 0.1 else [0.2, 0.1, 0.3, 0.1, 0, 0.2])
        assert found.n_trees == many.n_trees
        assert found.objective == many.objective
        assert len(found.functions()) == len(many.functions())
    half = fit(weight=[0.5] * 6).counts()
    assert (half.errors == fit().counts().errors / 2).all()


def test_constant_and_duplicate_columns_are_kept():
    wide = np.hstack([X, X[:, :1], np.ones((6, 1), int)])
    found = fit(wide)
    assert found.columns == ("x0", "x1", "x2", "x3", "x4")
    assert found.where(~member.uses("x3")).n_trees == fit().n_trees
    assert found.where(member.uses("x4")).n_trees == 0
    assert found.n_trees > fit().n_trees
    # Two columns that tell the same of one feature: different trees, one function.
    space = ol.Space(
        {"a": "boolean", "b": "boolean"},
        {"a": "a", "b": "b", "also a": ol.Condition("a", among=(True,)),
         "not a": ol.Condition("a", among=(False,))},
    )  # fmt: skip
    table = np.stack([X[:, 0], X[:, 1], X[:, 0], 1 - X[:, 0]], axis=1)
    aware, plain = fit(table, space=space), fit(pd.DataFrame(X[:, :2], columns=["a", "b"]))
    assert len(aware.functions()) == len(plain.functions())
    assert aware.n_trees > plain.n_trees
    assert {str(tree) for tree in aware} == {str(tree) for tree in plain}
    assert all(tree in aware for tree in aware)


def test_raw_features_come_out_as_conditions_on_them():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"age": random.integers(18, 80, 200), "size": random.normal(size=200)})
    y = (table.age > 40) & (table["size"] > 0)
    for thresholds in ("guess", (0.33, 0.66), ol.Binarizer((0.2, 0.5))):
        rset = estimator(table, y, thresholds=thresholds)
        found = rset.trees_
        assert found.best_tree.space.names == ("age", "size")
        assert len(found.functions()) == len(found.functions()) <= len(found.functions("columns"))
        by_hand = rset.binarizer_.transform(table)
        again = fit(by_hand, y, space=rset.binarizer_.space_)
        assert again.n_trees == found.n_trees
        assert len(again.functions()) == len(found.functions())
        assert again.functions() == found.functions()
        assert found.predict(table).tolist() == again.predict(by_hand).tolist()
        assert found.predict(table.to_numpy()).tolist() == found.predict(table).tolist()
    whole = fit(table, y, space=ol.Space({"age": "integer", "size": "numeric"}))
    assert "age <= " in str(whole.best_tree)
    assert whole.best_tree.space["age"].values == "integer"


def test_a_binarizer_is_applied_to_bits_too():
    found = fit(thresholds=ol.Binarizer(backward_select=False))
    assert found.columns[0].endswith("<= 0.5")
    assert fit().columns == ("x0", "x1", "x2")


def test_parameters_are_scikit_learns():
    found = ol.RashomonSet(max_depth=4, epsilon=0.1)
    assert clone(found).get_params()["max_depth"] == 4
    assert found.set_params(max_depth=2).fit(X, Y).trees_.best_tree.depth <= 2
    assert "max_depth=2" in repr(found)
    with pytest.raises(NotFittedError, match="not fitted"):
        ol.RashomonSet().predict(X)
    with pytest.raises(NotFittedError, match="not fitted"):
        ol.RashomonSet().score(X, Y)


def test_a_fitted_set_says_what_was_found():
    found = ol.RashomonSet(max_depth=2, epsilon=0.2)
    assert str(found) == repr(found) == found._repr_mimebundle_()["text/plain"]
    assert "<p>" not in found._repr_html_().partition("<style>")[0]
    trees = found.fit(X, Y).trees_
    assert repr(found) == repr(clone(found)) == str(clone(found))
    low, high = float(trees.objective), float(trees.bound)
    first, second = str(found).splitlines()
    assert first == repr(found)
    assert second == f"{trees.n_trees} trees, objectives {low:.4g} to {high:.4g} (epsilon 0.2)"
    known = len(trees.functions())
    assert f" trees, {known} functions, objectives " in str(found)
    assert f" trees, {known} functions, objectives " in found._repr_html_()
    shown = found._repr_mimebundle_()
    assert shown["text/plain"] == str(found)
    assert shown["text/html"].startswith(f"<p>{str(found).splitlines()[1]}</p>")
    with config_context(display="text"):
        assert "text/html" not in found._repr_mimebundle_()
    assert "functions" not in str(found.fit(X[:5], Y[:5])), "counted before, of other rows"
    trees = found.trees_
    low = float(trees.objective)
    empty = str(trees.where(member.epsilon <= 0, member.leaves <= 1)).splitlines()
    assert empty[0] == f"TreeSet(0 trees, objectives {low} to {low})"
    assert empty[1:] == ["no tree within the bound meets leaves <= 1"]
    assert "(epsilon 0.5, relative)" in str(estimator(X, Y, epsilon=0.5, relative=True))


def test_a_count_that_is_known_keeps_its_limit():
    found = fit()
    assert len(found.functions()) > 2
    with pytest.raises(TooLarge, match="more than limit=2 functions"):
        len(found.functions(limit=2))


TEXT = pd.DataFrame({"a": list("pqrpqr")})


BAD = [
    ({"table": X * 2, "thresholds": None}, InvalidData, "'x2' has the value 2 in row 0, and thr"),
    ({"y": ["n"] * 6}, InvalidData, "y has only 1 class, 'n'"),
    ({"table": np.resize(X, (101, 3)), "y": np.linspace(0, 1, 101)}, InvalidData,
     "y has 101 different labels.*at most 100 classes"),
    ({"table": np.resize(X, (429, 3)), "y": list(range(0, 3000, 7))}, InvalidData,
     "y has 429 different labels, 0 for one"),
    ({"y": Y[:5]}, InvalidData, "X has 6 rows and y has 5 labels"),
    ({"y": [1] * 4}, InvalidData, "X has 6 rows and y has 4 labels"),  # before its one class
    ({"y": ["n", "n", None, "y", "y", "n"]}, InvalidData, "y has None in row 2"),
    ({"y": [0.0, np.nan, 1, 1, 0, 1]}, InvalidData, "y has nan in row 1"),
    ({"y": ["n", "n", 1, "y", "y", "n"]}, InvalidData, "mixes text and numbers"),
    ({"y": X}, InvalidData, "in one dimension"),
    ({"table": np.where(X == 1, np.nan, X)}, InvalidData, "trained on complete rows"),
    ({"table": np.where(X == 1, np.inf, X)}, InvalidData, "has inf in row 2"),
    ({"table": pd.DataFrame({"a b": [0.0, 1, None] * 2})}, InvalidData, "'a b' has NaN in row 2"),
    ({"table": np.ma.masked_equal(X, 1)}, InvalidData, "'x0' has NaN in row 2"),
    ({"table": X - 2 * (X == 1), "thresholds": None}, InvalidData, "has the value -1 in row 0"),
    ({"table": np.full((6, 1), 2**63, np.uint64), "thresholds": None}, InvalidData, "has the val"),
    ({"table": TEXT, "thresholds": ol.Binarizer((0.5,))}, InvalidData, "Binarizer takes numbers"),
    ({"table": TEXT, "space": ol.Space({"a": "numeric"})}, InvalidData, "space says .* numeric"),
    ({"table": TEXT, "space": ol.Space({"a": ["p", "q"]})}, InvalidData, "'a' has the value 'r'"),
    ({"table": TEXT, "space": ol.Space({"b": ["p", "q"]})}, InvalidSpace, "the space has none"),
    ({"table": TEXT.assign(a="p")}, InvalidData, "no column varies"),
    ({"table": TEXT.assign(n=["1", "2", "3", "n.d.", "4", "5"])}, InvalidData,
     "'n' holds text, although 5 of its 6 .*'n.d.'.* give the column a categorical type, or space"),
    ({"table": TEXT.assign(a=None)}, InvalidData, "'a' has no value in any row"),
    ({"table": TEXT.replace("q", None)}, InvalidData, "'a' has no value in row 1: sets"),
    ({"table": TEXT.assign(n=[1.5, 2, 3] * 2), "thresholds": None}, InvalidData, "'n' has the va"),
    ({"table": TEXT[:5]}, InvalidData, "X has 5 rows and y has 6 labels"),
    ({"table": pd.DataFrame({"id": [f"p{i}" for i in range(101)]}), "y": [0, *[1] * 100]},
     InvalidData, "'id' holds 101 different texts, more than 100"),
    ({"table": X[:0], "y": []}, InvalidData, "y has no labels"),
    ({"regularization": -0.01}, ValueError, "regularization must be .* got -0.01"),
    ({"regularization": float("nan")}, ValueError, "regularization must be .* got nan"),
    ({"regularization": True}, ValueError, "regularization must be .* got True"),
    ({"regularization": "one"}, ValueError, "regularization must be .* got 'one'"),
    ({"regularization": 1e-20}, InvalidData, "too many digits together"),
    ({"regularization": 0.1234567890123456, "epsilon": 1e9}, InvalidData, "too many digits"),
    ({"epsilon": -1}, ValueError, "epsilon must be .* got -1"),
    ({"epsilon": None}, ValueError, "epsilon must be .* got None"),
    ({"relative": "both"}, ValueError, "relative must be True or False, got 'both'"),
    ({"max_depth": -1}, ValueError, "max_depth must be .* got -1"),
    ({"max_depth": 2.0}, ValueError, "max_depth must be .* got 2.0"),
    ({"max_depth": 99}, ValueError, "max_depth must be .* got 99"),
    ({"memory_limit": 0}, ValueError, "memory_limit must be a positive number, got 0"),
    ({"time_limit": -1.0}, ValueError, "time_limit must be a positive number, got -1.0"),
    ({"thresholds": "best"}, ValueError, "thresholds must be .*, got 'best'"),
    ({"thresholds": 3.5}, ValueError, "thresholds must be .*, got 3.5"),
    ({"space": {"x0": "boolean"}}, InvalidSpace, "space must be a Space, got a dict"),
    ({"space": ol.Space.independent(["a"])}, InvalidSpace, "3 columns, but the space describes 1"),
    ({"weight": [1, 2]}, InvalidData, r"sample_weight has shape \(2,\)"),
    ({"weight": [1, -1, 1, 1, 1, 1]}, InvalidData, "sample_weight has -1 in row 1"),
    ({"weight": [1, np.nan, 1, 1, 1, 1]}, InvalidData, "sample_weight has nan in row 1"),
    ({"weight": [0] * 6}, InvalidData, "sample_weight is zero in every row"),
    ({"weight": [1e-20] + [1] * 5}, InvalidData, "sample_weight has too many digits"),
    ({"weight": list("abcdef")}, InvalidData, "sample_weight must hold numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "kind", "words"), BAD, ids=lambda value: None)
def test_bad_input_is_refused(options, kind, words):
    with pytest.raises(kind, match=words):
        fit(**options)


def test_rows_that_contradict_the_space_are_refused():
    space = ol.Space({"age": "numeric"}, {"a": ol.Condition("age", at_most=5.0),
                                          "b": ol.Condition("age", at_most=9.0)})  # fmt: skip
    with pytest.raises(InvalidData, match="row 3 contradicts itself about 'age'"):
        fit([[1, 1], [0, 1], [0, 0], [1, 0], [0, 1], [0, 0]], space=space)
    with pytest.raises(InvalidSpace, match="the space has none"):
        fit(pd.DataFrame(X[:, :2], columns=["a", "c"]), space=space)
    never = ol.Space({"color": ["red"]}, {"r": ol.Condition("color", among=("red",))})
    with pytest.raises(InvalidSpace, match="'r' never changes in this space"):
        fit(np.ones((6, 1), int), space=never)


def test_views_refuse_what_is_not_there():
    found = fit()
    with pytest.raises(InvalidSpace, match="no feature 'age'"):
        found.where(member.uses("age"))
    assert found.where(member.epsilon <= 0.3).n_trees == found.n_trees, "a part, not more"
    assert found.where(member.epsilon <= 0.3).bound == found.bound
    with pytest.raises(ValueError, match=r"leaves must be .* got 0"):
        found.where(member.leaves <= 0)
    with pytest.raises(IndexError, match="no tree 999"):
        found[999]
    with pytest.raises(TypeError, match="a position must be a whole number"):
        found["a"]
    with pytest.raises(ValueError, match=r"by must be one of .* got 'mine'"):
        len(found.functions("mine"))
    with pytest.raises(ValueError, match=r"start must be .* got -1"):
        found.trees(-1)
    with pytest.raises(ValueError, match=r"k must be .* got -1"):
        found.sample(-1)
    with pytest.raises(ValueError, match=r"random_state must be .* got 'seed'"):
        found.sample(1, random_state="seed")
    many = fit(np.eye(20, dtype=int), [0, 1] * 10, max_depth=1)
    with pytest.raises(ValueError, match="17 features are required"):
        many.where(*(member.uses(f"x{j}") for j in range(17)))


def hard():
    random = np.random.default_rng(0)
    return random.integers(0, 2, (400, 40)), random.integers(0, 2, 400)


def test_limits_are_kept():
    table, y = hard()
    with pytest.raises(OutOfMemory, match="more than memory_limit=50,000 bytes: raise it"):
        ol.RashomonSet(4, 0.001, 0.1, memory_limit=50_000).fit(table, y)
    with pytest.raises(OutOfTime, match=r"longer than time_limit=0\.001 seconds: raise it"):
        ol.RashomonSet(6, 0, 0.3, time_limit=0.001).fit(table, y)


def test_too_many_trees_of_one_function():
    """Every tree says 0: the list refuses to count past 2^64, the number of functions is there."""
    table = np.array(list(itertools.product((0, 1), repeat=6)) + 2 * [(0,) * 6])
    y = np.array(65 * [0] + [1])
    found = ol.RashomonSet(6, 0.0, 1.0).fit(table, y).trees_
    assert len(found.functions()) == len(found.functions("rows")) == 1
    assert found.n_trees > 2**64
    with pytest.raises(TooLarge, match=r"more than 2\^64 trees of one function: take a") as fault:
        found.functions().table()
    assert fault.value.met == 2**64


def test_counts_beyond_machine_words():
    """An epsilon so large that every tree is in: the numbers stay exact."""
    table, y = hard()
    found = ol.RashomonSet(5, 0.0, 1.0).fit(table[:, :7], y).trees_
    assert found.n_trees > 2**64
    assert f"about {found.n_trees:.1e} trees".replace("e+", "e") in str(found)
    with pytest.raises(OverflowError, match="use n_trees"):
        len(found)
    last = found[found.n_trees - 1]
    assert found.index(last) is not None
    assert key_of(found[2**64 : 2**64 + 2]) == key_of([found[2**64], found[2**64 + 1]])
    assert found.index(found[2**64 + 12345]) == 2**64 + 12345
    drawn = found.sample(3, random_state=0)
    assert [found.index(tree) for tree in drawn] == [
        found.index(tree) for tree in found.sample(3, random_state=0)
    ]
    assert sum(found.counts().trees) == found.n_trees


def key_of(trees):
    return [str(tree) for tree in trees]
