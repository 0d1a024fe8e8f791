"""Which functions are looked at: drawn ones, exact ends, and functions that were seen before."""

import numpy as np
import pytest

import orderless as ol
from orderless import member
from orderless.errors import IncompleteSet, InvalidParameter, TooLarge


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (60, 6))
    y = (X[:, 0] & X[:, 1]) ^ (random.random(60) < 0.2)
    return ol.RashomonSet(3, 0.01, 0.1).fit(X, y).trees_


@pytest.mark.parametrize("draw", ["functions", "trees"])
def test_a_sample_has_the_ends_beside_it(found, draw):
    table = ol.choose(found, sample=15, draw=draw, random_state=0).set_index("fingerprint")
    every = ol.choose(found).set_index("fingerprint")
    assert set(table.index) <= set(every.index)
    ends = found.ends()
    for name, row in ends.iterrows():
        for which in ("smallest", "largest"):
            if row[which] is not None:
                own = table.loc[row[f"{which}_function"]]
                assert f"{which} {name}" in own.end.split(", ")
                assert own[name] == pytest.approx(float(row[which]))
    assert every.error.min() == table.error.min()
    assert every.sensitivity.max() == table.sensitivity.max()
    assert table.objective.is_monotonic_increasing
    # What is no matter of the tree that was drawn is the function's own.
    assert (table.error == every.loc[table.index, "error"]).all()
    assert (table.objective >= every.loc[table.index, "objective"] - 1e-12).all()


def test_agreement_is_with_those_that_were_drawn(found):
    table = ol.choose(found, sample=10, random_state=2).set_index("fingerprint")
    drawn = found.functions(limit=20_000).sample(10, random_state=2)
    names = dict.fromkeys(function.fingerprint for function in drawn)
    bits = found._problem.bits
    weight = found._problem.weights / found._problem.weights.sum()

    def said(name):
        return np.asarray(np.ma.getdata(found.functions()[name].predict(bits)))

    for name in table.index:
        others = [said(other) for other in names if other != name]
        same = np.mean([(said(name) == one) @ weight for one in others])
        assert table.agreement[name] == pytest.approx(same)


def test_trees_of_drawn_trees_are_not_counted(found):
    table = ol.choose(found, sample=15, draw="trees", random_state=0).set_index("fingerprint")
    assert table.n_trees.isna().all()
    assert "drawn uniformly from all trees" in table.attrs["functions"]
    assert str(table.n_trees.dtype) == "Int64"
    table = ol.choose(found, sample=15, random_state=0).set_index("fingerprint")
    known = table.n_trees.dropna()
    assert len(known) >= table.attrs["functions"].startswith("15")
    assert all(found.functions()[name].n_trees == n for name, n in known.items())


def test_every_tree_is_as_likely(found):
    """Of many draws, each function comes about as often as it has trees."""
    positions = found._drawn_positions(20_000, np.random.default_rng(0))
    assert min(positions) >= 0
    assert max(positions) < found.n_trees
    assert np.mean(positions) == pytest.approx(found.n_trees / 2, rel=0.02)


def test_a_function_that_was_seen_before(found, monkeypatch):
    table = ol.choose(found, sample=5, draw="trees", random_state=1).set_index("fingerprint")
    name = table.index[-1]
    listed = found.functions()[name]
    monkeypatch.setattr("orderless.rashomon.functions.MOST_LOOKED_FOR", 0)
    seen = found.functions()[name]
    assert seen.n_trees is None
    assert seen.tree.fingerprint == name
    assert ol.equivalent(seen.tree, listed.tree)
    assert seen.errors == listed.errors
    assert float(seen.objective) == table.objective[name]
    assert (seen.predict(found._problem.bits) == listed.predict(found._problem.bits)).all()


def test_too_many_functions_to_look_for_one(found):
    """That a function was not found where none could be listed is no proof that it is not there."""
    name = found.functions()[0].fingerprint
    view = found.where(member.epsilon <= 0.1)
    view._source.seen = {}
    with pytest.raises(TooLarge):
        view.functions(limit=0)[name]
    with pytest.raises(KeyError, match="no function of this set"):
        found.functions()["0" * 32]


def test_using_and_without(found):
    every = ol.choose(found).set_index("fingerprint")
    asked = every.features.str.split(", ")
    some = ol.choose(found, using=["x0", "x1"], without="x2").set_index("fingerprint")
    wanted = [{"x0", "x1"} <= set(one) and "x2" not in one for one in asked]
    assert some.index.tolist() == every.index[wanted].tolist()
    # No tree of a view without a feature asks about it.
    view = ol.choose(found.where(~member.uses("x2"))).set_index("fingerprint")
    assert set(view.index) == set(ol.choose(found, without="x2").set_index("fingerprint").index)
    with pytest.raises(ValueError, match="using names 'x9', which is no feature"):
        ol.choose(found, using="x9").set_index("fingerprint")


def test_what_is_refused(found):
    with pytest.raises(InvalidParameter, match="draw must be 'functions' or 'trees', got 'rows'"):
        ol.choose(found, sample=3, draw="rows").set_index("fingerprint")
    with pytest.raises(ValueError, match="sample must be a whole number from 1"):
        ol.choose(found, sample=0, draw="trees").set_index("fingerprint")
    with pytest.raises(ValueError, match="no tree in this view"):
        ol.choose(found.where(member.min_leaf >= 10**6), sample=3, draw="trees").set_index(
            "fingerprint"
        )


def test_an_incomplete_set_says_so(found, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot", reason="draws")
    assert ol.choose(found).set_index("fingerprint").attrs["complete"]
    monkeypatch.setattr(type(found), "complete", property(lambda self: False))
    monkeypatch.setattr(type(found), "incomplete", property(lambda self: "incomplete: a test"))
    with pytest.warns(IncompleteSet, match="choose is about the trees of this part alone"):
        table = ol.choose(found).set_index("fingerprint")
    assert not table.attrs["complete"]
    assert table.attrs["incomplete"] == "incomplete: a test"
    with pytest.warns(IncompleteSet, match="plot_map is about"):
        ax = ol.plots.plot_map(found)
    assert "of an incomplete set" in ax.get_title()
    plt.close(ax.figure)
