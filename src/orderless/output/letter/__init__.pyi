from .codes import (
    Codes as Codes,
    read_codes as read_codes,
)
from .letter import (
    Letter as Letter,
    letters_as_page as letters_as_page,
)
from .write import (
    reasons_letter as reasons_letter,
    reasons_letters as reasons_letters,
)
