"""Files from anybody: each is read, or refused with the one error, without much time or memory."""

import copy
import json
import random
import tracemalloc

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidSpace, InvalidTree
from orderless.model import Adding, Rule, formats as serial
from orderless.model.feature import first_repeated

N = 250  # mutations of each file

JUNK = [
    None, True, False, 0, -1, 1, 3, 2**31, 2**63, -(2**63), 10**30, 10**400, 1e308, 5e-324, -0.0,
    0.5, "", "x", "inf", "-inf", "nan", "1/0", "0/0", "1/3", "-1/3", "1e999999999", "1" * 5000,
    "\ud800", "\u202e", "\0", "__proto__", "x" * 10_000, "numeric", "categorical", "float32", [],
    {}, [[]], [None], {"": 1}, [[[[]]]], [1] * 50, [10**400], [1e308, "x"], ["x" * 1000] + [""] * 9,
]  # fmt: skip


def tree():
    space = ol.Space(
        [ol.Feature("age", values="integer"), ol.Feature("dose", values="float32", nan=True),
         ol.Feature("ward", "categorical", categories=("east", "north", "south"), other=True),
         ol.Feature("smoker", "boolean")],
        columns={"age": "age", "d": ol.Condition("dose", at_most=0.1), "ward": "ward",
                 "w": ol.Condition("ward", among=("east",)), "smoker": "smoker"},
    )  # fmt: skip
    return ol.Tree(
        space, ["ill", "well"], feature=[2, 1, -1, 0, -1, -1, -1],
        threshold=[0, 0.1, 0, 36.5, 0, 0, 0], when_true=[1, 2, -1, 4, -1, -1, -1],
        when_false=[3, 6, -1, 5, -1, -1, -1], leaf_class=[-1, -1, 1, -1, 1, 0, 0],
        nan_true=[0, 1, 0, 0, 0, 0, 0], sets={0: [0, 1]}, distribution=[[1, 2.5]] * 7,
    )  # fmt: skip


def policy():
    rows = [{"age": 30, "dose": 0.05, "ward": "east"}, {"age": 40, "dose": 0.3, "ward": "south"}]
    return ol.cheapest_policy(tree(), rows, {"age": 1, "dose": 5.5, "ward": 2}, budget=7)


def rashomon():
    X = np.random.RandomState(0).randint(2, size=(20, 3))
    model = ol.RashomonSet(max_depth=2, regularization=0.05, epsilon=0.05)
    return model.fit(X, X[:, 0] & X[:, 1]).trees_


def ensemble():
    own = tree()
    leaf_class = own.kernel.numbered_leaves.leaf_class
    votes = own.replace(classes=range(own.n_leaves), leaf_class=leaf_class, distribution=None)
    return ol.Ensemble(
        [votes, votes], [[[1.0, 0.0], [0.25, 0.75], [0.0, 1.0], [0.5, 0.5]]] * 2,
        classes=["ill", "well"], adding=Adding(base=(0.0, 0.5), divisor=2.0),
        rule=Rule("largest", window=1e-9), link="softmax",
    )  # fmt: skip


def uses(found):
    """What is read can be shown, and written again."""
    assert str(found)
    assert repr(found)
    found.to_json()


def uses_tree(found):
    uses(found)
    found.predict([{}])
    _ = found.fingerprint


def uses_policy(found):
    uses(found)
    assert found.expected_cost <= found.worst_cost
    assert found.bound is not None
    found.next_feature({})


def uses_ensemble(found):
    uses(found)
    found.predict([{}], time_limit=0.1)


FILES = {
    "ensemble": (ensemble, ol.Ensemble.from_json, uses_ensemble),
    "tree": (tree, ol.Tree.from_json, uses_tree),
    "form": (lambda: ol.canonicalize(tree()), ol.CanonicalForm.from_json, uses),
    "policy": (policy, ol.Policy.from_json, uses_policy),
    "rashomon": (rashomon, ol.TreeSet.from_json, lambda found: None),
}


def places(value, path=()):
    """All paths into a JSON structure."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from places(inner, (*path, i))


def at(content, path):
    for step in path:
        content = content[step]
    return content


def mutated(rng, content, paths):
    """Change one to three places: junk put in, a part left out, doubled, or put elsewhere."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path, other = rng.choice(paths), rng.choice(paths)
        how = rng.choice(["put", "put", "put", "drop", "twice", "swap"])
        try:
            inner = at(content, path[:-1])
            if how == "put":
                inner[path[-1]] = copy.deepcopy(rng.choice(JUNK))
            elif how == "drop":
                del inner[path[-1]]
            elif how == "twice":
                inner.append(inner[path[-1]])
            else:
                inner[path[-1]] = copy.deepcopy(at(content, other))
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier change took the place away
    return content


@pytest.mark.parametrize("name", FILES)
def test_mutated_files_are_read_or_refused(name):
    make, read, use = FILES[name]
    text = make().to_json()
    paths = list(places(json.loads(text)))
    rng = random.Random(15)
    refused = []
    for _ in range(N):
        changed = json.dumps(mutated(rng, json.loads(text), paths))
        try:
            found = read(changed)
        except InvalidTree as fault:
            refused.append(str(fault))
            continue
        use(found)
    assert N / 2 < len(refused) < N  # both happened
    assert max(map(len, refused)) < 2 * serial.MESSAGE


@pytest.mark.parametrize("name", FILES)
def test_mutated_text_is_read_or_refused(name):
    make, read, _ = FILES[name]
    text = make().to_json()
    pieces = ["NaN", "-Infinity", "1e999", "9" * 1_000_000, "[" * 50_000, '{"a":' * 3000, '"',
              "\ud800", "\\ud800", "\0", "\u202e", '"format": "x", ', "null", "-"]  # fmt: skip
    rng = random.Random(15)
    refused = []
    for piece in pieces * 6:
        start = rng.randrange(len(text))
        with_piece = text[:start] + piece + text[start + rng.choice([0, 1, 5, 50]) :]
        try:
            read(with_piece)
        except InvalidTree as fault:
            refused.append(str(fault))
    assert max(map(len, refused)) < 2 * serial.MESSAGE


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: repr(junk)[:20])
def test_spaces_out_of_junk(junk):
    good = tree().space.to_dict()
    for path in places(good):
        content = copy.deepcopy(good)
        at(content, path[:-1])[path[-1]] = junk
        try:
            ol.Space.from_dict(content)
        except InvalidSpace:
            continue


class Key(str):
    """A key that counts how often it is looked at."""

    __slots__ = ()
    looks = 0

    def __hash__(self):
        Key.looks += 1
        return super().__hash__()

    def __eq__(self, other):
        Key.looks += 1
        return super().__eq__(other)


@pytest.mark.parametrize("find", ["json", "names"])
def test_what_is_there_twice_is_found_in_linear_time(find):
    looks = []
    for n in (1_000, 4_000):
        keys = [Key(i) for i in range(n)] + [Key(n - 1)]  # the last one, twice
        Key.looks = 0
        if find == "json":
            with pytest.raises(InvalidTree, match=f"duplicate entry '{n - 1}'"):
                serial._no_duplicates([(key, 0) for key in keys])
        else:
            assert first_repeated(keys) == str(n - 1)
        looks.append(Key.looks)
        assert Key.looks < 10 * n
    assert looks[1] < 5 * looks[0]


def test_categories_of_columns_are_found_without_a_search():
    """Each column is on one of n values: n looks, not n * n."""

    class Label(str):
        __slots__ = ()
        compared = 0

        def __eq__(self, other):
            Label.compared += 1
            return super().__eq__(other)

        __hash__ = str.__hash__

    n = 500
    labels = [Label(i) for i in range(n)]
    feature = ol.Feature("c", "categorical", categories=tuple(labels))
    columns = {f"c{i}": ol.Condition("c", among=(Label(i),)) for i in range(n)}
    Label.compared = 0
    ol.Space([feature], columns)
    assert Label.compared < 20 * n


def peak(call):
    tracemalloc.start()
    try:
        call()
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return most


@pytest.mark.parametrize(
    ("key", "value"),
    [(key, ["x" * 100_000] + [""] * 1000) for key in
     ("feature", "threshold", "when_true", "nan_true", "distribution", "classes", "sets")]
    + [("distribution", [["x" * 100_000, 1]] * 7), ("sets", {"0": ["x" * 100_000] + [""] * 1000})],
)  # fmt: skip
def test_long_text_does_not_make_arrays_of_it(key, value):
    """numpy would make all entries as long as the longest: 400 MB out of 0.1 MB."""
    text = json.dumps({**json.loads(tree().to_json()), key: value})

    def read():
        with pytest.raises(InvalidTree):
            ol.Tree.from_json(text)

    assert peak(read) < 20e6


def test_long_labels_do_not_make_arrays_of_it():
    content = json.loads(tree().to_json())
    content |= {"classes": ["x" * 1_000_000, *map(str, range(100))]}
    content["leaf_class"] = [-1, -1, 1, -1, 1, 0, 0]
    del content["distribution"]
    found = ol.Tree.from_json(json.dumps(content))
    assert peak(lambda: found.predict([{"age": 50, "ward": "south", "w": 0}] * 100)) < 20e6
    assert found.predict([{"age": 50, "ward": "south", "w": 0}])[0] == "x" * 1_000_000


@pytest.mark.parametrize("cost", ["1e999999999", "1/0", "1/00", "0x10", "1_0", "", "inf",
                                  "1/" + "9" * 3000, "9" * 3000, "-1/3", "١"])  # fmt: skip
def test_costs_that_are_no_fractions(cost):
    content = json.loads(policy().to_json())
    content["purchases"][0]["cost"] = cost
    with pytest.raises(InvalidTree):
        ol.Policy.from_json(json.dumps(content))


def test_a_purchase_of_very_many_outcomes_is_refused_unseen():
    """Forty yes/no features bought at once have 2**40 outcomes."""
    nest = {"prediction": "a"}
    for k in range(40):
        nest = {"feature": k, "true": nest, "false": {"prediction": "b"}}
    model = ol.read(nest)
    content = json.loads(ol.cheapest_policy(model, [[1] * 40], method="path", costs=[1] * 40)
                         .to_json())  # fmt: skip
    content["purchases"] = [{"name": "all", "features": list(range(40)), "cost": 1}]
    content["nodes"][0]["ask"] = 0
    with pytest.raises(InvalidTree, match="node 0 must have every answer to 'all' exactly once"):
        ol.Policy.from_json(json.dumps(content))
