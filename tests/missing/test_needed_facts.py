"""What would settle a row where facts hold, against brute force over sets of features."""

import itertools

import pytest
from fact_cases import case

import orderless as ol
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


def test_smallest_sets_and_what_is_asked():
    n = 0
    for seed in range(2300, 2340):
        found = case(seed, compare=False)
        if not found.possible:
            continue
        tree = found.trees()[0]
        for part in found.parts(3):
            rows = found.completions(part)
            if not rows:
                with pytest.raises(InvalidData, match="contradicts the facts"):
                    ol.missing_needed(tree, part)
                continue
            needed = ol.missing_needed(tree, part)
            classes = {found.says(row) for row in rows}
            assert set(needed.possible) == classes
            if len(classes) == 1:
                assert needed.label == next(iter(classes))
                assert ol.ask_next(tree, [part]).mask[0]
                continue
            n += 1
            wanted = smallest(found, part, lambda sets: all(len(own) == 1 for own in sets))
            assert {frozenset(some) for some in needed.settle} == wanted, (seed, part)
            lucky = smallest(found, part, lambda sets: any(len(own) == 1 for own in sets))
            assert {frozenset(some) for some in needed.could} == lucky, (seed, part)
            asked = ol.ask_next(tree, [part])[0]
            assert asked in tree.features
            assert asked not in part
            # Its value can matter: some possible values of it leave other classes than others.
            left = {v: frozenset(found.says(row) for row in rows if row[asked] == v)
                    for v in {row[asked] for row in rows}}  # fmt: skip
            assert len(left) > 1, (seed, part, asked)
    assert n > 15


def test_files_of_rows_use_what_facts_are_about(tmp_path):
    """Columns that only facts name are read, too; a contradicting row needs nothing."""
    space = ol.Space({"sex": ["f", "m"], "pregnant": bool, "age": int},
                     knowing=["if pregnant then sex = f"])  # fmt: skip
    tree = ol.read_tree({"feature": "sex", "relation": "in", "reference": ["m"],
                         "true": {"prediction": "a"}, "false": {
                             "feature": "age", "relation": "<=", "reference": 30,
                             "true": {"prediction": "b"}, "false": {"prediction": "c"}}},
                        space=space)  # fmt: skip
    rows = tmp_path / "rows.csv"
    rows.write_text("sex,pregnant,age\n,true,20\n,,40\n,true,\nm,true,3\n")
    with pytest.warns(ol.errors.ContradictingRows):
        ol.predict_file(tree, rows, tmp_path / "out.csv")
    said = [line.split(",")[3:] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert said == [["b", "yes", ""], ["", "no", "sex"], ["", "no", "age"], ["", "no", ""]]
    both = tree.knowing(["age >= 0", "age <= 99"])
    with pytest.warns(UserWarning, match="no column of what is needed"):
        ol.predict_file(both.over(ol.Space({**dict.fromkeys(["a1"], int), **{
            f.name: f for f in space.features}}, knowing=["a1 <= age"])),
            rows, tmp_path / "other.csv")  # fmt: skip
    assert (tmp_path / "other.csv").read_text().splitlines()[0].endswith("prediction,determined")
