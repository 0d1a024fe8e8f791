"""The command line: arguments -> public names -> output; no logic.

In:  arguments and files.
Out: text, files and an exit code: 0 success, 1 internal error, 2 invalid input (one line on
     stderr says what), 3 the answers of acquire ended early, 4 models differ (diff) or a property
     is refuted (prove), 5 one is undecided, 130 stopped by Ctrl-C, 129 and 143 by
     SIGHUP and SIGTERM, 141 the reader of the output has left.

A command is one file with one function (docs/guide/command-line, CONTRIBUTING). Whatever is slow
to import is imported inside functions, so that ``orderless --help`` stays quick.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
