from . import (
    rows as rows,
)
from .binarize import (
    NoCut as NoCut,
    QuantileBinarizer as QuantileBinarizer,
    ThresholdGuessBinarizer as ThresholdGuessBinarizer,
)
from .cell_style import (
    PLAIN as PLAIN,
    CellStyle as CellStyle,
    Missing as Missing,
    Mixture as Mixture,
    mixture_of as mixture_of,
    notations as notations,
    unknown as unknown,
)
from .costs import (
    exact_number as exact_number,
    read_costs as read_costs,
    without_cost as without_cost,
)
from .decimals import (
    exact as exact,
    shown as shown,
)
from .infer import (
    infer_space as infer_space,
    read_table_columns as read_table_columns,
    refuse_numbers as refuse_numbers,
)
from .labels import class_codes as class_codes
from .ranges import (
    read_between as read_between,
)
from .row_bins import (
    allowed_bins as allowed_bins,
    as_bits as as_bits,
    distinct_rows as distinct_rows,
    known_bins as known_bins,
    known_rows as known_rows,
    row_bins as row_bins,
    row_sides as row_sides,
)
from .rows import (
    ABSENT as ABSENT,
    AMONG as AMONG,
    BETWEEN as BETWEEN,
    CODE as CODE,
    EXACT as EXACT,
    F32 as F32,
    F64 as F64,
    NOT_GIVEN as NOT_GIVEN,
    CoreColumn as CoreColumn,
    Rows as Rows,
    absent_columns as absent_columns,
    is_frame as is_frame,
    is_unknown as is_unknown,
    labels_like as labels_like,
    near as near,
    read_codes as read_codes,
    read_columns as read_columns,
    read_rows as read_rows,
    row_at as row_at,
    some_names as some_names,
)
from .whole_file import (
    whole_file as whole_file,
    write_whole as write_whole,
)
