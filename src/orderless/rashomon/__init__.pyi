from .choices import (
    choose as choose,
)
from .choosing import (
    Wanted as Wanted,
    chosen_frame as chosen_frame,
)
from .conditions import (
    Condition as Condition,
    Member as Member,
    columns_of as columns_of,
    member as member,
)
from .differences import (
    Differences as Differences,
)
from .distinct_estimate import (
    DistinctEstimate as DistinctEstimate,
)
from .ends import (
    End as End,
    exact_ends as exact_ends,
)
from .engine import (
    MEMORY as MEMORY,
)
from .first_questions import (
    first_columns as first_columns,
)
from .flat import (
    FlatTrees as FlatTrees,
    merge as merge,
)
from .functions import (
    DrawnFunction as DrawnFunction,
    FunctionSet as FunctionSet,
    FunctionTable as FunctionTable,
    RashomonFunction as RashomonFunction,
)
from .judged import (
    Judged as Judged,
)
from .measures import (
    Measure as Measure,
)
from .members import (
    LIMIT as LIMIT,
)
from .nearest import (
    Nearest as Nearest,
)
from .problem import (
    MOST_DEPTH as MOST_DEPTH,
)
from .ranges import (
    Front as Front,
    FrontPoint as FrontPoint,
    Range as Range,
)
from .rashomon_set import (
    RashomonSet as RashomonSet,
)
from .resampled import (
    Resampled as Resampled,
)
from .shown_functions import (
    LookedAt as LookedAt,
    drawn_instead as drawn_instead,
    looked_at as looked_at,
)
from .sizes import (
    RashomonSizes as RashomonSizes,
    rashomon_sizes as rashomon_sizes,
)
from .target import (
    Target as Target,
)
from .tree_set import (
    TreeSet as TreeSet,
)
from .votes import (
    Votes as Votes,
    disagreements as disagreements,
)
