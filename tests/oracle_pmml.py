"""PMML by the book: evaluates a file row by row, as the standard reads, and draws random files.

Shares nothing with the reader: it walks the XML with three-valued logic, one row at a time.
"""

from __future__ import annotations

import functools
import itertools
import random
import xml.etree.ElementTree as ET
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

PREDICATES = {"SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False"}
COLUMNS = {"x": "double", "y": "float", "n": "integer", "b": "boolean", "c": "string"}
LABELS = ("red", "a b", "green")
NUMBERS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
STRATEGIES = ("none", "nullPrediction", "lastPrediction", "defaultChild")


@functools.lru_cache(maxsize=4)
def parsed(text: str) -> Any:
    root = ET.fromstring(text)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


# -- evaluation -----------------------------------------------------------------------------------


def evaluate(text: str, row: dict[str, Any]) -> Any:
    """Give the class of a row, as text, or None; None in a row is missing."""
    root = parsed(text)
    values = dict(row)
    for field in root.iter("MiningField"):
        if values.get(field.get("name")) is None and field.get("missingValueReplacement"):
            values[field.get("name")] = typed(
                field.get("missingValueReplacement"), COLUMNS[field.get("name")]
            )
    for name, kind in COLUMNS.items():
        if kind == "float" and values.get(name) is not None:
            values[name] = float(np.float32(values[name]))
    for field in root.iter("DerivedField"):
        values[field.get("name")] = derive(field, values)
    types = {**COLUMNS, **{f.get("name"): f.get("dataType") for f in root.iter("DerivedField")}}
    if root.find("RuleSetModel") is not None:
        rules = root.find("RuleSetModel/RuleSet")
        for rule in rules.iter("SimpleRule"):
            if truth(the_predicate(rule), values, types) is True:
                return rule.get("score")
        return rules.get("defaultScore")
    model = root.find("TreeModel")
    node = model.find("Node")
    if truth(the_predicate(node), values, types) is not True:
        return None
    return walk(model, node, values, types)


def walk(model: Any, node: Any, values: dict[str, Any], types: dict[str, str]) -> Any:
    strategy = model.get("missingValueStrategy", "none")
    children = node.findall("Node")
    if not children:
        return node.get("score")
    for child in children:
        holds = truth(the_predicate(child), values, types)
        if holds is True:
            return walk(model, child, values, types)
        if holds is None and strategy == "nullPrediction":
            return None
        if holds is None and strategy == "lastPrediction":
            return node.get("score")
        if holds is None and strategy == "defaultChild":
            default = next(c for c in children if c.get("id") == node.get("defaultChild"))
            return walk(model, default, values, types)
    if model.get("noTrueChildStrategy") == "returnLastPrediction":
        return node.get("score")
    return None


def the_predicate(element: Any) -> Any:
    return next(child for child in element if child.tag in PREDICATES)


def truth(predicate: Any, values: dict[str, Any], types: dict[str, str]) -> bool | None:
    if predicate.tag in ("True", "False"):
        return predicate.tag == "True"
    if predicate.tag == "CompoundPredicate":
        parts = [truth(part, values, types) for part in predicate if part.tag in PREDICATES]
        operator = predicate.get("booleanOperator")
        if operator == "and":
            return False if False in parts else None if None in parts else True
        if operator == "or":
            return True if True in parts else None if None in parts else False
        if operator == "xor":
            return None if None in parts else sum(parts) % 2 == 1
        return next((part for part in parts if part is not None), None)
    name = predicate.get("field")
    value, kind = values[name], types[name]
    if predicate.tag == "SimpleSetPredicate":
        if value is None:
            return None
        array = predicate.find("Array").text
        words = [typed(word, kind) for word in array.split('"')[1::2]]
        return (value in words) == (predicate.get("booleanOperator") == "isIn")
    operator = predicate.get("operator")
    if operator.endswith("Missing"):
        return (value is None) == (operator == "isMissing")
    if value is None:
        return None
    other = typed(predicate.get("value"), kind)
    return {
        "equal": lambda: value == other, "notEqual": lambda: value != other,
        "lessThan": lambda: value < other, "lessOrEqual": lambda: value <= other,
        "greaterThan": lambda: value > other, "greaterOrEqual": lambda: value >= other,
    }[operator]()  # fmt: skip


def typed(text: str, kind: str) -> Any:
    if kind == "string":
        return text
    if kind == "boolean":
        return text == "true"
    return float(np.float32(float(text))) if kind == "float" else float(text)


def derive(field: Any, values: dict[str, Any]) -> Any:
    (how,) = field
    kind = field.get("dataType")
    if how.tag == "FieldRef":
        value = values[how.get("field")]
        return float(np.float32(value)) if value is not None and kind == "float" else value
    if how.tag == "NormDiscrete":
        value = values[how.get("field")]
        if value is None:
            return None if how.get("mapMissingTo") is None else float(how.get("mapMissingTo"))
        return float(value == how.get("value"))
    if how.tag == "MapValues":
        value = values[how.find("FieldColumnPair").get("field")]
        if value is None:
            return how.get("mapMissingTo")
        for entry in how.iter("row"):
            if entry.find("in").text == value:
                return entry.find("out").text
        return how.get("defaultValue")
    value = values[how.get("field")]
    if value is None:
        return how.get("mapMissingTo")
    for one in how.findall("DiscretizeBin"):
        interval = one.find("Interval")
        low, high = interval.get("leftMargin"), interval.get("rightMargin")
        closed = interval.get("closure")
        above = (
            low is None
            or value > float(low)
            or (closed.startswith("closed") and value == float(low))
        )
        below = (
            high is None
            or value < float(high)
            or (closed.endswith("Closed") and value == float(high))
        )
        if above and below:
            return one.get("binValue")
    return how.get("defaultValue")


def rows(
    kinds: dict[str, str] = COLUMNS, *, missing: bool = False, n: int = 0, seed: int = 0
) -> Any:
    """Give rows of values at and between the numbers that files compare with; all, or some."""
    numbers = [-1.0, *NUMBERS, 0.25, 0.75, 1.25, 1.75, 2.5, 7.0]
    own = {
        "double": [*numbers, float(np.nextafter(1.0, 2)), float(np.nextafter(1.0, 0))],
        "float": [*numbers, float(np.nextafter(1.0, 2)), 1 + 2.0**-24, 1 - 2.0**-24],
        "integer": [-1, 0, 1, 2, 3, 7], "boolean": [False, True], "string": list(LABELS),
    }  # fmt: skip
    choices = [[*own[kind], *([None] if missing else [])] for kind in kinds.values()]
    if not n:
        return [dict(zip(kinds, values, strict=True)) for values in itertools.product(*choices)]
    rng = random.Random(seed)
    return [{name: rng.choice(c) for name, c in zip(kinds, choices, strict=True)} for _ in range(n)]


# -- random files ---------------------------------------------------------------------------------


def tag(kind: str, inner: str = "", /, **attributes: Any) -> str:
    words = "".join(f" {k}={quoteattr(str(v))}" for k, v in attributes.items() if v is not None)
    return f"<{kind}{words}>{inner}</{kind}>" if inner else f"<{kind}{words}/>"


class Files:
    """Draws random files."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = [name for name in COLUMNS if self.rng.random() < 0.6] or ["x"]
        self.types = {name: COLUMNS[name] for name in self.names}
        self.derived = "".join(self._derived())

    def _derived(self) -> Any:
        rng = self.rng
        if "x" in self.names and rng.random() < 0.4:
            self.types["xf"] = "float"
            yield tag("DerivedField", tag("FieldRef", field="x"), name="xf", dataType="float",
                      optype="continuous")  # fmt: skip
        if "c" in self.names and rng.random() < 0.4:
            self.types["is red"] = "double"
            missing = rng.choice([None, "0", "1"])
            yield tag("DerivedField", tag("NormDiscrete", field="c", value="red",
                      mapMissingTo=missing), name="is red", dataType="double",
                      optype="continuous")  # fmt: skip
        if "c" in self.names and rng.random() < 0.4:
            self.types["hue"] = "string"
            table = "".join(
                tag("row", f"<in>{label}</in><out>{rng.choice(['warm', 'cold'])}</out>")
                for label in rng.sample(LABELS, 2)
            )
            how = tag("MapValues", tag("FieldColumnPair", field="c", column="in")
                      + tag("InlineTable", table), outputColumn="out",
                      defaultValue=rng.choice([None, "warm", "none"]),
                      mapMissingTo=rng.choice([None, "cold"]))  # fmt: skip
            yield tag("DerivedField", how, name="hue", dataType="string", optype="categorical")
        if "y" in self.names and rng.random() < 0.4:
            self.types["size"] = "string"
            bins = "".join(
                tag("DiscretizeBin", tag("Interval", closure=closure, leftMargin=low,
                    rightMargin=high), binValue=name)
                for name, low, high, closure in (
                    ("small", None, 1, rng.choice(["openOpen", "openClosed"])),
                    ("large", 1, 3, rng.choice(["closedOpen", "openClosed", "closedClosed"])))
            )  # fmt: skip
            how = tag("Discretize", bins, field="y", defaultValue=rng.choice([None, "huge"]),
                      mapMissingTo=rng.choice([None, "small"]))  # fmt: skip
            yield tag("DerivedField", how, name="size", dataType="string", optype="categorical")

    def predicate(self, depth: int = 2) -> str:
        rng = self.rng
        if depth and rng.random() < 0.3:
            parts = "".join(self.predicate(depth - 1) for _ in range(rng.randint(2, 3)))
            operator = rng.choice(["and", "or", "xor", "surrogate"])
            return tag("CompoundPredicate", parts, booleanOperator=operator)
        name = rng.choice(sorted(self.types))
        kind = self.types[name]
        if rng.random() < 0.08:
            return tag(
                "SimplePredicate", field=name, operator=rng.choice(["isMissing", "isNotMissing"])
            )
        words = {"string": ["red", "a b", "green", "blue"], "boolean": ["true", "false"],
                 "integer": ["0", "1", "2"]}.get(kind, [repr(v) for v in NUMBERS])  # fmt: skip
        if name == "hue":
            words = ["warm", "cold", "none"]
        if name == "size":
            words = ["small", "large", "huge"]
        if rng.random() < 0.15 and kind != "boolean":
            some = rng.sample(words, 2)
            quoted = " ".join(f'"{w}"' for w in some)
            inner = f'<Array n="2" type="string">{quoted}</Array>'
            return tag("SimpleSetPredicate", inner, field=name,
                       booleanOperator=rng.choice(["isIn", "isNotIn"]))  # fmt: skip
        few = ["equal", "notEqual"]
        orders = [] if kind in ("string", "boolean") else [
            "lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual"] * 3  # fmt: skip
        return tag("SimplePredicate", field=name, operator=rng.choice(few + orders),
                   value=rng.choice(words))  # fmt: skip

    def node(self, depth: int, number: list[int], predicate: str = "<True/>") -> str:
        rng = self.rng
        number[0] += 1
        own = str(number[0])
        score = rng.choice(["yes", "no", "so"])
        if not depth or rng.random() < 0.2:
            return tag("Node", predicate, id=own, score=score)
        n = rng.randint(1, 3)
        ids, children = [], ""
        for k in range(n):
            ids.append(str(number[0] + 1))
            last = k == n - 1 and rng.random() < 0.7
            children += self.node(depth - 1, number, "<True/>" if last else self.predicate())
        said = score if rng.random() < 0.8 else None
        return tag("Node", predicate + children, id=own, score=said, defaultChild=rng.choice(ids))

    def document(self, model: str) -> str:
        values = "".join(tag("Value", value=v) for v in LABELS)
        fields = "".join(
            tag("DataField", values if kind == "string" else "", name=name, dataType=kind,
                optype="categorical" if kind in ("string", "boolean") else "continuous")
            for name, kind in COLUMNS.items()
        )  # fmt: skip
        target = tag("DataField", "".join(tag("Value", value=v) for v in ("no", "so", "yes")),
                     name="t", dataType="string", optype="categorical")  # fmt: skip
        return tag("PMML", tag("DataDictionary", fields + target)
                   + (tag("TransformationDictionary", self.derived) if self.derived else "")
                   + model, version="4.3", xmlns="http://www.dmg.org/PMML-4_3")  # fmt: skip

    def schema(self) -> str:
        replaced = {"x": "1.5", "c": "red", "n": "2"}
        fields = "".join(
            tag("MiningField", name=name,
                missingValueReplacement=replaced.get(name) if self.rng.random() < 0.2 else None)
            for name in self.names
        )  # fmt: skip
        return tag("MiningSchema", fields + tag("MiningField", name="t", usageType="target"))

    def tree(self) -> str:
        rng = self.rng
        last = rng.choice([None, "returnLastPrediction", "returnLastPrediction"])
        return self.document(
            tag("TreeModel", self.schema() + self.node(3, [0]), functionName="classification",
                missingValueStrategy=rng.choice(STRATEGIES), noTrueChildStrategy=last)
        )  # fmt: skip

    def rules(self) -> str:
        rng = self.rng
        rules = "".join(
            tag("SimpleRule", self.predicate(), score=rng.choice(["yes", "no", "so"]))
            for _ in range(rng.randint(1, 5))
        )
        method = tag("RuleSelectionMethod", criterion="firstHit")
        default = rng.choice([None, "no", "yes"])
        rule_set = tag("RuleSet", method + rules, defaultScore=default)
        return self.document(
            tag("RuleSetModel", self.schema() + rule_set, functionName="classification")
        )
