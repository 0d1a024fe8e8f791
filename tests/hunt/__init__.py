"""A random search for faults, with an oracle of its own that was written from the docs alone.

``python -m tests.hunt --minutes 60`` runs it for as long as you like;
``tests/house/test_hunt.py`` runs a fixed number of cases of each area. Nothing here is shared with
``tests/oracle*.py``: what one of the two gets wrong, the other need not.

model      features, questions and trees as plain values, read and written by docs/formats
drawing    random spaces, trees and rows, with awkward names and numbers
grid       every cell, every box, every cover, every tree: brute force
rewriting  other trees for the same function
completions  all completions of rows, for models of many trees, put through what made the model
certainty, reasoning  what an ensemble answers, beside these
running    cases, findings, making findings smaller, progress
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

AREAS = (
    "canonicity", "smallest", "missing", "partial", "rashomon", "goals", "importance",
    "policies",
    "interviews", "outputs", "readers", "boosters", "pipelines", "solvers", "numbers", "sums",
    "ensembles", "scores", "facts", "fact_rows", "forest_facts", "crossings", "formats", "tables",
)  # fmt: skip


def areas() -> dict[str, ModuleType]:
    """The areas, by name."""
    return {name: import_module(f"{__name__}.{name}") for name in AREAS}
