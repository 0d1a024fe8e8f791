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
from .bisect import (
    last_before_change as last_before_change,
)
from .budget import (
    ENDLESS as ENDLESS,
    TIME_LIMIT as TIME_LIMIT,
    Budget as Budget,
    in_budget as in_budget,
    read_seconds as read_seconds,
)
from .builder import (
    TreeBuilder as TreeBuilder,
)
from .common_space import (
    over_common_space as over_common_space,
)
from .ensemble import (
    ENSEMBLE_FORMAT as ENSEMBLE_FORMAT,
    IN_PAGES as IN_PAGES,
    Adding as Adding,
    Link as Link,
    Rule as Rule,
    SumKernel as SumKernel,
    Whole as Whole,
    in_units as in_units,
)
from .escapes import (
    FORMULA as FORMULA,
    PLAIN_NUMBER as PLAIN_NUMBER,
    cut as cut,
    drawn as drawn,
    not_formula as not_formula,
    printable as printable,
    shown as shown,
)
from .example_rows import (
    adjusted_in as adjusted_in,
    adjusted_row as adjusted_row,
    example_row as example_row,
    is_possible as is_possible,
)
from .facts.cells import (
    FactTrees as FactTrees,
    Grid as Grid,
    PossibleTree as PossibleTree,
    fact_trees as fact_trees,
    joined_trees as joined_trees,
    sides_by_bin as sides_by_bin,
)
from .facts.domain import (
    Domain as Domain,
    all_values as all_values,
    refuse_facts as refuse_facts,
    second as second,
    values_between as values_between,
    values_in as values_in,
)
from .facts.language import (
    Fact as Fact,
    quoted as quoted,
    quoted_label as quoted_label,
    read_facts as read_facts,
)
from .facts.linear import (
    Linear as Linear,
)
from .facts.solver import (
    Formula as Formula,
    Missing as Missing,
    ValueSet as ValueSet,
    both as both,
    either as either,
    holds as holds,
    meet as meet,
    opposite as opposite,
)
from .feature import (
    Column as Column,
    Condition as Condition,
    Feature as Feature,
    Label as Label,
    Side as Side,
    Values as Values,
    any_value as any_value,
    counted as counted,
    first_repeated as first_repeated,
    plain_label as plain_label,
    value_in as value_in,
)
from .formats import (
    parse as parse,
)
from .hitting import (
    Clock as Clock,
    Hitting as Hitting,
    Steps as Steps,
    Watch as Watch,
    cheapest_hitting_set as cheapest_hitting_set,
    greedy_hitting_set as greedy_hitting_set,
    hitting_sets as hitting_sets,
    members as members,
    out_of_time as out_of_time,
    too_many_steps as too_many_steps,
    worth as worth,
)
from .kernel import (
    Kernel as Kernel,
    as_sum as as_sum,
)
from .leaf_table import (
    LeafTable as LeafTable,
    common_side as common_side,
    common_sides as common_sides,
)
from .numbers import (
    BELOW_FLOAT32 as BELOW_FLOAT32,
    level_labels as level_labels,
    midpoint as midpoint,
    place_of as place_of,
    read_levels as read_levels,
    read_probability as read_probability,
    read_tolerance as read_tolerance,
    row_boundary as row_boundary,
    short_count as short_count,
    short_end as short_end,
    short_number as short_number,
    value_at_most as value_at_most,
)
from .rows import (
    ABSENT as ABSENT,
    AMONG as AMONG,
    BETWEEN as BETWEEN,
    CODE as CODE,
    F32 as F32,
    F64 as F64,
    CoreColumn as CoreColumn,
    PossibleRows as PossibleRows,
    Rows as Rows,
    allowed_bins as allowed_bins,
    certainly_inside as certainly_inside,
    distinct_rows as distinct_rows,
    known_bins as known_bins,
    known_rows as known_rows,
    one_value as one_value,
    refuse_contradiction as refuse_contradiction,
    refuse_contradictions as refuse_contradictions,
    row_bins as row_bins,
    row_box as row_box,
    row_values as row_values,
    unrounded_rows as unrounded_rows,
)
from .space import (
    FeatureSpec as FeatureSpec,
    Space as Space,
)
from .target import (
    Target as Target,
    interval_widths as interval_widths,
    narrow as narrow,
    near_numbers as near_numbers,
)
from .tree import (
    TREE_FORMAT as TREE_FORMAT,
    Task as Task,
    TreeKernel as TreeKernel,
    labels_array as labels_array,
    n_threads as n_threads,
)
from .words import (
    ROUNDED as ROUNDED,
    Piece as Piece,
    amount as amount,
    any_rounded as any_rounded,
    class_names as class_names,
    has_or as has_or,
    label_text as label_text,
    number_names as number_names,
    pieces as pieces,
    side_text as side_text,
    sides_text as sides_text,
    tree_text as tree_text,
    were as were,
)
