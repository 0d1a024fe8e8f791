import ast
import itertools
import math
import subprocess
import sys
from decimal import Decimal

import numpy as np
import oracle
import pandas as pd
import pytest
import showcase
from hypothesis import assume, given, settings, strategies as st
from neighbours import neighbours
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData
from tests.form.test_canonical_limits import many_reasons


def run(form, name="decide"):
    """Execute the module in an empty namespace; give its two functions."""
    names = {}
    exec(compile(form.tree.to_python(name), "<generated>", "exec"), names)
    return names[name], names["why"]


@pytest.mark.parametrize("name", showcase.FORMS)
def test_golden(name):
    source = showcase.FORMS[name]().tree.to_python()
    showcase.check_golden(f"{name}.python.txt", source)
    ast.parse(source, feature_version=(3, 8))


# -- the same answers --------------------------------------------------------------------------


def probes(kinds, spec):
    """For each feature its values at thresholds and beside them, infinite ones, and unknown."""
    values = oracle.values_by_feature(kinds, spec)
    for name, kind in kinds.items():
        if kind in ("float64", "float32"):
            cuts = [cut for tested, cut in oracle.tests_of(spec) if tested == name]
            near = [x for cut in cuts for x in neighbours(cut)]
            values[name] = [*values[name], *near, math.inf, -math.inf]
        values[name] = [*values[name], None]
    return values


@given(problems(max_features=4), st.data())
@settings(max_examples=100)
def test_decides_as_predict_does(problem, data):
    """Theorem 3.2 in plain Python: complete rows, rows with unknowns, rows at the thresholds."""
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    decide, _ = run(ol.canonicalize(tree))
    values = probes(kinds, spec)
    rows = list(itertools.islice(oracle.cells(kinds, spec), 50))
    for _ in range(3):
        rows.append(data.draw(partial_rows(kinds, spec)))
    row = data.draw(st.fixed_dictionaries({n: st.sampled_from(v) for n, v in values.items()}))
    for name, choices in values.items():  # one feature through all its values, the rest fixed
        rows += [{**row, name: value} for value in choices]
    rows += [{n: v for n, v in row.items() if v is not None}, {}]
    said = tree.predict(rows).tolist()
    assert [decide(row) for row in rows] == said
    for row, label in zip(rows[50:53], said[50:53], strict=True):
        possible = oracle.possible_classes(kinds, row, spec)
        assert possible == {label} if label is not None else len(possible) > 1


@given(problems(max_features=4), st.data())
@settings(max_examples=100)
def test_why_gives_a_reason_that_holds(problem, data):
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    assume(sum(len(terms) for terms in form.reasons.values()) < 200)
    decide, why = run(form)
    for _ in range(4):
        row = data.draw(partial_rows(kinds, spec))
        label = decide(row)
        if label is None:
            assert why(row) is None
        else:
            holding = [str(t) for t in form.reasons[label] if t.covers([row])[0]]
            assert why(row) in holding


NAN_SPACE = ol.Space(
    [
        ol.Feature("a", nan=True),
        ol.Feature("b", values="float32", nan=True),
        ol.Feature("n", values="integer", nan=True),
        ol.Feature("c", "categorical", categories=("r", "g", 3), other=True, nan=True),
        ol.Feature("d", "categorical", categories=("x", "y"), nan=True),
        ol.Feature("e", "categorical", categories=(1, 2, True + 2), other=True),
    ]
)
NAN_VALUES = {
    "a": [0.1, math.nextafter(0.1, 1), 2.0, -math.inf, math.inf, math.nan, None],
    "b": [0.1, *neighbours(0.1), *neighbours(2.0), math.nan],
    "n": [0, 1, 2.0, 3, None],
    "c": ["r", "g", 3, 3.0, "else", 7, math.nan, None],
    "d": ["x", "y", None],
    "e": [1, True, 2.0, 3, "three", None, math.nan],
}


@st.composite
def nan_trees(draw):
    """Trees where NaN is a value, categories have an "other", and dead branches occur."""
    arrays = {k: [] for k in ("feature", "threshold", "when_true", "when_false", "leaf_class",
                              "nan_true")}  # fmt: skip
    sets = {}

    def grow(depth):
        node = len(arrays["feature"])
        inner = depth > 0 and draw(st.integers(0, 5)) > 0
        i = draw(st.integers(0, 5)) if inner else -1
        for key, value in (
            ("feature", i),
            ("threshold", draw(st.sampled_from([0.1, 1.0, 2.0, 0.0, math.inf, -math.inf]))),
            ("when_true", -1),
            ("when_false", -1),
            ("leaf_class", -1 if inner else draw(st.integers(0, 2))),
            ("nan_true", draw(st.booleans())),
        ):
            arrays[key].append(value)
        if inner:
            size = NAN_SPACE.features[i].n_values
            if size:
                sets[node] = sorted(draw(st.sets(st.integers(0, size - 1))))
            arrays["when_true"][node] = grow(depth - 1)
            arrays["when_false"][node] = grow(depth - 1)
        return node

    grow(3)
    return ol.Tree(NAN_SPACE, ["no", "maybe", "yes"], sets=sets, **arrays)


@given(nan_trees(), st.data())
@settings(max_examples=60)
def test_where_nan_is_a_value(tree, data):
    """None and NaN are that value; a feature that is left out is unknown."""
    form = ol.canonicalize(tree)
    decide, why = run(form)
    one = st.fixed_dictionaries({}, optional={n: st.sampled_from(v) for n, v in NAN_VALUES.items()})
    rows = data.draw(st.lists(one, min_size=5, max_size=5))
    for row in rows:  # one by one, so that a column is absent where it is left out
        assert decide(row) == tree.predict([row]).tolist()[0]
    assert [decide(row) for row in rows] == tree.predict(rows).tolist()
    if sum(len(terms) for terms in form.reasons.values()) < 500:
        for row in rows:
            label = decide(row)
            if label is not None:
                assert why(row) in [str(t) for t in form.reasons[label] if t.covers([row])[0]]


@pytest.mark.parametrize("nan", [False, True])
def test_a_row_that_holds_minus_infinity(nan):
    """It is at most every threshold, for the tree, its reasons and the module alike."""
    space = ol.Space([ol.Feature("a", nan=nan)])
    tree = ol.read(showcase.ask("a", "<=", 0.1, showcase.leaf(1), showcase.leaf(0)),
                        space=space)  # fmt: skip
    form = ol.canonicalize(tree)
    rows = [{"a": -math.inf}, {}, {"a": 0.5}]
    assert tree.predict(rows).tolist() == [1, None, 0]
    assert form.reasons[1][0].covers(rows).tolist() == [True, False, False]
    assert form.reasons[0][0].covers(rows).tolist() == [False, False, True]
    decide, why = run(form)
    assert [decide(row) for row in rows] == [1, None, 0]
    assert why(rows[0]) == "a <= 0.1"


def test_values_of_other_libraries():
    form = showcase.mixed()
    decide, _ = run(form)
    for age in (np.int64(20), np.float32(20), Decimal(20), True + 19, 20.0):
        row = {"age": age, "lab value": np.float64(1), "smoker": np.bool_(True),
               "color": np.str_("red")}  # fmt: skip
        assert decide(row) == "high"
        assert decide(pd.Series(row)) == "high"
    for unknown in (None, math.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("nan")):
        row = {"age": 70, "color": "red", "smoker": unknown, "lab value": unknown}
        assert decide(row) == "high" == form.predict([row])[0]
        assert decide({**row, "color": unknown}) is None


# -- what it refuses ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"age": 0.5}, "'age' must be a whole number, or None or NaN if it is unknown; got 0.5"),
        ({"age": math.inf}, "'age' must be .* got inf"),
        ({"age": "20"}, "'age' must be .* got '20'"),
        ({"age": 10**400}, "'age' must be .* got 1000"),
        ({"age": [1]}, r"'age' must be .* got \[1\]"),
        ({"age": np.array([1.0])}, "'age' must be .* got array"),
        ({"lab value": "high"}, "'lab value' must be a number, .* got 'high'"),
        ({"lab value": 1j}, "'lab value' must be .* got 1j"),
        ({"smoker": 2}, "'smoker' must be 0, 1, False or True, .* got 2"),
        ({"smoker": 0.5}, "'smoker' must be .* got 0.5"),
        ({"smoker": "yes"}, "'smoker' must be .* got 'yes'"),
        ({"color": ("red",)}, r"'color' must be one of 'red', 'green'.* got \('red',\)"),
        ({"colour": "red"}, "unknown feature 'colour'; features are 'age', 'color'"),
    ],
)
def test_wrong_values_are_refused_as_predict_does(row, said):
    form = showcase.mixed()
    decide, why = run(form)
    with pytest.raises(InvalidData):
        form.predict([row])
    for function in (decide, why):
        with pytest.raises(ValueError, match=said):
            function(row)


def test_a_category_that_is_not_listed():
    tree = showcase.ask("c", "in", ["a"], showcase.leaf(1), showcase.leaf(0))
    form = ol.canonicalize(ol.read(tree, space=ol.Space({"c": ["a", "b"]})))
    with pytest.raises(ValueError, match="'c' must be one of 'a', 'b'"):
        run(form)[0]({"c": "z"})
    assert run(showcase.mixed())[0]({"color": "never seen", "age": 70}) == "high"


def test_a_row_is_a_dict():
    decide, _ = run(showcase.mixed())
    for row in ([1, 2], "age", None, 3):
        with pytest.raises(ValueError, match="a row must be a dict of feature -> value"):
            decide(row)


@pytest.mark.parametrize(
    "name",
    ["", "a b", "1a", "x;import os", "class", "None", "len", "why", "NODES", "FEATURES", "_read",
     "bisect_left", "INF", "row", "todo", "__debug__", "ｗｈｙ", "ﬂoat", "a\n", "é́ ", 3, None],
)  # fmt: skip
def test_function_names_that_are_refused(name):
    with pytest.raises(ValueError, match="function_name="):
        showcase.mixed().tree.to_python(name)


@pytest.mark.parametrize("name", ["decide", "risk_of", "größe", "_f", "match", "ﬁt"])
def test_function_names_that_work(name):
    form = showcase.mixed()
    names = {}
    exec(form.tree.to_python(name), names)
    decide = names["fit" if name == "ﬁt" else name]
    rows, _ = showcase.mixed_rows()
    assert [decide(row) for row in rows] == form.predict(rows).tolist()
    assert names["why"]({"age": 70, "color": "red"}) == "age > 60 AND color != green"


def test_names_are_only_text():
    form = showcase.hostile()
    decide, why = run(form)
    names = showcase.HOSTILE
    assert decide({names[0]: True}) == form.predict([{names[0]: True}])[0]
    assert why({names[0]: True}) == names[0]
    module = ast.parse(form.tree.to_python())
    kinds = {type(node) for node in module.body}
    assert kinds <= {ast.Expr, ast.ImportFrom, ast.Assign, ast.FunctionDef}
    defined = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    other = ast.parse(showcase.mixed().tree.to_python())
    assert defined == {node.name for node in other.body if isinstance(node, ast.FunctionDef)}


# -- size and surroundings ---------------------------------------------------------------------


def chain(n):
    """A tree as deep as it has thresholds."""
    inner = np.arange(n)
    feature = np.r_[np.zeros(n, int), np.full(n + 1, -1)]
    return ol.Tree(
        ol.Space({"x": "numeric"}),
        [0, 1],
        feature=feature,
        threshold=np.r_[inner + 0.5, np.zeros(n + 1)],
        when_true=np.r_[inner + n, np.full(n + 1, -1)],
        when_false=np.r_[np.append(inner[1:], 2 * n), np.full(n + 1, -1)],
        leaf_class=np.r_[np.full(n, -1), np.arange(n + 1) % 2],
    )


def test_depth_is_no_problem_and_size_is_linear():
    tree = chain(5_000)
    decide, why = run(ol.canonicalize(tree))
    rows = [{"x": x} for x in (-1, 0.5, 0.6, 3_000, 4_999.5, 4_999.6, None)]
    assert [decide(row) for row in rows] == tree.predict(rows).tolist()
    assert why({"x": 3000}) == "2999.5 < x <= 3000.5"
    sizes = [len(chain(n).to_python()) for n in (500, 1000)]
    assert sizes[1] < 2.2 * sizes[0]


def test_works_where_reasons_are_too_many():
    form = ol.canonicalize(many_reasons(8), limit=10)
    decide, why = run(form)
    assert decide({f"x{i}": 1 for i in range(0, 16, 2)}) == 1
    assert why({f"x{i}": 1 for i in range(16)}).count(" AND ") == 7
    assert why({"x0": 0, "x1": 0}) == "not x0 AND not x1"


def test_runs_without_any_package(tmp_path):
    form = showcase.mixed()
    path = tmp_path / "risk.py"
    path.write_text(form.tree.to_python("risk"), encoding="utf-8")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import risk\n"
        "print(risk.risk({'age': 70, 'color': 'red'}), risk.why({'age': 70, 'color': 'red'}))\n"
        "assert not {'numpy', 'orderless'} & set(sys.modules)\n"
    )
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "high age > 60 AND color != green"


def test_scikit_learn_at_every_threshold():
    form, X, _ = showcase.iris()
    decide, _ = run(form)
    tree = form.tree
    cuts = sorted(
        {float(t) for t, f in zip(tree.nodes.threshold, tree.nodes.feature, strict=True) if f >= 0}
    )
    rows = [
        {"sepal length (cm)": 5.0, "petal width (cm)": value}
        for cut in cuts
        for value in [*neighbours(cut), *neighbours(float(np.nextafter(np.float32(cut), 9)))]
    ]
    rows += X.to_dict("records")
    assert [decide(row) for row in rows] == tree.predict(rows).tolist()
