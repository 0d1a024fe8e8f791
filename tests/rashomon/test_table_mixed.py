"""Tables of numbers, text and 0/1 together: what stays whole, what is cut, what is left out."""

import itertools
import json
from fractions import Fraction

import numpy as np
import oracle_rashomon as oracle
import pandas as pd
import pytest
from commands import fine as command

import orderless as ol
from orderless import member

NUMBERS, TEXT, BITS = ["age", "income"], ["home", "records"], ["flag", "member"]
LEFT_OUT = ("income", "zone", "always")  # no threshold is guessed for the first
CUTS = ("guess", (0.33, 0.66))


def mixed(seed=0, n=120):
    """Numbers that matter most, text and bits that matter a little, and two constants."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.integers(18, 80, n),
            "home": random.choice(["own", "rent", "free"], n),
            "flag": random.integers(0, 2, n),
            "income": random.normal(50, 10, n).round(1),
            "records": random.choice(["yes", "no"], n),
            "member": random.integers(0, 2, n).astype(bool),
            "zone": "north",
            "always": 1,
        }
    )
    y = (table.age > 45) & (table.records == "no") | (table.flag == 1) & (table.home == "rent")
    return table, np.where(random.random(n) < 0.1, ~y, y).astype(int)


def fit(table, y, **options):
    return estimator(table, y, **options).trees_


def estimator(table, y, **options):
    return ol.RashomonSet(**{"max_depth": 2, "epsilon": 0.05, **options}).fit(table, y)


@pytest.mark.parametrize("thresholds", CUTS)
def test_text_and_bits_stay_whole_beside_numbers(thresholds):
    table, y = mixed()
    rset = estimator(table, y, thresholds=thresholds)
    found = rset.trees_
    cuts = [name for name in found.columns if " <= " in name]
    assert all(name.startswith(("age <= ", "income <= ")) for name in cuts)
    assert [name for name in found.columns if name not in cuts] == [
        "home = free", "home = own", "home = rent", "flag", "records = no", "records = yes",
        "member", "always",
    ]  # fmt: skip
    # In the order of the table.
    first = [name.split(" <= ")[0].split(" = ")[0] for name in found.columns]
    assert list(dict.fromkeys(first)) == [name for name in table if name in first]
    assert found.best_tree.space.names == tuple(table)
    assert rset.binarizer_.feature_names_in_.tolist() == NUMBERS
    assert rset.n_features_in_ == table.shape[1]
    for name in (*TEXT, *BITS):
        assert (
            found.where(member.uses(name)).n_trees + found.where(~member.uses(name)).n_trees
            == found.n_trees
        )
    assert found.where(member.uses("home")).n_trees > 0
    assert found.predict(table).tolist() == found.predict(table.to_dict("records")).tolist()


@pytest.mark.parametrize("thresholds", CUTS)
@pytest.mark.parametrize("seed", range(4))
def test_more_columns_never_make_the_set_smaller(seed, thresholds):
    """Within one bound; the bound moves down where a better tree is found."""
    table, y = mixed(seed)
    sets = []
    for names in (NUMBERS, [*NUMBERS, "flag"], [*NUMBERS, *BITS], [*NUMBERS, *BITS, "home"],
                  [*NUMBERS, *BITS, *TEXT], list(table)):  # fmt: skip
        sets.append(fit(table[[name for name in table if name in names]], y, thresholds=thresholds))
    for less, more in itertools.pairwise(sets):
        assert set(less.columns) <= set(more.columns)
        assert more.objective <= less.objective
        # The same bound for both: as far above the better optimum as the smaller set reaches.
        wide = fit_to(more, table, y, less.bound, thresholds)
        assert wide.bound == less.bound
        assert wide.n_trees >= less.n_trees
        assert len(wide.functions()) >= len(less.functions())
        assert len(less.functions() - wide.functions()) == 0
        if more.objective == less.objective:
            assert more.n_trees >= less.n_trees


def fit_to(found, table, y, bound, thresholds):
    names = list(found.best_tree.space.names)
    return fit(table[names], y, thresholds=thresholds, epsilon=bound - found.objective)


@pytest.mark.parametrize("seed", range(3))
def test_the_set_is_that_of_all_its_columns(seed):
    """Against brute force over columns that are made by hand."""
    table, y = mixed(seed, n=30)
    found = fit(table, y, epsilon=0.03)
    bits = []
    for name in found.columns:
        feature, _, label = name.partition(" = ")
        if " <= " in name:
            feature, _, cut = name.partition(" <= ")
            bits.append(table[feature].astype(np.float32) <= float(cut))
        elif label:
            bits.append(table[feature] == label)
        else:
            bits.append(table[name] == 1)
    rows = [tuple(map(int, row)) for row in np.stack(bits, axis=1)]
    known = oracle.Problem(rows, y.tolist(), 2, depth=2, regularization=Fraction(1, 100),
                           epsilon=Fraction(3, 100), cells=[])  # fmt: skip
    assert found.n_trees == len(known.trees)
    assert (found.objective, found.bound) == (known.optimum, known.bound)


def test_what_is_left_out_is_named():
    table, y = mixed()
    assert fit(table[[*NUMBERS, *TEXT, *BITS]], y, thresholds=(0.33, 0.66)).left_out == ()
    found = fit(table, y)
    assert found.left_out == LEFT_OUT
    said = "3 features are left out (constant, or no threshold): 'income', 'zone', 'always'"
    assert str(found).splitlines()[1:] == [said]
    rset = estimator(table, y)
    assert str(rset).splitlines()[2:] == [said]
    assert f"<br>{said}</p>" in rset._repr_html_()
    # Views and files too.
    for view in (
        found.where(member.epsilon <= 0),
        found.where(~member.uses("home")),
        ol.TreeSet.from_json(found.to_json()),
    ):
        assert view.left_out == LEFT_OUT
        assert str(view) == f"{view!r}\n{said}"
    # A number of no use to the guessing trees, beside one that says it all.
    wide = table.assign(age=(y * 30 + 20.5), noise=np.arange(len(y)) % 7 + 0.5)
    guessed = fit(wide[["age", "noise", "home"]], y)
    assert guessed.left_out == ("noise",)
    assert "1 feature is left out" in str(guessed)
    assert guessed.where(member.uses("noise")).n_trees == 0
    assert fit(wide[["age", "noise", "home"]], y, thresholds=(0.33, 0.66)).left_out == ()
    assert ol.TreeSet.from_trees(list(found)[:3], table, y).left_out == ()


def test_numbers_without_any_cut_do_not_stand_in_the_way():
    table, y = mixed()
    rset = estimator(table.assign(age=7.5, income=1e9)[["age", "income", *TEXT]], y)
    found = rset.trees_
    assert found.left_out == ("age", "income")
    assert rset.binarizer_ is None
    assert found.columns == ("home = free", "home = own", "home = rent", "records = no",
                             "records = yes")  # fmt: skip
    assert found.n_trees == fit(table[TEXT], y).n_trees
    assert found.predict(table[["age", "income", *TEXT]]).shape == (len(y),)
    with pytest.raises(ol.errors.InvalidData, match="no column is left"):
        fit(table.assign(age=7.5)[["age"]], y)


def test_a_column_that_is_declared_0_or_1_must_be():
    table, y = mixed()
    space = ol.Space({"age": "integer", "flag": "boolean"})
    wrong = table[["age", "flag"]].assign(flag=table.flag * 2)
    with pytest.raises(ol.errors.InvalidData, match=r"'flag' has the value 2 in row \d+ and is de"):
        fit(wrong, y, space=space)
    one_hot = ol.Space(
        {"home": ("own", "rent"), "age": "integer"},
        {"own": ol.Condition("home", among=("own",)), "rent": ol.Condition("home", among=("rent",)),
         "age": "age"},
    )  # fmt: skip
    rows = pd.DataFrame({"own": [1, 0, 1, 0], "rent": [0, 1, 0, 1], "age": [20, 30, 40, 50]})
    found = fit(rows, [0, 1, 0, 1], space=one_hot)
    assert {"own", "rent"} < set(found.columns)
    with pytest.raises(ol.errors.InvalidData, match="contradicts itself about 'home'"):
        fit(rows.assign(rent=1), [0, 1, 0, 1], space=one_hot)


def test_files_hold_mixed_columns():
    table, y = mixed()
    for thresholds in CUTS:
        found = fit(table, y, thresholds=thresholds)
        again = ol.TreeSet.from_json(found.to_json())
        assert again.columns == found.columns
        assert (again.n_trees, len(again.functions())) == (found.n_trees, len(found.functions()))
        assert again.functions() == found.functions()
        assert (
            again.to_json() == again.from_json(again.to_json()).to_json()
            if hasattr(again, "from_json")
            else True
        )
        assert again.predict(table).tolist() == found.predict(table).tolist()


def test_importance_sees_all_columns():
    table, y = mixed()
    options = {"n_bootstraps": 5, "max_depth": 2, "random_state": 0, "regularization": 0.01}
    with pytest.warns(ol.errors.NeverOffered, match="3 of 8 features .*'income', 'zone', 'always'"):
        found = ol.RashomonImportance(**options).fit(table, y)
    assert found.features_ == tuple(table)
    assert found.left_out_ == LEFT_OUT
    mean = found.summary().set_index("feature")["mean"]
    assert (mean[["age", "home", "records"]] > 0).all()
    assert mean[list(LEFT_OUT)].isna().all()
    with pytest.warns(ol.errors.NeverOffered, match="1 of 11 columns .*'always'"):
        columns = ol.RashomonImportance(**options, by="column").fit(table, y)
    assert columns.features_ == fit(table, y).columns


def test_the_commands_name_what_is_left_out(tmp_path):
    table, y = mixed()
    file = tmp_path / "people.csv"
    table.assign(label=y).to_csv(file, index=False)
    given = ["--data", str(file), "--target", "label"]
    found = json.loads(command("rashomon", *given, "--max-depth", 2, "-f", "json"))
    assert found["left_out"] == list(LEFT_OUT)
    assert {"flag", "records = yes", "home = rent"} <= set(found["columns"])
    said = "Left out, because constant or without a threshold: 'income', 'zone', 'always'."
    assert said in command("rashomon", *given, "--max-depth", 2)
    rid = ["importance", *given, "--rid", 2, "--rid-depth", 2]
    assert said in command(*rid)
    assert json.loads(command(*rid, "-f", "json"))["left_out"] == list(LEFT_OUT)
    whole = [word for name in LEFT_OUT for word in ("--ignore", name)]
    assert "Left out" not in command("rashomon", *given, "--max-depth", 1, *whole)
