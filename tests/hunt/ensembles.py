"""Forests and boosted trees: what is said of rows with gaps, beside all completions of them.

Every completion goes through the library itself. A case is a program that fits a model and reads
it; so a finding can be pasted as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol

from . import certainty, reasoning
from .completions import SINGLE, Truth, features_of, points_near, sized, thresholds, truth_of
from .ensemble_models import IMPORTS, LABELS, LIBRARIES, MODELS, NAMES, NUMBERS, WORDS, cuts_of
from .grid import TooBig
from .model import Feat
from .readers import HEAD
from .running import Wrong

ENCODERS = [
    "OneHotEncoder(sparse_output=False)", "OneHotEncoder(drop='first', sparse_output=False)",
    "OneHotEncoder(handle_unknown='ignore', sparse_output=False)",
    "OrdinalEncoder()", "OrdinalEncoder(handle_unknown='use_encoded_value', unknown_value=-1)",
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A table, a program that makes ``model`` of it, and how it is read."""

    X: dict[str, list[Any]]
    y: list[Any]
    program: str
    library: str
    reading: str = ""
    table: str = "frame"  # or "array", or "category": text columns are of that type
    seed: int = 0
    words: tuple[str, ...] = ()  # of the feature that columns w0, w1, ... describe

    @property
    def fitting(self) -> str:
        if self.table == "array":
            rows = [list(row) for row in zip(*self.X.values(), strict=True)]
            made = f"X = array({rows!r})\n"
        else:
            made = f"X = pd.DataFrame({self.X!r})\n"
            for name, column in self.X.items():
                if self.table == "category" and isinstance(column[0], str):
                    made += f"X[{name!r}] = X[{name!r}].astype('category')\n"
        return f"{HEAD}{made}y = array({self.y!r})\n{self.program}\n"

    @property
    def code(self) -> str:
        read = ", ".join(part for part in ("model", self.reading) if part)
        return f"{self.fitting}ens = ol.read({read})\n"

    @cached_property
    def made(self) -> dict[str, Any]:
        space: dict[str, Any] = {}
        try:
            exec(self.fitting, space)
        except Exception:  # a table that the library refuses is no case
            raise TooBig from None
        exec(self.code.removeprefix(self.fitting), space)
        if isinstance(space["ens"], ol.Tree):  # one tree is no sum; other areas ask it
            raise TooBig
        return space

    @cached_property
    def truth(self) -> Truth:
        return truth(self)


def rows_for(case: Case, rows: list[dict[str, Any]]) -> Any:
    """Rows as the library takes them."""
    names = list(case.X) if case.table != "array" else list(rows[0])
    columns = {name: [row[name] for row in rows] for name in names}
    if case.table == "array":
        return np.array(
            [[math.nan if one is None else one for one in columns[name]] for name in names],
            dtype=float,
        ).T
    frame = pd.DataFrame(columns)
    for name, column in case.X.items():
        if not isinstance(column[0], str):
            frame[name] = frame[name].astype(float)
        elif case.table == "category":
            known = case.made["X"][name].cat.categories
            more = [one for one in dict.fromkeys(columns[name]) if one is not None and one == one]
            listed = [*known, *(one for one in more if one not in set(known))]
            frame[name] = pd.Categorical(frame[name], categories=listed)
    return frame


def truth(case: Case) -> Truth:
    ens, model, rng = case.made["ens"], case.made["model"], Random(case.seed)
    feats = features_of(ens)
    most = SINGLE if case.library in ("sklearn", "xgboost") else math.inf
    most = 1e300 if "HistGradient" in case.program and "Pipe" not in case.program else most
    ours, theirs = thresholds(ens), cuts_of(model)

    def near(feat: Feat, cuts: set[float]) -> list[Any]:
        if feat.ordered and case.library == "lightgbm":  # its zero is wide
            cuts = cuts | {1e-35, -1e-35, 0.0}
        return points_near(feat, sorted(cuts), most, rng)

    def all_near(more: set[float]) -> list[list[Any]]:
        return [near(feat, ours.get(at, set()) | more) for at, feat in enumerate(feats)]

    points = all_near(theirs if "Scaler" not in case.program else set())
    try:
        sized(points)
    except TooBig:
        points = all_near(set())
        sized(points)
    number = not ens.classes

    def replay(rows: list[dict[str, Any]]) -> list[Any]:
        return np.asarray(model.predict(rows_for(case, rows))).ravel().tolist()

    def numbers(rows: list[dict[str, Any]]) -> np.ndarray:
        asked = model.predict if number else model.predict_proba
        return np.asarray(asked(rows_for(case, rows)), dtype=float)

    proba = number or (hasattr(model, "predict_proba") and "AdaBoost" not in case.program)
    apart = number or "'rf'" in case.program  # LightGBM's forests: raw scores are not divided
    scores = None if apart or (ens.kernel.rule.window > 0 and case.library == "sklearn") else (
        lambda rows: margins(case, model, rows_for(case, rows))
    )  # fmt: skip
    if "AdaBoost" in case.program or "'hard'" in case.program:  # it has none, or scales them
        scores = None
    as_row = Truth.as_row
    if case.words:

        def as_row(values: dict[str, Any]) -> dict[str, Any]:
            found = {name: value for name, value in values.items() if name != "w"}
            if "w" in values:
                found |= {f"w{at}": float(values["w"] == one) for at, one in enumerate(case.words)}
            return found

    return truth_of(ens, points, replay, as_row, numbers if proba else None, scores)


def margins(case: Case, model: Any, X: Any) -> Any:
    """The library's own scores, before any link."""
    if case.library == "xgboost":
        return model.predict(X, output_margin=True)
    if case.library == "lightgbm":
        return model.predict(X, raw_score=True)
    if case.library == "catboost":
        return model.predict(X, prediction_type="RawFormulaVal")
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)


def draw(rng: Random) -> Case:
    library = rng.choice(["sklearn", "sklearn", *LIBRARIES])
    number = rng.random() < 0.25
    n = rng.randint(6, 16)
    kinds: list[Any] = rng.choice(LABELS)
    if library == "xgboost":
        kinds = list(range(len(kinds)))
    elif library == "catboost" and isinstance(kinds[0], bool):
        kinds = [0, 1]
    if number:
        y: list[Any] = [round(rng.uniform(0.01, 5.0), rng.randint(0, 3)) + 0.25 for _ in range(n)]
    else:
        y = [*kinds, *(rng.choice(kinds) for _ in range(n - len(kinds)))]
    pool = [name for name in NAMES if fine(name, library)]
    names = rng.sample(pool, rng.randint(1, 3))
    X: dict[str, list[Any]] = {}
    for name in names:
        values = [float(one) for one in rng.choice(NUMBERS)]
        X[name] = [rng.choice(values) for _ in range(n)]
    body = MODELS[library](rng, number, len(kinds))
    seed = rng.randint(0, 10**6)
    kind = rng.choice(["plain", "plain", "array", "gaps", "words", "words", "integers",
                       "columns"])  # fmt: skip
    case = Case(X, y, f"{body}\nmodel.fit(X, y)", library, seed=seed)
    made = KINDS[kind](rng, case, body)
    try:
        made.truth  # noqa: B018 (too large, or not)
    except TooBig:
        raise
    except Exception:  # every check will say so
        return made
    return made


def fine(name: str, library: str) -> bool:
    """Whether a library takes a column of this name."""
    if library == "xgboost":
        return not set("<[]") & set(name)
    return library != "lightgbm" or not set(' ",:[]{}') & set(name)


def as_array(rng: Random, case: Case, body: str) -> Case:
    X = {f"x{at}": column for at, column in enumerate(case.X.values())}
    if case.library in ("lightgbm",):
        X = {f"Column_{at}": column for at, column in enumerate(case.X.values())}
    return replace(case, X=X, table="array")


def with_gaps(rng: Random, case: Case, body: str) -> Case:
    """Missing values that the model learns from, as values or as unknowns."""
    X = {name: [math.nan if rng.random() < 0.2 else one for one in column]
         for name, column in case.X.items()}  # fmt: skip
    return replace(case, X=X, reading=rng.choice(["nan='value'", "nan='value'", ""]))


def with_words(rng: Random, case: Case, body: str) -> Case:
    """One column of text: a category of its own, or behind an encoder."""
    words = rng.choice(WORDS)
    n = len(case.y)
    column = [*words, *(rng.choice(words) for _ in range(n - len(words)))]
    X = {**case.X, "word": column}
    native = case.library != "sklearn" or "HistGradient" in body
    if native and rng.random() < 0.6:
        if case.library == "catboost":
            features = [f"ol.Feature({name!r}, values='float32')" for name in case.X]
            listed = f"ol.Feature('word', 'categorical', categories={tuple(words)!r}, other=True)"
            space = f"space=ol.Space([{', '.join([*features, listed])}])"
            program = f"{body}\nmodel.fit(X, y, cat_features=['word'])"
            return replace(case, X=X, program=program, reading=space)
        if case.library == "xgboost":
            body = body.replace("'exact'", "'hist'").replace("n_jobs=1", "n_jobs=1, "
                                "enable_categorical=True, max_cat_to_onehot=1")  # fmt: skip
        more = rng.choice(["", "nan='value'"])
        if case.library == "xgboost":  # it refuses other categories, or takes them for listed ones
            features = [f"ol.Feature({name!r}, values='float32')" for name in case.X]
            listed = f"ol.Feature('word', 'categorical', categories={tuple(sorted(words))!r})"
            more = f"space=ol.Space([{', '.join([*features, listed])}])"
        return replace(
            case, X=X, program=f"{body}\nmodel.fit(X, y)", table="category", reading=more
        )
    prepared = (
        f"make_column_transformer(({rng.choice(ENCODERS)}, ['word']), remainder='passthrough')"
    )
    imports = "" if IMPORTS in body else IMPORTS
    program = f"{imports}{body}\nmodel = make_pipeline({prepared}, model).fit(X, y)"
    return replace(case, X=X, program=program)


def with_integers(rng: Random, case: Case, body: str) -> Case:
    """Whole numbers and truth values, of which ``space=`` says so."""
    n = len(case.y)
    X: dict[str, list[Any]] = {}
    kinds = []
    for name in case.X:
        if rng.random() < 0.5:
            X[name] = [float(rng.randint(-2, 3)) for _ in range(n)]
            kinds.append(f"{name!r}: 'integer'")
        else:
            X[name] = [float(rng.randint(0, 1)) for _ in range(n)]
            kinds.append(f"{name!r}: 'boolean'")
    return replace(case, X=X, reading=f"space=ol.Space({{{', '.join(kinds)}}})")


def with_columns(rng: Random, case: Case, body: str) -> Case:
    """Columns of 0 and 1 that are one feature, of which ``space=`` says so."""
    words = rng.choice(WORDS)
    other = rng.random() < 0.5
    drawn = [rng.choice([*words, "none"] if other else words) for _ in case.y]
    X: dict[str, list[Any]] = {f"w{at}": [float(one == word) for one in drawn]
                               for at, word in enumerate(words)}  # fmt: skip
    n = len(case.y)
    features = [f"ol.Feature('w', 'categorical', categories={tuple(words)!r}, other={other})"]
    columns = [f"'w{at}': ol.Condition('w', among=({word!r},))" for at, word in enumerate(words)]
    for name in list(case.X)[:1]:
        X[name] = [float(rng.randint(-2, 3)) for _ in range(n)]
        features.append(f"ol.Feature({name!r}, values='integer')")
        columns.append(f"{name!r}: {name!r}")
    space = f"ol.Space([{', '.join(features)}], columns={{{', '.join(columns)}}})"
    return replace(case, X=X, reading=f"space={space}", words=tuple(words))


KINDS: dict[str, Callable[[Random, Case, str], Case]] = {
    "columns": with_columns,
    "plain": lambda rng, case, body: case,
    "array": as_array,
    "gaps": with_gaps,
    "words": with_words,
    "integers": with_integers,
}


def smaller(case: Case) -> Iterator[Case]:
    n = len(case.y)
    for keep in ([*range(n // 2)], [*range(n // 2, n)], *([i for i in range(n) if i != at]
                                                         for at in range(n))):  # fmt: skip
        y = [case.y[at] for at in keep]
        if len(set(y)) == len(set(case.y)) or (isinstance(y[0], float) and len(y) > 1):
            X = {name: [column[at] for at in keep] for name, column in case.X.items()}
            yield replace(case, X=X, y=y)


def show(case: Case) -> str:
    return case.code


def checked(check: Callable[[Truth, Random], None]) -> Callable[[Case], None]:
    def run(case: Case) -> None:
        check(case.truth, Random(case.seed))

    run.__name__ = check.__name__
    return run


def estimators(case: Case) -> None:
    """``OrderlessClassifier`` around a clone says what the ensemble says."""
    from sklearn.base import clone

    ens = case.truth.ens
    if not ens.classes or "nan=" in case.reading or case.table == "category" or ens.n_trees < 2:
        return
    if any(isinstance(one, float) and one != one for column in case.X.values() for one in column):
        return
    if case.library == "catboost":
        return
    space = case.made["ens"].space if "space" in case.reading else None
    model = ol.OrderlessClassifier(clone(case.made["model"]), space=space, time_limit=30)
    model.fit(case.made["X"], case.made["y"])
    rng = Random(case.seed + 9)
    table = rows_for(case, [rng.choice(case.truth.complete) for _ in range(20)])
    frame = pd.DataFrame(table).astype(object)
    holes = np.array([[rng.random() < 0.4 for _ in frame.columns] for _ in range(len(frame))])
    frame = frame.mask(holes, other=None)
    asked = frame if case.table != "array" else frame.to_numpy()
    if not hasattr(model, "ensemble_"):
        return
    got, expected = model.predict(asked), model.ensemble_.predict(asked, time_limit=30)
    first = [None if pd.isna(one) else one for one in np.ma.asarray(got).tolist()]
    second = [None if pd.isna(one) else one for one in np.ma.asarray(expected).tolist()]
    if first != second:
        raise Wrong("OrderlessClassifier and its ensemble", first, second)


HERE = LIBRARIES
KEPT: tuple[Case, ...] = ()
CHECKS = (*(checked(check) for check in (*certainty.CHECKS, *reasoning.CHECKS)), estimators)
