"""Regression trees as code: SQL, polars, Python, JavaScript and scikit-learn, also with gaps."""

import itertools
import pickle

import javascript
import numpy as np
import oracle
import pandas as pd
import pyarrow as pa
import pytest
import tables
from hypothesis import given, settings, strategies as st
from javascript import needs_node
from neighbours import at_thresholds
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor, export_text
from sklearn.utils.validation import check_is_fitted
from strategies import kinds as some_kinds, partial_rows, specs, tree_of

import orderless as ol
from orderless.output.code import tree_as_dot
from tests.output.sql_engines import ENGINES, said

NUMBERS = (-2.5, -1.0, 0.0, 0.1, 3.0, 7.5, 1e300, 1 / 3, 5e-324)


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


def numbers_of(spec, kinds):
    """The tree as a regression tree, also where its numbers are whole."""
    tree = tree_of(spec, kinds)
    order = np.argsort(tree.kernel.numbers)
    return tree.replace(
        task="regression", classes=tree.kernel.numbers[order].tolist(),
        leaf_class=np.where(tree.nodes.feature < 0, np.argsort(order)[tree.nodes.leaf_class], -1),
    )  # fmt: skip


@st.composite
def problems_of_numbers(draw):
    kinds = draw(some_kinds())
    spec = draw(specs(kinds, NUMBERS))
    rows = [draw(partial_rows(kinds, spec)) for _ in range(5)]
    rows += list(itertools.islice(oracle.cells(kinds, spec), 20))
    return numbers_of(spec, kinds), kinds, spec, rows


def diabetes(**options):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X, y, DecisionTreeRegressor(random_state=0, **options).fit(X, y)


# -- Python and JavaScript ------------------------------------------------------------------------


@given(problems_of_numbers())
@settings(max_examples=80)
def test_python_decides_and_gives_the_interval_of_all_completions(problem):
    tree, kinds, spec, rows = problem
    own = {}
    exec(tree.to_python(), own)
    for row in rows:
        possible = oracle.possible_classes(kinds, row, spec)
        assert own["interval"](row) == (min(possible), max(possible))
        assert own["decide"](row) == (possible.pop() if len(possible) == 1 else None)


@needs_node
@given(problems_of_numbers())
@settings(max_examples=60)
def test_javascript_decides_and_gives_the_interval_of_all_completions(problem):
    tree, kinds, spec, rows = problem
    source = tree.to_javascript(module=False)
    work = "[orderless.interval(row), orderless.decide(row), orderless.possibleClasses(row)]"
    for row, (ends, label, every) in zip(rows, javascript.run(source, rows, work), strict=True):
        possible = sorted(oracle.possible_classes(kinds, row, spec))
        assert every == possible
        assert ends == [possible[0], possible[-1]]
        assert label == (possible[0] if len(possible) == 1 else None)


def test_what_the_code_says_of_itself():
    _, _, model = diabetes(max_depth=2)
    tree = ol.read(model)
    source = tree.to_python("cost")
    assert "gives the number, or None" in source
    assert "interval({" in source
    own = {}
    exec(source, own)
    assert own["interval"]({}) == (tree.kernel.numbers[0], tree.kernel.numbers[-1])
    with pytest.raises(ValueError, match="function_name='interval' has a meaning already"):
        tree.to_python("interval")
    script = tree.to_javascript()
    assert script.endswith("export { decide, possibleClasses, why, interval };\n")
    assert "interval(row) gives the smallest and the largest of them" in script
    # A classifier's code has neither, and may be called so.
    leaf = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    classes = ol.read(leaf)
    assert "def interval(row)" in classes.to_python("interval")
    assert "interval(" not in (classes.to_python() + classes.to_javascript()).replace(
        "_interval(", ""
    )


# -- SQL and polars -------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", ["tree", "reasons"])
def test_tables_answer_as_predict_does(engine, shape):
    """Every threshold hit and its neighbours, gaps everywhere, to the last bit."""
    X, _, model = diabetes(max_depth=4)
    tree = ol.read(model)
    cuts = [
        (int(f), float(t))
        for f, t in zip(tree.nodes.feature, tree.nodes.threshold, strict=True)
        if f >= 0
    ]
    rows = at_thresholds(X.to_numpy(), cuts, 0)
    gaps = np.where(np.random.default_rng(0).random(rows.shape) < 0.25, np.nan, rows)
    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in
                      zip(X.columns, np.concatenate([rows, gaps]).T, strict=True)})  # fmt: skip
    wanted, questions = tables.expected(tree, table)
    assert None in wanted
    found, asked = said(engine, tree, table, shape)
    assert found == wanted
    assert asked == questions
    assert set(map(type, found)) == {float, type(None)}


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from(ENGINES))
def test_random_trees_in_tables(seed, nan, engine):
    """Features of every kind, hostile names, NaN as a value."""
    rng = np.random.default_rng(seed)
    space = tables.random_space(rng, int(rng.integers(1, 7)), nan=nan)
    tree = tables.random_tree(
        rng, space, depth=int(rng.integers(0, 5)), classes=tuple(sorted(NUMBERS))
    )
    tree = tree.replace(task="regression")
    table = tables.random_table(rng, space, 300, single=bool(rng.integers(2)))
    wanted = tables.expected(tree, table)
    for shape in ("auto", "tree"):
        assert said(engine, tree, table, shape) == wanted


# -- scikit-learn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
@pytest.mark.parametrize("depth", [0, 1, 4, None])
def test_there_and_back_to_the_last_bit(kind, depth):
    X, y = load_diabetes(return_X_y=True)
    fitted = kind(max_depth=depth, random_state=0).fit(X, y) if depth != 0 else (
        kind(random_state=0).fit(X, np.full(len(y), 1 / 3)))  # fmt: skip
    tree = ol.read(fitted)
    made = tree.to_sklearn()
    assert type(made) is DecisionTreeRegressor
    check_is_fitted(made)
    assert ol.read(made) == tree
    cuts = [
        (int(f), float(t))
        for f, t in zip(tree.nodes.feature, tree.nodes.threshold, strict=True)
        if f >= 0
    ]
    rows = (at_thresholds(X, cuts, 0) if cuts else X).astype(np.float32)
    assert made.predict(rows).tobytes() == fitted.predict(rows).tobytes()
    assert made.predict(rows).tobytes() == np.asarray(tree.predict(rows)).tobytes()
    assert made.apply(rows).tolist() == fitted.apply(rows).tolist()
    assert pickle.loads(pickle.dumps(made)).predict(rows).tobytes() == made.predict(rows).tobytes()
    assert export_text(made) == export_text(fitted)
    assert made.get_n_leaves() == fitted.get_n_leaves()
    assert np.isfinite(made.feature_importances_).all()


def test_the_smallest_tree_as_a_regressor():
    X, _, model = diabetes(max_depth=3)
    made = ol.read(model).minimize().to_sklearn()
    assert made.predict(X).tobytes() == model.predict(X).tobytes()
    assert list(made.feature_names_in_) == list(X.columns)
    assert ol.equivalent(made, model)


@given(st.data())
@settings(max_examples=60)
def test_random_trees_as_regressors(data):
    kinds = data.draw(some_kinds().filter(
        lambda all_: not any(isinstance(kind, tuple) for kind in all_.values())))  # fmt: skip
    spec = data.draw(specs(kinds, NUMBERS))
    tree = numbers_of(spec, kinds)
    made = tree.to_sklearn()
    rows = pd.DataFrame(list(itertools.islice(oracle.cells(kinds, spec), 200)), dtype=float)
    rows = rows.astype(np.float32).clip(-3e38, 3e38)
    assert made.predict(rows).tolist() == tree.predict(rows).tolist()


# -- Graphviz -------------------------------------------------------------------------------------


def test_dot_shades_by_the_number():
    _, _, model = diabetes(max_depth=2)
    text = tree_as_dot(ol.read(model).kernel)
    leaves = [line for line in text.splitlines() if "fillcolor" in line and "[label" in line]
    grounds = [line.partition('fillcolor="')[2][:7] for line in leaves]
    shown = [float(line.partition('label="')[2].partition('"')[0]) for line in leaves]
    assert len(set(grounds)) == 4
    # The larger the number, the darker.
    order = [sum(bytes.fromhex(grounds[i][1:])) for i in np.argsort(shown)]
    assert order == sorted(order, reverse=True)
