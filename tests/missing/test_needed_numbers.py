"""What makes the interval of a row narrow enough: against brute force over all completions."""

import itertools
import math

import numpy as np
import oracle
import pytest
from decimal_numbers import near
from hypothesis import assume, given, settings, strategies as st
from strategies import kinds, partial_rows, specs, tree_of

import orderless as ol
from orderless.connect import predict_file
from orderless.errors import InvalidTree
from orderless.inputs import rows_for
from orderless.questions.needed import Settling
from tests.missing.test_asking import classes_below, height, holds

NUMBERS = (-1.5, 0.25, 1.0, 1.25, 3.0, 1e300)
WIDTHS = st.sampled_from([0, 0.25, 1, 1.75, 4.5, 1e301])


def narrow(numbers, within):
    return near(numbers, within)


def settling_brute_force(which, row, spec, within):
    """All smallest sets of unknown features that settle a row for all, and for some, values."""
    values = oracle.values_by_feature(which, spec)
    unknown = [name for name in which if row.get(name) is None]
    settle, could = set(), set()
    for size in range(len(unknown) + 1):
        for chosen in itertools.combinations(unknown, size):
            settled = [
                narrow(oracle.possible_classes(
                    which, {**row, **dict(zip(chosen, cell, strict=True))}, spec), within)
                for cell in itertools.product(*(values[name] for name in chosen))
            ]  # fmt: skip
            if all(settled) and all(len(other) == size for other in settle):
                settle.add(frozenset(chosen))
            if any(settled) and all(len(other) == size for other in could):
                could.add(frozenset(chosen))
    return settle, could


def plain_ask(tree, rows, within, node=0):
    """The definition, over all completions of one row."""

    def settled(at, some):
        return narrow([tree.kernel.numbers[c] for c in classes_below(tree, at, some)], within)

    if settled(node, rows):
        return None
    yes, no = tree.nodes.when_true[node], tree.nodes.when_false[node]
    inside = [row for row in rows if holds(tree, node, row)]
    outside = [row for row in rows if not holds(tree, node, row)]
    if not outside:
        return plain_ask(tree, inside, within, yes)
    if not inside:
        return plain_ask(tree, outside, within, no)
    if settled(yes, inside) or settled(no, outside):
        return tree.space.features[tree.nodes.feature[node]].name
    if height(tree, yes) <= height(tree, no):
        return plain_ask(tree, inside, within, yes)
    return plain_ask(tree, outside, within, no)


@settings(max_examples=200)
@given(st.data(), WIDTHS)
def test_by_brute_force(data, within):
    which = data.draw(kinds(max_features=4))
    spec = data.draw(specs(which, NUMBERS))
    row = data.draw(partial_rows(which, spec))
    n_values = [len(values) for values in oracle.values_by_feature(which, spec).values()]
    assume(math.prod(n_values) <= 400)
    plain = tree_of(spec, which)
    tree = plain.replace(task="regression")
    found = tree.needed(row, tolerance=within)
    settle, could = settling_brute_force(which, row, spec, within)
    assert {frozenset(names) for names in found.settle} == settle
    assert {frozenset(names) for names in found.could} == could
    possible = oracle.possible_classes(which, row, spec)
    assert found.possible == tuple(sorted(possible))
    said = tree.predict([row], tolerance=within).tolist()[0]
    assert found.label == said
    assert tree.needed(row, tolerance=within) == found
    assert plain.needed(row, tolerance=within) == found  # classes that are numbers
    settling = Settling(tree.kernel, tolerance=within)
    if said is None:
        sets, index = settling.sets(rows_for(tree.kernel, [row]), np.array([0]))
        assert sets[index[0]] == found.settle[0]
    full = list(oracle.completions(which, row, spec))
    asked = tree.ask_next([row], tolerance=within).tolist()[0]
    assert asked == plain_ask(tree, full, within)
    if within == 0:
        assert asked == tree.ask_next([row]).tolist()[0]
        assert tree.needed(row).settle == found.settle


STAY = {"task": "regression", "feature": "a", "true": {"feature": "b", "true": {"prediction": 4},
        "false": {"prediction": 10}}, "false": {"prediction": 12.5}}  # fmt: skip


def test_in_words():
    tree = ol.read(STAY, feature_names=["a", "b"])
    assert str(tree.needed({"a": 1}, tolerance=6)) == (
        "Determined: between 4.0 and 10.0. Nothing more is needed."
    )
    assert str(tree.needed({}, tolerance=6)) == (
        "Not determined: between 4.0 and 12.5.\nSettled, whatever the values, by a.\n"
        "Settled, for some values, by a; or by b."
    )
    assert str(tree.needed({"a": 0}, tolerance=6)) == ("Determined: 12.5. Nothing more is needed.")
    assert str(tree.needed({})).startswith("Not determined: 4.0, 10.0 or 12.5.")


def test_refusals():
    tree = ol.read(STAY, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="tolerance must be a finite number of at least 0, got -1"):
        tree.needed({}, tolerance=-1)
    with pytest.raises(ValueError, match="tolerance must be a number of at least 0, got 'wide'"):
        tree.ask_next([{}], tolerance="wide")
    split = {"feature": "a", "true": {"prediction": "x"}, "false": {"prediction": "y"}}
    words = ol.read(split, feature_names=["a"])
    with pytest.raises(InvalidTree, match="are not numbers"):
        words.needed({}, tolerance=1)


def test_files_name_what_makes_the_interval_narrow(tmp_path):
    tree = ol.read(STAY, feature_names=["a", "b"])
    (tmp_path / "rows.csv").write_text("a,b\n1,\n,\n0,\n,1\n")
    for needed in ("smallest", "next"):
        for within, due in ((None, ["b", "a; b" if needed == "smallest" else "a", "", "a"]),
                            (6, ["", "a", "", "a"]), (9, ["", "", "", ""])):  # fmt: skip
            target = tmp_path / "out.csv"
            predict_file(tree, tmp_path / "rows.csv", target, needed=needed, tolerance=within)
            lines = target.read_text().splitlines()[1:]
            assert [line.split(",")[-1] for line in lines] == due
            assert [line.split(",")[-2] for line in lines] == ["no", "no", "yes", "no"]
