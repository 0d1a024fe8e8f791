"""Modules that people import as ``orderless.duckdb``, ``orderless.spark``, ``orderless.dask``."""
