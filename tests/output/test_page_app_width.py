"""Pages that ask until a number is known within a width: by Node against brute force, and seen."""

import browsing
import javascript
import numpy as np
import oracle
import pytest
from decimal_numbers import near
from hypothesis import assume, given, settings, strategies as st
from javascript import needs_node
from strategies import kinds, partial_rows, specs, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidTree
from tests.output.test_page_advice import completions, logic

NUMBERS = (-1.5, 0.25, 1.0, 1.25, 3.0)
STAY = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
        "true": {"prediction": 2.5}, "false": {"feature": "smoker", "true": {"prediction": 37 / 3},
                 "false": {"prediction": 7.0}}}  # fmt: skip
SPACE = ol.Space({"age": "integer", "smoker": "boolean"})
ROWS = [{"age": 50, "smoker": 0}, {"age": 70, "smoker": 1}, {"age": 80, "smoker": 0}]


def stay():
    return ol.read(STAY, space=SPACE)


def advice(source, rows):
    """By row the numbers that are possible, what matters, and what to ask."""
    return javascript.run(source, rows, "orderless.advise(row)")


@needs_node
@settings(max_examples=60)
@given(st.data(), st.sampled_from([0, 0.25, 1, 1.75, 4.5, 1e300]), st.booleans())
def test_every_row_is_settled_in_the_end(data, within, with_policy):
    which = data.draw(kinds(max_features=3))
    spec = data.draw(specs(which, NUMBERS))
    values = oracle.values_by_feature(which, spec)
    assume(np.prod([len(v) for v in values.values()]) < 300)
    tree = tree_of(spec, which).replace(task="regression")
    full = list(completions(which, {}, spec))
    policy = None
    if with_policy and tree.features:
        policy = ol.cheapest_policy(tree, full, dict.fromkeys(tree.features, 1), tolerance=within)
    source = logic(ol.write_page(tree, policy=policy, tolerance=None if policy else within))
    start = data.draw(partial_rows(which, spec))
    truth = data.draw(st.sampled_from(list(completions(which, start, spec))))
    row = {name: value for name, value in start.items() if value is not None}
    for _ in range(len(which) + 1):
        ((numbers, matters, asked),) = advice(source, [row])
        possible = oracle.possible_classes(which, row, spec)
        assert set(numbers) == set(possible)
        wide = not near(possible, within)
        assert (asked is not None) == wide
        assert set(matters) == set() if not wide else asked in matters
        settling = {name for one in tree.needed(row, tolerance=within).settle for name in one}
        assert settling <= set(matters)
        if not wide:
            break
        assert asked not in row
        row[asked] = truth[asked]
    assert not wide


@needs_node
def test_the_policys_own_way_is_gone():
    tree = stay()
    for within in (None, 0, 5, 6, 100):
        policy = ol.cheapest_policy(tree, ROWS, {"age": 3, "smoker": 1}, tolerance=within)
        source = logic(ol.write_page(tree, policy=policy))
        for row in ROWS:
            known = {}
            while (due := policy.next_feature(known).feature) is not None:
                ((_, _, asked),) = advice(source, [known])
                assert asked == due
                known[due] = row[due]
            assert advice(source, [known])[0][2] is None


def test_widths_that_do_not_go_together():
    tree = stay()
    near = ol.cheapest_policy(tree, ROWS, {"age": 1, "smoker": 1}, tolerance=6)
    assert '"within": 6.0' in ol.write_page(tree, policy=near)
    assert ol.write_page(tree, policy=near, tolerance=6) == ol.write_page(tree, policy=near)
    assert '"within"' not in ol.write_page(tree)
    with pytest.raises(InvalidData, match=r"policy was made for tolerance=6, and .* tolerance=5"):
        ol.write_page(tree, policy=near, tolerance=5)
    with pytest.raises(ValueError, match="tolerance must be a finite number of at least 0, got -1"):
        ol.write_page(tree, tolerance=-1)
    with pytest.raises(
        InvalidTree, match="tolerance is for trees that predict numbers, and this one"
    ):
        ol.write_page(tree.discretize([5]), tolerance=1)
    other = ol.read({**STAY, "true": {"prediction": 3}}, space=SPACE)
    with pytest.raises(InvalidTree, match="the policy does not decide the same as the tree"):
        ol.write_page(other, policy=near)


@pytest.mark.engine
@pytest.mark.parametrize("width", [1100, 360])
def test_the_page_says_that_it_is_near_enough(browser, tmp_path, width):
    path = tmp_path / "page.html"
    policy = ol.cheapest_policy(stay(), ROWS, {"age": 1, "smoker": 1}, tolerance=6)
    ol.write_page(stay(), path, title="How long will it take?", target_name="Days", policy=policy)
    with browsing.watched(browser) as (go, requests):
        tab = go(path, viewport={"width": width, "height": 800})
        verdict, details = tab.locator("#verdict"), tab.locator("#details")
        assert "Not known within 6 yet" in verdict.inner_text()
        assert "2.5 to 12.33" in verdict.inner_text()
        tab.locator("#f0 .value").fill("70")
        assert "✓ Known within 6" in verdict.inner_text()
        assert "7 to 12.33" in verdict.inner_text()
        assert tab.locator("#answer").get_attribute("class") == "certain"
        assert details.inner_text().lower() == "not needed\n\nsmoker."
        tab.get_by_text("No", exact=True).click()
        assert "✓ Certain" in verdict.inner_text()
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        browsing.accessible(tab)
        assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
