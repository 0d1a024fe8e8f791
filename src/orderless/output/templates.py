"""Templates: the one place where HTML is put together.

In:  the name of a template that stands in a folder of this room, and what it shows.
Out: HTML. Everything is escaped but what is ``Markup``: HTML that we have made ourselves.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

from .plots.look import FRAGMENT

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["fragment", "markup", "render", "script_hash", "sealed"]


def render(name: str, **content: Any) -> str:
    """Fill in a template, such as ``"page/page.html"``."""
    return _environment().get_template(name).render(**content)


def fragment(name: str, **content: Any) -> str:
    """Fill in a template without a script; quotes are written as ``html.escape`` writes them."""
    return render(name, **content).replace("&#39;", "&#x27;").replace("&#34;", "&quot;")


def sealed(name: str, *, style: str, script: str, connect: bool = False, **content: Any) -> str:
    """Fill in a page that may run this script, use this style, and nothing else.

    With ``connect`` it may also ask the server that it came from.
    """
    allowed = {
        "default-src": "'none'",
        **({"connect-src": "'self'"} if connect else {}),
        "script-src": script_hash(script),
        "style-src": script_hash(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    page = render(
        name,
        policy="; ".join(f"{key} {value}" for key, value in allowed.items()),
        style=markup(style),  # our own file
        script=markup(script),  # our own file, and literals without "<"
        **content,
    )
    return f"{page}\n"


def script_hash(text: str) -> str:
    """Name a script or a style as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def markup(html: str) -> Any:
    """Say that this is HTML in which all names and labels are escaped."""
    from markupsafe import Markup

    return Markup(html)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.globals.update(FRAGMENT)
    return environment
