"""Questions about trees are answered alike for the same trees as sums of one, where facts hold too.

Every answer is compared with all rows of a small grid; the cases cross facts with classes and
numbers, whole and real ones.
"""

import random

import pytest
from fact_cases import case
from sums import as_ensemble

import orderless as ol

KINDS = {
    "trees": (lambda tree: tree, lambda tree: tree),
    "sums": (as_ensemble, as_ensemble),
    "a tree and a sum": (lambda tree: tree, as_ensemble),
}
SEEDS = range(8300, 8340)


def drawn(numbers):
    for seed in SEEDS:
        found = case(seed, numbers=numbers, real=seed % 4 == 3)
        if found.possible:
            yield found, random.Random(seed)


def models(found, kind):
    return [make(tree) for make, tree in zip(KINDS[kind], found.trees(), strict=True)]


def possible(found, row):
    low, high = -1.25, 3.25
    numbers = [v for v in row.values() if isinstance(v, int | float)]
    return found.is_possible(row) and all(low <= number <= high for number in numbers)


@pytest.mark.parametrize("kind", ["trees", "sums"])
@pytest.mark.parametrize("numbers", [False, True])
def test_properties(kind, numbers):
    for found, r in drawn(numbers):
        model = models(found, kind)[0]
        asked = ol.prove(model)
        met = {found.says(row) for row in found.possible}
        labels = sorted(met | {1.5, 2.5, 4.0}) if numbers else found.trees()[0].classes
        for label in labels:
            never, always = asked.never(label), asked.always(label)
            assert bool(never) == (label not in met), (found.seed, label)
            assert bool(always) == (met == {label}), (found.seed, label)
            for proof in (never, always):
                assert all(possible(found, row) for row in proof.rows)
                assert [found.says(row) for row in proof.rows] == list(proof.answers)
        name = r.choice(list(found.kinds))
        groups = {}
        for row in found.possible:
            rest = tuple(v for n, v in row.items() if n != name)
            groups.setdefault(rest, set()).add(found.says(row))
        proof = asked.ignores(name)
        if any(len(answers) > 1 for answers in groups.values()):
            assert not proof, (found.seed, name)
        for row, answer in zip(proof.rows, proof.answers, strict=True):
            assert possible(found, row), (found.seed, row)
            assert found.says(row) == answer
        assert bool(proof) == bool(ol.prove(found.trees()[0]).ignores(name))


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("numbers", [False, True])
def test_comparisons(kind, numbers):
    for found, _ in drawn(numbers):
        one, other = models(found, kind)
        changed = {(a, b) for row in found.possible
                   if (a := found.says(row)) != (b := found.says(row, 1))}  # fmt: skip
        row, proof = ol.counterexample(one, other), ol.prove(one).same_as(other)
        assert ol.equivalent(one, other) == (row is None) == bool(proof)
        assert ol.group_equivalent([one, other]) == ([[0, 1]] if row is None else [[0], [1]])
        assert (ol.disagreement(one, other) == 0) == (row is None)
        if changed:
            assert row is not None, found.seed
        for example in (row, proof.row):
            if example is not None:
                assert possible(found, example), (found.seed, example)
                assert found.says(example) != found.says(example, 1)
        account = ol.difference(one, other, found.possible)
        assert account.same == (row is None)
        assert {(s.before, s.after) for s in account.shifts} >= changed
        for shift in account.shifts:
            assert found.says(shift.example) == shift.before
            assert found.says(shift.example, 1) == shift.after
            assert possible(found, shift.example), (found.seed, shift)
            for i, each in enumerate(found.possible):
                pair = found.says(each), found.says(each, 1)
                assert (i in shift.at) == (pair == (shift.before, shift.after))
        share = ol.disagreement(one, other, found.possible)
        assert share == len(account.at) / len(found.possible)


@pytest.mark.parametrize("numbers", [False, True])
def test_one_tree_of_a_sum_with_facts(numbers):
    for found, _ in drawn(numbers):
        tree = models(found, "sums")[0].to_tree()
        for row in found.possible:
            assert tree.predict(row) == found.says(row), (found.seed, row)
