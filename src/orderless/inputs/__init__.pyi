from . import (
    rows as rows,
)
from .binarize import (
    NoCut as NoCut,
)
from .binarize import (
    QuantileBinarizer as QuantileBinarizer,
)
from .binarize import (
    ThresholdGuessBinarizer as ThresholdGuessBinarizer,
)
from .cell_style import (
    PLAIN as PLAIN,
)
from .cell_style import (
    CellStyle as CellStyle,
)
from .cell_style import (
    Missing as Missing,
)
from .cell_style import (
    Mixture as Mixture,
)
from .cell_style import (
    mixture_of as mixture_of,
)
from .cell_style import (
    notations as notations,
)
from .cell_style import (
    unknown as unknown,
)
from .costs import (
    exact_number as exact_number,
)
from .costs import (
    read_costs as read_costs,
)
from .costs import (
    without_cost as without_cost,
)
from .decimals import (
    exact as exact,
)
from .decimals import (
    shown as shown,
)
from .infer import (
    infer_space as infer_space,
)
from .infer import (
    read_table_columns as read_table_columns,
)
from .infer import (
    refuse_numbers as refuse_numbers,
)
from .ranges import (
    read_between as read_between,
)
from .row_bins import (
    row_bins as row_bins,
)
from .rows import (
    ABSENT as ABSENT,
)
from .rows import (
    AMONG as AMONG,
)
from .rows import (
    BETWEEN as BETWEEN,
)
from .rows import (
    CODE as CODE,
)
from .rows import (
    EXACT as EXACT,
)
from .rows import (
    F32 as F32,
)
from .rows import (
    F64 as F64,
)
from .rows import (
    NOT_GIVEN as NOT_GIVEN,
)
from .rows import (
    CoreColumn as CoreColumn,
)
from .rows import (
    Rows as Rows,
)
from .rows import (
    absent_columns as absent_columns,
)
from .rows import (
    is_frame as is_frame,
)
from .rows import (
    is_unknown as is_unknown,
)
from .rows import (
    labels_like as labels_like,
)
from .rows import (
    near as near,
)
from .rows import (
    read_codes as read_codes,
)
from .rows import (
    read_columns as read_columns,
)
from .rows import (
    read_rows as read_rows,
)
from .rows import (
    row_at as row_at,
)
from .rows import (
    some_names as some_names,
)
from .whole_file import (
    whole_file as whole_file,
)
from .whole_file import (
    write_whole as write_whole,
)
