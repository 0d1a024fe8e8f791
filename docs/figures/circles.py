"""Draw the three circles of the first page: `python docs/figures/circles.py`.

In:  a made-up tree, and the near-optimal trees for iris, as the package gives them.
Out: circle-model.svg, circle-models.svg and circle-world.svg beside this file: one model, many
     models, the world.
"""

import math
import warnings
from pathlib import Path

from first import COLOUR, branch, leaf, node, tree
from svg import box, circle, drawing, line, text

import orderless as ol

HERE = Path(__file__).parent
SIZE, RADIUS = 260, 126
MIDDLE = SIZE / 2


def round_picture(words, shapes):
    around = circle(MIDDLE, MIDDLE, RADIUS, "ground", "line", 1.5)
    return drawing(SIZE, SIZE, words, [around, *shapes], ground=False)


# -- one model -------------------------------------------------------------------------------------


def model():
    """The tree of the first picture, with as little of it as shows what a tree is."""
    asked = tree()
    rules = sum(map(len, ol.canonicalize(asked).rules.values()))
    root, below, ends = (MIDDLE, 58), 118, 178
    shapes = []
    for side, question in ((-1, "scan?"), (1, "blood test?")):
        at = MIDDLE + side * 54, below
        shapes += branch(*root, *at, "yes" if side < 0 else "no")
        for end, label in ((-1, "treat"), (1, "wait")):
            assert label in COLOUR
            shapes += branch(*at, at[0] + end * 27, ends, "yes" if end < 0 else "no")
            shapes += leaf(at[0] + end * 27, ends, label, 50)
        shapes += node(*at, question, 92)
    shapes += node(*root, "age <= 60?", 92)
    shapes.append(text(MIDDLE, 226, f"{rules} rules", 14, bold=True, anchor="middle"))
    return round_picture(f"A tree of three questions; what it decides is {rules} rules.", shapes)


# -- many models -----------------------------------------------------------------------------------


NEAR_OPTIMAL = {"max_depth": 2, "regularization": 0.02, "epsilon": 0.03}


def near_optimal():
    X, y = ol.datasets.load("iris_virginica")
    return X, y, ol.RashomonSet(**NEAR_OPTIMAL).fit(X, y).trees_


def places(radii, room):
    """Put round things beside each other, each as near to the middle as there is room."""
    grid = sorted(
        ((x, y) for x in range(-room, room + 1, 2) for y in range(-room, room + 1, 2)),
        key=lambda at: (math.hypot(*at), at),
    )
    placed = []
    for radius in radii:
        for x, y in grid:
            free = all(math.hypot(x - a, y - b) >= radius + r + 3 for a, b, r in placed)
            if free and math.hypot(x, y) + radius <= room:
                placed.append((x, y, radius))
                break
    return placed


def models():
    """Trees as dots; a ring around those that are one function."""
    almost = near_optimal()[2]
    counts = sorted((function.n_trees for function in almost.functions()), reverse=True)
    gap = 11
    radii = [round(gap * math.sqrt(n / 2.4) + 6) for n in counts]
    placed = places(radii, RADIUS - 28)
    assert len(placed) == len(counts), "there is no room for all functions"
    shapes = []
    for place, (x, y, radius) in enumerate(placed):
        x, y = MIDDLE + x, MIDDLE - 18 + y
        colour = ("blue", "orange")[place % 2]
        shapes.append(circle(x, y, radius, f"pale{colour}", colour))
        for dot in range(counts[place]):
            away, turn = gap * math.sqrt(dot / 2.4), 2.39996 * dot
            at = round(x + away * math.cos(turn), 1), round(y + away * math.sin(turn), 1)
            shapes.append(circle(*at, 3.2, colour, colour, 0))
    words = f"{almost.n_trees} trees, {len(almost.functions())} functions"
    shapes.append(text(MIDDLE, 218, f"{almost.n_trees} trees,", 14, bold=True, anchor="middle"))
    shapes.append(
        text(MIDDLE, 237, f"{len(almost.functions())} functions", 14, bold=True, anchor="middle")
    )
    return round_picture(f"{words}: each ring holds the trees that decide alike.", shapes)


# -- the world -------------------------------------------------------------------------------------


def world():
    """What each feature is worth to near-optimal functions, over samples of the world."""
    X, y, _ = near_optimal()
    worth = ol.RashomonImportance(n_bootstraps=20, **NEAR_OPTIMAL, random_state=0)
    with warnings.catch_warnings():  # the picture says which features no tree was offered
        warnings.simplefilter("ignore", ol.errors.NeverOffered)
        worth.fit(X, y)
    offered = dict(zip(worth.features_, worth.offered_, strict=True))
    left, right, top = 66, 214, 62
    most = max(worth.quantile(name, 0.95) for name in X if offered[name])
    shapes = [line(left, top - 18, left, 200, "line")]
    middles = {name: worth.quantile(name, 0.5) if offered[name] else 0 for name in X}
    for place, name in enumerate(sorted(X, key=lambda one: -middles[one])):
        y = top + 38 * place
        shapes.append(text(left + 2, y - 7, name, 12.5, "grey"))
        if not offered[name]:
            shapes.append(text(left + 6, y + 9, "never offered to a tree", 11.5, "grey"))
            continue
        low, middle, high = (
            round(left + (right - left) * float(worth.quantile(name, share)) / float(most))
            for share in (0.05, 0.5, 0.95)
        )
        shapes.append(box(low, y, max(high - low, 2), 10, "paleblue", "blue", 1.2, 3))
        shapes.append(line(middle, y - 2, middle, y + 12, "orange", 3))
    shapes.append(text(MIDDLE, 226, "what matters", 14, bold=True, anchor="middle"))
    return round_picture(
        "Bars: between which values the importance of two measurements of iris lies, over "
        "near-optimal functions and samples of the world; the others were never offered to a tree.",
        shapes,
    )


DRAWN = {"circle-model": model, "circle-models": models, "circle-world": world}

if __name__ == "__main__":
    for name, draw in DRAWN.items():
        (HERE / f"{name}.svg").write_text(draw(), encoding="utf-8")
