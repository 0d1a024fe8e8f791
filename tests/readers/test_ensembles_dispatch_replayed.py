"""What is said of rows with gaps, asked of scikit-learn itself: completions, and every witness."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tests.readers import (
    test_ensembles_sklearn_averages as averages,
    test_ensembles_sklearn_boosted as boosted,
    test_ensembles_sklearn_hist as hist,
)
from tests.readers.test_ensembles_sklearn_averages import FINITE, table
from tests.slow_sums import hard_rows, read_sum

CASES = {
    f"{part.__name__.rpartition('_')[2]}: {name}": case
    for part in (averages, boosted, hist)
    for name, case in part.CLASSIFIERS.items()
}
N_ROWS, N_COMPLETIONS, N_WITNESSES = 100, 200, 20


@pytest.mark.parametrize("name", CASES)
def test_certain_rows_have_one_class_and_witnesses_have_two(name):
    """Completions are drawn among rows at the thresholds, where answers change."""
    model, n_classes = CASES[name]
    X, y = table(n_classes)
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        model.fit(X, y)
        ensemble = read_sum(model)
        rows = hard_rows(ensemble, X, n=4_000, edges=FINITE)
        answers = ensemble.predict(rows)
        assert not np.ma.getmaskarray(answers).any()
        assert np.array_equal(np.asarray(answers), model.predict(rows))
        gaps = rows[:N_ROWS].copy()
        gaps[rng.random(gaps.shape) < 0.3] = np.nan
        status, answers = ensemble.status(gaps), ensemble.predict(gaps)
        assert {"certain", "open"} == set(status.tolist())
        for i in np.flatnonzero(status == "certain"):
            completed = rows[rng.integers(0, len(rows), N_COMPLETIONS)]
            completed = np.where(np.isnan(gaps[i]), completed, gaps[i])
            assert (model.predict(completed) == answers[i]).all()
        for i in np.flatnonzero(status == "open")[:N_WITNESSES]:
            two = np.array(
                [list(row.values()) for row in ensemble.explain(gaps[i]).witness], dtype=float
            )
            known = ~np.isnan(gaps[i])
            assert (two[:, known] == gaps[i][known]).all()
            first, second = model.predict(two)
            assert first != second
