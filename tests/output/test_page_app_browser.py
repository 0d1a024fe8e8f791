"""The page as people use it, in a real browser. A browser that is not there is a failure."""

import pytest
import showcase

import orderless as ol
from tests.output.test_code_python import chain
from tests.output.test_page_app import MIXED

pytestmark = pytest.mark.engine

PHONE = {"width": 360, "height": 740}


def mixed(**options):
    return ol.write_page(showcase.mixed(), title="Risk group", **MIXED, **options)


def group(tab, name):
    return tab.get_by_role("group", name=name)


def value(tab, name):
    return group(tab, name).get_by_label("value", exact=True)


def verdict(tab):
    return " ".join(tab.locator("#verdict").inner_text().split())


def details(tab):
    return " ".join(tab.locator("#details").inner_text().split())


def test_nothing_known(visit):
    tab = visit(mixed())
    assert verdict(tab) == "Not certain yet high, low or middle are still possible."
    assert "ASK NEXT" in details(tab)
    assert tab.title() == "Risk group"


def test_filling_in_any_order(visit):
    tab = visit(mixed())
    value(tab, "age").fill("70")
    assert verdict(tab).startswith("Not certain yet")
    group(tab, "color").get_by_label("red").check()
    assert verdict(tab) == "✓ Certain high whatever the 2 unknown values are."
    said = details(tab)
    assert said.startswith("BECAUSE age > 60 years color is not green This alone settles it")
    assert "age ≤ 24 years → leads to still open: high, low or middle" in said
    assert "24 < age ≤ 60 years → leads to still open: low or middle" in said
    assert "NOT NEEDED Lab value and smoker." in said
    tab.locator("#clear").click()
    assert verdict(tab).startswith("Not certain yet high, low or middle")
    assert value(tab, "age").input_value() == ""
    assert not group(tab, "color").get_by_label("red").is_checked()
    assert tab.evaluate("document.activeElement.closest('fieldset').id") == "f0"


def test_what_cannot_be_changed_is_locked(visit):
    tab = visit(mixed())
    value(tab, "age").fill("70")
    group(tab, "color").get_by_label("red").check()
    assert "age ≤ 24 years" in details(tab)
    tab.get_by_text("Lock what cannot be changed").click()
    tab.locator(".locks").get_by_label("age").check()
    assert "age ≤ 24 years" not in details(tab)
    assert "color is green" in details(tab)
    assert tab.evaluate("document.activeElement.type") == "checkbox"  # focus stays
    tab.locator(".locks").get_by_label("color").check()
    assert "No change of a single value that can be changed would change it." in details(tab)
    value(tab, "age").fill("71")  # locks stay while values change
    assert "No change of a single value that can be changed would change it." in details(tab)
    tab.locator(".locks").get_by_label("age").uncheck()
    assert "age ≤ 24 years" in details(tab)
    tab.locator("#clear").click()
    value(tab, "age").fill("70")
    group(tab, "color").get_by_label("red").check()
    assert "color is green" in details(tab)


def test_locks_stay_open_if_the_list_is_drawn_again_at_once(visit):
    """The browser says that a box was opened in a later task; a list may be drawn before that."""
    tab = visit(mixed())
    value(tab, "age").fill("70")
    group(tab, "color").get_by_label("red").check()
    opened = tab.evaluate(
        """() => {
          document.querySelector(".locks summary").click();
          document.getElementById("f0").dispatchEvent(new Event("input", { bubbles: true }));
          return document.querySelector(".locks").open;
        }"""
    )
    assert opened


def test_what_to_ask_next(visit):
    tab = visit(mixed())
    value(tab, "age").fill("20")
    group(tab, "smoker").get_by_label("Yes").check()
    assert verdict(tab) == "Not certain yet high or low are still possible."
    assert details(tab) == (
        "ASK NEXT Lab value Lab value < 0.1 → leads to low Lab value ≥ 0.1 → leads to high "
        "MAKES NO DIFFERENCE color."
    )
    assert group(tab, "Lab value").locator(".note").inner_text() == "Ask next"
    assert group(tab, "color").locator(".note").inner_text() == "Makes no difference"
    tab.get_by_role("button", name="Lab value").click()
    tab.keyboard.type("0.05")
    assert verdict(tab) == "✓ Certain low whatever the unknown value is."


def test_a_range(visit):
    tab = visit(mixed())
    value(tab, "age").fill("20")
    group(tab, "smoker").get_by_label("Yes").check()
    field = group(tab, "Lab value")
    field.get_by_role("button").click()
    assert field.get_by_role("button").get_attribute("aria-pressed") == "true"
    field.get_by_label("from").fill("0.5")
    assert verdict(tab).startswith("✓ Certain high")
    field.get_by_label("from").fill("0.05")
    field.get_by_label("to").fill("0.09")
    assert verdict(tab).startswith("✓ Certain low")
    field.get_by_label("to").fill("3")
    assert verdict(tab).startswith("Not certain yet")
    field.get_by_label("from").fill("2")
    field.get_by_label("to").fill("2")
    field.get_by_role("button").click()  # back to one value, which is known
    assert value(tab, "Lab value").input_value() == "2"
    assert verdict(tab).startswith("✓ Certain high")


def test_one_of_several_categories(visit):
    tab = visit(mixed())
    value(tab, "age").fill("70")
    color = group(tab, "color")
    color.get_by_label("red").check()
    color.get_by_label("blue").check()
    assert verdict(tab).startswith("✓ Certain high")
    color.get_by_label("green").check()
    assert verdict(tab) == "Not certain yet high or middle are still possible."
    color.get_by_label("red").uncheck()
    color.get_by_label("blue").uncheck()
    value(tab, "Lab value").fill("2.5")
    assert verdict(tab).startswith("✓ Certain middle")
    color.get_by_label("green").uncheck()
    assert verdict(tab).startswith("Not certain yet")
    color.get_by_label("(other)").check()
    assert verdict(tab).startswith("✓ Certain high")


def test_nothing_is_cut_silently(visit):
    tab = visit(ol.write_page(chain(20)))
    assert tab.locator("#details > ul > li").count() == 6
    tab.get_by_text("15 more").click()
    assert tab.locator("#details li").count() == 21
    assert tab.get_by_text("x > 19.5").is_visible()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("age", "20.5", "20.5 is not a whole number."),
        ("age", "twenty", "“twenty” is not a number. Write it like 12.5."),
        ("Lab value", "1.234,5", "“1.234,5” is not a number. Write it like 12.5."),
        ("Lab value", "3,750", "“3,750” can mean 3.750 or 3750. Write the one you mean."),
        ("Lab value", "1e999", "“1e999” is not a number."),
        ("Lab value", "0x10", "“0x10” is not a number."),
        ("Lab value", "<b>1</b>", "“<b>1</b>” is not a number."),
    ],
)
def test_what_cannot_be_read_counts_as_unknown_and_is_said(visit, name, text, said):
    tab = visit(mixed())
    value(tab, name).fill(text)
    assert said in group(tab, name).locator(".fault").inner_text()
    assert value(tab, name).get_attribute("aria-invalid") == "true"
    assert verdict(tab) == (
        "Not certain yet high, low or middle are still possible. "
        f"{name} cannot be read and counts as unknown."
    )
    value(tab, name).fill(" \u22121 ")
    assert group(tab, name).locator(".fault").inner_text() == ""
    assert "cannot be read" not in verdict(tab)


def test_a_decimal_comma_is_read_and_that_is_said(visit):
    tab = visit(mixed())
    field = group(tab, "Lab value").locator(".read")
    for text, said in (("2,5", "Read as 2.5."), ("0,125", "Read as 0.125."), (",5", "Read as 0.5."),
                       ("2.5", ""), ("3,750", ""), ("", "")):  # fmt: skip
        value(tab, "Lab value").fill(text)
        assert field.inner_text() == said
    both = []
    for text in ("2.5", "2,5"):
        value(tab, "age").fill("61")
        value(tab, "Lab value").fill(text)
        both.append((verdict(tab), details(tab)))
    assert both[0] == both[1]


def test_many_categories_can_be_searched(visit):
    labels = [f"value {k}" for k in range(60)]
    tree = showcase.ask("c", "in", labels[:7], showcase.leaf(1), showcase.leaf(0))
    tab = visit(ol.write_page(ol.read(tree, space=ol.Space({"c": labels}))))
    shown = tab.locator(".choice:visible")
    assert shown.count() == 60
    tab.get_by_label("search the values").fill("VALUE 3")
    assert shown.count() == 11
    assert tab.locator(".found").inner_text() == "11 values contain “VALUE 3”."
    tab.locator(".choice").get_by_text("value 3", exact=True).click()
    assert verdict(tab).startswith("✓ Certain 1")
    tab.get_by_label("search the values").fill("value 40")
    assert shown.count() == 2  # what is chosen stays in sight
    assert verdict(tab).startswith("✓ Certain 1")
    tab.get_by_role("button", name="Clear all").click()
    assert shown.count() == 60


def close_cuts():
    tree = {"prediction": 0}
    for k, cut in enumerate([1234.5, 1234.625, 1235.25, 1236.125, 1240.5, 1250.5, 1300.75]):
        other = {"prediction": (k + 1) % 2}
        tree = showcase.ask("lab", "<=", cut, tree, other)
    return ol.read(tree, feature_names=["lab"])


@pytest.mark.parametrize("size", [PHONE, {"width": 1100, "height": 800}])
def test_labels_of_close_cuts_do_not_merge(visit, size):
    tab = visit(ol.write_page(close_cuts()), viewport=size)
    boxes = tab.evaluate(
        "[...document.querySelectorAll('.cut')].filter((e) => e.offsetParent)"
        ".map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.right, b.top, b.bottom])"
    )
    assert len(boxes) == 7
    for k, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:k]:
            apart = right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top
            assert apart


def test_people_read_their_own_words(visit):
    page = mixed(target_name="Risk", class_names={"high": "High risk", "low": "Low risk"})
    tab = visit(page)
    assert tab.locator("#answer-head").inner_text() == "Risk"
    assert verdict(tab) == "Not certain yet High risk, Low risk or middle are still possible."


def test_ranges_that_cannot_be(visit):
    tab = visit(mixed())
    field = group(tab, "age")
    field.get_by_role("button").click()
    field.get_by_label("from").fill("30")
    field.get_by_label("to").fill("20")
    assert (
        field.locator(".fault").inner_text() == "A range goes from low to high, but 30 is above 20."
    )
    field.get_by_label("from").fill("19.2")
    field.get_by_label("to").fill("19.8")
    assert "There is no whole number from 19.2 to 19.8." in field.locator(".fault").inner_text()


def test_where_missing_is_an_answer(visit):
    space = ol.Space([ol.Feature("a", nan=True),
                      ol.Feature("c", "categorical", categories=("x", "y"), nan=True)])  # fmt: skip
    tree = ol.Tree(space, ["no", "yes"], feature=[0, 1, -1, -1, -1], threshold=[1, 0, 0, 0, 0],
                   when_true=[1, 2, -1, -1, -1], when_false=[4, 3, -1, -1, -1],
                   leaf_class=[-1, -1, 0, 1, 1], nan_true=[1, 0, 0, 0, 0],
                   sets={1: [0]})  # fmt: skip
    tab = visit(ol.write_page(tree))
    assert verdict(tab).startswith("Not certain yet")
    group(tab, "a").get_by_label("missing (counts").check()
    assert value(tab, "a").is_disabled()
    group(tab, "c").get_by_label("(missing)").check()
    assert verdict(tab).startswith("✓ Certain yes")
    assert tree.predict([{"a": None, "c": None}]).tolist() == ["yes"]
    assert "a is missing" not in details(tab).split("WHAT WOULD")[0]
    group(tab, "a").get_by_label("missing (counts").uncheck()
    value(tab, "a").fill("0")
    assert verdict(tab).startswith("✓ Certain yes")
    group(tab, "c").get_by_label("(missing)").uncheck()
    group(tab, "c").get_by_label("x").check()
    assert verdict(tab).startswith("✓ Certain no")


def test_examples_are_filled_in(visit):
    rows = {"A young smoker": {"age": 20, "lab value": 1.5, "smoker": True},
            "Nothing but a color": {"color": "green"}}  # fmt: skip
    tab = visit(mixed(examples=rows))
    tab.get_by_label("Fill in an example").select_option("A young smoker")
    assert value(tab, "age").input_value() == "20"
    assert group(tab, "smoker").get_by_label("Yes").is_checked()
    assert verdict(tab).startswith("✓ Certain high")
    tab.get_by_label("Fill in an example").select_option("Nothing but a color")
    assert value(tab, "age").input_value() == ""
    assert group(tab, "color").get_by_label("green").is_checked()
    tab.get_by_label("Fill in an example").select_option("Examples")
    assert not group(tab, "color").get_by_label("green").is_checked()


def test_a_tree_that_asks_nothing(visit):
    tab = visit(ol.write_page(showcase.constant()))
    assert verdict(tab) == "✓ Certain yes"
    assert details(tab) == "BECAUSE The answer is the same whatever the values are."
    tab.locator("#clear").click()
    assert verdict(tab) == "✓ Certain yes"


def test_by_keyboard_alone(visit):
    tab = visit(mixed())
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the answer"
    tab.keyboard.press("Tab")  # clear
    tab.keyboard.press("Tab")
    tab.keyboard.type("70")
    for _ in range(4):  # range, lab value, range, smoker
        tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Space")  # red
    assert verdict(tab) == "✓ Certain high whatever the 2 unknown values are."
    outline = tab.evaluate(
        "getComputedStyle(document.activeElement.closest('.choice')).outlineStyle"
    )
    assert outline == "solid"
    tab.keyboard.press("Enter")  # submits nothing
    assert verdict(tab).startswith("✓ Certain high")


def test_only_a_new_verdict_is_announced(visit):
    tab = visit(mixed())
    status = tab.get_by_role("status")
    assert status.get_attribute("aria-live") == "polite"
    tab.evaluate(
        "window.changes = 0; new MutationObserver(() => { window.changes += 1; })"
        ".observe(document.getElementById('verdict'), {childList: true, subtree: true})"
    )
    value(tab, "Lab value").fill("1")
    value(tab, "Lab value").fill("1.5")
    assert tab.evaluate("window.changes") == 0
    value(tab, "age").fill("70")
    assert tab.evaluate("window.changes") == 1
