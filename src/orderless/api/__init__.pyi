from .ensemble import Ensemble as Ensemble
from .form import (
    CanonicalForm as CanonicalForm,
    canonicalize as canonicalize,
)
from .interview import Interview as Interview
from .model import Model as Model
from .policy import (
    Policy as Policy,
    cheapest_policy as cheapest_policy,
)
from .reading import (
    read as read,
    read_many as read_many,
    wrap as wrap,
)
from .tree import Tree as Tree
