from .certificate import (
    Certificate as Certificate,
    check_certificate as check_certificate,
    checker as checker,
)
from .of_form import (
    form_certificate as form_certificate,
)
from .of_policy import (
    policy_certificate as policy_certificate,
)
from .of_two_trees import (
    equivalence_certificate as equivalence_certificate,
)
