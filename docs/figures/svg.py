"""A few shapes of SVG, for drawings that are text and boxes.

In:  words and places, in pixels from the upper left corner.
Out: the text of an SVG that has its own ground, light or dark as the reader's screen is.

Written by hand, so that a drawing is the same text on every machine, and a test can compare it.
"""

from html import escape

from orderless.output.plots import BLUE, GREY, INK, LETTERS, LINE, PALE_BLUE, PALE_VERMILION

# Light, as in all plots, and dark, by what a colour is for.
COLOURS = {
    "ground": ("#ffffff", "#0d1117"),
    "ink": (INK, "#f0f6fc"),
    "grey": (GREY, "#9198a1"),
    "line": (LINE, "#3d444d"),
    "box": ("#f6f8fa", "#151b23"),
    "blue": (BLUE, "#56b4e9"),
    "paleblue": (PALE_BLUE, "#12344a"),
    "orange": (LETTERS[0], "#f0a36b"),
    "paleorange": (PALE_VERMILION, "#4a2410"),
}
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


def _rules(shade):
    for name, colours in COLOURS.items():
        yield f".{name} {{ fill: {colours[shade]} }} .{name}-edge {{ stroke: {colours[shade]} }}"


def drawing(width, height, title, shapes, ground=True):
    """Put shapes on a ground, or on the page's; the title is what a screen reader says."""
    light, dark = ("\n".join(_rules(shade)) for shade in (0, 1))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="{FONT}">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n</style>",
            *[box(0.5, 0.5, width - 1, height - 1, fill="ground", edge="line", corner=10)][:ground],
            *shapes,
            "</svg>\n",
        ]
    )


def box(x, y, width, height, fill="box", edge="line", thick=1, corner=6, dashed=False):
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner}" '
        f'class="{fill} {edge}-edge" stroke-width="{thick:g}"{dash}/>'
    )


def circle(x, y, radius, fill="box", edge="line", thick=1):
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{fill} {edge}-edge" '
        f'stroke-width="{thick:g}"/>'
    )


def text(x, y, words, size=14, fill="ink", bold=False, anchor="start"):
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
        f'class="{fill}"{weight}>{escape(words)}</text>'
    )


def upright(x, y, words, size=14, fill="ink"):
    """Words that are read upwards, their middle at a place."""
    level = text(x, y, words, size, fill, anchor="middle")
    return f'<g transform="rotate(-90 {x:g} {y:g})">{level}</g>'


def line(x1, y1, x2, y2, edge="grey", thick=1.4, dashed=False):
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{edge}-edge" '
        f'stroke-width="{thick:g}"{dash}/>'
    )


def arrow(x1, y1, x2, y2, edge="grey", thick=1.6, head=5):
    """An arrow that is level or upright."""
    if x1 == x2:
        back = head if y2 < y1 else -head
        points = f"{x2 - head:g},{y2 + back:g} {x2:g},{y2:g} {x2 + head:g},{y2 + back:g}"
    else:
        back = head if x2 < x1 else -head
        points = f"{x2 + back:g},{y2 - head:g} {x2:g},{y2:g} {x2 + back:g},{y2 + head:g}"
    return (
        line(x1, y1, x2, y2, edge, thick)
        + f'<polyline points="{points}" fill="none" class="{edge}-edge" stroke-width="{thick:g}"/>'
    )
