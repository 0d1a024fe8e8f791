from .codes import (
    Codes as Codes,
    read_codes as read_codes,
)
from .letter import (
    Letter as Letter,
    letters_as_page as letters_as_page,
)
from .write import (
    reason_letters as reason_letters,
)
