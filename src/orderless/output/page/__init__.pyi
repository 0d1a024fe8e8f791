from .app import (
    write_page as write_page,
)
from .serve import (
    serve_page as serve_page,
)
