"""Properties of ensembles where facts hold, against all pairs of possible rows of small grids.

A refutation is checked by itself: its rows are possible, inside, and get what it says. A proof is
checked against every pair of rows of the grid.
"""

import random

import pytest
from fact_sums import Drawn
from sums import as_ensemble

import orderless as ol

LOW, HIGH = -1.25, 3.25  # what facts bound real numbers by; whole ones are nearer to each other


def drawn(seeds, rule):
    for seed in seeds:
        own = Drawn(seed, rule, real=seed % 4 == 3)
        if own.found.possible:
            yield own, random.Random(seed)


def possible(own, row):
    numbers = [v for v in row.values() if isinstance(v, int | float)]
    return all(holds(row) for _, holds in own.found.facts) and all(
        LOW <= number <= HIGH for number in numbers
    )


def region(own, r):
    """A condition on one feature at random, or none, and what it means."""
    name = r.choice(list(own.found.kinds))
    kind = own.found.kinds[name]
    if r.random() < 0.4:
        return None, lambda row: True
    if kind == "boolean":
        return {name: True}, lambda row: row[name]
    if isinstance(kind, list):
        some = set(r.sample(kind, 2))
        return {name: some}, lambda row: row[name] in some
    low = r.randint(-1, 1)
    return {name: (low, low + 1)}, lambda row: low <= row[name] <= low + 1


def rank(own, label):
    return label if own.classes is None else own.classes.index(label)


def pairs(own, apart, inside):
    """Go through pairs of possible rows inside that differ in some features only."""
    by_rest = {}
    for row in own.found.possible:
        if inside(row):
            key = tuple(v for name, v in row.items() if name not in apart)
            by_rest.setdefault(key, []).append(row)
    for rows in by_rest.values():
        yield from ((one, two) for one in rows for two in rows)


def agrees(own, proof, apart, inside, against, context):
    """Whether a proof is one: no pair is against it, or its rows are such a pair."""
    if proof:
        bad = [pair for pair in pairs(own, apart, inside) if against(*pair)]
        assert not bad, (context, bad[0])
        return False
    one, two = proof.rows
    assert list(proof.answers) == [own.says(one), own.says(two)]
    assert against(one, two), (context, proof.rows)
    for row in proof.rows:
        assert possible(own, row), (context, row)
        assert inside(row), (context, row)
    assert all(one[name] == two[name] for name in one if name not in apart), (context, proof.rows)
    return True


RULES = ["largest", "cuts", "number"]


@pytest.mark.parametrize("rule", RULES)
def test_single_rows(rule):
    refuted = by_facts = 0
    for own, r in drawn(range(7000, 7030), rule):
        model, (where, inside) = own.model(), region(own, r)
        rows = [row for row in own.found.possible if inside(row)]
        label = own.says(r.choice(own.found.rows))
        proof = ol.prove(model).never(label, where=where)
        if proof:
            assert all(own.says(row) != label for row in rows), own.found.seed
            by_facts += any(own.says(row) == label for row in own.found.rows if inside(row))
        else:
            assert own.says(proof.row) == label
            assert possible(own, proof.row)
            assert inside(proof.row)
        refuted += not proof
        always = ol.prove(model).always(label, where=where)
        if always:
            assert all(own.says(row) == label for row in rows)
        else:
            assert own.says(always.row) != label
            assert possible(own, always.row)
    assert refuted > 5
    assert by_facts > 0


@pytest.mark.parametrize("rule", RULES)
def test_features_that_make_no_difference(rule):
    refuted = by_facts = 0
    for own, r in drawn(range(7100, 7126), rule):
        model, (where, inside) = own.model(), region(own, r)
        names = list(own.found.kinds)
        for apart in ([r.choice(names)], r.sample(names, 2)):
            context = own.found.seed, apart, where

            def differ(one, two, own=own):
                return own.says(one) != own.says(two)

            proof = ol.prove(model).ignores(apart, given=where)
            found = agrees(own, proof, apart, inside, differ, context)
            refuted += found
            if not found and by_facts < 3:
                free = model.with_space(model.space.without_facts())
                by_facts += not ol.prove(free).ignores(apart, given=where)
    assert refuted > 5
    assert by_facts > 0


@pytest.mark.parametrize("rule", RULES)
def test_numbers_that_go_up(rule):
    refuted = proven = 0
    for own, r in drawn(range(7200, 7236), rule):
        model, (where, inside) = own.model(), region(own, r)
        numbers = [n for n, kind in own.found.kinds.items() if not isinstance(kind, list)]
        if not numbers:
            continue
        name, sign, by = r.choice(numbers), r.choice([1, -1]), r.choice([0.5, 1, 2])
        context = own.found.seed, name, sign, by, where

        def falls(one, two, own=own, name=name, sign=sign):
            more = sign * (rank(own, own.says(two)) - rank(own, own.says(one)))
            return one[name] < two[name] and more < 0

        def flips(one, two, own=own, name=name, by=by):
            return 0 <= two[name] - one[name] <= by and own.says(one) != own.says(two)

        proof = ol.prove(model).monotone(name, sign, order=own.classes, where=where)
        found = agrees(own, proof, [name], inside, falls, context)
        proof = ol.prove(model).stable(name, by, where=where)
        near = agrees(own, proof, [name], inside, flips, context)
        refuted, proven = refuted + found + near, proven + (not found) + (not near)
    assert refuted > 5
    assert proven > 5


@pytest.mark.parametrize("rule", RULES)
def test_ranges_and_other_models(rule):
    refuted = same = 0
    for own, r in drawn(range(7300, 7316), rule):
        model, (where, inside) = own.model(), region(own, r)

        def differ(one, two, own=own):
            return own.says(one) != own.says(two)

        for name in [n for n, kind in own.found.kinds.items() if kind in ("integer", "numeric")]:
            proof = ol.prove(model).constant_in({name: (-0.5, 2)})
            refuted += agrees(own, proof, [name], lambda row, name=name: -0.5 <= row[name] <= 2,
                              differ, (own.found.seed, name))  # fmt: skip
        other = Drawn(own.found.seed, rule, real=own.found.seed % 4 == 3)
        other.values[-1][0][0] += 0.25
        proof = ol.prove(model).same_as(other.model(), where=where)
        if proof:
            rows = [row for row in own.found.possible if inside(row)]
            assert all(own.says(row) == other.says(row) for row in rows), own.found.seed
        else:
            assert own.says(proof.row) != other.says(proof.row)
            assert possible(own, proof.row)
            assert inside(proof.row)
        same += bool(proof)
    assert refuted > 1
    assert same > 0


@pytest.mark.parametrize("rule", RULES)
def test_small_changes_of_rows(rule):
    changed = 0
    for own, r in drawn(range(7400, 7412), rule):
        model = own.model()
        numbers = [n for n, kind in own.found.kinds.items() if kind in ("integer", "numeric")]
        for name in numbers:
            rows = r.sample(own.found.possible, min(4, len(own.found.possible)))
            by = r.choice([1, 2])
            proof = ol.prove(model).stable(name, by, X=rows)
            near = {
                i
                for i, row in enumerate(rows)
                for other in own.found.possible
                if all(row[n] == other[n] for n in row if n != name)
                and abs(row[name] - other[name]) <= by
                and own.says(row) != own.says(other)
            }
            assert near <= {*proof.at}, (own.found.seed, name, by)
            if "numeric" not in own.found.kinds.values():
                assert near == {*proof.at}, (own.found.seed, name, by)
            if proof.at:
                row, other = proof.rows
                assert row == rows[proof.at[0]]
                assert possible(own, other), (own.found.seed, other)
                assert abs(row[name] - other[name]) <= by
                assert own.says(row) != own.says(other)
            changed += len(proof.at)
    assert changed > 3


def test_small_changes_of_a_tree_are_possible_ones():
    """Next to the threshold no row is possible; a little further there is one."""
    space = ol.Space(
        {"low": float, "high": float}, facts=["low < high", "if low > 5 then low > 5.125"]
    )
    tree = ol.read(
        {"feature": "low", "relation": "<=", "reference": 5,
         "true": {"prediction": "a"}, "false": {"prediction": "b"}}, space=space
    )  # fmt: skip
    rows = [{"low": 4.0, "high": 5.25}, {"low": 4.0, "high": 5.1}]
    for model in (tree, as_ensemble(tree)):
        proof = ol.prove(model).stable("low", by=2, X=rows)
        assert proof.at == (0,)
        assert proof.answers == ("a", "b")
        assert 5.125 < proof.rows[1]["low"] < 5.25
        assert ol.prove(model).never("b", where={"high": {"below": 5.125}})
        assert not ol.prove(model).never("b", where={"high": (5.25, None)})


def test_ends_of_regions_are_numbers_that_rows_have():
    """No row has a number between 1 and the float before it, though real numbers are there."""
    space = ol.Space({"x": float, "y": bool}, facts=["if y then x < 1"])
    tree = ol.read(
        {"feature": "y", "relation": "==", "reference": 1,
         "true": {"prediction": "a"}, "false": {"prediction": "b"}}, space=space
    )  # fmt: skip
    for model in (tree, as_ensemble(tree)):
        assert ol.prove(model).never("a", where={"x": (1, 2)})
        assert ol.prove(model).never("a", where={"x": {"at_least": 1}}).row is None
        assert not ol.prove(model).never("a", where={"x": {"at_least": 0.999}})


def test_missing_as_a_value():
    """A missing number is neither more nor less; facts say nothing of it."""
    low = ol.Feature("low", "numeric", nan=True)
    space = ol.Space([low, ol.Feature("high", "numeric")], facts=["low <= high"])
    tree = ol.read(
        {"feature": "high", "relation": "<=", "reference": 2, "true": {"prediction": "a"},
         "false": {"feature": "low", "relation": "<=", "reference": 3,
                   "true": {"prediction": "b"}, "false": {"prediction": "c"}}}, space=space
    )  # fmt: skip
    many = as_ensemble(tree)
    for model in (tree, many):
        assert ol.prove(model).monotone("low", 1, order=["a", "b", "c"])
        assert not ol.prove(model).monotone("low", -1, order=["a", "b", "c"])
        assert not ol.prove(model).stable("low", by=1)
        assert ol.prove(model).stable("low", by=1, where={"high": (None, 3)})
