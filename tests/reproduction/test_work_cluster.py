"""The reproduction on real clusters of this machine: the same as in one process."""

import pytest

from orderless.errors import InvalidData
from paper.run import run
from paper.work import CLUSTERS, Cache, Work, check_backend, cluster

NAME = "figure-missingness-datasets"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    run(NAME, folder, quick=True)
    return (folder / f"{NAME}.csv").read_bytes()


@pytest.mark.engine
@pytest.mark.filterwarnings("default")  # of Ray's own
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_on_a_cluster(backend, alone, tmp_path, monkeypatch):
    pytest.importorskip(CLUSTERS[backend])
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    run(NAME, tmp_path, quick=True, cache=False, backend=backend, n_jobs=2)
    assert (tmp_path / f"{NAME}.csv").read_bytes() == alone


@pytest.mark.engine
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_the_work_is_done_in_processes_of_the_cluster(backend):
    pytest.importorskip(CLUSTERS[backend])

    def who(i):  # not of a module, which the workers would have to import
        import os

        return {"i": i, "process": os.getpid()}

    with cluster(backend, 2):
        found = Work(Cache(None), backend=backend).map(who, [{"i": i} for i in range(4)], "x")
    assert [each["i"] for each in found] == [0, 1, 2, 3]
    assert who(0)["process"] not in [each["process"] for each in found]


@pytest.mark.engine
def test_a_connection_that_is_there_is_kept():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(host="127.0.0.1", **options) as here:
        with distributed.Client(here) as client:
            with cluster("dask", 2):
                assert distributed.default_client() is client
            assert client.status == "running"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DASK_SCHEDULER_ADDRESS", here.scheduler_address)
            with cluster("dask", 2):
                there = distributed.default_client().scheduler.address
                assert there == here.scheduler_address


def test_backends_that_cannot_be_used_are_refused(monkeypatch, tmp_path):
    with pytest.raises(
        InvalidData, match=r"backend must be one of dask, loky, .*ray.* got 'abacus'"
    ):
        check_backend("abacus")
    check_backend("loky")
    monkeypatch.setattr("paper.work.find_spec", lambda name: None)
    for backend, package in CLUSTERS.items():
        text = rf"backend='{backend}' needs {package}: pip install 'orderless\[cluster\]'"
        with pytest.raises(InvalidData, match=text):
            run("figure-and", tmp_path, backend=backend)
