"""How many functions are among TreeFARMS' trees: the known numbers, in both semantics."""

import pandas as pd
import pytest

import orderless as ol

treefarms = pytest.importorskip(
    "treefarms", reason="TreeFARMS comes with the extra orderless[sources]"
)
NAMES = [
    "broward", "compas", "coupon", "fico", "iris_setosa", "iris_versicolor", "iris_virginica",
    "spiral", "tic_tac_toe", "wine_quality", "wisconsin",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_distinct_functions_of_fold_0(name, shared, monkeypatch, capfd):
    from sklearn.model_selection import KFold

    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    known = pd.read_csv(shared / "reference" / "rashomon_counts_fold0.csv").set_index("dataset")
    X, y = ol.datasets.load(name)
    rows, _ = next(KFold(5, shuffle=True, random_state=42).split(X))
    X, y = X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True).astype(int)
    binarizer = ol.Binarizer().set_output(transform="pandas").fit(X, y)
    columns = binarizer.transform(X)
    model = treefarms.TREEFARMS(
        {
            "regularization": 0.01,
            "rashomon_bound_adder": 0.02,
            "rashomon_bound_multiplier": 0,
            "depth_budget": 4,
            "rashomon_ignore_trivial_extensions": True,
        }
    ).fit(columns, y)
    independent = ol.read_many(model)
    aware = ol.read_many(model, preprocessing=binarizer)
    assert len(independent) == len(aware) == known.loc[name, "treefarms_without_trivial"]
    assert (
        len(ol.group_equivalent(independent)) == known.loc[name, "treefarms_distinct_independent"]
    )
    groups = ol.group_equivalent(aware)
    assert len(groups) == known.loc[name, "treefarms_distinct_aware"]
    # The same through the space of the binarized columns; and on rows the trees are what they were.
    by_columns = ol.read_many(model, space=binarizer.space_)
    assert ol.group_equivalent(by_columns) == groups
    for i in range(0, len(aware), max(1, len(aware) // 5)):
        assert (aware[i].predict(X) == independent[i].predict(columns)).all()
        assert (by_columns[i].predict(columns) == independent[i].predict(columns)).all()
        assert ol.equivalent(aware[i], by_columns[i])
