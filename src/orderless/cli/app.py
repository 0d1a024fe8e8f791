"""The program: its commands, and what becomes of what they raise.

In:  command functions, one module each. Their parameters are single options and groups of them
     (``options.py``), of which typer is shown the single options.
Out: ``app``, and ``main``, which runs it.
"""

from __future__ import annotations

import inspect
import os
import platform
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, wraps
from typing import Annotated, Any, cast, get_type_hints

import typer
from typer.core import TyperGroup
from typer.models import OptionInfo

from ..errors import spelled
from . import (
    acquire,
    choose,
    compare,
    data,
    explain,
    export,
    fit,
    importance,
    predict,
    prove,
    rashomon,
    report,
)
from .mistakes import as_option, for_report, is_mistake, line_of, one_line

try:
    from typer.exceptions import TyperException as UsageFault
except ImportError:  # typer before it had its own: it passes on what click raises
    from click import ClickException as UsageFault  # type: ignore[assignment]

__all__ = ["app", "main"]

EPILOG = (
    "Exit codes: 0 success, 1 internal error, 2 invalid input, 3 the answers of acquire ended "
    "before its decision, 4 no: models of compare --changes or --export differ, or prove refutes "
    "a property, a certificate or the rules of a table, 5 undecided, 130 stopped by Ctrl-C, 141 "
    "the reader of the output has left. ORDERLESS_TRACEBACK=1 shows the traceback of an internal "
    "error."
)


class _ReaderLeft(Exception):
    """Whoever reads our output has had enough, as head does."""


class Program(TyperGroup):
    """Commands that answer invalid input with one line on stderr and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; typer would end with code 1 when the reader has left."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _ReaderLeft from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run one command line and leave with its exit code."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal that cannot show a name still shows it
                stream.reconfigure(errors="backslashreplace")
        with warnings.catch_warnings(), spelled(as_option):
            warnings.showwarning = cast(Any, _show_warning)
            try:
                code = super().main(
                    args,
                    prog_name or "orderless",
                    complete_var,
                    standalone_mode=False,
                    windows_expand_args=windows_expand_args,
                    **extra,
                )
                sys.stdout.flush()
            except (_ReaderLeft, BrokenPipeError):
                _leave_quietly()
                code = 141
            except UsageFault as fault:
                _say("Error", _usage(fault))
                code = 2
            except typer.Abort:
                _say("Stopped", "by you")
                code = 130
            except Exception as fault:
                given = sys.argv[1:] if args is None else args
                command = next((word for word in given if word in self.commands), "no command")
                code = _code_of(fault, command)
        if not isinstance(code, int):
            code = 0
        if standalone_mode:
            sys.exit(code)
        return code


def _code_of(fault: Exception, command: str) -> int:
    """Say what is wrong, and give the exit code: 2 for invalid input, 1 for an internal error."""
    if is_mistake(fault):
        _say("Error", one_line(fault))
        return 2
    if isinstance(fault, MemoryError):
        _say("Error", "not enough memory: use a smaller tree or file, or a lower --limit")
        return 2
    if os.environ.get("ORDERLESS_TRACEBACK"):
        raise fault
    _say("Internal error", f"{type(fault).__name__}: {one_line(fault)}")
    _say("Please report", "these lines, which hold nothing of your files:")
    for line in for_report(fault, command):
        _say("", line)
    return 1


def _usage(fault: Any) -> str:
    """Write what is wrong with the arguments, and where to look."""
    where = getattr(fault, "ctx", None)
    path = where.command_path if where is not None else "orderless"
    return f"{line_of(fault.format_message()).rstrip('.')} (see {path} --help)"


def _say(kind: str, text: str) -> None:
    from rich.console import Console
    from rich.text import Text

    colour = {"Error": "bold red", "Internal error": "bold red"}.get(kind, "bold yellow")
    line = Text.assemble((f"{kind}: " if kind else "  ", colour), text)
    Console(stderr=True, soft_wrap=True, highlight=False).print(line)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say("Warning", one_line(message) if isinstance(message, Warning) else line_of(message))


def _leave_quietly() -> None:
    """Send what is left of the output nowhere, or Python complains when it ends."""
    with suppress(OSError, ValueError):  # no real file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(asked: bool) -> None:
    if asked:
        typer.echo(_build_line())
        raise typer.Exit


def _build_line() -> str:
    """Write the version, and how and for what it was built, in one line."""
    from importlib import metadata  # slow to import, and every --help would

    from .._core import base

    try:
        version = metadata.version("orderless")
    except metadata.PackageNotFoundError:
        version = "(not installed)"  # run from its folder
    python = f"{platform.python_implementation()} {platform.python_version()}"
    libc = " ".join(platform.libc_ver()).strip()
    system = f"{platform.system()} {platform.machine()}{f', {libc}' if libc else ''}"
    kind = "stable ABI" if base.stable_abi else "for this Python only"
    core = f"built by {base.compiler}, {kind}, registers: {base.registers}"
    return f"orderless {version} ({python}, {system}; core: {core})"


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
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        out.append(
            inspect.Parameter(field.name, kind, default=default, annotation=types[field.name])
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


app = typer.Typer(
    name="orderless",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)


@app.callback()
def orderless(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show version and build."),
    ] = False,
) -> None:
    """Say what a decision tree decides, free of the order in which it asks."""


COMMANDS: dict[str, Any] = {
    "fit": fit,
    "data": data,
    "explain": explain,
    "predict": predict,
    "compare": compare,
    "prove": prove,
    "importance": importance,
    "rashomon": rashomon,
    "choose": choose,
    "acquire": acquire,
    "report": report,
    "export": export,
}
for name, module in COMMANDS.items():
    app.command(name, epilog=module.EXAMPLE)(unfold(module.command, name))


def main() -> None:
    """Run the command line of this process."""
    _end_tidily()
    app()


def _end_tidily() -> None:
    """Asked to end, leave as after Ctrl-C: with nothing half-written behind."""
    # A closed terminal (SIGHUP) is one way to be asked; nohup ignores it, and so it stays.
    asked = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    asked = [number for number in asked if signal.getsignal(number) == signal.SIG_DFL]

    def leave(number: int, frame: object) -> None:
        for other in (signal.SIGINT, *asked):  # tidying up is not interrupted
            signal.signal(other, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in asked:
        signal.signal(number, leave)
