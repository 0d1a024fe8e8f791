from .run import (
    ALIASES as ALIASES,
    run as run,
    targets as targets,
)
from .work import (
    check_backend as check_backend,
)
