"""What people hand in: rows, ranges, labels, costs, tables and files, read once, at the edge.

In:  arrays, data frames, dicts, text.
Out: ``Rows`` and other checked values, or an error that says what came and what to do.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
