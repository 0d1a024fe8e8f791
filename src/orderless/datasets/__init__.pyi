from .catalog import (
    entry_of as entry_of,
)
from .dataset import (
    Dataset as Dataset,
)
from .dataset import (
    describe as describe,
)
from .dataset import (
    load as load,
)
from .dataset import (
    names as names,
)
