"""``Work``: many independent pieces, in parallel, with progress, from the cache where possible.

In:  a module-level function and a list of JSON parameters.
Out: what it gives for each, in order.

``Cache`` keeps finished pieces by content, so that an interrupted run continues where it stopped.
Entries are JSON, never pickle. One that is truncated, misplaced or edited does not match its own
checksum, and is computed again.

``cluster`` is where the pieces run if the backend is Dask or Ray: the cluster that the caller is
connected to; else the one that the environment names (``DASK_SCHEDULER_ADDRESS``, ``RAY_ADDRESS``);
else one on this machine, which listens on its loopback address only, and is stopped at the end.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orderless as ol
from orderless.errors import InvalidData, named, setting
from orderless.inputs import counted, to_install, write_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cache", "Work", "check_backend", "cluster", "code_version", "data_version"]

CLUSTERS = {"dask": "distributed", "ray": "ray"}
FORMAT = 1
HOST = "127.0.0.1"

Piece = Callable[..., Any]


class Work:
    """Runs pieces of the studies.

    Parameters
    ----------
    cache : Cache
    n_jobs : int
        As joblib takes it.
    backend : str or None
        A joblib backend: "loky" (processes), "threading", "dask" or "ray" (inside ``cluster``;
        with ``n_jobs=1`` all of the cluster).
    progress : bool or None
        None: shown when standard error is a terminal.

    Attributes
    ----------
    done, taken : int
        Pieces run, and pieces taken from the cache, so far.
    """

    def __init__(
        self,
        cache: Cache,
        *,
        n_jobs: int = 1,
        backend: str | None = None,
        progress: bool | None = None,
    ) -> None:
        self.cache, self.backend = cache, backend
        self.n_jobs = -1 if backend in CLUSTERS and n_jobs == 1 else n_jobs
        self.done = self.taken = 0
        self.progress = progress

    def map(self, piece: Piece, parameters: Iterable[dict[str, Any]], label: str) -> list[Any]:
        """Run a function on each set of parameters that is not in the cache.

        Parameters
        ----------
        piece : module-level function
            Takes the parameters by name; gives JSON values.
        parameters : iterable of dict
            JSON values.
        label : str
            What the progress bar calls it.

        Returns
        -------
        list
            In the order of the parameters, each as JSON gives it back: the first run and one
            from the cache are the same.
        """
        todo = list(parameters)
        name = f"{piece.__module__}.{piece.__qualname__}"
        keys = [self.cache.key(name, each) for each in todo]
        found = [self.cache.get(key) for key in keys]
        left = [i for i, value in enumerate(found) if value is None]
        taken = len(todo) - len(left)
        self.taken += taken
        bar = counted(label, len(todo), taken, show=self.progress)
        with bar as step, warnings.catch_warnings():
            # joblib replaces a worker that has grown; its pieces are run all the same.
            warnings.filterwarnings("ignore", "A worker stopped while some jobs")
            for i, value in zip(left, self._run(piece, [todo[i] for i in left]), strict=True):
                found[i] = json.loads(json.dumps(value))
                self.cache.put(keys[i], found[i])
                self.done += 1
                step()
        return found

    def table(self, piece: Piece, parameters: list[dict[str, Any]], label: str) -> pd.DataFrame:
        """Run pieces that give rows (see ``map``): all rows, each beside its piece's parameters."""
        import pandas as pd

        found = self.map(piece, parameters, label)
        return pd.DataFrame(
            [{**own, **row} for own, rows in zip(parameters, found, strict=True) for row in rows]
        )

    def _run(self, piece: Piece, todo: list[dict[str, Any]]) -> Iterable[Any]:
        if (self.n_jobs == 1 and self.backend is None) or len(todo) < 2:
            return (piece(**each) for each in todo)
        from joblib import Parallel, delayed, parallel_config

        chosen: Any = (
            nullcontext()
            if self.backend is None
            else parallel_config(backend=self.backend, n_jobs=self.n_jobs)
        )
        with chosen:
            calls = [delayed(piece)(**each) for each in todo]
            try:
                parallel = Parallel(n_jobs=self.n_jobs, return_as="generator")
            except ValueError:  # a backend that gives its results all at the end
                parallel = Parallel(n_jobs=self.n_jobs)
            results: Iterable[Any] = parallel(calls)
        return results


# -- the cache -------------------------------------------------------------------------------------


@cache
def code_version() -> str:
    """Hash this folder, and the installed package with its compiled core: 16 hex digits."""
    total = sha256()
    for folder in (Path(__file__).parent, Path(ol.__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    from orderless import _core

    total.update(Path(_core.__file__).read_bytes())
    return total.hexdigest()[:16]


@cache
def data_version(name: str) -> str:
    """Hash a data set, named as ``orderless.datasets.load`` takes it: 16 hex digits."""
    from pandas.util import hash_pandas_object

    frame = ol.datasets.load(name).frame
    total = sha256("\0".join(map(str, frame.columns)).encode())
    total.update(hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return total.hexdigest()[:16]


class Cache:
    """Finished pieces in a folder; without a folder, nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def key(self, piece: str, parameters: dict[str, Any]) -> str:
        """Name a piece by its content: the function, its JSON parameters, the data and the code.

        The data set that "dataset" names among the parameters, if any, is hashed too.
        """
        data = data_version(parameters["dataset"]) if "dataset" in parameters else ""
        text = json.dumps([FORMAT, piece, parameters, data, code_version()], sort_keys=True)
        return sha256(text.encode()).hexdigest()

    def get(self, key: str) -> Any:
        """Give what was kept under a key, or None."""
        if self.folder is None:
            return None
        try:
            entry = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            whole = entry["key"] == key and entry["sum"] == _checksum(entry["value"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return entry["value"] if whole else None

    def put(self, key: str, value: Any) -> None:
        """Keep a value: the entry is written whole or not at all."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        entry = {"key": key, "sum": _checksum(value), "value": value}
        write_whole(self.folder / f"{key}.json", json.dumps(entry))


def _checksum(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


# -- clusters --------------------------------------------------------------------------------------


def check_backend(backend: str) -> None:
    """Refuse a backend that joblib does not have, or that is not installed.

    Raises
    ------
    InvalidData
        With the names of all backends, or what to install.
    """
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    known = {*BACKENDS, *EXTERNAL_BACKENDS, *CLUSTERS}
    if backend not in known:
        raise InvalidData(
            f"{named('backend')} must be one of {', '.join(sorted(known))}, got {backend!r:.80}"
        )
    package = CLUSTERS.get(backend)
    if package is not None and find_spec(package) is None:
        raise InvalidData(f"{setting('backend', backend)} needs {package}: {to_install(package)}")


@contextmanager
def cluster(backend: str | None, n_jobs: int) -> Iterator[None]:
    """Connect to the cluster that a backend stands for; do nothing for other backends.

    A cluster on this machine gets ``n_jobs`` processes; with 1 or less, as many as processors.
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
