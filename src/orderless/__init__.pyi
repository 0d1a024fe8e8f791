from . import datasets as datasets
from .acquisition import (
    Interview as Interview,
    Policy as Policy,
    cheapest_policy as cheapest_policy,
)
from .connect import (
    ExportCheck as ExportCheck,
    check_export as check_export,
    predict_file as predict_file,
)
from .ensembles import (
    counterexample as counterexample,
    difference as difference,
    disagreement as disagreement,
    equivalent as equivalent,
    forest_bounds as forest_bounds,
    prove as prove,
)
from .errors import (
    Undecided as Undecided,
)
from .estimators import (
    Deviation as Deviation,
    OrderlessClassifier as OrderlessClassifier,
    Quality as Quality,
    deviation as deviation,
    judge as judge,
)
from .form import (
    CanonicalForm as CanonicalForm,
    Difference as Difference,
    Proof as Proof,
    Term as Term,
    canonicalize as canonicalize,
    fingerprint as fingerprint,
    group_equivalent as group_equivalent,
    redundant_splits as redundant_splits,
    smallest_tree as smallest_tree,
)
from .importance import (
    ImportanceRange as ImportanceRange,
    RashomonImportance as RashomonImportance,
    conditional_model_reliance as conditional_model_reliance,
    importance_range as importance_range,
    impurity_importance as impurity_importance,
    permutation_importance as permutation_importance,
)
from .inputs import (
    MidpointBinarizer as MidpointBinarizer,
    Proposal as Proposal,
    QuantileBinarizer as QuantileBinarizer,
    ThresholdGuessBinarizer as ThresholdGuessBinarizer,
    discover as discover,
)
from .missing import (
    ask_next as ask_next,
    coverage as coverage,
    determined_by_any as determined_by_any,
    imputation_dependence as imputation_dependence,
    missing_needed as missing_needed,
    odds as odds,
    possible_classes as possible_classes,
    predict_between as predict_between,
    predict_features as predict_features,
    predict_path as predict_path,
    probability_bounds as probability_bounds,
    regression_bounds as regression_bounds,
)
from .model import (
    Condition as Condition,
    Ensemble as Ensemble,
    Fact as Fact,
    Feature as Feature,
    Space as Space,
    Tree as Tree,
)
from .output.certificates import (
    Certificate as Certificate,
    check_certificate as check_certificate,
    equivalence_certificate as equivalence_certificate,
)
from .output.letter import (
    Letter as Letter,
    reasons_letter as reasons_letter,
    reasons_letters as reasons_letters,
)
from .output.page import (
    write_page as write_page,
)
from .output.plots import (
    CoverageDisplay as CoverageDisplay,
    RashomonDisplay as RashomonDisplay,
    RulesDisplay as RulesDisplay,
    plot_rules as plot_rules,
    plot_tree as plot_tree,
)
from .output.report import (
    Card as Card,
    model_card as model_card,
    report as report,
    risk_thresholds as risk_thresholds,
)
from .rashomon import (
    RashomonSet as RashomonSet,
    rashomon_sizes as rashomon_sizes,
)
from .readers import (
    RuleCheck as RuleCheck,
    check_rules as check_rules,
    r_script as r_script,
    read_ensemble as read_ensemble,
    read_rules as read_rules,
    read_score as read_score,
    read_tree as read_tree,
    read_trees as read_trees,
)
