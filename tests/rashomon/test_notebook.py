"""A notebook shows a set of any size at once: nothing is counted for it."""

import numpy as np
import pytest

import orderless as ol
from orderless.errors import TooLarge
from orderless.rashomon import TreeSet


@pytest.fixture(scope="module")
def found():
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 3)
    return ol.RashomonSet(max_depth=2, epsilon=0.2).fit(X, X[:, 0])


@pytest.mark.parametrize("name", ["n_distinct", "n_distinct_aware", "n_distinct_rows"])
def test_a_set_with_too_many_functions_is_shown(found, name, monkeypatch):
    def too_large(self):
        raise TooLarge("there are more than limit=5,000,000 functions", met=5_000_001)

    monkeypatch.setattr(TreeSet, name, property(too_large))
    with pytest.raises(TooLarge):
        getattr(found.trees_, name)
    page = found._repr_mimebundle_()["text/html"]
    assert f"{found.trees_.n_trees} trees, objectives" in page


def test_what_fit_learned_is_shown(found):
    page = found._repr_mimebundle_()["text/html"]
    if hasattr(ol.RashomonSet.__mro__[-2], "_get_fitted_attr_html"):  # scikit-learn shows it
        assert "n_features_in_" in page
        assert "binarizer_" in page
    assert "n_distinct" not in page


def test_a_set_that_is_not_fitted_is_shown():
    assert "RashomonSet" in ol.RashomonSet()._repr_mimebundle_()["text/html"]
