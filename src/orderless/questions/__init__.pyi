from .asking import (
    ask_next as ask_next,
    asked_features as asked_features,
    heights as heights,
)
from .boxes import (
    CERTAIN as CERTAIN,
    IMPOSSIBLE as IMPOSSIBLE,
    OPEN as OPEN,
    OUT_OF_TIME as OUT_OF_TIME,
    Verdicts as Verdicts,
)
from .changes import (
    Change as Change,
    Changes as Changes,
)
from .compare import (
    ModelPair as ModelPair,
    RowsOfBoth as RowsOfBoth,
    counterexample as counterexample,
    disagreement as disagreement,
    equivalent as equivalent,
    group_equivalent as group_equivalent,
)
from .differences import (
    Difference as Difference,
    Shift as Shift,
    difference as difference,
)
from .explanations import (
    Explanation as Explanation,
    Explanations as Explanations,
    explain as explain,
    explain_all as explain_all,
)
from .needed import (
    Needed as Needed,
    Settling as Settling,
    needed_for as needed_for,
)
from .proofs import (
    Proof as Proof,
    Properties as Properties,
    plain_row as plain_row,
    prove as prove,
)
from .redundant import (
    redundant_splits as redundant_splits,
    without_idle as without_idle,
)
from .rows import (
    answer_of as answer_of,
    groups_reached as groups_reached,
    interval as interval,
    number_bounds as number_bounds,
    possible as possible,
    predict as predict,
    predict_proba as predict_proba,
    status as status,
    sums as sums,
    verdicts_of as verdicts_of,
    warn_of_undecided as warn_of_undecided,
)
from .shares import (
    counts_rows as counts_rows,
    shares_of as shares_of,
)
from .splitting import (
    as_one_tree as as_one_tree,
    tree_of_ensemble as tree_of_ensemble,
)
