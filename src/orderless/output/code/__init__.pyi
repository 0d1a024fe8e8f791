from .dot import (
    tree_as_dot as tree_as_dot,
)
from .javascript import (
    tree_as_javascript as tree_as_javascript,
)
from .onnx import (
    tree_as_onnx as tree_as_onnx,
)
from .onnx_ensemble import (
    ensemble_as_onnx as ensemble_as_onnx,
)
from .pmml import (
    as_pmml as as_pmml,
)
from .pmml_sums import (
    ensemble_as_pmml as ensemble_as_pmml,
)
from .polars import (
    as_polars as as_polars,
)
from .python import (
    tree_as_python as tree_as_python,
)
from .sklearn import (
    to_sklearn as to_sklearn,
)
from .sql import (
    NAMES as NAMES,
    as_sql as as_sql,
    new_columns as new_columns,
    new_names as new_names,
)
from .sql_words import (
    Words as Words,
)
