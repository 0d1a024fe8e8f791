from .impurity import (
    impurity_importance as impurity_importance,
)
from .permutation import (
    permutation_importance as permutation_importance,
)
from .range import (
    ImportanceRange as ImportanceRange,
    importance_range as importance_range,
)
from .reliance import (
    conditional_model_reliance as conditional_model_reliance,
)
from .rid.distributions import (
    Distribution as Distribution,
)
from .rid.rid import (
    NEVER_OFFERED as NEVER_OFFERED,
    RashomonImportance as RashomonImportance,
)
from .rows import (
    WeightedRows as WeightedRows,
)
