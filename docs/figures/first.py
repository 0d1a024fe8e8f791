"""Draw the first picture of the README: `python docs/figures/first.py`.

In:  a made-up tree, and what the package says about it.
Out: first.svg beside this file: the tree, its rules, and a row with a gap that is certain.
"""

from pathlib import Path

from svg import box, drawing, line, text

import orderless as ol

HERE = Path(__file__).parent
WIDTH, HEIGHT = 960, 344
COLOUR = {"treat": "blue", "wait": "orange"}
ROW = {"blood test": True, "scan": True}


def tree():
    """A scan decides for the young, a blood test for the old."""
    leaf = {name: {"prediction": name} for name in COLOUR}
    scan = {"feature": "scan", "true": leaf["treat"], "false": leaf["wait"]}
    blood = {"feature": "blood test", "true": leaf["treat"], "false": leaf["wait"]}
    root = {"feature": "age", "relation": "<=", "reference": 60, "true": scan, "false": blood}
    kinds = {"age": "integer", "blood test": "boolean", "scan": "boolean"}
    return ol.read(root, space=ol.Space(kinds))


def node(x, y, words, width=104):
    yield box(x - width / 2, y - 17, width, 34, "box", "grey", 1.2)
    yield text(x, y + 5, words, 15, anchor="middle")


def leaf(x, y, label, width=60):
    colour = COLOUR[label]
    yield box(x - width / 2, y - 16, width, 32, f"pale{colour}", colour, 1.5, corner=16)
    yield text(x, y + 5, label, 14, colour, bold=True, anchor="middle")


def branch(x1, y1, x2, y2, word):
    yield line(x1, y1, x2, y2)
    middle = (x1 + x2) / 2, (y1 + y2) / 2
    yield box(middle[0] - 15, middle[1] - 9, 30, 18, "ground", "ground")
    yield text(middle[0], middle[1] + 4, word, 12, "grey", anchor="middle")


def asked(x, y):
    """The tree, its root at a place."""
    drop = 88
    for side, question in ((-1, "scan?"), (1, "blood test?")):
        at = x + side * 76, y + drop
        yield from branch(x, y, *at, "yes" if side < 0 else "no")
        for end, label in ((-1, "treat"), (1, "wait")):
            below = at[0] + end * 35, at[1] + drop
            yield from branch(*at, *below, "yes" if end < 0 else "no")
            yield from leaf(*below, label)
        yield from node(*at, question)
    yield from node(x, y, "age <= 60?")


def decided(x, y, form):
    """The rules, and a reason that no rule and no path of the tree shows."""
    for label, terms in form.rules.items():
        for term in terms:
            yield text(x, y, str(term), 14)
            yield from leaf(x + 264, y - 5, label)
            y += 40
    yield line(x, y - 18, x + 294, y - 18, "line", dashed=True)
    (hidden,) = set(form.reasons["treat"]) - set(form.rules["treat"])
    yield text(x, y + 10, str(hidden), 14, bold=True)
    yield from leaf(x + 264, y + 5, "treat")
    yield text(x, y + 31, "also holds, whatever the age", 13, "grey")


def gap(x, y, tree, form):
    """A row whose age is unknown: what a walk says, and what is certain."""
    for name in ("age", "blood test", "scan"):
        known = name in ROW
        yield box(x, y - 20, 250, 30, "box" if known else "ground", "line")
        yield text(x + 12, y, name, 15)
        yield text(x + 238, y, "yes" if known else "unknown", 15, "ink" if known else "grey",
                   bold=known, anchor="end")  # fmt: skip
        y += 34
    assert ol.baselines.predict_path(tree, [ROW]).mask.all()
    yield text(x, y + 18, "A walk is stuck at the first question;", 13, "grey")
    (label,) = tree.predict([ROW])
    yield from leaf(x + 31, y + 53, label)
    yield text(x + 72, y + 58, "certain all the same", 15, bold=True)
    because = str(form.tree.explain(ROW)).partition("\n")[0].partition(", ")[2].rstrip(".")
    reason, _, rest = because.partition(" (")
    yield text(x, y + 92, f"{reason},", 13, "grey")
    yield text(x, y + 110, f"{rest.rstrip(')')}", 13, "grey")


def first():
    asks = tree()
    form = ol.canonicalize(asks)
    places = 26, 340, 684
    heads = "A tree asks in an order", "What it decides has none", "So a gap may not matter"
    shapes = [text(x, 42, head, 17, bold=True) for x, head in zip(places, heads, strict=True)]
    shapes += [line(x - 22, 24, x - 22, HEIGHT - 24, "line") for x in places[1:]]
    shapes += [*asked(159, 106), *decided(places[1], 92, form), *gap(places[2], 92, asks, form)]
    words = (
        "A tree asks for the age first, then for a scan or a blood test. Its rules have no order. "
        "A row without an age, with a positive blood test and a positive scan, is certain: treat."
    )
    return drawing(WIDTH, HEIGHT, words, shapes)


if __name__ == "__main__":
    (HERE / "first.svg").write_text(first(), encoding="utf-8")
