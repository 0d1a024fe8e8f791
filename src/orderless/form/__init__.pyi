from .changes import (
    Change as Change,
    Changes as Changes,
    Effects as Effects,
    Limits as Limits,
    Way as Way,
    allowed_bins as allowed_bins,
    bin_costs as bin_costs,
    bin_steps as bin_steps,
    bins_meeting as bins_meeting,
    box_cost as box_cost,
    changes_of as changes_of,
    wanted_classes as wanted_classes,
)
from .completed import (
    OneRow as OneRow,
    completed as completed,
    read_one as read_one,
)
from .explain import (
    Explanation as Explanation,
)
from .explain_row import (
    explain_one as explain_one,
)
from .explanations import (
    Explanations as Explanations,
    Found as Found,
    explain_rows as explain_rows,
)
from .fingerprints import (
    class_weights as class_weights,
    fingerprint as fingerprint,
    fingerprint_points as fingerprint_points,
    hex_digits as hex_digits,
    read_hex as read_hex,
    space_weights as space_weights,
)
from .flat_trees import (
    flat_nodes as flat_nodes,
)
from .formats import (
    FORM_FORMAT as FORM_FORMAT,
    read_form as read_form,
    write_form as write_form,
)
from .possible_changes import (
    PossibleCosts as PossibleCosts,
)
from .possible_search import (
    own_values as own_values,
)
from .reasons import (
    Form as Form,
    Term as Term,
    canonical_form as canonical_form,
)
from .smallest import (
    smallest_tree as smallest_tree,
)
from .two_trees import (
    cuts_by_feature as cuts_by_feature,
    first_difference as first_difference,
    meeting_boxes as meeting_boxes,
    product_tree as product_tree,
    rounded_alike as rounded_alike,
    same_trees as same_trees,
    share_of_trees as share_of_trees,
    shared_classes as shared_classes,
    tree_groups as tree_groups,
)
