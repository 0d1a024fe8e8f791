"""What would settle a row where facts hold, against brute force over sets of features."""

import itertools

import pytest
from fact_cases import case

import orderless as ol
from orderless.connect import predict_file
from orderless.errors import InvalidData


def settles(found, part, names):
    """Whether knowing some features settles a row whatever their possible values are."""
    classes = {}
    for row in found.completions(part):
        key = tuple(row[name] for name in names)
        classes.setdefault(key, set()).add(found.says(row))
    return classes


def smallest(found, part, good):
    free = [name for name in found.kinds if name not in part]
    for size in range(len(free) + 1):
        sets = {some for some in itertools.combinations(free, size)
                if good(settles(found, part, some).values())}  # fmt: skip
        if sets:
            return {frozenset(some) for some in sets}
    raise AssertionError("all features settle a row")


@pytest.mark.parametrize(
    ("compare", "seeds", "least"),
    [(False, range(2300, 2340), 15), (True, range(3000, 3040), 7)],
)
def test_smallest_sets_and_what_is_asked(compare, seeds, least):
    n = 0
    for seed in seeds:
        found = case(seed, compare=compare, real=compare and seed % 4 == 3)
        if not found.possible:
            continue
        tree = found.trees()[0]
        if compare != tree.space.domain.linear:
            continue
        for part in found.parts(3):
            rows = found.completions(part)
            if not rows:
                with pytest.raises(InvalidData, match="contradicts the facts"):
                    tree.needed(part)
                continue
            needed = tree.needed(part)
            classes = {found.says(row) for row in rows}
            assert set(needed.possible) == classes
            if len(classes) == 1:
                assert needed.label == next(iter(classes))
                assert tree.ask_next([part]).mask[0]
                continue
            n += 1
            wanted = smallest(found, part, lambda sets: all(len(own) == 1 for own in sets))
            assert {frozenset(some) for some in needed.settle} == wanted, (seed, part)
            lucky = smallest(found, part, lambda sets: any(len(own) == 1 for own in sets))
            assert {frozenset(some) for some in needed.could} == lucky, (seed, part)
            asked = tree.ask_next([part])[0]
            assert asked in tree.features
            assert asked not in part
            # Its value can matter: some possible values of it leave other classes than others.
            left = {v: frozenset(found.says(row) for row in rows if row[asked] == v)
                    for v in {row[asked] for row in rows}}  # fmt: skip
            assert len(left) > 1, (seed, part, asked)
    assert n > least


def test_a_value_says_more_than_its_bin():
    """A low of 12 says that high is above 10, although the tree draws no line there."""
    space = ol.Space({"low": float, "high": float, "other": bool}, facts=["low <= high"])
    tree = ol.read({"feature": "high", "relation": "<=", "reference": 10,
                         "true": {"prediction": "a"}, "false": {
                             "feature": "other", "relation": "==", "reference": 1,
                             "true": {"prediction": "b"}, "false": {"prediction": "c"}}},
                        space=space)  # fmt: skip
    needed = tree.needed({"other": True})
    assert needed.unknown == ("low", "high")
    assert needed.settle == (("high",),)
    assert needed.could == (("low",), ("high",))
    assert tree.needed({"low": 12}).settle == (("other",),)
    assert tree.ask_next([{"low": 12}, {"other": True}, {}]).tolist() == [
        "other",
        "high",
        "high",
    ]


def test_numbers_that_are_near_enough():
    """Of a sum that is known, one part says the other."""
    space = ol.Space({"a": float, "b": float, "total": float}, facts=["total = a + b"])
    tree = ol.read({"task": "regression", "feature": "a", "relation": "<=", "reference": 2,
                         "true": {"prediction": 1.0}, "false": {
                             "feature": "b", "relation": "<=", "reference": 5,
                             "true": {"prediction": 1.5}, "false": {"prediction": 4.0}}},
                        space=space)  # fmt: skip
    assert tree.needed({"total": 9.0}).settle == (("a",), ("b",))
    near = tree.needed({"total": 9.0}, tolerance=0.5)
    assert near.settle == (("a",), ("b",))
    assert near.could == (("a",), ("b",))
    assert tree.needed({"total": 7.0}, tolerance=0.5).label == 1.25  # one is small


def test_whole_numbers_that_cannot_be_eliminated_are_refused():
    space = ol.Space({"a": int, "b": int, "c": int}, facts=["2*a + 3*b = 5*c"])
    tree = ol.read({"feature": "a", "relation": "<=", "reference": 2,
                         "true": {"prediction": "a"}, "false": {
                             "feature": "b", "relation": "<=", "reference": 5,
                             "true": {"prediction": "b"}, "false": {"prediction": "c"}}},
                        space=space)  # fmt: skip
    with pytest.raises(ol.errors.TooLarge, match="whole numbers with more than 64 values"):
        tree.needed({})


def test_files_of_rows_use_what_facts_are_about(tmp_path):
    """Columns that only facts name are read, too; a contradicting row needs nothing."""
    space = ol.Space({"sex": ["f", "m"], "pregnant": bool, "age": int},
                     facts=["if pregnant then sex = f"])  # fmt: skip
    tree = ol.read({"feature": "sex", "relation": "in", "reference": ["m"],
                         "true": {"prediction": "a"}, "false": {
                             "feature": "age", "relation": "<=", "reference": 30,
                             "true": {"prediction": "b"}, "false": {"prediction": "c"}}},
                        space=space)  # fmt: skip
    rows = tmp_path / "rows.csv"
    rows.write_text("sex,pregnant,age\n,true,20\n,,40\n,true,\nm,true,3\n")
    with pytest.warns(ol.errors.ContradictingRows):
        predict_file(tree, rows, tmp_path / "out.csv")
    said = [line.split(",")[3:] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert said == [["b", "yes", ""], ["", "no", "sex"], ["", "no", "age"], ["", "no", ""]]
    both = tree.with_facts(["age >= 0", "age <= 99"])
    with pytest.warns(UserWarning, match="no column of what is needed"):
        predict_file(both.with_space(ol.Space({**dict.fromkeys(["a1"], int), **{
            f.name: f for f in space.features}}, facts=["a1 <= age"])),
            rows, tmp_path / "other.csv")  # fmt: skip
    assert (tmp_path / "other.csv").read_text().splitlines()[0].endswith("prediction,determined")


def test_a_number_between_two_floats_settles_nothing():
    """No row has a number between the last float below a threshold and the first above it."""
    space = ol.Space([ol.Feature(name, values="float32") for name in "abc"], facts=["a <= b"])
    last = {"feature": "b", "relation": "<=", "reference": 1.15, "true": {"prediction": 0},
            "false": {"prediction": 0}}  # fmt: skip
    tree = ol.read({"feature": "c", "relation": "<=", "reference": 0,
                         "true": {"prediction": 1}, "false": last}, space=space)  # fmt: skip
    assert tree.needed({"a": 0.6}).could == (("c",),)


def test_what_a_float32_feature_rounds_can_settle():
    """Up to 0.6 the fact says nothing; above it, as the number stands in the row, it does."""
    space = ol.Space([ol.Feature("a", "boolean"), ol.Feature("b", values="float32")],
                     facts=["if not a then b < 0.6"])  # fmt: skip
    node = {"feature": "a", "relation": "==", "reference": 1, "true": {"prediction": 1},
            "false": {"prediction": 0}}  # fmt: skip
    tree = ol.read(node, space=space)
    assert tree.predict({"b": 0.6}) == 1
    assert tree.predict({"b": 0.5999999999999999}) is None
    assert set(tree.needed({}).could) == {("a",), ("b",)}
