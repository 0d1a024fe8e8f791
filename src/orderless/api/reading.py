"""Models in: whatever made them, as a ``Tree`` or an ``Ensemble``.

In:  a model, a file, nested dicts, JSON.
Out: ``Tree`` where there is one tree, else ``Ensemble``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from ..model import Space, SumKernel, TreeKernel
from ..readers import Nan, read_model, read_trees
from .ensemble import Ensemble
from .tree import Tree

__all__ = ["read", "read_many", "wrap"]


@overload
def wrap(kernel: TreeKernel) -> Tree: ...
@overload
def wrap(kernel: SumKernel) -> Ensemble: ...
def wrap(kernel: TreeKernel | SumKernel) -> Tree | Ensemble:
    """Make a model of a kernel."""
    return Tree._of(kernel) if isinstance(kernel, TreeKernel) else Ensemble._of(kernel)


def read(
    model: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> Any:
    """Read a trained model, whatever made it.

    Parameters
    ----------
    model : object
        A fitted tree, forest or boosted model of scikit-learn (RandomForest, ExtraTrees,
        GradientBoosting, HistGradientBoosting, AdaBoostClassifier, Bagging and Voting of trees), a
        ``Pipeline`` that ends in one, a ``TransformedTargetRegressor`` around a tree, a threshold
        or one calibrator around a classifier, or a search for the best of these; a tree of GOSDT,
        TreeFARMS, DL8.5, STreeD or PRAXIS; a model of XGBoost, LightGBM or CatBoost, or the file
        that they write (XGBoost's as JSON or UBJ, CatBoost's as JSON); ONNX (``onnx.ModelProto``,
        bytes or file); PMML 4.0 to 4.4; Spark MLlib's models or their folders; trees and forests of
        R as ``r_script`` writes them; nested dicts (``feature``, ``true``, ``false``,
        ``prediction``; of numbers to compute with, the root says ``"task": "regression"``), a
        points score, or their JSON; our own JSON. Files are given as text, or as a path. A ``Tree``
        or ``Ensemble`` is returned as it is. A subclass that has a ``predict`` of its own is
        refused, because its trees do not say what it decides.
    preprocessing : fitted transformer, optional
        What the model's table went through before: a binarizer, an encoder, a scaler, a
        ``ColumnTransformer`` or ``Pipeline`` of these. The conditions come out on the features
        that went in, in their own units, exactly.
    space : Space, optional
        What the columns of the table mean: of the model's table, or with ``preprocessing`` (or a
        ``Pipeline``) of the table that went in. Without it every column is a feature of its own:
        numeric, or boolean for the libraries that take 0/1 columns.
    feature_names : sequence of str, optional
        Names of the columns, where neither the model nor the space has them.
    nan : "unknown" or "value"
        Whether a missing value is unknown, and may be anything; or a value that the model has
        learned to send one way. Then None, NaN, NA, NaT, null and masked cells all are that value,
        in arrays, data frames and dicts alike; only what a dict does not mention stays unknown.

    Returns
    -------
    Tree or Ensemble
        A ``Tree`` where there is one tree. Its ``predict`` equals the model's on every complete
        row; numbers and scores to the last bit.

    Raises
    ------
    UnreadableModel, InvalidTree
        For a model that no reader knows, and for one that is damaged: what it says of itself is
        checked before memory is taken for it.

    Notes
    -----
    Sums are added in the order and precision of the library on a processor, with one thread where
    the order depends on their number. Not visible in a model, and so not read: a ``base_margin``
    that is given with the rows, and the objective of your own that a ``Booster`` of XGBoost was
    trained with. Linear in the nodes.

    Examples
    --------
    >>> import orderless as ol
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(ol.read(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)))
    petal width (cm) <= 0.8?
      yes: 0
      no:  petal width (cm) <= 1.75?
        yes: 1
        no:  2
    >>> ol.read(RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)).n_trees
    5
    """
    kernel = read_model(
        model, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
    )
    if isinstance(model, Tree | Ensemble) and model.kernel is kernel:
        return model
    return wrap(kernel)


def read_many(
    models: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> list[Tree]:
    """Read many trees: a set of TreeFARMS or PRAXIS, or any iterable of trees of any library.

    All of them share one space, so that comparing them is quick. Parameters are those of ``read``.

    Examples
    --------
    >>> import orderless as ol
    >>> leaf = {"prediction": 0}
    >>> split = {"feature": 1, "true": {"prediction": 1}, "false": leaf}
    >>> [tree.n_leaves for tree in ol.read_many([leaf, split], feature_names=["a", "b"])]
    [1, 2]
    """
    kernels = read_trees(
        models, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
    )
    return [Tree._of(kernel) for kernel in kernels]
