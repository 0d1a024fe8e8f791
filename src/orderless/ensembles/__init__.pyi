from .compare import (
    Compared as Compared,
    counterexample as counterexample,
    disagreement as disagreement,
    equivalent as equivalent,
)
from .differences import (
    difference as difference,
)
from .explain import (
    EnsembleExplanation as EnsembleExplanation,
    explain_ensemble_row as explain_ensemble_row,
    explain_ensemble_rows as explain_ensemble_rows,
)
from .idle import (
    without_idle as without_idle,
)
from .properties import (
    EnsembleProperties as EnsembleProperties,
    prove as prove,
)
from .witness import (
    witness_rows as witness_rows,
)
