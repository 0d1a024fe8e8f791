from .answers import (
    Sampled as Sampled,
)
from .answers import (
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
)
from .flat import (
    distinct as distinct,
)
from .functions import (
    FunctionSet as FunctionSet,
)
from .functions import (
    FunctionTable as FunctionTable,
)
from .functions import (
    RashomonFunction as RashomonFunction,
)
from .meaning import (
    Meaning as Meaning,
)
from .problem import (
    MOST_DEPTH as MOST_DEPTH,
)
from .problem import (
    Problem as Problem,
)
from .problem import (
    decimal as decimal,
)
from .problem import (
    merge as merge,
)
from .rashomon_set import (
    MEMORY as MEMORY,
)
from .rashomon_set import (
    RashomonSet as RashomonSet,
)
from .row_answers import (
    LIMIT as LIMIT,
)
from .sampling import (
    generator as generator,
)
from .sizes import (
    RashomonSizes as RashomonSizes,
)
from .sizes import (
    rashomon_sizes as rashomon_sizes,
)
from .table import (
    Table as Table,
)
from .table import (
    read_labels as read_labels,
)
from .table import (
    read_table as read_table,
)
from .tree_set import (
    TreeSet as TreeSet,
)
from .view import (
    View as View,
)
