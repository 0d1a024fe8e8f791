"""Lists of numbers in JSON by the core: the same text and the same content as by Python alone."""

import json
import random
import struct

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless import _core
from orderless.errors import InvalidTree
from orderless.model import TreeKernel, formats
from tests.equivalents import equivalent_pair

text_of, lists_of = _core.base.numbers_text, _core.base.number_lists
NAMES = ["a", "b"]


def plainly(numbers):
    return json.dumps(np.asarray(numbers).tolist())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_as_python_writes_them(numbers):
    assert text_of(np.array(numbers)) == json.dumps(numbers)


def test_floats_of_every_size():
    rng = random.Random(1)
    bits = [rng.getrandbits(64) for _ in range(20_000)]
    numbers = np.array([struct.unpack("d", struct.pack("Q", b))[0] for b in bits])
    numbers = np.concatenate(
        [
            numbers[np.isfinite(numbers)],
            [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308],
            10.0 ** np.arange(-30, 31),
            -(10.0 ** np.arange(-30, 31)),
            np.arange(-2000, 2000) / 16,
            [
                9007199254740993.0,
                999999999999999.9,
                1e15,
                1e15 + 0.5,
                123456789012345680.0,
                1e16,
                0.0001,
                0.00001,
            ],
        ]
    )
    text = text_of(numbers)
    assert text == plainly(numbers)
    rest, (back,) = lists_of(f'{{"a": {text}}}', NAMES)
    assert rest == '{"a": NaN}'
    assert back.tobytes() == numbers.tobytes()


def test_whole_numbers_flags_tables_and_infinity():
    whole = np.array([0, -1, 2**31 - 1, -(2**31)], dtype=np.int32)
    assert text_of(whole) == plainly(whole)
    assert text_of(np.array([2**63 - 1, -(2**63)])) == "[9223372036854775807, -9223372036854775808]"
    assert text_of(np.array([True, False])) == "[true, false]"
    table = np.arange(6.0).reshape(3, 2) / 4
    assert text_of(table) == plainly(table)
    assert text_of(np.array([np.inf, -np.inf])) == '["inf", "-inf"]'
    assert text_of(np.zeros(0)) == "[]"
    assert text_of(np.array([np.nan])) is None
    with pytest.raises(TypeError, match="float64"):
        text_of(np.zeros(2, dtype=np.float32))
    with pytest.raises(ValueError, match="axes"):
        text_of(np.zeros((1, 1, 1)))


def test_where_the_core_cannot_write_floats(monkeypatch):
    tree, _ = equivalent_pair(7)
    expected = tree.to_json()
    monkeypatch.setattr(_core.base, "numbers_text", lambda _: None)
    assert tree.to_json() == expected
    assert formats._plain([np.inf, [-np.inf, 2]]) == ["inf", ["-inf", 2]]


@pytest.mark.parametrize(
    "value",
    [
        "[1, 2.5]",
        "[1,2]",
        "[ 1 ,\n2\t]",
        "[-0]",
        "[-0.0]",
        "[1e5, 1E-5, 1e+5]",
        "[[1, 2], [3, 4]]",
        "[[1.5], [2]]",
        "[9223372036854775807]",
        "[0.1e1]",
    ],
)
def test_what_is_read(value):
    rest, (array,) = lists_of(f'{{"x": [1], "a": {value}, "y": "NaN"}}', NAMES)
    assert json.loads(rest, parse_constant=lambda _: "here")["a"] == "here"
    assert array.tolist() == json.loads(value)
    assert [type(x) for x in np.ravel(array).tolist()] == [
        float
        if any(isinstance(x, float) for x in np.ravel(np.array(json.loads(value), dtype=object)))
        else int
    ] * array.size


@pytest.mark.parametrize(
    "value",
    [
        "[]",
        "[[]]",
        "[[1], []]",
        "[[1], [1, 2]]",
        "[01]",
        "[+1]",
        "[.5]",
        "[1.]",
        "[1e]",
        "[--1]",
        "[1,]",
        "[1",
        "[1 2]",
        "[true]",
        '["1"]',
        "[null]",
        "[[1], 2]",
        "[1, [2]]",
        "[9223372036854775808]",
        "[1e999]",
        "[0.5, 9007199254740993]",
        "[9007199254740993, 0.5]",
        "1",
        "{}",
        "[[[1]]]",
        "[1e-400]",
        "[0x1]",
        "[1_0]",
        "[ ]",
    ],
)
def test_what_is_left_to_python(value):
    text = f'{{"a": {value}}}'
    assert lists_of(text, NAMES) == (text, [])


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [NaN]}',
        '{"a": [1], "b": NaN}',
        '{"a": [Infinity]}',
        '{"a',
        '{"a\\',
        '["\\"',
    ],
)
def test_texts_that_are_not_touched(text):
    assert lists_of(text, NAMES) is None
    with pytest.raises(InvalidTree):
        formats.parse(text, NAMES)


def test_names_in_text_and_keys_alike():
    text = (
        '{"c": "\\"a\\": [1, 2]", "a" : [1], "b": {"a": [2]}, "d": "a", "e": ["a", [3]], "ä": [4]}'
    )
    expected = json.loads(text)
    content = formats.parse(text, NAMES)
    assert content["a"].tolist() == [1]
    assert content["b"]["a"].tolist() == [2]
    assert {k: v for k, v in content.items() if k not in "ab"} == {
        k: v for k, v in expected.items() if k not in "ab"
    }


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=4)
        | st.just("NaN"),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["a", "b", "c", 'q"a', "N"]), inner, max_size=4)
        ),
        max_leaves=25,
    )
)
def test_any_json_has_the_same_content(content):
    def plain(part):
        if isinstance(part, np.ndarray):
            return part.tolist()
        if isinstance(part, dict):
            return {k: plain(v) for k, v in part.items()}
        return [plain(v) for v in part] if isinstance(part, list) else part

    text = json.dumps(content)
    assert plain(formats.parse(text, NAMES)) == json.loads(text)


def test_an_entry_twice_is_still_refused():
    with pytest.raises(InvalidTree, match="duplicate entry 'a'"):
        formats.parse('{"a": [1], "a": [2]}', NAMES)


@pytest.mark.parametrize("seed", range(60))
def test_trees_as_before(seed):
    tree, _ = equivalent_pair(seed)
    if seed % 2:
        tree = tree.replace(distribution=np.ones((tree.n_nodes, len(tree.classes))) / 3)
    written = tree.to_json()
    content = {"format": "orderless-tree", "version": 1, **tree.kernel.to_dict()}
    assert written == json.dumps(content, ensure_ascii=False, allow_nan=False)
    assert ol.Tree.from_json(written) == tree
    assert TreeKernel.from_dict(json.loads(written)) == tree.kernel


def test_infinite_thresholds_and_half_a_surrogate_pair():
    space = ol.Space([ol.Feature("\ud800", nan=True)])
    tree = ol.Tree(
        space,
        [0, 1],
        feature=[0, -1, -1],
        threshold=[np.inf, 0, 0],
        when_true=[1, -1, -1],
        when_false=[2, -1, -1],
        leaf_class=[-1, 0, 1],
    )
    assert '"inf"' in tree.to_json()
    assert ol.Tree.from_json(tree.to_json()) == tree


def test_whole_numbers_around_every_length():
    edges = [10**k + d for k in range(19) for d in (-2, -1, 0, 1, 2)]
    numbers = np.array([*range(-10_100, 10_100), *edges, *(-e for e in edges), -(2**63), 2**63 - 1])
    assert text_of(numbers) == plainly(numbers)
    small = numbers[abs(numbers) < 2**31].astype(np.int32)
    assert text_of(small) == plainly(small)
    floats = numbers[abs(numbers) < 2**53].astype(np.float64)
    assert text_of(floats) == plainly(floats)
    for these in (numbers, small, floats):
        (back,) = lists_of(json.dumps({"a": these.tolist()}), NAMES)[1]
        assert back.tolist() == these.tolist()
        assert back.dtype.kind == these.dtype.kind


def test_fractions_where_the_notation_changes():
    rng = random.Random(2)
    numbers = [rng.uniform(1, 10) * 10.0 ** rng.randint(-6, 17) for _ in range(20_000)]
    edges = [1e-4, 1e15, 2.0**53, 1e16, 0.5, 999999999999999.9]
    numbers += [np.nextafter(x, way).item() for x in edges for way in (0, x, np.inf)]
    numbers += [-x for x in numbers]
    assert text_of(np.array(numbers)) == json.dumps(numbers)
    (back,) = lists_of(json.dumps({"a": numbers}), NAMES)[1]
    assert back.tolist() == numbers


@pytest.mark.parametrize("part", ["1.", "1.e5", "1e", "1.5e", "1.5.3", "01", "-", "-01.5", ".5",
                                  "1e+", "1.0.0", "0x1p3", "1 2", "1.0e400"])  # fmt: skip
@pytest.mark.parametrize("around", ["[{}]", "[7, {}]", "[7, {}, 8, 9, 10, 11]", "[0.5, {}, 1.0]"])
def test_numbers_that_are_left_to_the_json_module(part, around):
    _, lists = lists_of('{"a": ' + around.format(part) + "}", NAMES)
    assert lists == []
