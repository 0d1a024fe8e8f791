from . import (
    formats as formats,
)
from .arrays import (
    BinNodes as BinNodes,
    Domains as Domains,
    Flags as Flags,
    Floats as Floats,
    Layout as Layout,
    Nodes as Nodes,
)
from .bins import (
    Bins as Bins,
    Box as Box,
    as_bits as as_bits,
    ends as ends,
    ones as ones,
)
from .budget import (
    ENDLESS as ENDLESS,
    TIME_LIMIT as TIME_LIMIT,
    Budget as Budget,
    in_budget as in_budget,
    read_seconds as read_seconds,
)
from .common_space import (
    over_common_space as over_common_space,
)
from .condition import (
    Column as Column,
    Condition as Condition,
)
from .ensemble import (
    SumKernel as SumKernel,
)
from .ensemble_file import (
    ENSEMBLE_FORMAT as ENSEMBLE_FORMAT,
)
from .escapes import (
    FORMULA as FORMULA,
    PLAIN_NUMBER as PLAIN_NUMBER,
    cut as cut,
    not_formula as not_formula,
    printable as printable,
    shown as shown,
)
from .example import (
    any_value as any_value,
    counted as counted,
    value_in as value_in,
)
from .feature import (
    Feature as Feature,
    Label as Label,
    Values as Values,
    first_repeated as first_repeated,
    plain_label as plain_label,
)
from .formats import (
    parse as parse,
)
from .function_bins import (
    FunctionBins as FunctionBins,
)
from .knowledge.cells import (
    Grid as Grid,
)
from .knowledge.fact import (
    Fact as Fact,
    read_facts as read_facts,
)
from .knowledge.fact_trees import (
    FactTrees as FactTrees,
    fact_trees as fact_trees,
    joined_trees as joined_trees,
    sides_by_bin as sides_by_bin,
)
from .knowledge.formula import (
    Formula as Formula,
    Missing as Missing,
    both as both,
    either as either,
    opposite as opposite,
)
from .knowledge.knowledge import (
    Knowledge as Knowledge,
    domain_of as domain_of,
    point_domain as point_domain,
    second as second,
    whole_domain as whole_domain,
)
from .knowledge.linear import (
    Linear as Linear,
)
from .knowledge.possible_tree import (
    PossibleTree as PossibleTree,
)
from .knowledge.refuse import (
    refuse_facts as refuse_facts,
)
from .knowledge.solve import (
    Domain as Domain,
    holds as holds,
    meet as meet,
)
from .knowledge.words import (
    quoted as quoted,
    quoted_label as quoted_label,
)
from .leaf_words import (
    ROUNDED as ROUNDED,
    amount as amount,
    any_rounded as any_rounded,
    class_names as class_names,
    number_names as number_names,
    tree_text as tree_text,
)
from .numbers import (
    BELOW_FLOAT32 as BELOW_FLOAT32,
    row_boundary as row_boundary,
    short_count as short_count,
    short_end as short_end,
    short_number as short_number,
    value_at_most as value_at_most,
)
from .predictor import (
    Predictor as Predictor,
)
from .rule import (
    Link as Link,
    Rule as Rule,
)
from .side import (
    Side as Side,
)
from .space import (
    FeatureSpec as FeatureSpec,
    Space as Space,
)
from .tree import (
    TreeKernel as TreeKernel,
)
from .tree_arrays import (
    Task as Task,
)
from .tree_file import (
    TREE_ARRAYS as TREE_ARRAYS,
    TREE_FORMAT as TREE_FORMAT,
)
from .tree_numbers import (
    interval_widths as interval_widths,
    level_labels as level_labels,
    midpoint as midpoint,
    narrow as narrow,
    near_numbers as near_numbers,
    place_of as place_of,
    read_levels as read_levels,
    read_probability as read_probability,
    read_tolerance as read_tolerance,
)
from .tree_rows import (
    labels_array as labels_array,
    n_threads as n_threads,
)
from .whole_numbers import (
    IN_PAGES as IN_PAGES,
    Adding as Adding,
    Whole as Whole,
    in_units as in_units,
)
from .words import (
    Piece as Piece,
    drawn as drawn,
    has_or as has_or,
    label_text as label_text,
    pieces as pieces,
    side_text as side_text,
    sides_text as sides_text,
    were as were,
)
