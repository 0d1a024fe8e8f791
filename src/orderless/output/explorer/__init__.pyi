from .write import (
    explore as explore,
    write_explorer as write_explorer,
)
