"""Templates: the one place where HTML is put together.

In:  the name of a template that stands in a folder of this room, and what it shows.
Out: HTML. Everything is escaped but what is ``Markup``: HTML that we have made ourselves.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from .plots.look import FRAGMENT

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["fragment", "markup", "render"]


def render(name: str, **content: Any) -> str:
    """Fill in a template, such as ``"page/page.html"``."""
    return _environment().get_template(name).render(**content)


def fragment(name: str, **content: Any) -> str:
    """Fill in a template without a script; quotes are written as ``html.escape`` writes them."""
    return render(name, **content).replace("&#39;", "&#x27;").replace("&#34;", "&quot;")


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
