from .catalog import (
    entry_of as entry_of,
)
from .dataset import (
    Dataset as Dataset,
    describe as describe,
    load as load,
    names as names,
)
