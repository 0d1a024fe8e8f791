from .cluster import (
    check_backend as check_backend,
)
from .run import (
    ALIASES as ALIASES,
)
from .run import (
    run as run,
)
from .run import (
    targets as targets,
)
