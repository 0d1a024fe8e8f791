from .page import (
    Report as Report,
    report as report,
)
