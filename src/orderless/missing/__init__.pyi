from .asking import (
    ask_next as ask_next,
    asked_features as asked_features,
    heights as heights,
)
from .bounds import (
    groups_reached as groups_reached,
    probability_bounds as probability_bounds,
)
from .gapped import (
    Gapped as Gapped,
)
from .interval_widths import (
    IntervalWidths as IntervalWidths,
)
from .needed import (
    Needed as Needed,
    missing_needed as missing_needed,
    needed_of_read as needed_of_read,
)
from .predict import (
    counts_rows as counts_rows,
    possible_classes as possible_classes,
    shares_of_rows as shares_of_rows,
    shares_of_training as shares_of_training,
)
from .settling import (
    Settling as Settling,
)
