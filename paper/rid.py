"""Rashomon importance (RID) with each function counted once, and with duplicates.

Paper: Section 5.2 and its appendix: a synthetic case with a known truth, COMPAS, and the shift on
every data set.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from orderless.inputs import some_names

from . import draw
from .page import table_text
from .protocol import APPENDIX, MAIN, at_hand, published_name
from .published import RID_DISTANCES, RID_SHIFT
from .rid_draws import (
    CASES,
    VARIABLES,
    distances,
    importances,
    interval,
    shift_draws,
    synthetic_draws,
)
from .target import Outcome, Setting, Target, beside, chance_outside

__all__ = ["TARGETS", "shifts", "synthetic_rows"]

PIECES = 10  # of the repeats of the synthetic case
ROUNDED = 5e-4  # half of the last digit that the paper prints, in its text and first table
ROUNDED_SHIFT = 5e-7  # in the appendix


@dataclass(frozen=True)
class Size:
    """How much is run: bootstraps of a RID, repeats of it, samples that the repeats share."""

    n_bootstraps: int
    n_repeats: int
    n_samples: int

    @classmethod
    def of(cls, setting: Setting) -> Size:
        """Take the paper's size, or a small one."""
        return cls(3, 10, 12) if setting.quick else cls(100, 100, 1000)

    @property
    def words(self) -> str:
        """Say how the interval came about."""
        shared = self.n_bootstraps**2 / self.n_samples
        return (
            f"{self.n_repeats} repeats of {self.n_bootstraps} bootstraps each"
            f"{'' if self.n_bootstraps == 100 else ' (the paper has 100)'}, taken at random "
            f"from {self.n_samples:,} (two repeats share {shared:.3g} on average)"
        )


def synthetic_rows(case: str, n_bootstraps: int) -> list[Any]:
    """One piece: distances to the truth, f = X3, as exact expectations."""
    return distances(case, n_bootstraps, 0, "permutation", (True, False))


def table_rid_synthetic(setting: Setting) -> Outcome:
    """Measure how far RID lies from the truth, with duplicates and without."""
    size = Size.of(setting)
    pieces = [{"case": case, "n_bootstraps": size.n_bootstraps} for case in CASES]
    table = setting.work.table(synthetic_rows, pieces, "table-rid-synthetic")
    at = table.set_index(["case", "pooled", "way", "variable"])["distance"]
    repeats = _synthetic_repeats(setting, size)
    drawn = repeats.groupby(["way", "variable"])["distance"]
    comparison = _with_interval(
        [
            beside(
                f"{way} RID, {name}",
                published,
                ours=at["release", True, way, name],
                **{"printed parameters": at["printed", False, way, name]},
                aware=at["release", False, way, name],
            )
            for way, numbers in RID_DISTANCES.items()
            for name, published in zip(VARIABLES, numbers, strict=True)
        ],
        [list(drawn.get_group((way, v))) for way in RID_DISTANCES for v in VARIABLES],
        ROUNDED,
    )
    text = (
        "1-Wasserstein distance between RID and the permutation importance of `f = X3`, on 1,000 "
        f"rows. The interval: {size.n_repeats} repeats of the whole protocol with "
        f"{size.n_bootstraps} bootstraps each; the data, the bootstraps, and five permutations for "
        "every tree are drawn anew in each."
    )
    legend = (
        "`ours`: the released program's noise (1 %, 0.5 %), 0.01 per leaf, and the importances of "
        "all bootstraps pooled as it does, as exact expectations, on data from one seed. `low` to "
        "`high`: 95 % of the repeats of the same protocol with its random permutations; `inside`: "
        "whether the published number lies there. `aware`: RID as it is defined, the mean of the "
        "bootstraps' distributions. `printed parameters`: noise 5 % and 5 %, 0.02 per leaf."
    )
    reason = (
        f"{_how_many_outside(comparison)}. With the printed parameters the Rashomon set holds one "
        "tree and both distances are about 0, so the released program's are used; with these, "
        f"{_by_duplicates(repeats)}"
    )
    tables = {"table-rid-synthetic": table, "table-rid-synthetic-repeats": repeats}
    return Outcome(tables, comparison, {}, text, reason, ROUNDED, legend=legend)


def _by_duplicates(repeats: pd.DataFrame) -> str:
    """Say how far duplicates take RID from the truth, in all repeats."""
    wide = repeats.pivot_table("distance", ["repeat", "variable"], "way")
    more = (wide["original"] - wide["corrected"]).unstack()
    original, corrected = RID_DISTANCES["original"], RID_DISTANCES["corrected"]
    most = ", ".join(
        f"{more[name].max():.3f} for {name} (printed: {a - b:.3f})"
        for name, a, b in zip(VARIABLES, original, corrected, strict=True)
    )
    return (
        f"RID with duplicates is further from the truth in {(more > 0).to_numpy().mean():.0%} of "
        f"the repeats and variables, and by at most {most}"
    )


def _synthetic_repeats(setting: Setting, size: Size) -> pd.DataFrame:
    step = -(-size.n_repeats // PIECES)
    pieces = [
        {"case": "release", "n_bootstraps": size.n_bootstraps, "first": k,
         "last": min(k + step, size.n_repeats)}
        for k in range(0, size.n_repeats, step)
    ]  # fmt: skip
    found = setting.work.map(synthetic_draws, pieces, "table-rid-synthetic")
    return pd.DataFrame([row for rows in found for row in rows])


def _with_interval(
    lines: list[dict[str, Any]], draws: list[list[float]], rounding: float
) -> pd.DataFrame:
    """Add where 95 % of the repeats lie, and whether the published number is there."""
    for line, values in zip(lines, draws, strict=True):
        line["low"], line["high"] = interval(values)
        line["inside"] = _inside(line["published"], line["low"], line["high"], rounding)
    return pd.DataFrame(lines)


def _inside(published: float, low: float, high: float, rounding: float) -> str:
    return "yes" if low - rounding <= published <= high + rounding else "no"


def _how_many_outside(comparison: pd.DataFrame) -> str:
    n, outside = len(comparison), int((comparison["inside"] == "no").sum())
    some = "number lies" if outside == 1 else "numbers lie"
    return f"{outside} of {n} published {some} outside the range of 95 % of the repeats"


def shifts(dataset: str, n_bootstraps: int, semantics: str) -> dict[str, Any]:
    """One piece: RID of one data set, its shift by duplicates, and its distribution.

    ``n_variables``, and which of them no tree was offered; ``rows``, of those of some importance.
    """
    found = importances(dataset, n_bootstraps=n_bootstraps, semantics=semantics, random_state=0)
    rows = []
    pooled = semantics == "independent"  # as the released program
    for line in found.shift(pooled=pooled).to_dict("records"):
        name = line["feature"]
        curves = {}
        for way, correct in (("original", False), ("corrected", True)):
            values, weights = found.distribution(name, correct_equivalence=correct, pooled=pooled)
            if not np.nan_to_num(values).any():  # never offered, or never used
                break
            order = np.argsort(values, kind="stable")
            total = np.cumsum(weights[order]) / np.sum(weights)
            shares = np.linspace(0, 1, 101)[1:]
            at = np.minimum(np.searchsorted(total, shares - 1e-12), len(order) - 1)
            curves[way] = [float(v) for v in values[order][at]]
        if curves:
            rows.append({**{k: _plain(v) for k, v in line.items()}, "curves": curves})
    there = zip(found.features_, found.offered_, strict=True)
    never = [name for name, offered in there if not offered]
    return {"rows": rows, "n_variables": len(found.features_), "never_offered": never}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int) else float(value)


def _shifts(setting: Setting, names: tuple[str, ...], label: str) -> tuple[pd.DataFrame, str]:
    """Give the shift of each variable, and say which variables no tree was offered."""
    n = Size.of(setting).n_bootstraps
    pieces = [
        {"dataset": name, "n_bootstraps": n, "semantics": semantics}
        for name in names
        for semantics in ("independent", "aware")
    ]
    found = setting.work.map(shifts, pieces, label)
    table = pd.DataFrame(
        [{**piece, **row} for piece, one in zip(pieces, found, strict=True) for row in one["rows"]]
    )
    by_name = dict(zip(names, found[::2], strict=True))  # columns are the same in all semantics
    return table, _never_offered(by_name)


def _never_offered(found: dict[str, Any]) -> str:
    """Say of which variables nothing is known, by data set; nothing if there are none."""
    some = "; ".join(
        f"{published_name(name)}, {len(one['never_offered'])} of {one['n_variables']} "
        f"({some_names(one['never_offered'], 6)})"
        for name, one in found.items()
        if one["never_offered"]
    )
    return (
        " The guessed thresholds divide the values of some variables nowhere, so no tree was "
        f"offered them and their importance is unknown; they are left out, too: {some}."
        if some
        else ""
    )


def _repeats(setting: Setting, names: tuple[str, ...], label: str) -> pd.DataFrame:
    """Give the KS distance of every repeat, by data set, variable and way."""
    pieces = [{"dataset": name, **asdict(Size.of(setting))} for name in names]
    found = setting.work.map(shift_draws, pieces, label)
    return pd.DataFrame(
        [
            {"dataset": name, "feature": feature, "samples": way, "repeat": k, "ks": value}
            for name, by_feature in zip(names, found, strict=True)
            for feature, ways in by_feature.items()
            for way, values in ways.items()
            for k, value in enumerate(values)
        ],
        columns=["dataset", "feature", "samples", "repeat", "ks"],
    )


def figure_rid_compas(setting: Setting) -> Outcome:
    """Draw the distributions of COMPAS' three important variables."""
    names, absent = at_hand(("compas",))
    if not names:
        return Outcome({}, absent=absent)
    size = Size.of(setting)
    table, never = _shifts(setting, names, "figure-rid-compas")
    repeats = _repeats(setting, names, "figure-rid-compas")
    printed = {"age": 0.043, "juvenile_crimes": 0.048, "priors_count": 0.059}  # in the text
    comparison = _compare(table, repeats, {"compas": printed}, ROUNDED)
    text = (
        f"Rashomon importance distributions, {size.n_bootstraps} bootstraps, depth 3, 0.02 per "
        "leaf, 0.02 above the optimum. The paper's text prints 0.059 for priors_count, its "
        f"appendix 0.068. The intervals: {size.words}.{never}"
    )
    return Outcome(
        {"figure-rid-compas": _tidy(table), "figure-rid-compas-repeats": repeats}, comparison,
        {"figure-rid-compas": draw.importance_curves(table)}, text, _reason(comparison), ROUNDED,
        absent, legend=_LEGEND,
    )  # fmt: skip


def table_rid_shift(setting: Setting) -> Outcome:
    """Test the shift of every variable of every data set."""
    names, absent = at_hand(("spiral", "iris_versicolor") if setting.quick else (*MAIN, *APPENDIX))
    table, never = _shifts(setting, names, "table-rid-shift")
    published = {name: RID_SHIFT[name] for name in names if name in RID_SHIFT}
    repeats = _repeats(setting, tuple(published), "table-rid-shift")
    comparison = _compare(table, repeats, published, ROUNDED_SHIFT)
    wide = _tidy(table).pivot_table("ks", ["dataset", "feature"], "semantics").reset_index()
    text = (
        "Kolmogorov-Smirnov distance between RID with duplicates and with each function counted "
        "once. Variables of no importance are left out. The intervals: "
        f"{Size.of(setting).words}.{never}\n\n{table_text(wide)}"
    )
    return Outcome(
        {"table-rid-shift": _tidy(table), "table-rid-shift-repeats": repeats}, comparison, {}, text,
        _reason(comparison), ROUNDED, absent, legend=_LEGEND,
    )  # fmt: skip


def figure_rid_shift(setting: Setting) -> Outcome:
    """Draw the distributions that shift most."""
    names, absent = at_hand(("spiral", "iris_versicolor") if setting.quick else (*MAIN, *APPENDIX))
    table, _ = _shifts(setting, names, "table-rid-shift")
    aware = table[table["semantics"] == "independent"]
    largest = aware.sort_values("ks", ascending=False).head(16)
    text = "The sixteen variables with the largest shift, in the paper's semantics."
    return Outcome(
        {"figure-rid-shift": _tidy(largest)}, None,
        {"figure-rid-shift": draw.importance_curves(largest)}, text, absent=absent,
    )  # fmt: skip


_LEGEND = (
    "`ours`: columns unrelated, bootstraps pooled as the released program does, importances as "
    "exact expectations. `aware`: thresholds understood, the mean of the bootstraps' "
    "distributions. `low` to `high`: 95 % of the repeats of the paper's protocol, with five random "
    "permutations for every tree, and with separate bootstraps for RID with and without "
    "duplicates; `inside`: whether the published number lies there. `low, same` to `high, same`: "
    "the same bootstraps for both. The paper does not say which it used."
)


def _reason(comparison: pd.DataFrame) -> str:
    if comparison.empty:
        return ""
    same = sum(
        _inside(line["published"], line["low, same"], line["high, same"], ROUNDED_SHIFT) == "no"
        for line in comparison.to_dict("records")
    )
    return (
        f"{_how_many_outside(comparison)}, where chance allows "
        f"{chance_outside(len(comparison))}; if both RIDs had the same bootstraps, {same} would"
    )


def _compare(
    table: pd.DataFrame, repeats: pd.DataFrame, known: dict[str, dict[str, float]], rounding: float
) -> pd.DataFrame:
    """Put the published shifts beside ours and those of the repeats."""
    at = table.set_index(["dataset", "semantics", "feature"])["ks"]
    draws = {
        key: list(part) for key, part in repeats.groupby(["dataset", "feature", "samples"])["ks"]
    }
    lines, own = [], []
    for name, variables in known.items():
        for variable, published in variables.items():
            low, high = interval(draws.get((name, variable, "same"), [0.0]))
            lines.append(
                beside(
                    f"{published_name(name)}: KS distance of {variable}",
                    published,
                    ours=at.get((name, "independent", variable), 0.0),
                    aware=at.get((name, "aware", variable), 0.0),
                    **{"low, same": low, "high, same": high},
                )
            )
            own.append(draws.get((name, variable, "own"), [0.0]))
    return _with_interval(lines, own, rounding)


def _tidy(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="curves")


TARGETS = (
    Target("table-rid-synthetic", "RID beside a known truth", "Section 5.2", table_rid_synthetic),
    Target("figure-rid-compas", "RID on COMPAS", "Section 5.2", figure_rid_compas),
    Target("table-rid-shift", "The shift of RID by duplicates", "Appendix", table_rid_shift),
    Target("figure-rid-shift", "The largest shifts of RID", "Appendix", figure_rid_shift),
)
