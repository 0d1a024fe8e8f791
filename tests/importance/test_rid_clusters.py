"""RashomonImportance in other processes, and on real clusters of this machine."""

import joblib
import pytest

import orderless as ol

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def data():
    X, y = ol.datasets.load("iris_virginica")
    binarizer = ol.Binarizer((0.33, 0.66)).set_output(transform="pandas").fit(X)
    return binarizer.transform(X), y, binarizer.space_


def shares(data, **given):
    X, y, space = data
    found = ol.RashomonImportance(12, random_state=1, space=space, **given).fit(X, y)
    return [part.tobytes() for name in found.features_ for part in found.distribution(name)]


def test_processes(data):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert shares(data) == shares(data, n_jobs=1)


def test_dask(data, tmp_path):
    distributed = pytest.importorskip("distributed")
    alone = shares(data)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        with joblib.parallel_config(backend="dask"):
            assert shares(data, checkpoint=tmp_path / "run") == alone
        ran = client.run(lambda: sum("orderless" in name for name in __import__("sys").modules))
        assert len(ran) == 2
        assert any(ran.values())  # the work was done over there
    assert len((tmp_path / "run").read_text().splitlines()) == 13


@pytest.mark.filterwarnings("default")  # of Ray's own
def test_ray(data):
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    alone = shares(data)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        register_ray()
        with joblib.parallel_config(backend="ray", n_jobs=2):
            assert shares(data) == alone
    finally:
        ray.shutdown()
