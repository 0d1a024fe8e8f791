from .changes import (
    Change as Change,
    Changes as Changes,
)
from .explain import (
    Explanation as Explanation,
    Explanations as Explanations,
    explain as explain,
    explain_all as explain_all,
)
