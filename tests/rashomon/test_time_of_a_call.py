"""The time limit is for the call: for finding thresholds, too, and for all that is searched."""

import numpy as np
import pytest

import orderless as ol
from orderless.errors import OutOfTime

X = np.random.default_rng(0).normal(size=(200, 4))
Y = X[:, 0] > X[:, 1]


class Waiting(ol.Binarizer):
    """A binarizer whose answer comes late."""

    def fit_until(self, end, X, y=None):
        self.clock()
        return super().fit_until(end, X, y)


@pytest.mark.parametrize("on_limit", ["raise", "part"])
@pytest.mark.parametrize("loss", ["errors", "squared"])
def test_thresholds_are_guessed_within_the_limit(loss, on_limit):
    rset = ol.RashomonSet(2, 0.01, 0.02, time_limit=1e-9, on_limit=on_limit, loss=loss)
    with pytest.raises(OutOfTime, match="thresholds"):
        rset.fit(X, Y if loss == "errors" else X[:, 0].round(1))


def test_a_binarizer_that_comes_late_is_too_late(monkeypatch):
    now = [0.0]
    late = lambda self: now.__setitem__(0, now[0] + 3)  # noqa: E731
    monkeypatch.setattr(Waiting, "clock", late, raising=False)
    for name in ("rashomon_set", "thresholds"):
        monkeypatch.setattr(f"orderless.rashomon.{name}.monotonic", lambda: now[0])
    with pytest.raises(OutOfTime, match="thresholds"):
        ol.RashomonSet(2, 0.01, 0.02, time_limit=2, thresholds=Waiting(3)).fit(X, Y)
    rset = ol.RashomonSet(2, 0.01, 0.02, time_limit=4, thresholds=Waiting(3))
    assert rset.fit(X, Y).trees_.n_trees


def test_what_finding_thresholds_takes_is_not_there_for_the_search(monkeypatch):
    """Of four seconds three are spent, so that one is left for the search."""
    from orderless import _core

    now, granted = [0.0], []
    late = lambda self: now.__setitem__(0, now[0] + 3)  # noqa: E731
    monkeypatch.setattr(Waiting, "clock", late, raising=False)
    for name in ("rashomon_set", "thresholds", "caps"):
        monkeypatch.setattr(f"orderless.rashomon.{name}.monotonic", lambda: now[0])
    search = _core.rashomon.Search

    def watched(*given):
        granted.append(given[5])
        return search(*given)

    monkeypatch.setattr(_core.rashomon, "Search", watched)
    ol.RashomonSet(2, 0.01, 0.02, time_limit=4, thresholds=Waiting(3)).fit(X, Y)
    assert granted == [1.0]
    granted.clear()
    rset = ol.RashomonSet(2, 0.01, 0.02, time_limit=4, on_limit="part", thresholds=Waiting(3))
    rset.fit(X, Y)
    assert granted == [0.5]  # the other half is for a part of the set
