"""Runs written JavaScript in Node, one process for all tests: rows in, answers out."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from typing import Any

import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node here; the browser tests run it too")

# Values that JSON has no way to say are written as {"$": name}; the page's tests use it, too.
REVIVE = """
const revive = (key, value) => {
  if (value === null || typeof value !== "object" || !("$" in value)) return value;
  const odd = {nan: NaN, inf: Infinity, "-inf": -Infinity};
  if (value.$ in odd) return odd[value.$];
  return BigInt(value.$);
};
const plain = (key, value) => typeof value === "bigint" ? {$: String(value)} : value;
const attempt = (work) => {
  try { return work(); } catch (fault) { return {fault: String(fault)}; }
};
"""
HOST = (
    REVIVE
    + """
const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  const {source, work, rows} = JSON.parse(line, revive);
  const found = attempt(() => {
    const own = {};
    new Function("globalThis", source)(own);
    const apply = new Function("orderless", "row", "return " + work);
    return rows.map((row) => attempt(() => apply(own.orderless, row)));
  });
  process.stdout.write(JSON.stringify(found, plain) + "\\n");
});
"""
)
_running: list[subprocess.Popen[str]] = []


def packed(value: Any) -> Any:
    """Write a value as JSON can hold it."""
    if isinstance(value, dict):
        return {key: packed(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [packed(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"$": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return {"$": str(value)}
    return value


def unpacked(value: Any) -> Any:
    if isinstance(value, dict) and "$" in value:
        return int(value["$"])
    return [unpacked(part) for part in value] if isinstance(value, list) else value


def run(source: str, rows: list[Any], work: str = "orderless.decide(row)") -> list[Any]:
    """Run the script over rows; give its answers, {"fault": message} where it threw."""
    if not _running:
        assert NODE is not None
        _running.append(
            subprocess.Popen(
                [NODE, "-e", HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                encoding="utf-8",
            )
        )  # fmt: skip
    node = _running[0]
    assert node.stdin is not None
    assert node.stdout is not None
    node.stdin.write(json.dumps({"source": source, "work": work, "rows": packed(rows)}) + "\n")
    node.stdin.flush()
    answer = json.loads(node.stdout.readline())
    assert isinstance(answer, list), answer
    return [unpacked(one) for one in answer]


def stop() -> None:
    for node in _running:
        assert node.stdin is not None
        node.stdin.close()
        node.wait(timeout=120)
        assert node.stdout is not None
        node.stdout.close()
    _running.clear()
