from . import baselines as baselines, datasets as datasets, plots as plots, rules as rules
from .api import (
    CanonicalForm as CanonicalForm,
    Ensemble as Ensemble,
    Model as Model,
    Policy as Policy,
    Tree as Tree,
    canonicalize as canonicalize,
    cheapest_policy as cheapest_policy,
    read as read,
    read_many as read_many,
)
from .connect import (
    check_export as check_export,
)
from .errors import (
    Undecided as Undecided,
)
from .estimators import (
    OrderlessClassifier as OrderlessClassifier,
    audit_imputation as audit_imputation,
    coverage as coverage,
)
from .importance import (
    RashomonImportance as RashomonImportance,
    importance_range as importance_range,
    impurity_importance as impurity_importance,
    permutation_importance as permutation_importance,
)
from .inputs import (
    Between as Between,
    Binarizer as Binarizer,
)
from .model import (
    Condition as Condition,
    Fact as Fact,
    Feature as Feature,
    Space as Space,
)
from .output.certificates import (
    check_certificate as check_certificate,
)
from .output.explorer import (
    write_explorer as write_explorer,
)
from .output.page import (
    write_page as write_page,
)
from .output.pages import (
    model_card as model_card,
    reason_letters as reason_letters,
    report as report,
)
from .output.plots import (
    plot_rules as plot_rules,
    plot_tree as plot_tree,
)
from .questions import (
    counterexample as counterexample,
    difference as difference,
    disagreement as disagreement,
    equivalent as equivalent,
    group_equivalent as group_equivalent,
    prove as prove,
)
from .rashomon import (
    Measure as Measure,
    RashomonSet as RashomonSet,
    TreeSet as TreeSet,
    choose as choose,
    member as member,
)
