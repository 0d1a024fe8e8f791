"""Decisions as code: SQL, polars, Python, JavaScript, scikit-learn, dot, ONNX, PMML."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
