"""Templates: where HTML is put together, and the one kit of all pages.

In:  the name of a template in a folder of this room, and what it shows.
Out: HTML. Everything is escaped but what is ``Markup``: HTML that we have made ourselves. A page
     has the head of ``pages/base.html``, the style sheet and the colours, and runs nothing but the
     script that it is made with.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .plots.look import FRAGMENT, GROUNDS, PAGE, page_colours

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["fragment", "hash_of", "markup", "page", "preact", "render", "sealed", "source"]

NOTHING = {
    "default-src": "'none'",
    "img-src": "data:",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def render(name: str, **content: Any) -> str:
    """Fill in a template, such as ``"pages/letter.html"``."""
    return _environment().get_template(name).render(**content)


def fragment(name: str, **content: Any) -> str:
    """Fill in a template without a script; quotes are written as ``html.escape`` writes them."""
    return _plain_quotes(render(name, **content))


def page(name: str, *, title: str, script: str = "", **content: Any) -> str:
    """Fill in a page: one file that loads nothing and sends nothing.

    With a script, it may run this script and use the style sheet, both by their hashes, and nothing
    else. Without, it may run nothing; the drawings and tables of a document have styles inside.
    """
    style = style_sheet()
    policy = {
        **NOTHING,
        "style-src": hash_of(style) if script else "'unsafe-inline'",
        **({"script-src": hash_of(script)} if script else {}),
    }
    text = render(
        name,
        title=title,
        policy="; ".join(f"{key} {value}" for key, value in policy.items()),
        style=markup(style),  # our own file
        script=markup(script),  # our own files, and literals without "<"
        **content,
    )
    return f"{text if script else _plain_quotes(text)}\n"


def sealed(name: str, *, style: str, script: str, connect: bool = False, **content: Any) -> str:
    """Fill in a page with a style sheet of its own; with ``connect`` it may ask its server."""
    policy = {
        **NOTHING,
        "style-src": hash_of(style),
        "script-src": hash_of(script),
        **({"connect-src": "'self'"} if connect else {}),
    }
    text = render(
        name,
        policy="; ".join(f"{key} {value}" for key, value in policy.items()),
        style=markup(style),
        script=markup(script),
        **content,
    )
    return f"{text}\n"


@cache
def style_sheet() -> str:
    """Return the style sheet of all pages, with the colours of ``PAGE``."""
    colours = {ground: markup(page_colours(ground)) for ground in GROUNDS}
    classes = [name for name in PAGE if name.startswith("class-")]
    return f"{render('pages/style.css', classes=classes, **colours)}\n"


def source(path: str) -> str:
    """Return a file of JavaScript of this room, as it is: ``"pages/form.js"``."""
    return files(__package__).joinpath(path).read_text(encoding="utf-8")


def preact() -> str:
    """Return preact with htm, unchanged, and what pages use of it."""
    library = source("pages/vendor/htm-preact.js").rstrip()
    return f"{library}\nconst {{ html, render, useEffect, useRef, useState }} = htmPreact;\n"


def markup(html: str) -> Any:
    """Mark HTML in which all names and labels are escaped."""
    from markupsafe import Markup

    return Markup(html)


def hash_of(text: str) -> str:
    """Name a script or a style as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _plain_quotes(text: str) -> str:
    return text.replace("&#39;", "&#x27;").replace("&#34;", "&quot;")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(FRAGMENT)
    return environment
