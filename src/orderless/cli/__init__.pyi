from .app import (
    _end_tidily as _end_tidily,
    main as main,
)
