"""Trees that can be left out: no row gets another class."""

import numpy as np
import pytest
from fact_sums import Drawn

import orderless as ol

from ..ensembles.test_answers import forest
from ..oracle_ensemble_rows import draw


@pytest.mark.parametrize("seed", range(60))
def test_no_row_changes(seed):
    case = draw(seed, kind="points" if seed % 2 else None)
    ensemble = case.ensemble()
    fewer = ensemble.without_idle_trees(time_limit=1e5)
    assert fewer.n_trees <= ensemble.n_trees
    rows = case.completions({})
    assert fewer.predict(rows).tolist() == ensemble.predict(rows).tolist()


def test_what_never_decides_goes():
    """The last of five votes never decides, if the first counts for three."""
    votes = forest(4)
    heavy = votes.replace(values=[[[5.0, 0.0], [0.0, 5.0]], *votes.kernel.values[1:]])
    fewer = heavy.without_idle_trees()
    assert fewer.n_trees == 1
    assert fewer.features == ("a",)
    assert fewer.kernel.adding.divisor == 1.0
    assert ol.equivalent(fewer, heavy)
    assert forest(3).without_idle_trees() == forest(3)
    # Without time nothing is proven but what adds nothing at all.
    assert votes.without_idle_trees(time_limit=0).n_trees >= 3


def test_ties_are_kept():
    """Of four votes none is idle: a tie goes to the first class."""
    rows = np.array([[a, b, c, d] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)])
    fewer = forest(4).without_idle_trees()
    assert fewer.predict(rows).tolist() == forest(4).predict(rows).tolist()


@pytest.mark.parametrize("rule", ["largest", "cuts"])
def test_no_possible_row_changes(rule):
    """Trees that differ on rows alone that facts exclude are idle."""
    by_facts = 0
    for seed in range(7100, 7160):
        drawn = Drawn(seed, rule)
        if not drawn.found.possible:
            continue
        model = drawn.model()
        fewer = model.without_idle_trees(time_limit=None)
        for row in drawn.found.possible:
            assert fewer.predict([row]).tolist() == [drawn.says(row)], (seed, row)
        free = model.with_space(model.space.without_facts())
        by_facts += fewer.n_trees < free.without_idle_trees(time_limit=None).n_trees
    assert by_facts > 0
