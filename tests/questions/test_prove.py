"""Properties of trees against brute force: every row, and every pair of rows, is looked at."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle import as_float32, decide, float32_neighbours, values_by_feature
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import problems, tree_of
from sums import as_ensemble

import orderless as ol

# Every property is asked of a tree, and of the same tree as a sum of one.
both_kinds = pytest.mark.parametrize("made", [lambda tree: tree, as_ensemble], ids=["tree", "sum"])
ENDS = (-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0)


@st.composite
def regions(draw, kinds):
    """Conditions on some features, and for each the test that a row must pass."""
    region, tests = {}, {}
    for name, kind in kinds.items():
        if draw(st.booleans()):
            continue
        if kind == "boolean":
            value = draw(st.booleans())
            region[name], tests[name] = value, lambda x, v=value: x is v
        elif isinstance(kind, tuple):
            some = draw(st.sets(st.sampled_from(kind), min_size=1))
            region[name], tests[name] = some, lambda x, s=some: x in s
        else:
            low, high = sorted(draw(st.tuples(st.sampled_from(ENDS), st.sampled_from(ENDS))))
            if kind == "integer":
                low, high = math.floor(low), math.ceil(high)
            region[name], tests[name] = _ends(draw, kind, low, high)
    return region, tests


def _ends(draw, kind, low, high):
    shape = draw(st.sampled_from(["both", "low", "high", "above", "below"]))
    own = as_float32 if kind == "float32" else float
    if shape == "both":
        return (low, high), lambda x: low <= own(x) <= high
    if shape == "low":
        return (low, None), lambda x: own(x) >= low
    if shape == "high":
        return (None, high), lambda x: own(x) <= high
    if shape == "above":
        return {"above": low}, lambda x: own(x) > low
    return {"below": high}, lambda x: own(x) < high


def all_rows(kinds, specs, tests=None):
    """Every row that matters: each bin of the trees, and both sides of every end."""
    values = values_by_feature(kinds, *specs)
    for name, kind in kinds.items():
        if kind in ("float64", "float32", "integer"):
            for end in ENDS:
                near = [end]
                if kind == "integer":
                    near = [
                        math.floor(end),
                        math.ceil(end),
                        math.floor(end) - 1,
                        math.ceil(end) + 1,
                    ]
                elif kind == "float32":
                    near += float32_neighbours(end)
                else:
                    near += [math.nextafter(end, math.inf), math.nextafter(end, -math.inf)]
                values[name] = sorted({*values[name], *near})
    for name, test in (tests or {}).items():
        values[name] = [v for v in values[name] if test(v)]
    names = list(values)
    size = math.prod(len(own) for own in values.values())
    if size > 1500:
        return None
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*values.values())]


def said(spec, kinds, row):
    return decide(spec, row, frozenset(n for n, kind in kinds.items() if kind == "float32"))


def passes(tests, row):
    return all(test(row[name]) for name, test in tests.items())


def refutes(proof, tree, tests, spec, kinds):
    """Rows of a counterexample lie inside, and get what it says, from tree and oracle."""
    assert not proof
    assert proof.rows
    for row, answer in zip(proof.rows, proof.answers, strict=True):
        assert passes(tests, row), (row, proof)
        assert tree.predict([row]).tolist() == [answer]
        assert said(spec, kinds, row) == answer
        assert set(row) == set(kinds)


@both_kinds
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_never_and_always(made, data):
    kinds, (spec,) = data.draw(problems())
    tree = made(tree_of(spec, kinds))
    region, tests = data.draw(regions(kinds))
    rows = all_rows(kinds, [spec], tests)
    if not rows:
        return
    label = data.draw(st.sampled_from(tree.classes))
    found = {said(spec, kinds, row) for row in rows}
    never = ol.prove(tree).never(label, where=region)
    assert bool(never) == (label not in found)
    if not never:
        refutes(never, tree, tests, spec, kinds)
        assert never.answers == (label,)
    always = ol.prove(tree).always(label, where=region)
    assert bool(always) == (found == {label})
    if not always:
        refutes(always, tree, tests, spec, kinds)
        assert always.answers[0] != label


@both_kinds
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_ignores(made, data):
    kinds, (spec,) = data.draw(problems())
    tree = made(tree_of(spec, kinds))
    region, tests = data.draw(regions(kinds))
    rows = all_rows(kinds, [spec], tests)
    if not rows:
        return
    names = data.draw(st.sets(st.sampled_from(sorted(kinds)), min_size=1, max_size=2))
    groups = {}
    for row in rows:
        rest = tuple(v for n, v in row.items() if n not in names)
        groups.setdefault(rest, set()).add(said(spec, kinds, row))
    proof = ol.prove(tree).ignores(sorted(names), given=region)
    assert bool(proof) == all(len(own) == 1 for own in groups.values())
    if not proof:
        refutes(proof, tree, tests, spec, kinds)
        one, other = proof.rows
        assert all(one[n] == other[n] for n in kinds if n not in names)
        assert proof.answers[0] != proof.answers[1]


@both_kinds
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_constant_in_is_to_ignore_inside(made, data):
    kinds, (spec,) = data.draw(problems())
    tree = made(tree_of(spec, kinds))
    region, tests = data.draw(regions(kinds))
    rows = all_rows(kinds, [spec], tests)
    if not region or not rows:
        return
    names = data.draw(st.sets(st.sampled_from(sorted(region)), min_size=1))
    inside = {n: region[n] for n in names}
    where = {n: region[n] for n in region if n not in names}
    proof = ol.prove(tree).constant_in(inside, where=where)
    groups = {}
    for row in rows:
        rest = tuple(v for n, v in row.items() if n not in names)
        groups.setdefault(rest, set()).add(said(spec, kinds, row))
    assert bool(proof) == all(len(own) == 1 for own in groups.values())
    if not proof:
        refutes(proof, tree, tests, spec, kinds)


@both_kinds
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_monotone(made, data):
    kinds, (spec,) = data.draw(problems())
    ordered = sorted(n for n, kind in kinds.items() if not isinstance(kind, tuple))
    if not ordered:
        return
    tree = made(tree_of(spec, kinds))
    region, tests = data.draw(regions(kinds))
    rows = all_rows(kinds, [spec], tests)
    if not rows:
        return
    name = data.draw(st.sampled_from(ordered))
    sign = data.draw(st.sampled_from([1, -1]))
    order = data.draw(st.permutations(list(tree.classes)))
    if not isinstance(tree.classes[0], str) and data.draw(st.booleans()):
        order = None
    rank = {label: i for i, label in enumerate(order or sorted(tree.classes))}
    lines = {}
    for row in rows:
        rest = tuple(v for n, v in row.items() if n != name)
        lines.setdefault(rest, []).append((row[name], rank[said(spec, kinds, row)]))
    holds = all(
        (b - a) * sign >= 0
        for line in lines.values()
        for (x, a), (y, b) in itertools.combinations(sorted(line), 2)
        if x < y
    )
    proof = ol.prove(tree).monotone(name, sign, order=order, where=region)
    assert bool(proof) == holds
    if not proof:
        refutes(proof, tree, tests, spec, kinds)
        one, other = proof.rows
        assert one[name] < other[name]
        assert (rank[proof.answers[1]] - rank[proof.answers[0]]) * sign < 0
        assert all(one[n] == other[n] for n in kinds if n != name)


@both_kinds
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_stable(made, data):
    kinds, (spec,) = data.draw(problems())
    ordered = sorted(n for n, kind in kinds.items() if not isinstance(kind, tuple))
    if not ordered:
        return
    tree = made(tree_of(spec, kinds))
    region, tests = data.draw(regions(kinds))
    rows = all_rows(kinds, [spec], tests)
    if not rows:
        return
    name = data.draw(st.sampled_from(ordered))
    by = data.draw(st.sampled_from([0.5, 1, 2, 1e-300]))
    lines = {}
    for row in rows:
        rest = tuple(v for n, v in row.items() if n != name)
        lines.setdefault(rest, []).append((row[name], said(spec, kinds, row)))
    flips = [
        (x, y)
        for line in lines.values()
        for (x, a), (y, b) in itertools.combinations(sorted(line), 2)
        if a != b and Fraction(y) - Fraction(x) <= Fraction(by)
    ]
    proof = ol.prove(tree).stable(name, by=by, where=region)
    assert bool(proof) == (not flips)
    if not proof:
        refutes(proof, tree, tests, spec, kinds)
        one, other = proof.rows
        assert all(one[n] == other[n] for n in kinds if n != name)
        assert abs(Fraction(str(float(other[name]))) - Fraction(str(float(one[name])))) <= by
        assert proof.near


@both_kinds
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_same_as(made, data):
    kinds, (spec, other) = data.draw(problems(n_trees=2))
    region, tests = data.draw(regions(kinds))
    rows = all_rows(kinds, [spec, other], tests)
    if not rows:
        return
    tree = made(tree_of(spec, kinds))
    holds = all(said(spec, kinds, row) == said(other, kinds, row) for row in rows)
    proof = ol.prove(tree).same_as(tree_of(other, kinds), where=region)
    assert bool(proof) == holds
    if not proof:
        (row,) = proof.rows
        assert passes(tests, row)
        assert proof.answers == (said(spec, kinds, row), said(other, kinds, row))
    assert bool(ol.prove(tree).same_as(tree_of(other, kinds))) == ol.equivalent(
        tree, tree_of(other, kinds)
    )


def test_every_function_of_three_conditions():
    """All 256 functions of three yes/no columns: what they ignore, and in what they rise."""
    names = ["a", "b", "c"]
    rows = list(itertools.product([False, True], repeat=3))

    def tree(table, at=(), depth=0):
        if depth == 3:
            return {"prediction": int(table[rows.index(at)])}
        return {"feature": names[depth], "true": tree(table, (*at, True), depth + 1),
                "false": tree(table, (*at, False), depth + 1)}  # fmt: skip

    for table in itertools.product([0, 1], repeat=8):
        read = ol.read(tree(table), feature_names=names)
        value = dict(zip(rows, table, strict=True))
        for k, name in enumerate(names):
            pairs = [(value[r], value[(*r[:k], True, *r[k + 1 :])]) for r in rows if not r[k]]
            assert bool(ol.prove(read).ignores(name)) == all(a == b for a, b in pairs)
            assert bool(ol.prove(read).monotone(name, 1)) == all(a <= b for a, b in pairs)
            assert bool(ol.prove(read).monotone(name, -1)) == all(a >= b for a, b in pairs)


def data():
    random = np.random.default_rng(0)
    X = random.integers(0, 20, size=(200, 3)) / 4
    return X, (X[:, 0] + X[:, 1] > 5).astype(int), X[:, 0] * 2 - X[:, 2]


def test_rows_are_replayed_by_scikit_learn():
    X, y, _ = data()
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y)
    for name in ("x0", "x1", "x2"):
        for proof in (
            ol.prove(model).ignores(name),
            ol.prove(model).monotone(name, 1),
            ol.prove(model).monotone(name, -1),
            ol.prove(model).stable(name, by=0.1),
        ):
            table = [list(row.values()) for row in proof.columns]
            if table:
                assert model.predict(table).tolist() == list(proof.answers)


def test_numbers_rise_and_stay_below():
    X, _, y = data()
    model = DecisionTreeRegressor(max_depth=4, random_state=0, monotonic_cst=[1, 0, 0]).fit(X, y)
    asked = ol.prove(model)
    assert asked.monotone("x0", 1)
    down = asked.monotone("x0", -1)
    assert not down
    assert down.answers[0] < down.answers[1]
    replayed = model.predict([list(row.values()) for row in down.rows])
    assert replayed.tolist() == list(down.answers)
    tree = ol.read(model)
    top = max(tree.kernel.numbers[tree.nodes.leaf_class[list(tree.kernel.leaves())]])
    assert asked.never(above=top)
    assert not asked.never(at_least=top)
    assert asked.always(at_most=top)
    found = asked.always(below=top)
    assert found.answers == (top,)
    assert not asked.never(top)
    assert asked.never(float(np.nextafter(top, np.inf)))
    # The decision at a level is a tree of classes.
    assert ol.prove(tree.discretize([top - 1e-9])).monotone(
        "x0", 1, order=tree.discretize([top - 1e-9]).classes
    )


def test_decisions_at_a_risk():
    X, y, _ = data()
    tree = ol.read(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))
    asked = ol.prove(tree.decide_at(1, 0.5))
    assert bool(asked.never(True)) is False
    assert asked.monotone("x0", 1)


@both_kinds
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_stable_rows_against_brute_force(made, data):
    kinds, (spec,) = data.draw(problems())
    numeric = sorted(n for n, kind in kinds.items() if kind in ("float64", "float32", "integer"))
    rows = all_rows(kinds, [spec])
    if not numeric or not rows:
        return
    rows = rows[:: max(1, len(rows) // 40)]
    name = data.draw(st.sampled_from(numeric))
    by = data.draw(st.sampled_from([1, 2]))
    tree = made(tree_of(spec, kinds))
    proof = ol.prove(tree).stable(name, by=by, X=rows)
    values = [row[name] for row in all_rows(kinds, [spec])]
    own = as_float32 if kinds[name] == "float32" else float
    expected = []
    for i, row in enumerate(rows):
        low, high = (own(float(Fraction(str(row[name])) + s * by)) for s in (-1, 1))
        near = {low, high, *(v for v in values if low <= v <= high)}
        if kinds[name] == "integer":
            near = {v for v in near if v == int(v)}
        here = said(spec, kinds, row)
        if any(said(spec, kinds, {**row, name: v}) != here for v in near):
            expected.append(i)
    assert list(proof.at) == expected
