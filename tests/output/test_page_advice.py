"""The page's advice in Node, against brute force over all completions."""

import itertools
import re

import javascript
import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings, strategies as st
from javascript import needs_node
from strategies import partial_rows, problems, space_of, tree_of

import orderless as ol


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


ADVICE = """
const own = (i) => FEATURES[i].name;
globalThis.orderless = Object.freeze({
  advise: (row) => {
    const {labels, matters, next} = advise(read(row));
    const asked = next === null ? null : own(next);
    return [labels.map((k) => MODEL.classes[k]), matters.map(own), asked];
  },
  changed: ([row, name, value]) => {
    const i = FEATURES.findIndex((feature) => feature.name === name);
    const {changes} = advise(read(row));
    const side = readSide(i, value);
    const found = changes.filter((one) => one.i === i && meets(one.side, side));
    return found.map(({labels}) => labels.map((k) => MODEL.classes[k]));
  },
  outcomes: (row) => {
    const box = read(row);
    const {next, outcomes} = advise(box);
    return outcomes.map(({side, labels}) => [labels.map((k) => MODEL.classes[k]),
      possible(replaced(box, next, side)).map((k) => MODEL.classes[k])]);
  },
});
"""


def logic(page):
    """The page's script without the part that needs a document."""
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL).group(1)
    return script.split("// The page: reads the form")[0] + ADVICE + "})();"


def completions(kinds, row, spec):
    values = oracle.values_by_feature(kinds, spec)
    known = {name: value for name, value in row.items() if value is not None}
    free = [name for name in kinds if name not in known]
    for some in itertools.product(*(values[name] for name in free)):
        yield {**known, **dict(zip(free, some, strict=True))}


def leaf_of(spec, row, float32):
    path = ()
    while spec[0] == "split":
        _, name, test, yes, no = spec
        value = row[name]
        if not isinstance(test, frozenset):
            holds = (oracle.as_float32(value) if name in float32 else value) <= test
        else:
            holds = value in test
        spec, path = (yes, (*path, 1)) if holds else (no, (*path, 0))
    return path, spec[1]


def small_problems():
    return problems(max_features=3)


@needs_node
@given(small_problems(), st.data())
@settings(max_examples=60)
def test_what_matters_and_what_to_ask_next(problem, data):
    """By trying every completion of the row."""
    kinds, (spec,) = problem
    float32 = frozenset(name for name, kind in kinds.items() if kind == "float32")
    tree = tree_of(spec, kinds)
    values = oracle.values_by_feature(kinds, spec)
    assume(np.prod([len(v) for v in values.values()]) < 500)
    source = logic(ol.write_page(tree))
    everything = [(row, *leaf_of(spec, row, float32)) for row in completions(kinds, {}, spec)]
    rows = [data.draw(partial_rows(kinds, spec)) for _ in range(3)] + [{}]
    for row, (classes, matters, asked) in zip(
        rows, javascript.run(source, rows, "orderless.advise(row)"), strict=True
    ):
        known = {name: value for name, value in row.items() if value is not None}
        fits = [one for one in everything if known.items() <= one[0].items()]
        assert set(classes) == {label for _, _, label in fits}
        by_rest = {}
        for full, _, label in fits:
            for name in set(kinds) - set(known):
                rest = (name, *(full[other] for other in kinds if other != name))
                by_rest.setdefault(rest, set()).add(label)
        really = {key[0] for key, labels in by_rest.items() if len(labels) > 1}
        assert set(matters) == really
        if not really:
            assert asked is None
            continue
        expected = {name: expected_open(name, everything, fits) for name in really}
        assert expected[asked] <= min(expected.values()) + 1e-9


def expected_open(name, everything, fits):
    """The leaves that stay open on average, every leaf spread evenly over its bins."""
    leaves = {}  # of the whole tree, by value of the feature: values in the same leaves are one bin
    for full, path, _ in everything:
        rest = tuple(value for other, value in full.items() if other != name)
        leaves.setdefault(full[name], set()).add((rest, path))
    bins = {}
    for value, reached in leaves.items():
        bins.setdefault(frozenset(reached), value)
    value_of = {value: bins[frozenset(reached)] for value, reached in leaves.items()}
    by_leaf = {}
    for full, path, label in fits:
        by_leaf.setdefault((path, label), set()).add(value_of[full[name]])
    total = 0.0
    for value in set().union(*by_leaf.values()):
        here = [leaf for leaf, own in by_leaf.items() if value in own]
        share = sum(1 / len(by_leaf[leaf]) for leaf in here) / len(by_leaf)
        if len({label for _, label in here}) > 1:
            total += share * len(here)
    return total


@needs_node
@given(small_problems(), st.data())
@settings(max_examples=40)
def test_what_would_change_the_answer(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    source = logic(ol.write_page(tree))
    values = oracle.values_by_feature(kinds, spec)
    for _ in range(5):
        row = data.draw(partial_rows(kinds, spec))
        known = {name: value for name, value in row.items() if value is not None}
        answers = oracle.possible_classes(kinds, known, spec)
        asked = [(known, name, value) for name in known if name in tree.features
                 for value in values[name]]  # fmt: skip
        said = javascript.run(source, asked, "orderless.changed(row)")
        for (_, name, value), found in zip(asked, said, strict=True):
            then = oracle.possible_classes(kinds, {**known, name: value}, spec)
            if len(answers) > 1 or then == answers:
                assert found == []
            else:
                assert [set(labels) for labels in found] == [then]
        (pairs,) = javascript.run(source, [known], "orderless.outcomes(row)")
        assert all(labels == again for labels, again in pairs)
        assert bool(pairs) == (len(answers) > 1)


@needs_node
def test_another_class_may_become_possible():
    """Not only a change that settles it otherwise is a change."""
    leaves = {"true": {"prediction": 0}, "false": {"prediction": 1}}
    tree = {"feature": "a", "true": {"prediction": 0}, "false": {"feature": "b", **leaves}}
    source = logic(ol.write_page(ol.read(tree, feature_names=["a", "b"])))
    assert javascript.run(source, [[{"a": 1}, "a", 0]], "orderless.changed(row)") == [[[0, 1]]]


@needs_node
@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_a_split_that_makes_no_difference(names):
    """Both branches are the same, so that leaves of different classes lie on both sides of it."""
    same = {"feature": names[1], "true": {"prediction": 0}, "false": {"prediction": 1}}
    tree = {"feature": names[0], "true": same, "false": same}
    source = logic(ol.write_page(ol.read(tree, feature_names=["a", "b"])))
    ((_, matters, asked),) = javascript.run(source, [{}], "orderless.advise(row)")
    assert (matters, asked) == ([names[1]], names[1])


@needs_node
def test_the_policy_is_followed():
    """Among what is open and matters, the feature that the policy asks first."""
    x = {"true": {"prediction": 1}, "false": {"prediction": 0}}
    names = ["a", "b", "c"]
    majority = {}
    for first, second, third in itertools.permutations(names):
        last = {"feature": third, **x}
        when = {
            True: {"feature": second, "true": {"prediction": 1}, "false": last},
            False: {"feature": second, "true": last, "false": {"prediction": 0}},
        }
        tree = {"feature": first, "true": when[True], "false": when[False]}
        majority[first, second, third] = ol.read(tree, feature_names=names)

    class Policy:
        def __init__(self, tree):
            self.tree = tree

        def to_tree(self):
            return self.tree

    model = majority["a", "b", "c"]
    for order, policy in majority.items():
        for given_as in (policy, Policy(policy)):
            source = logic(ol.write_page(model, policy=given_as))
            for row in ({}, {"a": 1}, {"b": 0}, {"c": 1}, {"a": 1, "b": 0}, {"c": 0, "b": 1}):
                (said,) = javascript.run(source, [row], "orderless.advise(row)")
                assert said[2] == next(name for name in order if name not in row)
            assert javascript.run(source, [{"a": 1, "c": 1}], "orderless.advise(row)[2]") == [None]


@needs_node
def test_a_policy_does_not_ask_what_makes_no_difference():
    """It asks b first, but once a is known to be 0 only c is of use."""
    yes = {"feature": "b", "true": {"prediction": 1}, "false": {"prediction": 0}}
    no = {"feature": "c", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read({"feature": "a", "true": yes, "false": no}, feature_names=["a", "b", "c"])
    ask_c = {"feature": "c", "true": {"prediction": 1}, "false": {"prediction": 0}}
    first = {
        "feature": "b",
        "true": {"feature": "a", "true": {"prediction": 1}, "false": ask_c},
        "false": {"feature": "a", "true": {"prediction": 0}, "false": ask_c},
    }
    source = logic(ol.write_page(tree, policy=ol.read(first, feature_names=["a", "b", "c"])))
    rows = [{}, {"a": 0}, {"a": 1}, {"c": 1}, {"b": 1}]
    assert javascript.run(source, rows, "orderless.advise(row)[2]") == ["b", "c", "b", "b", "a"]


@needs_node
def test_costs_are_heeded():
    """Both features settle as much: the cheaper is asked, one that costs nothing at once."""
    leaves = {"true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = {"feature": "a", "true": {"feature": "b", **leaves}, "false": {"prediction": 0}}
    tree = ol.read(tree, feature_names=["a", "b"])
    for costs, asked in (
        ({"a": 1, "b": 2}, "a"),
        ({"a": 200, "b": 1}, "b"),
        ({"a": 1, "b": 0}, "b"),
    ):
        source = logic(ol.write_page(tree, costs=costs))
        assert javascript.run(source, [{}], "orderless.advise(row)[2]") == [asked]


@needs_node
def test_training_rows_weigh():
    """The feature is asked whose answers settle most of the rows."""
    space = space_of({"a": "boolean", "b": "boolean"})
    arrays = {
        "feature": [0, -1, 1, -1, -1], "threshold": [0, 0, 0, 0, 0],
        "when_true": [1, -1, 3, -1, -1], "when_false": [2, -1, 4, -1, -1],
        "leaf_class": [-1, 0, -1, 0, 1],
    }  # fmt: skip
    for counts, asked in (([[0, 0], [900, 0], [0, 0], [9, 0], [0, 9]], "a"),
                          ([[0, 0], [9, 0], [0, 0], [900, 0], [0, 9]], "b")):  # fmt: skip
        tree = ol.Tree(space, ["n", "y"], distribution=counts, **arrays)
        page = ol.write_page(tree)
        assert javascript.run(logic(page), [{}], "orderless.advise(row)[2]") == [asked]
    shares = [[0, 0], [1, 0], [0, 0], [1, 0], [0, 1]]
    assert '"weights": [1, 1, 1, 1, 1]' in ol.write_page(
        ol.Tree(space, ["n", "y"], distribution=shares, **arrays)
    )
