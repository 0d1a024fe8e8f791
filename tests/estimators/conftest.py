"""What several tests of the room share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.4, np.nan, X)
    return X, np.array(["setosa", "versicolor", "virginica"])[y], gaps
