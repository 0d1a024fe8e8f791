"""What several tests of the room share."""

import pytest
from sklearn.datasets import load_iris


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y
