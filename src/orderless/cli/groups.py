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

__all__ = ["unfold"]


@cache  # many commands take the same groups
def _types(group: type) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)


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
            shown.append(parameter.replace(annotation=kind))
            continue
        groups[parameter.name] = kind
        types = _types(cast(type, kind))
        shown += [
            inspect.Parameter(
                field.name, parameter.kind, default=field.default, annotation=types[field.name]
            )
            for field in fields(kind)
        ]

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
