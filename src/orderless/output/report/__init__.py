"""The report: everything that can be said of one tree, as one page that needs nothing else."""

from .page import Report, report

__all__ = ["Report", "report"]
