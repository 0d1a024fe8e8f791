"""The page in a real browser: the library's own answers, for everyone to read, and safe."""

import json

import browsing
import numpy as np
import pytest
import showcase
from javascript import REVIVE, packed

import orderless as ol
from tests.output.test_page_app_browser import PHONE, details, group, mixed, value, verdict

pytestmark = pytest.mark.engine

# -- the same answers --------------------------------------------------------------------------


def random_rows(space, n, rng):
    """Rows with gaps over numbers near the thresholds, truth values and categories."""
    columns = []
    for feature in space.features:
        if feature.kind == "categorical":
            values = [*feature.categories, *["never seen"] * feature.other]
        elif feature.kind == "boolean":
            values = [0, 1, True, False]
        else:
            near = (0.1, 2.5, 24, 25, 60, 61, 0.8, 1.75)
            values = [*near, *rng.normal(3, 4, 300).round(2).tolist()]
            values = [round(v) for v in values] if feature.whole else values
        picks = rng.integers(0, len(values), n)
        gaps = rng.random(n) < 0.35
        columns.append([None if gap else values[k] for k, gap in zip(picks, gaps, strict=True)])
    names = space.names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def in_page(tab, work, rows):
    code = f"(text) => {{ {REVIVE} return JSON.parse(text, revive).map((row) => {work}); }}"
    return tab.evaluate(code, json.dumps(packed(rows)))


@pytest.mark.parametrize("name", ["mixed", "iris", "hostile"])
def test_thousands_of_random_rows(visit, name):
    form = showcase.FORMS[name]()
    tab = visit(ol.write_page(form))
    rows = random_rows(form.space, 5000, np.random.default_rng(7))
    labels = form.predict(rows).tolist()
    assert in_page(tab, "orderless.decide(row)", rows) == labels
    possible = [list(classes) for classes in form.tree.possible(rows)]
    assert in_page(tab, "orderless.possibleClasses(row)", rows) == possible
    said = in_page(tab, "orderless.advise(row)", rows[:300])
    for row, one, label in zip(rows, said, labels, strict=False):
        needed = form.tree.needed(row)
        assert one["classes"] == list(needed.possible)
        assert (one["next"] is None) == (label is not None)
        assert set(one["matters"]) <= set(needed.unknown)
        assert one["next"] is None or one["next"] in one["matters"]
    assert 100 < labels.count(None) < 4900


def test_what_is_typed_is_what_is_decided(visit):
    """Rows go through the form itself: at each threshold and on both sides of it."""
    form, _, _ = showcase.iris()
    tab = visit(ol.write_page(form))
    tree = form.tree
    assert tree.features == ("petal width (cm)",)
    cuts = [
        float(t) for t, f in zip(tree.nodes.threshold, tree.nodes.feature, strict=True) if f >= 0
    ]
    width = [repr(x) for cut in cuts for x in (cut, np.nextafter(cut, 9).item(), round(cut, 2))]
    for text in width:
        value(tab, "petal width (cm)").fill(text)
        (label,) = tree.predict([{"petal width (cm)": float(text)}])
        assert verdict(tab) == f"✓ Certain {label}"


# -- for everyone, and safe --------------------------------------------------------------------


COSTS = {"color": 2, "age": 0, "lab value": 0, "smoker": 0}


def axe(tab):
    tab.evaluate("scrollTo(0, 0)")  # half of a target under the bar of the phone would be too small
    assert len(browsing.accessible(tab)) > 15


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", {"width": 1200, "height": 800}), ("dark", PHONE)],
    ids=["light-desk", "dark-phone"],
)
def test_accessible(visit, scheme, size):
    tab = visit(mixed(costs=COSTS, examples=[{"age": 3}]), color_scheme=scheme, viewport=size)
    axe(tab)
    value(tab, "age").fill("20")
    group(tab, "Lab value").get_by_role("button").click()
    group(tab, "Lab value").get_by_label("from").fill("x")
    axe(tab)
    group(tab, "Lab value").get_by_label("from").fill("1")
    group(tab, "smoker").get_by_label("Yes").check()
    assert verdict(tab).startswith("✓ Certain")
    axe(tab)


def test_accessible_where_categories_are_many(visit):
    labels = [f"value {k}" for k in range(60)]
    tree = showcase.ask("c", "in", labels[:7], showcase.leaf(1), showcase.leaf(0))
    tab = visit(ol.write_page(ol.read(tree, space=ol.Space({"c": labels}))))
    axe(tab)


@pytest.mark.parametrize("name", ["mixed", "hostile"])
def test_fits_on_a_phone(visit, name):
    tab = visit(ol.write_page(showcase.FORMS[name]()), viewport=PHONE, has_touch=True)
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    heights = tab.evaluate(
        "[...document.querySelectorAll('button, .choice, input[type=text], select')]"
        ".filter((e) => e.offsetParent).map((e) => e.getBoundingClientRect().height)"
    )
    assert min(heights) >= 24  # WCAG 2.2, target size
    assert tab.locator(".peek").is_visible()
    tab.locator(".peek").click()
    tab.wait_for_function("location.hash === '#answer'")


def test_names_are_not_executed(visit):
    names = showcase.HOSTILE
    tab = visit(
        ol.write_page(
            showcase.hostile(),
            title=names[0],
            description="<img src=x onerror=alert(2)>",
            labels={names[1]: names[0]},
            units={names[1]: "<i>"},
            examples={"<svg onload=alert(3)>": {names[0]: True}},
        )
    )
    assert tab.locator("h1").inner_text() == names[0]
    assert tab.locator("img, svg, b, i").count() == 0
    tab.locator("#example").select_option(index=1)
    assert verdict(tab).startswith("✓ Certain '| \\\\ {x}\\n'")
    assert details(tab).startswith(f"BECAUSE {names[0]}: yes")
    assert tab.locator("img, svg, b, i").count() == 0
    assert tab.locator("script").count() == 1


def test_a_script_that_is_not_ours_does_not_run(browser, tmp_path):
    """The content security policy holds even if markup got in."""
    page = mixed().replace("<main>", "<main><script>window.bad = 1</script><p style='color:red'>")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    with browser.new_context() as context:
        tab = browsing.open_tab(context)
        complaints = []
        tab.on("console", lambda message: complaints.append(message.text))
        with tab.expect_event("console", lambda _: len(complaints) == 2):
            tab.goto((tmp_path / "page.html").as_uri())
        assert tab.evaluate("window.bad === undefined && typeof orderless === 'object'")
        assert len(complaints) == 2
        assert all("Content Security Policy" in said for said in complaints)


def test_prints_in_full(visit):
    tab = visit(mixed(), color_scheme="dark")
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not tab.locator("#clear").is_visible()
    assert tab.locator("#verdict").is_visible()
