from .answers import (
    Sampled as Sampled,
    disagreements as disagreements,
)
from .differences import (
    Differences as Differences,
)
from .engine import (
    Engine as Engine,
)
from .flat import (
    FlatTrees as FlatTrees,
    distinct as distinct,
)
from .functions import (
    FunctionSet as FunctionSet,
    FunctionTable as FunctionTable,
    RashomonFunction as RashomonFunction,
)
from .meaning import (
    Meaning as Meaning,
)
from .problem import (
    MOST_DEPTH as MOST_DEPTH,
    Problem as Problem,
    decimal as decimal,
    merge as merge,
)
from .rashomon_set import (
    MEMORY as MEMORY,
    RashomonSet as RashomonSet,
)
from .row_answers import (
    LIMIT as LIMIT,
)
from .sizes import (
    RashomonSizes as RashomonSizes,
    rashomon_sizes as rashomon_sizes,
)
from .table import (
    Table as Table,
    read_labels as read_labels,
    read_table as read_table,
)
from .tree_set import (
    TreeSet as TreeSet,
)
from .view import (
    View as View,
)
