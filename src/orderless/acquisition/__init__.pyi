from .alike import (
    branches as branches,
)
from .build import (
    cheapest_policy as cheapest_policy,
)
from .interview import (
    Interview as Interview,
)
from .policy import (
    Policy as Policy,
)
from .question import (
    Outcome as Outcome,
)
from .question import (
    Question as Question,
)
from .question import (
    money as money,
)
from .question import (
    percent as percent,
)
