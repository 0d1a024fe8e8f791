"""The feature to ask next always matters."""

import numpy as np
import pytest
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidData
from orderless.questions import asking

from ..oracle_ensemble_rows import draw, partial_row


def matters(case, row, name):
    """Whether two completions differ in one feature alone, and in their answer."""
    groups = {}
    for done in case.completions(row):
        rest = tuple(str(value) for own, value in done.items() if own != name)
        groups.setdefault(rest, set()).add(case.says(done))
    return any(len(said) > 1 for said in groups.values())


@pytest.mark.parametrize("draws", [64, 1])
@pytest.mark.parametrize("seed", range(40))
def test_the_feature_matters(seed, draws, monkeypatch):
    monkeypatch.setattr(asking, "DRAWS", draws)
    case = draw(seed, rule=("largest", "cuts", "number")[seed % 3])
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    rows = [partial_row(case, random) for _ in range(8)]
    found = ensemble.ask_next(rows)
    for row, name, status in zip(rows, found.tolist(), ensemble.status(rows), strict=True):
        assert (name is None) == (status == "certain")
        if name is not None:
            assert name not in row
            assert matters(case, row, name)
    assert found.tolist() == ensemble.ask_next(rows).tolist()


def test_costs_count():
    tree = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
            "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
    ensemble = as_ensemble(ol.read(tree))
    assert ensemble.ask_next([{}], {"x0": 1, "x1": 9}).tolist() == ["x0"]
    assert ensemble.ask_next([{}], {"x0": 9, "x1": 1}).tolist() == ["x1"]
    assert ensemble.ask_next([{}], {"x0": 9, "x1": 0}).tolist() == ["x1"]
    with pytest.raises(InvalidData, match="no cost for 'x1'"):
        ensemble.ask_next([{}], {"x0": 9})
