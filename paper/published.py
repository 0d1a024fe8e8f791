"""Published numbers.

In:  nothing; facts written down once, or files that the user has.
Out: tables to compare with.
Source: "Leveraging Predictive Equivalence in Decision Trees", ICML 2025: Table 1, the appendix's
tables on Rashomon sets and RID, the table of Section 5.2 and the one in the figure of Section 6.

Numbers that the paper shows only as curves or bars are read from files that a user may have:
``rset_missingness_digitized.csv`` and others, in the folder that ``ORDERLESS_REFERENCE`` names, or
in ``reference`` beside the folder that ``ORDERLESS_DATA`` names. Without them the pages compare
only what is printed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

__all__ = ["MISSINGNESS_RATIOS", "RASHOMON_SIZES", "RID_DISTANCES", "RID_SHIFT", "reference"]

# Mean and standard error over five folds: total, without trivial, distinct.
RASHOMON_SIZES: dict[str, tuple[tuple[int, int], tuple[int, int], tuple[int, int]]] = {
    "compas": ((12785, 3000), (3913, 837), (2135, 448)),
    "coupon": ((666, 54), (136, 19), (55, 8)),
    "wine_quality": ((6936, 700), (2341, 377), (1409, 256)),
    "wisconsin": ((24052, 9000), (11990, 5000), (4657, 2000)),
    "fico": ((8086, 2202), (1969, 643), (1154, 375)),
    "netherlands": ((926, 399), (265, 111), (114, 48)),
    "spiral": ((58, 14), (38, 13), (20, 6)),
    "tic_tac_toe": ((354, 158), (196, 77), (72, 29)),
    "iris_virginica": ((196, 124), (72, 41), (44, 25)),
    "iris_versicolor": ((168, 72), (73, 26), (28, 10)),
    "iris_setosa": ((2, 0), (2, 0), (2, 0)),
    "broward": ((4242, 1165), (1741, 487), (899, 284)),
}

# Rows answered at p = 0.5, as a multiple of those that path and features answer.
MISSINGNESS_RATIOS = {
    "compas": (2.4, 32.8),
    "wine_quality": (3.9, 64.6),
    "wisconsin": (2.6, 28.6),
    "coupon": (3.4, 16.1),
}

# 1-Wasserstein distance to the truth for X1, X2, X3.
RID_DISTANCES = {"original": (0.120, 0.136, 0.232), "corrected": (0.092, 0.105, 0.182)}

# Kolmogorov-Smirnov distance between RID with and without duplicates.
RID_SHIFT: dict[str, dict[str, float]] = {
    "broward": {
        "p_fta_two_year": 0.011583, "three_year": 0.037849, "one_year": 0.009685,
        "six_month": 0.009828, "p_dui": 0.010082, "p_arrest": 0.020327, "p_misdemeanor": 0.049235,
        "age_at_current_charge": 0.006845, "age_at_first_charge": 0.028369, "p_charges": 0.025376,
        "p_pending_charge": 0.008679,
    },
    "compas": {"age": 0.043373, "priors_count": 0.067886, "juvenile_crimes": 0.048217},
    "fico": {
        "NetFractionRevolvingBurden": 0.015801, "ExternalRiskEstimate": 0.079168,
        "NumSatisfactoryTrades": 0.025707, "MSinceMostRecentInqexcl7days": 0.105930,
    },
    "iris_setosa": {"petal length": 0.085000, "petal width": 0.030000},
    "iris_versicolor": {"petal length": 0.145259, "petal width": 0.172575},
    "iris_virginica": {"petal length": 0.079877, "petal width": 0.080317},
    "netherlands": {
        ">20 previous case": 0.220336, "age at first penal case": 0.234413,
        "log # of previous penal cases": 0.154640, "11-20 previous case": 0.156908,
    },
    "spiral": {"feat1": 0.056763, "feat2": 0.046307},
    "tic_tac_toe": {
        "Feat5_x": 0.015350, "Feat6_x": 0.032067, "Feat8_x": 0.043873, "Feat6_o": 0.021761,
        "Feat7_x": 0.010089, "Feat8_o": 0.019266, "Feat5_o": 0.007327, "Feat7_o": 0.007696,
        "Feat4_x": 0.125572, "Feat3_o": 0.005579, "Feat3_x": 0.010545, "Feat2_x": 0.062774,
        "Feat2_o": 0.021888, "Feat1_x": 0.008896, "Feat1_o": 0.005991, "Feat0_x": 0.062457,
        "Feat0_o": 0.017226, "Feat4_o": 0.081569,
    },
    "wine_quality": {
        "alcohol": 0.028608, "volatile_acidity": 0.020111, "citric_acid": 0.002099,
        "free_sulfur_dioxide": 0.001559,
    },
    "wisconsin": {
        "area2": 0.004952, "area3": 0.011916, "concave_points1": 0.007035,
        "concave_points3": 0.029109, "concavity3": 0.007328, "perimeter3": 0.010055,
        "radius3": 0.006122, "texture1": 0.003626, "texture3": 0.022322,
    },
}  # fmt: skip


def reference(file: str) -> pd.DataFrame | None:
    """Read a file of numbers that were read off the paper's figures, if the user has it."""
    places = []
    if os.environ.get("ORDERLESS_REFERENCE"):
        places.append(Path(os.environ["ORDERLESS_REFERENCE"]).expanduser())
    if os.environ.get("ORDERLESS_DATA"):
        places.append(Path(os.environ["ORDERLESS_DATA"]).expanduser().parent / "reference")
    for place in places:
        if (place / file).is_file():
            return pd.read_csv(place / file)
    return None
