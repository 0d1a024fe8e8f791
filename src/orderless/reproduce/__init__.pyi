from .cluster import (
    check_backend as check_backend,
)
from .run import (
    ALIASES as ALIASES,
    run as run,
    targets as targets,
)
