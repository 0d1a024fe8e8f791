"""Policies where facts hold, against all policies over all possible rows of small grids."""

import random
from fractions import Fraction
from functools import cache

import pytest
from fact_cases import case

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace


class Brute:
    """Every question in every situation, in fractions; nothing is remembered or bounded."""

    def __init__(self, found, tree, rows, costs):
        self.found, self.tree, self.rows, self.costs = found, tree, rows, costs
        self.shown = cache(self.shown)

    def shown(self, name, value):
        """What finding out a feature shows: the answer to every condition on it."""
        tree, place = self.tree, self.tree.space.index(name)
        feature = tree.space.features[place]
        nodes = [node for node in range(tree.n_nodes) if tree.nodes.feature[node] == place]
        if feature.ordered:
            return tuple(float(value) <= tree.kernel.row_threshold[node] for node in nodes)
        code = feature.categories.index(value)
        return tuple(code in tree.kernel.set_of(node).tolist() for node in nodes)

    def left(self, rows, row, bought):
        wanted = {n: self.shown(n, row[n]) for n in bought}
        return [r for r in rows if all(self.shown(n, r[n]) == w for n, w in wanted.items())]

    def determined(self, row, bought):
        every = self.left(self.found.possible, row, bought)
        return len({self.found.says(other) for other in every}) == 1

    def best(self, rows, bought=frozenset()):
        if self.determined(rows[0], bought):
            return Fraction(0)
        options = []
        for name, cost in self.costs.items():
            if name in bought or name not in self.tree.features:
                continue
            parts = {}
            for row in rows:
                parts.setdefault(self.shown(name, row[name]), []).append(row)
            below = sum((self.best(part, bought | {name}) for part in parts.values()), Fraction(0))
            options.append(cost * len(rows) + below)
        return min(options)


def policies(seeds):
    for seed in seeds:
        found = case(seed, real=seed % 4 == 3)
        if not 0 < len(found.possible) < 400:
            continue
        tree = found.trees()[0]
        if tree.possible is None:
            continue
        r = random.Random(seed)
        costs = {name: Fraction(r.randint(0, 9)) for name in found.kinds}
        rows = [r.choice(found.possible) for _ in range(r.randint(1, 8))]
        yield found, tree, rows, costs, ol.cheapest_policy(tree, rows, costs)


def test_the_cheapest_of_all_policies():
    n = cheaper = 0
    for found, tree, rows, costs, policy in policies(range(4000, 4030)):
        wanted = Brute(found, policy.tree, rows, costs).best(rows)
        assert policy.optimal
        assert policy.expected_cost == pytest.approx(float(wanted / len(rows))), found.seed
        plain = ol.cheapest_policy(tree.with_space(tree.space.without_facts()), rows, costs)
        n += 1
        cheaper += policy.expected_cost < plain.expected_cost
        for method in ("greedy", "q-learning"):
            other = ol.cheapest_policy(tree, rows, costs, method=method, n_episodes=50)
            assert other.expected_cost >= policy.expected_cost - 1e-9
    assert n > 15
    assert cheaper > 3


def test_every_possible_row_ends_with_its_class():
    for found, _, _, _, policy in policies(range(4100, 4115)):
        wanted = [found.says(row) for row in found.possible]
        assert policy.simulate(found.possible)["decision"].tolist() == wanted, found.seed
        as_tree = policy.to_tree()
        assert as_tree.predict(found.possible).tolist() == wanted, found.seed
        assert ol.equivalent(as_tree, policy.tree)
        again = ol.Policy.from_json(policy.to_json())
        assert again.simulate(found.possible)["decision"].tolist() == wanted
        assert again.expected_cost == pytest.approx(policy.expected_cost)
        for part in found.parts(3):
            if found.completions(part):
                says = policy.next_feature(part)
                classes = {found.says(row) for row in found.completions(part)}
                assert classes <= set(says.possible)
                assert says.determined or says.feature not in part
            else:
                with pytest.raises(InvalidData, match="contradicts the facts"):
                    policy.next_feature(part)


SPACE = ol.Space({"sex": ["f", "m"], "pregnant": bool, "age": int},
                 facts=["if pregnant then sex = f"])  # fmt: skip
TREE = ol.read(
    {"feature": "sex", "relation": "in", "reference": ["m"], "true": {"prediction": "a"},
     "false": {"feature": "age", "relation": "<=", "reference": 30,
               "true": {"prediction": "b"}, "false": {"prediction": "c"}}},
    space=SPACE,
)  # fmt: skip
ROWS = [{"sex": "f", "pregnant": True, "age": 20}, {"sex": "f", "pregnant": False, "age": 40},
        {"sex": "m", "pregnant": False, "age": 20}]  # fmt: skip


def test_what_only_facts_name_can_be_bought():
    """Somebody who is pregnant is no man; that may be cheaper to find out."""
    costs = {"sex": 10, "pregnant": 1, "age": 1}
    policy = ol.cheapest_policy(TREE, ROWS, costs)
    assert "pregnant" in policy.purchases
    assert "pregnant" not in ol.cheapest_policy(TREE, ROWS, {"sex": 10, "age": 1}).purchases
    assert policy.next_feature({"pregnant": True}).feature == "age"
    assert policy.next_feature({"pregnant": True, "age": 3}).decision == "b"


def test_rows_that_contradict_the_facts_are_refused_by_name():
    bad = [*ROWS, {"sex": "m", "pregnant": True, "age": 3}]
    costs = {"sex": 10, "pregnant": 1, "age": 1}
    with pytest.raises(InvalidData, match="row 3 contradicts the facts: 'if pregnant then sex = f"):
        ol.cheapest_policy(TREE, bad, costs)
    with pytest.raises(InvalidData, match="row 3 contradicts"):
        ol.cheapest_policy(TREE, ROWS, costs).costs(bad)


@pytest.mark.parametrize("method", ["naive", "path"])
def test_what_does_not_look_at_facts_refuses_them(method):
    with pytest.raises(InvalidSpace, match=f"the policy '{method}' does not work with facts"):
        ol.cheapest_policy(TREE, ROWS, {"sex": 10, "age": 1}, method=method)
    with pytest.raises(InvalidSpace, match="a certificate does not work with facts"):
        ol.cheapest_policy(TREE, ROWS, {"sex": 10, "age": 1}).certificate()
