"""What the core holds of a tree: its normal form and pruning, beside plain Python's."""

import copy
import pickle
import random

import numpy as np
import pytest

import orderless as ol
from orderless import _core
from orderless.errors import InvalidTree
from orderless.model import Nodes, TreeKernel
from tests.equivalents import equivalent_pair

KINDS = {
    "plain": ol.Feature("plain"),
    "single": ol.Feature("single", values="float32"),
    "whole": ol.Feature("whole", values="integer"),
    "flag": ol.Feature("flag", "boolean"),
    "gaps": ol.Feature("gaps", nan=True),
    "colour": ol.Feature("colour", "categorical", categories=("r", "g", "b"), nan=True),
}
SPACE = ol.Space(list(KINDS.values()))
CUTS = [
    -np.inf,
    -1e300,
    -(2.0**128),
    -3.4028235e38,
    -1.5,
    -1.0,
    -0.0,
    0.0,
    0.1,
    0.5,
    1.0,
    1.5,
    2.0,
    3.4028235e38,
    3.40282356e38,
    3.4028235677973366e38,
    1e300,
    1.7976931348623157e308,
    np.inf,
]


def drawn(rng: random.Random, depth: int) -> dict:
    """A tree as nested dicts; conditions may contradict those above."""
    if depth == 0 or rng.random() < 0.2:
        return {"label": rng.randrange(3)}
    f = rng.randrange(len(KINDS))
    return {
        "feature": f,
        "threshold": rng.choice(CUTS),
        "nan": rng.random() < 0.5,
        "set": sorted(rng.sample(range(4), rng.randrange(5))) if f == 5 else [],
        True: drawn(rng, depth - 1),
        False: drawn(rng, depth - 1),
    }


def arrays(root: dict) -> dict:
    """The parameters of ``Tree``."""
    columns: dict[str, list] = {
        n: [] for n in ("feature", "threshold", "when_true", "when_false", "leaf_class", "nan_true")
    }
    sets: dict[int, list[int]] = {}

    def add(part: dict) -> int:
        at = len(columns["feature"])
        inner = "feature" in part
        for name, value in (
            ("feature", part.get("feature", -1)),
            ("threshold", part.get("threshold", 7.0)),
            ("when_true", -1),
            ("when_false", -1),
            ("leaf_class", part.get("label", -1)),
            ("nan_true", part.get("nan", True)),
        ):
            columns[name].append(value)
        if inner:
            if part["set"]:
                sets[at] = part["set"]
            columns["when_true"][at] = add(part[True])
            columns["when_false"][at] = add(part[False])
        return at

    add(root)
    return {**columns, "sets": sets}


def expected(root: dict) -> list[tuple]:
    """The tree in normal form, without dead branches, in preorder; sides are sets of values."""
    samples = {  # values around every boundary that a feature can draw
        f: [*{value for t in CUTS for value in around(f, t)}] for f in range(len(KINDS))
    }

    def holds(part: dict, value: object) -> bool:
        if part["feature"] == 5:
            return value in part["set"]
        if value is None:
            return part["nan"]
        return bool(value <= part["threshold"] > -np.inf)  # nothing is at most -infinity

    def walk(part: dict, alive: dict[int, list]) -> list[tuple]:
        if "feature" not in part:
            return [("leaf", part["label"])]
        f = part["feature"]
        yes = [v for v in alive[f] if holds(part, v)]
        no = [v for v in alive[f] if not holds(part, v)]
        if not no:
            return walk(part[True], alive)
        if not yes:
            return walk(part[False], alive)
        return [
            ("split", f, frozenset(yes), frozenset(no)),
            *walk(part[True], {**alive, f: yes}),
            *walk(part[False], {**alive, f: no}),
        ]

    return walk(root, samples)


def around(f: int, t: float) -> list:
    """Values of a feature at and next to a threshold, and NaN where it is one."""
    if f == 5:
        return [0, 1, 2, 3]
    if f == 3:
        return [0.0, 1.0]
    with np.errstate(over="ignore"):
        near = [t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf)]
        if f == 1:
            own = np.float32(t)
            near = [
                float(x)
                for x in (
                    own,
                    np.nextafter(own, np.float32(-np.inf)),
                    np.nextafter(own, np.float32(np.inf)),
                )
            ]
        if f == 2:
            near = [float(np.floor(x)) + d for x in near if np.isfinite(x) for d in (-1, 0, 1)]
    found = [float(x) + 0.0 for x in near if np.isfinite(x)]
    # Rows may hold infinity, and round to -infinity among float32; a whole number is neither.
    found += [np.inf] * (f != 2) + [-np.inf] * (f == 1)
    return [*found, None] if f == 4 else found


def shown(tree: ol.Tree, root: dict) -> list[tuple]:
    """What a tree holds, as ``expected`` writes it."""
    samples = {f: [*{v for t in CUTS for v in around(f, t)}] for f in range(len(KINDS))}

    def holds(node: int, value: object) -> bool:
        f = int(tree.nodes.feature[node])
        if f == 5:
            return value in tree.kernel.set_of(node).tolist()
        if value is None:
            return bool(tree.nodes.nan_true[node])
        return bool(value <= tree.nodes.threshold[node] > -np.inf)

    def walk(node: int, alive: dict[int, list]) -> list[tuple]:
        f = int(tree.nodes.feature[node])
        if f < 0:
            return [("leaf", int(tree.nodes.leaf_class[node]))]
        yes = [v for v in alive[f] if holds(node, v)]
        no = [v for v in alive[f] if not holds(node, v)]
        return [
            ("split", f, frozenset(yes), frozenset(no)),
            *walk(int(tree.nodes.when_true[node]), {**alive, f: yes}),
            *walk(int(tree.nodes.when_false[node]), {**alive, f: no}),
        ]

    return walk(0, samples)


def flipped(steps: list[tuple]) -> list[tuple]:
    """Steps without regard to which branch comes first: "is it missing?" is asked the other way."""
    rest = iter(steps)

    def part() -> tuple:
        step = next(rest)
        if step[0] == "leaf":
            return step
        yes, no = part(), part()
        return ("split", step[1], frozenset([(step[2], yes), (step[3], no)]))

    return [part()]


@pytest.mark.parametrize("seed", range(150))
def test_normal_and_pruned_as_in_plain_python(seed):
    root = drawn(random.Random(seed), 5)
    given = arrays(root)
    tree = ol.Tree(SPACE, ["a", "b", "c"], **given)
    assert flipped(shown(tree, root)) == flipped(expected(root))
    assert tree.n_nodes + tree.kernel.n_dropped == len(given["feature"])
    assert tree.kernel.used == tuple(sorted({*tree.nodes.feature.tolist()} - {-1}))


def test_thresholds_are_those_of_features():
    for f, feature in enumerate(SPACE.features[:5]):
        for cut in CUTS:
            tree = ol.Tree(
                SPACE,
                [0, 1],
                feature=[f, -1, -1],
                threshold=[cut, 0, 0],
                when_true=[1, -1, -1],
                when_false=[2, -1, -1],
                leaf_class=[-1, 0, 1],
            )
            there = float(feature.at_most(cut))
            low, high = feature.bounds
            if tree.n_nodes == 3 and not (feature.nan and np.isneginf(there)):
                assert tree.nodes.threshold[0] == there
                assert not np.signbit(tree.nodes.threshold[0]) or there < 0
            else:
                assert there in (low, high)


def test_arrays_are_made_when_looked_at_and_cannot_be_written_to():
    tree, _ = equivalent_pair(3)
    again = pickle.loads(pickle.dumps(tree)).kernel
    assert "feature" not in vars(again)
    assert again == tree.kernel
    assert "feature" in vars(again)
    for name, array in again.nodes._asdict().items():
        assert getattr(again, name) is array
        with pytest.raises(ValueError, match="read-only"):
            array[:1] = 0


def test_arrays_outlive_the_tree():
    tree, _ = equivalent_pair(4)
    feature, before = tree.nodes.feature, tree.nodes.feature.tolist()
    del tree
    assert feature.tolist() == before


@pytest.mark.parametrize("seed", range(20))
def test_copies_and_pickles(seed):
    tree, _ = equivalent_pair(seed)
    rows = np.arange(tree.n_nodes * len(tree.classes), dtype=float).reshape(tree.n_nodes, -1)
    with_rows = tree.replace(distribution=rows)
    for one in (tree, with_rows):
        for again in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert again == one
            assert hash(again) == hash(one)
            assert again.kernel.n_dropped == one.kernel.n_dropped
            assert again.features == one.features
            assert again.fingerprint == one.fingerprint
    assert not pickle.loads(pickle.dumps(with_rows)).distribution.flags.writeable


@pytest.mark.parametrize(
    "part",
    [
        {"feature": 99},
        {"when_true": -7},
        {"when_true": 10**6},
        {"set_start": 9},
        {"leaf_class": 8},
        {"nan_true": 2},
    ],
)
def test_a_damaged_pickle_is_refused(part):
    tree = equivalent_pair(5)[0].kernel
    state = tree.__getstate__()
    ((name, value),) = part.items()
    array = getattr(state["nodes"], name).copy()
    leaves = state["nodes"].feature < 0
    array[np.flatnonzero(leaves if name == "leaf_class" else ~leaves)[0]] = value
    state["nodes"] = state["nodes"]._replace(**{name: array})
    with pytest.raises(InvalidTree, match="damaged"):
        TreeKernel.__new__(TreeKernel).__setstate__(state)


def test_a_pickle_without_arrays_is_refused():
    tree = equivalent_pair(5)[0].kernel
    wide = tree.nodes._replace(feature=tree.nodes.feature.astype(np.int64))
    again = TreeKernel.__new__(TreeKernel)
    again.__setstate__({**tree.__getstate__(), "nodes": wide})  # converted, then checked
    assert again == tree
    for nodes in ((), (1,) * 8, tree.nodes[:5], None):
        with pytest.raises(InvalidTree, match="damaged"):
            TreeKernel.__new__(TreeKernel).__setstate__({**tree.__getstate__(), "nodes": nodes})


def test_the_core_refuses_what_is_no_tree():
    good = Nodes(*(np.array(a) for a in ol.read({"prediction": 1}, space=SPACE).nodes))
    assert _core.tree.hold(SPACE.held, good, 1) is not None
    for name, value in (
        ("feature", [7]),
        ("leaf_class", [1]),
        ("set_start", [0, 3]),
        ("set_start", [0, -1]),
        ("threshold", [0.0, 0.0]),
        ("set_start", [0]),
    ):
        bad = good._replace(**{name: np.array(value, dtype=getattr(good, name).dtype)})
        assert _core.tree.hold(SPACE.held, bad, 1) is None, name
    with pytest.raises(ValueError, match="start must rise"):
        _core.tree.hold_all(SPACE.held, good, np.array([0, 5]), 1)
    with pytest.raises(ValueError, match="one of the trees is none"):
        _core.tree.hold_all(SPACE.held, good, np.array([0, 1]), 0)


def test_bits_that_are_no_tree():
    space = ol.Space.independent("ab")
    columns = (
        np.array([0, 1], np.int32),
        np.zeros(2),
        np.zeros(2, np.uint8),
        np.array([0, 1], np.uint8),
        np.zeros(3, np.int64),
        np.zeros(0, np.int32),
    )

    def held(codes, ends):
        return _core.tree.hold_bits(
            space.held, np.array(codes, np.int32), np.array(ends, np.int64), columns, 2
        )

    one, two = held([0, -1, 1, -2, -1, -1], [5, 6])
    assert one.arrays()[3].tolist() == [1, -1, 4, -1, -1]  # column 1 holds where it is 1
    assert one.arrays()[5].tolist() == [-1, 0, -1, 1, 0]
    assert two.n_nodes == 1
    for codes, ends in (
        ([0, -1], [2]),
        ([-1, -1], [2]),
        ([2, -1, -1], [3]),
        ([-3], [1]),
        ([-1], [2]),
        ([-1], [-1]),
        ([], [0]),
    ):
        assert held(codes, ends) is None
