from .completed import (
    OneRow as OneRow,
    completed as completed,
    read_one as read_one,
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
from .function_tree import (
    with_function_bins as with_function_bins,
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
