from .card import (
    Card as Card,
    model_card as model_card,
)
from .letter import (
    Codes as Codes,
    Letter as Letter,
    letters_as_page as letters_as_page,
    read_codes as read_codes,
    reason_letters as reason_letters,
)
from .quality import (
    Judged as Judged,
    JudgedNumbers as JudgedNumbers,
    deviation_as_markdown as deviation_as_markdown,
    deviation_as_text as deviation_as_text,
    quality_as_markdown as quality_as_markdown,
    quality_as_text as quality_as_text,
)
from .report import (
    Report as Report,
    report as report,
)
from .risk import (
    RiskThresholds as RiskThresholds,
    risk_thresholds as risk_thresholds,
)
