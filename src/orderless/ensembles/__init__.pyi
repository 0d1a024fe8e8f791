from .explain import (
    EnsembleExplanation as EnsembleExplanation,
    explain_ensemble_row as explain_ensemble_row,
    explain_ensemble_rows as explain_ensemble_rows,
)
from .witness import (
    witness_rows as witness_rows,
)
