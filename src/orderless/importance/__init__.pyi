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
    NEVER_OFFERED as NEVER_OFFERED,
    Distribution as Distribution,
)
from .rid.rid import (
    RashomonImportance as RashomonImportance,
)
from .rows import (
    Given as Given,
)
