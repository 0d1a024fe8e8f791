"""Draw the badges of the README: `python docs/figures/badges.py`.

In:  pyproject.toml: the Pythons, the license and the systems of the wheels that it names.
Out: badge-*.svg beside this file; tests/house/test_site.py checks that they are current.

They are drawn here, and not fetched from a service: they are right without the web, and tell nobody
who reads the page.
"""

import tomllib
from html import escape
from pathlib import Path

from svg import FONT

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
SYSTEMS = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}
HEIGHT, MARGIN, LETTER = 20, 7, 6.6  # pixels; the width of a letter of 11 pixels, rather too much


def python():
    """Give the badge of the Pythons that pyproject.toml names."""
    start = "Programming Language :: Python :: 3."
    names = PROJECT["project"]["classifiers"]
    minors = sorted(int(name.removeprefix(start)) for name in names if name.startswith(start))
    return badge("Python", f"3.{minors[0]} to 3.{minors[-1]}")


def wheels():
    """Give the badge of the systems that wheels are built for."""
    built = PROJECT["tool"]["cibuildwheel"]
    return badge("wheels", ", ".join(name for key, name in SYSTEMS.items() if key in built))


def license():
    """Give the badge of the license."""
    return badge("license", PROJECT["project"]["license"])


def badge(name, value):
    """Put two words beside each other, white on grey and on blue; both are read aloud."""
    left, right = (round(2 * MARGIN + LETTER * len(words)) for words in (name, value))
    title = escape(f"{name}: {value}")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + right} {HEIGHT}" '
            f'width="{left + right}" height="{HEIGHT}" role="img" font-family="{FONT}" '
            'font-size="11" fill="#ffffff" text-anchor="middle">',
            f"<title>{title}</title>",
            f'<clipPath id="round"><rect width="{left + right}" height="{HEIGHT}" rx="3"/>',
            "</clipPath>",
            '<g clip-path="url(#round)">',
            f'<rect width="{left}" height="{HEIGHT}" fill="#4a4f55"/>',
            f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="#00639c"/>',
            "</g>",
            f'<text x="{left / 2:g}" y="14">{escape(name)}</text>',
            f'<text x="{left + right / 2:g}" y="14">{escape(value)}</text>',
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    for draw in (python, wheels, license):
        (HERE / f"badge-{draw.__name__}.svg").write_text(draw(), encoding="utf-8")
