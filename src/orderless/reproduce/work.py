"""``Work``: many independent pieces, in parallel, with progress, from the cache where possible.

In:  a module-level function and a list of JSON parameters.
Out: what it gives for each, in order.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

from ..inputs import counted
from .cache import Cache
from .cluster import CLUSTERS

__all__ = ["Work"]

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
        """Run a function on each set of parameters, those that are not in the cache.

        Parameters
        ----------
        piece : function at the top of a module
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
