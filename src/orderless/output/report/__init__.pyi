from .card import (
    Card as Card,
    model_card as model_card,
)
from .card_facts import (
    Told as Told,
)
from .deviation import (
    JudgedNumbers as JudgedNumbers,
    deviation_as_markdown as deviation_as_markdown,
    deviation_as_text as deviation_as_text,
)
from .page import (
    Report as Report,
    report as report,
)
from .quality import (
    Judged as Judged,
    quality_as_markdown as quality_as_markdown,
    quality_as_text as quality_as_text,
)
from .risk import (
    RiskThresholds as RiskThresholds,
    risk_thresholds as risk_thresholds,
)
