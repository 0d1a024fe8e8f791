from .builder import Nan as Nan
from .dispatch import (
    OURS as OURS,
    Origin as Origin,
    opened as opened,
    origin_of as origin_of,
    read_model as read_model,
    read_tree as read_tree,
    read_trees as read_trees,
)
from .onnx_model import knows_onnx as knows_onnx
from .onnx_unknowns import (
    ColumnBins as ColumnBins,
    Unknowns as Unknowns,
    extra_results as extra_results,
    read_unknowns as read_unknowns,
    required_columns as required_columns,
)
from .pmml.document import is_xml as is_xml
from .points import read_score as read_score
from .r.read import r_script as r_script
from .rules.cells import value_of as value_of
from .rules.check import (
    Gap as Gap,
    Overlap as Overlap,
    RuleCheck as RuleCheck,
)
from .rules.read import (
    check_rules as check_rules,
    read_rules as read_rules,
)
from .xgboost import knows_ubj as knows_ubj
