"""``run``: one target of the paper, or all of them.

In:  names of targets.
Out: a folder of pages, with an index.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from orderless.errors import InvalidData
from orderless.inputs import write_whole

from . import (
    certain_ensembles,
    cost,
    gini,
    higgs,
    introduction,
    missingness,
    rashomon_size,
    rid,
)
from .page import Line, added_text, because, write_index, write_page
from .protocol import forget
from .target import Setting, Target
from .work import Cache, Work, cluster

__all__ = ["ALIASES", "TARGETS", "run", "targets"]

_MODULES = (
    introduction, rashomon_size, gini, rid, missingness, cost, higgs, certain_ensembles,
)  # fmt: skip
TARGETS: dict[str, Target] = {
    target.name: target for module in _MODULES for target in module.TARGETS
}
ALIASES = {"table-1": "table-rashomon-size"}


def targets() -> tuple[Target, ...]:
    """List the targets, in the order of the paper.

    Returns
    -------
    tuple of Target
        With ``name``, ``title`` and ``place``.

    Examples
    --------
    >>> targets()[0].name
    'figure-and'
    """
    return tuple(TARGETS.values())


def run(
    names: str | Sequence[str] = "all",
    folder: str | Path = "build/paper",
    *,
    quick: bool = False,
    cache: bool = True,
    n_jobs: int = 1,
    backend: str | None = None,
    progress: bool | None = None,
    announce: Callable[[str], Any] | None = None,
) -> list[Line]:
    """Run tables and figures of the paper, and write what came out beside what was published.

    Parameters
    ----------
    names : str or sequence of str
        Targets, or "all".
    folder : path
        Gets one page per target (Markdown, CSV, PNG, SVG), ``index.md`` and ``added.md`` (what is
        gained where thresholds are understood) when several are run, and the cache.
    quick : bool
        Run a small version that takes seconds, instead of the paper's size.
    cache : bool
        Whether pieces that were finished before, with these parameters, this data and this code,
        are taken from the folder's cache.
    n_jobs, backend
        As joblib takes them. With "dask" and "ray": the cluster that the caller is connected to,
        else the one that the environment names (``DASK_SCHEDULER_ADDRESS``, ``RAY_ADDRESS``), else
        one on this machine.
    progress : bool, optional
        Whether to show progress; by default only on a terminal.
    announce : function, optional
        Called with a line of text when a target is done.

    Returns
    -------
    list of (Target, Outcome, seconds)

    Raises
    ------
    InvalidData
        A name is not a target; a backend does not exist or is not installed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     ((target, outcome, seconds),) = run("figure-and", place, quick=True)
    >>> outcome.verdict
    'equal'
    """
    chosen = _chosen([names] if isinstance(names, str) else list(names))
    place = Path(folder)
    forget()
    kept = Cache(place / "cache" if cache else None)
    work = Work(kept, n_jobs=n_jobs, backend=backend, progress=progress)
    lines: list[Line] = []
    with cluster(backend, n_jobs):
        for target in chosen:
            start = time.perf_counter()
            outcome = target.make(Setting(quick, work))
            page = write_page(target, outcome, place, quick=quick)
            lines.append((target, outcome, time.perf_counter() - start))
            if announce is not None:
                announce(
                    f"{target.name}: {outcome.verdict}{because(outcome, 80)} "
                    f"({lines[-1][2]:.1f} s), see {page}"
                )
            if len(chosen) > 1:
                write_index(lines, place, quick=quick, about=_about(work, n_jobs, backend))
                if added := added_text({each.name: out for each, out, _ in lines}):
                    write_whole(place / "added.md", added)
    return lines


def _chosen(names: list[str]) -> list[Target]:
    out: dict[str, Target] = {}
    for name in names:
        if name == "all":
            out.update(TARGETS)
            continue
        known = ALIASES.get(name, name)
        if known not in TARGETS:
            raise InvalidData(
                f"there is no target {name!r:.80}: it must be all, or one of "
                f"{', '.join([*TARGETS, *ALIASES])}"
            )
        out[known] = TARGETS[known]
    return list(out.values())


def _about(work: Work, n_jobs: int, backend: str | None) -> str:
    from importlib.metadata import version

    import numpy
    import sklearn

    how = f"`--jobs {n_jobs}`" + (f" `--backend {backend}`" if backend else "")
    return (
        f"orderless {version('orderless')}, Python {platform.python_version()}, "
        f"numpy {numpy.__version__}, scikit-learn {sklearn.__version__}; "
        f"{platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} processors; {how}; {work.done:,} pieces of work were run, "
        f"{work.taken:,} taken from the cache."
    )
