"""A notebook shows a set of any size at once: nothing is counted for it."""

import numpy as np
import pytest

import orderless as ol
from orderless.errors import TooLarge


@pytest.fixture(scope="module")
def found():
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 3)
    return ol.RashomonSet(max_depth=2, epsilon=0.2).fit(X, X[:, 0])


def test_a_set_with_too_many_functions_is_shown(found):
    with pytest.raises(TooLarge):
        len(found.trees_.functions(limit=0))
    page = found._repr_mimebundle_()["text/html"]
    assert f"{found.trees_.n_trees} trees, objectives" in page


def test_what_fit_learned_is_shown(found):
    page = found._repr_mimebundle_()["text/html"]
    if hasattr(ol.RashomonSet.__mro__[-2], "_get_fitted_attr_html"):  # scikit-learn shows it
        assert "n_features_in_" in page
        assert "binarizer_" in page


def test_a_set_that_is_not_fitted_is_shown():
    assert "RashomonSet" in ol.RashomonSet()._repr_mimebundle_()["text/html"]
