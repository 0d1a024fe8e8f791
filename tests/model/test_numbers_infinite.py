"""Numbers beyond float32: what rounds to infinity goes the same way in every language."""

import math

import javascript
import narwhals as nw
import numpy as np
import oracle
import polars as pl
import pyarrow as pa
import pytest
import tables
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

MAX = 3.4028234663852886e38
MIDDLE = (MAX + 2.0**128) / 2  # from here on, rows round to infinity
CUTS = [-math.inf, -1e300, -1e39, -(2.0**128), -MAX, -1.0, 0.0, MAX, 2.0**128, 1e39, 1e300]
ROWS = sorted(
    {
        sign * number
        for size in (0.0, 1.0, MAX, MIDDLE, 2.0**128, 1e39, 1e300, 1.7976931348623157e308, math.inf)
        for number in (size, math.nextafter(size, 0), math.nextafter(size, math.inf))
        for sign in (-1, 1)
    }
)


def tree_of(cuts, kind="float32"):
    """A chain: 0 up to the first cut, then 1, ..."""
    n = len(cuts)
    inner = [i for _ in range(n) for i in (0, -1)]
    return ol.Tree(
        ol.Space({"x": kind}),
        list(range(n + 1)),
        feature=[*inner, -1],
        threshold=[c for cut in cuts for c in (cut, 0.0)] + [0.0],
        when_true=[i for k in range(n) for i in (2 * k + 1, -1)] + [-1],
        when_false=[i for k in range(n) for i in (2 * k + 2, -1)] + [-1],
        leaf_class=[i for k in range(n) for i in (-1, k)] + [n],
    )


def by_definition(cuts, value, kind="float32"):
    """Round, then compare; "at most -inf" never holds, so that -inf is the least float64."""
    seen = oracle.as_float32(value) if kind == "float32" else value
    return next((k for k, cut in enumerate(cuts) if cut > -math.inf and seen <= cut), len(cuts))


PAIRS = [[a, b] for i, a in enumerate(CUTS) for b in CUTS[i + 1 :]] + [[cut] for cut in CUTS]


@pytest.mark.parametrize("kind", ["float32", "numeric"])
@pytest.mark.parametrize("cuts", PAIRS, ids=str)
def test_every_way_to_decide_agrees_with_the_definition(cuts, kind):
    tree = tree_of(cuts, kind)
    expected = [by_definition(cuts, value, kind) for value in ROWS]
    X = np.array(ROWS)[:, None]
    assert tree.predict(X).tolist() == expected
    assert [c for (c,) in tree.possible(X)] == expected
    form = ol.canonicalize(tree)
    assert form.predict(X).tolist() == expected
    for label, terms in form.rules.items():
        covered = np.any([term.covers(X) for term in terms] or [[False] * len(X)], axis=0)
        assert covered.tolist() == [label == one for one in expected]
    for value, label in zip(ROWS, expected, strict=True):
        explanation = form.tree.explain({"x": value})
        assert explanation.label == label
        assert all(reason.covers([{"x": value}])[0] for reason in explanation.reasons())
    assert tree.predict(ol.Between(X, X)).tolist() == expected
    assert ol.Tree.from_json(tree.to_json()) == tree
    assert ol.equivalent(tree, form.tree.minimize())
    names: dict[str, object] = {}
    exec(form.tree.to_python("decide"), names)
    assert [names["decide"]({"x": value}) for value in ROWS] == expected
    table = pa.table({"x": pa.array(ROWS)})
    for engine, run in tables.RUN.items():
        assert run([tree.to_sql(dialect=engine)], table)[0] == expected, engine
    frame = pl.DataFrame({"x": ROWS})
    assert (
        nw.from_native(frame).with_columns(tree.to_expression())["prediction"].to_list() == expected
    )
    if javascript.NODE is not None:
        source = tree.to_javascript(module=False)
        rows = [{"x": value} for value in ROWS]
        assert javascript.run(source, rows) == expected


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("value", [-1e300, 1e300, -3.5e38, math.inf, -math.inf])
def test_scikit_learn_refuses_what_rounds_to_infinity(value):
    """It never decides such a row, unless asked not to look; then it compares as we do."""
    model = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="infinity or a value too large"):
        model.predict([[value]])
    single = np.array([[value]]).astype(np.float32)
    assert model.predict(single, check_input=False) == ol.read(model).predict([[value]])


@pytest.mark.parametrize("one", CUTS[1:])
def test_a_made_up_row_beyond_float32_is_decided_as_said(one):
    for other in CUTS[1:]:
        for kinds in (("float32", "numeric"), ("numeric", "float32"), ("float32", "float32")):
            a, b = tree_of([one], kinds[0]), tree_of([other], kinds[1])
            row = ol.counterexample(a, b)
            assert ol.equivalent(a, b) == (row is None)
            if row is not None:
                assert a.predict([row])[0] != b.predict([row])[0]
            else:  # as float32 they are alike
                single = [oracle.as_float32(value) for value in ROWS]
                assert all(a.predict([[v]])[0] == b.predict([[v]])[0] for v in single)
    assert tree_of([-1e39]).fingerprint == tree_of([-1e300]).fingerprint
    assert tree_of([-1e39]).fingerprint != tree_of([-MAX]).fingerprint


def test_what_is_less_than_every_float32_is_written_so():
    assert str(tree_of([-1e39])).splitlines()[0] == "x < -3.4028235e+38?"
    assert str(tree_of([1e39])).splitlines()[0] == "x <= 3.4028235e+38?"


def test_no_whole_number_is_above_the_largest_float():
    tree = tree_of([1.7976931348623157e308], "integer")
    assert tree.n_leaves == 1
    assert tree.predict([[10**15], [0]]).tolist() == [0, 0]
    assert ol.equivalent(tree, tree_of([math.inf], "integer"))


@pytest.mark.parametrize("nan_true", [False, True])
@pytest.mark.parametrize("values", ["float64", "float32"])
def test_a_range_of_one_infinity_is_that_value(values, nan_true):
    """Where NaN is a value, too: from -inf to -inf there is -inf, and no other number."""
    x = ol.Feature("x", values=values, nan=True)
    for threshold in (25.0, -1e39, -1e308):
        tree = ol.Tree(ol.Space([x]), ["low", "high"], feature=[0, -1, -1],
                       threshold=[threshold, 0, 0], when_true=[1, -1, -1], when_false=[2, -1, -1],
                       leaf_class=[-1, 0, 1], nan_true=[nan_true, False, False])  # fmt: skip
        for value in (-np.inf, np.inf, -1e300, 1e300, 3.0):
            row = [{"x": value}]
            assert tree.predict(ol.Between(row, row)).tolist() == tree.predict(row).tolist()
