from .asking import (
    ask_next as ask_next,
)
from .asking import (
    asked_features as asked_features,
)
from .asking import (
    heights as heights,
)
from .bounds import (
    forest_bounds as forest_bounds,
)
from .bounds import (
    frame_of as frame_of,
)
from .bounds import (
    groups_reached as groups_reached,
)
from .bounds import (
    probability_bounds as probability_bounds,
)
from .bounds import (
    regression_bounds as regression_bounds,
)
from .first_determined import (
    determined_by_any as determined_by_any,
)
from .imputation import (
    imputation_dependence as imputation_dependence,
)
from .needed import (
    Settling as Settling,
)
from .needed import (
    missing_needed as missing_needed,
)
from .needed import (
    one_row as one_row,
)
from .predict import (
    class_codes as class_codes,
)
from .predict import (
    counts_rows as counts_rows,
)
from .predict import (
    known_rows as known_rows,
)
from .predict import (
    odds as odds,
)
from .predict import (
    possible_classes as possible_classes,
)
from .predict import (
    predict_between as predict_between,
)
from .predict import (
    predict_features as predict_features,
)
from .predict import (
    predict_path as predict_path,
)
from .predict import (
    tree_of as tree_of,
)
from .study import (
    coverage as coverage,
)
