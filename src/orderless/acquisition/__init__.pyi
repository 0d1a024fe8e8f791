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
    Question as Question,
    branches as branches,
    money as money,
    percent as percent,
)
