"""``predict_file`` on very many generated rows: ``python -m benchmarks.huge [--rows 100000000]``.

Not part of a run: 10^8 rows take 3 GB of disk twice over, and minutes. Says time, throughput and
peak memory, and compares the first and the last million rows with ``predict``.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import orderless as ol
from orderless.connect import predict_file
from orderless.model.feature import Column, Condition, Feature
from orderless.model.space import Space

from .data import one_tree
from .timing import machine

PIECE = 1_000_000
COLORS = ("red", "green", "dark blue")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.huge", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--needed", choices=["smallest", "next", "none"], default="smallest")
    given = parser.parse_args()
    tree = _tree()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.parquet"), Path(folder, "out.parquet")
        _generate(source, given.rows)
        print(machine(("orderless", "numpy", "pyarrow")))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall, processor = time.perf_counter(), time.process_time()
        done = predict_file(
            tree, source, target, needed=None if given.needed == "none" else given.needed
        )
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert done.n_rows == given.rows
        _check(tree, target)
        print(
            f"{given.rows:,} rows ({source.stat().st_size / 1e9:.1f} GB of Parquet; 6 float32, a "
            f"text and a boolean column, a fifth unknown), a tree of {tree.n_leaves} leaves, "
            f"needed: {given.needed}: {wall:.0f} s on the wall, {processor:.0f} s of processor "
            f"time, {given.rows / wall / 1e6:.2f} M rows/s, peak memory {peak / 1e3:.0f} MB "
            f"({before / 1e3:.0f} MB before it began). {done}."
        )


def _tree() -> ol.Tree:
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(0)
    X = random.random((20_000, 8), dtype=np.float32)
    X[:, 6:] = X[:, 6:] < 0.4
    y = (X[:, 0] + X[:, 1] > 1) ^ (X[:, -1] > 0)
    space = Space(
        [*(Feature(f"x{i}", values="float32") for i in range(6)), Feature("seen", "boolean"),
         Feature("color", "categorical", categories=COLORS)],
        [*(Column(f"x{i}", f"x{i}") for i in range(6)), Column("seen", "seen"),
         Column("red", "color", Condition("color", among=("red",)))],
    )  # fmt: skip
    model = DecisionTreeClassifier(max_leaf_nodes=11, random_state=0).fit(X, y)
    return one_tree(model, space=space)


def _columns(random: np.random.Generator, n: int) -> dict[str, Any]:
    import pyarrow as pa

    def gaps() -> Any:
        return random.random(n, dtype=np.float32) < 0.2

    out = {f"x{i}": pa.array(random.random(n, dtype=np.float32), mask=gaps()) for i in range(6)}
    out["seen"] = pa.array(random.random(n, dtype=np.float32) < 0.5, mask=gaps())
    words = pa.array(COLORS)
    out["color"] = words.take(pa.array(random.integers(0, 3, n, dtype=np.int8), mask=gaps()))
    return out


def _generate(path: Path, n_rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(1)
    writer = None
    for start in range(0, n_rows, PIECE):
        table = pa.table(_columns(random, min(PIECE, n_rows - start)))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _check(tree: ol.Tree, path: Path) -> None:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    for group in (0, file.num_row_groups - 1):
        rows = file.read_row_group(group).to_pandas()
        wanted = tree.predict(rows[list(tree.space.names)])
        assert (rows["prediction"].astype(object).where(rows["determined"], None) == wanted)[
            rows["determined"]
        ].all()
        assert (wanted.isna() == ~rows["determined"]).all()


if __name__ == "__main__":
    main()
