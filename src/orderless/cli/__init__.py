"""The command line: arguments -> public names -> output; no logic.

In:  arguments and files.
Out: text, files and an exit code: 0 success, 1 internal error, 2 invalid input (one line on
     stderr says what), 3 the answers of acquire ended early, 130 stopped by Ctrl-C, 129 and 143 by
     SIGHUP and SIGTERM, 141 the reader of the output has left.

A command is one file with one function (docs/guide/command-line, CONTRIBUTING). Whatever is slow
to import is imported inside functions, so that ``orderless --help`` stays quick.
"""

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process."""
    from .app import app

    _end_tidily()
    app()


def _end_tidily() -> None:
    """Asked to end, leave as after Ctrl-C: with nothing half-written behind."""
    import signal
    import sys

    # A closed terminal (SIGHUP) is one way to be asked; nohup ignores it, and so it stays.
    asked = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    asked = [number for number in asked if signal.getsignal(number) == signal.SIG_DFL]

    def leave(number: int, frame: object) -> None:
        for other in (signal.SIGINT, *asked):  # tidying up is not interrupted
            signal.signal(other, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in asked:
        signal.signal(number, leave)
