"""``cluster``: where the pieces run, when that is a Dask or a Ray cluster.

In:  the name of a joblib backend.
Out: a context in which joblib knows it.

A cluster that the caller is connected to is used; else the one that the environment names
(``DASK_SCHEDULER_ADDRESS``, ``RAY_ADDRESS``); else one is started on this machine, which listens on
its loopback address only, and is stopped at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..errors import InvalidData, setting
from ..inputs import to_install

__all__ = ["CLUSTERS", "check_backend", "cluster"]

CLUSTERS = {"dask": "distributed", "ray": "ray"}
HOST = "127.0.0.1"


def check_backend(backend: str) -> None:
    """Refuse a backend that joblib does not have, or that is not installed.

    Parameters
    ----------
    backend : str

    Raises
    ------
    InvalidData
        With the names that there are, or what to install.
    """
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    known = {*BACKENDS, *EXTERNAL_BACKENDS, *CLUSTERS}
    if backend not in known:
        raise InvalidData(
            f"{setting('backend')} must be one of {', '.join(sorted(known))}, got {backend!r:.80}"
        )
    package = CLUSTERS.get(backend)
    if package is not None and find_spec(package) is None:
        raise InvalidData(f"{setting('backend', backend)} needs {package}: {to_install(package)}")


@contextmanager
def cluster(backend: str | None, n_jobs: int) -> Iterator[None]:
    """Connect to the cluster that a backend stands for; do nothing for other backends.

    Parameters
    ----------
    backend : str or None
    n_jobs : int
        How many processes a cluster on this machine gets; 1 or less: as many as processors.
    """
    if backend is not None:
        check_backend(backend)
    workers = n_jobs if n_jobs > 1 else None
    if backend == "dask":
        with _dask(workers):
            yield
    elif backend == "ray":
        with _ray(workers):
            yield
    else:
        yield


@contextmanager
def _dask(workers: int | None) -> Iterator[None]:
    distributed: Any = import_module("distributed")
    try:
        distributed.default_client()
    except ValueError:  # not connected
        pass
    else:
        yield
        return
    if address := os.environ.get("DASK_SCHEDULER_ADDRESS"):
        with distributed.Client(address):
            yield
        return
    options = {"host": HOST, "dashboard_address": None, "threads_per_worker": 1}
    with (
        distributed.LocalCluster(n_workers=workers or os.cpu_count(), **options) as here,
        distributed.Client(here),
    ):
        yield


@contextmanager
def _ray(workers: int | None) -> Iterator[None]:
    ray: Any = import_module("ray")
    import_module("ray.util.joblib").register_ray()
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"log_to_driver": False}
    if not os.environ.get("RAY_ADDRESS"):
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options |= {"num_cpus": workers, "include_dashboard": False, "_node_ip_address": HOST}
    ray.init(**options)
    try:
        yield
    finally:
        ray.shutdown()
