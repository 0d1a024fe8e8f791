"""What tests of importance share."""

import pytest

from orderless.importance.rid import rid


@pytest.fixture
def watch(monkeypatch):
    """Fit an estimator, and give it with its ``Bootstraps``."""

    def fit(model, X, y):
        seen = []
        real = rid.in_parallel

        def spy(work, numbers, n_jobs):
            seen.append(work)
            return real(work, numbers, n_jobs)

        monkeypatch.setattr(rid, "in_parallel", spy)
        model.fit(X, y)
        monkeypatch.setattr(rid, "in_parallel", real)
        return model, seen[0]

    return fit
