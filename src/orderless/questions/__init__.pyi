from .compare import (
    ModelPair as ModelPair,
    RowsOfBoth as RowsOfBoth,
    counterexample as counterexample,
    disagreement as disagreement,
    equivalent as equivalent,
    group_equivalent as group_equivalent,
)
from .differences import (
    Difference as Difference,
    Shift as Shift,
    difference as difference,
)
from .proofs import (
    Proof as Proof,
    Properties as Properties,
    plain_row as plain_row,
    prove as prove,
)
from .redundant import (
    redundant_splits as redundant_splits,
    without_idle as without_idle,
)
