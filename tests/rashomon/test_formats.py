"""Files of sets: whatever is in them, they load or are refused as promised."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless import member
from orderless.errors import InvalidTree, OutOfMemory, OutOfTime

ODD = [
    None, True, False, -1, 0, 1, 2, 7, 2**31, 2**62, 2**63, 2**64, 10**400, -(10**400), 0.5, 1e308,
    -0.0, "", "x", "0", "1", "1/0", "1/3", "-1", "1e99999999", "1e-99999999", "9" * 5000, "inf",
    "nan", [], [[]], [0], ["0"], [None], {}, {"x": 1}, "additive", "relative", "01", "\ud800",
]  # fmt: skip


def files():
    """Texts of sets of all kinds: 0/1 columns, features, views, lists."""
    bits = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]])
    y = [0, 0, 0, 1, 1, 0]
    plain = ol.RashomonSet(2, 0.05, 0.1).fit(bits, y).trees_
    mixed = pd.DataFrame({"n": [1.5, 2, 3, 4.5, 5, 6], "t": list("abcabc"), "b": bits[:, 0]})
    raw = ol.RashomonSet(2, "1/30", 0.1, relative=True).fit(mixed, y, [1, 2, 0.5, 1, 1, 1]).trees_
    listed = ol.TreeSet.from_trees(list(plain), bits, y)
    views = [
        plain.where(member.epsilon <= 0),
        plain.where(member.uses("x0"), member.leaves <= 3),
        raw.where(~member.uses("t")),
        listed.where(~member.trivial),
    ]
    every = plain.where(
        member.min_leaf >= 2, member.root == {"feature": "x0", "true": "x1"}, member.n_features <= 2
    )
    views.append(
        every.where(
            member.path_cost({"x0": 1, "x1": 1, "x2": 0.5}) <= 2, member.monotone({"x1": 1})
        )
    )
    views.append(
        listed.where(
            member.root == "x1",
            member.path_cost({"x0": 1, "x1": 1, "x2": 0}) <= 2,
            member.min_leaf >= 2,
        )
    )
    return [found.to_json() for found in (plain, raw, listed, *views)]


def places(content, path=()):
    """All places of a file: paths of keys and positions."""
    yield path
    if isinstance(content, dict | list):
        inside = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in inside:
            yield from places(value, (*path, key))


def changed(content, random):
    """Change one place of a file: another value, one less, one twice, two swapped."""
    every = [path for path in places(content) if path]
    path = every[random.integers(len(every))]
    holder = content
    for key in path[:-1]:
        holder = holder[key]
    how = random.integers(6)
    if how == 0:
        del holder[path[-1]]
    elif how == 1 and isinstance(holder, list):
        holder.append(holder[path[-1]])
    elif how == 2 and isinstance(holder, list):
        holder.reverse()
    elif how == 3 and isinstance(holder[path[-1]], int) and not isinstance(holder[path[-1]], bool):
        holder[path[-1]] += int(random.integers(-2, 3))
    else:
        holder[path[-1]] = ODD[random.integers(len(ODD))]
    return content


def loads_or_refuses(text):
    """Read a file and ask it a few things; say whether it loaded."""
    try:
        found = ol.TreeSet.from_json(text, memory_limit=10**8)
    except InvalidTree:
        return False
    assert found.n_trees >= 0
    assert isinstance(repr(found), str)
    if 0 < found.n_trees < 10**6:
        assert found.best_tree in found
        assert len(found.functions()) >= 1
        assert ol.TreeSet.from_json(found.to_json()).n_trees == found.n_trees
    return True


@pytest.mark.parametrize("kind", range(9))
def test_changed_files_load_or_are_refused(kind):
    text = files()[kind]
    random = np.random.default_rng(kind)
    assert loads_or_refuses(text)
    outcomes = []
    for _ in range(600):
        content = json.loads(text)
        for _ in range(int(random.integers(1, 3))):
            content = changed(content, random)
        outcomes.append(loads_or_refuses(json.dumps(content)))
    assert 0 < sum(outcomes) < 300  # some changes do no harm, most do


def test_broken_text_is_refused():
    text = files()[1]
    random = np.random.default_rng(0)
    for _ in range(300):
        data = bytearray(text.encode())
        for _ in range(int(random.integers(1, 4))):
            data[random.integers(len(data))] = random.integers(256)
        loads_or_refuses(bytes(data))
        with pytest.raises(InvalidTree):
            ol.TreeSet.from_json(text[: random.integers(len(text))])


@pytest.mark.parametrize("name", ["epsilon", "regularization"])
@pytest.mark.parametrize("text", ["1e99999999", "1e-99999999", "1/0", "-1", "nan", "9" * 5000])
def test_numbers_of_a_file_are_read_with_care(name, text):
    content = json.loads(files()[0])
    with pytest.raises(InvalidTree, match=name):
        ol.TreeSet.from_json(json.dumps({**content, name: text}))
    content["epsilon"] = text
    with pytest.raises(InvalidTree, match="epsilon"):
        ol.TreeSet.from_json(json.dumps(content))


def hard():
    """A small file with a large problem, and limits of its own that allow everything."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2, (60, 16))
    found = ol.RashomonSet(1, 0.001, 0).fit(bits, random.integers(0, 2, 60)).trees_
    content = json.loads(found.to_json())
    return content | {"max_depth": 20, "epsilon": "1", "memory_limit": 10**30, "time_limit": None}


def test_the_callers_limits_count():
    text = json.dumps(hard())
    with pytest.raises(OutOfMemory, match="memory_limit=100,000 bytes"):
        ol.TreeSet.from_json(text, memory_limit=100_000)
    with pytest.raises(OutOfTime, match="time_limit=1e-06 seconds"):
        ol.TreeSet.from_json(text, time_limit=1e-6)
    for odd in (0, -1, "much", True):
        with pytest.raises(ValueError, match="memory_limit must be a positive number"):
            ol.TreeSet.from_json(text, memory_limit=odd)
    with pytest.raises(ValueError, match="time_limit must be a positive number, got 0"):
        ol.TreeSet.from_json(text, time_limit=0)


def test_limits_of_the_file_do_not():
    found = (
        ol.RashomonSet(2, 0.05, 0.1, memory_limit=10**8, time_limit=5)
        .fit([[0], [1]], [0, 1])
        .trees_
    )
    content = json.loads(found.to_json())
    for odd in (1, -5, "much", 10**400):
        read = ol.TreeSet.from_json(json.dumps({**content, "memory_limit": odd}))
        assert (read._source.memory_limit, read._source.time_limit) == (4 * 1024**3, 60.0)
    read = ol.TreeSet.from_json(found.to_json(), memory_limit=10**7, time_limit=None)
    assert (read._source.memory_limit, read._source.time_limit) == (10**7, None)
    assert read.objective == Fraction(1, 10)


def test_a_set_whose_tree_asks_whether_a_value_is_known_is_read_again():
    space = ol.Space({"lab": ol.Feature("lab", nan=True)})
    tree = ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[np.inf, 0, 0],
                   when_true=[1, -1, -1], when_false=[2, -1, -1],
                   leaf_class=[-1, 0, 1])  # fmt: skip
    found = ol.TreeSet.from_trees([tree], [{"lab": 1.0}, {"lab": None}], [0, 1])
    again = ol.TreeSet.from_json(found.to_json())
    assert again.n_trees == 1
    assert again[0] == found[0]
