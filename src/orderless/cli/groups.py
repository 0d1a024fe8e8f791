"""Groups of options: a command takes dataclasses, typer sees the options that are their fields.

In:  a command whose parameters are single options and groups (``options.py``).
Out: the same command as typer wants it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from typing import Any, cast, get_type_hints

from typer.models import OptionInfo

__all__ = ["unfold"]


@cache  # many commands take the same groups
def _options(group: Any) -> list[inspect.Parameter]:
    """Give the fields of a group as parameters; options stand in the panel of their class."""
    types = get_type_hints(group, include_extras=True)
    out = []
    for field in fields(group):
        owner = next(kind for kind in group.__mro__ if field.name in vars(kind)["__annotations__"])
        option = _quiet(types[field.name], field.default).__metadata__[0]
        if isinstance(option, OptionInfo) and option.rich_help_panel is None:
            option.rich_help_panel = vars(owner).get("PANEL")
        kind = inspect.Parameter.KEYWORD_ONLY
        out.append(
            inspect.Parameter(field.name, kind, default=field.default, annotation=types[field.name])
        )
    return out


def _quiet(annotation: Any, default: object) -> Any:
    """Do not show a default that says nothing."""
    if default in (None, ""):
        annotation.__metadata__[0].show_default = False
    return annotation


def unfold(command: Callable[..., None], name: str) -> Callable[..., None]:
    """Give a command that takes groups of options the way typer wants it: option by option.

    Examples
    --------
    >>> from orderless.cli.options import OutputOptions
    >>> def show(output: OutputOptions) -> None: ...
    >>> list(inspect.signature(unfold(show, "show")).parameters)
    ['output', 'format', 'safe_csv']
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    shown: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        kind = hints[parameter.name]
        if not is_dataclass(kind):
            annotation = _quiet(kind, parameter.default)
            shown.append(parameter.replace(annotation=annotation, kind=parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = kind
        shown += _options(cast(type, kind))

    @wraps(command)
    def unfolded(**given: Any) -> None:
        for own, kind in groups.items():
            given[own] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    unfolded.__name__ = name
    unfolded.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    unfolded.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    del unfolded.__wrapped__
    return unfolded
