"""random_state: an int, a RandomState, a Generator or None."""

import numpy as np
import pytest

from orderless.inputs import generator, whole_seed


def test_the_same_seed_gives_the_same_numbers():
    assert generator(3).integers(1000) == generator(np.int64(3)).integers(1000)
    random = np.random.default_rng(0)
    assert generator(random) is random
    one, two = (generator(np.random.RandomState(5)).integers(2**40) for _ in range(2))
    assert one == two
    assert whole_seed(7) == 7
    assert whole_seed(np.random.default_rng(1)) == whole_seed(np.random.default_rng(1)) < 2**63
    assert 0 <= whole_seed(None) < 2**63


@pytest.mark.parametrize("bad", [-1, True, 1.5, "seed", [1]])
def test_seeds_that_are_none(bad):
    for read in (generator, whole_seed):
        with pytest.raises(ValueError, match="random_state must be a whole number from 0"):
            read(bad)
