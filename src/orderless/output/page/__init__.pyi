from .app import (
    write_page as write_page,
)
from .pieces import (
    page_pieces as page_pieces,
)
