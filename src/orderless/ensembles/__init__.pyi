from .compare import (
    Compared as Compared,
    counterexample as counterexample,
    disagreement as disagreement,
    equivalent as equivalent,
)
from .differences import (
    difference as difference,
)
from .idle import (
    without_idle as without_idle,
)
from .properties import (
    EnsembleProperties as EnsembleProperties,
    prove as prove,
)
