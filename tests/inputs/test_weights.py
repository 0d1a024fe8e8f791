"""Sample weights: one for each row, numbers from 0 on."""

from fractions import Fraction

import numpy as np
import pytest

from orderless.errors import InvalidData
from orderless.inputs import exact_weights, float_weights


def test_weights_are_exact_or_floats():
    assert exact_weights([0.1, 2], 2) == [Fraction(1, 10), 2]
    assert float_weights(None, 2).tolist() == [1, 1]
    assert float_weights([1.0, 2.0], 2).dtype == np.int64
    assert float_weights([0.5, 2.0], 2).tolist() == [0.5, 2.0]


@pytest.mark.parametrize("read", [exact_weights, float_weights])
@pytest.mark.parametrize(
    ("given", "match"),
    [
        ([1], r"sample_weight has shape \(1,\), but there are 2 rows"),
        ([1, -1], "sample_weight has -1.* in row 1: weights must be finite numbers from 0 on"),
        ([np.nan, 1], "sample_weight has nan in row 0"),
        ([1, np.inf], "sample_weight has inf in row 1"),
        ([0, 0], "sample_weight is zero in every row"),
        (["a", "b"], "sample_weight must hold"),
    ],
)
def test_weights_that_are_refused(read, given, match):
    with pytest.raises(InvalidData, match=match):
        read(given, 2)
