from .card import (
    Card as Card,
    model_card as model_card,
)
from .card_facts import (
    Told as Told,
)
from .page import (
    Report as Report,
    report as report,
)
from .risk import (
    RiskThresholds as RiskThresholds,
    risk_thresholds as risk_thresholds,
)
