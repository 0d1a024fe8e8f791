from .canonical import (
    CanonicalForm as CanonicalForm,
)
from .canonical import (
    canonicalize as canonicalize,
)
from .equivalence import (
    class_weights as class_weights,
)
from .equivalence import (
    counterexample as counterexample,
)
from .equivalence import (
    disagreement as disagreement,
)
from .equivalence import (
    equivalent as equivalent,
)
from .equivalence import (
    fingerprint as fingerprint,
)
from .equivalence import (
    fingerprint_points as fingerprint_points,
)
from .equivalence import (
    flat_nodes as flat_nodes,
)
from .equivalence import (
    group_equivalent as group_equivalent,
)
from .equivalence import (
    hex_digits as hex_digits,
)
from .equivalence import (
    space_weights as space_weights,
)
from .explain import (
    Explanation as Explanation,
)
from .formats import (
    FORM_FORMAT as FORM_FORMAT,
)
from .redundant import (
    redundant_splits as redundant_splits,
)
from .row_leaves import (
    ones as ones,
)
from .row_leaves import (
    row_sides as row_sides,
)
from .smallest import (
    smallest_tree as smallest_tree,
)
from .term import (
    Term as Term,
)
from .term import (
    whole_side as whole_side,
)
