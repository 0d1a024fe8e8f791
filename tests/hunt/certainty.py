"""What an ensemble says of rows with gaps, beside what all completions of them get."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random
from typing import Any

import numpy as np

import orderless as ol
from orderless.inputs import rows_for
from orderless.model import Budget
from orderless.questions import verdicts_of

from .completions import Places, Truth, some_ranges, some_rows
from .running import Wrong, same

TIME = 30.0  # seconds: more than any of these takes
SEEN: Counter[str] = Counter()  # what was compared, for whoever wants to know


def plain(answers: Any) -> list[Any]:
    return [None if one is np.ma.masked else one for one in np.ma.asarray(answers).tolist()]


def near_numbers(truth: Truth, labels: list[Any]) -> bool:
    """Numbers that differ by no more than additions round, which may be left open."""
    size = truth.top + max((abs(one) for one in truth.labels), default=0.0)
    digits = 1e-5 if truth.ens.kernel.adding.precision == "float32" else 1e-12
    return max(labels) - min(labels) <= digits * size


def judged(truth: Truth, what: str, places: Places, status: str, label: Any) -> None:
    """Raise if a status is wrong."""
    labels = truth.labels_in(places)
    row = truth.row(places)
    if status == "undecided":
        fine = near_numbers(truth, labels) if truth.number else truth.close(places)
        if not fine:
            raise Wrong(f"{what}: undecided without need", row, labels)
        if label is not None:
            raise Wrong(f"{what}: undecided with a label", (row, label), labels)
    elif status == "open":
        if len(labels) < 2:
            raise Wrong(f"{what}: open, but all completions agree", row, labels)
        if label is not None:
            raise Wrong(f"{what}: open with a label", (row, label), labels)
    elif status == "certain":
        if len(labels) > 1 and not (truth.number and truth.equal(labels[0], labels[-1])):
            raise Wrong(f"{what}: certain, but completions differ", (row, label), labels)
        if not truth.equal(label, labels[0]):
            raise Wrong(f"{what}: another label than all completions", (row, label), labels)
    else:
        raise Wrong(f"{what}: status", status, "certain, open or undecided")


def complete_rows(truth: Truth, rng: Random) -> None:
    """On rows without gaps the library and the ensemble say the same."""
    rows = truth.complete
    SEEN["complete rows"] += len(rows)
    got = plain(truth.ens.predict(rows, time_limit=TIME))
    for at, places in enumerate(np.ndindex(*truth.shape)):
        expected = truth.labels[truth.said[places]]
        if got[at] == expected:
            continue
        one = tuple((place,) for place in places)
        if truth.equal(got[at], expected):
            continue
        if got[at] is None and not truth.number and truth.close(one):
            continue
        raise Wrong("predict of a complete row", (rows[at], got[at]), expected)
    if truth.scores is not None:
        sums = truth.sums / truth.ens.kernel.adding.divisor
        if truth.ens.kernel.adding.precision == "float32":
            sums = (
                truth.sums.astype(np.float32) / np.float32(truth.ens.kernel.adding.divisor)
            ).astype(float)
        same("as many scores", sums.shape, truth.scores.shape)
        if not (sums == truth.scores).all():
            at = np.argwhere(sums != truth.scores)[0]
            where = int(np.ravel_multi_index(tuple(at[:-1]), truth.shape)) if truth.shape else 0
            raise Wrong("sums to the last bit", (rows[where], sums[tuple(at)]),
                        truth.scores[tuple(at)])  # fmt: skip


def decides(truth: Truth, rng: Random) -> None:
    places = some_rows(truth, rng, 250)
    rows = [truth.row(one) for one in places]
    SEEN["rows with gaps"] += len(rows)
    states = truth.ens.status(rows, time_limit=TIME).tolist()
    labels = plain(truth.ens.predict(rows, time_limit=TIME))
    for one, status, label in zip(places, states, labels, strict=True):
        judged(truth, "answers", one, status, label)
    with Budget(TIME):
        verdicts = verdicts_of(truth.ens.kernel, rows_for(truth.ens.kernel, rows))
    known = {"certain": 0, "open": 1}
    same("verdicts", [min(2, one) for one in verdicts.status.tolist()],
         [known.get(one, 2) for one in states])  # fmt: skip
    two = truth.ens.predict(rows, time_limit=TIME, n_jobs=2)
    same("predict with two threads", plain(two), labels)


def between(truth: Truth, rng: Random) -> None:
    """Ranges; where columns are not features there are no ends to give."""
    made = some_ranges(truth, rng, 20)
    if not made or truth.as_row is not Truth.as_row:
        return
    SEEN["rows of ranges"] += len(made)
    ends = ol.Between([one for _, one, _ in made], [one for _, _, one in made])
    got = plain(truth.ens.predict(ends, time_limit=TIME))
    for (places, lower, upper), label in zip(made, got, strict=True):
        labels = truth.labels_in(places)
        if label is None and (len(labels) > 1 or truth.close(places) or truth.number):
            continue
        if len(labels) > 1 or not truth.equal(label, labels[0]):
            raise Wrong("predict between", (lower, upper, label), labels)


def witnesses(truth: Truth, rng: Random) -> None:
    for places in some_rows(truth, rng, 12):
        row, labels = truth.row(places), truth.labels_in(places)
        try:
            pair = truth.ens.explain(row, time_limit=TIME).witness
        except ol.Undecided:
            judged(truth, "witness", places, "undecided", None)
            continue
        if pair is None:
            if len(labels) > 1:
                raise Wrong("no witness", row, labels)
            continue
        got = truth.replay(list(pair))
        if len(labels) < 2:
            raise Wrong("a witness, but all completions agree", (row, pair), labels)
        if got[0] == got[1]:
            raise Wrong("both of a witness get the same from the library", (row, pair), got)
        for one, label in zip(pair, got, strict=True):
            if label not in labels and not (truth.number and truth.ens.kernel.rule.window):
                raise Wrong("a witness gets what no completion gets", (row, one, label), labels)
            for name, value in row.items():
                if one[name] != value and not (one[name] is None or one[name] != one[name]):
                    raise Wrong("a witness changes what is known", one, row)


def possible(truth: Truth, rng: Random) -> None:
    if truth.number:
        return
    places = some_rows(truth, rng, 15)
    for one in places:
        row, labels = truth.row(one), truth.labels_in(one)
        try:
            got = truth.ens.possible([row], time_limit=TIME)[0]
        except ol.Undecided as fault:
            if not truth.close(one):
                raise Wrong("possible: undecided without need", row, labels) from fault
            continue
        same("possible", list(got), labels)


def contains(
    what: str, row: Any, got: tuple[Any, ...], values: np.ndarray, digits: float, reach: float
) -> None:
    """Ends around all values; where they are exact, reached (to so much)."""
    lower, upper, exact = (np.atleast_1d(np.asarray(one)) for one in got)
    low, high = values.min(axis=0), values.max(axis=0)
    size = digits * (1 + np.maximum(abs(low), abs(high)))
    if (lower > low + size).any() or (upper < high - size).any():
        raise Wrong(f"{what}: a completion is outside", (row, lower.tolist(), upper.tolist()),
                    (low.tolist(), high.tolist()))  # fmt: skip
    size = reach * (1 + np.maximum(abs(low), abs(high)))  # a link can make much of little
    far = (lower < low - size) | (upper > high + size)
    if (far & exact).any():
        raise Wrong(f"{what}: exact, but an end is not reached",
                    (row, lower.tolist(), upper.tolist(), exact.tolist()),
                    (low.tolist(), high.tolist()))  # fmt: skip


def intervals(truth: Truth, rng: Random) -> None:
    single = truth.ens.kernel.adding.precision == "float32"
    reach = (1e-5 if single else 1e-12) * truth.top
    number = truth.number
    for places in some_rows(truth, rng, 10):
        row = truth.row(places)
        if number or truth.scores is not None:
            table = truth.numbers if number else truth.scores
            assert table is not None
            values = table[np.ix_(*places)].reshape(-1, table.shape[-1])
            of = "answer" if number else "score"
            got = truth.ens.predict_interval([row], time_limit=TIME, of=of)
            link = number and truth.ens.kernel.link != "identity"
            digits = (1e-6 if single else 1e-14) if link else 0.0
            digits = max(digits, truth.ens.kernel.rule.window)
            one = tuple(np.asarray(part)[0] for part in got)
            contains("predict_interval", row, one, values, digits, reach)
            if not np.all(one[2]):
                raise Wrong("predict_interval: not exact on a tiny model", row, one)
        if not number and truth.numbers is not None:
            values = truth.numbers[np.ix_(*places)].reshape(-1, truth.numbers.shape[-1])
            try:
                got = truth.ens.predict_interval([row], time_limit=TIME, of="probability")
            except ol.errors.InvalidTree as fault:
                if "no probabilities" in str(fault):  # one against all
                    return
                raise
            one = tuple(np.asarray(part)[0] for part in got)
            contains("interval of probabilities", row, one, values, 1e-6 if single else 1e-13,
                     reach)  # fmt: skip


def settles(truth: Truth, places: Places, chosen: tuple[int, ...]) -> tuple[bool, bool]:
    """Whether a set of features settles the row for all of their values, and for some."""
    said = truth.said[np.ix_(*places)]
    rest = tuple(at for at in range(said.ndim) if at not in chosen)
    one = said.min(axis=rest) == said.max(axis=rest)
    return bool(one.all()), bool(one.any())


def needed(truth: Truth, rng: Random) -> None:
    if truth.number:  # it is about classes
        return
    for places in some_rows(truth, rng, 4):
        row, labels = truth.row(places), truth.labels_in(places)
        try:
            got = truth.ens.needed(row, time_limit=TIME)
        except ol.Undecided as fault:
            if not truth.close(places) and not truth.number:
                raise Wrong("needed: undecided without need", row, labels) from fault
            continue
        if truth.close(places):
            continue
        names = [feat.name for feat in truth.feats]
        unknown = [at for at, own in enumerate(places) if len(own) > 1]
        expected: list[tuple[tuple[str, ...], ...]] = []
        for which in (0, 1):
            for size in range(len(unknown) + 1):
                sets = [some for some in itertools.combinations(unknown, size)
                        if settles(truth, places, some)[which]]  # fmt: skip
                if sets:
                    expected.append(tuple(tuple(names[at] for at in some) for some in sets))
                    break
        same("needed: label", got.label, labels[0] if len(labels) == 1 else None)
        if not truth.number:
            same("needed: possible", list(got.possible), labels)
        same("needed: settle", sorted(got.settle), sorted(expected[0]))
        same("needed: could", sorted(got.could), sorted(expected[1]))


def asks(truth: Truth, rng: Random) -> None:
    if truth.number:
        return
    places = some_rows(truth, rng, 8)
    rows = [truth.row(one) for one in places]
    names = [feat.name for feat in truth.feats]
    costs = None
    if rng.random() < 0.5:
        costs = {name: rng.choice([1, 2, 0.5, 10]) for name in names}
    got = plain(truth.ens.ask_next(rows, costs, time_limit=TIME))
    status = truth.ens.status(rows, time_limit=TIME).tolist()
    for one, name, word in zip(places, got, status, strict=True):
        if word == "certain":
            same("ask_next of a certain row", name, None)
        elif word == "open":
            at = names.index(name)
            said = truth.said[np.ix_(*one)]
            if (said.min(axis=at) == said.max(axis=at)).all():
                raise Wrong("ask_next: the feature never matters", (truth.row(one), name), places)


CHECKS = (complete_rows, decides, between, witnesses, possible, intervals, needed, asks)
