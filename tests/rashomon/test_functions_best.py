"""The best tree and the first function are one, also where several are equally good."""

import numpy as np
import pandas as pd
import pytest
from rashomon_cases import BY

import orderless as ol
from orderless import member
from orderless.errors import InvalidData


def tied(seed, aware):
    """A problem of which several functions are equally good: columns that come twice."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 2, (24, 3))
    X = np.hstack([bits, 1 - bits[:, :1], bits[:, 1:2]])
    y = (bits[:, 0] ^ (random.random(24) < 0.2)).astype(int)
    space = ol.Space(dict.fromkeys("abcde", "boolean")) if aware else None
    given = pd.DataFrame(X, columns=list("abcde"))
    return ol.RashomonSet(2, 0.01, 0.1, space=space).fit(given, y).trees_


@pytest.mark.parametrize("aware", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_first_function_is_that_of_the_best_tree(seed, aware):
    found = tied(seed, aware)
    for view in (
        found,
        found.where(~member.trivial),
        found.where(~member.uses("a")),
        found.where(member.epsilon <= 0),
        found.where(member.leaves <= 2),
    ):
        if not view.n_trees:
            continue
        for semantics in (None, "aware", "independent", "rows"):
            functions = view.functions(BY[semantics])
            first = functions[0]
            assert str(first.tree) == str(view.best_tree) == str(view[0])
            assert first.objective == found._problem.objective(functions.table().cost[0])
            costs = [(f.objective, f.leaves) for f in functions]
            assert costs == sorted(costs)
            names = [f.fingerprint for f in functions]
            assert len(set(names)) == len(names) == len(view.functions(BY[semantics]))
            table = functions.table()
            assert table.trees[:1].keys() == view._counts.unrank([0]).keys()
            assert [len(list(f.trees())) for f in functions] == table.n_trees.tolist()
            assert any(str(tree) == str(view.best_tree) for tree in first.trees())


def test_ties_were_there():
    """In some of these the order by fingerprint alone would have put another function first."""
    moved = 0
    for seed in range(8):
        listing = tied(seed, False).functions()._parts[0][0]
        moved += listing.first > 0
    assert moved


def test_a_list_of_trees_too():
    leaf, other = {"prediction": 0}, {"prediction": 1}
    trees = [{"feature": name, "true": other, "false": leaf} for name in "abcd"]
    space = ol.Space(dict.fromkeys("abcd", "boolean"))
    X = [[0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]]
    found = ol.TreeSet.from_trees(trees, X, [0, 1, 1], space=space)
    assert found.n_trees == len(found.functions()) == 4
    assert len(found.functions("rows")) == 1
    for semantics in ("aware", "independent", "rows"):
        assert str(found.functions(BY[semantics])[0].tree) == str(found.best_tree)
    with pytest.raises(InvalidData, match="no tree in this view"):
        found.where(member.leaves <= 1).best_tree  # noqa: B018
    assert len(found.where(member.leaves <= 1).functions()) == 0


def test_a_piece_need_not_hold_the_best():
    found = tied(0, False)
    few = found.functions(limit=max(1, len(found.functions()) // 3)).sample(5, random_state=0)
    assert all(f.tree in found for f in few)
