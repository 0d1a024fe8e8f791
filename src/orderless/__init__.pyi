from . import datasets as datasets
from .acquisition import (
    Interview as Interview,
)
from .acquisition import (
    Policy as Policy,
)
from .acquisition import (
    cheapest_policy as cheapest_policy,
)
from .connect import (
    predict_file as predict_file,
)
from .estimators import (
    OrderlessClassifier as OrderlessClassifier,
)
from .estimators import (
    Quality as Quality,
)
from .estimators import (
    judge as judge,
)
from .form import (
    CanonicalForm as CanonicalForm,
)
from .form import (
    Term as Term,
)
from .form import (
    canonicalize as canonicalize,
)
from .form import (
    counterexample as counterexample,
)
from .form import (
    disagreement as disagreement,
)
from .form import (
    equivalent as equivalent,
)
from .form import (
    fingerprint as fingerprint,
)
from .form import (
    group_equivalent as group_equivalent,
)
from .form import (
    redundant_splits as redundant_splits,
)
from .form import (
    smallest_tree as smallest_tree,
)
from .importance import (
    ImportanceRange as ImportanceRange,
)
from .importance import (
    RashomonImportance as RashomonImportance,
)
from .importance import (
    conditional_model_reliance as conditional_model_reliance,
)
from .importance import (
    importance_range as importance_range,
)
from .importance import (
    impurity_importance as impurity_importance,
)
from .importance import (
    permutation_importance as permutation_importance,
)
from .inputs import (
    QuantileBinarizer as QuantileBinarizer,
)
from .inputs import (
    ThresholdGuessBinarizer as ThresholdGuessBinarizer,
)
from .missing import (
    ask_next as ask_next,
)
from .missing import (
    coverage as coverage,
)
from .missing import (
    determined_by_any as determined_by_any,
)
from .missing import (
    forest_bounds as forest_bounds,
)
from .missing import (
    imputation_dependence as imputation_dependence,
)
from .missing import (
    missing_needed as missing_needed,
)
from .missing import (
    odds as odds,
)
from .missing import (
    possible_classes as possible_classes,
)
from .missing import (
    predict_between as predict_between,
)
from .missing import (
    predict_features as predict_features,
)
from .missing import (
    predict_path as predict_path,
)
from .missing import (
    probability_bounds as probability_bounds,
)
from .missing import (
    regression_bounds as regression_bounds,
)
from .model import (
    Condition as Condition,
)
from .model import (
    Feature as Feature,
)
from .model import (
    Space as Space,
)
from .model import (
    Tree as Tree,
)
from .output.page import (
    serve_page as serve_page,
)
from .output.page import (
    write_page as write_page,
)
from .output.plots import (
    plot_rules as plot_rules,
)
from .output.plots import (
    plot_tree as plot_tree,
)
from .output.report import (
    report as report,
)
from .rashomon import (
    RashomonSet as RashomonSet,
)
from .rashomon import (
    rashomon_sizes as rashomon_sizes,
)
from .readers import (
    read_tree as read_tree,
)
from .readers import (
    read_trees as read_trees,
)
