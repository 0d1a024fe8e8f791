"""Ensembles where facts hold, against brute force over all possible rows of small grids."""

import numpy as np
import pytest
from fact_sums import Drawn
from sklearn.ensemble import GradientBoostingRegressor

import orderless as ol
from orderless.errors import ContradictingRows, InvalidData


def drawn(seeds, rule, **options):
    for seed in seeds:
        own = Drawn(seed, rule, real=seed % 4 == 3, **options)
        if own.found.possible:
            yield own


def parts(own, n=4):
    """Rows with unknown values that have a possible completion, and all of these."""
    for part in own.found.parts(n):
        rows = own.found.completions(part)
        if rows:
            yield part, rows


@pytest.mark.parametrize("rule", ["largest", "cuts"])
@pytest.mark.parametrize("rough", [False, True])
def test_classes(rule, rough):
    certain = by_facts = 0
    for own in drawn(range(5000, 5018), rule, rough=rough):
        model = own.model()
        plain = model.with_space(model.space.without_facts())
        for part, rows in parts(own):
            classes = {own.says(row) for row in rows}
            assert set(model.possible([part])[0]) == classes, (own.found.seed, part)
            said = model.predict([part])[0]
            assert said == next(iter(classes)) if len(classes) == 1 else np.ma.is_masked(said)
            assert model.status([part])[0] == ("certain" if len(classes) == 1 else "open")
            certain += len(classes) == 1
            by_facts += len(classes) == 1 and plain.status([part])[0] == "open"
            pair = model.explain(part).witness
            assert (pair is None) == (len(classes) == 1)
            for row in pair or ():
                assert all(holds(row) for _, holds in own.found.facts), (own.found.seed, row)
                assert all(row[name] == value for name, value in part.items())
                assert model.predict([row])[0] == own.says(row)
            if pair:
                assert own.says(pair[0]) != own.says(pair[1])
    assert certain > 8
    assert by_facts > 1


def test_numbers_and_intervals():
    n = 0
    for own in drawn(range(5100, 5114), "number"):
        model = own.model()
        for part, rows in parts(own):
            numbers = sorted({own.says(row) for row in rows})
            lower, upper, exact = model.predict_interval([part])
            assert exact[0]
            assert (lower[0], upper[0]) == (numbers[0], numbers[-1]), (own.found.seed, part)
            said = model.predict([part])[0]
            assert said == numbers[0] if len(numbers) == 1 else np.ma.is_masked(said)
            n += len(numbers) > 1
    for own in drawn(range(5130, 5137), "largest"):
        model = own.model()
        for part, rows in parts(own):
            lower, upper, exact = model.predict_interval([part], of="score")
            sums = np.array([own.sums(row) for row in rows])
            assert exact.all()
            assert lower[0].tolist() == sums.min(axis=0).tolist()
            assert upper[0].tolist() == sums.max(axis=0).tolist()
    assert n > 7


def test_rows_of_a_table_and_those_that_contradict_the_facts():
    for own in drawn(range(5200, 5208), "largest"):
        model = own.model()
        some = own.found.parts(12)
        full = [{name: row.get(name) for name in own.found.kinds} for row in some]
        bad = [not own.found.completions(row) for row in some]
        if not any(bad):
            model.status(full)
            continue
        with pytest.warns(ContradictingRows):
            status = model.status(full).tolist()
        assert [one == "impossible" for one in status] == bad
        with pytest.warns(ContradictingRows):
            possible = list(model.possible(full))
        with pytest.warns(ContradictingRows):
            labels = model.predict(full)
        for row, own_classes, one, label in zip(some, possible, status, labels, strict=True):
            assert set(own_classes) == {own.says(r) for r in own.found.completions(row)}
            assert (one == "certain") == (len(own_classes) == 1) == (not np.ma.is_masked(label))
        row = some[bad.index(True)]
        with pytest.raises(InvalidData, match="contradicts the facts"):
            _ = model.explain(row).witness


def test_the_rows_exact_values_count():
    """A low of 7 says that high is above 5, where the trees draw no line on low."""
    items = [{"feature": "high", "above": 5, "points": 2}, {"feature": "rash", "points": 1}]
    space = ol.Space({"low": float, "high": float, "rash": bool})
    score = ol.Ensemble.from_points(
        {"items": items, "verdicts": {"low": None, "high": 2}}, space=space
    )
    known = score.with_facts(["low <= high"])
    assert known.predict([{"low": 7}, {"low": 5}, {}]).tolist() == ["high", None, None]
    assert ol.Ensemble.from_json(known.to_json()) == known
    assert known.space.facts
    lower, upper, _ = known.predict_interval([{"low": 7}], of="score")
    assert (lower.tolist(), upper.tolist()) == ([2.0], [3.0])
    between = known.predict(ol.Between([{"low": 6.0}], [{"low": 9.0}]))
    assert between.tolist() == ["high"]


def test_a_number_that_only_facts_make_certain():
    """With a of 8, b is at least 8: each tree has one leaf left, and all sums are one."""
    rng = np.random.default_rng(0)
    b = rng.integers(0, 10, 200).astype(float)
    y = np.sqrt(b) * (b < 4) + 1.7 * (b >= 4)
    fitted = GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=0)
    model = ol.read(fitted.fit(np.c_[b * 0, b], y), feature_names=["a", "b"])
    assert model.kernel.whole.slack.any()
    known = model.with_facts(["a <= b"])
    number = model.predict([{"b": 8.0}])[0]
    assert known.predict([{"a": 8.0}]).tolist() == [number]
    assert known.status([{"a": 8.0}]).tolist() == ["certain"]
    assert known.predict([{"a": -1.0}]).tolist() == [None]
    lower, upper, exact = known.predict_interval([{"a": 8.0}])
    assert (lower[0], upper[0], bool(exact[0])) == (number, number, True)
