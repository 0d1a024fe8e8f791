"""Files: tables on disk, in parts that fit into memory, and predictions for them.

In:  a model, and a CSV or Parquet file.
Out: a new file: the columns of the old one, and what is predicted.
"""

from .predict import FilePrediction, predict_file

__all__ = ["FilePrediction", "predict_file"]
