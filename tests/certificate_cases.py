"""Small certificates of all kinds, and changed ones; run as a program it hunts for faults.

``python tests/certificate_cases.py COUNT SEED`` changes COUNT certificates and compares the
checker with the oracle. It prints what it met, and the certificate on which they do not agree.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from oracle_certificates import TooMany, truth

import orderless as ol
from orderless.output.certificates import Certificate, equivalence_certificate, small_checker

STRANGE: list[Any] = [
    0, 1, -1, 2, 3, 0.5, -0.0, 1.0, 2**53, 10**30, "", "x", "0", "1", "01", "10", "11", "101", "02",
    None, True, False, [], {}, [[]], [0], [[], []],
]  # fmt: skip
SPACE = ol.Space(
    [
        ol.Feature("dose", values="float32", nan=True),
        ol.Feature("age", values="integer"),
        ol.Feature("ward", "categorical", categories=("e", "n", "s"), other=True, nan=True),
        ol.Feature("smokes", "boolean"),
        ol.Feature("x"),
    ]
)
CUTS = {"dose": (0.1, 0.5), "age": (18, 40), "x": (-1.5, 0.25)}


def random_tree(rng: random.Random, classes: tuple[Any, ...], depth: int, names: list[str]) -> Any:
    if depth == 0 or rng.random() < 0.15:
        return {"prediction": rng.choice(classes)}
    name = rng.choice(names)
    children = [random_tree(rng, classes, depth - 1, names) for _ in range(2)]
    out = {"feature": name, "true": children[0], "false": children[1]}
    if name in CUTS:
        return {**out, "relation": "<=", "reference": rng.choice(CUTS[name])}
    if name == "ward":
        return {
            **out,
            "relation": "in",
            "reference": rng.sample(["e", "n", "s"], rng.choice([1, 2])),
        }
    return {**out, "relation": "==", "reference": 1}


def of_bits(bits: str, names: list[str]) -> dict[str, Any]:
    """Give the tree that asks for everything, by the classes of its leaves."""
    if not names:
        return {"prediction": int(bits)}
    half = len(bits) // 2
    parts = bits[:half], bits[half:]
    yes, no = (of_bits(part, names[1:]) for part in parts)
    return {"feature": names[0], "true": yes, "false": no}


def in_a_ring() -> ol.Tree:
    """Give a tree that needs more rules than there are cells of which no two fit into one."""
    return ol.read(of_bits("0011101110111101", list("abcd")), feature_names=list("abcd"))


def random_certificate(rng: random.Random) -> tuple[Certificate, ol.Tree]:
    """Give a certificate of a small random tree."""
    if rng.random() < 0.05:
        return ol.canonicalize(in_a_ring()).certificate(), in_a_ring()
    names = rng.sample([f.name for f in SPACE.features], rng.choice([1, 2, 3, 3]))
    classes = rng.choice([("a", "b"), (0, 1, 2), (False, True), (0.5, 1.5)])
    depth = rng.choice([1, 2, 3, 4])
    tree = ol.read(random_tree(rng, classes, depth, names), space=SPACE)
    kind = rng.choice(["form", "form", "same", "policy"])
    if kind == "form":
        form = ol.canonicalize(tree, exact=rng.random() < 0.9)
        return form.certificate(reasons=rng.choice([1_000, 0])), tree
    if kind == "same":
        other = tree.minimize() if rng.random() < 0.5 else ol.canonicalize(tree).form.canonical
        return equivalence_certificate(tree, other), tree
    X = [random_row(rng) for _ in range(rng.randint(1, 9))]
    costs = {f.name: rng.choice([0, 1, 2, 2.5, 7, 0.1]) for f in SPACE.features}
    limits: dict[str, Any] = rng.choice([{}, {}, {}, {"budget": 3}, {"objective": "worst"}])
    method: Any = rng.choice(["optimal", "optimal", "greedy", "path"]) if not limits else "optimal"
    return ol.cheapest_policy(tree, X, costs, method=method, **limits).certificate(), tree


def random_row(rng: random.Random) -> dict[str, Any]:
    return {
        "dose": rng.choice([0.0, 0.1, 0.3, 0.9, float("nan")]),
        "age": rng.choice([10, 18, 30, 50]),
        "ward": rng.choice(["e", "n", "s", "elsewhere", None]),
        "smokes": rng.choice([False, True]),
        "x": rng.choice([-2.0, -1.5, 0.0, 0.25, 3.0]),
    }


def places(part: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Go through the places of all values."""
    if at:
        yield at
    inner = enumerate(part) if isinstance(part, list) else ()
    for name, own in part.items() if isinstance(part, dict) else inner:
        yield from places(own, (*at, name))


def mutated(content: Any, rng: random.Random) -> Any:
    """Change one thing, sometimes two."""
    content = copy.deepcopy(content)
    for _ in range(rng.choice([1, 1, 1, 2])):
        all_ = list(places(content))
        at = rng.choice(all_)
        holder = content
        for name in at[:-1]:
            holder = holder[name]
        value = holder[at[-1]]
        how = rng.randrange(6)
        if how == 0:
            holder[at[-1]] = rng.choice(STRANGE)
        elif how == 1:  # something else from the same file
            other = content
            for name in rng.choice(all_):
                other = other[name]
            holder[at[-1]] = copy.deepcopy(other)
        elif how == 2:
            del holder[at[-1]]
        elif how == 3 and isinstance(value, int | float) and not isinstance(value, bool):
            holder[at[-1]] = value + rng.choice([1, -1, 0.5])
        elif how == 3 and isinstance(value, str) and value and set(value) <= {"0", "1"}:
            k = rng.randrange(len(value))
            holder[at[-1]] = f"{value[:k]}{1 - int(value[k])}{value[k + 1 :]}"
        elif how == 4 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(value))
        elif isinstance(holder, list):
            k = rng.randrange(len(holder))
            holder[k], holder[at[-1]] = holder[at[-1]], holder[k]
        elif isinstance(value, bool):
            holder[at[-1]] = not value
    return content


def verdict(text: str) -> str:
    """What the checker says."""
    return small_checker.check(text, 2_000_000)[0]


def hunt(n: int, seed: int) -> Counter[str]:
    """Change n certificates; return how often what was met; raise where the checker is wrong."""
    rng = random.Random(seed)
    met: Counter[str] = Counter()
    while met["changed"] < n:
        certificate, _ = random_certificate(rng)
        content = certificate.content
        met[content["claim"]] += 1
        if content["claim"] == "form":
            met["with branches"] += any(own["proof"][1] for own in content["stated"].values())
        for k in range(40):
            changed = content if k == 0 else mutated(content, rng)
            text = json.dumps(changed)
            if k and text == certificate.text:
                continue
            try:
                expected = "valid" if truth(changed) else "invalid"
            except TooMany:
                met["too large for the oracle"] += 1
                continue
            if verdict(text) != expected:
                raise AssertionError(f"expected {expected}, the checker says otherwise: {text}")
            assert k or expected == "valid", text
            met["changed"] += k > 0
            met["changed, still valid"] += k > 0 and expected == "valid"
    return met


if __name__ == "__main__":
    np.seterr(all="ignore")
    print(dict(hunt(int(sys.argv[1]), int(sys.argv[2]))))  # noqa: T201
