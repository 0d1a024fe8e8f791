from .dot import (
    tree_as_dot as tree_as_dot,
)
from .expression import (
    sum_as_expression as sum_as_expression,
    tree_as_expression as tree_as_expression,
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
from .python import (
    tree_as_python as tree_as_python,
)
from .sklearn import (
    to_sklearn as to_sklearn,
)
from .sql import (
    sum_as_sql as sum_as_sql,
    tree_as_sql as tree_as_sql,
)
from .sql_words import (
    Words as Words,
)
