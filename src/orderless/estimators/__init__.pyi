from .classifier import (
    OrderlessClassifier as OrderlessClassifier,
)
from .quality import (
    Quality as Quality,
    judge as judge,
    pooled as pooled,
)
