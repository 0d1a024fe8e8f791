"""The search of the page over sums of trees, in Node: compared with every completion."""

import re

import javascript
import numpy as np
import pytest
from javascript import needs_node
from sums import Sum, values_of

import orderless as ol

pytestmark = needs_node

API = """
const finish = (work) => {
  for (;;) {
    const {done, value} = work.next();
    if (done) return value;
  }
};
const own = (i) => FEATURES[i].name;
const cellOf = (row) => read(row).map((side, i) => someBin(i, side));
const finished = (row) => {
  const answer = begun(read(row));
  for (const [, work] of stepsOf(answer)) finish(work());
  return answer;
};
globalThis.orderless = {
  sums: (row) => [...sums(cellOf(row))],
  label: (row) => labelOf(sums(cellOf(row))),
  possible: (row) => {
    const found = {};
    finish(possibleIn(finish(restricted(read(row))), found));
    return [found.state, found.cells.map((cell) => cell && labelOf(sums(cell)))];
  },
  range: (row) => {
    const {problem, range} = finished(row);
    return [[range.low.far, range.high.far].map(fromUnits), ...[range.low, range.high].map(
      ({cell}) => sums(cell)[PAGE.gauge])];
  },
  advise: (row) => {
    const {matters, next, found} = finished(row);
    return [matters.map(own), next === null ? null : own(next), found.state || []];
  },
  next: (row) => {
    const answer = begun(read(row));
    for (const [name, work] of stepsOf(answer)) {
      if (name === "next") break;
      finish(work());
    }
    if (stateOf(answer) !== "certain") finish(chosen(answer));
    return answer.next === null ? null : own(answer.next);
  },
  // Whether a complete row lies in the reason of another, and what the reason is about.
  reason: ([row, others]) => {
    const {reason} = finished(row);
    if (!reason) return null;
    const about = reason.flatMap((side, i) => (isWhole(i, side) ? [] : [own(i)]));
    return [about, others.map((other) => read(other).every((side, i) => meets(side, reason[i])))];
  },
  changes: ([row, name, values]) => {
    const {changes, reason} = finished(row);
    const i = FEATURES.findIndex((feature) => feature.name === name);
    return values.map((value) => changes
      .filter((one) => one.i === i && meets(one.side, readSide(i, value)))
      .map(({labels}) => labels));
  },
  outcomes: (row) => {
    const {outcomes, next} = finished(row);
    return [next === null ? null : own(next), outcomes || []];
  },
  outcome: ([row, values]) => {
    const {outcomes, next} = finished(row);
    return values.map((value) => outcomes
      .filter(({side}) => meets(side, readSide(next, value)))
      .map(({labels}) => labels));
  },
  pair: (row) => {
    const {found} = finished(row);
    const cells = found.cells.filter((cell) => cell);
    const pair = cells.length > 1 ? closest(cells[0], cells[1]) : null;
    return pair && [pair.labels, pair.cells.map((cell) => labelOf(sums(cell))),
      pair.cells[0].filter((bin, i) => bin !== pair.cells[1][i]).length];
  },
};
"""
YES, NO, HIDDEN = 1, 2, 3


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


def source(model, **options):
    """The page's script without the part that needs a document."""
    page = ol.write_page(model, **options)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL).group(1)
    return script.split("// The page: reads the form")[0] + API + "})();"


def run(model, rows, work):
    found = javascript.run(source(model.ensemble), rows, f"orderless.{work}(row)")
    assert not [one for one in found if isinstance(one, dict)], found
    return found


def as_dict(model, row):
    return {feature.name: value for feature, value in zip(model.features, row, strict=True)}


def small(seed, **options):
    rng = np.random.default_rng(seed)
    sizes = {
        "n_features": int(rng.integers(1, 4)),
        "n_trees": int(rng.integers(1, 7)),
        "depth": int(rng.integers(1, 5)),
    }
    return rng, Sum(rng, **{**sizes, **options})


def with_classes(seeds, **options):
    for seed in seeds:
        rng, model = small(seed, **options)
        if model.kind != "number":
            yield rng, model


@pytest.mark.parametrize("seed", range(30))
def test_sums_are_added_as_the_library_adds(seed):
    """To the last bit: in its order, in its precision, the base first or last."""
    rng, model = small(seed)
    rows = model.completions({})
    some = [rows[int(k)] for k in rng.integers(len(rows), size=min(len(rows), 40))]
    expected = [[float(x) for x in model.sums(row)] for row in some]
    assert run(model, [as_dict(model, row) for row in some], "sums") == expected
    if model.kind != "number":
        labels = [model.label(row) for row in some]
        assert run(model, [as_dict(model, row) for row in some], "label") == labels


@pytest.mark.parametrize("block", range(8))
def test_possible_classes_by_trying_every_completion(block):
    kinds, open_rows = set(), 0
    for rng, model in with_classes(range(100 + 25 * block, 125 + 25 * block)):
        asked = [model.partial(rng) for _ in range(6)] + [({}, {})]
        answers = run(model, [row for row, _ in asked], "possible")
        for (row, allowed), (state, labels) in zip(asked, answers, strict=True):
            found = {model.label(one) for one in model.completions(allowed)}
            expected = [YES if c in found else NO for c in range(len(model.classes))]
            assert state == expected, (model.kind, row)
            assert labels == [c if c in found else None for c in range(len(model.classes))]
            open_rows += len(found) > 1
            kinds.add((model.kind, model.single, len(model.classes)))
    assert open_rows > 20
    assert len(kinds) > 5


def test_what_the_librarys_rounding_hides_is_not_ruled_out():
    """Where sums this close may be told apart or not, no class near to them is ruled out."""
    hidden = 0
    for rng, model in with_classes(range(900, 960), window=0.15):
        asked = [model.partial(rng) for _ in range(5)]
        answers = run(model, [row for row, _ in asked], "possible")
        for (_, allowed), (state, _) in zip(asked, answers, strict=True):
            rows = model.completions(allowed)
            found = {model.label(one) for one in rows}
            for c, said in enumerate(state):
                assert (said == YES) == (c in found)
                if said == NO and -1 in found:
                    assert not any(model.label(row) < 0 and near(model, row, c) for row in rows)
                hidden += said == HIDDEN
    assert hidden > 10


def near(model, row, label):
    """Whether the library, rounding once more, may give this class to a row."""
    own, window = [float(x) for x in model.sums(row)], model.rule.window
    if model.rule.kind == "largest":
        late = label > own.index(max(own)) and not model.rule.either
        return not late and max(own) - own[label] <= window
    ends = (-np.inf, *model.rule.cuts, np.inf)
    return ends[label] - window < own[0] <= ends[label + 1] + window


def test_ranges_of_numbers_by_trying_every_completion():
    n = 0
    for seed in range(200, 300):
        rng, model = small(seed)
        if model.kind != "number":
            continue
        asked = [model.partial(rng) for _ in range(6)]
        for (_, allowed), ((low, high), least, most) in zip(
            asked, run(model, [row for row, _ in asked], "range"), strict=True
        ):
            every = [float(model.sums(row)[0]) for row in model.completions(allowed)]
            assert [low, high] == pytest.approx([min(every), max(every)], abs=1e-5)
            assert {least, most} <= set(every)
            n += 1
    assert n > 80


# -- advice ----------------------------------------------------------------------------------------


def test_what_makes_no_difference():
    """A feature that is not named changes no completion's class."""
    spared = 0
    for rng, model in with_classes(range(400, 460)):
        asked = [model.partial(rng) for _ in range(4)]
        for (_, allowed), (matters, asks, _) in zip(
            asked, run(model, [row for row, _ in asked], "advise"), strict=True
        ):
            labels = {row: model.label(row) for row in map(keyed, model.completions(allowed))}
            for i, feature in enumerate(model.features):
                if feature.name in matters:
                    continue
                spared += i not in allowed
                rest = {}
                for row, label in labels.items():
                    rest.setdefault(row[:i] + row[i + 1 :], set()).add(label)
                assert all(len(own) == 1 for own in rest.values())
            assert asks is None or asks in matters
            assert (asks is None) == (len(set(labels.values())) == 1)
    assert spared > 20


NAN = float("nan")


def keyed(row):
    """Make rows comparable: every NaN is the same object, which a tuple takes for equal."""
    return tuple(NAN if value != value else value for value in row)


def test_reasons_are_sufficient_and_cannot_be_shortened():
    n = 0
    for rng, model in with_classes(range(600, 680)):
        everything = model.completions({})
        dicts = [as_dict(model, row) for row in everything]
        asked = [model.partial(rng) for _ in range(4)]
        for (_, allowed), said in zip(
            asked, run(model, [[row, dicts] for row, _ in asked], "reason"), strict=True
        ):
            labels = {model.label(row) for row in model.completions(allowed)}
            assert (said is None) == (len(labels) > 1)
            if said is None:
                continue
            about, inside = said
            chosen = [row for row, own in zip(everything, inside, strict=True) if own]
            assert {model.label(row) for row in chosen} == labels
            assert {keyed(row) for row in model.completions(allowed)} <= set(map(keyed, chosen))
            n += len(about)
            for name in about:
                names = [feature.name for feature in model.features]
                freed = {i: allowed[i] for i in allowed
                         if names[i] in about and names[i] != name}  # fmt: skip
                assert len({model.label(row) for row in model.completions(freed)}) > 1
    assert n > 30


def test_what_would_change_the_answer_and_what_answers_lead_to():
    changed, led = 0, 0
    for rng, model in with_classes(range(700, 740)):
        row, allowed = model.partial(rng)
        labels = {model.label(one) for one in model.completions(allowed)}
        if len(labels) == 1:
            for i in allowed:
                values = values_of(model.features[i])
                asked = [[row, model.features[i].name, values]]
                if model.features[i].name not in {f["name"] for f in features_of(model)}:
                    continue
                (found,) = run(model, asked, "changes")
                for value, said in zip(values, found, strict=True):
                    then = {model.label(one) for one in model.completions({**allowed, i: [value]})}
                    assert said == ([] if then == labels else [sorted(then)])
                    changed += then != labels
            continue
        ((name, _),) = run(model, [row], "outcomes")
        (i,) = [k for k, feature in enumerate(model.features) if feature.name == name]
        values = allowed.get(i, values_of(model.features[i]))
        (found,) = run(model, [[row, values]], "outcome")
        for value, said in zip(values, found, strict=True):
            then = {model.label(one) for one in model.completions({**allowed, i: [value]})}
            assert said == [sorted(then)]
            led += 1
    assert changed > 10
    assert led > 50


def features_of(model):
    from orderless.output.page.ensemble_tables import ensemble_tables

    return ensemble_tables(model.ensemble.kernel)[0]


def test_two_ways_differ_in_one_feature():
    n = 0
    for rng, model in with_classes(range(800, 840)):
        asked = [model.partial(rng)[0] for _ in range(4)]
        for pair in run(model, asked, "pair"):
            if pair is not None:
                labels, again, differ = pair
                assert labels == again
                assert labels[0] != labels[1]
                assert differ == 1
                n += 1
    assert n > 20
