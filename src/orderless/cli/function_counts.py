"""How many functions a set of trees is: counted, or estimated where they are too many.

In:  the set of ``orderless rashomon``.
Out: what is written of their number, and its rows of a table for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import OutOfMemory, OutOfTime, TooLarge

if TYPE_CHECKING:
    from ..rashomon import TreeSet

__all__ = ["count_functions", "shown_count", "size_rows"]

READINGS = {"functions": "features", "functions_of_columns": "columns", "functions_of_rows": "rows"}
SIZES = {
    "trees": "trees",
    "nontrivial": "without trivial splits",
    "functions": "functions of the features",
    "functions_of_columns": "functions, columns taken as unrelated",
    "functions_of_rows": "ways to label the rows",
}


def count_functions(found: TreeSet, tolerance: float | None, limit: int) -> dict[str, Any]:
    """Count functions in each reading, and those that are apart.

    Where functions of the features are too many, they are estimated, and those of columns, which
    are at least as many, too; ways to label the rows are then left out. Of a part of a set they are
    said as far as that goes.
    """
    out: dict[str, Any] = {}
    refused = False
    for key, reading in READINGS.items():
        try:
            if not refused:
                out[key] = len(found.functions(reading, limit=limit))
        except (OutOfMemory, OutOfTime, TooLarge):
            refused = True
        if refused and reading != "rows":
            try:
                estimate = found.functions(reading).estimate(random_state=0)
            except (OutOfMemory, OutOfTime, TooLarge):
                if found.complete:
                    raise
                break
            out[f"{key}_estimated"] = estimate._asdict()
    if tolerance is not None:
        out["tolerance"] = tolerance
        out["functions_apart"] = len(found.functions(limit=limit, tolerance=tolerance))
    return out


def size_rows(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Say the numbers of trees and functions in a table."""
    names = dict(SIZES)
    if "loss" in content:
        names["functions_of_rows"] = "ways to give the rows numbers"
    if "tolerance" in content:
        names["functions_apart"] = f"functions more than {content['tolerance']:g} apart on some row"
    out = []
    for key, words in names.items():
        if key in content:
            out.append({"what": words, "how many": shown_count(content[key])})
        if f"{key}_estimated" in content:
            out += _estimated(words, content[f"{key}_estimated"])
    return out


def _estimated(words: str, estimate: dict[str, Any]) -> list[dict[str, Any]]:
    """Describe an estimate, and how sure it is."""
    low, high = (shown_count(estimate[end]) for end in ("low", "high"))
    sure = f"{estimate['confidence']:.0%} confidence: {low} to {high}"
    how = f"estimated from {estimate['sampled']:,} trees ({sure})"
    return [
        {"what": f"{words}, too many to count: {how}",
         "how many": shown_count(estimate["estimate"])},
    ]  # fmt: skip


def shown_count(n: int) -> int | str:
    """Give a count as it is, a huge one for people; in JSON and CSV all are as they are."""
    from ..model import short_count

    return n if n < 10**12 else short_count(n)
