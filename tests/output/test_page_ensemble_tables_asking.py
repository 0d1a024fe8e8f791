"""What the page asks next is what ``ask_next`` asks; both against every completion."""

import javascript
import numpy as np
import pytest
from javascript import needs_node
from lightgbm import LGBMClassifier
from sklearn.datasets import load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sums import holds, leaf_of, values_of
from xgboost import XGBClassifier

import orderless as ol
from orderless.questions import asking
from tests.output.test_page_ensemble_tables import small, source, with_classes

pytestmark = needs_node


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


def plain(model, rng):
    """Some rows with gaps; what they allow, by feature."""
    for _ in range(5):
        row, allowed = model.partial(rng)
        known = {name: value for name, value in row.items() if not isinstance(value, list | dict)}
        names = [feature.name for feature in model.features]
        yield known, {i: own for i, own in allowed.items() if names[i] in known}
    yield {}, {}


def asked(ensemble, rows, costs=None, draws=None):
    """What the page asks next."""
    text = source(ensemble, **({} if costs is None else {"costs": costs}))
    if draws is not None:
        text = text.replace("const DRAWS = 64;", f"const DRAWS = {draws};")
        assert f"const DRAWS = {draws};" in text
    return javascript.run(text, rows, "orderless.next(row)")


@pytest.mark.parametrize("draws", [64, 1])
def test_python_and_the_page_ask_the_same(draws, monkeypatch):
    """With one draw hardly any feature is seen to matter: then completions are gone through."""
    monkeypatch.setattr(asking, "DRAWS", draws)
    went, first_pair = [], asking._SumAsker._first_pair
    monkeypatch.setattr(
        asking._SumAsker, "_first_pair", lambda *of: went.append(1) or first_pair(*of)
    )
    n = 0
    for seed in range(1000, 1080):
        rng, model = small(seed, n_features=4, depth=3, window=(0.0, 0.15)[seed % 5 == 0])
        names = model.ensemble.features
        if model.kind == "number" or not names:
            continue
        rows = [row for row, _ in plain(model, rng)]
        costs = {name: float(rng.integers(0, 4)) for name in names} if seed % 2 else None
        ours = model.ensemble.ask_next(rows, costs).tolist()
        theirs = asked(model.ensemble, rows, costs, draws)
        if model.rule.window:  # the page calls rows undecided that Python can tell
            theirs = [own if mine else None for own, mine in zip(theirs, ours, strict=True)]
        assert theirs == ours, seed
        n += sum(name is not None for name in ours)
    assert n > 200
    assert len(went) > (50 if draws == 1 else 0)


MODELS = {
    "forest": lambda X, y: RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, y),
    "boosted": lambda X, y: GradientBoostingClassifier(n_estimators=6, random_state=0).fit(X, y),
    "XGBoost": lambda X, y: XGBClassifier(n_estimators=20, max_depth=3, n_jobs=1).fit(X, y > 0),
    "LightGBM": lambda X, y: LGBMClassifier(
        n_estimators=15, num_leaves=6, verbose=-1, n_jobs=1
    ).fit(X, y),
}


@pytest.mark.parametrize("name", MODELS)
def test_they_ask_the_same_of_real_models(name):
    """One question after the other, until the answer is certain."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    ensemble = ol.read(MODELS[name](X, y))
    full = X.sample(8, random_state=1).to_dict("records")
    rows, n = [{} for _ in full], 0
    while rows:
        ours = ensemble.ask_next(rows).tolist()
        assert asked(ensemble, rows) == ours
        left = [i for i, name in enumerate(ours) if name is not None]
        rows = [{**rows[i], ours[i]: full[i][ours[i]]} for i in left]
        full = [full[i] for i in left]
        n += len(left)
    assert n > 10


def test_the_rule_by_every_completion():
    """It matters, and no feature that often matters would leave a smaller range on average."""
    n = 0
    for rng, model in with_classes(range(500, 540)):
        some = list(plain(model, rng))
        for (_, allowed), asks in zip(
            some, model.ensemble.ask_next([row for row, _ in some]).tolist(), strict=True
        ):
            changes = {f.name: flips(model, allowed, i) for i, f in enumerate(model.features)}
            assert (asks is None) == (not any(changes.values()))
            if asks is None:
                continue
            n += 1
            assert changes[asks] > 0
            left = {feature.name: expected_range(model, allowed, i)
                    for i, feature in enumerate(model.features)}  # fmt: skip
            often = [left[name] for name, share in changes.items() if share > 0.25]
            assert left[asks] <= min(often, default=np.inf) + 1e-6, (left, changes, asks)
    assert n > 60


def bins_of(model, allowed, i):
    """One allowed value for each bin of a feature."""
    feature, tests = model.features[i], conditions_on(model, i)
    bins = {}
    for value in allowed.get(i, values_of(feature)):
        told = tuple(holds(feature, test, missing, value) for test, missing in tests)
        missing = feature.kind != "categorical" and value != value
        bins.setdefault((told, missing), value)
    return list(bins.values())


def flips(model, allowed, i):
    """How often another bin of a feature alone gives another class: of all pairs of bins."""
    own = {k: bins_of(model, allowed, k) for k in range(len(model.features))}
    n = found = 0
    for row in model.completions(own):
        for value in own[i]:
            n += 1
            found += model.label(row) != model.label((*row[:i], value, *row[i + 1 :]))
    return found / n


def expected_range(model, allowed, i):
    """The range of the scores that stays open on average if a feature is asked."""
    bins, total = bins_of(model, allowed, i), 0.0
    for value in bins:
        ends = bounds(model, {**allowed, i: [value]})
        total += 0.0 if settled(model, ends) else sum(high - low for low, high in ends)
    return total / len(bins)


def conditions_on(model, i):
    """The tests on a feature that some rows pass and others do not; a tree drops the rest."""
    ways = {}
    for row in model.completions({}):
        for tree in model.trees:
            while len(tree) > 1:
                k, test, missing, yes, no = tree
                passed = holds(model.features[k], test, missing, row[k])
                ways.setdefault(id(tree), (k, test, missing, set()))[3].add(passed)
                tree = yes if passed else no
    return [(test, missing) for k, test, missing, own in ways.values() if k == i and len(own) == 2]


def bounds(model, allowed):
    """Per score the sum of each tree's smallest and largest value."""
    rows = model.completions(allowed)
    ends = np.array([[x, x] for x in model.adding.base])
    for tree, values in zip(model.trees, model.values, strict=True):
        own = values[[leaf_of(tree, model.features, row) for row in rows]]
        ends += np.stack([own.min(axis=0), own.max(axis=0)], axis=1)
    return ends.tolist()


def settled(model, ends):
    whole = model.ensemble.kernel.whole_within(50)
    slack = [max(float(x) * 2.0**whole.exponent, 1e-13) for x in whole.slack]
    if not whole.slack.any():
        slack = [0.0] * len(slack)
    if model.rule.kind == "cuts":
        ((low, high),) = ends
        return all((low - slack[0] > cut) == (high + slack[0] > cut) for cut in model.rule.cuts)
    return any(
        all(d == c or low - other > slack[c] + slack[d] for d, (_, other) in enumerate(ends))
        for c, (low, _) in enumerate(ends)
    )


def test_what_is_free_comes_first_and_equal_costs_change_nothing():
    n = 0
    for seed in range(500, 540):
        _, model = small(seed, n_features=3)
        used = model.ensemble.features
        if model.kind == "number" or len(used) < 2:
            continue
        (plainly,) = asked(model.ensemble, [{}])
        assert asked(model.ensemble, [{}], dict.fromkeys(used, 3.0)) == [plainly]
        if plainly is None:
            continue
        now = sum(high - low for low, high in bounds(model, {}))
        for i, feature in enumerate(model.features):
            if feature.name not in used or flips(model, {}, i) < 0.25:
                continue
            if expected_range(model, {}, i) > now - 1e-9:
                continue
            costs = {name: float(name != feature.name) for name in used}
            assert asked(model.ensemble, [{}], costs) == [feature.name]
            n += 1
    assert n > 10


def test_nan_alone_is_left_of_a_feature():
    """Whoever reached it found a leaf that lay in no bin: the search of this row had no end."""
    for seed in (1074, 1020):
        rng, model = small(seed, n_features=4, depth=3)
        rows = [row for row, _ in plain(model, rng)]
        found = javascript.run(source(model.ensemble), rows, "orderless.advise(row)")
        possible = model.ensemble.possible(rows)
        for (_, _, state), classes in zip(found, possible, strict=True):
            said = [label for label, own in zip(model.ensemble.classes, state, strict=True)
                    if own == 1]  # fmt: skip
            assert set(said) <= set(classes)
