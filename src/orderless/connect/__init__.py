"""Answers where the rows are: databases, clusters, and files larger than memory.

In:  a model, and a table of another library or on disk.
Out: the same table with what is predicted. The modules of ``engines``
     are ``orderless.duckdb``, ``orderless.spark`` and ``orderless.dask``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
