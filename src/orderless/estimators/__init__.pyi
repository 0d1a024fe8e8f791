from .classifier import (
    OrderlessClassifier as OrderlessClassifier,
)
from .quality import (
    Quality as Quality,
)
from .quality import (
    judge as judge,
)
from .quality import (
    pooled as pooled,
)
