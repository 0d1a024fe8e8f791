import json
import math

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings, strategies as st
from strategies import problems, tree_of

import orderless as ol
from orderless import Condition, Feature, Space, Tree
from orderless.errors import InvalidSpace, InvalidTree
from orderless.model import formats as serial
from orderless.model.tree import TREE_FORMAT as FORMAT, VERSION

HOSTILE = ["a", " ", "\n", '"', "\\", "\0", "é", "日本", "\ud800", "💥", "__proto__", "inf", "nan"]


def small():
    space = Space(
        [Feature("x", values="float32", nan=True), Feature("größe"),
         Feature("c", "categorical", categories=("red", "\"'\n", "é"), other=True)],
        columns={"x": "x", "g": Condition("größe", at_most=0.1), "c": "c",
                 "r": Condition("c", among=("red",))},
    )  # fmt: skip
    return Tree(
        space,
        ["no", "yes"],
        feature=[0, 2, -1, -1, -1],
        threshold=[0.1, 0, 0, 0, 0],
        when_true=[1, 2, -1, -1, -1],
        when_false=[4, 3, -1, -1, -1],
        leaf_class=[-1, -1, 0, 1, 0],
        nan_true=[True, False, False, False, False],
        sets={1: [0, 3]},
        distribution=[[0.1, 1e-300], [2, 3], [1 / 3, 5], [6, 7], [8, 1e22]],
    )


def same_bits(a, b):
    return all(x.tobytes() == y.tobytes() and x.dtype == y.dtype
               for x, y in zip(a.nodes, b.nodes, strict=True))  # fmt: skip


@given(problems())
@settings(max_examples=150)
def test_round_trips_are_exact(problem):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    text = tree.to_json()
    for again in (Tree.from_json(text), Tree.from_json(text.encode()), ol.read(text)):
        assert again == tree
        assert hash(again) == hash(tree)
        assert same_bits(again, tree)
        assert again.to_json() == text
        assert again.fingerprint == tree.fingerprint
    rows = list(oracle.cells(kinds, spec))
    assert Tree.from_json(text).predict(rows).tolist() == tree.predict(rows).tolist()


@given(
    st.floats(allow_nan=False),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6),
    st.lists(st.one_of(st.sampled_from(HOSTILE), st.text()), min_size=2, max_size=2, unique=True),
    st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1)),
    st.booleans(),
)
@example(math.inf, [0.0] * 6, ["a", "b"], "x", False)
@example(-math.inf, [0.0] * 6, ["a", "b"], "x", True)
@example(5e-324, [5e-324, 1e308, 0.1, -0.0, 1 / 3, 1e22], ["\ud800", "\udc00"], "\udfff", True)
@settings(max_examples=150)
def test_every_float_and_every_name(threshold, shares, classes, name, nan_true):
    tree = Tree(
        Space([Feature(name, nan=True)]),
        classes,
        feature=[0, -1, -1],
        threshold=[threshold, 0, 0],
        when_true=[1, -1, -1],
        when_false=[2, -1, -1],
        leaf_class=[-1, 0, 1],
        nan_true=[nan_true, False, False],
        distribution=np.array(shares).reshape(3, 2),
    )
    text = tree.to_json()
    text.encode("utf-8")  # it can be written to a file
    again = Tree.from_json(text)
    assert again == tree
    assert same_bits(again, tree)
    assert again.classes == tree.classes
    assert again.distribution.tobytes() == tree.distribution.tobytes()


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (0.5, 1), (2**63, -1), (2**100, 1.5)])
def test_labels_keep_their_types(labels):
    tree = Tree(Space({"x": "numeric"}), labels, feature=[-1], threshold=[0], when_true=[-1],
                when_false=[-1], leaf_class=[0])  # fmt: skip
    again = Tree.from_json(tree.to_json())
    assert again == tree
    assert [type(c) for c in again.classes] == [type(c) for c in labels]


def test_the_small_file_round_trips():
    tree = small()
    assert Tree.from_json(tree.to_json()) == tree
    content = json.loads(tree.to_json())
    assert list(content)[:2] == ["format", "version"]
    assert (content["format"], content["version"]) == (FORMAT, VERSION)


def test_truncated_at_every_byte():
    data = small().to_json().encode()
    for end in range(len(data)):
        for cut in (data[:end], data[end + 1 :]):
            with pytest.raises(InvalidTree):
                Tree.from_json(cut)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"version": 3}, "has version 3 and this orderless reads versions 1 and 2.*or a newer one"),
        ({"version": 0}, "has version 0"),
        ({"version": True}, "has version True"),
        ({"version": "1"}, "has version '1'"),
        ({"version": None}, "has version None"),
        ({"version": [1] * 1000}, "has version"),
        (
            {"format": "orderless-form"},
            "expected the format 'orderless-tree', got 'orderless-form'",
        ),
        ({"format": None}, "got None"),
        ({"format": ["x" * 10_000]}, "expected the format"),
        ({"space": []}, "'space' is a list, expected a dict"),
        ({"classes": "ab"}, "'classes' is a str, expected a list"),
        ({"feature": {}}, "'feature' is a dict, expected a list"),
        ({"sets": []}, "'sets' is a list, expected a dict"),
        ({"sets": {"01": [0, 3]}}, "numbers of nodes, got '01'"),
        ({"sets": {" 1": [0, 3]}}, "numbers of nodes"),
        ({"sets": {"-1": [0]}}, "numbers of nodes"),
        ({"sets": {"1_0": [0]}}, "numbers of nodes"),
        ({"sets": {"١": [0]}}, "numbers of nodes"),
        ({"sets": {"": [0]}}, "numbers of nodes"),
        ({"sets": {"1" * 5000: [0]}}, "does not describe a tree|numbers of nodes"),
        ({"sets": {"1": 0}}, "'set of 1' is an int, expected a list"),
        ({"sets": {"1": [9]}}, "set value is 9"),
        ({"sets": {"1": None}}, "'set of 1' is a NoneType"),
        ({"threshold": ["nan", 0, 0, 0, 0]}, "'threshold' must be a list of numbers"),
        ({"threshold": [None, 0, 0, 0, 0]}, "'threshold' must be a list of numbers"),
        ({"threshold": [10**400, 0, 0, 0, 0]}, "threshold must hold numbers"),
        ({"nan_true": ["yes"] * 5}, "'nan_true' must be a list of numbers"),
        ({"nan_true": [0.5] * 5}, "nan_true must hold true or false"),
        ({"nan_true": {}}, "nan_true"),
        ({"distribution": "abc"}, "distribution"),
        ({"distribution": [[None, 1]] * 5}, "must be a list of lists of numbers, got .None, 1"),
        ({"classes": ["a", "a"]}, "duplicate class label"),
        ({"classes": [[], {}]}, "cannot use"),
        ({"space": {"features": []}}, "feature is 0 at position 0"),
    ],
)
def test_entries_that_are_wrong(change, match):
    content = {**json.loads(small().to_json()), **change}
    with pytest.raises(InvalidTree, match=match):
        Tree.from_json(json.dumps(content))


@pytest.mark.parametrize("key", ["space", "classes", "feature", "threshold", "when_true",
                                 "when_false", "leaf_class", "format", "version"])  # fmt: skip
def test_entries_that_are_missing(key):
    content = json.loads(small().to_json())
    del content[key]
    with pytest.raises(InvalidTree, match=r"is missing; there are|expected the format|has version"):
        Tree.from_json(json.dumps(content))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not complete JSON"),
        ("null", "expected the format .* got 'NoneType'"),
        ("[]", "got 'list'"),
        ('"x"', "got 'str'"),
        ("\ufeff{}", "not complete JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b"\x00", "not complete JSON"),
        (None, "expected JSON text, got a NoneType"),
        (5, "expected JSON text, got an int"),
        ({}, "expected JSON text, got a dict"),
        ('{"format": NaN}', "NaN is not JSON"),
        ('{"format": -Infinity}', "-Infinity is not JSON"),
        ('{"a": 1, "a": 1}', "duplicate entry 'a'"),
        ('{"format": %s}' % ("9" * 5000), "cannot be read"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_text_that_is_no_file_of_ours(text, match):
    with pytest.raises(InvalidTree, match=match):
        Tree.from_json(text)


def test_numbers_beyond_all_floats_are_no_shares():
    text = small().to_json()
    assert "1e+22" in text
    with pytest.raises(InvalidTree, match="not finite"):
        Tree.from_json(text.replace("1e+22", "1e999"))


def test_too_long():
    text = small().to_json()
    Tree.from_json(text, limit=len(text))
    for form in (text, text.encode(), bytearray(text.encode())):
        with pytest.raises(
            InvalidTree, match="more than the limit of 10: raise limit= if you trust"
        ):
            Tree.from_json(form, limit=10)
    with pytest.raises(InvalidTree, match="more than the limit"):
        serial.load("[" * 11, "x", 1, limit=10)


def test_every_depth_of_nesting():
    """Some depths can be parsed and not be printed again: no depth may escape as another error."""
    content = json.loads(small().to_json())
    for key in ("classes", "feature", "threshold", "format", "version", "space", "sets"):
        marked = json.dumps({**content, key: "@"})
        for depth in (1, 10, 32, 33, 64, 65, 500, *range(930, 1010, 3), 5000):
            for inside in ("[" * depth + "]" * depth, '{"1":' * depth + "1" + "}" * depth):
                with pytest.raises(InvalidTree):
                    Tree.from_json(marked.replace('"@"', inside))


ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 6),
    st.sampled_from([2**31, 2**63, -(2**63), 10**30, 10**400, 1e308, 5e-324, -1]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*HOSTILE, "", "x", "red", "numeric", "categorical", "-inf"]),
)
JUNK = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "kind", "0", "1", "x"]), inner, max_size=3),
    ),
    max_leaves=8,
)


def places(value, path=()):
    """All paths into a JSON structure."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from places(inner, (*path, i))


PATHS = [path for path in places(json.loads(small().to_json())) if path]


@given(st.lists(st.tuples(st.sampled_from(PATHS), JUNK, st.sampled_from(["put", "drop", "twice"])),
                min_size=1, max_size=3))  # fmt: skip
@settings(max_examples=600)
def test_mutated_files_are_trees_or_refused(changes):
    content = json.loads(small().to_json())
    for path, junk, how in changes:
        inner = content
        try:
            for step in path[:-1]:
                inner = inner[step]
            if how == "put":
                inner[path[-1]] = junk
            elif how == "drop":
                del inner[path[-1]]
            else:
                inner.append(inner[path[-1]])
        except (KeyError, IndexError, TypeError, AttributeError):
            continue
    try:
        tree = Tree.from_json(json.dumps(content))
    except InvalidTree:
        return
    tree.predict([{}])
    assert Tree.from_json(tree.to_json()) == tree


@given(JUNK)
@settings(max_examples=200)
def test_spaces_out_of_junk(junk):
    try:
        Space.from_dict(junk)
    except InvalidSpace:
        return


@given(st.data())
@settings(max_examples=200)
def test_mutated_bytes_are_trees_or_refused(data):
    raw = bytearray(small().to_json().encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        tree = Tree.from_json(bytes(raw))
    except InvalidTree:
        return
    tree.predict([{}])


def test_what_cannot_be_written_is_said():
    with pytest.raises(ValueError, match="not JSON compliant"):
        serial.dump("x", 1, {"a": math.nan})


def test_take_names_the_entry():
    content = {"a": True, "b": 1}
    assert serial.take(content, "b", int) == 1
    with pytest.raises(InvalidTree, match="'c' is missing; there are"):
        serial.take(content, "c", int)
    with pytest.raises(InvalidTree, match="'a' is a bool, expected an int"):
        serial.take(content, "a", int)
