"""The command line: arguments -> public names -> output; no logic.

In:  arguments and files.
Out: text, files and an exit code: 0 fine, 1 a fault of ours, 2 a mistake that the user can put
     right (one line on stderr says which), 130 stopped by Ctrl-C, 141 the reader of the output
     has left.

A command is one file with one function (docs/guide/command-line, CONTRIBUTING). Whatever is slow
to import is imported inside functions, so that ``orderless --help`` stays quick.
"""

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process."""
    import signal
    import sys

    from .app import app

    # Asked to end, leave as after Ctrl-C: with nothing half-written behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    app()
