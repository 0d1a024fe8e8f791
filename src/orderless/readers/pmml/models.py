"""Models: the one model of a PMML file, and those within it.

In:  the root of a document.
Out: ``Model``: its element, what its predicates can ask about, and what it predicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...errors import UnreadableModel
from ...model import Label
from ..build import Table
from .columns import Column, columns_of, data_type_of, table_of, target_of
from .derived import derived_field, field_of_column
from .document import Element
from .fields import Field
from .predicates import NAMES, words_of
from .unfold import Unfolding
from .values import NUMBERS, label_of

__all__ = ["MODELS", "Model", "model_of"]

MODELS = ("TreeModel", "RuleSetModel", "MiningModel")
NESTED = 8  # that models nest


@dataclass(frozen=True)
class Model:
    """A model of a file.

    Attributes
    ----------
    element : of the model
    columns : that the whole file takes
    fields : by name, what its predicates can ask about
    target_type : the type of what is predicted
    classes : None if it predicts numbers, or if the file does not list them
    single : whether it computes in float32
    """

    element: Element
    columns: list[Column]
    fields: dict[str, Field]
    target_type: str
    classes: list[Label] | None
    single: bool
    depth: int = 0

    @property
    def method(self) -> str:
        """How a model of segments puts together what they say; empty for others."""
        segmentation = self.element.first("Segmentation")
        return "" if segmentation is None else segmentation.get("multipleModelMethod")

    @property
    def is_sum(self) -> bool:
        """Whether it puts together what several models say."""
        return self.element.name == "MiningModel" and self.method != "selectFirst"

    @property
    def classifies(self) -> bool:
        """Whether it predicts classes."""
        return self.element.get("functionName") == "classification"

    def segments(self) -> Iterator[tuple[Element, Model]]:
        """Go through the segments, each with the model in it."""
        segmentation = self.element.first("Segmentation")
        if segmentation is None:
            raise UnreadableModel("a MiningModel has no Segmentation")
        for segment in segmentation.all("Segment"):
            inner = next((one for one in segment.children if one.first("MiningSchema")), None)
            if inner is None:
                raise UnreadableModel("a Segment holds no model")
            yield segment, self.within(inner)

    def within(self, element: Element) -> Model:
        """Give a model within this one."""
        if self.depth >= NESTED:
            raise UnreadableModel(f"models nest deeper than {NESTED}")
        schema = element.first("MiningSchema")
        for given in () if schema is None else schema.all("MiningField"):
            for name in ("missingValueReplacement", "outliers"):
                if given.get(name) not in ("", "asIs"):
                    raise UnreadableModel(
                        f"a model within the file has {name} for {given.get('name')!r:.60}, and "
                        "read is only that of the whole"
                    )
        _check(element)
        return replace(
            self,
            element=element,
            fields=_with_derived(element.first("LocalTransformations"), self.fields),
            single=_is_single(element),
            depth=self.depth + 1,
        )

    def table(self, unfolding: Unfolding) -> Table:
        """Describe the columns, after all trees have been unfolded."""
        for column in unfolding.without_other:
            self.columns[column].other = False
        return table_of(self.columns, unfolding.nan_refused)


def model_of(root: Element) -> Model:
    """Give the model of a document, which must be one of trees or rules."""
    dictionary = root.first("DataDictionary")
    if dictionary is None:
        raise UnreadableModel("this PMML file has no DataDictionary")
    found = [child for child in root.children if child.first("MiningSchema") is not None]
    if len(found) != 1:
        raise UnreadableModel(f"this PMML file holds {len(found)} models and must hold one")
    (element,) = found
    if element.name not in MODELS:
        raise UnreadableModel(
            f"this PMML file holds a {element.name!s:.40}, and read are {', '.join(MODELS)}"
        )
    _check(element)
    schema = element.first("MiningSchema")
    assert schema is not None
    columns = columns_of(dictionary, schema)
    _meet_labels(root, columns)
    fields = _with_derived(
        root.first("TransformationDictionary"), {c.name: field_of_column(c) for c in columns}
    )
    fields = _with_derived(element.first("LocalTransformations"), fields)
    target_type, classes = _target(element, target_of(dictionary, schema))
    return Model(element, columns, fields, target_type, classes, _is_single(element))


def _check(element: Element) -> None:
    if element.get("isScorable") == "false":
        raise UnreadableModel("the file says that its model is not to be used (isScorable='false')")
    if element.get("functionName") not in ("classification", "regression"):
        raise UnreadableModel(
            f"functionName is {element.get('functionName')!r:.40}: it must be classification or "
            "regression"
        )


def _is_single(element: Element) -> bool:
    return element.get("x-mathContext", element.get("mathContext")) == "float"


def _target(element: Element, target: Element | None) -> tuple[str, list[Label] | None]:
    if target is None:
        return ("string" if element.get("functionName") == "classification" else "double"), None
    data_type = data_type_of(target)
    if element.get("functionName") == "regression":
        if data_type not in NUMBERS:
            raise UnreadableModel(f"numbers are predicted, and the target has type {data_type!r}")
        return data_type, None
    texts = [v.get("value") for v in target.all("Value") if v.get("property", "valid") == "valid"]
    labels = list(dict.fromkeys(label_of(text, data_type, "a class") for text in texts))
    return data_type, labels or None


def _with_derived(element: Element | None, fields: dict[str, Field]) -> dict[str, Field]:
    """Add derived fields, each of which may be made of those before it."""
    if element is None:
        return fields
    out = dict(fields)
    for one in element.all("DerivedField"):
        out[one.get("name")] = derived_field(one, out)
    return out


def _meet_labels(root: Element, columns: list[Column]) -> None:
    """Take labels of columns that do not list theirs from what predicates ask about."""
    open_columns = {c.name: c for c in columns if c.labels is not None and not c.declared}
    if not open_columns:
        return
    todo = [root]
    while todo:
        element = todo.pop()
        todo += element.children
        column = open_columns.get(element.get("field"))
        if column is None:
            continue
        array = element.first("Array")
        if array is not None:
            for word in words_of(array.text):
                column.code(word)
        elif element.name in (*NAMES, "NormDiscrete") and "value" in element.attributes:
            column.code(element.get("value"))
    for column in open_columns.values():
        column.declared = True
