"""One tree of an ensemble says the same of every row."""

import re

import numpy as np
import pytest

import orderless as ol
from orderless.errors import OutOfTime, TooLarge
from orderless.model import Rule
from tests.questions.test_compare import forest

from ..oracle_ensemble_rows import draw


@pytest.mark.parametrize("seed", range(80))
def test_one_tree_says_the_same_of_every_row(seed):
    case = draw(seed)
    ensemble = case.ensemble()
    tree = ensemble.to_tree()
    rows = case.completions({})
    rows = rows[:: max(1, len(rows) // 400)]
    assert tree.predict(rows).tolist() == [case.says(row) for row in rows]
    assert tree.task == ensemble.task
    if case.rule.kind != "number":
        assert tree.classes == case.classes
        assert ol.equivalent(ensemble, tree)


def test_all_other_answers_apply():
    tree = forest(3, depth=2).to_tree()
    assert "IF " in ol.canonicalize(tree).to_text()


def test_it_says_how_large_it_would_be():
    with pytest.raises(TooLarge, match=r"limit=50 leaves: \d+ leaves settle .*% of the cells") as e:
        forest(20).to_tree(limit=50)
    assert e.value.met <= 50
    about = re.search(r"boxes are left, so that it may take about ([\d,]+); raise", str(e.value))
    assert int(about[1].replace(",", "")) > 50


def test_how_large_it_would_be_is_estimated_well():
    """Ways down that were drawn: between a third and three times of what it takes."""
    ensemble = forest(4, depth=2)
    whole = ensemble.to_tree().n_leaves
    assert whole > 40
    with pytest.raises(TooLarge) as e:
        ensemble.to_tree(limit=20)
    about = int(re.search(r"about ([\d,]+);", str(e.value))[1].replace(",", ""))
    assert whole / 3 < about < 3 * whole


def test_limits_are_read():
    with pytest.raises(OutOfTime, match=r"time_limit=0 seconds"):
        forest(20).to_tree(time_limit=0)
    with pytest.raises(ValueError, match="at least one box"):
        forest(2).to_tree(limit=0)


def test_a_cell_within_rounding_has_no_class():
    near = forest(2, depth=1)
    near = near.replace(rule=Rule("largest", window=10.0))
    with pytest.raises(ol.Undecided, match="nearer to a tie") as e:
        near.to_tree()
    assert e.value.why == "rounding"


def test_a_single_leaf():
    case = draw(33, rule="cuts")
    tree = case.ensemble().to_tree()
    assert isinstance(tree, ol.Tree)
    assert tree.n_leaves >= 1
    assert np.all(tree.nodes.leaf_class[tree.nodes.feature < 0] >= 0)
