"""Draw the figure of the page for clinicians: `python docs/figures/clinic.py`.

In:  two made-up trees that ask in a different order, and what the package says about them.
Out: clinic.svg beside this file: the trees, their rules, and a patient whose lactate is not back.
"""

from pathlib import Path

from first import branch, leaf, node
from svg import box, drawing, line, text

import orderless as ol

HERE = Path(__file__).parent
WIDTH, HEIGHT = 960, 400
PATIENT = {"systolic": 128}
ITEMS = {
    "lactate": ({"feature": "lactate", "relation": ">", "reference": 2}, "lactate > 2?"),
    "systolic": ({"feature": "systolic", "relation": "<", "reference": 100}, "systolic < 100?"),
}


def asks(first, second):
    """Treat if both hold; one is asked first."""
    wait = {"prediction": "wait"}
    inner = {**ITEMS[second][0], "true": {"prediction": "treat"}, "false": wait}
    space = ol.Space({"lactate": "numeric", "systolic": "integer"})
    return ol.read({**ITEMS[first][0], "true": inner, "false": wait}, space=space)


def drawn(x, y, first, second):
    for start, word, label in (((x, y), "no", "wait"), ((x - 62, y + 84), "no", "wait")):
        yield from branch(*start, start[0] + 62, start[1] + 84, word)
        yield from leaf(start[0] + 62, start[1] + 84, label)
    yield from branch(x, y, x - 62, y + 84, "yes")
    yield from branch(x - 62, y + 84, x - 124, y + 168, "yes")
    yield from leaf(x - 124, y + 168, "treat")
    yield from node(x - 62, y + 84, ITEMS[second][1], 124)
    yield from node(x, y, ITEMS[first][1], 124)


def answer(x, y, said, words):
    if said is None:
        yield box(x, y - 16, 60, 32, "ground", "grey", 1.5, 16, dashed=True)
        yield text(x + 30, y + 5, "?", 14, "grey", bold=True, anchor="middle")
    else:
        yield from leaf(x + 30, y, said)
    yield text(x + 72, y + 5, words, 14, bold=said is not None)


def clinic():
    one, two = asks("lactate", "systolic"), asks("systolic", "lactate")
    assert ol.equivalent(one, two)
    form = ol.canonicalize(one)
    places = 26, 328, 634
    heads = "Tree A asks for the lactate", "Tree B asks for the pressure", "What both decide"
    shapes = [text(x, 42, head, 17, bold=True) for x, head in zip(places, heads, strict=True)]
    shapes += [line(x - 22, 24, x - 22, 286, "line") for x in places[1:]]
    shapes += drawn(186, 92, "lactate", "systolic")
    shapes += drawn(488, 92, "systolic", "lactate")
    y = 100
    for label, terms in form.rules.items():
        for term in terms:
            shapes.append(text(places[2], y, str(term), 14))
            shapes += leaf(places[2] + 268, y - 5, label)
            y += 48
    shapes.append(line(26, 300, WIDTH - 26, 300, "line", dashed=True))
    shapes.append(
        text(26, 331, "A patient with a systolic pressure of 128, whose lactate is not back:", 15)
    )
    walked = [ol.baselines.predict_path(tree, [PATIENT]).tolist()[0] for tree in (one, two)]
    certain = form.predict([PATIENT]).tolist()[0]
    assert walked == [None, "wait"]
    assert certain == "wait"
    words = "stuck at the first question", "answers", "certain all the same"
    for x, said, what in zip(places, (*walked, certain), words, strict=True):
        shapes += answer(x, 366, said, what)
    return drawing(
        WIDTH,
        HEIGHT,
        "Two trees decide alike. For a patient with a systolic pressure of 128 and no lactate yet, "
        "tree A is stuck, tree B says wait, and the rules say: certain.",
        shapes,
    )


if __name__ == "__main__":
    (HERE / "clinic.svg").write_text(clinic(), encoding="utf-8")
