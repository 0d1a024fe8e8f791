from .answers import (
    Answers as Answers,
    answer_of as answer_of,
    answer_rows as answer_rows,
    decide_rows as decide_rows,
    number_interval_rows as number_interval_rows,
    possible_rows as possible_rows,
    predict_model as predict_model,
    predict_rows as predict_rows,
    verdicts_of as verdicts_of,
    warn_of_undecided as warn_of_undecided,
)
from .asking import (
    ask_rows as ask_rows,
)
from .boxes import (
    Verdicts as Verdicts,
)
from .compare import (
    Compared as Compared,
    counterexample as counterexample,
    disagreement as disagreement,
    equivalent as equivalent,
)
from .differences import (
    difference as difference,
)
from .idle import (
    without_idle as without_idle,
)
from .intervals import (
    interval_rows as interval_rows,
    proba_interval_rows as proba_interval_rows,
    proba_rows as proba_rows,
    sum_rows as sum_rows,
)
from .needed import (
    needed_of_row as needed_of_row,
)
from .numbers import (
    OUT_OF_TIME as OUT_OF_TIME,
    cut_numbers as cut_numbers,
    decide_at as decide_at,
)
from .properties import (
    EnsembleProperties as EnsembleProperties,
    prove as prove,
)
from .splitting import (
    tree_of_ensemble as tree_of_ensemble,
)
from .votes import (
    as_ensemble as as_ensemble,
)
