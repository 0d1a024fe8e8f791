"""The data sets of the paper: ``load(name)``, ``names()``, ``describe()``.

In:  a name.
Out: ``Dataset``, equal cell for cell to the file that the paper's authors published.

Each set comes from the first of these that has it: the folder named by the environment variable
``ORDERLESS_DATA``; this package (from scikit-learn, or generated); a download with a checksum.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
