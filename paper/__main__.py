"""``python -m paper``: the paper's tables and figures, beside what was published."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from orderless.errors import InvalidData

from .run import run, targets


def main() -> None:
    """Run the targets that the command line names, or list them all."""
    parser = argparse.ArgumentParser(
        prog="python -m paper",
        description="Run tables and figures of the paper, and write what came out beside what was "
        "published. Without a name, the targets are listed. Interrupted work continues where it "
        "stopped.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets, or all")
    parser.add_argument(
        "--quick", action="store_true", help="a small version that takes seconds, not the paper's"
    )
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="do not reuse pieces that were finished before with these parameters, data and code",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="pieces to run at once; -1: one per processor"
    )
    parser.add_argument(
        "--backend",
        help="a backend of joblib: loky (processes), threading, dask or ray (the cluster that "
        "DASK_SCHEDULER_ADDRESS or RAY_ADDRESS names, else one on this machine)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("build/paper"), metavar="FOLDER",
        help="for the pages, one per target with its tables and figures, and for the cache",
    )  # fmt: skip
    options = parser.parse_args()
    if not options.names:
        width = max(len(target.name) for target in targets())
        for target in targets():
            sys.stdout.write(f"{target.name:{width}}  {target.title} ({target.place})\n")
        return
    if options.jobs == 0:
        parser.error("--jobs must be 1 or more, or -1 for all processors, got 0")
    if options.output.exists() and not options.output.is_dir():
        parser.error(f"{options.output} is a file: give --output the name of a folder")
    try:
        run(
            options.names,
            options.output,
            quick=options.quick,
            cache=options.cache,
            n_jobs=options.jobs,
            backend=options.backend,
            announce=lambda line: sys.stdout.write(f"{line}\n"),
        )
    except InvalidData as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
