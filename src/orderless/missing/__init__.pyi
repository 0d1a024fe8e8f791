from .asking import (
    ask_next as ask_next,
    asked_features as asked_features,
    heights as heights,
)
from .bounds import (
    groups_reached as groups_reached,
    probability_bounds as probability_bounds,
    regression_bounds as regression_bounds,
)
from .gapped import (
    Gapped as Gapped,
)
from .imputation import (
    imputation_dependence as imputation_dependence,
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
    determined_by_any as determined_by_any,
    odds as odds,
    possible_classes as possible_classes,
    predict_between as predict_between,
    predict_features as predict_features,
    predict_path as predict_path,
)
from .settling import (
    Settling as Settling,
)
from .smallest_sets import (
    Steps as Steps,
    hitting_sets as hitting_sets,
    members as members,
)
from .study import (
    Coverage as Coverage,
    coverage as coverage,
)
