"""Two trees, and properties of one, on the rows that facts leave: brute force over all rows."""

import itertools
import warnings

import pytest
from fact_cases import case, inside
from sklearn.ensemble import RandomForestClassifier
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidSpace

# Whole numbers and categories, real numbers, facts that do not compare features.
CASES = [
    *((seed, {"real": True}) for seed in range(1000, 1012)),
    *((seed, {"compare": False}) for seed in range(2000, 2008)),
    *((seed, {}) for seed in range(24)),
]


def possible_cases():
    for seed, options in CASES:
        found = case(seed, **options)
        if found.possible:
            yield found


def own(row, found):
    return {name: row[name] for name in found.kinds}


def test_contradictions_are_those_of_brute_force():
    n = 0
    for seed, options in CASES:
        found = case(seed, **options)
        if found.possible:
            found.space()
            continue
        n += 1
        with pytest.raises(InvalidSpace, match="no row can satisfy"):
            found.space()
    assert n >= 2


def test_equivalence_counterexamples_groups_and_fingerprints():
    seen = set()
    for found in possible_cases():
        one, two = found.trees()
        same = all(found.says(row) == found.says(row, 1) for row in found.possible)
        seen.add(same)
        assert ol.equivalent(one, two) == same, found.seed
        row = ol.counterexample(one, two)
        assert (row is None) == same, found.seed
        if row is not None:
            row = own(row, found)
            # Real numbers are not all on the grid of brute force: the facts themselves decide.
            assert all(holds(row) for _, holds in found.facts), (found.seed, row)
            assert found.says(row) != found.says(row, 1), (found.seed, row)
        assert len(ol.group_equivalent([one, two, one])) == 2 - same, found.seed
        forms = [ol.canonicalize(tree) for tree in (one, two)]
        assert (forms[0] == forms[1]) == same
        assert not same or hash(forms[0]) == hash(forms[1])
        if not one.space.domain.linear:
            assert (one.fingerprint == two.fingerprint) == same, found.seed
        assert (ol.disagreement(one, two) == 0.0) == same, found.seed
    assert seen == {True, False}


def test_disagreement_counts_possible_cells():
    space = ol.Space({"a": bool, "b": bool}, facts=["if a then b"])
    yes = {"feature": "b", "true": {"prediction": 1}, "false": {"prediction": 0}}
    other = {"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}}
    one, two = (ol.read(t, space=space) for t in (yes, other))
    # Of the possible (0, 0), (0, 1), (1, 1) they differ on the second.
    assert ol.disagreement(one, two) == pytest.approx(1 / 3)


def test_fingerprints_with_facts_that_compare_say_what_they_are_about():
    space = ol.Space({"low": float, "high": float}, facts=["low <= high"])
    tree = ol.read({"feature": "low", "relation": "<=", "reference": 3,
                         "true": {"prediction": 1}, "false": {"prediction": 0}},
                        space=space)  # fmt: skip
    with pytest.warns(UserWarning, match="compare features with each other"):
        named = tree.fingerprint
    assert named == tree.with_space(space.without_facts()).fingerprint


def test_differences_are_rules_of_possible_rows():
    n = 0
    for found in itertools.islice(possible_cases(), 30):
        one, two = found.trees()
        account = ol.difference(one, two)
        pairs = {(found.says(row), found.says(row, 1)) for row in found.possible}
        pairs = {pair for pair in pairs if pair[0] != pair[1]}
        assert account.same == (not pairs)
        assert {(shift.before, shift.after) for shift in account.shifts} == pairs
        for shift in account.shifts:
            n += 1
            for row in found.possible:
                covered = any(inside(term.sides, row) for term in shift.rules)
                assert covered == ((found.says(row), found.says(row, 1))
                                   == (shift.before, shift.after)), (found.seed, row)  # fmt: skip
            example = own(shift.example, found)
            assert all(holds(example) for _, holds in found.facts)
            assert (found.says(example), found.says(example, 1)) == (shift.before, shift.after)
    assert n > 20


def test_properties_of_one_row_and_of_two():
    refuted = 0
    for found in itertools.islice(possible_cases(), 40):
        if len(found.possible) > 400:
            continue  # pairs of rows are too many to try
        (tree, _), name = found.trees(), sorted(found.kinds)[0]
        asked = ol.prove(tree)
        for label in tree.classes:
            proof = asked.never(label)
            assert bool(proof) == all(found.says(row) != label for row in found.possible)
            for row in proof.rows:
                assert all(holds(own(row, found)) for _, holds in found.facts)
        pairs = [
            (x, y)
            for x, y in itertools.permutations(found.possible, 2)
            if found.says(x) != found.says(y)
            and all(x[n] == y[n] for n in found.kinds if n != name)
        ]
        proof = asked.ignores(name)
        assert bool(proof) == (not pairs), found.seed
        for row in proof.rows:
            refuted += 1
            assert all(holds(own(row, found)) for _, holds in found.facts)
        if found.kinds[name] in ("integer", "numeric"):
            near = asked.stable(name, by=2)
            assert bool(near) == (not any(abs(x[name] - y[name]) <= 2 for x, y in pairs))
            for row in near.rows:
                assert all(holds(own(row, found)) for _, holds in found.facts)
            ranks = list(tree.classes)
            rising = asked.monotone(name, 1, order=ranks)
            assert bool(rising) == (not any(
                x[name] < y[name] and ranks.index(found.says(x)) > ranks.index(found.says(y))
                for x, y in pairs
            )), found.seed  # fmt: skip
    assert refuted > 20


def test_prove_takes_facts_of_trees_and_ensembles():
    space = ol.Space({"sex": ["female", "male"], "pregnant": bool})
    tree = ol.read({"feature": "pregnant", "true": {
        "feature": "sex", "relation": "in", "reference": ["male"], "true": {"prediction": "?"},
        "false": {"prediction": "yes"}}, "false": {"prediction": "no"}}, space=space)  # fmt: skip
    facts = ["if pregnant then sex = female"]
    assert not ol.prove(tree).never("?")
    assert ol.prove(tree, facts=facts).never("?")
    assert ol.prove(tree, facts=facts).same_as(
        ol.read({"feature": "pregnant", "true": {"prediction": "yes"},
                      "false": {"prediction": "no"}}, space=space)
    )  # fmt: skip
    forest = RandomForestClassifier(2, max_depth=1, random_state=0)
    ensemble = ol.read(forest.fit([[0, 1], [1, 0], [1, 1]], [0, 1, 1]))
    said = forest.predict([[0, 0]])[0]  # the trees ask about 0.5
    assert not ol.prove(ensemble).always(said)
    assert ol.prove(ensemble, facts=["x0 <= x1", "x1 <= 0.25"]).always(said)
    space = ol.Space.numeric(["a", "b"]).with_facts(["a <= b"])
    assert ol.read(forest, space=space).space.facts


def test_a_row_that_no_float_satisfies_is_said():
    space = ol.Space({"x": float, "y": float}, facts=["3*x = y", "y = 1"])
    one = ol.read({"prediction": 1}, space=space)
    two = ol.read({"feature": "x", "relation": "<=", "reference": 5,
                        "true": {"prediction": 0}, "false": {"prediction": 1}},
                       space=space)  # fmt: skip
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(AssertionError, match="not complete"):
            ol.counterexample(one, two)
    assert any("no float" in str(one.message) for one in said)


NO, YES = {"prediction": "no"}, {"prediction": "yes"}


def test_where_facts_leave_only_other_categories_the_row_has_one():
    color = ol.Feature("color", "categorical", categories=("red", "blue"), other=True)
    facts = ["if color in {red, blue} then old", "not old"]
    space = ol.Space([color, ol.Feature("old", "boolean")], facts=facts)
    listed = {"feature": "color", "relation": "in", "reference": ["red"], "true": NO, "false": YES}
    tree, never = (ol.read(one, space=space) for one in (listed, NO))
    row = ol.counterexample(tree, never)
    assert row["color"] not in ("red", "blue")
    assert isinstance(row["color"], str)
    refuted = ol.prove(tree).never("yes")
    assert refuted.answers == ("yes",)
    assert tree.predict([refuted.row]).tolist() == ["yes"]


def test_a_missing_number_is_neither_above_nor_near_another_where_facts_hold():
    number = ol.Feature("n", values="integer", nan=True)
    space = ol.Space([number, ol.Feature("old", "boolean")], facts=["n <= 5"])
    tree = ol.Tree(
        space, ["no", "yes"], feature=[0, -1, -1], threshold=[5, 0, 0], when_true=[1, -1, -1],
        when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
    )  # fmt: skip
    assert tree.predict([{"n": float("nan")}, {"n": 5}]).tolist() == ["yes", "no"]
    for model in (tree, as_ensemble(tree)):
        asked = ol.prove(model)
        assert asked.monotone("n", -1, order=["no", "yes"])
        assert asked.monotone("n", 1, order=["no", "yes"])
        stable = asked.stable("n", by=3)
        assert stable
        assert stable.near == ()
        assert not asked.ignores("n")
    plain = ol.prove(tree.with_space(space.without_facts()))
    assert not plain.monotone("n", -1, order=["no", "yes"])
    assert not plain.stable("n", by=3)


@pytest.mark.parametrize("model", [ol.read, lambda tree, space: as_ensemble(ol.read(
    tree, space=space))])  # fmt: skip
def test_a_range_begins_with_the_number_that_was_written(model):
    space = ol.Space({"rate": float, "late": bool}, facts=["if late then rate < 0.1"])
    tree = model({"feature": "late", "true": YES, "false": NO}, space=space)
    for low in (0.1, 0.3):
        assert ol.prove(tree).never("yes", where={"rate": (low, 0.5)})
    refuted = ol.prove(tree).never("yes", where={"rate": (0.05, 0.5)})
    assert 0.05 <= refuted.row["rate"] < 0.1
