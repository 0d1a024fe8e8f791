"""RashomonImportance with a function of one's own as the importance."""

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidData

X = np.random.default_rng(0).integers(0, 2, (40, 4)).astype(float)
Y = (X[:, 0] + X[:, 1] + X[:, 2] >= 2).astype(int)
Y[::9] = 1 - Y[::9]


def fitted(importance, y=Y, **options):
    options = {"n_bootstraps": 6, "max_depth": 2, "random_state": 3, **options}
    return ol.RashomonImportance(importance=importance, **options).fit(X, y)


def values(rid, feature):
    return [array.tolist() for array in rid.distribution(feature)]


@pytest.mark.parametrize("options", [{}, {"loss": "squared", "regularization": 0.05}])
def test_the_librarys_own_as_a_function(options):
    y = Y if not options else Y * 2.5 + X[:, 3]
    ours, theirs = (
        fitted(kind, y, **options) for kind in ("permutation", ol.permutation_importance)
    )
    for j in range(4):
        for a, b in zip(values(ours, j), values(theirs, j), strict=True):
            assert np.allclose(a, b, rtol=1e-12, atol=1e-15)
    assert ours.n_functions_.tolist() == theirs.n_functions_.tolist()


def test_it_is_given_each_function_and_the_rows_of_its_sample():
    calls = []

    def importance(tree, bits, labels):
        calls.append((tree.fingerprint, bits.shape, set(labels.tolist())))
        wrong = np.mean(np.asarray(tree.predict(bits)) != labels)
        return [wrong, len(tree.features), 0, 1]

    rid = fitted(importance)
    assert len(calls) == rid.n_functions_.sum()
    assert {shape for _, shape, _ in calls} == {X.shape}
    assert all(labels <= {0, 1} for *_, labels in calls)
    errors, _ = rid.distribution(0)
    assert 0 <= errors.min() <= errors.max() < 0.5
    assert rid.distribution(3)[0].tolist() == [1.0]
    sizes, shares = rid.distribution(1, pooled=True, correct_equivalence=True)
    assert sizes.tolist() == sorted({float(n) for n in sizes})
    assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("result", [[1, 2, 3], [1, 2, 3, np.nan], [[1, 2, 3, 4]], 0.5])
def test_what_it_returns_is_checked(result):
    with pytest.raises(InvalidData, match="4 finite numbers"):
        fitted(lambda tree, bits, labels: result)


def test_a_checkpoint_cannot_know_it(tmp_path):
    with pytest.raises(ValueError, match="checkpoint"):
        fitted(ol.permutation_importance, checkpoint=tmp_path / "samples.jsonl")
