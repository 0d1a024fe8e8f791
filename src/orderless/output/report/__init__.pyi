from .page import (
    Report as Report,
)
from .page import (
    report as report,
)
