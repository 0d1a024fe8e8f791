from typing import Any, NamedTuple

from numpy.typing import NDArray

from ..model.arrays import Bytes, Domains, Floats, Ints, Longs, Nodes, Words
from ..model.feature import Label

class Reached(NamedTuple):
    leaf: Ints
    label: Ints
    possible: Bytes

class Ends(NamedTuple):
    low: Ints
    high: Ints

class FirstDetermined(NamedTuple):
    tree: Ints
    label: Ints

class RowReader:
    def __init__(
        self, names: list[str], features: list[tuple[Any, ...] | None], n_columns: int
    ) -> None: ...

class RowPredictor:
    def __init__(
        self,
        reader: RowReader,
        nodes: Nodes,
        domains: Domains,
        threshold: Floats,
        place: Ints,
        classes: tuple[Label, ...],
    ) -> None: ...
    def one(self, row: Any) -> Any: ...
    def table(
        self,
        rows: NDArray[Any],
        n_threads: int,
        items: Bytes,
        item_size: int,
        data: Bytes,
        hidden: Bytes,
    ) -> bool: ...

def reach(
    nodes: Nodes,
    domains: Domains,
    threshold: Floats,
    columns: list[Any],
    n_rows: int,
    n_classes: int,
    all_classes: bool,
) -> Reached: ...
def decide(
    nodes: Nodes,
    domains: Domains,
    threshold: Floats,
    columns: list[Any],
    n_rows: int,
    n_threads: int,
) -> Ints: ...
def ends(
    nodes: Nodes,
    domains: Domains,
    threshold: Floats,
    columns: list[Any],
    n_rows: int,
    n_threads: int,
) -> Ends: ...
def label(
    nodes: Nodes,
    domains: Domains,
    threshold: Floats,
    columns: list[Any],
    n_rows: int,
    n_threads: int,
    items: Bytes,
    item_size: int,
    data: Bytes,
    hidden: Bytes,
) -> None: ...
def copy_known(numbers: NDArray[Any], known: Bytes, first: int, to: NDArray[Any]) -> None: ...
def first_determined(
    nodes: Nodes,
    start: Longs,
    domains: Domains,
    threshold: Floats,
    columns: list[Any],
    n_rows: int,
) -> FirstDetermined: ...
def settling_sets(
    start: Ints,
    sides: Words,
    label: Ints,
    reach: Ints,
    reached: Bytes,
    known: Words,
    limit: int,
    time_limit: float,
) -> Words: ...
