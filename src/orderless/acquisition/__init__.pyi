from .costs import (
    whole_number as whole_number,
)
from .formats import (
    policy_from_json as policy_from_json,
    policy_to_json as policy_to_json,
    policy_tree as policy_tree,
)
from .nodes import (
    Nodes as Nodes,
)
from .problem import (
    Problem as Problem,
    SoFar as SoFar,
)
from .question import (
    Outcome as Outcome,
    Question as Question,
    branches as branches,
    money as money,
    percent as percent,
)
from .reading import (
    read_problem as read_problem,
)
from .solve import (
    Method as Method,
    Solved as Solved,
    Solving as Solving,
    solve as solve,
)
