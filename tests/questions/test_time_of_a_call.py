"""``time_limit`` is for the call: what takes long before, between and after searches counts too."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import Undecided
from orderless.model import budget

from ..ensembles.test_answers import forest


class Late:
    """A clock that goes on by so much whenever it is looked at."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def monotonic(self):
        self.now += self.step
        return self.now


def data(n=300, d=6):
    random = np.random.default_rng(3)
    X = random.normal(size=(n, d)).round(1)
    return X, (X[:, :3].sum(axis=1) + random.normal(size=n) > 0).astype(int)


def trees():
    X, y = data()
    return ol.read(RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, y))


def test_questions_of_many_rows(monkeypatch):
    """One question takes a while for each row, so that rows are looked at between them."""
    model, rows = (
        trees(),
        [[0.5, None, None, None, 0.1, None], [None] * 6, [None, 1.0, *[None] * 4]],
    )
    assert len(model.ask_next(rows)) == 3
    monkeypatch.setattr(budget, "time", Late(30.0))
    with pytest.raises(Undecided, match=r"time_limit=60") as refused:
        model.ask_next(rows)
    assert refused.value.why == "time"


@pytest.mark.parametrize("prove", [
    lambda model: ol.prove(model).monotone("x0", 1),
    lambda model: ol.prove(model).ignores("x0"),
    lambda model: ol.prove(model).stable("x0", by=0.5),
])  # fmt: skip
@pytest.mark.parametrize("of_one_tree", [True, False])
def test_proofs_look_at_the_clock_while_they_compare_leaves(monkeypatch, prove, of_one_tree):
    X, y = data()
    model = ol.read(DecisionTreeClassifier(random_state=0).fit(X, y)) if of_one_tree else trees()
    assert not prove(model)
    monkeypatch.setattr(budget, "time", Late(100.0))
    with pytest.raises(Undecided, match="time_limit=60"):
        prove(model)


def test_trees_that_were_not_tried_stay(monkeypatch):
    """The last of five votes never decides if the first counts for three; it takes a search."""
    votes = forest(4)
    heavy = votes.replace(values=[[[5.0, 0.0], [0.0, 5.0]], *votes.kernel.values[1:]])
    assert heavy.without_idle_trees().n_trees == 1
    searches = []
    joint = ol.questions.redundant.Joint

    def prepared(*models):
        searches.append(models)
        return joint(*models)

    monkeypatch.setattr(ol.questions.redundant, "Joint", prepared)
    monkeypatch.setattr(budget, "time", Late(25.0))
    fewer = heavy.without_idle_trees()
    assert 1 <= len(searches) <= 3
    assert fewer.n_trees > 1
    rows = [[a, b, c, d] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]
    assert fewer.predict(rows).tolist() == heavy.predict(rows).tolist()


def test_two_large_trees_keep_to_the_limit():
    """Small trees need no time; of large ones pairs of leaves are left when it is over."""
    random = np.random.default_rng(8)
    X = random.normal(size=(4000, 6))
    one, other = (
        ol.read(DecisionTreeClassifier(random_state=seed).fit(X, random.integers(0, 2, len(X))))
        for seed in range(2)
    )
    for ask in (ol.disagreement, ol.equivalent):
        with pytest.raises(Undecided, match=r"time_limit=0") as refused:
            ask(one, other if ask is ol.disagreement else one, time_limit=0)
        assert refused.value.why == "time"
    small = ol.read(DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > 0))
    assert ol.disagreement(small, small, time_limit=0) == 0
