"""Trees behind transformers: ours, over what went in, predicts as the pipeline does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from . import drawing, readers
from .model import Feat
from .readers import Case, cuts_of, labels, show
from .running import Wrong

__all__ = ["CHECKS", "draw", "show", "smaller"]

IMPORTS = (
    "from sklearn.compose import ColumnTransformer, make_column_transformer\n"
    "from sklearn.impute import MissingIndicator, SimpleImputer\n"
    "from sklearn.feature_selection import SelectKBest\n"
    "from sklearn.pipeline import FeatureUnion, make_pipeline, make_union\n"
    "from sklearn.preprocessing import (Binarizer, FunctionTransformer, KBinsDiscretizer,\n"
    "    MaxAbsScaler, MinMaxScaler, OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler,\n"
    "    TargetEncoder)\n"
    "from sklearn.tree import DecisionTreeClassifier\n"
)
SCALERS = [
    "StandardScaler()", "StandardScaler(with_mean=False)", "StandardScaler(with_std=False)",
    "MinMaxScaler()", "MinMaxScaler((-1, 2))", "MinMaxScaler(clip=True)", "MaxAbsScaler()",
    "RobustScaler()", "RobustScaler(with_centering=False)", "Binarizer(threshold=0.5)",
    "KBinsDiscretizer(3, encode='ordinal', strategy='uniform')",
    "KBinsDiscretizer(3, encode='onehot-dense', strategy='uniform')",
    "KBinsDiscretizer(2, encode='onehot-dense', strategy='uniform')", "FunctionTransformer()",
]  # fmt: skip
ENCODERS = [
    "OneHotEncoder(sparse_output=False)", "OneHotEncoder(drop='first', sparse_output=False)",
    "OneHotEncoder(handle_unknown='ignore', sparse_output=False)", "OneHotEncoder()",
    "OneHotEncoder(drop='if_binary')", "OneHotEncoder(min_frequency=3, sparse_output=False)",
    "OneHotEncoder(max_categories=2, handle_unknown='infrequent_if_exist', sparse_output=False)",
    "OrdinalEncoder()", "OrdinalEncoder(handle_unknown='use_encoded_value', unknown_value=-1)",
    "TargetEncoder(cv=2, random_state=0)",
]  # fmt: skip
IMPUTERS = [
    "SimpleImputer()", "SimpleImputer(strategy='median')", "SimpleImputer(add_indicator=True)",
    "SimpleImputer(strategy='constant', fill_value=2.5)", "SimpleImputer(strategy='most_frequent')",
]  # fmt: skip


def draw(rng: Random) -> Case:
    gaps = rng.random() < 0.4
    X, y = readers.table(rng, gaps)
    names = [f"n{at}" for at in range(len(X[0]))]
    numbers = list(names)
    if rng.random() < 0.4:
        names = [rng.choice(["a b", "n<1", "é"]) + name for name in names]
        numbers = list(names)
    texts = []
    for at in range(rng.randint(0, 2)):
        pool = rng.choice([["red", "blue", "green"], ["x", "y"], ["é", "b c", "", "d"]])
        texts.append(f"t{at}")
        X = [[*row, rng.choice(pool)] for row in X]
    kinds = sorted(set(y), key=str)[:2]
    y = [one if one in kinds else kinds[0] for one in y]
    parts = []
    for name in numbers:
        steps = [rng.choice(IMPUTERS)] if gaps else []
        if rng.random() < 0.15 and not gaps:
            parts.append(f"('passthrough', [{name!r}])")
            continue
        steps += rng.sample(SCALERS, rng.choice([1, 1, 2] if not gaps else [0, 1]))
        chain = steps[0] if len(steps) == 1 else f"make_pipeline({', '.join(steps)})"
        parts.append(f"({chain}, [{name!r}])")
    parts += [f"({rng.choice(ENCODERS)}, [{name!r}])" for name in texts]
    rng.shuffle(parts)
    select = f"SelectKBest(k={rng.randint(1, 2)}), " if rng.random() < 0.1 else ""
    tree = (
        f"DecisionTreeClassifier(max_depth={rng.randint(1, 4)}, random_state={rng.randint(0, 9)})"
    )
    program = (
        f"{IMPORTS}prepare = make_column_transformer({', '.join(parts)}, sparse_threshold=0)\n"
        f"model = make_pipeline(prepare, {select}{tree}).fit(X, y)"
    )
    seed = rng.randint(0, 10**6)
    case = Case(X, y, program, names=(*names, *texts), gaps=gaps, seed=seed)
    return replace(case, y=[str(one) for one in y]) if rng.random() < 0.5 else case


def smaller(case: Case) -> Iterator[Case]:
    return readers.smaller(case)


def rows_of(case: Case, n: int = 60) -> pd.DataFrame:
    """Rows near the thresholds in the features' own units, with the texts of the table."""
    rng = Random(case.seed)
    cuts = cuts_of(case.made["tree"])
    columns = {}
    for at, name in enumerate(case.names):
        mine = [row[at] for row in case.X]
        if isinstance(mine[0], str):
            columns[name] = [rng.choice(mine) for _ in range(n)]
            continue
        known = [one for one in mine if one == one]
        near = [one for one in drawing.near(Feat("x", "float64"), cuts.get(name, []))
                if abs(one) < 1e30]  # fmt: skip
        near += [step for one in cuts.get(name, []) for step in steps(one)]
        columns[name] = [rng.choice(near if rng.random() < 0.8 else known or [0.0])
                         for _ in range(n)]  # fmt: skip
    return pd.DataFrame(columns)


def steps(number: float) -> list[float]:
    """A few floats on both sides."""
    found, below, above = [number], number, number
    for _ in range(3):
        below, above = math.nextafter(below, -math.inf), math.nextafter(above, math.inf)
        found += [below, above]
    return found


def compare(what: str, frame: pd.DataFrame, ours: Any, model: Any) -> None:
    inner = np.abs(np.asarray(model[:-1].transform(frame), dtype=float))
    frame = frame[~(inner > np.finfo(np.float32).max).any(axis=1)]  # scikit-learn refuses these
    if frame.empty:
        return
    got = [None if pd.isna(one) else one for one in ours.predict(frame).tolist()]
    expected = labels(model.predict(frame))
    for at, (one, other) in enumerate(zip(got, expected, strict=True)):
        if one != other:
            raise Wrong(what, (frame.iloc[at].to_dict(), one), other)


def predicts(case: Case) -> None:
    compare("predict at the edges", rows_of(case), case.made["tree"], case.made["model"])


def takes_gaps(case: Case) -> None:
    if not case.gaps:
        return
    rng = np.random.default_rng(case.seed)
    frame = rows_of(case)
    for name in case.names:
        if not isinstance(frame[name].iloc[0], str):
            frame[name] = frame[name].mask(rng.random(len(frame)) < 0.3)
    compare("NaN as a value", frame, case.made["value"], case.made["model"])


def through(case: Case) -> None:
    """The same by hand: the classifier, through the transformers before it."""
    import orderless as ol

    model = case.made["model"]
    apart = ol.read(model[-1], preprocessing=model[:-1])
    if not ol.equivalent(apart, case.made["tree"]):
        raise Wrong("preprocessing= is the pipeline", apart, case.made["tree"])


CHECKS = (predicts, takes_gaps, through)
