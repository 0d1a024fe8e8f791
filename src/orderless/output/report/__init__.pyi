from .page import (
    Report as Report,
    report as report,
)
from .risk import (
    RiskThresholds as RiskThresholds,
    risk_thresholds as risk_thresholds,
)
