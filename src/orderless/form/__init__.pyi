from .completed import (
    OneRow as OneRow,
    completed as completed,
    read_one as read_one,
)
from .differences import (
    Both as Both,
    tree_difference as tree_difference,
)
from .equivalence import (
    counterexample as counterexample,
    disagreement as disagreement,
    equivalent as equivalent,
    group_equivalent as group_equivalent,
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
from .leaf_table import (
    LeafTable as LeafTable,
    common_side as common_side,
    example_row as example_row,
)
from .outcomes import (
    Falling as Falling,
    Near as Near,
    Outcome as Outcome,
    Unequal as Unequal,
)
from .possible_pairs import (
    PossiblePairs as PossiblePairs,
    adjusted_in as adjusted_in,
    adjusted_row as adjusted_row,
)
from .proof import (
    Proof as Proof,
    plain_row as plain_row,
)
from .properties import (
    SAME as SAME,
    Properties as Properties,
    Region as Region,
    Row as Row,
    claim_in as claim_in,
    models_differ as models_differ,
)
from .reasons import (
    Form as Form,
    Term as Term,
    canonical_form as canonical_form,
)
from .redundant import (
    redundant_splits as redundant_splits,
)
from .shifts import (
    Difference as Difference,
    Shift as Shift,
    changed_rows as changed_rows,
)
from .smallest import (
    smallest_tree as smallest_tree,
)
from .tree_properties import (
    TreeProperties as TreeProperties,
    gap_above as gap_above,
    region_of_two as region_of_two,
    two_steps as two_steps,
)
