from .canonical import (
    CanonicalForm as CanonicalForm,
    canonicalize as canonicalize,
)
from .equivalence import (
    class_weights as class_weights,
    counterexample as counterexample,
    disagreement as disagreement,
    equivalent as equivalent,
    fingerprint as fingerprint,
    fingerprint_points as fingerprint_points,
    flat_nodes as flat_nodes,
    group_equivalent as group_equivalent,
    hex_digits as hex_digits,
    read_hex as read_hex,
    space_weights as space_weights,
)
from .explain import (
    Change as Change,
    Explanation as Explanation,
)
from .formats import (
    FORM_FORMAT as FORM_FORMAT,
)
from .redundant import (
    redundant_splits as redundant_splits,
)
from .smallest import (
    smallest_tree as smallest_tree,
)
from .term import (
    Term as Term,
)
