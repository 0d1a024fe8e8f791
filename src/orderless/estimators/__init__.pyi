from .classifier import (
    OrderlessClassifier as OrderlessClassifier,
)
from .coverage import (
    Coverage as Coverage,
    coverage as coverage,
)
from .deviations import (
    Deviation as Deviation,
    deviation as deviation,
    pooled_deviation as pooled_deviation,
)
from .imputation import (
    ImputationAudit as ImputationAudit,
    audit_imputation as audit_imputation,
)
from .interval_widths import (
    IntervalWidths as IntervalWidths,
)
from .quality import (
    Quality as Quality,
    judge as judge,
    pooled as pooled,
)
