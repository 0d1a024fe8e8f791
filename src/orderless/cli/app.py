"""The program: its commands, and what becomes of what they raise.

In:  command functions, one module each.
Out: ``app``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from ..errors import spelled
from . import (
    acquire,
    compare,
    datasets,
    describe,
    explain,
    export,
    importance,
    page,
    predict,
    rashomon,
    report,
    reproduce,
)
from .groups import unfold
from .mistakes import MISTAKES, as_option, for_report, line_of, one_line

try:
    from typer.exceptions import TyperException as UsageFault
except ImportError:  # typer before it had its own: it passes on what click raises
    from click import ClickException as UsageFault  # type: ignore[assignment]

__all__ = ["app"]

EPILOG = (
    "Exit codes: 0 success, 1 internal error, 2 invalid input, 3 the answers of acquire ended "
    "before its decision, 130 stopped by Ctrl-C, 141 the reader of the output has left. "
    "ORDERLESS_TRACEBACK=1 shows the traceback of an internal error."
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
            except MISTAKES as fault:
                _say("Error", one_line(fault))
                code = 2
            except typer.Abort:
                _say("Stopped", "by you")
                code = 130
            except MemoryError:
                _say("Error", "not enough memory: use a smaller tree or file, or a lower --limit")
                code = 2
            except Exception as fault:
                if os.environ.get("ORDERLESS_TRACEBACK"):
                    raise
                given = sys.argv[1:] if args is None else args
                command = next((word for word in given if word in self.commands), "no command")
                _say("Internal error", f"{type(fault).__name__}: {one_line(fault)}")
                _say("Please report", "these lines, which hold nothing of your files:")
                for line in for_report(fault, command):
                    _say("", line)
                code = 1
        if not isinstance(code, int):
            code = 0
        if standalone_mode:
            sys.exit(code)
        return code


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
        from importlib.metadata import version

        typer.echo(f"orderless {version('orderless')}")
        raise typer.Exit


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
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Say what a decision tree decides, free of the order in which it asks."""


COMMANDS: dict[str, Any] = {
    "describe": describe,
    "explain": explain,
    "predict": predict,
    "compare": compare,
    "importance": importance,
    "rashomon": rashomon,
    "acquire": acquire,
    "report": report,
    "app": page,
    "export": export,
    "reproduce": reproduce,
}
for name, module in COMMANDS.items():
    app.command(name, epilog=module.EXAMPLE)(unfold(module.command, name))
app.add_typer(datasets.app)
