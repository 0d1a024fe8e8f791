"""Trees in: one file per library, one way out.

In:  a trained model, or nested dicts, or JSON.
Out: ``TreeKernel``, or ``SumKernel``. A library is imported only by its reader, and only if the
     model comes from it.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
